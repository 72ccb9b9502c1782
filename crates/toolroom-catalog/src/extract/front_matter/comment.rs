//! Takes the comment marks off the comment lines at the head of a file.

use toolroom_kernel::Position;

use super::super::prose::{Line, column_after};
use super::CommentStyle;

/// A longer leading comment is not metadata.
const MAX_LINES: usize = 2000;

/// The lines of every comment before the first code, marks removed; `None` is an empty line.
pub(super) fn leading<'a>(source: &'a str, style: &CommentStyle) -> Vec<Option<Line<'a>>> {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    let mut state = State::Outside;
    let mut lines = Vec::new();
    for (number, line) in (1_u32..).zip(source.lines()).take(MAX_LINES) {
        let stripped = match state {
            State::Code => break,
            State::Inside => inside_block(line, 0, style, &mut state),
            State::Outside if is_opening(line, number) => None,
            State::Outside => outside_block(line, style, &mut state),
        };
        if matches!(state, State::Code) && stripped.is_none() {
            break;
        }
        lines.push(stripped.map(|(start, text)| Line {
            at: Position {
                line: number,
                column: column_after(line.get(..start).unwrap_or_default()),
            },
            text,
        }));
    }
    lines
}

/// What the next line is read as.
enum State {
    Outside,
    Inside,
    Code,
}

/// The text of a comment's line and its offset there; `None` for a line that has none.
type Stripped<'a> = Option<(usize, &'a str)>;

/// What may stand before a comment: nothing, a shebang, or the mark that opens a script in a page.
fn is_opening(line: &str, number: u32) -> bool {
    let text = line.trim();
    text.is_empty() || (number == 1 && text.starts_with("#!")) || text.starts_with("<?")
}

fn outside_block<'a>(line: &'a str, style: &CommentStyle, state: &mut State) -> Stripped<'a> {
    let text = line.trim_start();
    if let Some((open, _)) = style.block.as_ref().filter(|(open, _)| !open.is_empty())
        && let Some(rest) = text.strip_prefix(open.as_str())
    {
        *state = State::Inside;
        return inside_block(line, line.len() - rest.len(), style, state);
    }
    let mut marks = style.line.iter().filter(|mark| !mark.is_empty());
    let Some((mark, rest)) = marks.find_map(|mark| Some((mark, text.strip_prefix(mark.as_str())?)))
    else {
        *state = State::Code;
        return None;
    };
    // `-----` is a divider in a language whose comments begin with `--`, not a fence.
    let is_divider = !rest.is_empty() && rest.chars().all(|next| mark.ends_with(next));
    let text = if is_divider {
        ""
    } else {
        rest.strip_prefix(' ').unwrap_or(rest)
    };
    Some((line.len() - text.len(), text))
}

/// One line of a block comment, from the offset where the comment's text may begin.
fn inside_block<'a>(
    line: &'a str,
    from: usize,
    style: &CommentStyle,
    state: &mut State,
) -> Stripped<'a> {
    let (open, close) = style.block.as_ref()?;
    let mut rest = line.get(from..)?;
    let mut text = rest;
    if let Some(end) = rest.find(close.as_str()).filter(|_| !close.is_empty()) {
        (text, rest) = rest.split_at(end);
        let after = rest.strip_prefix(close.as_str()).unwrap_or_default();
        *state = if after.trim().is_empty() {
            State::Outside
        } else {
            State::Code
        };
    }
    let length = text.len();
    // Many draw a column of stars down a comment that opens with one.
    if open.ends_with('*')
        && let Some(starred) = text.trim_start().strip_prefix('*')
    {
        let starred = starred.trim_start_matches('*');
        text = starred.strip_prefix(' ').unwrap_or(starred);
    }
    Some((from + length - text.len(), text))
}

//! Finds the first comment that is prose: text for a reader, not a line for a machine.
//!
//! Shebangs, signatures, editor and licence lines, dividers and inline metadata are no
//! prose. Knows nothing of languages; it is given lines whose comment marks are gone.

use toolroom_kernel::Position;

use super::document::Located;

/// A description is a few sentences; a longer comment is cut here.
const MAX_LINES: usize = 100;

/// One line of a comment, without its comment mark.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) at: Position,
    pub(super) text: &'a str,
}

/// The first prose comment of a file whose comments begin with `#`, if content does not come first.
pub(super) fn first_of_data(source: &str) -> Option<Located<String>> {
    let lines = source.lines().zip(1_u32..).map_while(|(line, number)| {
        let text = line.trim_start();
        let is_shebang = number == 1 && line.starts_with("#!");
        if is_shebang || text.is_empty() || text.trim_end() == "---" || line.starts_with('%') {
            return Some(None);
        }
        let content = text.strip_prefix('#')?;
        let column = line.len() - content.len();
        let before = line.get(..column).unwrap_or_default();
        Some(Some(Line {
            at: Position {
                line: number,
                column: column_after(before),
            },
            text: content,
        }))
    });
    first(lines)
}

/// The column of what follows `before` on its line.
pub(super) fn column_after(before: &str) -> u32 {
    u32::try_from(before.chars().count())
        .unwrap_or(u32::MAX)
        .saturating_add(1)
}

/// The first run of comment lines with prose in it. `None` among the lines is a gap between
/// comments; an empty comment line is a gap between paragraphs.
pub(super) fn first<'a>(lines: impl Iterator<Item = Option<Line<'a>>>) -> Option<Located<String>> {
    let mut prose = Prose::default();
    let mut in_metadata = false;
    for line in lines {
        let Some(line) = line else {
            in_metadata = false;
            if prose.at.is_some() {
                break;
            }
            continue;
        };
        let text = line.text.trim();
        if in_metadata || opens_metadata(text) {
            in_metadata = !in_metadata || text != "///";
            continue;
        }
        if prose.lines >= MAX_LINES {
            break;
        }
        if !is_for_machines(text) {
            prose.add(line);
        }
    }
    let at = prose.at?;
    Some(Located {
        value: prose.text,
        at,
    })
}

#[derive(Default)]
struct Prose {
    text: String,
    at: Option<Position>,
    lines: usize,
    paragraph_ended: bool,
}

impl Prose {
    fn add(&mut self, line: Line<'_>) {
        let text = undecorated(line.text).trim_end();
        if !text.contains(char::is_alphanumeric) {
            self.paragraph_ended = true;
            return;
        }
        if self.at.is_none() {
            let before = line.text.len() - undecorated(line.text).len();
            let skipped = column_after(line.text.get(..before).unwrap_or_default()) - 1;
            self.at = Some(Position {
                column: line.at.column.saturating_add(skipped),
                ..line.at
            });
        } else {
            self.text
                .push_str(if self.paragraph_ended { "\n\n" } else { " " });
        }
        self.text.push_str(text);
        self.lines += 1;
        self.paragraph_ended = false;
    }
}

/// Without the rest of a doubled comment mark, as in `## Title` or `//! Title`.
fn undecorated(text: &str) -> &str {
    let inner = text.trim_start_matches(['#', '/', ';', '!']);
    if inner.is_empty() || inner.starts_with(char::is_whitespace) {
        inner.trim_start()
    } else {
        text.trim_start()
    }
}

/// `/// script` and the like: inline metadata up to the next `///`.
fn opens_metadata(text: &str) -> bool {
    text.strip_prefix("/// ").is_some_and(|name| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    })
}

/// Whether a comment line speaks to a program (or a lawyer) and not to a reader.
pub(super) fn is_for_machines(text: &str) -> bool {
    const OPENINGS: [&str; 11] = [
        "rye:signed:",
        "kiwi-mcp:validated:",
        "yaml-language-server:",
        "SPDX-",
        "Copyright ",
        "-*-",
        "vim:",
        "coding:",
        "coding=",
        "encoding:",
        "shellcheck ",
    ];
    let text = text.trim_start_matches(['#', '/', ';', '!']).trim();
    OPENINGS.iter().any(|opening| {
        text.get(..opening.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(opening))
    }) || is_switch(text)
}

/// A compiler's switch: one name with underscores, set to true or false.
fn is_switch(text: &str) -> bool {
    let Some((name, value)) = text.split_once(':') else {
        return false;
    };
    matches!(value.trim(), "true" | "false")
        && name.contains('_')
        && name
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
}

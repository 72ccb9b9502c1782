//! An error as people see it: what, where, the line itself, and what to do.

use std::path::Path;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use toolroom_kernel::{Place, Position};

use super::{lines, paths};
use crate::failure::Failure;

/// Lines shown before and after the one that is meant.
const AROUND: usize = 2;
/// A longer line is cut, or one minified file would fill the screen.
const LONGEST_LINE: usize = 400;
/// A fault further out than this is named by its place alone.
const FARTHEST_COLUMN: u32 = 10_000;

/// The width of a drawing that is not for a terminal.
const USUAL_WIDTH: usize = 100;

/// Draws a failure. Without a width, what happened stays on one line.
#[must_use]
pub fn failure(failure: &Failure, width: Option<usize>, styled: bool) -> String {
    let title = title(failure, width);
    let width = width.unwrap_or(USUAL_WIDTH);
    let excerpt = failure.place.as_ref().and_then(excerpt);
    let mut group = Level::ERROR
        .primary_title(title)
        .id(failure.code.as_str())
        .elements(None::<Origin<'_>>);
    group = match (&excerpt, &failure.place) {
        (Some(excerpt), _) => group.element(
            Snippet::source(excerpt.text.as_str())
                .line_start(excerpt.first_line)
                .fold(false)
                .path(excerpt.path.as_str())
                .annotation(AnnotationKind::Primary.span(excerpt.span.clone())),
        ),
        (None, Some(place)) => group.element(origin(place)),
        (None, None) => group,
    };
    for cause in &failure.causes {
        group = group.element(Level::NOTE.message(wrapped(cause, width)));
    }
    if let Some(help) = &failure.help {
        group = group.element(Level::HELP.message(wrapped(help, width)));
    }
    render(&[group], width, styled)
}

fn render(groups: &[Group<'_>], width: usize, styled: bool) -> String {
    let renderer = if styled {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer
        .decor_style(DecorStyle::Unicode)
        .term_width(width)
        .render(groups)
}

fn origin(place: &Place) -> Origin<'static> {
    let origin = Origin::path(shown(&place.path));
    match place.position {
        Some(position) => origin
            .line(position.line as usize)
            .char_column(position.column as usize),
        None => origin,
    }
}

struct Excerpt {
    text: String,
    first_line: usize,
    path: String,
    span: std::ops::Range<usize>,
}

/// The lines around a position, read again from the file.
fn excerpt(place: &Place) -> Option<Excerpt> {
    let position = place
        .position
        .filter(|position| position.column <= FARTHEST_COLUMN)?;
    let text = toolroom_catalog::read::text(&place.path).ok()?;
    let line = (position.line as usize).checked_sub(1)?;
    let first = line.saturating_sub(AROUND);
    // The line that is meant is kept up to its fault, or the place would be another.
    let longest = |number: usize| match number == line {
        true => LONGEST_LINE + position.column as usize,
        false => LONGEST_LINE,
    };
    let lines: Vec<String> = (first..)
        .zip(text.lines().skip(first))
        .take(line - first + 1 + AROUND)
        .map(|(number, line)| printable(line, longest(number)))
        .collect();
    let target = lines.get(line - first)?;
    let before: usize = lines[..line - first]
        .iter()
        .map(|line| line.len() + 1)
        .sum();
    let start = before + offset_of(target, position);
    let length = word_length(&target[start - before..]);
    Some(Excerpt {
        span: start..start + length,
        text: lines.join("\n"),
        first_line: first + 1,
        path: shown(&place.path),
    })
}

/// One replacement per character, so that columns stay where they were.
fn printable(line: &str, longest: usize) -> String {
    line.chars()
        .take(longest)
        .map(|character| match character {
            '\t' => ' ',
            control if control.is_control() => '\u{fffd}',
            other => other,
        })
        .collect()
}

fn offset_of(line: &str, position: Position) -> usize {
    let column = (position.column as usize).saturating_sub(1);
    line.char_indices()
        .nth(column)
        .map_or(line.len(), |(offset, _)| offset)
}

/// How much to underline: the text or word that stands there, or one character.
fn word_length(rest: &str) -> usize {
    if let Some(quote) = rest
        .chars()
        .next()
        .filter(|first| matches!(first, '"' | '\'' | '`'))
        && let Some(end) = rest[1..].find(quote)
    {
        return end + 2;
    }
    // A name with dots in it is one: `os.getenv`.
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.');
    let word = rest
        .find(|character| !is_word(character))
        .unwrap_or(rest.len());
    let word = rest[..word].trim_end_matches('.').len();
    if word > 0 {
        return word;
    }
    rest.chars().next().map_or(0, char::len_utf8)
}

/// Relative to where the user is, if it is below.
fn shown(path: &Path) -> String {
    let relative = std::env::current_dir()
        .ok()
        .and_then(|cwd| path.strip_prefix(cwd).ok().map(Path::to_path_buf));
    paths::printable(relative.as_deref().unwrap_or(path))
}

/// What happened, in lines that fit behind and below the code.
fn title(failure: &Failure, width: Option<usize>) -> String {
    let head = "error[]: ".len() + failure.code.len();
    let room = width.map(|width| width.saturating_sub(head));
    lines::broken(&clean(&failure.message), room).join("\n")
}

/// A message in lines that fit beside the drawing's own marks.
fn wrapped(text: &str, width: usize) -> String {
    lines::broken(&clean(text), Some(room(width))).join("\n")
}

/// What is left of a width beside the drawing's own marks.
#[must_use]
pub const fn room(width: usize) -> usize {
    width.saturating_sub(12)
}

/// A message without anything a terminal would act on.
fn clean(text: &str) -> String {
    text.chars()
        .filter(|character| *character == '\n' || !character.is_control())
        .collect()
}

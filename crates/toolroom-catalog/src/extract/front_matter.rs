//! Reads the YAML block between two `---` lines in a file's leading comment.
//!
//! Works for any language that has comments: the marks are given, the code is never looked
//! at. Every place it reports is a place in the file, not in the block.

mod comment;

use toolroom_kernel::Position;
use toolroom_kernel::model::field;

use super::data::{self, Format};
use super::document::{Document, SyntaxFault, Variable};
use super::prose::{self, Line};

/// How a language marks its comments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommentStyle {
    /// What begins a comment that ends with its line, the longer ones first; none if the
    /// language has no such comments.
    pub line: Vec<String>,
    /// What begins and ends a comment that may span lines.
    pub block: Option<(String, String)>,
}

const FENCE: &str = "---";

/// Whether there is a block that means to be metadata, sound or not. Some draw such lines
/// around a title, too.
#[must_use]
pub fn has_block(source: &str, style: &CommentStyle) -> bool {
    let lines = comment::leading(source, style);
    let inside = match Block::find(&lines) {
        Block::Absent => return false,
        Block::Unclosed { inside, .. } | Block::Closed { inside, .. } => inside,
    };
    inside.iter().flatten().any(|line| is_metadata(line.text))
}

/// Whether a line of a block speaks of a tool: a key, or the name of one that is misspelt
/// around it.
fn is_metadata(line: &str) -> bool {
    let is_key = |key: &str| {
        let key = key.trim_matches(['"', '\'']);
        !key.is_empty() && !key.contains(|ch: char| !ch.is_alphanumeric() && ch != '_' && ch != '-')
    };
    let has_key = line.split_once(':').is_some_and(|(key, rest)| {
        is_key(key.trim_start_matches(['{', ' '])) && (rest.is_empty() || rest.starts_with(' '))
    });
    has_key
        || [field::TOOL_TYPE, field::EXECUTOR_ID]
            .iter()
            .any(|name| line.contains(name))
}

/// Reads the variables of the block, if there is one, and the first prose around it.
#[must_use]
pub fn read(source: &str, style: &CommentStyle) -> Document {
    let lines = comment::leading(source, style);
    match Block::find(&lines) {
        Block::Absent => Document {
            comment: prose::first(lines.iter().copied()),
            ..Document::default()
        },
        Block::Unclosed {
            before, opening, ..
        } => Document {
            comment: prose::first(before.iter().copied()),
            faults: vec![SyntaxFault {
                at: opening,
                message: format!("the block that begins here has no closing {FENCE}"),
            }],
            ..Document::default()
        },
        Block::Closed {
            before,
            inside,
            closing,
            after,
        } => Document {
            comment: prose::first(before.iter().chain([&None]).chain(after).copied()),
            ..yaml(inside, closing)
        },
    }
}

type Lines<'l, 'a> = &'l [Option<Line<'a>>];

/// The leading comment, cut at the fences of its block.
enum Block<'l, 'a> {
    Absent,
    Unclosed {
        before: Lines<'l, 'a>,
        opening: Position,
        inside: Lines<'l, 'a>,
    },
    Closed {
        before: Lines<'l, 'a>,
        inside: Lines<'l, 'a>,
        closing: Position,
        after: Lines<'l, 'a>,
    },
}

impl<'l, 'a> Block<'l, 'a> {
    fn find(lines: Lines<'l, 'a>) -> Self {
        let Some((before, opening, rest)) = cut(lines) else {
            return Self::Absent;
        };
        match cut(rest) {
            None => Self::Unclosed {
                before,
                opening,
                inside: rest,
            },
            Some((inside, closing, after)) => Self::Closed {
                before,
                inside,
                closing,
                after,
            },
        }
    }
}

/// What is before the first fence, where the fence is, and what is after it.
fn cut<'l, 'a>(lines: Lines<'l, 'a>) -> Option<(Lines<'l, 'a>, Position, Lines<'l, 'a>)> {
    let (index, at) = lines.iter().enumerate().find_map(|(index, line)| {
        let line = line.filter(|line| line.text.trim() == FENCE)?;
        Some((index, line.at))
    })?;
    let (before, rest) = lines.split_at(index);
    Some((before, at, rest.get(1..)?))
}

/// Reads the block's lines as YAML, and moves every place from the block into the file.
fn yaml(lines: Lines<'_, '_>, closing: Position) -> Document {
    let text: Vec<&str> = lines
        .iter()
        .map(|line| line.map_or("", |line| line.text))
        .collect();
    let mut document = data::read(&text.join("\n"), Format::Yaml);
    let in_file = |at: Position| {
        let index = usize::try_from(at.line.saturating_sub(1)).unwrap_or(usize::MAX);
        match lines.get(index) {
            Some(Some(line)) => Position {
                line: line.at.line,
                column: line.at.column.saturating_add(at.column.saturating_sub(1)),
            },
            _ => closing,
        }
    };
    for variable in document.variables.values_mut() {
        match variable {
            Variable::Literal(value) => value.at = in_file(value.at),
            Variable::NotLiteral(reason) => reason.at = in_file(reason.at),
        }
    }
    for fault in &mut document.faults {
        fault.at = in_file(fault.at);
    }
    document
}

#[cfg(test)]
mod tests;

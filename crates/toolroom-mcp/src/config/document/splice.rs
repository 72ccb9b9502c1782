//! Small changes of a text, and the layout they have to fit into.

use std::ops::Range;

/// One range of a text and what stands there instead.
#[derive(Debug)]
pub struct Splice {
    pub range: Range<usize>,
    pub text: String,
}

impl Splice {
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self {
            range: at..at,
            text: text.into(),
        }
    }

    pub fn delete(range: Range<usize>) -> Self {
        Self {
            range,
            text: String::new(),
        }
    }

    pub fn replace(range: Range<usize>, text: impl Into<String>) -> Self {
        Self {
            range,
            text: text.into(),
        }
    }
}

/// The text with all changes made; ranges must not overlap.
pub fn apply(text: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| splice.range.start);
    let mut out = String::with_capacity(text.len() + 512);
    let mut done = 0;
    for splice in &splices {
        out.push_str(text.get(done..splice.range.start).unwrap_or_default());
        out.push_str(&splice.text);
        done = done.max(splice.range.end);
    }
    out.push_str(text.get(done..).unwrap_or_default());
    out
}

/// How the lines of a text end.
pub fn newline(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// A text with the line ends of another.
pub fn with_newlines(text: &str, newline: &str) -> String {
    text.replace('\n', newline)
}

pub fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The start of the next line, or the end of the text.
pub fn line_end(text: &str, offset: usize) -> usize {
    text[offset..]
        .find('\n')
        .map_or(text.len(), |newline| offset + newline + 1)
}

/// The blanks a line begins with.
pub fn indent_at(text: &str, offset: usize) -> &str {
    let line = &text[line_start(text, offset)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// What one level is indented by, seen from the first line that is indented at all.
pub fn unit(text: &str) -> &str {
    let indents = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| indent_at(line, 0));
    match indents.into_iter().find(|indent| !indent.is_empty()) {
        Some(indent) if indent.starts_with('\t') => "\t",
        Some(indent) if indent.len() <= 8 => indent,
        _ => "  ",
    }
}

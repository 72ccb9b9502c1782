//! How an error explains itself: a stable code, the place it speaks of, and advice.
//!
//! Messages say what happened; `help` says what to do next. The two never mix, so the
//! command line can draw them apart and programs can match on the code alone.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// A spot in a text file. Lines and columns count from one; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    pub line: u32,
    pub column: u32,
}

impl Position {
    pub const START: Self = Self { line: 1, column: 1 };

    /// Finds the position of a byte offset; an offset past the end is the end.
    #[must_use]
    pub fn at_offset(text: &str, offset: usize) -> Self {
        let mut end = offset.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &text[..end];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = newlines(before.as_bytes()) + 1;
        let column = before[line_start..].chars().count() + 1;
        Self {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }
}

/// Counts in bytes as long as they suffice, which a processor does many at a time.
fn newlines(text: &[u8]) -> usize {
    let count = |part: &[u8]| part.iter().map(|byte| u8::from(*byte == b'\n')).sum::<u8>();
    let parts = text.chunks(usize::from(u8::MAX));
    parts.map(|part| usize::from(count(part))).sum()
}

/// A file, and where in it, if that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub path: PathBuf,
    pub position: Option<Position>,
}

impl Place {
    #[must_use]
    pub fn file(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            position: None,
        }
    }
}

/// What lies behind an error, nearest first.
pub fn causes(error: &(impl std::error::Error + ?Sized)) -> Vec<String> {
    let message = error.to_string();
    let mut causes = Vec::new();
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        // A transparent wrapper repeats its source; saying it twice helps nobody.
        if text != message && causes.last() != Some(&text) {
            causes.push(text);
        }
        source = cause.source();
    }
    causes
}

/// An error a person can act on and a program can match on.
pub trait Explain: std::error::Error {
    /// A stable, dotted name such as `catalog::tool_not_found`.
    fn code(&self) -> &'static str;

    /// What to do next.
    fn help(&self) -> Option<String> {
        None
    }

    /// The file the error speaks of.
    fn place(&self) -> Option<Place> {
        None
    }
}

//! Reads YAML, TOML and JSON files: every top-level key becomes a variable with its place.
//!
//! Promises the same bounds for each format (size, depth, no key twice, JSON values only)
//! and knows nothing of what the keys mean.

mod json;
mod toml;
mod yaml;

use serde_json::Value;
use toolroom_kernel::Position;

use super::document::{Document, Located, SyntaxFault, Variable};
use super::prose;

/// The notation a data file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Yaml,
    Toml,
    Json,
}

/// A top-level key and its value; the place is the key's.
pub(super) type Entry = (String, Located<Value>);

/// Metadata is small; anything larger is data that lost its way.
const MAX_BYTES: usize = 1024 * 1024;

/// Containers within containers, the root mapping included.
const MAX_DEPTH: usize = 64;

/// Reads a file whose root is a mapping. A file with a fault has no variables.
#[must_use]
pub fn read(source: &str, format: Format) -> Document {
    let source = without_bom(source);
    let mut document = Document::default();
    if source.len() <= MAX_BYTES && format != Format::Json {
        document.comment = prose::first_of_data(source);
    }
    match entries(source, format) {
        Ok(entries) => {
            document.variables = entries
                .into_iter()
                .map(|(key, value)| (key, Variable::Literal(value)))
                .collect();
        }
        Err(fault) => document.faults.push(fault),
    }
    document
}

/// The top-level keys in the order of the file.
pub(super) fn entries(source: &str, format: Format) -> Result<Vec<Entry>, SyntaxFault> {
    let source = without_bom(source);
    if source.len() > MAX_BYTES {
        return Err(SyntaxFault {
            at: Position::START,
            message: format!("larger than {} KiB", MAX_BYTES / 1024),
        });
    }
    match format {
        Format::Yaml => yaml::entries(source),
        Format::Toml => toml::entries(source),
        Format::Json if source.trim().is_empty() => Ok(Vec::new()),
        Format::Json => json::entries(source),
    }
}

fn without_bom(source: &str) -> &str {
    source.strip_prefix('\u{feff}').unwrap_or(source)
}

fn too_deep() -> String {
    format!("nested deeper than {MAX_DEPTH} levels")
}

fn not_a_mapping(kind: &str) -> String {
    format!("the top level is {kind}, not a mapping")
}

/// Finds the places of ascending offsets in one walk over the text, however many there are.
struct Places<'a> {
    text: &'a str,
    offset: usize,
    at: Position,
}

impl<'a> Places<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            offset: 0,
            at: Position::START,
        }
    }

    fn of(&mut self, offset: usize) -> Position {
        let Some(between) = self.text.get(self.offset..offset) else {
            return Position::at_offset(self.text, offset);
        };
        for character in between.chars() {
            if character == '\n' {
                self.at.line = self.at.line.saturating_add(1);
                self.at.column = 1;
            } else {
                self.at.column = self.at.column.saturating_add(1);
            }
        }
        self.offset = offset;
        self.at
    }
}

#[cfg(test)]
mod tests;

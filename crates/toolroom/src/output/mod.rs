//! How answers look: tables, source snippets, schemas as flags. Pure text, no decisions.

pub mod flags;
pub mod json;
pub mod lines;
pub mod paths;
pub mod snippet;
pub mod style;
pub mod table;
pub mod words;

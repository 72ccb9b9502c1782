//! Ranked search over a catalog: which tools a person means by a few words.
//!
//! Pure: entries and a query in, hits out, the same for the same input in any order. Reads
//! no files and keeps no index; one pass looks only for the words of the query.

mod bm25;
mod query;
mod rank;
mod scan;
mod tokens;
mod typo;

pub use rank::{Entry, Hit, rank};
pub use tokens::{content_tokens, tokens};

#[cfg(test)]
mod tests;

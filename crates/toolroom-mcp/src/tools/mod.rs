//! Tools as agents see them: names, schemas, descriptions, results. Knows files through
//! the catalog only, and nothing of connections.

pub mod ask;
pub mod book;
pub mod entry;
pub mod name;
pub mod result;
pub mod schema;
pub mod text;

//! Reads Python files: literals, documentation and signatures, without running them.
//!
//! Promises an answer for any text, in time and memory bounded by its size. The parser's types
//! stay in here; what a tool makes of names and values is none of this module's business.

mod annotation;
mod classes;
mod comment;
mod constraint;
mod docstring;
mod literal;
mod nesting;
mod outline;
mod reader;
mod scope;
mod signature;
mod wording;

#[cfg(test)]
mod tests;

pub use reader::read;

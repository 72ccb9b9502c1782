//! The JavaScript and TypeScript reader: exported constants, documentation, the entry's signature.
//!
//! It promises an answer for any text (never a panic, never unbounded work) and evaluates
//! nothing but literals. It must not know which names matter: the rules ask through [`Wanted`].
//!
//! [`Wanted`]: super::document::Wanted

mod builtin;
mod comments;
mod jsdoc;
mod literal;
mod module;
mod read;
mod schema;
mod scope;
mod signature;
mod syntax;
mod token;
mod types;

#[cfg(test)]
mod tests;

pub use read::{Dialect, read};

//! Serves every tool to agents over the Model Context Protocol.
//!
//! It shows what the catalog finds and runs what it is asked to through the executor. How
//! a tool is found, resolved or run it does not know. Types of the protocol's library stay
//! inside.

pub mod client;
pub mod config;
mod data;
mod live;
mod prompts;
mod resources;
mod server;
mod threads;
mod tools;

pub use server::http::{self, Http};
pub use server::{House, Options, ServeError, Talk, stdio};
pub use tools::book::Choice;
pub use tools::name::marked;

/// A text without escape sequences and characters that hide or reorder what is read.
#[must_use]
pub fn clean_text(text: &str) -> String {
    tools::text::clean(text).into_owned()
}

//! Client configuration: puts this server into the files of MCP clients, and takes it out.
//!
//! What a client looks like is data (`core/clients/`); files are edited by the smallest
//! change of text that does it, so comments and foreign entries stay byte for byte. A file
//! that cannot be understood is never written. Knows nothing of the server itself.

mod client;
mod document;
mod entry;
mod error;
mod install;
mod place;
mod store;

pub use client::{Client, Transport, all, find};
pub use document::Format;
pub use entry::{DEFAULT_NAME, Endpoint, Server};
pub use error::ConfigError;
pub use install::{Action, Change, Planned, State, plan_install, plan_remove, state};
pub use place::Scope;

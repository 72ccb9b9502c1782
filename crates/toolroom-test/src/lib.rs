//! The test context: one owner of every directory and variable a test may touch.
//!
//! A context has a home, a project and a PATH of its own, and hands the program nothing
//! of the machine's environment, so that a test means the same everywhere.

mod context;
mod output;
mod server;

pub use context::TestContext;
pub use output::Output;
pub use server::{Connection, Received, Server};

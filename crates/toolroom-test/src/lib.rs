//! The test context: one owner of every directory and variable a test may touch.
//!
//! A context has a home, a project and a PATH of its own, and hands the program nothing
//! of the machine's environment, so that a test means the same everywhere. The real
//! programs that a test runs are found, or named as missing, in one place.

mod context;
mod output;
mod programs;
mod server;

pub use context::TestContext;
pub use output::Output;
pub use programs::{path, program, skip, skip_unpermitted, tool, tools, usual_path};
pub use server::{Connection, Received, Server};

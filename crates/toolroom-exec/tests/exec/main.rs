//! The primitive and the launchers against real processes.

#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers of tests are tests too"
)]

mod arguments;
mod http;
mod launch;
mod launchers;
mod process;
mod python;
mod python_versions;
mod spare;
mod support;

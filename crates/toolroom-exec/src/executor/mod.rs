//! From a linked chain to an outcome: merge, resolve, fill in, run, report.
//!
//! Every step is a function of the last one's value. What is found here is handed to a
//! primitive as a finished value; a primitive finds nothing for itself.

mod config;
mod error;
mod launcher;
mod outcome;
pub mod parameters;
mod prepare;
mod scope;
mod settings;
mod style;

pub use error::ExecError;
pub use outcome::{Report, Status, ToolFailure};
pub use prepare::{Prepared, Request, prepare};
pub use style::Returns;

use crate::subprocess::{Cancel, Guard, Listener, Supervision, run_blocking};

/// How a prepared call is watched.
#[derive(Debug)]
pub struct Watch<'a> {
    pub guard: &'a Guard,
    pub cancel: &'a Cancel,
    /// Hears output and events while they come.
    pub live: Option<Listener>,
    /// Where output goes that does not fit into memory.
    pub spill: Option<std::path::PathBuf>,
}

/// Runs a prepared call to its end.
///
/// # Errors
/// Fails if it could not be started; a tool that fails is an outcome.
pub fn run(prepared: &Prepared, watch: &Watch<'_>) -> Result<Report, ExecError> {
    let mut supervision = Supervision::new();
    supervision.input.clone_from(&prepared.input);
    supervision.timeout = prepared.timeout;
    supervision.capture.spill.clone_from(&watch.spill);
    supervision.live.clone_from(&watch.live);
    let outcome = run_blocking(&prepared.command, &supervision, watch.guard, watch.cancel)?;
    Ok(Report::new(outcome, prepared.style.returns()))
}

//! From a linked chain to an outcome: merge, resolve, fill in, run, report.
//!
//! Every step is a function of the last one's value. What is found here is handed to a
//! primitive as a finished value; a primitive finds nothing for itself.

mod bridge;
mod check;
mod config;
mod convention;
mod error;
mod http;
mod http_body;
mod launcher;
mod outcome;
pub mod parameters;
mod prepare;
mod scope;
mod settings;
mod stand_in;
mod style;
mod trouble;
mod url;

pub use bridge::{Bridge, CLIENT};
pub use check::{Verdict, check};
pub use error::ExecError;
pub use outcome::{Data, HttpFacts, Report, Status, ToolFailure};
pub use prepare::{Prepared, ProcessCall, Request, Work, prepare, prepare_checked, schema};
pub use stand_in::can_stand_in;
pub use style::Returns;
pub use trouble::Trouble;

use crate::blocking::see_through;
use crate::http::send;
use crate::spare::Spares;
use crate::subprocess::{self, Cancel, Captured, Guard, Listener, Outcome, Supervision};

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

/// Runs a prepared call to its end, for callers with a runtime of their own. Dropping the
/// future ends the tool and all it started.
///
/// # Errors
/// Fails if it could not be started; a tool that fails is an outcome.
pub async fn run_async(prepared: &Prepared, watch: &Watch<'_>) -> Result<Report, ExecError> {
    match &prepared.work {
        Work::Process(call) => {
            let how = supervision(call, prepared, watch);
            let outcome = subprocess::run(&call.command, &how, watch.guard, watch.cancel).await?;
            Ok(report(call, outcome))
        }
        Work::Bridge(bridge) => {
            let how = bridged(bridge, prepared, watch);
            let command = bridge.command(watch.guard);
            let outcome = subprocess::run(&command, &how, watch.guard, watch.cancel).await?;
            Ok(Report::of_bridge(outcome, bridge))
        }
        Work::Http(request) => {
            let outcome = send(request, watch.live.as_ref(), watch.cancel).await?;
            Ok(Report::of_http(outcome))
        }
    }
}

/// Runs a prepared call in a spare process where one waits, and keeps as many waiting as
/// the chain's `prewarm` says: for long-lived callers. A spare that ends before it has
/// taken the call is as good as none: the call is made in a fresh process. Whatever has
/// begun is never made again.
///
/// # Errors
/// As [`run_async`].
pub async fn run_with_spares(
    prepared: &Prepared,
    watch: &Watch<'_>,
    spares: &Spares,
) -> Result<Report, ExecError> {
    let Work::Process(call) = &prepared.work else {
        return run_async(prepared, watch).await;
    };
    if call.prewarm == 0 {
        return run_async(prepared, watch).await;
    }
    let Some(process) = spares.take(&call.command) else {
        spares.keep(&call.command, call.prewarm);
        return run_async(prepared, watch).await;
    };
    let begun = std::time::Instant::now();
    let how = supervision(call, prepared, watch);
    let finished = process.finish_if_taken(&how, watch.cancel).await?;
    spares.keep(&call.command, call.prewarm);
    let Some(mut outcome) = finished else {
        return run_async(prepared, watch).await;
    };
    outcome.duration = begun.elapsed();
    Ok(report(call, outcome))
}

/// Runs a prepared call to its end, for the command line: an interrupt cancels it.
///
/// # Errors
/// As [`run_async`].
pub fn run(prepared: &Prepared, watch: &Watch<'_>) -> Result<Report, ExecError> {
    see_through(watch.cancel, run_async(prepared, watch)).map_err(ExecError::NoEventQueue)?
}

fn supervision(call: &ProcessCall, prepared: &Prepared, watch: &Watch<'_>) -> Supervision {
    let mut how = fed(&call.input, prepared, watch);
    if !call.is_captured {
        how.capture.head = 0;
        how.capture.tail = 0;
        how.capture.spill = None;
    }
    how
}

/// What a process came to; of output that was not to be kept nothing is said.
fn report(call: &ProcessCall, mut outcome: Outcome) -> Report {
    if !call.is_captured {
        outcome.stdout = Captured::default();
        outcome.stderr = Captured::default();
    }
    Report::new(outcome, call.style.returns())
}

fn bridged(bridge: &Bridge, prepared: &Prepared, watch: &Watch<'_>) -> Supervision {
    fed(&bridge.request, prepared, watch)
}

fn fed(input: &[u8], prepared: &Prepared, watch: &Watch<'_>) -> Supervision {
    let mut how = Supervision::new();
    how.input = input.to_vec();
    how.timeout = prepared.timeout;
    how.grace = prepared
        .grace
        .unwrap_or_else(|| Supervision::usual_grace(prepared.timeout));
    how.capture.spill.clone_from(&watch.spill);
    how.live.clone_from(&watch.live);
    how
}

//! A call's line in the log of runs. It is written when the call is over, however that
//! comes: by its end, or by being dropped halfway because nobody waits any more.

use std::path::Path;
use std::time::Instant;

use toolroom_exec::executor::Report;
use toolroom_exec::runs::{self, Caller, Run};
use toolroom_kernel::chain::Chain;

use super::call::Call;
use super::house::House;

/// A call that is to be logged, if calls are.
#[derive(Debug)]
pub(super) struct Logged<'h> {
    /// Where, and what; none once there is nothing left to write.
    line: Option<(&'h Path, Run)>,
    begun: Instant,
}

impl House {
    /// Begins the line of a call.
    pub(super) fn logged(&self, call: &Call, chain: &Chain) -> Logged<'_> {
        let line = self.options.runs.as_deref().map(|state| {
            let names = call.arguments.keys().map(String::as_str);
            let run = Run::begin(Caller::Mcp, self.clock(), chain, names);
            (state, run)
        });
        Logged {
            line,
            begun: Instant::now(),
        }
    }
}

impl Logged<'_> {
    /// Writes how the call ended.
    pub(super) fn ended(mut self, report: &Report) {
        self.write(|run| run.ended(report));
    }

    /// Writes nothing: the call could not be started.
    pub(super) fn never_ran(mut self) {
        self.line = None;
    }

    fn write(&mut self, complete: impl FnOnce(Run) -> Run) {
        if let Some((state, run)) = self.line.take() {
            // A log that cannot be written is no reason to fail a call that succeeded.
            let _ = runs::append(state, &complete(run));
        }
    }
}

impl Drop for Logged<'_> {
    fn drop(&mut self) {
        let lasted = self.begun.elapsed();
        self.write(|run| run.after(lasted));
    }
}

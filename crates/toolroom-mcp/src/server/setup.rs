//! The environment a call runs in: looked up where nothing has to be decided, and else
//! made first, on a thread of its own and in no part of the tool's own time.
//!
//! How an environment is made is provisioning's business; whoever waits for it is told
//! how it goes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use toolroom_exec::subprocess::{Cancel, Event, Happening, Listener};
use toolroom_kernel::chain::Chain;
use toolroom_provision::apply::{Applying, News, Progress};
use toolroom_provision::plan::{Options, Plan, Planner};
use toolroom_provision::ready::{self, Ready};

use super::call::{Call, Unprepared};
use super::house::House;
use super::progress::SMALLEST_STEP;
use crate::live::Edition;

impl House {
    /// What a chain is to run in. Calls that need the same environment at once wait for
    /// the one that makes it.
    pub(super) async fn ready(
        self: &Arc<Self>,
        edition: &Arc<Edition>,
        chain: &Arc<Chain>,
        call: &Call,
        live: Option<Listener>,
    ) -> Result<Ready, Unprepared> {
        if !ready::has_to_look(chain) {
            return Ok(ready::checked(self.planner(edition), chain)?);
        }
        let cancel = Cancel::new();
        // Whatever ends the wait ends the work: this is dropped when nobody waits.
        let _abandoned = Stopping(cancel.clone());
        let (house, edition, chain) = (self.clone(), edition.clone(), chain.clone());
        let told = Told {
            live,
            steps: AtomicU32::new(0),
        };
        let working = tokio::task::spawn_blocking(move || {
            let how = Applying {
                planner: house.planner(&edition),
                guard: &house.options.guard,
                cancel: &cancel,
                progress: &told,
                offline: false,
            };
            Ok(ready::ensure(&how, &chain, false)?)
        });
        tokio::select! {
            made = working => made.unwrap_or(Err(Unprepared::Abandoned)),
            () = call.cancelled.cancelled() => Err(Unprepared::Abandoned),
            () = self.gone.cancelled() => Err(Unprepared::Abandoned),
        }
    }

    fn planner<'p>(&'p self, edition: &'p Edition) -> Planner<'p> {
        Planner {
            world: &self.world,
            catalog: edition.book.catalog(&self.world),
            options: Options {
                policy: self.options.policy,
                major_packages: &self.options.major_packages,
                selection: self.options.selected.selection(),
                ..Options::default()
            },
        }
    }
}

struct Stopping(Cancel);

impl Drop for Stopping {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// Tells whoever waits what is being done: every step as progress and as a log line, and
/// what commands print for those who want to hear that much.
struct Told {
    live: Option<Listener>,
    steps: AtomicU32,
}

impl Told {
    fn say(&self, event: &Event) {
        if let Some(live) = &self.live {
            live.hear(Happening::Event(event));
        }
    }

    fn step(&self, message: String) {
        let step = self.steps.fetch_add(1, Ordering::Relaxed) + 1;
        self.say(&Event::Progress {
            // Hardly any: the tool's own progress is yet to begin.
            done: f64::from(step) * SMALLEST_STEP,
            total: None,
            message: Some(message.clone()),
        });
        self.log("info", message);
    }

    fn log(&self, level: &str, message: String) {
        let level = level.to_owned();
        self.say(&Event::Log { level, message });
    }
}

impl Progress for Told {
    fn hear(&self, plan: &Plan, news: News<'_>) {
        let target = plan.target.name();
        match news {
            News::Waiting { holder } => {
                self.step(format!(
                    "{target}: waiting for {holder}, which is preparing it"
                ));
            }
            News::Begin { what } => self.step(format!("{target}: {what}")),
            News::Line(line) => self.log("debug", line.trim().to_owned()),
            _ => {}
        }
    }
}

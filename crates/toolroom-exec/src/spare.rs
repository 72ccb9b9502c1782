//! Spare processes: launchers started ahead, each waiting for its one call.
//!
//! A call that finds one pays for no interpreter's start, and still has a process of its
//! own. Spares are known by their whole command, so one that was started for another
//! interpreter, environment or directory is never taken; nobody asks for it any more, and
//! it idles out. Knows no language: a spare is any process that waits for its input.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::subprocess::{Command, Guard, Process};

/// How many spares there may be, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpareLimits {
    /// Of all commands together: what bounds their memory.
    pub total: usize,
    /// A spare that nobody took for so long ends.
    pub idle: Duration,
}

impl Default for SpareLimits {
    fn default() -> Self {
        Self {
            total: 8,
            idle: Duration::from_secs(300),
        }
    }
}

#[derive(Debug)]
struct Spare {
    command: Command,
    process: Process,
    since: Instant,
}

#[derive(Debug, Default)]
struct Shelf {
    spares: Vec<Spare>,
    /// Started and not yet on the shelf.
    starting: Vec<Command>,
}

/// Processes in reserve. Dropping this ends them all.
#[derive(Debug, Clone)]
pub struct Spares {
    shelf: Arc<Mutex<Shelf>>,
    limits: SpareLimits,
    guard: Arc<Guard>,
}

impl Spares {
    #[must_use]
    pub fn new(limits: SpareLimits, guard: Guard) -> Self {
        Self {
            shelf: Arc::default(),
            limits,
            guard: Arc::new(guard),
        }
    }

    /// Takes a spare of this command, if one waits. It may end the next moment: see
    /// [`Process::finish_if_taken`].
    #[must_use]
    pub fn take(&self, command: &Command) -> Option<Process> {
        self.with(|shelf| {
            shelf.sweep(self.limits.idle);
            let at = shelf
                .spares
                .iter()
                .position(|spare| spare.command == *command)?;
            Some(shelf.spares.swap_remove(at).process)
        })
    }

    /// Sees to it that so many spares of a command wait, as far as the limits allow. Starts
    /// them in the background; one that cannot be started is simply not there.
    pub fn keep(&self, command: &Command, wanted: usize) {
        let missing = self.with(|shelf| {
            shelf.sweep(self.limits.idle);
            let held = shelf.spares.len() + shelf.starting.len();
            let same = shelf
                .spares
                .iter()
                .filter(|spare| spare.command == *command)
                .count()
                + shelf
                    .starting
                    .iter()
                    .filter(|other| *other == command)
                    .count();
            let missing = wanted
                .saturating_sub(same)
                .min(self.limits.total.saturating_sub(held));
            shelf
                .starting
                .extend(std::iter::repeat_n(command.clone(), missing));
            missing
        });
        for _ in 0..missing {
            let (spares, command) = (self.clone(), command.clone());
            tokio::spawn(async move {
                let process = Process::start_ahead(&command, &spares.guard).await;
                spares.with(|shelf| {
                    if let Some(at) = shelf.starting.iter().position(|other| *other == command) {
                        shelf.starting.swap_remove(at);
                    }
                    if let Ok(process) = process {
                        shelf.spares.push(Spare {
                            command,
                            process,
                            since: Instant::now(),
                        });
                    }
                });
            });
        }
    }

    /// How many wait now.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.with(|shelf| {
            shelf.sweep(self.limits.idle);
            shelf.spares.len()
        })
    }

    fn with<T>(&self, work: impl FnOnce(&mut Shelf) -> T) -> T {
        work(&mut self.shelf.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Shelf {
    /// Ends spares that nobody took for too long, and forgets those that ended themselves.
    fn sweep(&mut self, idle: Duration) {
        self.spares
            .retain_mut(|spare| spare.since.elapsed() < idle && spare.process.is_running());
    }
}

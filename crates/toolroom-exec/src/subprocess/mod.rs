//! The `subprocess` primitive: runs exactly the program it is told to, and nothing of it
//! is left when it returns.
//!
//! It gets a finished [`Command`] and resolves, expands and looks up nothing. Each run is
//! a tree of its own with closed or fed input, bounded capture and a bounded end: request,
//! grace, kill, and a return on time whoever still holds a pipe. It knows no language;
//! what launchers say on the channel it passes on.
//!
//! ```no_run
//! use toolroom_exec::subprocess::{Cancel, Command, Guard, Supervision, run_blocking};
//!
//! let guard = Guard::new("/proc/self/exe", ["__guard".into()]);
//! let mut command = Command::new("/bin/echo", "/");
//! command.args.push("hello".into());
//! let outcome = run_blocking(&command, &Supervision::new(), &guard, &Cancel::new())?;
//! assert_eq!(outcome.stdout.text().text, "hello\n");
//! # Ok::<(), toolroom_exec::subprocess::Error>(())
//! ```

mod cancel;
mod capture;
mod channel;
mod command;
mod dialogue;
mod error;
#[cfg(unix)]
pub mod guard;
mod interrupt;
#[cfg(unix)]
mod orphans;
mod outcome;
#[cfg(unix)]
#[path = "unix.rs"]
mod platform;
#[cfg(windows)]
#[path = "windows.rs"]
mod platform;
mod pour;
mod process;
#[cfg(unix)]
mod sentry;
mod spill;

use std::time::Instant;

use crate::blocking::see_through;

pub use crate::end::{End, Exit};
pub use cancel::Cancel;
pub use channel::{Cause, Event, Failure, Frame, Reply};
pub use command::{
    CHANNEL_VARIABLE, CaptureLimits, Channel, Command, Guard, Happening, Limit, Limits, Listener,
    Stdin, Stream, Supervision,
};
pub use dialogue::{Dialogue, Partner};
pub use error::Error;
pub use interrupt::Interrupts;
pub(crate) use interrupt::heed as heed_interrupts;
pub use outcome::{Captured, Outcome, Text};
pub use process::Process;

/// Starts a command and sees it through. Dropping the future kills the tree.
pub async fn run(
    command: &Command,
    how: &Supervision,
    guard: &Guard,
    cancel: &Cancel,
) -> Result<Outcome, Error> {
    let begun = Instant::now();
    let process = Process::start(command, guard).await?;
    let mut outcome = process.finish(how, cancel).await?;
    outcome.duration = begun.elapsed();
    Ok(outcome)
}

/// `run` for callers without a runtime of their own: the command line. Interrupts of our
/// process cancel the run, a second one kills it.
pub fn run_blocking(
    command: &Command,
    how: &Supervision,
    guard: &Guard,
    cancel: &Cancel,
) -> Result<Outcome, Error> {
    let run = see_through(cancel, run(command, how, guard, cancel));
    run.unwrap_or_else(|source| {
        Err(Error::SpawnFailed {
            program: command.program.clone(),
            source,
        })
    })
}

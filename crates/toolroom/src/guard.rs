//! Our own binary as the guard of process trees: see `toolroom_exec::subprocess`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use toolroom_exec::subprocess::Guard;

use crate::failure::Failure;

/// The hidden command by which our own binary is a guard.
pub const WORD: &str = "__guard";

/// Made for the one call that this process is for, for a setup's steps, or for all of a
/// server's calls.
static AHEAD: OnceLock<Guard> = OnceLock::new();

/// Makes the guard of a call that is all but certain to come, or who makes them. Copying
/// this process is cheapest as the first thing it does: later each side pays for what the
/// other changes.
pub fn make_ahead(words: &[OsString]) {
    let Ok(guard) = fresh() else { return };
    let ahead = match words {
        [command, ..] if command == "run" => guard.forked(),
        [command, of_it, ..] if command == "mcp" && of_it == "serve" => guard.garrisoned(),
        // To make an environment and to fill it.
        [command, how @ ..] if command == "setup" && how.iter().all(|word| word != "--plan") => {
            guard.forked().forked()
        }
        _ => return,
    };
    let _ = AHEAD.set(ahead);
}

/// A guard for the trees this process starts.
///
/// # Errors
/// Fails if the system does not say what our own binary is.
pub fn guard() -> Result<Guard, Failure> {
    AHEAD.get().cloned().map_or_else(fresh, Ok)
}

fn fresh() -> Result<Guard, Failure> {
    Ok(Guard::new(own_binary()?, [WORD.into()]))
}

/// Our own binary. A server lives long, and its file may be replaced by a newer one
/// meanwhile; where the system can name the program itself, that is what is meant.
fn own_binary() -> Result<PathBuf, Failure> {
    let itself = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && itself.exists() {
        return Ok(itself.to_path_buf());
    }
    std::env::current_exe().map_err(|error| Failure::io(&error))
}

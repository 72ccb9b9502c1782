//! What the system may have too little of, and what to do then.

use std::fmt;
use std::io;

/// What a runtime, a guard and the pipes of a tool take, with some to spare.
const FILES_NEEDED: u64 = 32;

/// The limit on open files is too low for anything to be started.
#[derive(Debug)]
struct TooFewFiles {
    limit: u64,
}

impl fmt::Display for TooFewFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limit = self.limit;
        write!(
            formatter,
            "the limit on open files is {limit}, and {FILES_NEEDED} are needed"
        )
    }
}

impl std::error::Error for TooFewFiles {}

/// Whether a runtime may be made. Asked before, since the runtime's library panics where
/// it is short of descriptors.
///
/// # Errors
/// Fails if too few files may be open at once, and says how many.
pub fn room_for_files() -> io::Result<()> {
    match file_limit() {
        Some(limit) if limit < FILES_NEEDED => Err(io::Error::other(TooFewFiles { limit })),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn file_limit() -> Option<u64> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Nofile).current
}

#[cfg(not(unix))]
fn file_limit() -> Option<u64> {
    None
}

/// What helps against an error that says the system has no more of something.
#[must_use]
pub fn cure(error: &io::Error) -> Option<&'static str> {
    let is_too_few = error
        .get_ref()
        .is_some_and(<dyn std::error::Error + Send + Sync>::is::<TooFewFiles>);
    if is_too_few || is(error, Want::Files) {
        return Some("raise the limit on open files: `ulimit -n 1024`");
    }
    if is(error, Want::FilesOfAll) {
        return Some("end some programs: the machine has as many files open as it can");
    }
    match error.kind() {
        io::ErrorKind::WouldBlock => {
            Some("end some programs, or raise the limit on processes: `ulimit -u` shows it")
        }
        io::ErrorKind::OutOfMemory => {
            Some("end some programs, or raise the limit on memory: `ulimit -v` shows it")
        }
        _ => None,
    }
}

#[derive(Clone, Copy)]
enum Want {
    Files,
    FilesOfAll,
}

#[cfg(unix)]
fn is(error: &io::Error, want: Want) -> bool {
    let code = match want {
        Want::Files => libc::EMFILE,
        Want::FilesOfAll => libc::ENFILE,
    };
    error.raw_os_error() == Some(code)
}

#[cfg(not(unix))]
fn is(_: &io::Error, _: Want) -> bool {
    false
}

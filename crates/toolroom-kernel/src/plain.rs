//! Opens files that others may replace at any moment: a pipe put in a file's place, even
//! between a look at it and its opening, is never waited for.
//!
//! What was opened may still be no file: only its own metadata tells, or reading it by
//! position, which pipes and terminals refuse.

use std::fs::{File, OpenOptions};
use std::path::Path;

/// What is done about a link in a file's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Links {
    Followed,
    /// It was no link when it was looked at: one that has come since may lead anywhere.
    Refused,
}

/// Opens a file for reading.
///
/// # Errors
/// As the system says; also for a socket, and for a link that is refused.
pub fn open(path: &Path, links: Links) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    never_waiting(&mut options, links);
    options.open(path)
}

#[cfg(unix)]
fn never_waiting(options: &mut OpenOptions, links: Links) {
    use rustix::fs::OFlags;
    use std::os::unix::fs::OpenOptionsExt as _;
    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    flags.set(OFlags::NOFOLLOW, links == Links::Refused);
    options.custom_flags(flags.bits().cast_signed());
}

#[cfg(not(unix))]
fn never_waiting(_options: &mut OpenOptions, _links: Links) {}

//! Reads texts that others wrote, whole and never more than so much of them.

use std::io::{self, Read};
use std::path::Path;

use toolroom_kernel::plain::{self, Links};

/// The text of a file that was found, not named: a pipe or a device in its place is not
/// waited for.
///
/// # Errors
/// As the system says; also for what is no file, is too large or is not UTF-8.
pub fn found(file: &Path, limit: u64) -> io::Result<String> {
    let opened = plain::open(file, Links::Followed)?;
    if !opened.metadata()?.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    at_most(limit, opened)
}

/// All there is to be read.
///
/// # Errors
/// As the system says; also for what is too large or is not UTF-8.
pub fn at_most(limit: u64, reader: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    reader.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let message = format!("it is larger than {} MiB", limit >> 20);
        return Err(io::Error::other(message));
    }
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

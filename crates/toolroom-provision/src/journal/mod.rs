//! What we remember: a log of what was done, a note for every change that is under way, and
//! what was decided for each project.
//!
//! The log is for people and for `undo`. The notes are for the next run: one that is still
//! there tells of a change that did not come to its end.

mod log;
mod pending;
mod record;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};

use crate::error::StateFault;

pub use log::{Entry, Event, Journal};
pub use pending::Pending;
pub use record::{Record, Recorded};

/// A name for a path that fits any file system.
#[must_use]
pub fn key(path: &Path) -> String {
    digest([path.as_os_str().as_encoded_bytes()])
}

/// A name for a place, whichever links lead to the folder it is in. What the place itself is
/// does not count, nor whether there is anything.
#[must_use]
pub fn key_of_place(place: &Path) -> String {
    let mut folders = place.ancestors().skip(1);
    let real = folders.find_map(|folder| {
        let real = fs_err::canonicalize(folder).ok()?;
        Some(real.join(place.strip_prefix(folder).ok()?))
    });
    key(real.as_deref().unwrap_or(place))
}

/// Twenty hexadecimal digits over parts, told apart by their lengths.
pub(crate) fn digest<'p>(parts: impl IntoIterator<Item = &'p [u8]>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    toolroom_kernel::hex(&hash.finalize()[..10])
}

pub(crate) fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// Packages and their versions.
pub type Packages = BTreeMap<String, String>;

/// Writes a file as a whole or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs_err::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// The bytes of a file of ours, if there is one.
fn read(path: &Path, most: u64) -> Result<Option<Vec<u8>>, StateFault> {
    let unreadable = |error: std::io::Error| StateFault::Unreadable(error.to_string());
    let metadata = match fs_err::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        found => found.map_err(unreadable)?,
    };
    if !metadata.is_file() {
        return Err(StateFault::Damaged("it is no file".to_owned()));
    }
    if metadata.len() > most {
        return Err(StateFault::Damaged(format!(
            "it has more than {most} bytes"
        )));
    }
    fs_err::read(path).map(Some).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_place_has_one_name_whichever_way_leads_to_it_and_before_it_is_made() {
        let root = tempfile::tempdir().unwrap();
        let [real, link] = ["real", "link"].map(|name| root.path().join(name));
        fs_err::create_dir(&real).unwrap();
        fs_err::os::unix::fs::symlink("real", &link).unwrap();
        let key = key_of_place(&real.join("a/b"));
        assert_eq!(key_of_place(&link.join("a/b")), key);
        fs_err::create_dir_all(real.join("a")).unwrap();
        fs_err::os::unix::fs::symlink("elsewhere", real.join("a/b")).unwrap();
        assert_eq!(key_of_place(&link.join("a/b")), key);
        assert_ne!(key_of_place(&link), key_of_place(&real));
    }

    #[test]
    fn parts_that_read_the_same_together_have_different_digests() {
        assert_ne!(
            digest([b"ab".as_slice(), b"c"]),
            digest([b"a".as_slice(), b"bc"])
        );
    }
}

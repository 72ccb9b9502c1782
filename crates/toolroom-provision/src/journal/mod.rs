//! What was done, when and to what: one line of JSON for each event, and a note for every
//! change that is under way.
//!
//! The log is for people and for `undo`. The notes are for the next run: one that is still
//! there tells of a change that did not come to its end.

mod pending;
mod record;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::error::ProvisionError;

pub use pending::Pending;
pub use record::{Record, Recorded};

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    Begun,
    /// We made the environment; only such are ever deleted.
    Made,
    MovedAside,
    Command,
    Done,
    Failed,
    Undone,
}

/// One line of the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Seconds since 1970.
    pub time: u64,
    pub process: u32,
    pub event: Event,
    pub target: String,
    pub manager: String,
    pub environment: PathBuf,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub detail: Vec<String>,
}

/// The journal in a state directory.
#[derive(Debug, Clone)]
pub struct Journal {
    file: PathBuf,
}

impl Journal {
    #[must_use]
    pub fn open(state: &Path) -> Self {
        Self {
            file: state.join("journal.jsonl"),
        }
    }

    /// Adds a line. One write of one short line is not torn by another process's.
    ///
    /// # Errors
    /// Fails if it cannot be written: then nothing may be changed either.
    pub fn write(&self, entry: &Entry) -> Result<(), ProvisionError> {
        let failed = |source| ProvisionError::io("the journal cannot be written", source);
        if let Some(folder) = self.file.parent() {
            fs_err::create_dir_all(folder).map_err(failed)?;
        }
        let mut line = serde_json::to_vec(entry).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut file = open(&self.file).map_err(failed)?;
        file.write_all(&line).map_err(failed)
    }

    /// Every line that can be read, oldest first.
    #[must_use]
    pub fn entries(&self) -> Vec<Entry> {
        let text = fs_err::read_to_string(&self.file).unwrap_or_default();
        text.lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }
}

/// Opens the journal, for its owner alone: what was installed where is nobody else's business.
fn open(path: &Path) -> std::io::Result<fs_err::File> {
    let mut options = fs_err::OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use fs_err::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    let file = options.open(path)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let permissions = std::fs::Permissions::from_mode(0o600);
        if file.metadata()?.permissions().mode() & 0o077 != 0 {
            file.set_permissions(permissions)?;
        }
    }
    Ok(file)
}

/// A name for a path that fits any file system.
#[must_use]
pub fn key(path: &Path) -> String {
    digest([path.as_os_str().as_encoded_bytes()])
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_many_writers_stay_whole_and_a_bad_line_hides_no_other() {
        let state = tempfile::tempdir().unwrap();
        let journal = Journal::open(state.path());
        let entry = |target: &str| Entry {
            time: 1,
            process: 2,
            event: Event::Made,
            target: target.to_owned(),
            manager: "m".into(),
            environment: "/p/.venv".into(),
            detail: vec!["x".repeat(200)],
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..25).for_each(|_| journal.write(&entry("t")).unwrap()));
            }
        });
        fs_err::write(state.path().join("journal.jsonl"), {
            let mut text = fs_err::read_to_string(state.path().join("journal.jsonl")).unwrap();
            text.push_str("{torn\n");
            text
        })
        .unwrap();
        journal.write(&entry("last")).unwrap();
        let entries = journal.entries();
        assert_eq!(entries.len(), 101);
        assert_eq!(entries[100].target, "last");
    }

    #[test]
    fn parts_that_read_the_same_together_have_different_digests() {
        assert_ne!(
            digest([b"ab".as_slice(), b"c"]),
            digest([b"a".as_slice(), b"bc"])
        );
    }
}

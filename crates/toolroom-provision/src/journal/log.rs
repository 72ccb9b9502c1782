//! The log of what was done: one line of JSON for each event, bounded, for its owner alone.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::ProvisionError;
use crate::lock::Lock;

const FILE: &str = "journal.jsonl";
/// The log before the last rotation.
const OLDER: &str = "journal.1.jsonl";
const ROTATED_AT: u64 = 1 << 20;
/// A log with more than this is none of ours.
const MOST_READ: u64 = 64 << 20;

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
    /// The project that it was done for, where that is a member of a workspace above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<PathBuf>,
}

impl Entry {
    /// Whether it happened in a project, or for one.
    #[must_use]
    pub fn is_about(&self, project: &Path) -> bool {
        self.environment.starts_with(project) || self.member.as_deref() == Some(project)
    }
}

/// The journal in a state directory.
#[derive(Debug, Clone)]
pub struct Journal {
    state: PathBuf,
}

impl Journal {
    #[must_use]
    pub fn open(state: &Path) -> Self {
        Self {
            state: state.to_path_buf(),
        }
    }

    fn file(&self) -> PathBuf {
        self.state.join(FILE)
    }

    fn older(&self) -> PathBuf {
        self.state.join(OLDER)
    }

    /// Adds a line. One write of one short line is not torn by another process's.
    ///
    /// # Errors
    /// Fails if it cannot be written: then nothing may be changed either.
    pub fn write(&self, entry: &Entry) -> Result<(), ProvisionError> {
        fs_err::create_dir_all(&self.state).map_err(unwritten)?;
        let mut file = open(&self.file()).map_err(unwritten)?;
        if file.metadata().map_err(unwritten)?.len() >= ROTATED_AT && self.rotate()? {
            file = open(&self.file()).map_err(unwritten)?;
        }
        append(&mut file, entry)
    }

    /// Puts a full log aside; not if another process is about to. What was made and is still
    /// there is taken along, so that it can always be undone.
    fn rotate(&self) -> Result<bool, ProvisionError> {
        let path = self.file();
        let Some(_lock) = Lock::acquire_free(&self.state, &path)? else {
            return Ok(false);
        };
        let is_full = |found: std::fs::Metadata| found.len() >= ROTATED_AT;
        if !fs_err::metadata(&path).is_ok_and(is_full) {
            return Ok(true);
        }
        let mut file = open(&path).map_err(unwritten)?;
        let mut known = BTreeSet::new();
        for entry in lines(&self.older())? {
            let is_there = || fs_err::symlink_metadata(&entry.environment).is_ok();
            if entry.event == Event::Made && is_there() && known.insert(entry.environment.clone()) {
                append(&mut file, &entry)?;
            }
        }
        fs_err::rename(path, self.older()).map_err(unwritten)?;
        Ok(true)
    }

    /// Every line that can be read, oldest first. A line that was torn hides no other.
    ///
    /// # Errors
    /// Fails if the log itself cannot be read: then nobody knows what was done.
    pub fn entries(&self) -> Result<Vec<Entry>, ProvisionError> {
        let mut entries = lines(&self.older())?;
        entries.extend(lines(&self.file())?);
        Ok(entries)
    }
}

fn unwritten(source: std::io::Error) -> ProvisionError {
    ProvisionError::io("the journal cannot be written", source)
}

fn append(file: &mut fs_err::File, entry: &Entry) -> Result<(), ProvisionError> {
    let mut line = serde_json::to_vec(entry).map_err(|error| unwritten(error.into()))?;
    line.push(b'\n');
    file.write_all(&line).map_err(unwritten)
}

fn lines(path: &Path) -> Result<Vec<Entry>, ProvisionError> {
    let bytes = super::read(path, MOST_READ).map_err(|fault| ProvisionError::BadState {
        path: path.to_path_buf(),
        fault,
    })?;
    let bytes = bytes.unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n');
    Ok(lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect())
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

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn entry(event: Event, target: &str, environment: &Path) -> Entry {
        Entry {
            time: 1,
            process: 2,
            event,
            target: target.to_owned(),
            manager: "m".into(),
            environment: environment.to_path_buf(),
            detail: vec!["x".repeat(200)],
            member: None,
        }
    }

    #[test]
    fn lines_of_many_writers_stay_whole_and_a_bad_line_hides_no_other() {
        let state = tempfile::tempdir().unwrap();
        let journal = Journal::open(state.path());
        let entry = |target: &str| entry(Event::Made, target, Path::new("/p/.venv"));
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
        let entries = journal.entries().unwrap();
        assert_eq!(entries.len(), 101);
        assert_eq!(entries[100].target, "last");
    }

    #[test]
    fn a_log_is_bounded_and_forgets_nothing_that_was_made_and_is_there() {
        let state = tempfile::tempdir().unwrap();
        let journal = Journal::open(state.path());
        let (kept, gone) = (state.path().join("kept"), state.path().join("gone"));
        fs_err::create_dir(&kept).unwrap();
        for place in [&kept, &gone] {
            journal.write(&entry(Event::Made, "t", place)).unwrap();
        }
        let most = usize::try_from(ROTATED_AT).unwrap() / 200 * 3;
        for _ in 0..most {
            journal.write(&entry(Event::Command, "t", &gone)).unwrap();
        }
        let length = |name: &str| fs_err::metadata(state.path().join(name)).unwrap().len();
        assert!(length(FILE) + length(OLDER) < 3 * ROTATED_AT);
        let entries = journal.entries().unwrap();
        let made = entries.iter().filter(|entry| entry.event == Event::Made);
        let made: Vec<_> = made.map(|entry| &entry.environment).collect();
        assert_eq!(made, [&kept]);
        assert_eq!(
            fs_err::metadata(journal.older())
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o600
        );
    }

    #[test]
    fn a_log_that_cannot_be_read_is_not_an_empty_one() {
        let state = tempfile::tempdir().unwrap();
        fs_err::create_dir(state.path().join(FILE)).unwrap();
        let error = Journal::open(state.path()).entries().unwrap_err();
        assert!(
            error.to_string().ends_with("is damaged: it is no file"),
            "{error}"
        );
    }
}

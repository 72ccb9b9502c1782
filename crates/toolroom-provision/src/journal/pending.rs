//! Changes that are under way, one note for each environment.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::{key_of_place, write_whole};
use crate::error::ProvisionError;

/// A note takes a moment to write: what has no name yet after so long is nobody's.
const NOBODYS: Duration = Duration::from_secs(3600);

/// A change that has begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    pub environment: PathBuf,
    /// Whether anything was there before: what was not can be deleted.
    #[serde(default = "yes")]
    pub was_there: bool,
    /// What says of a folder of packages that an install in it came to its end; nothing for
    /// environments, which bear marks of our own.
    #[serde(default)]
    pub marks: Option<Vec<PathBuf>>,
    /// Whether others have changed what an earlier change left here.
    #[serde(default)]
    pub is_mixed: bool,
    /// The project that it is done for, where that is a member of a workspace above.
    #[serde(default)]
    pub member: Option<PathBuf>,
}

const fn yes() -> bool {
    true
}

impl Pending {
    /// A change to an environment as it is now. One that takes up another that was broken off
    /// began where that began.
    #[must_use]
    pub fn new(state: &Path, environment: &Path, marks: Option<Vec<PathBuf>>) -> Self {
        let earlier = Self::of(state, environment);
        let is_there = || fs_err::symlink_metadata(environment).is_ok();
        Self {
            environment: environment.to_path_buf(),
            was_there: earlier.map_or_else(is_there, |earlier| earlier.was_there),
            marks,
            is_mixed: false,
            member: None,
        }
    }

    /// # Errors
    /// Fails if the note cannot be written: then nothing may be changed.
    pub fn begin(&self, state: &Path) -> Result<(), ProvisionError> {
        let failed =
            |source| ProvisionError::io("the note of the change cannot be written", source);
        let bytes = serde_json::to_vec(self).map_err(|error| failed(error.into()))?;
        write_whole(&file(state, &self.environment), &bytes).map_err(failed)?;
        if let Some(now) = self.last_alive(state) {
            sweep(&folder(state), now);
        }
        Ok(())
    }

    /// Says that whoever is at the change is still there. The time is that of the file system,
    /// by which others' changes can be told from ours.
    pub fn show_life(&self, state: &Path) {
        let note = fs_err::OpenOptions::new()
            .write(true)
            .open(file(state, &self.environment));
        // Every note begins with this, so no reader ever finds another text.
        let _ = note.and_then(|mut note| note.write_all(b"{"));
    }

    /// When whoever was at the change was last known to be.
    #[must_use]
    pub fn last_alive(&self, state: &Path) -> Option<SystemTime> {
        let note = fs_err::metadata(file(state, &self.environment));
        note.and_then(|note| note.modified()).ok()
    }

    /// The change that is noted for an environment.
    #[must_use]
    pub fn of(state: &Path, environment: &Path) -> Option<Self> {
        let note = file(state, environment);
        // A note that cannot be read tells of a change all the same; what is not known to be
        // ours is not deleted.
        let unreadable = || Self {
            environment: environment.to_path_buf(),
            was_there: true,
            marks: None,
            is_mixed: true,
            member: None,
        };
        read(&note).or_else(|| note.exists().then(unreadable))
    }

    /// The changes that are noted for environments in a project, or for one as a member of a
    /// workspace.
    #[must_use]
    pub fn within(state: &Path, project: &Path) -> Vec<Self> {
        let notes = fs_err::read_dir(folder(state)).into_iter().flatten();
        let is_its_own = |pending: &Self| {
            pending.environment.starts_with(project) || pending.member.as_deref() == Some(project)
        };
        notes
            .filter_map(|note| read(&note.ok()?.path()))
            .filter(is_its_own)
            .collect()
    }

    /// The change is over, well or undone.
    pub fn end(self, state: &Path) {
        let _ = fs_err::remove_file(file(state, &self.environment));
    }
}

fn read(note: &Path) -> Option<Pending> {
    serde_json::from_slice(&fs_err::read(note).ok()?).ok()
}

/// Deletes the beginnings of notes whose writers were killed.
fn sweep(folder: &Path, now: SystemTime) {
    let entries = fs_err::read_dir(folder).into_iter().flatten().flatten();
    let unnamed = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".tmp"));
    for entry in unnamed {
        let written = entry.metadata().and_then(|found| found.modified());
        let age = written.ok().and_then(|time| now.duration_since(time).ok());
        if age.is_some_and(|age| age > NOBODYS) {
            let _ = fs_err::remove_file(entry.path());
        }
    }
}

fn folder(state: &Path) -> PathBuf {
    state.join("pending")
}

fn file(state: &Path, environment: &Path) -> PathBuf {
    folder(state).join(format!("{}.json", key_of_place(environment)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginnings_of_notes_go_once_nobody_can_be_writing_them() {
        let state = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder(state.path())).unwrap();
        let [old, new] = [".tmpOld", ".tmpNew"].map(|name| folder(state.path()).join(name));
        for file in [&old, &new] {
            fs_err::write(file, "{").unwrap();
        }
        let long_ago = SystemTime::now() - 2 * NOBODYS;
        let file = std::fs::File::options().write(true).open(&old).unwrap();
        file.set_modified(long_ago).unwrap();
        let pending = Pending::new(state.path(), Path::new("/p/.venv"), None);
        pending.begin(state.path()).unwrap();
        assert!(!old.exists() && new.exists());
    }
}

//! Changes that are under way, one note for each environment.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{key, write_whole};
use crate::error::ProvisionError;

/// A change that has begun and not ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    pub environment: PathBuf,
    /// Whether anything was there before: what was not can be deleted.
    #[serde(default = "yes")]
    pub was_there: bool,
}

const fn yes() -> bool {
    true
}

impl Pending {
    /// # Errors
    /// Fails if the note cannot be written: then nothing may be changed.
    pub fn begin(state: &Path, environment: &Path) -> Result<Self, ProvisionError> {
        let earlier = Self::of(state, environment);
        let pending = Self {
            environment: environment.to_path_buf(),
            // A change that takes up one that was broken off began where that began.
            was_there: earlier.map_or_else(
                || fs_err::symlink_metadata(environment).is_ok(),
                |earlier| earlier.was_there,
            ),
        };
        let failed =
            |source| ProvisionError::io("the note of the change cannot be written", source);
        let bytes = serde_json::to_vec(&pending).map_err(|error| failed(error.into()))?;
        write_whole(&file(state, environment), &bytes).map_err(failed)?;
        Ok(pending)
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
        };
        read(&note).or_else(|| note.exists().then(unreadable))
    }

    /// The changes that are noted for environments in a project.
    #[must_use]
    pub fn within(state: &Path, project: &Path) -> Vec<Self> {
        let notes = fs_err::read_dir(folder(state)).into_iter().flatten();
        notes
            .filter_map(|note| read(&note.ok()?.path()))
            .filter(|pending| pending.environment.starts_with(project))
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

fn folder(state: &Path) -> PathBuf {
    state.join("pending")
}

fn file(state: &Path, environment: &Path) -> PathBuf {
    folder(state).join(format!("{}.json", key(environment)))
}

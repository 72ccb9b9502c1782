//! The marks in an environment we make: one while it is unfinished, one when it is ready.
//!
//! The ready mark is what makes an environment ours: only such are ever deleted. It is
//! written before the unfinished mark goes, so that at no moment a half-made environment
//! looks whole.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::journal::{seconds, write_whole};

/// The same name is in the data of resolvers, which take such an environment for broken.
pub const UNFINISHED: &str = ".toolroom-unfinished";
const READY: &str = ".toolroom.json";
const VERSION: u32 = 1;

/// What we say in an environment that we made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    version: u32,
    pub manager: String,
    /// Over the requirements it was made for.
    pub requirements: String,
    pub made: u64,
}

impl Ready {
    #[must_use]
    pub fn new(manager: &str, requirements: &str, now: SystemTime) -> Self {
        Self {
            version: VERSION,
            manager: manager.to_owned(),
            requirements: requirements.to_owned(),
            made: seconds(now),
        }
    }

    /// The mark in an environment.
    #[must_use]
    pub fn read(environment: &Path) -> Option<Self> {
        let ready: Self = serde_json::from_slice(&fs_err::read(file(environment)).ok()?).ok()?;
        (ready.version == VERSION).then_some(ready)
    }

    /// # Errors
    /// Fails if it cannot be written.
    pub fn write(&self, environment: &Path) -> std::io::Result<()> {
        write_whole(&file(environment), &serde_json::to_vec(self)?)
    }
}

/// The ready mark's file, whose time is that of the last use of a shared environment.
#[must_use]
pub fn file(environment: &Path) -> PathBuf {
    environment.join(READY)
}

/// Whether we made an environment, or began to.
#[must_use]
pub fn is_ours(environment: &Path) -> bool {
    is_unfinished(environment) || Ready::read(environment).is_some()
}

/// Whether what we made came to its end.
#[must_use]
pub fn is_ready(environment: &Path) -> bool {
    !is_unfinished(environment) && Ready::read(environment).is_some()
}

#[must_use]
pub fn is_unfinished(environment: &Path) -> bool {
    environment.join(UNFINISHED).is_file()
}

/// Whether an environment can be made in a place: nothing is there, or an empty directory.
#[must_use]
pub fn is_free(place: &Path) -> bool {
    match fs_err::symlink_metadata(place) {
        Err(error) => matches!(
            error.kind(),
            std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
        ),
        Ok(metadata) if metadata.is_dir() => {
            fs_err::read_dir(place).is_ok_and(|mut entries| entries.next().is_none())
        }
        Ok(_) => false,
    }
}

/// Makes the directory of a new environment, marked as unfinished and ignored by git.
///
/// # Errors
/// Fails if something is in its place already, or it cannot be made.
pub fn begin(environment: &Path) -> std::io::Result<()> {
    if let Some(parent) = environment.parent() {
        fs_err::create_dir_all(parent)?;
    }
    match fs_err::create_dir(environment) {
        // What was killed before it could leave a mark left an empty directory.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists && is_free(environment) => {
        }
        other => other?,
    }
    fs_err::write(
        environment.join(UNFINISHED),
        "toolroom setup is making this environment\n",
    )?;
    write_whole(&environment.join(".gitignore"), b"*\n")
}

/// Makes it whole: from here on it is taken for ready.
///
/// # Errors
/// Fails if a mark cannot be changed.
pub fn finish(environment: &Path, ready: &Ready) -> std::io::Result<()> {
    // Tools that make environments may have an ignore file of their own.
    if !environment.join(".gitignore").exists() {
        write_whole(&environment.join(".gitignore"), b"*\n")?;
    }
    ready.write(environment)?;
    match fs_err::remove_file(environment.join(UNFINISHED)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Deletes an environment, if we made it. What marks it goes last, so that a deletion
/// broken off is finished by the next.
///
/// # Errors
/// Fails if it is not ours, or cannot be deleted.
pub fn delete(environment: &Path) -> std::io::Result<()> {
    let is_link = fs_err::symlink_metadata(environment)?
        .file_type()
        .is_symlink();
    if is_link || !is_ours(environment) {
        let message = format!("{} was not made by Toolroom", environment.display());
        return Err(std::io::Error::new(
            std::io::ErrorKind::PermissionDenied,
            message,
        ));
    }
    write_whole(
        &environment.join(UNFINISHED),
        b"toolroom is removing this environment\n",
    )?;
    for entry in fs_err::read_dir(environment)? {
        let entry = entry?;
        if entry.file_name() == UNFINISHED {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs_err::remove_dir_all(entry.path())?;
        } else {
            fs_err::remove_file(entry.path())?;
        }
    }
    fs_err::remove_dir_all(environment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_we_made_is_deleted() {
        let root = tempfile::tempdir().unwrap();
        let theirs = root.path().join("theirs");
        fs_err::create_dir_all(theirs.join("bin")).unwrap();
        assert!(delete(&theirs).is_err());
        assert!(theirs.join("bin").is_dir());
        let ours = root.path().join("a/ours");
        begin(&ours).unwrap();
        fs_err::create_dir_all(ours.join("lib/x")).unwrap();
        delete(&ours).unwrap();
        assert!(!ours.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_one_of_ours_is_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let ours = root.path().join("ours");
        begin(&ours).unwrap();
        let link = root.path().join("link");
        fs_err::os::unix::fs::symlink(&ours, &link).unwrap();
        assert!(delete(&link).is_err());
        assert!(ours.is_dir());
    }

    #[test]
    fn an_environment_is_unfinished_until_it_is_finished() {
        let root = tempfile::tempdir().unwrap();
        let environment = root.path().join("env");
        begin(&environment).unwrap();
        assert!(is_unfinished(&environment) && is_ours(&environment));
        finish(&environment, &Ready::new("m", "r", SystemTime::now())).unwrap();
        assert!(!is_unfinished(&environment) && is_ours(&environment));
        assert!(begin(&environment).is_err());
    }

    #[test]
    fn an_empty_directory_is_a_free_place_and_a_file_is_none() {
        let root = tempfile::tempdir().unwrap();
        let empty = root.path().join("empty");
        fs_err::create_dir(&empty).unwrap();
        assert!(is_free(&empty) && is_free(&root.path().join("gone")));
        begin(&empty).unwrap();
        assert!(!is_free(&empty));
        fs_err::write(root.path().join("file"), "").unwrap();
        assert!(!is_free(&root.path().join("file")));
    }
}

//! One folder as it was, in a room beside it.
//!
//! A room is made, then filled, and is a mark from the moment it is full: the folder was what
//! the room holds, or was not there. Putting back may be broken off and done again.

use std::io;
use std::path::{Path, PathBuf};

use super::tree::{self, delete};
use crate::journal::write_whole;

/// Links in the place of a folder that are followed.
const MAX_LINKS: usize = 16;

/// What a kept tree is: still being made or deleted, whole, or what it was put in place of.
const PART: &str = "part";
const WHOLE: &str = "whole";
const REST: &str = "rest";

/// What is there instead of a whole tree where there was no folder. Not an empty tree: that
/// is what a tree that was put back leaves.
const ABSENT: &str = "absent";

/// What a folder was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    Folder(PathBuf),
    Absent,
}

/// The place where a folder is kept.
#[derive(Debug, Clone)]
pub struct Room {
    folder: PathBuf,
    room: PathBuf,
}

impl Room {
    /// The room of a folder, beside the folder itself where only a link to it is in a project.
    #[must_use]
    pub fn behind_links(folder: &Path) -> Self {
        Self::beside(&behind_links(folder))
    }

    /// The room of whatever has a name; of a link, not of what it leads to.
    #[must_use]
    pub fn beside(folder: &Path) -> Self {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        Self {
            room: folder.with_file_name(format!(".toolroom-{name}")),
            folder: folder.to_path_buf(),
        }
    }

    #[must_use]
    pub fn is_there(&self) -> bool {
        is_there(&self.room)
    }

    /// What the folder was, where the room is full.
    #[must_use]
    pub fn before(&self) -> Option<Before> {
        let tree = self.tree(WHOLE);
        if is_there(&tree) {
            return Some(Before::Folder(tree));
        }
        is_there(&self.room.join(ABSENT)).then_some(Before::Absent)
    }

    /// A tree has the folder's own name, by which other programs know to pass it over.
    fn tree(&self, state: &str) -> PathBuf {
        let name = self.folder.file_name().unwrap_or_default();
        self.room.join(state).join(name)
    }

    /// Whether there is something to keep.
    #[must_use]
    pub fn has_folder(&self) -> bool {
        is_there(&self.folder)
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A note in the room, by its name.
    #[must_use]
    pub fn note(&self, name: &str) -> PathBuf {
        self.room.join(name)
    }

    /// Makes the room, where there is none.
    ///
    /// # Errors
    /// Fails if it cannot be made, or another process made one meanwhile.
    pub fn make(&self) -> io::Result<()> {
        fs_err::create_dir(&self.room)?;
        fs_err::write(self.room.join(".gitignore"), "*\n")
    }

    /// Writes a note as a whole or not at all.
    ///
    /// # Errors
    /// Fails if it cannot be written.
    pub fn write(&self, name: &str, text: &[u8]) -> io::Result<()> {
        write_whole(&self.note(name), text)
    }

    /// Keeps the folder as it is now, which makes the room full in one step.
    ///
    /// # Errors
    /// Fails if it cannot be kept; then the room is not full.
    pub fn fill(&self, rewritten: &[String]) -> io::Result<()> {
        match fs_err::symlink_metadata(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return fs_err::create_dir(self.room.join(ABSENT));
            }
            Err(error) => return Err(error),
            Ok(found) if found.is_dir() => {
                tree::clone(&self.folder, &self.tree(PART), rewritten)?;
            }
            Ok(_) => {
                fs_err::create_dir(self.room.join(PART))?;
                tree::copy(&self.folder, &self.tree(PART))?;
            }
        }
        fs_err::rename(self.room.join(PART), self.room.join(WHOLE))
    }

    /// Makes the folder what it was and removes the room; says whether the room was full.
    ///
    /// # Errors
    /// Fails if something cannot be moved; then it can be tried again.
    pub fn put_back(&self) -> io::Result<bool> {
        let Some(before) = self.before() else {
            let _ = delete(&self.room);
            return Ok(false);
        };
        match &before {
            Before::Absent => delete(&self.folder)?,
            Before::Folder(before) => {
                let is_untouched = tree::is_same(before, &self.folder).unwrap_or(false);
                if !is_untouched && self.swap(before).is_err() {
                    tree::refill(&self.folder, before)?;
                }
            }
        }
        self.let_go()?;
        Ok(true)
    }

    /// Puts the kept tree in the folder's place. Fails where the folder cannot be moved, such
    /// as one that is a disk of its own.
    fn swap(&self, before: &Path) -> io::Result<()> {
        delete(&self.room.join(REST))?;
        if self.has_folder() {
            fs_err::create_dir(self.room.join(REST))?;
            fs_err::rename(&self.folder, self.tree(REST))?;
        }
        fs_err::rename(before, &self.folder)
    }

    /// Makes a full room one that is not, in one step, so that at no moment a part is taken
    /// for the whole.
    ///
    /// # Errors
    /// Fails if it would still be taken for full.
    pub fn empty(&self) -> io::Result<()> {
        if is_there(&self.room.join(WHOLE)) {
            delete(&self.room.join(PART))?;
            fs_err::rename(self.room.join(WHOLE), self.room.join(PART))?;
        }
        delete(&self.room.join(ABSENT))
    }

    /// What was kept is not needed any more.
    ///
    /// # Errors
    /// Fails if it would still be taken for the folder as it was.
    pub fn let_go(&self) -> io::Result<()> {
        self.empty()?;
        // What cannot be deleted now is when a folder is kept again.
        let _ = delete(&self.room);
        Ok(())
    }
}

fn is_there(path: &Path) -> bool {
    fs_err::symlink_metadata(path).is_ok()
}

/// The folder that a path leads to; the path itself where it leads nowhere.
fn behind_links(path: &Path) -> PathBuf {
    let mut folder = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Ok(target) = fs_err::read_link(&folder) else {
            break;
        };
        folder = folder.parent().unwrap_or(Path::new("")).join(target);
    }
    folder
}

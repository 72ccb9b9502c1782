//! What an environment was before it was changed, kept beside it until that is over.
//!
//! The kept tree is made of hard links, so it costs neither space nor the reading of files,
//! and installers replace files rather than write to them. What they do write to is copied:
//! their notes at the top, and what a manager's data names. A tree that is whole is the mark
//! of an install that did not come to its end; putting it back may be broken off and done
//! again.

mod tree;

use std::io;
use std::path::{Path, PathBuf};

pub(super) use tree::delete;
use tree::{clone, is_same, refill};

/// Links in the place of a folder that are followed.
const MAX_LINKS: usize = 16;

/// What a kept tree is: still being made or deleted, whole, or what it was put in place of.
const PART: &str = "part";
const WHOLE: &str = "whole";
const REST: &str = "rest";

/// The place where a folder is kept.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The folder itself, also where only a link to it is in the project.
    folder: PathBuf,
    room: PathBuf,
}

impl Kept {
    #[must_use]
    pub fn of(folder: &Path) -> Self {
        let folder = behind_links(folder);
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let room = folder.with_file_name(format!(".toolroom-{name}"));
        Self { folder, room }
    }

    /// Whether an install began here that did not come to its end.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        fs_err::symlink_metadata(self.tree(WHOLE)).is_ok_and(|found| found.is_dir())
    }

    /// A tree has the folder's own name, by which other programs know to pass it over.
    fn tree(&self, state: &str) -> PathBuf {
        let name = self.folder.file_name().unwrap_or_default();
        self.room.join(state).join(name)
    }

    /// The folder as it was, where an install did not come to its end.
    #[must_use]
    pub fn before(&self) -> Option<PathBuf> {
        self.is_whole().then(|| self.tree(WHOLE))
    }

    /// Keeps the folder as it is now. What is written to in place is given by its names at the
    /// top of the folder.
    ///
    /// # Errors
    /// Fails if it cannot be kept; then nothing may be installed.
    pub fn keep(&self, rewritten: &[String]) -> io::Result<()> {
        self.put_back()?;
        delete(&self.room)?;
        if !fs_err::symlink_metadata(&self.folder).is_ok_and(|found| found.is_dir()) {
            return Ok(());
        }
        fs_err::create_dir(&self.room)?;
        fs_err::write(self.room.join(".gitignore"), "*\n")?;
        let kept = clone(&self.folder, &self.tree(PART), rewritten)
            .and_then(|()| fs_err::rename(self.room.join(PART), self.room.join(WHOLE)));
        kept.inspect_err(|_| drop(delete(&self.room)))
    }

    /// Makes the folder what it was; says whether an install had begun.
    ///
    /// # Errors
    /// Fails if something cannot be moved; then it can be tried again.
    pub fn put_back(&self) -> io::Result<bool> {
        let Some(before) = self.before() else {
            let _ = delete(&self.room);
            return Ok(false);
        };
        let is_untouched = is_same(&before, &self.folder, 0).unwrap_or(false);
        if !is_untouched && self.swap(&before).is_err() {
            refill(&self.folder, &before)?;
        }
        self.let_go()?;
        Ok(true)
    }

    /// Puts the kept tree in the folder's place. Fails where the folder cannot be moved, such
    /// as one that is a disk of its own.
    fn swap(&self, before: &Path) -> io::Result<()> {
        delete(&self.room.join(REST))?;
        if fs_err::symlink_metadata(&self.folder).is_ok() {
            fs_err::create_dir(self.room.join(REST))?;
            fs_err::rename(&self.folder, self.tree(REST))?;
        }
        fs_err::rename(before, &self.folder)
    }

    /// The install is over: what was kept is not needed any more.
    ///
    /// # Errors
    /// Fails if it would still be taken for the folder as it was.
    pub fn let_go(&self) -> io::Result<()> {
        if fs_err::symlink_metadata(self.room.join(WHOLE)).is_ok() {
            delete(&self.room.join(PART))?;
            // In one step, so that at no moment a part is taken for the whole.
            fs_err::rename(self.room.join(WHOLE), self.room.join(PART))?;
        }
        // What cannot be deleted now is when a folder is kept again.
        let _ = delete(&self.room);
        Ok(())
    }
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// A folder with a file of every kind that matters, and what is seen of it.
    fn folder() -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("packages");
        for (path, text) in [
            (".notes", "a"),
            (".made/by/script.js", "a"),
            ("a/b/c/deep.js", "deep"),
            ("a/top.js", "top"),
        ] {
            fs_err::create_dir_all(folder.join(path).parent().unwrap()).unwrap();
            fs_err::write(folder.join(path), text).unwrap();
        }
        fs_err::os::unix::fs::symlink("nowhere", folder.join("a/b/link")).unwrap();
        (root, folder)
    }

    fn seen(folder: &Path) -> BTreeMap<PathBuf, String> {
        let mut seen = BTreeMap::new();
        let mut left = vec![folder.to_path_buf()];
        while let Some(path) = left.pop() {
            let text = match fs_err::symlink_metadata(&path).unwrap() {
                found if found.is_dir() => {
                    let entries = fs_err::read_dir(&path).unwrap();
                    left.extend(entries.map(|entry| entry.unwrap().path()));
                    "a folder".to_owned()
                }
                found if found.is_symlink() => format!("{:?}", fs_err::read_link(&path).unwrap()),
                _ => fs_err::read_to_string(&path).unwrap(),
            };
            seen.insert(path, text);
        }
        seen
    }

    /// What installers do: write to their notes, replace, add and delete.
    fn install(folder: &Path) {
        for file in [".notes", ".made/by/script.js"] {
            fs_err::write(folder.join(file), "b").unwrap();
        }
        fs_err::remove_dir_all(folder.join("a")).unwrap();
        fs_err::create_dir_all(folder.join("new/half")).unwrap();
    }

    #[test]
    fn a_folder_is_put_back_as_it_was_and_nothing_is_left_beside_it() {
        let (root, folder) = folder();
        let (kept, before) = (Kept::of(&folder), seen(root.path()));
        kept.keep(&[".made".to_owned()]).unwrap();
        install(&folder);
        assert!(kept.put_back().unwrap());
        assert_eq!(seen(root.path()), before);
        assert!(!kept.put_back().unwrap(), "there is nothing to put back");
    }

    #[test]
    fn a_putting_back_that_was_broken_off_is_finished() {
        let (root, folder) = folder();
        let (kept, before) = (Kept::of(&folder), seen(root.path()));
        kept.keep(&[".made".to_owned()]).unwrap();
        fs_err::create_dir(kept.room.join(REST)).unwrap();
        fs_err::rename(&folder, kept.tree(REST)).unwrap();
        assert!(Kept::of(&folder).put_back().unwrap());
        assert_eq!(seen(root.path()), before);
    }

    #[test]
    fn a_folder_that_cannot_be_moved_is_filled_again() {
        let (_root, folder) = folder();
        let (kept, before) = (Kept::of(&folder), seen(&folder));
        kept.keep(&[".made".to_owned()]).unwrap();
        install(&folder);
        refill(&folder, &kept.before().unwrap()).unwrap();
        assert_eq!(seen(&folder), before);
    }

    #[test]
    fn what_was_not_kept_to_its_end_is_not_put_back() {
        let (root, folder) = folder();
        let kept = Kept::of(&folder);
        fs_err::create_dir_all(kept.tree(PART).join("a")).unwrap();
        let before = seen(&folder);
        assert!(!kept.put_back().unwrap());
        assert_eq!(seen(&folder), before);
        assert_eq!(fs_err::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_folder_behind_a_link_is_kept_where_it_is_and_the_link_stays() {
        let (root, folder) = folder();
        let link = root.path().join("link");
        fs_err::os::unix::fs::symlink("packages", &link).unwrap();
        let before = seen(root.path());
        let kept = Kept::of(&link);
        kept.keep(&[".made".to_owned()]).unwrap();
        install(&folder);
        kept.put_back().unwrap();
        assert_eq!(seen(root.path()), before);
    }
}

//! Sees every file below some folders, tool or not, with what tells whether it changed.
//! Reads none, and is bounded however the tree is made: a folder that links lead to is
//! looked into once.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::core_data;
use crate::fingerprint::Fingerprint;

const MAX_DEPTH: usize = 32;
const MAX_FILES: usize = 200_000;

/// A file as it was at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub path: PathBuf,
    pub fingerprint: Fingerprint,
}

impl Seen {
    /// A file as it is now, if it is there.
    #[must_use]
    pub fn now(path: &Path) -> Option<Self> {
        let metadata = path.metadata().ok()?;
        Some(Self {
            path: path.to_path_buf(),
            fingerprint: Fingerprint::of(&metadata),
        })
    }
}

/// Every file below the folders, ordered by path. What running tools leave behind is left
/// out, and so are hidden files.
#[must_use]
pub fn seen(folders: &[PathBuf]) -> Vec<Seen> {
    let mut looker = Looker::default();
    for folder in folders {
        looker.folder(folder, 0);
    }
    looker.files.sort_by(|a, b| a.path.cmp(&b.path));
    looker.files
}

#[derive(Default)]
struct Looker {
    files: Vec<Seen>,
    /// The real folders that links have led to.
    linked: HashSet<PathBuf>,
}

impl Looker {
    fn folder(&mut self, folder: &Path, depth: usize) {
        let Ok(entries) = fs_err::read_dir(folder) else {
            return;
        };
        for entry in entries.flatten() {
            if self.files.len() >= MAX_FILES {
                return;
            }
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with('.') || name.ends_with('~') {
                continue;
            }
            let (path, kind) = (entry.path(), entry.file_type());
            let is_link = kind.is_ok_and(|kind| kind.is_symlink());
            let Ok(metadata) = path.metadata() else {
                continue;
            };
            if !metadata.is_dir() {
                self.files.push(Seen {
                    path,
                    fingerprint: Fingerprint::of(&metadata),
                });
            } else if depth < MAX_DEPTH && !is_skipped(&name) && (!is_link || self.is_new(&path)) {
                self.folder(&path, depth + 1);
            }
        }
    }

    fn is_new(&mut self, link: &Path) -> bool {
        link.canonicalize()
            .is_ok_and(|real| self.linked.insert(real))
    }
}

fn is_skipped(folder: &str) -> bool {
    core_data::skipped_folders().contains(&folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(root: &Path) -> Vec<String> {
        let seen = seen(&[root.to_path_buf()]);
        let below = |seen: &Seen| seen.path.strip_prefix(root).unwrap().to_path_buf();
        let names = seen.iter().map(below);
        names
            .map(|path| path.to_string_lossy().into_owned())
            .collect()
    }

    fn write(root: &Path, path: &str) {
        let file = root.join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, "").unwrap();
    }

    #[test]
    fn every_file_is_seen_but_what_is_hidden_or_left_behind() {
        let root = tempfile::tempdir().unwrap();
        for path in ["b.py", "a/_c.txt", ".x/y", "d~"] {
            write(root.path(), path);
        }
        for folder in core_data::skipped_folders() {
            write(root.path(), &format!("{folder}/x.py"));
        }
        assert_eq!(names(root.path()), ["a/_c.txt", "b.py"]);
    }

    #[cfg(unix)]
    #[test]
    fn folders_that_link_to_each_other_come_to_an_end() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "a/x.py");
        for link in 0..8 {
            symlink(root.path(), root.path().join(format!("a/{link}"))).unwrap();
        }
        assert!(names(root.path()).contains(&"a/x.py".to_owned()));
    }
}

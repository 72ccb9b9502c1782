//! Files that an installer which failed left in an environment that is not ours.
//!
//! An installer knows a package by the metadata it writes; files it wrote before that are
//! nobody's. What was not there before and no installed package owns is deleted.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Environments with more files than this are not tidied.
const MAX_FILES: usize = 1_000_000;

/// The files of an environment as they were.
#[derive(Debug)]
pub struct Listing {
    environment: PathBuf,
    files: BTreeSet<PathBuf>,
}

impl Listing {
    /// # Errors
    /// Fails if a directory cannot be read.
    pub fn of(environment: &Path) -> std::io::Result<Self> {
        Ok(Self {
            environment: environment.to_path_buf(),
            files: files(environment)?,
        })
    }

    /// Deletes what came since and belongs to no package.
    ///
    /// # Errors
    /// Fails if something cannot be read or deleted.
    pub fn tidy(&self) -> std::io::Result<()> {
        let now = files(&self.environment)?;
        let came: Vec<&PathBuf> = now.difference(&self.files).collect();
        let owned: BTreeSet<PathBuf> = came.iter().flat_map(|file| owned_by(file)).collect();
        // Those below come before what they are in.
        for path in came.into_iter().rev().filter(|path| !owned.contains(*path)) {
            if fs_err::symlink_metadata(path)?.is_dir() {
                // A directory that holds something is somebody's.
                let _ = fs_err::remove_dir(path);
            } else {
                fs_err::remove_file(path)?;
            }
        }
        Ok(())
    }
}

/// Everything below a directory; links are not followed.
fn files(directory: &Path) -> std::io::Result<BTreeSet<PathBuf>> {
    let mut found = BTreeSet::new();
    let mut left = vec![directory.to_path_buf()];
    while let Some(directory) = left.pop() {
        for entry in fs_err::read_dir(directory)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                left.push(entry.path());
            }
            found.insert(entry.path());
        }
        if found.len() > MAX_FILES {
            return Err(std::io::Error::other("it has too many files"));
        }
    }
    Ok(found)
}

/// The files that a package owns, where this is its list of them.
fn owned_by(file: &Path) -> Vec<PathBuf> {
    let folder = file.parent().filter(|_| file.ends_with("RECORD"));
    let library = folder.and_then(Path::parent);
    let (Some(library), Ok(text)) = (library, fs_err::read_to_string(file)) else {
        return Vec::new();
    };
    text.lines()
        .filter_map(|line| line.split(',').next())
        .map(|name| library.join(name.trim_matches('"')))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_and_is_nobodys_goes_and_what_somebody_installed_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        let write = |path: &str, text: &str| {
            fs_err::create_dir_all(at(path).parent().unwrap()).unwrap();
            fs_err::write(at(path), text).unwrap();
        };
        write("lib/old/a.py", "");
        let before = Listing::of(folder.path()).unwrap();
        write("lib/half/deep/b.py", "");
        write("lib/old/new.py", "");
        write("lib/whole/c.py", "");
        write(
            "lib/whole-1.dist-info/RECORD",
            "whole/c.py,,\nwhole-1.dist-info/RECORD,,\n",
        );
        before.tidy().unwrap();
        assert!(at("lib/old/a.py").exists() && at("lib/whole/c.py").exists());
        assert!(at("lib/whole-1.dist-info/RECORD").exists());
        assert!(!at("lib/half").exists() && !at("lib/old/new.py").exists());
    }
}

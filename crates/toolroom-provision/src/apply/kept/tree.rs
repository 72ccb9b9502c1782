//! Trees of files: making one out of another's files, comparing two, filling one again.
//! Knows nothing of what a tree is kept for.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{FileTimes, Metadata};
use std::io;
use std::path::Path;

/// Makes a tree that has all that another has. Links are not followed.
pub(super) fn clone(from: &Path, to: &Path, rewritten: &[String]) -> io::Result<()> {
    let mut folders = Vec::new();
    let mut left = vec![(from.to_path_buf(), to.to_path_buf(), false)];
    while let Some((from, to, is_rewritten)) = left.pop() {
        let is_top = folders.is_empty();
        fs_err::create_dir_all(&to)?;
        for entry in fs_err::read_dir(&from)? {
            let entry = entry?;
            let (source, target) = (entry.path(), to.join(entry.file_name()));
            let kind = entry.file_type()?;
            if kind.is_dir() {
                let is_named = || rewritten.iter().any(|name| entry.file_name() == **name);
                left.push((source, target, is_rewritten || (is_top && is_named())));
            } else if kind.is_file() && (is_top || is_rewritten) {
                copy(&source, &target)?;
            } else if fs_err::hard_link(&source, &target).is_err() {
                // A file of somebody else, or a disk that knows no such links.
                copy(&source, &target)?;
            }
        }
        folders.push((to, fs_err::symlink_metadata(&from)?));
    }
    // Inner ones first: what is written in a folder changes its time.
    for (folder, metadata) in folders.iter().rev() {
        fs_err::set_permissions(folder, metadata.permissions())?;
        keep_time(folder, metadata);
    }
    Ok(())
}

/// Makes another of a file or a link.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let metadata = fs_err::symlink_metadata(from)?;
    if metadata.is_symlink() {
        return link(&fs_err::read_link(from)?, to);
    }
    fs_err::copy(from, to)?;
    keep_time(to, &metadata);
    Ok(())
}

#[cfg(unix)]
fn link(target: &Path, at: &Path) -> io::Result<()> {
    fs_err::os::unix::fs::symlink(target, at)
}

#[cfg(not(unix))]
fn link(_target: &Path, at: &Path) -> io::Result<()> {
    let reason = format!("{} is a link", at.display());
    Err(io::Error::new(io::ErrorKind::Unsupported, reason))
}

/// A time that cannot be set changes no byte.
fn keep_time(path: &Path, metadata: &Metadata) {
    if let (Ok(file), Ok(time)) = (fs_err::File::open(path), metadata.modified()) {
        let _ = file.file().set_times(FileTimes::new().set_modified(time));
    }
}

/// Whether nothing in a folder is other than it was kept.
pub(super) fn is_same(kept: &Path, now: &Path) -> io::Result<bool> {
    let was = fs_err::symlink_metadata(kept)?;
    let is = fs_err::symlink_metadata(now)?;
    is_same_within(kept, &was, now, &is, 0)
}

fn is_same_within(
    kept: &Path,
    was: &Metadata,
    now: &Path,
    is: &Metadata,
    depth: usize,
) -> io::Result<bool> {
    const MAX_DEPTH: usize = 512;
    if !was.is_dir() || !is.is_dir() {
        let same = || Ok(was.permissions() == is.permissions() && holds_same(kept, now)?);
        return if is_one(was, is) { Ok(true) } else { same() };
    }
    let (before, after) = (entries(kept)?, entries(now)?);
    let is_alike = was.permissions() == is.permissions() && before.keys().eq(after.keys());
    if depth > MAX_DEPTH || !is_alike {
        return Ok(false);
    }
    for (name, was) in &before {
        let (kept, now) = (kept.join(name), now.join(name));
        if !is_same_within(&kept, was, &now, &after[name], depth + 1)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn entries(folder: &Path) -> io::Result<BTreeMap<OsString, Metadata>> {
    let entries = fs_err::read_dir(folder)?;
    entries
        .map(|entry| entry.and_then(|entry| Ok((entry.file_name(), entry.metadata()?))))
        .collect()
}

/// Whether two names are of one file.
#[cfg(unix)]
fn is_one(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
const fn is_one(_one: &Metadata, _other: &Metadata) -> bool {
    false
}

fn holds_same(one: &Path, other: &Path) -> io::Result<bool> {
    let (first, second) = (
        fs_err::symlink_metadata(one)?,
        fs_err::symlink_metadata(other)?,
    );
    if first.is_symlink() && second.is_symlink() {
        return Ok(fs_err::read_link(one)? == fs_err::read_link(other)?);
    }
    let are_files = first.is_file() && second.is_file() && first.len() == second.len();
    Ok(are_files && fs_err::read(one)? == fs_err::read(other)?)
}

/// Makes a folder that cannot be moved hold what was kept.
pub(super) fn refill(folder: &Path, kept: &Path) -> io::Result<()> {
    if !fs_err::symlink_metadata(kept)?.is_dir() {
        delete(folder)?;
        return copy(kept, folder);
    }
    if folder.is_dir() {
        for entry in fs_err::read_dir(folder)? {
            delete(&entry?.path())?;
        }
    }
    clone(kept, folder, &[])
}

/// Deletes whatever is there; a link, not what it leads to.
pub(in crate::apply) fn delete(path: &Path) -> io::Result<()> {
    match fs_err::symlink_metadata(path) {
        Ok(found) if found.is_dir() => {
            fs_err::remove_dir_all(path).or_else(|_| delete_level_by_level(path))
        }
        Ok(_) => fs_err::remove_file(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Deletes a folder with no more than one open at a time: the usual way has one open for every
/// level, which fails where descriptors are few.
fn delete_level_by_level(folder: &Path) -> io::Result<()> {
    let mut folders = vec![folder.to_path_buf()];
    let mut next = 0;
    while let Some(folder) = folders.get(next).cloned() {
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else {
                fs_err::remove_file(entry.path())?;
            }
        }
        next += 1;
    }
    folders.iter().rev().try_for_each(fs_err::remove_dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_deleted_level_by_level_and_what_links_lead_to_is_not() {
        let root = tempfile::tempdir().unwrap();
        let (folder, other) = (root.path().join("folder"), root.path().join("other"));
        for folder in [folder.join("a/b/c"), folder.join("d"), other.clone()] {
            fs_err::create_dir_all(&folder).unwrap();
            fs_err::write(folder.join("file"), "").unwrap();
        }
        link(&other, &folder.join("a/link")).unwrap();
        delete_level_by_level(&folder).unwrap();
        assert!(!folder.exists() && other.join("file").exists());
    }
}

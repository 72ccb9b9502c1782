//! Files beside a folder that installs write, such as lockfiles, as they were.
//!
//! They are a project's own files, so they are made what they were only where nobody else
//! can have written to them.

use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::room::Room;
use super::tree;

/// The note of what the files were.
const NOTE: &str = "files.json";
const VERSION: u32 = 1;

/// A copy on its way to where the file is.
const NEXT: &str = "file";

/// A file, and what was in it if it was there.
pub type File = (PathBuf, Option<Vec<u8>>);

#[derive(Serialize, Deserialize)]
struct Note {
    version: u32,
    files: Vec<Noted>,
}

#[derive(Serialize, Deserialize)]
struct Noted {
    /// From the project's folder on.
    path: PathBuf,
    /// The name of its copy in the room; none if it was not there.
    copy: Option<String>,
}

/// Keeps what was in files below a folder.
///
/// # Errors
/// Fails if it cannot be written.
pub fn keep(room: &Room, base: &Path, files: &[File]) -> io::Result<()> {
    let mut noted = Vec::new();
    for (number, (file, bytes)) in files.iter().enumerate() {
        let Ok(path) = file.strip_prefix(base) else {
            continue;
        };
        let copy = bytes.as_ref().map(|_| format!("file-{number}"));
        if let Some(copy) = &copy {
            tree::copy(file, &room.note(copy))?;
        }
        noted.push(Noted {
            path: path.to_path_buf(),
            copy,
        });
    }
    if noted.is_empty() {
        return Ok(());
    }
    let note = Note {
        version: VERSION,
        files: noted,
    };
    room.write(NOTE, &serde_json::to_vec_pretty(&note)?)
}

/// Makes files what they were, but for those that are others' by now.
///
/// # Errors
/// Fails if one cannot be written or deleted; then it can be tried again.
pub fn put_back(room: &Room, base: &Path, is_others: &dyn Fn(&Path) -> bool) -> io::Result<()> {
    let note = fs_err::read(room.note(NOTE)).ok();
    // Without a note that can be read nobody knows what they were.
    let note: Option<Note> = note.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let files = note.filter(|note| note.version == VERSION);
    for Noted { path, copy } in files.into_iter().flat_map(|note| note.files) {
        let file = base.join(&path);
        let is_plain = |part| matches!(part, Component::Normal(_));
        if !path.components().all(is_plain) || is_others(&file) {
            continue;
        }
        match copy.map(|copy| room.note(&copy)) {
            None => tree::delete(&file)?,
            Some(copy) => replace(&file, &copy, &room.note(NEXT))?,
        }
    }
    Ok(())
}

/// Makes a file another in one step, mode, time and all, unless it is the same already.
fn replace(file: &Path, copy: &Path, next: &Path) -> io::Result<()> {
    if tree::is_same(copy, file).unwrap_or(false) {
        return Ok(());
    }
    tree::delete(next)?;
    tree::copy(copy, next)?;
    // A member may be on a disk of its own.
    fs_err::rename(next, file).or_else(|_| tree::copy(copy, file))
}

//! The directory of outputs that did not fit into memory: each new file first makes the
//! old ones go that are past their time or over the room for all. Only files of our own
//! naming are touched, and none that may still be written to.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::NamedTempFile;

use super::command::Stream;

const SUFFIX: &str = ".log";

/// What may stay in the directory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Room {
    pub(super) age: Duration,
    pub(super) bytes: u64,
}

impl Room {
    pub(super) const USUAL: Self = Self {
        age: Duration::from_secs(7 * 24 * 60 * 60),
        bytes: 2 << 30,
    };
}

/// A file that changed so lately may be another run's, at work.
const BUSY: Duration = Duration::from_secs(60);

struct Old {
    path: PathBuf,
    age: Duration,
    bytes: u64,
}

/// Makes room, and a new file for an output, which goes again unless it is kept.
pub(super) fn create(directory: &Path, stream: Stream) -> io::Result<NamedTempFile> {
    fs_err::create_dir_all(directory)?;
    sweep(directory, Room::USUAL);
    tempfile::Builder::new()
        .prefix(&prefix(stream))
        .suffix(SUFFIX)
        .rand_bytes(12)
        .tempfile_in(directory)
}

fn prefix(stream: Stream) -> String {
    format!("{}-", stream.name())
}

/// Removes what is too old, then the oldest until the rest has room.
pub(super) fn sweep(directory: &Path, room: Room) {
    let mut files = files(directory);
    files.sort_by_key(|file| file.age);
    let mut kept = 0_u64;
    for file in files {
        let is_over = file.age > room.age || kept.saturating_add(file.bytes) > room.bytes;
        if is_over && file.age > BUSY {
            let _ = fs_err::remove_file(&file.path);
        } else {
            kept = kept.saturating_add(file.bytes);
        }
    }
}

fn files(directory: &Path) -> Vec<Old> {
    let now = SystemTime::now();
    let prefixes = [Stream::Stdout, Stream::Stderr].map(prefix);
    let entries = fs_err::read_dir(directory).into_iter().flatten().flatten();
    entries
        .filter(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            name.ends_with(SUFFIX) && prefixes.iter().any(|prefix| name.starts_with(prefix))
        })
        .filter_map(|entry| {
            let found = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
            Some(Old {
                path: entry.path(),
                age: now
                    .duration_since(found.modified().ok()?)
                    .unwrap_or_default(),
                bytes: found.len(),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(directory: &Path, name: &str, bytes: usize, minutes: u64) {
        let path = directory.join(name);
        fs_err::write(&path, vec![b'x'; bytes]).unwrap();
        let time = SystemTime::now() - Duration::from_secs(60 * minutes);
        let file = fs_err::OpenOptions::new().write(true).open(path).unwrap();
        file.file().set_modified(time).unwrap();
    }

    #[test]
    fn old_files_go_and_then_the_oldest_until_the_rest_has_room() {
        let place = tempfile::tempdir().unwrap();
        let cases = [
            ("stdout-new.log", 60, 0),
            ("stderr-busy.log", 60, 0),
            ("stdout-fits.log", 30, 5),
            ("stdout-over.log", 30, 6),
            ("stdout-old.log", 1, 600),
            ("notes.log", 500, 600),
            ("stdout-other.txt", 500, 600),
        ];
        for (name, bytes, minutes) in cases {
            file(place.path(), name, bytes, minutes);
        }
        let room = Room {
            age: Duration::from_secs(3600),
            bytes: 150,
        };
        sweep(place.path(), room);
        let mut left: Vec<String> = fs_err::read_dir(place.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let kept = [
            "notes.log",
            "stderr-busy.log",
            "stdout-fits.log",
            "stdout-new.log",
            "stdout-other.txt",
        ];
        assert_eq!(left, kept);
    }
}

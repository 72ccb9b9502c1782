//! Questions to the file system, each asked once and answered without following what
//! must not be followed. Never canonicalises a path and never runs a file.

use std::fs::Metadata;
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use crate::plain::{self, Links};

/// How many links a chain may have.
const MAX_LINKS: usize = 40;

/// What stands at a path where an executable should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spot {
    Executable,
    Absent,
    /// A link whose target is gone.
    Dangling,
    Directory,
    NotExecutable,
    /// A socket, a pipe, a device.
    Special,
    Unreadable,
}

impl Spot {
    /// Looks at a path. Links are followed for the question, never for the answer.
    pub(super) fn of(path: &Path) -> Self {
        match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => Self::Directory,
            Ok(metadata) if !metadata.is_file() => Self::Special,
            Ok(metadata) if is_executable(&metadata) => Self::Executable,
            Ok(_) => Self::NotExecutable,
            Err(error) if is_missing(error.kind()) => match std::fs::symlink_metadata(path) {
                Ok(_) => Self::Dangling,
                Err(_) => Self::Absent,
            },
            Err(_)
                if std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink()) =>
            {
                Self::Dangling
            }
            Err(_) => Self::Unreadable,
        }
    }

    /// The reason why it cannot be run.
    pub(super) fn fault(self, path: &Path) -> String {
        match self {
            Self::Executable => "it can be run".to_owned(),
            Self::Absent => "there is no such file".to_owned(),
            Self::Dangling => match std::fs::read_link(path) {
                Ok(target) => format!("it is a link to {}, which is gone", target.display()),
                Err(_) => "it is a link to a file that is gone".to_owned(),
            },
            Self::Directory => "it is a directory, not an executable file".to_owned(),
            Self::NotExecutable => "it is a file without the right to execute it".to_owned(),
            Self::Special => "it is not a regular file".to_owned(),
            Self::Unreadable => "it cannot be read".to_owned(),
        }
    }
}

impl Spot {
    /// How it could be mended.
    pub(super) fn cure(self, path: &Path) -> Option<String> {
        let path = path.display();
        match self {
            Self::Executable | Self::Absent => None,
            Self::Dangling => Some(format!("remove {path}, or make what it links to again")),
            Self::NotExecutable => Some(format!("make {path} executable, or remove it")),
            Self::Directory | Self::Special => Some(format!("rename or remove {path}")),
            Self::Unreadable => Some(format!("make {path} readable")),
        }
    }
}

fn is_missing(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    metadata.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &Metadata) -> bool {
    true
}

/// What a file that may be hostile gave.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reading {
    Text(String),
    Absent,
    /// Why it cannot be taken as text.
    Bad(&'static str),
    /// Why the system did not say what is there.
    Unknown(&'static str),
}

/// Why a file that is there was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unread {
    /// It cannot be taken for what it should be.
    Bad(&'static str),
    /// The system did not say: that tells nothing about the file.
    Unknown(&'static str),
}

impl Unread {
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Bad(reason) | Self::Unknown(reason) => reason,
        }
    }

    pub(super) fn because(error: &std::io::Error) -> Self {
        lack(error).map_or(Self::Bad("it cannot be read"), Self::Unknown)
    }
}

/// What the system lacks, if that is why it did not answer.
#[cfg(unix)]
fn lack(error: &std::io::Error) -> Option<&'static str> {
    use rustix::io::Errno;
    match Errno::from_io_error(error)? {
        Errno::MFILE => Some("too many files are open: `ulimit -n` shows the limit"),
        Errno::NFILE => Some("the machine has as many files open as it can"),
        Errno::NOMEM => Some("the system is out of memory"),
        Errno::IO => Some("its disk does not answer: input/output error"),
        _ => None,
    }
}

#[cfg(not(unix))]
fn lack(_: &std::io::Error) -> Option<&'static str> {
    None
}

/// Reads a small text file: UTF-8, or UTF-16 with a byte order mark. Only regular files
/// are read, for a pipe would never end.
pub(super) fn read_text(path: &Path, limit: u64) -> Reading {
    match read_bytes(path, limit) {
        Ok(Some(bytes)) => decode(&bytes).map_or(Reading::Bad("it is not text"), Reading::Text),
        Ok(None) => Reading::Absent,
        Err(Unread::Bad(reason)) => Reading::Bad(reason),
        Err(Unread::Unknown(reason)) => Reading::Unknown(reason),
    }
}

/// Reads a small file whatever it holds; one that is not there gives nothing.
pub(super) fn read_bytes(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, Unread> {
    let file = match plain::open(path, Links::Followed) {
        Ok(file) => file,
        Err(error) if is_missing(error.kind()) => return Ok(None),
        Err(_) if path.is_dir() => return Ok(None),
        // A system that is short of descriptors does not say so of what is not there either.
        Err(error) => match std::fs::metadata(path) {
            Err(other) if is_missing(other.kind()) => return Ok(None),
            _ => return Err(Unread::because(&error)),
        },
    };
    let size = match file.metadata() {
        Ok(metadata) if metadata.is_file() => metadata.len(),
        Ok(metadata) if metadata.is_dir() => return Ok(None),
        Ok(_) => return Err(Unread::Bad("it is not a regular file")),
        Err(error) => return Err(Unread::because(&error)),
    };
    if size > limit {
        return Err(Unread::Bad("it is too large"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
    // It may have grown since.
    match file.take(limit + 1).read_to_end(&mut bytes) {
        Err(error) => Err(Unread::because(&error)),
        Ok(_) if bytes.len() as u64 > limit => Err(Unread::Bad("it is too large")),
        Ok(_) => Ok(Some(bytes)),
    }
}

fn decode(bytes: &[u8]) -> Option<String> {
    let wide = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes
            .chunks_exact(2)
            .map(|pair| unit([pair[0], pair[1]]))
            .collect();
        String::from_utf16(&units).ok()
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => std::str::from_utf8(rest).ok().map(str::to_owned),
        _ => std::str::from_utf8(bytes).ok().map(str::to_owned),
    }
}

/// The path and what it links to, link by link, the last one being no link.
pub(super) fn link_chain(path: &Path) -> Vec<PathBuf> {
    let mut chain = vec![path.to_path_buf()];
    let mut current = path.to_path_buf();
    while chain.len() <= MAX_LINKS
        && let Ok(target) = std::fs::read_link(&current)
    {
        current = join(current.parent().unwrap_or(Path::new("")), &target);
        chain.push(current.clone());
    }
    chain
}

/// Joins two paths and takes out `.` and what `..` cancels, by the names alone.
pub(super) fn join(base: &Path, path: &Path) -> PathBuf {
    let mut joined = base.to_path_buf();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match joined.components().next_back() {
                Some(Component::Normal(_)) => {
                    joined.pop();
                }
                Some(Component::RootDir | Component::Prefix(_)) => {}
                _ => joined.push(".."),
            },
            other => joined.push(other),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joined_path_has_no_detours() {
        let table = [
            ("/a/b", "c", "/a/b/c"),
            ("/a/b", "./c", "/a/b/c"),
            ("/a/b", "../c", "/a/c"),
            ("/a", "../../../c", "/c"),
            ("/a/b", "/x/y", "/x/y"),
            ("", "../c", "../c"),
        ];
        for (base, path, expected) in table {
            assert_eq!(
                join(Path::new(base), Path::new(path)),
                Path::new(expected),
                "{base} + {path}"
            );
        }
    }

    #[test]
    fn text_is_read_with_or_without_a_mark() {
        assert_eq!(decode(b"20\n").unwrap(), "20\n");
        assert_eq!(decode(b"\xEF\xBB\xBF20").unwrap(), "20");
        assert_eq!(decode(b"\xFF\xFE2\x000\x00").unwrap(), "20");
        assert_eq!(decode(b"\xFE\xFF\x002\x000").unwrap(), "20");
        assert_eq!(decode(b"\xFF\xC0"), None);
    }

    #[test]
    fn a_file_past_the_limit_is_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("large");
        fs_err::write(&path, "x".repeat(11)).unwrap();
        assert_eq!(read_text(&path, 10), Reading::Bad("it is too large"));
        assert_eq!(read_text(&path, 11), Reading::Text("x".repeat(11)));
        assert_eq!(
            read_text(&directory.path().join("none"), 10),
            Reading::Absent
        );
        assert_eq!(read_text(directory.path(), 10), Reading::Absent);
    }
}

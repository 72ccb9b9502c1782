//! Reads one file into a tool. Bounded in size, never blocking on what is not a plain
//! file, and never running anything.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde_json::Value;
use sha2::{Digest, Sha256};
use toolroom_kernel::Position;
use toolroom_kernel::model::{Space, Tool, ToolId, field};
use toolroom_kernel::plain::{self, Links};

use crate::bystander::is_bystander;
use crate::core_data::CoreFile;
use crate::extract::registry::Extractors;
use crate::extract::rules::{FileText, Found};
use crate::extract::{Extraction, extract};
use crate::problem::{Problem, ProblemKind};
use crate::walk::ToolFile;

/// The largest file that is read as a tool.
pub const MAX_FILE_SIZE: u64 = 4 * 1024 * 1024;

/// What reading a file gave.
#[derive(Debug)]
pub enum Read {
    Tool(Tool),
    /// A file that only happens to lie among tools.
    NotATool,
    /// What is wrong with it; at least one problem.
    Broken(Vec<Problem>),
}

/// The text of a tool file.
///
/// # Errors
/// Fails for what is no plain file, too large, unreadable or not UTF-8.
pub fn text(path: &Path) -> Result<String, Problem> {
    let (file, size) = opened(path)?;
    let mut bytes = Vec::new();
    read_into(&mut bytes, &file, path, size)?;
    String::from_utf8(bytes).map_err(|error| not_utf8(path, error.as_bytes(), &error.utf8_error()))
}

/// Memory for one file's text after another's.
#[derive(Debug, Default)]
pub struct Buffer(Vec<u8>);

impl Buffer {
    /// The text of a file that was found. It was plain then, and is not looked at again:
    /// what has come in its place refuses to be opened or to be read.
    ///
    /// # Errors
    /// As [`text`].
    pub fn text(&mut self, found: &ToolFile<'_>) -> Result<&str, Problem> {
        let path = &found.path;
        let (file, size) = match found.links {
            Links::Followed => opened(path)?,
            Links::Refused => {
                let file = plain::open(path, Links::Refused);
                let file = file.map_err(|error| unopened(path, &error))?;
                (file, found.fingerprint.size)
            }
        };
        read_into(&mut self.0, &file, path, size)?;
        std::str::from_utf8(&self.0).map_err(|error| not_utf8(path, &self.0, &error))
    }
}

/// A plain file, with its size.
pub(crate) fn opened(path: &Path) -> Result<(File, u64), Problem> {
    let file = plain::open(path, Links::Followed).map_err(|error| unopened(path, &error))?;
    match file.metadata() {
        Ok(metadata) if metadata.is_file() => Ok((file, metadata.len())),
        Ok(_) => Err(not_a_file(path)),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn unopened(path: &Path, error: &std::io::Error) -> Problem {
    let is_other = |metadata: std::fs::Metadata| !metadata.is_file();
    if path.metadata().is_ok_and(is_other) {
        return not_a_file(path);
    }
    unreadable(path, error)
}

/// Reads a whole file that seems to have this size, in one step if it has. By position:
/// pipes have none, and say so.
fn read_into(bytes: &mut Vec<u8>, file: &File, path: &Path, size: u64) -> Result<(), Problem> {
    let mut expected = size;
    let mut filled = 0;
    loop {
        if expected > MAX_FILE_SIZE {
            return Err(too_large(path, expected));
        }
        // One byte more shows whether the file has grown.
        let length = usize::try_from(expected).unwrap_or(usize::MAX - 1);
        bytes.resize(length + 1, 0);
        match read_at(file, &mut bytes[filled..], filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::NotSeekable | ErrorKind::IsADirectory
                ) =>
            {
                return Err(not_a_file(path));
            }
            Err(error) => return Err(unreadable(path, &error)),
        }
        match filled.cmp(&length) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => break,
            std::cmp::Ordering::Greater => expected = expected.saturating_mul(2).max(4096),
        }
    }
    bytes.truncate(filled);
    Ok(())
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> std::io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> std::io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, bytes, at)
}

pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    let help = match error.kind() {
        ErrorKind::PermissionDenied => {
            "give yourself the right to read it (chmod u+r), or move it out of tools/"
        }
        _ => "put it right, or move it out of tools/",
    };
    Problem::new(ProblemKind::Unreadable, path, plain(error)).help(help)
}

pub(crate) fn not_a_file(path: &Path) -> Problem {
    Problem::new(ProblemKind::Unreadable, path, "it is not a plain file")
        .help("move it out of tools/, or give it an extension that is no tool's")
}

fn too_large(path: &Path, size: u64) -> Problem {
    let message = format!(
        "the file has {} MB; a tool file has at most {} MB",
        size / 1_000_000,
        MAX_FILE_SIZE / 1024 / 1024
    );
    Problem::new(ProblemKind::TooLarge, path, message)
        .help("keep data in files of its own, outside tools/")
}

/// An I/O error without the number of its kind.
pub(crate) fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((message, _)) => message.to_lowercase(),
        None => text,
    }
}

fn not_utf8(path: &Path, bytes: &[u8], error: &std::str::Utf8Error) -> Problem {
    let valid = error.valid_up_to();
    let before = std::str::from_utf8(&bytes[..valid]).unwrap_or_default();
    let message = match bytes {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "the file is UTF-16, not UTF-8".to_owned(),
        _ => format!("the file is not UTF-8: byte {:#04x}", bytes[valid]),
    };
    Problem::new(ProblemKind::NotUtf8, path, message)
        .at(Some(Position::at_offset(before, valid)))
        .help("save the file as UTF-8")
}

/// Reads the tool in a file of a space.
#[must_use]
pub fn file(
    space: Space,
    id: &ToolId,
    path: &Path,
    extension: &str,
    extractors: &Extractors,
) -> Read {
    let source = match text(path) {
        Ok(source) => source,
        Err(_) if is_bystander(path, extractors) => return Read::NotATool,
        Err(problem) => return Read::Broken(vec![problem]),
    };
    match metadata(id, path, extension, &source, extractors) {
        Metadata::NotATool => Read::NotATool,
        Metadata::Broken(problems) => Read::Broken(problems),
        Metadata::Tool(found) => Read::Tool(Tool {
            id: id.clone(),
            space,
            path: path.to_path_buf(),
            metadata: found.metadata,
            positions: found.positions,
            digest: digest(&source),
        }),
    }
}

/// The text a tool was read from, if its file still holds that and is not too large.
#[must_use]
pub fn text_of(tool: &Tool, largest: u64) -> Option<String> {
    let size = tool.path.metadata().ok()?.len();
    let text = (size <= largest).then(|| text(&tool.path).ok())??;
    (digest(&text) == tool.digest).then_some(text)
}

/// What a file says of itself, without what only a call needs.
#[derive(Debug)]
pub enum Metadata {
    Tool(Found),
    NotATool,
    Broken(Vec<Problem>),
}

/// Reads a file's metadata, for listings.
#[must_use]
pub fn metadata(
    id: &ToolId,
    path: &Path,
    extension: &str,
    source: &str,
    extractors: &Extractors,
) -> Metadata {
    match extract(extractors, extension, FileText { id, path, source }) {
        Extraction::NotATool => Metadata::NotATool,
        Extraction::Tool(found) if found.problems.is_empty() => Metadata::Tool(found),
        Extraction::Tool(found) => Metadata::Broken(found.problems),
    }
}

/// A core tool, from the data inside the binary.
#[must_use]
pub fn core(file: &CoreFile) -> Tool {
    let mut metadata = match file.read() {
        Value::Object(metadata) => metadata,
        _ => serde_json::Map::new(),
    };
    let (category, name) = file.id.rsplit_once('/').unwrap_or(("", file.id));
    for (field, value) in [(field::NAME, name), (field::CATEGORY, category)] {
        metadata
            .entry(field.to_owned())
            .or_insert_with(|| value.into());
    }
    Tool {
        id: core_id(file),
        space: Space::Core,
        path: core_path(file),
        metadata,
        positions: std::collections::BTreeMap::new(),
        digest: file.digest.to_owned(),
    }
}

pub(crate) fn core_id(file: &CoreFile) -> ToolId {
    ToolId::parse(file.id).expect("core ids are checked by a test")
}

/// Where a core tool is said to be.
pub(crate) fn core_path(file: &CoreFile) -> PathBuf {
    format!("core:{}", file.path).into()
}

pub(crate) fn digest(text: &str) -> String {
    toolroom_kernel::hex(&Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use crate::walk::walk;

    /// A space with one tool that `swap` replaces once it was found; what reading it then
    /// gives, by someone who would otherwise wait for ever.
    fn swapped(swap: impl FnOnce(&Path) + Send + 'static) -> Result<String, String> {
        let (sender, answer) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            let space = tempfile::tempdir().unwrap();
            let tool = space.path().join("tool.py");
            fs_err::write(&tool, "def main(): ...\n").unwrap();
            let extractors = Extractors::core();
            let found = walk(space.path(), &extractors).files.remove(0);
            swap(&tool);
            let read = Buffer::default().text(&found).map(str::to_owned);
            let again = text(&tool);
            sender.send((read, again)).unwrap();
        });
        let patience = std::time::Duration::from_secs(20);
        let (read, again) = answer
            .recv_timeout(patience)
            .expect("nothing is waited for");
        if again.is_err() {
            assert!(read.is_err());
        }
        read.map_err(|problem| problem.message)
    }

    fn pipe(path: &Path) {
        fs_err::remove_file(path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(path).status();
        assert!(made.unwrap().success());
    }

    #[test]
    fn a_pipe_that_came_in_a_files_place_is_not_waited_for() {
        assert_eq!(swapped(pipe).unwrap_err(), "it is not a plain file");
        let written = |path: &Path| {
            pipe(path);
            let mut both = std::fs::OpenOptions::new();
            let mut writer = both.read(true).write(true).open(path).unwrap();
            std::io::Write::write_all(&mut writer, b"def main(): ...\n").unwrap();
            // Held open, so that there is a writer and no end.
            std::mem::forget(writer);
        };
        assert_eq!(swapped(written).unwrap_err(), "it is not a plain file");
    }

    #[test]
    fn a_link_that_came_in_a_files_place_is_not_followed() {
        let link = |path: &Path| {
            fs_err::remove_file(path).unwrap();
            std::os::unix::fs::symlink("/dev/null", path).unwrap();
        };
        assert!(swapped(link).is_err());
    }

    #[test]
    fn a_folder_that_came_in_a_files_place_is_no_file() {
        let folder = |path: &Path| {
            fs_err::remove_file(path).unwrap();
            fs_err::create_dir(path).unwrap();
        };
        assert_eq!(swapped(folder).unwrap_err(), "it is not a plain file");
    }

    #[test]
    fn a_file_that_grew_or_shrank_is_read_as_it_is() {
        for text in ["", "x", &"long\n".repeat(5000)] {
            let owned = text.to_owned();
            let read = swapped(move |path| fs_err::write(path, owned).unwrap());
            assert_eq!(read.unwrap(), text);
        }
    }
}

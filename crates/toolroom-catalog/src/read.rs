//! Reads one file into a tool. Bounded in size, never blocking on what is not a plain
//! file, and never running anything.

use std::path::Path;

use serde_json::Value;
use sha2::{Digest, Sha256};
use toolroom_kernel::Position;
use toolroom_kernel::model::{Space, Tool, ToolId, field};

use crate::core_data::CoreFile;
use crate::extract::registry::Extractors;
use crate::extract::rules::{FileText, Found};
use crate::extract::{Extraction, extract};
use crate::problem::{Problem, ProblemKind};

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
    let metadata = path.metadata().map_err(|error| unreadable(path, &error))?;
    if !metadata.is_file() {
        return Err(not_a_file(path));
    }
    let mut bytes = Vec::new();
    read_into(&mut bytes, path, metadata.len())?;
    String::from_utf8(bytes).map_err(|error| not_utf8(path, error.as_bytes(), &error.utf8_error()))
}

/// Memory for one file's text after another's.
#[derive(Debug, Default)]
pub struct Buffer(Vec<u8>);

impl Buffer {
    /// The text of a file that was plain and of this size when it was found.
    ///
    /// # Errors
    /// As [`text`].
    pub fn text(&mut self, path: &Path, size: u64) -> Result<&str, Problem> {
        read_into(&mut self.0, path, size)?;
        std::str::from_utf8(&self.0).map_err(|error| not_utf8(path, &self.0, &error))
    }
}

/// Reads a whole file that seems to have this size, in one step if it has.
fn read_into(bytes: &mut Vec<u8>, path: &Path, size: u64) -> Result<(), Problem> {
    use std::io::Read as _;
    let mut expected = size;
    let mut filled = 0;
    let mut file = std::fs::File::open(path).map_err(|error| unreadable(path, &error))?;
    loop {
        if expected > MAX_FILE_SIZE {
            return Err(too_large(path, expected));
        }
        // One byte more shows whether the file has grown.
        let length = usize::try_from(expected).unwrap_or(usize::MAX - 1);
        bytes.resize(length + 1, 0);
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
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

pub(crate) fn unreadable(path: &Path, error: &std::io::Error) -> Problem {
    let help = match error.kind() {
        std::io::ErrorKind::PermissionDenied => {
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
    let mut metadata = match file.document() {
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
        id: ToolId::parse(file.id).expect("core ids are checked by a test"),
        space: Space::Core,
        path: format!("core:{}", file.path).into(),
        metadata,
        positions: std::collections::BTreeMap::new(),
        digest: digest(file.source),
    }
}

fn digest(text: &str) -> String {
    use std::fmt::Write as _;
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

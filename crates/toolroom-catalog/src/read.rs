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
    let unreadable =
        |error: std::io::Error| Problem::new(ProblemKind::Unreadable, path, plain(&error));
    let metadata = path.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(Problem::new(
            ProblemKind::Unreadable,
            path,
            "it is not a plain file",
        ));
    }
    if metadata.len() > MAX_FILE_SIZE {
        let message = format!(
            "the file has {} MB; a tool file has at most {} MB",
            metadata.len() / 1_000_000,
            MAX_FILE_SIZE / 1024 / 1024
        );
        return Err(Problem::new(ProblemKind::TooLarge, path, message)
            .help("keep data in files of its own, outside tools/"));
    }
    let bytes = std::fs::File::open(path)
        .and_then(|file| {
            use std::io::Read as _;
            let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or(0) + 1);
            file.take(MAX_FILE_SIZE).read_to_end(&mut bytes)?;
            Ok(bytes)
        })
        .map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|error| not_utf8(path, &error))
}

/// An I/O error without the number of its kind.
fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((message, _)) => message.to_lowercase(),
        None => text,
    }
}

fn not_utf8(path: &Path, error: &std::string::FromUtf8Error) -> Problem {
    let bytes = error.as_bytes();
    let valid = error.utf8_error().valid_up_to();
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

//! The head of a `METADATA` or `PKG-INFO` file: the few fields an audit needs.
//!
//! The description below the head may be megabytes; it is never read.

use std::io::Read;
use std::path::Path;

const CHUNK: usize = 4 << 10;
const MAX_HEAD: usize = 1 << 20;
const MAX_REQUIRES: usize = 4_096;

/// What a distribution says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Metadata {
    pub name: String,
    pub version: String,
    pub requires: Vec<String>,
    pub requires_python: Option<String>,
}

impl Metadata {
    /// Reads a file; the error is the reason alone.
    pub fn read(path: &Path) -> Result<Self, String> {
        let mut file = fs_err::File::open(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => "it has no metadata".to_owned(),
            kind => kind.to_string(),
        })?;
        // Most heads fit the first chunk, and then the file costs a single read.
        let mut chunk = [0; CHUNK];
        let mut bytes = Vec::new();
        loop {
            let read = file
                .read(&mut chunk)
                .map_err(|error| error.kind().to_string())?;
            let searched = bytes.len().saturating_sub(3);
            bytes.extend_from_slice(chunk.get(..read).unwrap_or_default());
            if let Some(end) = head_end(bytes.get(searched..).unwrap_or_default()) {
                bytes.truncate(searched + end);
                break;
            }
            if read == 0 {
                break;
            }
            if bytes.len() > MAX_HEAD {
                return Err("the head of its metadata is too long".to_owned());
            }
        }
        Self::parse(&String::from_utf8_lossy(&bytes))
    }

    /// Parses a head: fields up to the first empty line.
    pub fn parse(head: &str) -> Result<Self, String> {
        let mut metadata = Self::default();
        let mut field: Option<(&str, String)> = None;
        for line in head.trim_start_matches('\u{feff}').lines() {
            if line.starts_with([' ', '\t']) {
                if let Some((_, value)) = field.as_mut() {
                    value.push(' ');
                    value.push_str(line.trim());
                }
                continue;
            }
            metadata.keep(field.take());
            if line.is_empty() {
                break;
            }
            field = line
                .split_once(':')
                .filter(|(name, _)| is_wanted(name))
                .map(|(name, value)| (name, value.trim().to_owned()));
        }
        metadata.keep(field);
        if metadata.name.is_empty() || metadata.version.is_empty() {
            return Err("its metadata names no package or no version".to_owned());
        }
        Ok(metadata)
    }

    fn keep(&mut self, field: Option<(&str, String)>) {
        let Some((name, value)) = field else {
            return;
        };
        if name.eq_ignore_ascii_case("Requires-Dist") {
            if self.requires.len() < MAX_REQUIRES {
                self.requires.push(value);
            }
        } else if name.eq_ignore_ascii_case("Requires-Python") {
            self.requires_python = Some(value);
        } else if name.eq_ignore_ascii_case("Name") {
            self.name = value;
        } else {
            self.version = value;
        }
    }
}

fn is_wanted(name: &str) -> bool {
    ["Name", "Version", "Requires-Dist", "Requires-Python"]
        .iter()
        .any(|wanted| name.eq_ignore_ascii_case(wanted))
}

/// Where the first empty line begins.
fn head_end(bytes: &[u8]) -> Option<usize> {
    let mut start = 0;
    while let Some(at) = memchr::memchr(b'\n', bytes.get(start..)?) {
        start += at + 1;
        if matches!(bytes.get(start..)?, [b'\n', ..] | [b'\r', b'\n', ..]) {
            return Some(start);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_are_read_up_to_the_empty_line() {
        let text = "Metadata-Version: 2.1\r\nName: Foo.Bar\r\nVersion: 1.0\r\nLicense: MIT\r\n  more: text\r\n\
            requires-dist: a>=1\r\nRequires-Dist: b;\r\n extra == 'x'\r\nRequires-Python: >=3.8\r\n\r\nRequires-Dist: no\r\n";
        let metadata = Metadata::parse(text).unwrap();
        assert_eq!(metadata.name, "Foo.Bar");
        assert_eq!(metadata.requires, ["a>=1", "b; extra == 'x'"]);
        assert_eq!(metadata.requires_python.as_deref(), Some(">=3.8"));
    }

    #[test]
    fn a_long_description_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("METADATA");
        for filler in [0, CHUNK - 60, CHUNK - 40, CHUNK - 30, CHUNK * 3] {
            let mut text = format!(
                "Name: a\nVersion: 1\nKeywords: {}\nRequires-Dist: b\n\n",
                "k".repeat(filler)
            );
            text.push_str(&"Requires-Dist: no\n".repeat(10_000));
            fs_err::write(&path, text).unwrap();
            assert_eq!(Metadata::read(&path).unwrap().requires, ["b"], "{filler}");
        }
    }

    #[test]
    fn metadata_without_a_name_is_refused() {
        for text in ["", "Version: 1\n", "Name: x\n", "\n\nName: x\nVersion: 1\n"] {
            assert!(Metadata::parse(text).is_err(), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "([A-Za-z-]{0,16}:? ?\\PC{0,12}\r?\n){0,8}") {
            let _ = Metadata::parse(&text);
            let _ = head_end(text.as_bytes());
        }
    }
}

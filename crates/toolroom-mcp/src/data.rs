//! Files of a space that are served as they are: found, bounded, and read as YAML, as
//! Markdown with front matter, or as themselves.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use toolroom_kernel::plain::{self, Links};

const DEEPEST: usize = 16;
const MOST_FILES: usize = 10_000;
const LARGEST: u64 = 4 << 20;

/// A file below one of the served folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Below the folder, with `/` between the parts.
    pub name: String,
    pub path: PathBuf,
}

impl File {
    /// The name without its extension.
    #[must_use]
    pub fn stem(&self) -> &str {
        self.extension().map_or(&self.name, |extension| {
            &self.name[..self.name.len() - extension.len() - 1]
        })
    }

    #[must_use]
    pub fn extension(&self) -> Option<&str> {
        let file = self.name.rsplit('/').next()?;
        file.rsplit_once('.')
            .filter(|(stem, _)| !stem.is_empty())
            .map(|(_, extension)| extension)
    }
}

/// Every file of a folder, ordered. Hidden ones and links are left out.
#[must_use]
pub fn files(folder: &Path) -> Vec<File> {
    let mut found = Vec::new();
    walk(folder, "", 0, &mut found);
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn walk(folder: &Path, prefix: &str, depth: usize, found: &mut Vec<File>) {
    let Ok(entries) = fs_err::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let Some(name) = name
            .to_str()
            .filter(|name| !name.starts_with(['.', '_']) && !name.ends_with('~'))
        else {
            continue;
        };
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        let name = format!("{prefix}{name}");
        if kind.is_dir() && depth < DEEPEST {
            walk(&entry.path(), &format!("{name}/"), depth + 1, found);
        } else if kind.is_file() && found.len() < MOST_FILES {
            found.push(File {
                name,
                path: entry.path(),
            });
        }
    }
}

/// The text of a file.
///
/// # Errors
/// Says why there is none: too large, not UTF-8, not readable.
pub fn text(path: &Path) -> Result<String, String> {
    let bytes = bytes(path, Links::Followed, LARGEST)?;
    String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8", path.display()))
}

/// The bytes of a plain file.
///
/// # Errors
/// Says why there are none: too large, not a file, not readable.
pub fn bytes(path: &Path, links: Links, most: u64) -> Result<Vec<u8>, String> {
    let name = path.display();
    let unreadable = |error: std::io::Error| format!("{name} cannot be read: {error}");
    let file = plain::open(path, links).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(format!("{name} is not a plain file"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(metadata.len().min(most)).unwrap_or(0) + 1);
    // It may have grown since.
    let read = file.take(most + 1).read_to_end(&mut bytes);
    read.map_err(unreadable)?;
    if bytes.len() as u64 > most {
        return Err(format!("{name} is larger than {most} bytes"));
    }
    Ok(bytes)
}

/// A YAML text as a value.
///
/// # Errors
/// Says what is wrong, and in which line.
pub fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_saphyr::from_str(text).map_err(|error| {
        error
            .to_string()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    })
}

/// Front matter and what follows it; a text without any is all body.
#[must_use]
pub fn front_matter(text: &str) -> (Option<&str>, &str) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let Some(rest) = text
        .strip_prefix("---\n")
        .or_else(|| text.strip_prefix("---\r\n"))
    else {
        return (None, text);
    };
    let mut at = 0;
    for line in rest.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return (Some(&rest[..at]), &rest[at + line.len()..]);
        }
        at += line.len();
    }
    (None, text)
}

/// Fills `{name}` in; whatever else stands in braces stays. Filled-in text is not looked
/// at again.
#[must_use]
pub fn filled(text: &str, value: impl Fn(&str) -> Option<String>) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        filled.push_str(&rest[..open]);
        let inner = &rest[open + 1..];
        let name = inner.find('}').map(|close| &inner[..close]);
        match name.and_then(|name| Some((name, value(name)?))) {
            Some((name, value)) => {
                filled.push_str(&value);
                rest = &inner[name.len() + 1..];
            }
            None => {
                filled.push('{');
                rest = inner;
            }
        }
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_names_in_braces_are_filled_in() {
        let value = |name: &str| (name == "a").then(|| "{b}".to_owned());
        assert_eq!(
            filled("{\"a\": \"{a}\", {b} {", value),
            "{\"a\": \"{b}\", {b} {"
        );
    }

    #[test]
    fn front_matter_ends_at_its_line() {
        assert_eq!(
            front_matter("---\na: 1\n---\nbody\n---\n"),
            (Some("a: 1\n"), "body\n---\n")
        );
        assert_eq!(front_matter("no\n---\n"), (None, "no\n---\n"));
        assert_eq!(
            front_matter("---\nnever closed"),
            (None, "---\nnever closed")
        );
    }

    #[test]
    fn hidden_files_are_not_served() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.md", "a/c.yaml", ".hidden", "_private.md", "x~"] {
            let path = folder.path().join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "").unwrap();
        }
        let found = files(folder.path());
        let names: Vec<&str> = found.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["a/c.yaml", "b.md"]);
        assert_eq!(
            (found[0].stem(), found[0].extension()),
            ("a/c", Some("yaml"))
        );
    }
}

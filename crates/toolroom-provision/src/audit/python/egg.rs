//! The formats before wheels: `PKG-INFO` with `requires.txt`, and links to projects
//! developed in place.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::metadata::Metadata;
use crate::requirement::pep508::normalize;

const MAX_BYTES: u64 = 256 << 10;

/// Reads an `egg-info` directory.
pub(super) fn read(directory: &Path) -> Result<Metadata, String> {
    let mut metadata = Metadata::read(&directory.join("PKG-INFO"))?;
    if metadata.requires.is_empty()
        && let Some(text) = small_text(&directory.join("requires.txt"))
    {
        metadata.requires = requires(&text);
    }
    Ok(metadata)
}

/// The directory an `egg-link` names: its first line.
pub(super) fn link_target(link: &Path) -> Option<PathBuf> {
    let text = small_text(link)?;
    let line = text.lines().next()?.trim();
    let folder = link.parent()?;
    (!line.is_empty() && !line.contains('\0')).then(|| folder.join(line))
}

/// The `egg-info` directory of a project in a directory.
pub(super) fn info_in(directory: &Path, name: &str) -> Result<PathBuf, String> {
    let entries = fs_err::read_dir(directory).map_err(|_| {
        format!(
            "the project it links to is gone from {}",
            directory.display()
        )
    })?;
    entries
        .flatten()
        .take(10_000)
        .filter_map(|entry| entry.file_name().into_string().ok())
        .find(|file| {
            file.strip_suffix(".egg-info")
                .is_some_and(|stem| normalize(stem) == name)
        })
        .map(|file| directory.join(file))
        .ok_or_else(|| format!("there is no egg-info in {}", directory.display()))
}

/// Turns the sections of `requires.txt` into markers.
fn requires(text: &str) -> Vec<String> {
    let mut marker = String::new();
    let mut found = Vec::new();
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(section) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            let (extra, condition) = section.split_once(':').unwrap_or((section, ""));
            let extra = Some(extra.trim()).filter(|extra| !extra.is_empty());
            let condition = Some(condition.trim()).filter(|condition| !condition.is_empty());
            marker = match (extra, condition) {
                (Some(extra), Some(condition)) => format!("({condition}) and extra == '{extra}'"),
                (Some(extra), None) => format!("extra == '{extra}'"),
                (None, Some(condition)) => condition.to_owned(),
                (None, None) => String::new(),
            };
        } else if marker.is_empty() {
            found.push(line.to_owned());
        } else {
            found.push(match line.split_once(';') {
                Some((requirement, own)) => {
                    format!("{} ; ({}) and {marker}", requirement.trim(), own.trim())
                }
                None => format!("{line} ; {marker}"),
            });
        }
    }
    found
}

fn small_text(path: &Path) -> Option<String> {
    let mut bytes = Vec::new();
    let file = fs_err::File::open(path).ok()?;
    file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_become_markers() {
        let text = "a>=1\n\n[:python_version < \"3\"]\nb\n\n[fast]\nc\n\n[dev:sys_platform == 'linux']\nd; os_name == 'posix'\n";
        assert_eq!(
            requires(text),
            [
                "a>=1",
                "b ; python_version < \"3\"",
                "c ; extra == 'fast'",
                "d ; (os_name == 'posix') and (sys_platform == 'linux') and extra == 'dev'",
            ]
        );
    }
}

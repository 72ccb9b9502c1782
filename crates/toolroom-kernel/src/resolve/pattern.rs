//! Paths with a hole for the version: `versions/*/bin/x`, `rubies/r-{version}`.
//!
//! The holes are marked before a template is filled in, so that a `*` in a home
//! directory's name is never taken for one.

use std::path::{Path, PathBuf};

const VERSION: char = '\u{1}';
const ANY: char = '\u{2}';

/// Marks the holes of a template: `{version}`, or else the first `*`, is the version.
pub(super) fn mark(template: &str) -> String {
    let any = ANY.to_string();
    let version = VERSION.to_string();
    if template.contains("{version}") {
        template.replace('*', &any).replace("{version}", &version)
    } else {
        template.replacen('*', &version, 1).replace('*', &any)
    }
}

pub(super) fn has_hole(text: &str) -> bool {
    text.contains([VERSION, ANY])
}

/// How a marked path is shown.
pub(super) fn show(text: &str) -> String {
    text.replace([VERSION, ANY], "*")
}

/// A marked path, cut at the segment with the hole.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Hole {
    pub(super) base: PathBuf,
    pub(super) segment: String,
    pub(super) rest: PathBuf,
}

impl Hole {
    /// Cuts a marked path; a second segment with a hole makes it none.
    pub(super) fn cut(marked: &str) -> Option<Self> {
        let hole = marked.find([VERSION, ANY])?;
        let start = marked[..hole]
            .rfind(std::path::is_separator)
            .map_or(0, |slash| slash + 1);
        let end = marked[hole..]
            .find(std::path::is_separator)
            .map_or(marked.len(), |slash| hole + slash);
        let rest = marked[end..].trim_start_matches(std::path::is_separator);
        (!has_hole(rest)).then(|| Self {
            base: PathBuf::from(&marked[..start]),
            segment: marked[start..end].to_owned(),
            rest: PathBuf::from(rest),
        })
    }
}

/// What a name has in the version's hole, if it fits the segment.
pub(super) fn capture<'n>(segment: &str, name: &'n str) -> Option<&'n str> {
    let (before, after) = segment.split_once(VERSION)?;
    let rest = name.strip_prefix(before)?;
    let found = match after.split_once(ANY) {
        None => rest.strip_suffix(after)?,
        Some(("", _)) => rest,
        Some((literal, _)) => rest.split_once(literal)?.0,
    };
    // `v*` is `v20`, not `versions`: a hole does not begin within a word.
    let within_a_word =
        before.ends_with(char::is_alphabetic) && found.starts_with(char::is_alphabetic);
    (!found.is_empty() && !within_a_word).then_some(found)
}

/// What the last folders of a file's path have in the hole of a pattern such as
/// `versions/v{version}/bin`.
pub(super) fn capture_folder<'p>(pattern: &str, file: &'p Path) -> Option<&'p str> {
    let mut folders = file.parent()?.components().rev();
    let mut found = None;
    for segment in pattern.rsplit('/') {
        let folder = folders.next()?.as_os_str().to_str()?;
        match capture(segment, folder) {
            Some(version) => found = Some(version),
            None if segment == folder || segment.chars().eq([ANY]) => {}
            None => return None,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_gives_its_version() {
        let table = [
            ("*", "3.11.7", Some("3.11.7")),
            ("v*", "v20.1.0", Some("20.1.0")),
            ("v*", "20.1.0", None),
            ("r-{version}", "r-3.2.1", Some("3.2.1")),
            ("c-{version}-*", "c-3.11.7-linux-x86", Some("3.11.7")),
            ("go{version}.x", "go1.2.x", Some("1.2")),
            ("v*", "v", None),
            ("v*", "versions", None),
            ("r-{version}", "r-head", Some("head")),
        ];
        for (segment, name, expected) in table {
            assert_eq!(capture(&mark(segment), name), expected, "{segment} {name}");
        }
    }

    #[test]
    fn a_path_is_cut_at_its_hole() {
        let hole = Hole::cut(&mark("/root/versions/v*/bin/x")).unwrap();
        assert_eq!(hole.base, Path::new("/root/versions/"));
        assert_eq!(capture(&hole.segment, "v1"), Some("1"));
        assert_eq!(hole.rest, Path::new("bin/x"));
        assert_eq!(Hole::cut("/no/hole"), None);
        assert_eq!(Hole::cut(&mark("/a/*/b/*/c")), None);
    }

    #[test]
    fn a_version_is_read_from_the_last_folders_of_a_path() {
        let table = [
            (
                "Store/*/{version}/bin",
                "/opt/Store/thing/20.1.0/bin/thing",
                Some("20.1.0"),
            ),
            ("Store/*/{version}/bin", "/usr/bin/thing", None),
            (
                "versions/{version}/bin",
                "/versions/2.0/bin/app/env/bin/thing",
                None,
            ),
            ("a/b/c/v{version}", "b", None),
        ];
        for (pattern, path, expected) in table {
            assert_eq!(
                capture_folder(&mark(pattern), Path::new(path)),
                expected,
                "{pattern} {path}"
            );
        }
    }
}

//! The versions that are installed side by side, listed once and put in order.

use std::path::PathBuf;

use super::alias::Choice;
use super::pattern::{Hole, capture};
use super::version::Version;

/// More folders than this are not looked at.
const MAX_ENTRIES: usize = 100_000;

/// One installed version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) version: Option<Version>,
    pub(super) directory: PathBuf,
}

/// Lists what fills the hole of a path, newest first, pre-releases and flavours after
/// releases, and names that are no version last. One directory is read; no entry is looked at.
pub(super) fn list(hole: &Hole) -> Vec<Entry> {
    let Ok(entries) = fs_err::read_dir(&hole.base) else {
        return Vec::new();
    };
    let mut found: Vec<Entry> = entries
        .take(MAX_ENTRIES)
        .flatten()
        .filter_map(|entry| {
            let file_name = entry.file_name();
            let name = capture(&hole.segment, file_name.to_str()?)?;
            Some(Entry {
                name: name.to_owned(),
                version: Version::parse(name),
                directory: hole.base.join(&file_name),
            })
        })
        .collect();
    found.sort_unstable_by(|a, b| order(b, a));
    found
}

fn order(a: &Entry, b: &Entry) -> std::cmp::Ordering {
    let stable = |entry: &Entry| entry.version.as_ref().is_some_and(Version::is_plain);
    stable(a)
        .cmp(&stable(b))
        .then_with(|| a.version.cmp(&b.version))
        .then_with(|| b.name.cmp(&a.name))
}

/// What a list of choices makes of the installed versions.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Selection<'e> {
    /// These, the best first.
    Entries(Vec<&'e Entry>),
    /// Whatever PATH has is asked for.
    System,
    None,
}

/// Takes the first choice that is installed.
pub(super) fn select<'e>(
    entries: &'e [Entry],
    choices: &[Choice],
    asked: &[String],
) -> Selection<'e> {
    // A folder of exactly the name that is asked for is never outdone by a newer one.
    for text in asked {
        if let Some(entry) = entries
            .iter()
            .find(|entry| entry.name == *text && entry.version.is_none())
        {
            return Selection::Entries(vec![entry]);
        }
    }
    for choice in choices {
        let fits = |entry: &&Entry| match choice {
            Choice::System => false,
            Choice::Newest => entry.version.is_some(),
            Choice::Range(range) => entry
                .version
                .as_ref()
                .is_some_and(|version| range.means(version)),
            Choice::Name(name) => entry.name == *name,
        };
        if *choice == Choice::System {
            return Selection::System;
        }
        let fitting: Vec<&Entry> = entries.iter().filter(fits).collect();
        if !fitting.is_empty() {
            return Selection::Entries(fitting);
        }
    }
    Selection::None
}

#[cfg(test)]
mod tests {
    use super::super::pattern::mark;
    use super::super::range::Range;
    use super::*;

    fn entries(names: &[&str]) -> (tempfile::TempDir, Vec<Entry>) {
        let root = tempfile::tempdir().unwrap();
        for name in names {
            fs_err::create_dir(root.path().join(name)).unwrap();
        }
        let marked = mark(&format!("{}/*/bin/x", root.path().display()));
        let found = list(&Hole::cut(&marked).unwrap());
        (root, found)
    }

    fn names<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Vec<&'e str> {
        entries
            .into_iter()
            .map(|entry| entry.name.as_str())
            .collect()
    }

    #[test]
    fn the_newest_comes_first_and_names_come_last() {
        let (_root, found) = entries(&["3.9.1", "3.10.0", "3.14.0rc1", "latest", "3.10", "env"]);
        assert_eq!(
            names(&found),
            ["3.10.0", "3.10", "3.9.1", "3.14.0rc1", "env", "latest"]
        );
    }

    #[test]
    fn the_first_choice_that_is_installed_wins() {
        let (_root, found) = entries(&["1.9.0", "2.1.0", "2.2.0", "mine"]);
        let range = |text| Choice::Range(Range::parse(text).unwrap());
        let chosen = |choices: &[Choice]| match select(&found, choices, &[]) {
            Selection::Entries(entries) => names(entries).join(" "),
            Selection::System => "system".to_owned(),
            Selection::None => String::new(),
        };
        assert_eq!(chosen(&[range("3"), range("2")]), "2.2.0 2.1.0");
        assert_eq!(chosen(&[range("3"), Choice::System, range("2")]), "system");
        assert_eq!(chosen(&[Choice::Newest]), "2.2.0 2.1.0 1.9.0");
        assert_eq!(chosen(&[Choice::Name("mine".to_owned())]), "mine");
        assert_eq!(chosen(&[range("7")]), "");
    }
}

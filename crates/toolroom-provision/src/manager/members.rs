//! The members of a project: folders below it that its manifests name by patterns.
//!
//! Walks no further than the patterns lead, never into hidden folders unless they say so,
//! never into folders of packages, and through no link that leads out of the project. More
//! members than can be kept are refused, not overlooked: what is not kept before an install
//! could not be put back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use toolroom_catalog::extract::data::{self, Format};
use toolroom_catalog::extract::document::Variable;

use super::pattern::{Pattern, Reached};
use super::spec::{Manager, Members};
use crate::error::ProvisionError;

/// The largest file that is looked into for patterns.
const MAX_BYTES: u64 = 16 << 20;

/// Far more than any project has; what has more has a pattern that names what it should not.
const MAX_MEMBERS: usize = 10_000;
const MAX_PATTERNS: usize = 10_000;
const MAX_FOLDERS: usize = 200_000;

/// Never a member, and nothing in it is.
const NEVER: &str = ".git";

/// The folders of packages that the members of a project have or may get. A member may have
/// members of its own.
///
/// # Errors
/// Fails if a file that names members cannot be read, or names too many.
pub fn members(manager: &Manager, root: &Path) -> Result<Vec<PathBuf>, ProvisionError> {
    let (Some(members), Some(folder)) = (&manager.members, &manager.folder) else {
        return Ok(Vec::new());
    };
    let mut found = BTreeSet::new();
    let mut left = vec![root.to_path_buf()];
    while let Some(place) = left.pop() {
        for list in lists(members, &place) {
            let list = list?;
            let walk = Walk::new(members, folder, (root, &place), &list.patterns);
            let too_many = || too_many(&place.join(list.file), list.field);
            let named = walk.run().ok_or_else(too_many)?;
            let new: Vec<PathBuf> = named.difference(&found).cloned().collect();
            found.extend(new.iter().cloned());
            if found.len() > MAX_MEMBERS {
                return Err(too_many());
            }
            left.extend(new);
        }
    }
    Ok(found.into_iter().map(|found| found.join(folder)).collect())
}

/// Where a folder says that another is a member of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The name of the file, and the list in it.
    pub file: String,
    pub field: String,
}

/// Every place where a folder names another, below it, as a member. What cannot be read
/// names nobody.
#[must_use]
pub fn claims(manager: &Manager, root: &Path, member: &Path) -> Vec<Claim> {
    let (Some(members), Some(folder), Ok(inner)) =
        (&manager.members, &manager.folder, member.strip_prefix(root))
    else {
        return Vec::new();
    };
    let names: Vec<_> = inner.iter().map(|name| name.to_string_lossy()).collect();
    let is_passed_over = |name: &str| name == folder || name == NEVER;
    if names.is_empty()
        || names.iter().any(|name| is_passed_over(name))
        || !members.has_manifest(member)
    {
        return Vec::new();
    }
    let reaches = |patterns: &[Pattern]| {
        let after = |pattern: &Pattern| {
            let step = |reached, name| pattern.step(&reached, name, false);
            names.iter().map(AsRef::as_ref).fold(pattern.start(), step)
        };
        let reached: Vec<Reached> = patterns.iter().map(after).collect();
        is_meant(patterns, &reached)
    };
    lists(members, root)
        .filter_map(Result::ok)
        .filter(|list| reaches(&list.patterns))
        .map(|list| Claim {
            file: list.file.to_owned(),
            field: list.field.to_owned(),
        })
        .collect()
}

/// The last pattern that names a folder counts.
fn is_meant(patterns: &[Pattern], reached: &[Reached]) -> bool {
    let reached = patterns.iter().zip(reached);
    let last = reached
        .rev()
        .find(|(pattern, reached)| pattern.is_met(reached));
    last.is_some_and(|(pattern, _)| !pattern.takes_out)
}

/// Patterns that are heard together, and where they stand.
struct List<'m> {
    file: &'m str,
    field: &'m str,
    patterns: Vec<Pattern>,
}

/// The lists of patterns that a folder holds.
fn lists<'m>(
    members: &'m Members,
    root: &Path,
) -> impl Iterator<Item = Result<List<'m>, ProvisionError>> {
    let files = members.declared.iter();
    files.flat_map(|(file, fields)| {
        let path = root.join(file);
        if !path.is_file() {
            return Vec::new();
        }
        let document = match document(&path) {
            Ok(document) => document,
            Err(reason) => return vec![Err(ProvisionError::BadManifest { path, reason })],
        };
        let lists = fields.iter().map(|field| List {
            patterns: patterns(&document, field),
            file,
            field,
        });
        let with_patterns = lists.filter(|list| !list.patterns.is_empty());
        with_patterns.map(Ok).collect()
    })
}

fn too_many(path: &Path, field: &str) -> ProvisionError {
    let file = path.file_name().unwrap_or_default().display();
    ProvisionError::Refused {
        target: "project".to_owned(),
        reason: format!(
            "`{field}` of {file} leads to more folders than can be kept as they are while an install changes them"
        ),
        fix: Some(format!("narrow the patterns of `{field}`")),
    }
}

fn document(path: &Path) -> Result<Value, String> {
    let length = fs_err::metadata(path)
        .map_err(|error| error.to_string())?
        .len();
    if length > MAX_BYTES {
        return Err("it is too large".to_owned());
    }
    let text = fs_err::read_to_string(path).map_err(|error| error.to_string())?;
    let extension = path.extension().and_then(|extension| extension.to_str());
    let format = match extension {
        Some("yaml" | "yml") => Format::Yaml,
        Some("toml") => Format::Toml,
        // Installers take a key that is there twice, so this has to.
        _ => {
            let text = text.trim_start_matches('\u{feff}');
            return serde_json::from_str(text).map_err(|error| error.to_string());
        }
    };
    let read = data::read(&text, format);
    if let Some(fault) = read.faults.first() {
        return Err(format!("line {}: {}", fault.at.line, fault.message));
    }
    let literal = |(key, variable)| match variable {
        Variable::Literal(found) => Some((key, found.value)),
        Variable::NotLiteral(_) => None,
    };
    let fields: Map<String, Value> = read.variables.into_iter().filter_map(literal).collect();
    Ok(Value::Object(fields))
}

/// The patterns of a list; what is no list has none.
fn patterns(document: &Value, field: &str) -> Vec<Pattern> {
    let found = field
        .split('.')
        .try_fold(document, |value, key| value.get(key));
    let texts = found.and_then(Value::as_array).into_iter().flatten();
    texts
        .filter_map(Value::as_str)
        .flat_map(Pattern::read)
        .take(MAX_PATTERNS + 1)
        .collect()
}

/// A walk to the folders that the patterns of one list name.
struct Walk<'w> {
    members: &'w Members,
    /// The name of folders of packages.
    folder: &'w str,
    root: &'w Path,
    place: &'w Path,
    /// The root without links, which nothing may lead out of.
    real_root: PathBuf,
    patterns: &'w [Pattern],
    found: BTreeSet<PathBuf>,
    looked_at: usize,
}

/// A folder on the way, and how far each pattern has come there.
struct Place {
    path: PathBuf,
    reached: Vec<Reached>,
}

impl<'w> Walk<'w> {
    /// From a place on, which is the root or a member below it.
    fn new(
        members: &'w Members,
        folder: &'w str,
        (root, place): (&'w Path, &'w Path),
        patterns: &'w [Pattern],
    ) -> Self {
        Self {
            members,
            folder,
            root,
            place,
            real_root: fs_err::canonicalize(root).unwrap_or_else(|_| root.to_path_buf()),
            patterns,
            found: BTreeSet::new(),
            looked_at: 0,
        }
    }

    /// None if there are too many.
    fn run(mut self) -> Option<BTreeSet<PathBuf>> {
        let mut left = vec![Place {
            path: self.place.to_path_buf(),
            reached: self.patterns.iter().map(Pattern::start).collect(),
        }];
        while let Some(place) = left.pop() {
            if self.is_named(&place) {
                self.found.insert(place.path.clone());
            }
            if self.leads_on(&place) {
                left.extend(self.below(&place));
            }
            let is_too_much = self.looked_at > MAX_FOLDERS
                || self.found.len() > MAX_MEMBERS
                || self.patterns.len() > MAX_PATTERNS;
            if is_too_much {
                return None;
            }
        }
        Some(self.found)
    }

    fn is_named(&self, place: &Place) -> bool {
        is_meant(self.patterns, &place.reached)
            && ![self.root, self.place].contains(&&*place.path)
            && self.members.has_manifest(&place.path)
    }

    fn leads_on(&self, place: &Place) -> bool {
        let mut reached = self.patterns.iter().zip(&place.reached);
        reached.any(|(pattern, reached)| !pattern.takes_out && !reached.is_empty())
    }

    fn below(&mut self, place: &Place) -> Vec<Place> {
        // A folder that cannot be read is one that no installer can go into.
        let entries = fs_err::read_dir(&place.path).into_iter().flatten();
        let mut below = Vec::new();
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_file() {
                continue;
            }
            self.looked_at += 1;
            let name = entry.file_name();
            // A name that is not text is looked at as far as it can be read.
            let name = name.to_string_lossy();
            if name == self.folder || name == NEVER {
                continue;
            }
            let steps = self.patterns.iter().zip(&place.reached);
            let reached: Vec<Reached> = steps
                .map(|(pattern, reached)| pattern.step(reached, &name, kind.is_symlink()))
                .collect();
            if reached.iter().all(Vec::is_empty) {
                continue;
            }
            let path = match kind.is_symlink() {
                true => self.inside(&entry.path()),
                false => Some(entry.path()),
            };
            below.extend(path.map(|path| Place { path, reached }));
        }
        below
    }

    /// The folder in the project that a link leads to.
    fn inside(&self, link: &Path) -> Option<PathBuf> {
        let target = fs_err::canonicalize(link).ok()?;
        let inner = target.strip_prefix(&self.real_root).ok()?;
        let is_passed_over = |name: &std::ffi::OsStr| name == self.folder || name == NEVER;
        (target.is_dir() && !inner.iter().any(is_passed_over)).then(|| self.root.join(inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Room;

    const MANAGER: &str = "tool_type: manager\nfolder: hollow\nchoose: {otherwise: [x]}\ntools: {x: {program: x, install: [[x]]}}\nmembers:\n  declared: {all.json: [trees, trees.those], more.yaml: [trees]}\n  manifests: [tree.json]\n";

    fn manager(room: &Room) -> Manager {
        room.file(".ai/tools/managers/trees.yaml", MANAGER);
        crate::manager::load(&room.catalog(), "trees", None).unwrap()
    }

    fn found(room: &Room) -> Vec<String> {
        let found = members(&manager(room), &room.project()).unwrap();
        let name = |path: &PathBuf| {
            path.strip_prefix(room.project())
                .unwrap()
                .display()
                .to_string()
        };
        found.iter().map(name).collect()
    }

    fn wood(paths: &[&str]) -> Room {
        let room = Room::new();
        for path in paths {
            room.file(&format!("{path}/tree.json"), "{}");
        }
        room
    }

    #[test]
    fn members_are_read_from_every_form_and_file_that_the_data_names() {
        for (file, text) in [
            (
                "all.json",
                "{\"trees\": [\"a/*\"], \"trees\": [\"a/*\", 7]}",
            ),
            ("all.json", "{\"trees\": {\"those\": [\"a/*\"]}}"),
            ("more.yaml", "# ours\ntrees:\n  - 'a/*'\n"),
        ] {
            let room = wood(&["a/x", "a/y", "b/z"]);
            room.file("a/none/readme", "");
            room.file(file, text);
            assert_eq!(found(&room), ["a/x/hollow", "a/y/hollow"], "{text}");
        }
    }

    #[test]
    fn the_last_pattern_that_names_a_folder_counts() {
        let room = wood(&["a/x", "a/y", "a/z"]);
        room.file("all.json", "{\"trees\": [\"a/*\", \"!a/{x,y}\", \"a/y\"]}");
        assert_eq!(found(&room), ["a/y/hollow", "a/z/hollow"]);
        room.file("more.yaml", "trees: [a/x]\n");
        assert_eq!(found(&room).len(), 3, "one file's word is not another's");
    }

    #[test]
    fn a_member_may_have_members_of_its_own() {
        let room = wood(&["a/x", "a/x/in/y", "b"]);
        room.file("all.json", "{\"trees\": [\"a/*\"]}");
        room.file("a/x/all.json", "{\"trees\": [\"in/*\", \"../../b\"]}");
        assert_eq!(found(&room), ["a/x/hollow", "a/x/in/y/hollow"]);
    }

    #[test]
    fn folders_of_packages_hidden_ones_and_the_project_itself_are_no_members() {
        let room = wood(&["", "a", "a/hollow/p", ".h/x", ".git/x", "a/b/c"]);
        room.file("all.json", "{\"trees\": [\"**\", \".\", \".git/*\"]}");
        assert_eq!(found(&room), ["a/hollow", "a/b/c/hollow"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_project_is_followed_and_one_out_of_it_or_in_a_circle_is_not() {
        let room = wood(&["real/x", "a/own"]);
        let outside = tempfile::tempdir().unwrap();
        fs_err::write(outside.path().join("tree.json"), "{}").unwrap();
        let link = |target: &Path, name: &str| {
            fs_err::os::unix::fs::symlink(target, room.project().join(name)).unwrap();
        };
        link(outside.path(), "a/out");
        link(Path::new("../real/x"), "a/in");
        link(Path::new(".."), "a/circle");
        link(Path::new("nowhere"), "a/gone");
        room.file("all.json", "{\"trees\": [\"a/*\", \"a/**\"]}");
        assert_eq!(found(&room), ["a/own/hollow", "real/x/hollow"]);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named_and_one_that_names_nothing_is_not() {
        let room = Room::new();
        room.file("more.yaml", "trees: [a\n");
        let error = members(&manager(&room), &room.project()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("more.yaml cannot be read: line "),
            "{error}"
        );
        room.file("more.yaml", "trees: 7\n");
        assert_eq!(found(&room), [] as [&str; 0]);
    }

    #[test]
    fn more_patterns_than_can_be_followed_are_refused() {
        let room = Room::new();
        let many = vec!["\"a\""; MAX_PATTERNS + 1].join(",");
        room.file("all.json", &format!("{{\"trees\": [{many}]}}"));
        let error = members(&manager(&room), &room.project()).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("`trees` of all.json leads to more"),
            "{error}"
        );
    }

    #[test]
    fn programs_can_heed_only_files_that_name_members_and_only_if_they_are_known() {
        for (heard, reason) in [
            (
                "{none.json: [x]}",
                "heard names \"none.json\", which is not declared",
            ),
            (
                "{all.json: [y]}",
                "heard names \"y\", which is not among its tools",
            ),
        ] {
            let room = Room::new();
            let text = format!("{MANAGER}  heard: {heard}\n");
            room.file(".ai/tools/managers/trees.yaml", &text);
            let error = crate::manager::load(&room.catalog(), "trees", None).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
        }
    }

    #[test]
    fn members_of_a_manager_whose_folder_is_no_name_are_an_error() {
        let room = Room::new();
        let text = MANAGER.replace("folder: hollow", "folder: a/hollow");
        room.file(".ai/tools/managers/trees.yaml", &text);
        let error = crate::manager::load(&room.catalog(), "trees", None).unwrap_err();
        assert!(error.to_string().contains("members: `folder`"), "{error}");
    }
}

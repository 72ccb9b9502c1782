//! `uv.lock`: the versions that an install of the project is bound to.
//!
//! Only what the project itself leads to counts, by the lock's own edges. A pinned package
//! may be absent; if it is there, its version counts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use super::model::{Context, Origin, Parsed, Requirement, Requirements, Role, Selection};
use super::pep508::{PythonRequirement, normalize};
use super::problem::{Problem, ProblemKind};
use super::text;

/// Locks are longer than what people write.
const MAX_BYTES: u64 = 32 << 20;

#[derive(Debug, Deserialize)]
struct Lock {
    #[serde(default)]
    package: Vec<Package>,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    version: Option<String>,
    #[serde(default)]
    source: BTreeMap<String, toml::Value>,
    #[serde(default)]
    dependencies: Vec<Edge>,
    #[serde(default, rename = "optional-dependencies")]
    extras: BTreeMap<String, Vec<Edge>>,
    #[serde(default, rename = "dev-dependencies")]
    groups: BTreeMap<String, Vec<Edge>>,
}

#[derive(Debug, Deserialize)]
struct Edge {
    name: String,
    #[serde(default)]
    extra: Vec<String>,
}

/// Reads the pins of what the project in the lock's folder leads to.
#[must_use]
pub fn read(path: &Path, context: &Context<'_>) -> Requirements {
    let mut found = Requirements::default();
    let origin = Origin::file(path);
    let content = match text::read_up_to(path, MAX_BYTES) {
        Ok(content) => content,
        Err(reason) => {
            let kind = ProblemKind::Unreadable { reason };
            found.problems.push(Problem::new(origin, kind));
            return found;
        }
    };
    found.files.push(path.to_path_buf());
    match toml::from_str::<Lock>(&content) {
        Ok(lock) => found.items = pins(&lock, context.selection, &origin),
        Err(error) => {
            let line = text::line_of(&content, error.span().map_or(0, |span| span.start));
            let reason = error.message().to_owned();
            let kind = ProblemKind::Syntax { reason };
            let problem = Problem::new(Origin::at(path, line), kind);
            found.problems.push(problem);
        }
    }
    found
}

fn pins(lock: &Lock, selection: Selection<'_>, origin: &Origin) -> Vec<Requirement> {
    let mut by_name: BTreeMap<&str, Vec<&Package>> = BTreeMap::new();
    for package in &lock.package {
        by_name.entry(&package.name).or_default().push(package);
    }
    let reached = reached(lock, &by_name, selection);
    let known = reached
        .iter()
        .filter_map(|name| Some((*name, by_name.get(name)?)));
    known
        .filter_map(|(name, packages)| match packages[..] {
            [package] => pin(name, package, origin),
            // A lock that forks holds several versions; which one counts is uv's to say.
            _ => None,
        })
        .collect()
}

/// The names that the project leads to, whatever markers say on the way.
fn reached<'l>(
    lock: &'l Lock,
    by_name: &BTreeMap<&str, Vec<&'l Package>>,
    selection: Selection<'_>,
) -> BTreeSet<&'l str> {
    let is_root = |package: &&Package| {
        ["virtual", "editable", "directory"]
            .iter()
            .any(|kind| package.source.get(*kind).and_then(toml::Value::as_str) == Some("."))
    };
    let mut seen = BTreeSet::new();
    let mut asked: Vec<&Edge> = Vec::new();
    for root in lock.package.iter().filter(is_root) {
        asked.extend(&root.dependencies);
        asked.extend(named(&root.extras, selection.extras));
        asked.extend(named(&root.groups, selection.groups));
    }
    let mut names = BTreeSet::new();
    while let Some(edge) = asked.pop() {
        if !seen.insert((edge.name.as_str(), &edge.extra)) {
            continue;
        }
        names.insert(edge.name.as_str());
        for package in by_name.get(edge.name.as_str()).into_iter().flatten() {
            asked.extend(&package.dependencies);
            asked.extend(named(&package.extras, &edge.extra));
        }
    }
    names
}

fn named<'l>(
    lists: &'l BTreeMap<String, Vec<Edge>>,
    names: &[String],
) -> impl Iterator<Item = &'l Edge> {
    let names: Vec<String> = names.iter().map(|name| normalize(name)).collect();
    lists
        .iter()
        .filter(move |(name, _)| names.contains(&normalize(name)))
        .flat_map(|(_, edges)| edges)
}

fn pin(name: &str, package: &Package, origin: &Origin) -> Option<Requirement> {
    // What comes from a repository or a folder has no version that could be compared.
    package.source.get("registry")?;
    let version = package.version.as_deref()?;
    let text = format!("{name}=={version}");
    let parsed = PythonRequirement::parse(&text, Path::new("/")).ok()?;
    Some(Requirement {
        name: normalize(name),
        spec: format!("=={version}"),
        text,
        origin: origin.clone(),
        role: Role::Optional,
        parsed: Parsed::Python(Box::new(parsed)),
    })
}

#[cfg(test)]
mod tests {
    use toolroom_kernel::model::Environ;

    use super::*;

    const LOCK: &str = r#"
version = 1
[[package]]
name = "app"
source = { virtual = "." }
dependencies = [{ name = "a" }, { name = "b", extra = ["fast"], marker = "sys_platform == 'win32'" }]
[package.dev-dependencies]
dev = [{ name = "tester" }]
[[package]]
name = "a"
version = "1.0"
source = { registry = "https://example.org/simple" }
dependencies = [{ name = "c" }]
[[package]]
name = "b"
version = "2.0"
source = { registry = "https://example.org/simple" }
[package.optional-dependencies]
fast = [{ name = "d" }]
slow = [{ name = "e" }]
[[package]]
name = "c"
version = "3.0"
source = { git = "https://example.org/c" }
[[package]]
name = "d"
version = "1"
source = { registry = "x" }
[[package]]
name = "d"
version = "2"
source = { registry = "x" }
[[package]]
name = "e"
version = "5"
source = { registry = "x" }
[[package]]
name = "tester"
version = "6"
source = { registry = "x" }
"#;

    fn read_text(text: &str, groups: &[String]) -> Requirements {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("uv.lock");
        fs_err::write(&path, text).unwrap();
        let context = Context {
            working_directory: folder.path(),
            env: &Environ::new(),
            selection: Selection {
                groups,
                ..Selection::default()
            },
        };
        read(&path, &context)
    }

    fn texts(found: &Requirements) -> Vec<&str> {
        found.items.iter().map(|item| item.text.as_str()).collect()
    }

    #[test]
    fn what_the_project_leads_to_is_pinned_and_nothing_else() {
        let found = read_text(LOCK, &[]);
        assert_eq!(texts(&found), ["a==1.0", "b==2.0"]);
        assert!(found.items.iter().all(|item| item.role == Role::Optional));
        let found = read_text(LOCK, &["dev".to_owned()]);
        assert_eq!(texts(&found), ["a==1.0", "b==2.0", "tester==6"]);
    }

    #[test]
    fn a_lock_that_cannot_be_read_is_a_problem_with_its_line() {
        let found = read_text("version = 1\n[[package]]\nname = 3\n", &[]);
        assert!(
            found.problems[0].to_string().contains("uv.lock:"),
            "{:?}",
            found.problems
        );
    }
}

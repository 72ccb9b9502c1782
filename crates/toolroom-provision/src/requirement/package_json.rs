//! `package.json`: dependencies, development, optional and peer dependencies.

use std::path::Path;

use serde_json::{Map, Value};

use super::model::{Context, Origin, Parsed, Requirement, Requirements, Role};
use super::node_spec::NodeSpec;
use super::problem::{Problem, ProblemKind};
use super::text;

const MAX_REQUIREMENTS: usize = 20_000;

const TABLES: [(&str, Role); 4] = [
    ("dependencies", Role::Required),
    ("devDependencies", Role::Development),
    ("optionalDependencies", Role::Optional),
    ("peerDependencies", Role::Peer),
];

/// Reads a manifest. A package in several tables counts once, by npm's order: optional
/// over required, either over development, all over peer.
#[must_use]
pub fn read(path: &Path, context: &Context<'_>) -> Requirements {
    let mut found = Requirements::default();
    let parsed = text::read(path).map(|content| {
        let value = serde_json::from_str::<Map<String, Value>>(&content);
        (content, value)
    });
    match parsed {
        Err(reason) => found.problems.push(Problem::new(
            Origin::file(path),
            ProblemKind::Unreadable { reason },
        )),
        Ok((_, Err(error))) => {
            let line = u32::try_from(error.line()).unwrap_or(u32::MAX);
            let reason = error.to_string();
            let kind = ProblemKind::Syntax { reason };
            found
                .problems
                .push(Problem::new(Origin::at(path, line), kind));
        }
        Ok((content, Ok(manifest))) => {
            found.files.push(path.to_path_buf());
            tables(path, &content, &manifest, context, &mut found);
        }
    }
    found
}

fn tables(
    path: &Path,
    content: &str,
    manifest: &Map<String, Value>,
    context: &Context<'_>,
    found: &mut Requirements,
) {
    for (key, role) in TABLES {
        if role == Role::Development && context.selection.production {
            continue;
        }
        let entries = match manifest.get(key) {
            None | Some(Value::Null) => continue,
            Some(Value::Object(entries)) => entries,
            Some(_) => {
                let (key, expected) = (key.to_owned(), "an object");
                let kind = ProblemKind::Shape { key, expected };
                found.problems.push(Problem::new(Origin::file(path), kind));
                continue;
            }
        };
        let table_start = content.find(&format!("\"{key}\"")).unwrap_or_default();
        for (name, value) in entries.iter().take(MAX_REQUIREMENTS) {
            let origin = Origin::at(path, entry_line(content, table_start, name));
            let Some(spec) = value.as_str() else {
                let (key, expected) = (format!("{key}.{name}"), "a string");
                let kind = ProblemKind::Shape { key, expected };
                found.problems.push(Problem::new(origin, kind));
                continue;
            };
            if let Some(reason) = bad_name(name) {
                let text = format!("{name}@{spec}");
                let kind = ProblemKind::Requirement {
                    text,
                    reason: reason.to_owned(),
                };
                found.problems.push(Problem::new(origin, kind));
                continue;
            }
            let role = if role == Role::Peer && is_optional_peer(manifest, name) {
                Role::OptionalPeer
            } else {
                role
            };
            push(found, name, spec, origin, role);
        }
    }
}

fn push(found: &mut Requirements, name: &str, spec: &str, origin: Origin, role: Role) {
    let requirement = Requirement {
        name: name.to_owned(),
        spec: spec.to_owned(),
        text: format!("{name}@{spec}"),
        origin,
        role,
        parsed: Parsed::Node(NodeSpec::parse(spec)),
    };
    match found.items.iter_mut().find(|item| item.name == name) {
        Some(earlier) if role == Role::Optional => *earlier = requirement,
        Some(_) => {}
        None => found.items.push(requirement),
    }
}

fn is_optional_peer(manifest: &Map<String, Value>, name: &str) -> bool {
    let meta = manifest
        .get("peerDependenciesMeta")
        .and_then(|meta| meta.get(name));
    meta.and_then(|meta| meta.get("optional")) == Some(&Value::Bool(true))
}

/// A name becomes a path below `node_modules`, so it must not leave it.
pub(crate) fn bad_name(name: &str) -> Option<&'static str> {
    let parts = name.strip_prefix('@').unwrap_or(name).split('/').count();
    let allowed = if name.starts_with('@') { 2 } else { 1 };
    if name.is_empty() || name.len() > 256 {
        return Some("the name is empty or too long");
    }
    if parts != allowed
        || name
            .split('/')
            .any(|part| part.is_empty() || part.starts_with('.'))
        || name.contains(['\\', ':', '\0'])
    {
        return Some("the name is not a package's name");
    }
    None
}

/// The line of a key after the start of its table: near enough for a person to find it.
fn entry_line(content: &str, start: usize, name: &str) -> u32 {
    let key = format!("\"{name}\"");
    let after = content.get(start..).unwrap_or_default();
    text::line_of(content, start + after.find(&key).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use toolroom_kernel::model::Environ;

    use super::super::model::Selection;
    use super::*;

    fn read_text(content: &str, production: bool) -> Requirements {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("package.json");
        fs_err::write(&path, content).unwrap();
        let env = Environ::new();
        let selection = Selection {
            production,
            ..Selection::default()
        };
        read(
            &path,
            &Context {
                working_directory: folder.path(),
                env: &env,
                selection,
            },
        )
    }

    const FILE: &str = r#"{
  "dependencies": {"a": "^1", "@s/b": "npm:c@2", "both": "^1"},
  "devDependencies": {
    "a": "^2",
    "d": "*"
  },
  "optionalDependencies": {"both": "^1"},
  "peerDependencies": {"p": ">=1", "q": ">=1"},
  "peerDependenciesMeta": {"q": {"optional": true}}
}"#;

    #[test]
    fn every_table_has_its_role() {
        let found = read_text(FILE, false);
        let seen: Vec<_> = found
            .items
            .iter()
            .map(|i| (i.name.as_str(), i.role, i.origin.line))
            .collect();
        assert_eq!(
            seen,
            [
                ("a", Role::Required, Some(2)),
                ("@s/b", Role::Required, Some(2)),
                ("both", Role::Optional, Some(7)),
                ("d", Role::Development, Some(5)),
                ("p", Role::Peer, Some(8)),
                ("q", Role::OptionalPeer, Some(8)),
            ]
        );
        assert_eq!(read_text(FILE, true).items.len(), 5);
    }

    #[test]
    fn names_that_leave_node_modules_are_refused() {
        for name in ["../x", "a/b", "@s/../x", ".bin", "", "a\\\\b", "@s"] {
            let found = read_text(&format!(r#"{{"dependencies": {{"{name}": "1"}}}}"#), false);
            assert_eq!((found.items.len(), found.problems.len()), (0, 1), "{name}");
        }
    }

    #[test]
    fn bad_shapes_are_problems() {
        for content in [
            "[]",
            "{",
            r#"{"dependencies": []}"#,
            r#"{"dependencies": {"a": 1}}"#,
        ] {
            assert_eq!(read_text(content, false).problems.len(), 1, "{content}");
        }
    }
}

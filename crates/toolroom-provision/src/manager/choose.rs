//! Which of a manager's programs is meant: what the manifest says, then whose lockfile
//! is there, then the first that is installed. Several lockfiles and no word on them is an
//! error, never a guess.

use std::path::{Path, PathBuf};

use serde_json::Value;
use toolroom_kernel::resolve::{Range, Version};

use super::spec::{Manager, ManagerTool, When};
use crate::error::ProvisionError;

/// The largest manifest or lockfile that is looked into.
const MAX_BYTES: u64 = 16 << 20;

/// A program that was chosen, and why.
#[derive(Debug, Clone)]
pub struct Choice {
    pub tool: String,
    pub commands: ManagerTool,
    pub lockfile: Option<PathBuf>,
    pub reason: String,
    /// Whether the project says so, by its manifest or a lockfile.
    pub is_named: bool,
    /// What a user should know, such as a field and a lockfile that disagree.
    pub notes: Vec<String>,
}

/// Chooses for a project. `is_there` says whether a tool's program is installed.
///
/// # Errors
/// Fails for several lockfiles without a word on them, and for names nobody knows.
pub fn choose(
    manager: &Manager,
    root: &Path,
    manifest: &Path,
    is_there: &dyn Fn(&str, &ManagerTool) -> bool,
) -> Result<Choice, ProvisionError> {
    let found = lockfiles(manager, root, manifest);
    let Named {
        tool,
        version,
        reason,
        is_named,
        notes,
    } = named(manager, root, manifest, &found, is_there)?;
    let known = manager
        .tools
        .get(&tool)
        .ok_or_else(|| ProvisionError::UnknownTool {
            name: tool.clone(),
            manager: manager.name.clone(),
            manifest: manifest.to_path_buf(),
            known: manager.tools.keys().cloned().collect(),
        })?;
    let lockfile = found
        .iter()
        .find(|(_, owner)| *owner == tool)
        .map(|(file, _)| root.join(file));
    let variant = known.variants.iter().find(|variant| {
        let when = variant.when.as_ref();
        when.is_some_and(|when| meets(when, root, lockfile.as_deref(), version.as_deref()))
    });
    Ok(Choice {
        commands: variant.map_or_else(|| known.clone(), |variant| variant_of(known, variant)),
        tool,
        lockfile,
        reason,
        is_named,
        notes,
    })
}

/// A tool that is meant, and who says so.
struct Named {
    tool: String,
    version: Option<String>,
    reason: String,
    is_named: bool,
    notes: Vec<String>,
}

fn named(
    manager: &Manager,
    root: &Path,
    manifest: &Path,
    found: &[(&str, &str)],
    is_there: &dyn Fn(&str, &ManagerTool) -> bool,
) -> Result<Named, ProvisionError> {
    if let Some(declared) = declared(manager, manifest)? {
        return Ok(Named {
            notes: declared.disagreement(found).into_iter().collect(),
            reason: format!("{} says so", declared.field),
            is_named: true,
            tool: declared.name,
            version: declared.version,
        });
    }
    let by_lockfile = named_by_lockfile(manager, root, manifest, found)?;
    let (tool, reason) = match by_lockfile {
        Some((file, tool)) => (tool.to_owned(), format!("there is {file}")),
        None => usual(manager, is_there),
    };
    Ok(Named {
        tool,
        version: None,
        reason,
        is_named: by_lockfile.is_some(),
        notes: Vec::new(),
    })
}

/// Chooses for a tool's own packages, which no manifest or lockfile speaks of.
#[must_use]
pub fn choose_usual(manager: &Manager, is_there: &dyn Fn(&str, &ManagerTool) -> bool) -> Choice {
    let (tool, reason) = usual(manager, is_there);
    Choice {
        commands: manager.tools.get(&tool).cloned().unwrap_or_default(),
        tool,
        lockfile: None,
        reason,
        is_named: false,
        notes: Vec::new(),
    }
}

/// The first of the usual programs that is there, and why it is taken.
fn usual(manager: &Manager, is_there: &dyn Fn(&str, &ManagerTool) -> bool) -> (String, String) {
    let names = &manager.choose.otherwise;
    let first = names.iter().find(|name| {
        manager
            .tools
            .get(*name)
            .is_some_and(|tool| is_there(name, tool))
    });
    let reason = if first.is_some() {
        "it is installed"
    } else {
        "it is the usual one"
    };
    let name = first.or(names.first()).cloned().unwrap_or_default();
    (name, reason.to_owned())
}

/// A variant is looked for under the program of the tool it is a variant of.
fn variant_of(tool: &ManagerTool, variant: &ManagerTool) -> ManagerTool {
    let mut variant = variant.clone();
    if variant.program.0.is_empty() {
        variant.program = tool.program.clone();
    }
    variant
}

fn lockfiles<'m>(manager: &'m Manager, root: &Path, manifest: &Path) -> Vec<(&'m str, &'m str)> {
    let files = manager.choose.lockfiles.iter();
    let is_meant = |file: &str| {
        let of = manager.choose.locks.get(file);
        of.is_none_or(|of| manifest.file_name().is_some_and(|name| name == of.as_str()))
    };
    files
        .filter(|(file, _)| is_meant(file) && root.join(file).is_file())
        .map(|(file, tool)| (file.as_str(), tool.as_str()))
        .collect()
}

fn named_by_lockfile<'f>(
    manager: &Manager,
    root: &Path,
    manifest: &Path,
    found: &[(&'f str, &'f str)],
) -> Result<Option<(&'f str, &'f str)>, ProvisionError> {
    let Some(first) = found.first() else {
        return Ok(None);
    };
    if found.iter().all(|(_, tool)| *tool == first.1) {
        return Ok(Some(*first));
    }
    let mut tools: Vec<String> = found.iter().map(|(_, tool)| (*tool).to_owned()).collect();
    tools.dedup();
    Err(ProvisionError::SeveralLockfiles {
        root: root.to_path_buf(),
        manifest: manifest.to_path_buf(),
        lockfiles: found.iter().map(|(file, _)| (*file).to_owned()).collect(),
        tools,
        field: manager.choose.fields.first().cloned(),
    })
}

struct Declared {
    name: String,
    version: Option<String>,
    field: String,
}

impl Declared {
    /// A word on lockfiles that are all of others.
    fn disagreement(&self, found: &[(&str, &str)]) -> Option<String> {
        let is_own = |(_, tool): &(&str, &str)| *tool == self.name;
        if found.is_empty() || found.iter().any(is_own) {
            return None;
        }
        let files: Vec<&str> = found.iter().map(|(file, _)| *file).collect();
        let Self { name, field, .. } = self;
        Some(format!(
            "{field} says {name}, but there is {}",
            files.join(", ")
        ))
    }
}

/// What the manifest says, under the first of the fields that says something.
fn declared(manager: &Manager, manifest: &Path) -> Result<Option<Declared>, ProvisionError> {
    // The root of a workspace may have none.
    if manager.choose.fields.is_empty() || !manifest.exists() {
        return Ok(None);
    }
    let bad = |reason: String| ProvisionError::BadManifest {
        path: manifest.to_path_buf(),
        reason,
    };
    let length = fs_err::metadata(manifest)
        .map_err(|error| bad(error.to_string()))?
        .len();
    if length > MAX_BYTES {
        return Err(bad("it is too large".to_owned()));
    }
    let text = fs_err::read_to_string(manifest).map_err(|error| bad(error.to_string()))?;
    let document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| bad(error.to_string()))?;
    Ok(manager.choose.fields.iter().find_map(|field| {
        let value = field
            .split('.')
            .try_fold(&document, |value, key| value.get(key))?;
        let (name, version) = read_field(value, manager)?;
        Some(Declared {
            name,
            version,
            field: format!(
                "{field} of {}",
                manifest.file_name().unwrap_or_default().display()
            ),
        })
    }))
}

/// `name@version+hash`, an object with name and version, or a list of such, of which the
/// first that is known counts.
fn read_field(value: &Value, manager: &Manager) -> Option<(String, Option<String>)> {
    match value {
        Value::String(text) if !text.trim().is_empty() => {
            let (name, version) = match text.trim().split_once('@') {
                Some((name, version)) => (name, version.split('+').next()),
                None => (text.trim(), None),
            };
            Some((name.to_owned(), version.map(str::to_owned)))
        }
        Value::Object(fields) => {
            let name = fields.get("name")?.as_str()?;
            let version = fields.get("version").and_then(Value::as_str);
            Some((name.to_owned(), version.map(str::to_owned)))
        }
        Value::Array(items) => {
            let read: Vec<_> = items
                .iter()
                .take(16)
                .filter(|item| item.is_object())
                .filter_map(|item| read_field(item, manager))
                .collect();
            let known = read
                .iter()
                .find(|(name, _)| manager.tools.contains_key(name));
            known.or_else(|| read.first()).cloned()
        }
        _ => None,
    }
}

fn meets(when: &When, root: &Path, lockfile: Option<&Path>, version: Option<&str>) -> bool {
    let in_range = || {
        let (range, version) = (when.version.as_deref()?, version?);
        let numbers = version.trim_start_matches(|c: char| !c.is_ascii_digit());
        Some(Range::parse(range)?.matches(&Version::parse(numbers)?))
    };
    if let Some(decided) = in_range() {
        return decided;
    }
    let has_line = || {
        let (line, lockfile) = (when.lockfile_line.as_deref()?, lockfile?);
        let text = fs_err::read_to_string(lockfile).ok()?;
        Some(text.lines().take(64).any(|next| next.trim_end() == line))
    };
    when.files.iter().any(|file| root.join(file).is_file()) || has_line().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manager;
    use crate::testing::Room;

    fn chosen(files: &[(&str, &str)]) -> Result<Choice, ProvisionError> {
        let room = Room::new();
        for (path, text) in files {
            room.file(path, text);
        }
        let manager = manager::load(&room.catalog(), "npm_dependencies", None).unwrap();
        choose(
            &manager,
            &room.project(),
            &room.project().join("package.json"),
            &|_, _| true,
        )
    }

    #[test]
    fn the_manifest_wins_over_lockfiles_and_a_lockfile_over_the_usual() {
        let table: &[(&str, &[&str], &str)] = &[
            ("{}", &[], "npm"),
            ("{}", &["pnpm-lock.yaml"], "pnpm"),
            ("{}", &["bun.lock", "bun.lockb"], "bun"),
            (
                r#"{"packageManager": "yarn@4.1.0+sha224.00"}"#,
                &["package-lock.json"],
                "yarn",
            ),
            (
                r#"{"devEngines": {"packageManager": {"name": "pnpm"}}}"#,
                &[],
                "pnpm",
            ),
            (
                r#"{"devEngines": {"packageManager": [{"name": "vlt"}, {"name": "bun"}]}}"#,
                &[],
                "bun",
            ),
            (
                r#"{"packageManager": "npm@10.0.0"}"#,
                &["yarn.lock", "pnpm-lock.yaml"],
                "npm",
            ),
        ];
        for (manifest, locks, wanted) in table {
            let mut files = vec![("package.json", *manifest)];
            files.extend(locks.iter().map(|lock| (*lock, "")));
            assert_eq!(
                chosen(&files).unwrap().tool,
                *wanted,
                "{manifest} {locks:?}"
            );
        }
    }

    #[test]
    fn several_lockfiles_without_a_word_on_them_are_named() {
        let error = chosen(&[
            ("package.json", "{}"),
            ("yarn.lock", ""),
            ("package-lock.json", "{}"),
        ])
        .unwrap_err();
        assert!(
            matches!(&error, ProvisionError::SeveralLockfiles { lockfiles, .. } if lockfiles == &["package-lock.json", "yarn.lock"]),
            "{error}"
        );
    }

    #[test]
    fn a_package_manager_nobody_knows_is_an_error() {
        let error = chosen(&[("package.json", r#"{"packageManager": "cnpm@1"}"#)]).unwrap_err();
        assert!(
            matches!(error, ProvisionError::UnknownTool { .. }),
            "{error}"
        );
    }

    #[test]
    fn modern_yarn_is_told_by_its_version_its_file_or_its_lockfile() {
        let immutable = |files: &[(&str, &str)]| {
            let choice = chosen(files).unwrap();
            choice.commands.install.unwrap().get(true)[0].contains(&"--immutable".to_owned())
        };
        assert!(immutable(&[(
            "package.json",
            r#"{"packageManager": "yarn@4.1.0"}"#
        )]));
        assert!(immutable(&[
            ("package.json", "{}"),
            ("yarn.lock", ""),
            (".yarnrc.yml", "")
        ]));
        assert!(immutable(&[
            ("package.json", "{}"),
            ("yarn.lock", "# comment\n\n__metadata:\n  version: 8\n")
        ]));
        assert!(!immutable(&[
            ("package.json", r#"{"packageManager": "yarn@1.22.22"}"#),
            (".yarnrc.yml", "")
        ]));
        assert!(!immutable(&[
            ("package.json", "{}"),
            ("yarn.lock", "# yarn lockfile v1\n")
        ]));
    }

    #[test]
    fn a_field_that_no_lockfile_agrees_with_is_noted() {
        let choice = chosen(&[
            ("package.json", r#"{"packageManager": "pnpm@9"}"#),
            ("yarn.lock", ""),
        ])
        .unwrap();
        assert_eq!(
            choice.notes,
            ["packageManager of package.json says pnpm, but there is yarn.lock"]
        );
        assert_eq!(choice.lockfile, None);
    }
}

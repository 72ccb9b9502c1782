//! What a target requires, in the form its installer takes.

use std::path::{Path, PathBuf};

use toolroom_kernel::World;
use toolroom_kernel::model::Tool;

use super::target::{Subject, Target};
use crate::journal::digest;
use crate::manager::Manager;
use crate::requirement::{
    Context, Format, Origin, ProblemKind, Requirements, Role, Selection, tool,
};

/// The requirements of a target.
#[derive(Debug, Clone, Default)]
pub struct Needs {
    pub requirements: Requirements,
    /// Arguments that make an installer install them.
    pub arguments: Vec<String>,
    /// The lockfile an install is bound to, where what it says can be read.
    pub lock: Option<PathBuf>,
    pub selected: Selected,
}

/// Parts of a manifest that are asked for besides its plain dependencies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selected {
    pub extras: Vec<String>,
    pub groups: Vec<String>,
}

impl Selected {
    #[must_use]
    pub fn selection(&self) -> Selection<'_> {
        Selection {
            extras: &self.extras,
            groups: &self.groups,
            production: false,
        }
    }
}

impl Needs {
    /// Reads what a target requires.
    #[must_use]
    pub fn of(target: &Target, world: &World, selection: Selection<'_>) -> Self {
        let context = Context {
            working_directory: &target.root,
            env: &world.env,
            selection,
        };
        match &target.subject {
            Subject::Project => Self {
                selected: Selected {
                    extras: selection.extras.to_vec(),
                    groups: selection.groups.to_vec(),
                },
                ..of_manifests(target, &context)
            },
            Subject::Tool(tool) => of_tool(tool, &target.manager, &context),
        }
    }

    /// What is required together with what the lockfile binds it to.
    #[must_use]
    pub fn locked(&self, target: &Target, world: &World) -> Option<Requirements> {
        let lock = self.lock.as_deref()?;
        let context = Context {
            working_directory: &target.root,
            env: &world.env,
            selection: self.selected.selection(),
        };
        let mut bound = self.requirements.clone();
        bound.merge(Format::of(lock)?.read(lock, &context));
        Some(bound)
    }

    /// How many packages must be there.
    #[must_use]
    pub fn count(&self) -> usize {
        let items = self.requirements.items.iter();
        items
            .filter(|item| matches!(item.role, Role::Required | Role::Development))
            .count()
    }

    /// What limits the interpreter, as one range.
    #[must_use]
    pub fn interpreter(&self) -> Option<String> {
        let limits: Vec<&str> = self
            .requirements
            .interpreter
            .iter()
            .map(|limit| limit.spec.as_str())
            .collect();
        (!limits.is_empty()).then(|| limits.join(","))
    }

    /// What keeps the requirements from being known, and what is only odd.
    #[must_use]
    pub fn problems(&self) -> (Vec<String>, Vec<String>) {
        let (mut faults, mut oddities) = (Vec::new(), Vec::new());
        for problem in &self.requirements.problems {
            match problem.kind {
                ProblemKind::UnknownOption { .. } => oddities.push(problem.to_string()),
                _ => faults.push(problem.to_string()),
            }
        }
        (faults, oddities)
    }

    /// A name for the set of requirements, whatever their order; where they speak of local
    /// files, the directory is part of it.
    #[must_use]
    pub fn digest(&self, root: &Path) -> String {
        let mut texts: Vec<&str> = self
            .requirements
            .items
            .iter()
            .map(|item| item.text.as_str())
            .collect();
        texts.extend(
            self.requirements
                .interpreter
                .iter()
                .map(|limit| limit.spec.as_str()),
        );
        texts.sort_unstable();
        texts.dedup();
        let is_local = texts
            .iter()
            .any(|text| text.contains("file:") || text.starts_with(['.', '/', '-']));
        let root = if is_local {
            root.as_os_str().as_encoded_bytes()
        } else {
            b""
        };
        digest(texts.iter().map(|text| text.as_bytes()).chain([root]))
    }

    /// A name for what the files say now.
    #[must_use]
    pub fn inputs(&self, others: &[PathBuf]) -> String {
        let files = self.requirements.files.iter().chain(others);
        let contents: Vec<Vec<u8>> = files
            .map(|file| fs_err::read(file).unwrap_or_default())
            .collect();
        digest(contents.iter().map(Vec::as_slice))
    }
}

fn of_manifests(target: &Target, context: &Context<'_>) -> Needs {
    let mut needs = Needs {
        lock: lock_of(target),
        ..Needs::default()
    };
    for manifest in &target.manifests {
        let Some(format) = Format::of(manifest) else {
            needs.requirements.files.push(manifest.clone());
            continue;
        };
        let found = format.read(manifest, context);
        if format == Format::RequirementsTxt {
            // Hashes, indices and includes are the installer's business: it gets the file.
            needs
                .arguments
                .extend(["-r".to_owned(), manifest.to_string_lossy().into_owned()]);
        } else if needs.lock.is_none() || !is_locked(target, manifest) {
            needs.arguments.extend(texts(&found));
        }
        needs.requirements.merge(found);
    }
    needs
}

/// The lockfile that binds one of the target's manifests, if its format is known.
fn lock_of(target: &Target) -> Option<PathBuf> {
    let locks = target.manager.choose.locks.iter();
    let first = target.manifests.first()?;
    let mut found = locks
        .filter(|(_, manifest)| first.ends_with(manifest.as_str()))
        .map(|(lock, _)| target.root.join(lock));
    found.find(|lock| lock.is_file() && Format::of(lock).is_some())
}

fn is_locked(target: &Target, manifest: &Path) -> bool {
    let mut locked = target.manager.choose.locks.values();
    locked.any(|locked| manifest.ends_with(locked.as_str()))
}

fn of_tool(of: &Tool, manager: &Manager, context: &Context<'_>) -> Needs {
    let mut found = Requirements::default();
    let Some(format) = manager
        .notation
        .as_deref()
        .and_then(|name| name.parse::<Format>().ok())
    else {
        return Needs::default();
    };
    let origin = Origin::file(&of.path);
    if let Some(requires) = of.metadata.get("requires") {
        found.merge(tool::requires(requires, format, &origin, context));
    }
    if let Some(block) = of
        .metadata
        .get("script")
        .filter(|_| format == Format::RequirementsTxt)
    {
        found.merge(tool::script(block, &origin, context));
    }
    Needs {
        arguments: texts(&found),
        requirements: found,
        ..Needs::default()
    }
}

fn texts(found: &Requirements) -> Vec<String> {
    let items = found
        .items
        .iter()
        .filter(|item| item.role != Role::Constraint);
    items.map(|item| item.text.clone()).collect()
}

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
}

impl Needs {
    /// Reads what a target requires.
    #[must_use]
    pub fn of(target: &Target, world: &World) -> Self {
        let context = Context {
            working_directory: &target.root,
            env: &world.env,
            selection: Selection::default(),
        };
        match &target.subject {
            Subject::Project => of_manifests(&target.manifests, &context),
            Subject::Tool(tool) => of_tool(tool, &target.manager, &context),
        }
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

fn of_manifests(manifests: &[PathBuf], context: &Context<'_>) -> Needs {
    let mut needs = Needs::default();
    for manifest in manifests {
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
        } else {
            needs.arguments.extend(texts(&found));
        }
        needs.requirements.merge(found);
    }
    needs
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
    }
}

fn texts(found: &Requirements) -> Vec<String> {
    let items = found
        .items
        .iter()
        .filter(|item| item.role != Role::Constraint);
    items.map(|item| item.text.clone()).collect()
}

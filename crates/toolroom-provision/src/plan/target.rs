//! What is to have an environment: the project, or a tool with dependencies of its own.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::Tool;

use super::machine::Interpreter;
use super::workspace::{Membership, Workspace, manifest_at};
use crate::manager::Manager;

/// Whose environment it is.
#[derive(Debug, Clone)]
pub enum Subject {
    /// The project's manifests.
    Project,
    /// A tool that declares packages of its own.
    Tool(Box<Tool>),
}

/// Something that is to have an environment.
#[derive(Debug, Clone)]
pub struct Target {
    pub subject: Subject,
    pub manager: Manager,
    /// The directory its manifests are in, and its paths start from.
    pub root: PathBuf,
    /// The manifests that are there, in the manager's order.
    pub manifests: Vec<PathBuf>,
    /// What it is to the folders above it.
    pub membership: Membership,
    /// What a tool runs with, where its packages must fit that and are kept apart.
    pub interpreter: Option<Interpreter>,
}

impl Target {
    /// How it is called in answers: `project`, or the tool's id.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.subject {
            Subject::Project => "project".to_owned(),
            Subject::Tool(tool) => tool.id.to_string(),
        }
    }

    /// The workspace that its packages are installed in.
    #[must_use]
    pub const fn workspace(&self) -> Option<&Workspace> {
        match &self.membership {
            Membership::Of(workspace) => Some(workspace),
            Membership::Alone | Membership::PassedOver | Membership::Barred { .. } => None,
        }
    }

    /// The directory its installer works in: its own, or the root of its workspace.
    #[must_use]
    pub fn site(&self) -> &Path {
        self.workspace()
            .map_or(&self.root, |workspace| &workspace.root)
    }

    /// The manifest at its site, if there is one.
    #[must_use]
    pub fn site_manifest(&self) -> Option<PathBuf> {
        match self.workspace() {
            Some(workspace) => Some(manifest_at(&self.manager, &workspace.root)),
            None => self.manifests.first().cloned(),
        }
    }

    /// Where an audit looks for its packages, where they go to a folder.
    #[must_use]
    pub fn audited_folder(&self) -> Option<PathBuf> {
        let folder = self.manager.folder.as_ref()?;
        Some(self.root.join(folder))
    }

    /// Whether its packages have a directory of their own, which we make and delete as a
    /// whole.
    #[must_use]
    pub const fn has_own_directory(&self) -> bool {
        let is_tool = matches!(self.subject, Subject::Tool(_));
        self.manager.environment.is_some() || (is_tool && self.manager.shared.is_some())
    }

    /// The key its decision is recorded under.
    #[must_use]
    pub fn key(&self, project: &Path) -> String {
        match self.root.strip_prefix(project) {
            Ok(inner) if !inner.as_os_str().is_empty() => {
                format!("{}:{}", self.manager.name, inner.display())
            }
            _ => self.manager.name.clone(),
        }
    }
}

/// Whether a tool says that it needs packages of its own.
#[must_use]
pub fn declares_packages(tool: &Tool) -> bool {
    ["requires", "script"]
        .iter()
        .any(|field| tool.metadata.contains_key(*field))
}

/// The `env_setup` of a chain.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvSetup {
    /// The link nearest to the tool that says what is to be there.
    pub owner: String,
    /// The manager's name.
    pub kind: String,
    /// Whether `run` may make the environment.
    pub create: bool,
    /// Directories for the language's library path.
    pub paths: Vec<String>,
    /// The rest, such as `package_json`.
    pub options: Map<String, Value>,
}

/// What the chain declares, the tool's word before the runtime's.
#[must_use]
pub fn env_setup(chain: &Chain) -> Option<EnvSetup> {
    let mut merged = Map::new();
    let mut owner = String::new();
    for link in chain.links().iter().rev() {
        if let Some(Value::Object(setup)) = link.config().and_then(|config| config.get("env_setup"))
        {
            if ["type", "paths"].iter().any(|key| setup.contains_key(*key)) {
                link.id.as_str().clone_into(&mut owner);
            }
            merged.extend(
                setup
                    .iter()
                    .map(|(key, value)| (key.clone(), value.clone())),
            );
        }
    }
    let kind = merged.remove("type")?.as_str()?.to_owned();
    let create = merged
        .remove("create")
        .is_some_and(|create| create == Value::Bool(true));
    let paths = match merged.remove("paths") {
        Some(Value::Array(paths)) => paths
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        Some(Value::String(path)) => vec![path],
        _ => Vec::new(),
    };
    Some(EnvSetup {
        owner,
        kind,
        create,
        paths,
        options: merged,
    })
}

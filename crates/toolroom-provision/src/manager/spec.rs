//! The format of a manager's data.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::value::MapDeserializer;
use serde_json::Value;
use toolroom_catalog::{Catalog, core_data};
use toolroom_kernel::model::{Role, Tool, field};

use super::report::Report;
use crate::error::ProvisionError;

/// The folder managers are looked for in by their bare name.
const FOLDER: &str = "managers";

/// What every file may say, and what says nothing of how a manager works.
const COMMON: [&str; 8] = [
    field::NAME,
    field::VERSION,
    field::TOOL_TYPE,
    field::EXECUTOR_ID,
    field::CATEGORY,
    field::DESCRIPTION,
    "aliases",
    field::INPUT_SCHEMA,
];

/// How environments of one kind are made.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Manager {
    /// Its bare name, which `env_setup.type` gives.
    #[serde(skip)]
    pub name: String,
    /// The files that mark a project as one of its own.
    pub manifests: Vec<String>,
    /// The key of `env_setup` that names another manifest.
    pub manifest_option: Option<String>,
    /// The format a tool's `requires` is written in, and the auditor, by their names in
    /// code.
    pub notation: Option<String>,
    pub audit: Option<String>,
    /// The variable that `env_setup.paths` go to.
    pub library_path: Option<String>,
    /// What an environment is, where it is a directory of its own.
    pub environment: Option<EnvironmentSpec>,
    /// The folder beside the manifest that packages go to, where it is not.
    pub folder: Option<String>,
    /// What is at the top of such a folder or environment and is written to in place: by
    /// programs, or by scripts of packages. All else in it is only ever replaced.
    pub rewritten: Vec<String>,
    /// What a tool's own packages are kept in, where projects have such a folder.
    pub shared: Option<SharedSpec>,
    pub choose: Choose,
    pub tools: BTreeMap<String, ManagerTool>,
    pub activate: Activation,
}

/// Environments that can be made anywhere, shared and isolated.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvironmentSpec {
    /// The resolver that knows what one looks like.
    pub resolver: String,
    /// The language's name, for people.
    pub language: String,
    /// The version to fetch where nobody asks for one.
    pub any_version: String,
    /// Where the interpreter of a new one will be, by kind of machine.
    pub interpreter: BTreeMap<String, String>,
    /// Where the project's may be already.
    #[serde(default)]
    pub existing: Vec<String>,
    /// Where a parent project's may be.
    #[serde(default)]
    pub parent: Vec<String>,
    /// Where an own one is made: the first place that is free.
    pub own: Vec<String>,
    /// The file beside an interpreter's library that forbids to install into it.
    #[serde(default)]
    pub global_guard: Option<String>,
}

/// A directory in the cache for the packages of all tools that require the same, and how
/// such a tool finds them.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SharedSpec {
    /// Files it begins with, as they are.
    pub files: BTreeMap<String, String>,
    pub set: BTreeMap<String, String>,
}

/// How one of several programs is chosen.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Choose {
    /// Dotted paths into the manifest.
    pub fields: Vec<String>,
    pub lockfiles: BTreeMap<String, String>,
    /// The manifest a lockfile belongs to, where there may be others: without it the
    /// lockfile says nothing.
    pub locks: BTreeMap<String, String>,
    /// The first of these whose program is there.
    pub otherwise: Vec<String>,
}

/// The commands of one program.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ManagerTool {
    /// A name on PATH, or paths to try after it; none if its commands name their own.
    pub program: Texts,
    /// Any of these says that an install once came to its end.
    pub marks: Vec<String>,
    /// Ends with status zero if nothing is missing. Changes nothing.
    pub check: Vec<Vec<String>>,
    pub create: Option<Commands>,
    pub install: Option<Commands>,
    /// Installs a tool's own packages into a directory that all share that require them.
    pub shared: Option<Commands>,
    /// The arguments that name an optional part of the manifest; part of `install` as
    /// `{selected...}`.
    pub select: Select,
    /// The arguments that hold what is installed; part of `install` as `{constraints...}`.
    pub constraints: Vec<String>,
    /// Brings an interpreter of a version.
    pub interpreter: Option<Commands>,
    pub offline: Option<Offline>,
    pub offline_env: Variables,
    pub env: Variables,
    pub locked_env: Variables,
    /// What the lines it prints tell of how far it is.
    pub reports: Vec<Report>,
    /// Set for tools that run: the first whose file is there.
    pub plug: Vec<Plug>,
    /// Other ways of the same program, for other versions of it.
    pub variants: Vec<Variant>,
}

/// The arguments for parts of a manifest that are asked for by name, with `{name}`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Select {
    pub extra: Vec<String>,
    pub group: Vec<String>,
}

/// Variables; null unsets one.
pub type Variables = BTreeMap<String, Option<String>>;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct Texts(#[serde(deserialize_with = "one_or_many")] pub Vec<String>);

fn one_or_many<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Either {
        One(String),
        Many(Vec<String>),
    }
    Ok(match Either::deserialize(deserializer)? {
        Either::One(text) => vec![text],
        Either::Many(texts) => texts,
    })
}

/// Commands that may differ where a lockfile is there.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub enum Commands {
    Always(Vec<Vec<String>>),
    ByLock {
        locked: Vec<Vec<String>>,
        unlocked: Vec<Vec<String>>,
    },
}

impl Commands {
    #[must_use]
    pub fn get(&self, locked: bool) -> &[Vec<String>] {
        match self {
            Self::Always(commands) => commands,
            Self::ByLock {
                locked: commands, ..
            } if locked => commands,
            Self::ByLock { unlocked, .. } => unlocked,
        }
    }
}

/// How a program is kept from the network.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offline {
    pub flag: String,
    /// Whether to try that way before the network is asked.
    #[serde(default)]
    pub first: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plug {
    pub when: String,
    #[serde(default)]
    pub set: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Variant {
    pub when: When,
    #[serde(flatten)]
    pub tool: Box<ManagerTool>,
}

/// Any of these is enough.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct When {
    /// A range the version in the manifest's field is in.
    pub version: Option<String>,
    pub files: Vec<String>,
    /// A text the lockfile begins with or has on a line of its own.
    pub lockfile_line: Option<String>,
}

/// What an environment adds to a tool's variables.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Activation {
    pub set: BTreeMap<String, String>,
}

/// The step a command belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Create,
    Install,
    Shared,
    Interpreter,
}

impl ManagerTool {
    /// What tools that run in a project are to be given.
    #[must_use]
    pub fn plug_in(&self, project: &std::path::Path) -> Option<&Plug> {
        let mut plugs = self.plug.iter();
        plugs.find(|plug| project.join(&plug.when).is_file())
    }

    #[must_use]
    pub const fn commands(&self, phase: Phase) -> Option<&Commands> {
        match phase {
            // A program that makes no environment installs from nothing as it does later.
            Phase::Create => match &self.create {
                Some(commands) => Some(commands),
                None => self.install.as_ref(),
            },
            Phase::Install => self.install.as_ref(),
            Phase::Shared => self.shared.as_ref(),
            Phase::Interpreter => self.interpreter.as_ref(),
        }
    }
}

/// The manager of a bare name or id.
///
/// # Errors
/// Fails if there is none, or if it cannot be understood.
pub fn load(catalog: &Catalog, name: &str, owner: Option<&str>) -> Result<Manager, ProvisionError> {
    let id = if name.contains('/') {
        name.to_owned()
    } else {
        format!("{FOLDER}/{name}")
    };
    if let Some(file) = core_data::file(&id) {
        return read(file.document(), &id, std::path::Path::new(file.path));
    }
    match catalog.find(&id) {
        Ok(tool) if tool.role() == Role::Manager => of_tool(&tool),
        _ => Err(ProvisionError::UnknownManager {
            name: name.to_owned(),
            owner: owner.map(str::to_owned),
            known: names(catalog),
        }),
    }
}

/// Every manager there is: core's, then those of the spaces.
///
/// # Errors
/// Fails if one cannot be understood.
pub fn load_all(catalog: &Catalog) -> Result<Vec<Manager>, ProvisionError> {
    names(catalog)
        .iter()
        .map(|name| load(catalog, name, None))
        .collect()
}

/// The bare names of all managers. Costs a listing of the spaces, so it is asked only for
/// `setup` without ids and for error messages.
fn names(catalog: &Catalog) -> Vec<String> {
    let prefix = format!("{FOLDER}/");
    let bare = |id: &str| id.strip_prefix(&prefix).unwrap_or(id).to_owned();
    let core = core_data::files()
        .iter()
        .filter(|file| file.id.starts_with(&prefix));
    let mut names: Vec<String> = core.map(|file| bare(file.id)).collect();
    let rows = catalog.list_own().rows.into_iter();
    names.extend(
        rows.filter(|row| row.role() == Role::Manager)
            .map(|row| bare(row.id.as_str())),
    );
    names.sort();
    names.dedup();
    names
}

fn of_tool(tool: &Tool) -> Result<Manager, ProvisionError> {
    read(
        &Value::Object(tool.metadata.clone()),
        tool.id.as_str(),
        &tool.path,
    )
}

fn read(document: &Value, id: &str, path: &std::path::Path) -> Result<Manager, ProvisionError> {
    let bad = |reason: String| ProvisionError::BadManager {
        name: id.to_owned(),
        path: path.to_path_buf(),
        reason,
    };
    let fields = document.as_object().into_iter().flatten();
    let own = fields
        .filter(|(name, _)| !COMMON.contains(&name.as_str()))
        .map(|(name, value)| (name.as_str(), value));
    let own = MapDeserializer::<_, serde_json::Error>::new(own);
    let mut manager = Manager::deserialize(own).map_err(|error| bad(error.to_string()))?;
    manager.name = id
        .strip_prefix(FOLDER)
        .map_or(id, |name| name.trim_start_matches('/'))
        .to_owned();
    check(&manager).map_err(bad)?;
    Ok(manager)
}

fn check(manager: &Manager) -> Result<(), String> {
    if manager.tools.is_empty() {
        return Err("it has no tools".to_owned());
    }
    let named = manager
        .choose
        .lockfiles
        .values()
        .chain(&manager.choose.otherwise);
    for name in named {
        if !manager.tools.contains_key(name) {
            return Err(format!(
                "choose names {name:?}, which is not among its tools"
            ));
        }
    }
    if manager.choose.otherwise.is_empty() {
        return Err("choose has no otherwise".to_owned());
    }
    match &manager.environment {
        Some(environment) if environment.own.is_empty() => {
            Err("environment has no own place".to_owned())
        }
        _ => Ok(()),
    }
}

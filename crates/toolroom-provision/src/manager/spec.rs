//! The format of a manager's data.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::report::Report;

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
    /// Files beside the manifest, other than lockfiles, that an install writes.
    pub written: Vec<String>,
    /// The packages of one project that have such a folder each.
    pub members: Option<Members>,
    /// What a tool's own packages are kept in, where projects have such a folder.
    pub shared: Option<SharedSpec>,
    pub choose: Choose,
    pub tools: BTreeMap<String, ManagerTool>,
    pub activate: Activation,
    // What every tool file may say of itself.
    #[serde(rename = "name")]
    _name: IgnoredAny,
    #[serde(rename = "version")]
    _version: IgnoredAny,
    #[serde(rename = "tool_type")]
    _tool_type: IgnoredAny,
    #[serde(rename = "executor_id")]
    _executor_id: IgnoredAny,
    #[serde(rename = "category")]
    _category: IgnoredAny,
    #[serde(rename = "description")]
    _description: IgnoredAny,
    #[serde(rename = "aliases")]
    _aliases: IgnoredAny,
    #[serde(rename = "input_schema")]
    _input_schema: IgnoredAny,
}

/// Environments that can be made anywhere, shared and isolated.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvironmentSpec {
    /// The resolver that knows what one looks like.
    pub resolver: String,
    /// The variables that a runtime finds the interpreter in, where it asks for the
    /// environment by `env_setup` alone.
    #[serde(default)]
    pub variables: Vec<String>,
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
    /// The variable that names the one which is active where a command is given.
    #[serde(default)]
    pub active: Option<String>,
    /// Where an own one is made: the first place that is free.
    pub own: Vec<String>,
    /// The file beside an interpreter's library that forbids to install into it.
    #[serde(default)]
    pub global_guard: Option<String>,
}

/// Folders below a project's that an install in the project reaches, too.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Members {
    /// The files that name them by patterns, and where in each: dotted paths to lists of
    /// texts. The patterns of one list are heard in their order; one after `!` takes out.
    pub declared: BTreeMap<String, Vec<String>>,
    /// A folder that a pattern names is a member if it holds any of these.
    pub manifests: Vec<String>,
    /// The programs that look for each of those files above a project, and install in the
    /// folder that has it; all, where a file is not here.
    pub heard: BTreeMap<String, Vec<String>>,
}

impl Members {
    /// Whether a folder holds what a member holds.
    #[must_use]
    pub fn has_manifest(&self, folder: &std::path::Path) -> bool {
        let mut manifests = self.manifests.iter();
        manifests.any(|file| folder.join(file).is_file())
    }

    /// Whether a program heeds a file that names members.
    #[must_use]
    pub fn is_heard(&self, file: &str, tool: &str) -> bool {
        let heard = self.heard.get(file);
        heard.is_none_or(|tools| tools.iter().any(|name| name == tool))
    }

    /// The files that a folder holds only if it has members: no member has them itself.
    pub fn of_roots(&self) -> impl Iterator<Item = &str> {
        let files = self.declared.keys();
        files
            .filter(|file| !self.manifests.contains(file))
            .map(String::as_str)
    }
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
    /// Arguments that keep it from a workspace above the project that does not name it.
    pub alone: Vec<String>,
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
    pub variants: Vec<ManagerTool>,
    /// When a variant is meant; nothing else has it.
    pub when: Option<When>,
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

/// One text or a list of them.
#[derive(Debug, Clone, Default)]
pub struct Texts(pub Vec<String>);

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OneOrMany;
        impl<'de> Visitor<'de> for OneOrMany {
            type Value = Texts;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a text or a list of texts")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Texts, E> {
                Ok(Texts(vec![text.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Texts, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(items)).map(Texts)
            }
        }
        deserializer.deserialize_any(OneOrMany)
    }
}

/// Commands that may differ where a lockfile is there.
#[derive(Debug, Clone)]
pub enum Commands {
    Always(Vec<Vec<String>>),
    ByLock(ByLock),
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByLock {
    locked: Vec<Vec<String>>,
    unlocked: Vec<Vec<String>>,
}

impl<'de> Deserialize<'de> for Commands {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Commands;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("a list of commands, or `locked` and `unlocked` ones")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Commands, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(items)).map(Commands::Always)
            }

            fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<Commands, A::Error> {
                ByLock::deserialize(MapAccessDeserializer::new(fields)).map(Commands::ByLock)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

impl Commands {
    #[must_use]
    pub fn get(&self, locked: bool) -> &[Vec<String>] {
        match self {
            Self::Always(commands) => commands,
            Self::ByLock(commands) if locked => &commands.locked,
            Self::ByLock(commands) => &commands.unlocked,
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
    /// Directories for lists such as PATH.
    pub prepend: BTreeMap<String, String>,
}

/// The step a command belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    Create,
    Install,
    Shared,
    Interpreter,
}

impl Manager {
    /// Its programs that can bring an interpreter.
    pub(crate) fn bringers(&self) -> Vec<String> {
        let tools = self.tools.iter();
        tools
            .filter(|(_, tool)| tool.interpreter.is_some())
            .map(|(name, _)| name.clone())
            .collect()
    }
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

//! The common form of a requirement, whatever file it was written in.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};
use toolroom_kernel::model::Environ;

use super::node_spec::NodeSpec;
use super::pep508::PythonRequirement;
use super::problem::Problem;

/// Where a requirement is written: a file, and the line if it is known.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Origin {
    pub path: PathBuf,
    pub line: Option<u32>,
}

impl Origin {
    #[must_use]
    pub fn file(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            line: None,
        }
    }

    #[must_use]
    pub fn at(path: &Path, line: u32) -> Self {
        Self {
            path: path.to_path_buf(),
            line: Some(line),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(out, "{}:{line}", self.path.display()),
            None => write!(out, "{}", self.path.display()),
        }
    }
}

/// How much a requirement asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Must be there.
    Required,
    /// Must be there while the project is worked on.
    Development,
    /// May be absent; if it is there, its version counts.
    Optional,
    /// Expected from whoever uses the project.
    Peer,
    /// A peer that may be absent.
    OptionalPeer,
    /// Asks for nothing, but limits the version of what others ask for.
    Constraint,
}

/// What a requirement means to its ecosystem's auditor.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Parsed {
    Python(Box<PythonRequirement>),
    Node(NodeSpec),
    /// No auditor reads these yet: the installer's own check judges them.
    Text,
}

/// One requirement.
#[derive(Debug, Clone, Serialize)]
pub struct Requirement {
    /// The package's name in its ecosystem's normal form; empty if only a place is given.
    pub name: String,
    /// What is asked of it: a version range, a URL or a path. Empty means any version.
    #[serde(serialize_with = "without_credentials")]
    pub spec: String,
    /// The whole requirement as its installer accepts it, variables unexpanded.
    #[serde(serialize_with = "without_credentials")]
    pub text: String,
    pub origin: Origin,
    pub role: Role,
    #[serde(skip)]
    pub parsed: Parsed,
}

fn without_credentials<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&crate::redaction::redacted(text))
}

/// A limit on the interpreter itself, such as `requires-python`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InterpreterLimit {
    pub spec: String,
    pub origin: Origin,
}

/// A line that speaks to the installer rather than naming a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallerOption {
    pub text: String,
    pub origin: Origin,
}

/// Everything a set of files asks for.
#[derive(Debug, Clone, Default)]
pub struct Requirements {
    pub items: Vec<Requirement>,
    pub interpreter: Vec<InterpreterLimit>,
    pub options: Vec<InstallerOption>,
    pub problems: Vec<Problem>,
    /// Every file that was read, in order: what the answer depends on.
    pub files: Vec<PathBuf>,
}

impl Requirements {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.interpreter.is_empty() && self.problems.is_empty()
    }

    /// Adds what another source asks for.
    pub fn merge(&mut self, other: Self) {
        self.items.extend(other.items);
        self.interpreter.extend(other.interpreter);
        self.options.extend(other.options);
        self.problems.extend(other.problems);
        for file in other.files {
            if !self.files.contains(&file) {
                self.files.push(file);
            }
        }
    }
}

/// Which parts of a manifest are asked for besides its plain dependencies.
#[derive(Debug, Clone, Copy, Default)]
pub struct Selection<'a> {
    /// Optional dependencies by name, as in `project[name]`.
    pub extras: &'a [String],
    /// Dependency groups by name.
    pub groups: &'a [String],
    /// Leaves out what is needed only to work on the project.
    pub production: bool,
}

/// What reading depends on besides the file itself.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// Where the installer would run: relative paths in requirement lines start here.
    pub working_directory: &'a Path,
    /// For `${NAME}` in requirement files.
    pub env: &'a Environ,
    pub selection: Selection<'a>,
}

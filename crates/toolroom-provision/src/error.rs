//! What keeps an environment from being planned or made.

use std::path::PathBuf;

use thiserror::Error;
use toolroom_kernel::{Explain, Place};

use crate::apply::Said;

/// Why provisioning could not do its work.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProvisionError {
    #[error("there is no manager called {name}{}", wanted_by(owner.as_deref()))]
    UnknownManager {
        name: String,
        owner: Option<String>,
        known: Vec<String>,
    },
    #[error("the manager {name} cannot be used: {reason}")]
    BadManager {
        name: String,
        path: PathBuf,
        reason: String,
    },
    #[error("{} has the lockfiles of several package managers: {}", root.display(), lockfiles.join(", "))]
    SeveralLockfiles {
        root: PathBuf,
        manifest: PathBuf,
        lockfiles: Vec<String>,
        tools: Vec<String>,
        /// Where the manifest may say which one is meant.
        field: Option<String>,
    },
    #[error("{} asks for the package manager {name}, which {manager} does not know", manifest.display())]
    UnknownTool {
        name: String,
        manager: String,
        manifest: PathBuf,
        known: Vec<String>,
    },
    #[error("{} cannot be read: {reason}", path.display())]
    BadManifest { path: PathBuf, reason: String },
    #[error("no program of the manager {manager} is there: {}", programs.join(", "))]
    NoProgram {
        manager: String,
        programs: Vec<String>,
    },
    #[error("there is no place to keep what was done: the machine has no state directory")]
    NoState,
    #[error("{}, in which setup remembers what it did, {fault}", path.display())]
    BadState { path: PathBuf, fault: StateFault },
    #[error("{doing}: {source}")]
    Io {
        doing: String,
        #[source]
        source: std::io::Error,
    },
    #[error("{} could not be prepared: {reason}", environment.display())]
    Failed {
        environment: PathBuf,
        reason: String,
        /// The end of what the command said that failed.
        #[source]
        said: Option<Said>,
    },
    #[error("{} was prepared, but does not hold what is required: {}", environment.display(), lacking.join(", "))]
    NotVerified {
        environment: PathBuf,
        lacking: Vec<String>,
    },
    #[error("the environment of {target} is not touched: {reason}")]
    Refused {
        target: String,
        reason: String,
        fix: Option<String>,
    },
    #[error("{tool} cannot run: its environment lacks {}", missing.join(", "))]
    NotPrepared { tool: String, missing: Vec<String> },
    #[error("{} is being prepared, or its preparation was broken off", environment.display())]
    Unfinished { environment: PathBuf },
    #[error("the preparation of {} was interrupted", environment.display())]
    Interrupted { environment: PathBuf },
}

/// What is wrong with a file of our own.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StateFault {
    #[error("has the form {found} of a newer Toolroom; this one knows {known}")]
    Newer { found: u64, known: u32 },
    #[error("is damaged: {0}")]
    Damaged(String),
    #[error("cannot be read: {0}")]
    Unreadable(String),
}

fn wanted_by(owner: Option<&str>) -> String {
    owner.map_or_else(String::new, |owner| format!(", which {owner} asks for"))
}

impl ProvisionError {
    pub(crate) fn io(doing: impl Into<String>, source: std::io::Error) -> Self {
        Self::Io {
            doing: doing.into(),
            source,
        }
    }
}

impl Explain for ProvisionError {
    fn code(&self) -> &'static str {
        match self {
            Self::UnknownManager { .. } => "provision::unknown_manager",
            Self::BadManager { .. } => "provision::bad_manager",
            Self::SeveralLockfiles { .. } => "provision::several_lockfiles",
            Self::UnknownTool { .. } => "provision::unknown_package_manager",
            Self::BadManifest { .. } => "provision::bad_manifest",
            Self::NoProgram { .. } => "provision::no_program",
            Self::NoState => "provision::no_state",
            Self::BadState { .. } => "provision::bad_state",
            Self::Io { .. } => "provision::io",
            Self::Failed { .. } => "provision::failed",
            Self::NotVerified { .. } => "provision::not_verified",
            Self::Refused { .. } => "provision::refused",
            Self::NotPrepared { .. } => "provision::not_prepared",
            Self::Unfinished { .. } => "provision::unfinished",
            Self::Interrupted { .. } => "exec::interrupted",
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::UnknownManager { known, .. } => format!("there are {}", known.join(", ")),
            Self::BadManager { .. } => {
                "docs/reference/managers.md says what a manager holds".into()
            }
            Self::SeveralLockfiles { tools, field, .. } => match (field, tools.first()) {
                (Some(field), Some(tool)) => format!(
                    "say which one is meant, such as {field:?}: \"{tool}@…\", or delete the others' lockfiles"
                ),
                _ => "delete the lockfiles that are not meant".into(),
            },
            Self::UnknownTool { known, .. } => format!("it knows {}", known.join(", ")),
            Self::BadManifest { .. } => return None,
            Self::NoProgram { programs, .. } => format!("install {}", programs.join(" or ")),
            Self::NoState => "set HOME, or XDG_STATE_HOME".into(),
            Self::BadState { fault, .. } => match fault {
                StateFault::Newer { .. } => {
                    "use the newer Toolroom, or delete the file and run toolroom setup".into()
                }
                StateFault::Damaged(_) => {
                    "delete it and run toolroom setup, which decides anew".into()
                }
                StateFault::Unreadable(_) => return None,
            },
            Self::Io { .. } => return None,
            Self::Failed { .. } => "toolroom setup -v tells all that is done and said".into(),
            Self::NotVerified { .. } => "toolroom setup --plan says what is still missing".into(),
            Self::Refused { fix, .. } => return fix.clone(),
            Self::NotPrepared { tool, .. } => format!("toolroom setup {tool} prepares it"),
            Self::Unfinished { .. } => "toolroom setup waits for it, or finishes it".into(),
            Self::Interrupted { .. } => "the next toolroom setup finishes or undoes it".into(),
        })
    }

    fn place(&self) -> Option<Place> {
        match self {
            Self::BadManager { path, .. }
            | Self::BadState { path, .. }
            | Self::BadManifest { path, .. }
            | Self::SeveralLockfiles { manifest: path, .. }
            | Self::UnknownTool { manifest: path, .. } => Some(Place::file(path)),
            _ => None,
        }
    }
}

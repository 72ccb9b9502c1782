//! What keeps a resolution from succeeding, with everything that was tried.

use std::path::PathBuf;

use thiserror::Error;

use super::candidate::Candidate;
use crate::explain::{Explain, Place};
use crate::template::TemplateError;

/// Why there is no resolution.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ResolveError {
    #[error("no interpreter for {var} was found by {resolver}")]
    InterpreterNotFound {
        var: String,
        resolver: String,
        fallback: Option<String>,
        tried: Vec<Candidate>,
    },
    #[error("{}, which {var} is to name, cannot be run: {reason}", .path.display())]
    NotExecutable {
        var: String,
        path: PathBuf,
        reason: String,
        help: String,
        tried: Vec<Candidate>,
    },
    #[error("the {place} environment {} is broken: {reason}", .path.display())]
    Broken {
        place: String,
        path: PathBuf,
        reason: String,
        tried: Vec<Candidate>,
    },
    #[error("the system does not say what {} is: {reason}", .path.display())]
    Unknown { path: PathBuf, reason: &'static str },
    #[error("version {} is not installed; {} asks for it{}", .missing.wanted, .missing.origin, and_installed(&.missing.installed))]
    VersionNotInstalled {
        missing: Box<MissingVersion>,
        tried: Vec<Candidate>,
    },
    #[error("{origin} does not name a version: {reason}")]
    BadVersion {
        origin: String,
        file: Option<PathBuf>,
        reason: String,
    },
    #[error("there is no resolver {name:?}, which {resource:?} asks for")]
    UnknownResolver {
        name: String,
        resource: String,
        similar: Option<String>,
    },
    #[error("the resolver {resolver:?} cannot be used: {reason}")]
    BadResolver { resolver: String, reason: String },
    /// A resolver that knows several managers is not told which is meant.
    #[error("the resolver {resolver:?} cannot be used: {reason}")]
    NoManager { resolver: String, reason: String },
    #[error("the env_config of {owner} cannot be used: {reason}")]
    BadEnvConfig {
        owner: String,
        reason: String,
        file: Option<Place>,
    },
    #[error("the variable {name} of {owner} cannot be filled in: {fault}")]
    BadVariable {
        name: String,
        owner: String,
        fault: Box<TemplateError>,
        file: Option<Place>,
    },
}

/// A version that is asked for and not there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingVersion {
    pub wanted: String,
    /// What asks for it.
    pub origin: String,
    pub file: Option<PathBuf>,
    /// What is there instead.
    pub installed: Vec<String>,
}

impl ResolveError {
    /// Everything the failed search looked at; what other searches did is not part of it.
    #[must_use]
    pub fn tried(&self) -> &[Candidate] {
        match self {
            Self::InterpreterNotFound { tried, .. }
            | Self::NotExecutable { tried, .. }
            | Self::Broken { tried, .. }
            | Self::VersionNotInstalled { tried, .. } => tried,
            _ => &[],
        }
    }
}

fn and_installed(versions: &[String]) -> String {
    const SHOWN: usize = 12;
    match versions.len() {
        0 => "; no other version was found".to_owned(),
        count if count > SHOWN => format!(
            "; installed: {} and {} more",
            versions[..SHOWN].join(", "),
            count - SHOWN
        ),
        _ => format!("; installed: {}", versions.join(", ")),
    }
}

impl Explain for ResolveError {
    fn code(&self) -> &'static str {
        match self {
            Self::InterpreterNotFound { .. } => "resolve::interpreter_not_found",
            Self::NotExecutable { .. } => "resolve::interpreter_not_executable",
            Self::Broken { .. } => "resolve::broken_environment",
            Self::Unknown { .. } => "resolve::unknown_place",
            Self::VersionNotInstalled { .. } => "resolve::version_not_installed",
            Self::BadVersion { .. } => "resolve::bad_version",
            Self::UnknownResolver { .. } => "resolve::unknown_resolver",
            Self::BadResolver { .. } | Self::NoManager { .. } => "resolve::bad_resolver",
            Self::BadEnvConfig { .. } => "resolve::bad_env_config",
            Self::BadVariable { .. } => "resolve::bad_variable",
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::InterpreterNotFound { fallback, .. } => {
                let name = fallback.as_deref().unwrap_or("it");
                format!("install {name} and put it on PATH")
            }
            Self::NotExecutable { help, .. } => format!("{help}, or name another"),
            Self::Broken { path, .. } => {
                format!("remake it with `toolroom setup --repair`, or remove {}", path.display())
            }
            Self::Unknown { .. } => {
                "see to that and try again: nothing is known to be wrong with it".to_owned()
            }
            Self::VersionNotInstalled { missing, .. } => {
                let MissingVersion { wanted, origin, .. } = missing.as_ref();
                format!("install {wanted}, change {origin}, or write `system` there to take what PATH has")
            }
            Self::BadVersion { .. } => "write a version such as 3.12, a range, or a name the version manager knows".to_owned(),
            Self::UnknownResolver { similar, .. } => match similar {
                Some(name) => format!("did you mean {name:?}? A fallback would be used instead of an unknown type"),
                None => "write a resolver of that name in .ai/tools/, or declare a fallback".to_owned(),
            },
            Self::BadResolver { .. } => "see docs/reference/resolvers.md for the keys of a resolver".to_owned(),
            Self::NoManager { .. } => "name one that it knows, or declare a fallback".to_owned(),
            Self::BadEnvConfig { .. } => {
                "each key but env and env_policy is a resource: {type: …, var: …, search: […], fallback: …}".to_owned()
            }
            Self::BadVariable { fault, .. } => return fault.help(),
        })
    }

    fn place(&self) -> Option<Place> {
        match self {
            Self::VersionNotInstalled { missing, .. } => missing.file.as_deref().map(Place::file),
            Self::BadVersion { file, .. } => file.as_deref().map(Place::file),
            Self::Broken { path, .. } | Self::Unknown { path, .. } => Some(Place::file(path)),
            Self::BadEnvConfig { file, .. } | Self::BadVariable { file, .. } => file.clone(),
            _ => None,
        }
    }
}

//! Why there can be no audit at all.

use std::path::{Path, PathBuf};

use thiserror::Error;
use toolroom_kernel::{Explain, Place};

#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AuditError {
    #[error("there is nothing at {}", path.display())]
    Absent { path: PathBuf },
    #[error("{} is not an environment: {reason}", path.display())]
    NotAnEnvironment { path: PathBuf, reason: String },
    #[error("{} names a directory that is not an environment: {reason}", path.display())]
    Redirect { path: PathBuf, reason: String },
    #[error("the environment {} does not say which version it is for", path.display())]
    NoVersion { path: PathBuf },
    #[error("cannot read the environment {}", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{} holds more than {limit} entries", path.display())]
    TooLarge { path: PathBuf, limit: usize },
    #[error("the packages of {} are managed by {by}", path.display())]
    Managed { path: PathBuf, by: &'static str },
}

impl AuditError {
    fn path(&self) -> &Path {
        match self {
            Self::Absent { path }
            | Self::NotAnEnvironment { path, .. }
            | Self::Redirect { path, .. }
            | Self::NoVersion { path }
            | Self::Unreadable { path, .. }
            | Self::TooLarge { path, .. }
            | Self::Managed { path, .. } => path,
        }
    }
}

impl Explain for AuditError {
    fn code(&self) -> &'static str {
        match self {
            Self::Absent { .. } => "audit::absent",
            Self::NotAnEnvironment { .. } => "audit::not_an_environment",
            Self::Redirect { .. } => "audit::redirect",
            Self::NoVersion { .. } => "audit::no_version",
            Self::Unreadable { .. } => "audit::unreadable",
            Self::TooLarge { .. } => "audit::too_large",
            Self::Managed { .. } => "audit::managed",
        }
    }

    fn help(&self) -> Option<String> {
        let advice = match self {
            Self::Absent { .. } => "run `toolroom setup` to make the environment",
            Self::Redirect { .. } => "the file must hold one line with the path of an environment",
            Self::NotAnEnvironment { .. } | Self::NoVersion { .. } => {
                "run `toolroom setup --repair` to make it anew"
            }
            Self::Unreadable { .. } => "check who may read it",
            Self::Managed { .. } => "run tools through it; there is no folder of packages to judge",
            Self::TooLarge { .. } => return None,
        };
        Some(advice.to_owned())
    }

    fn place(&self) -> Option<Place> {
        Some(Place::file(self.path()))
    }
}

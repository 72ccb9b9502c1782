//! What keeps a call from being made.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;
use toolroom_kernel::resolve::ResolveError;
use toolroom_kernel::template::{Fault, TemplateError};
use toolroom_kernel::{Explain, Place};

use super::parameters::ParameterError;
use crate::call::{CallError, PATH_NOT_TEXT};
use crate::http::HttpError;
use crate::scarcity;
use crate::subprocess;

/// Why a call could not be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExecError {
    #[error(transparent)]
    Parameters(#[from] ParameterError),
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    #[error("config.{key} of {tool} cannot be filled in: {fault}")]
    Template {
        tool: String,
        key: String,
        path: PathBuf,
        fault: Box<TemplateError>,
    },
    #[error("config.{key} of {tool} {reason}")]
    BadConfig {
        tool: String,
        key: String,
        path: PathBuf,
        reason: String,
    },
    #[error("the launcher {name} of {runtime} {reason}")]
    Launcher {
        name: String,
        runtime: String,
        reason: String,
    },
    #[error("the launcher {name} of {runtime} cannot be written, neither to the cache nor to {}", folder.display())]
    LauncherNotWritten {
        name: String,
        runtime: String,
        /// Where it was tried last.
        folder: PathBuf,
        source: io::Error,
    },
    /// A text was given in place of what is in its file, which nothing could take.
    #[error("the file of {0} is read by what runs it and by nobody else")]
    NeedsFile(String),
    #[error("{tool} ends in the primitive {primitive}, which cannot be run here")]
    UnknownPrimitive { tool: String, primitive: String },
    #[error("the system has no event queue for the call: {0}")]
    NoEventQueue(io::Error),
    #[error(transparent)]
    Call(#[from] CallError),
    #[error(transparent)]
    Process(#[from] subprocess::Error),
    #[error(transparent)]
    Http(#[from] HttpError),
}

/// What lets a launcher be written next time.
fn room_for_launcher(folder: &Path, error: &io::Error) -> String {
    let folder = folder.display();
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            format!("make room in the cache or in {folder}, or name another folder in TMPDIR")
        }
        io::ErrorKind::FileTooLarge => {
            "raise the limit on the size of files: `ulimit -f` shows it".to_owned()
        }
        _ => format!(
            "see that {folder} is there and may be written to, or name another folder in TMPDIR"
        ),
    }
}

impl Explain for ExecError {
    fn code(&self) -> &'static str {
        match self {
            Self::Parameters(error) => error.code(),
            Self::Resolve(error) => error.code(),
            Self::Template { fault, .. } => match fault.fault {
                Fault::NotText { .. } => PATH_NOT_TEXT,
                _ => fault.code(),
            },
            Self::BadConfig { .. } => "exec::bad_config",
            Self::Launcher { .. } => "exec::bad_launcher",
            Self::LauncherNotWritten { .. } => "exec::launcher_not_written",
            Self::NeedsFile(_) => "exec::needs_file",
            Self::UnknownPrimitive { .. } => "exec::unknown_primitive",
            Self::NoEventQueue(_) => "exec::no_event_queue",
            Self::Call(error) => error.code(),
            Self::Process(error) => error.code(),
            Self::Http(error) => error.code(),
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Parameters(error) => error.help(),
            Self::Resolve(error) => error.help(),
            Self::Template { fault, .. } => fault.help(),
            Self::BadConfig { .. } => {
                Some("toolroom show says what the chain's config comes to".into())
            }
            Self::Launcher { .. } => {
                Some("name a launcher of core, or a file beside the runtime".into())
            }
            Self::LauncherNotWritten { folder, source, .. } => {
                Some(room_for_launcher(folder, source))
            }
            Self::NeedsFile(_) | Self::UnknownPrimitive { .. } => None,
            Self::NoEventQueue(error) => Some(
                scarcity::cure(error)
                    .unwrap_or("the limit on open files may be reached: `ulimit -n` shows it")
                    .into(),
            ),
            Self::Call(error) => error.help(),
            Self::Process(error) => error.help(),
            Self::Http(error) => error.help(),
        }
    }

    fn place(&self) -> Option<Place> {
        match self {
            Self::Resolve(error) => error.place(),
            Self::Http(error) => error.place(),
            Self::Template { path, .. } | Self::BadConfig { path, .. } => Some(Place::file(path)),
            _ => None,
        }
    }
}

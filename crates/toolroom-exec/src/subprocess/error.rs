//! Why a program could not be run at all. A program that ran and failed is an outcome.

use std::io;
use std::path::PathBuf;

use toolroom_kernel::{Explain, Place};

use super::command::Limit;
use crate::scarcity;

/// The program never ran, or its end could not be learned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    #[error("no program {}", program.display())]
    NotFound { program: PathBuf },
    #[error("{} names an interpreter that does not exist", program.display())]
    MissingInterpreter { program: PathBuf },
    #[error("{} is not executable", program.display())]
    NotExecutable { program: PathBuf, source: io::Error },
    #[error("cannot enter the working directory {}", cwd.display())]
    MissingCwd { cwd: PathBuf, source: io::Error },
    #[error("the system does not let {} of {} be set", limit.name(), program.display())]
    LimitRefused {
        program: PathBuf,
        limit: Limit,
        source: io::Error,
    },
    #[error("cannot start {}", program.display())]
    SpawnFailed { program: PathBuf, source: io::Error },
    #[error("{what} of {} cannot be passed to a process", program.display())]
    InvalidArgument { program: PathBuf, what: String },
    #[error("the guard {} does not answer", guard.display())]
    GuardFailed { guard: PathBuf, source: io::Error },
    #[error("the system lacks what it takes to start {}", program.display())]
    Exhausted { program: PathBuf, source: io::Error },
    #[error("the guard of {} ended before it did", program.display())]
    GuardLost { program: PathBuf },
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } | Self::MissingInterpreter { .. } => "exec::not_found",
            Self::NotExecutable { .. } => "exec::not_executable",
            Self::MissingCwd { .. } => "exec::missing_cwd",
            Self::LimitRefused { .. } => "exec::limit_refused",
            Self::SpawnFailed { .. } => "exec::spawn_failed",
            Self::InvalidArgument { .. } => "exec::invalid_argument",
            Self::GuardFailed { .. } => "exec::guard_failed",
            Self::Exhausted { .. } => "exec::exhausted",
            Self::GuardLost { .. } => "exec::guard_lost",
        }
    }

    fn help(&self) -> Option<String> {
        let text = match self {
            Self::NotFound { program } => format!(
                "install {}, or name it by its full path",
                program.display()
            ),
            Self::MissingInterpreter { program } => format!(
                "correct the first line of {}, or install the interpreter it names",
                program.display()
            ),
            Self::NotExecutable { program, .. } => format!(
                "if it is a program, `chmod +x {}`; if it is a script, give it a `#!` line or run it through its interpreter",
                program.display()
            ),
            Self::MissingCwd { cwd, .. } => {
                format!("make {}, or set `cwd` to a directory that exists", cwd.display())
            }
            Self::LimitRefused { limit: Limit::Nice, .. } => {
                "leave `nice` out, or make it 0 or more: less is for users whom the system lets go first".to_owned()
            }
            Self::LimitRefused { limit, .. } => {
                format!("leave `{}` out of the tool's limits, or give it another value", limit.name())
            }
            Self::SpawnFailed { source, .. } => match source.kind() {
                io::ErrorKind::ArgumentListTooLong => {
                    "pass large parameters on standard input: arguments and environment together are over the system's limit".to_owned()
                }
                io::ErrorKind::WouldBlock => {
                    "the limit on processes is reached: raise `processes`, or end some".to_owned()
                }
                io::ErrorKind::OutOfMemory => "raise the limit on memory".to_owned(),
                _ => return scarcity::cure(source).map(str::to_owned),
            },
            Self::InvalidArgument { .. } => {
                "arguments and variables may not contain NUL, and names no `=`".to_owned()
            }
            Self::GuardFailed { .. } => {
                "reinstall toolroom: it could not start itself as a guard".to_owned()
            }
            Self::Exhausted { source, .. } => {
                return scarcity::cure(source).map(str::to_owned);
            }
            Self::GuardLost { .. } => {
                "something killed the guard, often the system short of memory; try again".to_owned()
            }
        };
        Some(text)
    }

    fn place(&self) -> Option<Place> {
        match self {
            Self::NotExecutable { program, .. } | Self::MissingInterpreter { program } => {
                Some(Place::file(program))
            }
            _ => None,
        }
    }
}

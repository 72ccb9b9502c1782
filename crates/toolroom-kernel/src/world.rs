//! The world a call happens in: environment, directories, machine, time.
//!
//! The command line builds one `World` from the process and hands it down; nothing below
//! reads the process environment, the working directory or the clock for itself. That
//! makes every decision repeatable and testable in parallel.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::model::Environ;

/// The kind of machine, as far as layouts and launching differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Os {
    Linux,
    MacOs,
    Windows,
}

impl Os {
    /// The machine this binary was built for.
    #[must_use]
    pub const fn current() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::MacOs
        } else {
            Self::Linux
        }
    }

    /// The key under which data files write per-machine values: `unix` or `windows`.
    #[must_use]
    pub const fn family(self) -> &'static str {
        match self {
            Self::Linux | Self::MacOs => "unix",
            Self::Windows => "windows",
        }
    }
}

/// Where Toolroom keeps its own files on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Directories {
    pub config: PathBuf,
    pub cache: PathBuf,
    pub state: PathBuf,
}

/// Everything a decision may depend on besides its arguments.
#[derive(Debug, Clone)]
pub struct World {
    pub env: Environ,
    pub cwd: PathBuf,
    /// The user's home, if there is one.
    pub home: Option<PathBuf>,
    /// `~/.ai` or what `TOOLROOM_USER_SPACE` names, if either is known.
    pub user_space: Option<PathBuf>,
    /// The project root, if the call happens inside a project.
    pub project: Option<PathBuf>,
    pub directories: Option<Directories>,
    pub os: Os,
    pub now: SystemTime,
}

impl World {
    /// The directory a call happens in: the project, or else the working directory.
    #[must_use]
    pub fn root(&self) -> &Path {
        self.project.as_deref().unwrap_or(&self.cwd)
    }
}

//! Exit statuses: a promise to scripts, written in README.md.

use std::process::ExitCode;

/// How a command ended, as a shell sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Done,
    /// The tool ran and failed without a status of its own.
    ToolFailed,
    /// The tool ran and failed with this status.
    Tool(u8),
    Usage,
    TimedOut,
    /// Toolroom could not do it.
    CannotDo,
    NotExecutable,
    /// No such tool, runtime or interpreter.
    NotFound,
    Interrupted,
}

impl Status {
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::ToolFailed => 1,
            Self::Tool(code) => code,
            Self::Usage => 2,
            Self::TimedOut => 124,
            Self::CannotDo => 125,
            Self::NotExecutable => 126,
            Self::NotFound => 127,
            Self::Interrupted => 130,
        }
    }

    /// The status that belongs to an error's code.
    #[must_use]
    pub fn of_error(code: &str) -> Self {
        match code {
            "catalog::tool_not_found" | "resolve::interpreter_not_found" | "exec::not_found" => {
                Self::NotFound
            }
            "exec::not_executable" | "resolve::interpreter_not_executable" => Self::NotExecutable,
            "exec::interrupted" => Self::Interrupted,
            code if code.starts_with("usage::") => Self::Usage,
            _ => Self::CannotDo,
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(status.code())
    }
}

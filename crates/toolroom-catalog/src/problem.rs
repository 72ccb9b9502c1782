//! What is wrong with one file of a space, for people and for programs.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use toolroom_kernel::{Explain, Place, Position};

/// What to do about a file that its own language does not understand.
const MEND: &str = "correct the file there, or move it out of tools/";

/// A fault that keeps one file from being a tool. It never keeps others from it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    pub path: PathBuf,
    pub kind: ProblemKind,
    pub message: String,
    pub position: Option<Position>,
    pub help: Option<String>,
}

/// The stable names of everything that can be wrong with a tool file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ProblemKind {
    Syntax,
    NotLiteral,
    WrongType,
    BadSchema,
    MissingExecutor,
    UnknownExecutor,
    ChainCycle,
    ChainTooDeep,
    DuplicateId,
    InvalidId,
    LeavesSpace,
    Unreadable,
    NotUtf8,
    TooLarge,
    TooMany,
    CoreProtected,
    BadExtractor,
    AmbiguousExecutor,
    BrokenExecutor,
}

impl ProblemKind {
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Syntax => "catalog::syntax",
            Self::NotLiteral => "catalog::not_literal",
            Self::WrongType => "catalog::wrong_type",
            Self::BadSchema => "catalog::bad_schema",
            Self::MissingExecutor => "catalog::missing_executor",
            Self::UnknownExecutor => "catalog::unknown_executor",
            Self::ChainCycle => "catalog::chain_cycle",
            Self::ChainTooDeep => "catalog::chain_too_deep",
            Self::DuplicateId => "catalog::duplicate_id",
            Self::InvalidId => "catalog::invalid_id",
            Self::LeavesSpace => "catalog::leaves_space",
            Self::Unreadable => "catalog::unreadable",
            Self::NotUtf8 => "catalog::not_utf8",
            Self::TooLarge => "catalog::too_large",
            Self::TooMany => "catalog::too_many",
            Self::CoreProtected => "catalog::core_protected",
            Self::BadExtractor => "catalog::bad_extractor",
            Self::AmbiguousExecutor => "catalog::ambiguous_executor",
            Self::BrokenExecutor => "catalog::broken_executor",
        }
    }
}

impl Problem {
    #[must_use]
    pub fn new(kind: ProblemKind, path: impl Into<PathBuf>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            kind,
            message: message.into(),
            position: None,
            help: None,
        }
    }

    #[must_use]
    pub fn at(mut self, position: Option<Position>) -> Self {
        self.position = position;
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl Explain for Problem {
    fn code(&self) -> &'static str {
        self.kind.code()
    }

    fn help(&self) -> Option<String> {
        let own = self.help.clone();
        own.or_else(|| (self.kind == ProblemKind::Syntax).then(|| MEND.to_owned()))
    }

    fn place(&self) -> Option<Place> {
        Some(Place {
            path: self.path.clone(),
            position: self.position,
        })
    }
}

//! What can be wrong with one requirement, said with its place.

use std::path::PathBuf;

use thiserror::Error;
use toolroom_kernel::{Explain, Place, Position};

use super::model::Origin;

/// A requirement, or a file of requirements, that could not be understood.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{origin}: {kind}")]
pub struct Problem {
    pub origin: Origin,
    pub kind: ProblemKind,
}

impl Problem {
    #[must_use]
    pub fn new(origin: Origin, kind: ProblemKind) -> Self {
        Self { origin, kind }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProblemKind {
    #[error("cannot judge `{text}`: {reason}")]
    Requirement { text: String, reason: String },
    #[error("unknown option `{option}`")]
    UnknownOption { option: String },
    #[error("option `{option}` has no value")]
    OptionWithoutValue { option: String },
    #[error("{} is included, but it cannot be read: {reason}", path.display())]
    Include { path: PathBuf, reason: String },
    #[error("{} includes itself through {}", path.display(), chain(through))]
    IncludeCycle {
        path: PathBuf,
        through: Vec<PathBuf>,
    },
    #[error("`{url}` is included, but remote files are not read")]
    RemoteInclude { url: String },
    #[error("files include each other more than {limit} deep")]
    IncludeDepth { limit: usize },
    #[error("more than {limit} {what}")]
    TooMany { limit: usize, what: &'static str },
    #[error("the file cannot be read: {reason}")]
    Unreadable { reason: String },
    #[error("{reason}")]
    Syntax { reason: String },
    #[error("`{key}` must be {expected}")]
    Shape { key: String, expected: &'static str },
    #[error("there is no {what} `{name}`")]
    UnknownGroup { what: &'static str, name: String },
    #[error("dependency group `{group}` includes itself through {}", through.join(" > "))]
    GroupCycle { group: String, through: Vec<String> },
}

fn chain(through: &[PathBuf]) -> String {
    let names: Vec<String> = through.iter().map(|p| p.display().to_string()).collect();
    names.join(" > ")
}

impl Explain for Problem {
    fn code(&self) -> &'static str {
        match &self.kind {
            ProblemKind::Requirement { .. } => "requirement::not_judged",
            ProblemKind::UnknownOption { .. } => "requirement::unknown_option",
            ProblemKind::OptionWithoutValue { .. } => "requirement::option_without_value",
            ProblemKind::Include { .. } => "requirement::include_unreadable",
            ProblemKind::IncludeCycle { .. } => "requirement::include_cycle",
            ProblemKind::RemoteInclude { .. } => "requirement::include_remote",
            ProblemKind::IncludeDepth { .. } => "requirement::include_depth",
            ProblemKind::TooMany { .. } => "requirement::too_many",
            ProblemKind::Unreadable { .. } => "requirement::unreadable",
            ProblemKind::Syntax { .. } => "requirement::syntax",
            ProblemKind::Shape { .. } => "requirement::shape",
            ProblemKind::UnknownGroup { .. } => "requirement::unknown_group",
            ProblemKind::GroupCycle { .. } => "requirement::group_cycle",
        }
    }

    fn help(&self) -> Option<String> {
        let advice = match &self.kind {
            ProblemKind::Requirement { .. } => {
                "write it as a dependency specifier, such as `name[extra]>=1.2; python_version >= \"3.9\"`"
            }
            ProblemKind::Include { .. } => "create the file, or remove the line that includes it",
            ProblemKind::IncludeCycle { .. } | ProblemKind::GroupCycle { .. } => {
                "remove one of the includes in the circle"
            }
            ProblemKind::RemoteInclude { .. } => "keep a copy of the file in the project",
            ProblemKind::UnknownGroup { .. } => "name one that the file declares",
            ProblemKind::OptionWithoutValue { .. } => "give the value on the same line",
            _ => return None,
        };
        Some(advice.to_owned())
    }

    fn place(&self) -> Option<Place> {
        Some(Place {
            path: self.origin.path.clone(),
            position: self.origin.line.map(|line| Position { line, column: 1 }),
        })
    }
}

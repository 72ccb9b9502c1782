//! What an audit comes to, in one form for every ecosystem.

use std::fmt;
use std::path::PathBuf;

use serde::{Serialize, Serializer};

use crate::redaction::redacted;
use crate::requirement::{Origin, Role};

/// Who asks for a package.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// A line in a file.
    By(Origin),
    /// An installed package.
    ByPackage { name: String, version: String },
}

impl fmt::Display for Wanted {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::By(origin) => write!(out, "{origin}"),
            Self::ByPackage { name, version } => write!(out, "{name} {version}"),
        }
    }
}

/// One requirement on a package, and who makes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Demand {
    /// The range, URL or path alone; empty means any version.
    pub spec: String,
    /// The requirement as a line of a requirements file or an argument (`name@range` for
    /// Node), markers included; may hold credentials, so it is never printed.
    #[serde(skip)]
    pub install: String,
    pub role: Role,
    pub wanted: Wanted,
}

/// A requirement that is met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Satisfied {
    pub package: String,
    pub version: String,
    pub demand: Demand,
}

/// A package that is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    pub package: String,
    /// Everyone who asks for it; never empty.
    pub demands: Vec<Demand>,
    /// Installed packages that no version could please together with the demands.
    pub breaks: Vec<Break>,
    /// What installed packages ask of it besides: an install must respect these.
    pub holds: Vec<Demand>,
}

/// How much a conflict matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Minor,
    Major,
}

/// What is installed and is not what is required.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Conflict {
    pub package: String,
    pub installed: String,
    /// What the demands that are not met ask for, fit to be shown.
    pub required: String,
    pub severity: Severity,
    /// Installed packages that would no longer work if the demands were met.
    pub breaks: Vec<Break>,
}

impl Conflict {
    pub(crate) fn major(
        package: impl Into<String>,
        installed: impl Into<String>,
        required: impl Into<String>,
    ) -> Self {
        Self {
            package: package.into(),
            installed: installed.into(),
            required: required.into(),
            severity: Severity::Major,
            breaks: Vec::new(),
        }
    }
}

/// A package and what is asked of it, fit to be shown.
pub(crate) fn asked<'s>(package: &str, specs: impl Iterator<Item = &'s str>) -> String {
    let mut specs: Vec<String> = specs
        .filter(|spec| !spec.is_empty())
        .map(redacted)
        .collect();
    specs.sort();
    specs.dedup();
    match specs.first().and_then(|first| first.chars().next()) {
        None => package.to_owned(),
        Some('<' | '>' | '=' | '!' | '~') => format!("{package}{}", specs.join(",")),
        Some(_) => format!("{package} {}", specs.join(", ")),
    }
}

/// An installed package that would be broken; written as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Break {
    pub package: String,
    pub version: String,
    /// What it asks of the package that would change.
    pub requires: String,
}

impl fmt::Display for Break {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            package,
            version,
            requires,
        } = self;
        write!(out, "{package} {version} (needs {requires})")
    }
}

impl Serialize for Break {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Something that could not be judged, and why. Not a sign that anything is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unjudged {
    pub subject: String,
    pub reason: String,
    pub wanted: Option<Wanted>,
}

/// A package that is installed more than once in one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Duplicate {
    pub package: String,
    pub copies: Vec<(String, PathBuf)>,
    /// Whether a requirement leads to it.
    pub required: bool,
}

/// An interpreter that is not what a package or file asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct InterpreterConflict {
    pub running: String,
    pub required: String,
    pub wanted: Wanted,
}

/// Demands that no version can please together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Contradiction {
    pub package: String,
    pub demands: Vec<Demand>,
}

/// The whole answer. Lists are in a stable order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Audit {
    /// The requirements that were asked about and are met.
    pub satisfied: Vec<Satisfied>,
    pub missing: Vec<Missing>,
    pub conflicts: Vec<Conflict>,
    pub unjudged: Vec<Unjudged>,
    pub duplicates: Vec<Duplicate>,
    pub interpreter: Vec<InterpreterConflict>,
    pub contradictions: Vec<Contradiction>,
    /// Requirements that do not count here: their marker says so, or they are optional.
    pub skipped: Vec<Demand>,
    /// How many installed packages were looked at.
    pub examined: usize,
    /// What a person should know though it changes nothing.
    pub notes: Vec<String>,
}

impl Audit {
    /// Whether everything asked for is there, and that is certain.
    #[must_use]
    pub fn is_satisfied(&self) -> bool {
        self.missing.is_empty() && !self.has_conflicts() && self.unjudged.is_empty()
    }

    /// Whether something installed stands against the requirements.
    #[must_use]
    pub fn has_conflicts(&self) -> bool {
        !self.conflicts.is_empty()
            || !self.interpreter.is_empty()
            || !self.contradictions.is_empty()
            || self.duplicates.iter().any(|duplicate| duplicate.required)
    }

    /// Every installed package that meeting the requirements would break.
    pub fn broken_by_install(&self) -> impl Iterator<Item = (&str, &Break)> {
        let of_missing = self.missing.iter().map(|m| (m.package.as_str(), &m.breaks));
        let of_conflicts = self
            .conflicts
            .iter()
            .map(|c| (c.package.as_str(), &c.breaks));
        of_missing
            .chain(of_conflicts)
            .flat_map(|(package, breaks)| breaks.iter().map(move |broken| (package, broken)))
    }
}

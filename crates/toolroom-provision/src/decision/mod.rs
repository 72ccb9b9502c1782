//! What to do about an environment: a value with its reasons.
//!
//! Everything here is a pure function of what was seen. Nothing is read, made or run; the
//! commands that carry a decision out are added by the plan.

mod environment;
mod folder;

use std::path::PathBuf;

use serde::Serialize;

use crate::redaction::Redaction;

pub use crate::audit::{Conflict, Severity};
pub use environment::{Base, Candidate, Origin, Place, Situation, State, decide_environment};
pub use folder::{BrokenOff, Checked, FolderSituation, LastInstall, OwnCheck, decide_folder};

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// Nothing is required.
    None,
    /// What is there will do as it is.
    Reuse,
    InstallMissing,
    Upgrade,
    Create,
    /// Remake what was left unfinished or has broken.
    Repair,
    /// Nothing can be done without harm.
    Refuse,
}

impl Action {
    /// Whether carrying it out changes the machine.
    #[must_use]
    pub const fn changes(self) -> bool {
        match self {
            Self::None | Self::Reuse | Self::Refuse => false,
            Self::InstallMissing | Self::Upgrade | Self::Create | Self::Repair => true,
        }
    }

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Reuse => "reuse",
            Self::InstallMissing => "install-missing",
            Self::Upgrade => "upgrade",
            Self::Create => "create",
            Self::Repair => "repair",
            Self::Refuse => "refuse",
        }
    }
}

/// What an audit of an environment came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Requirements that nothing installed meets.
    pub missing: Vec<String>,
    pub conflicts: Vec<Conflict>,
    /// Whether a change to it was broken off; the rest is how it was before.
    pub broken_off: bool,
}

impl Findings {
    #[must_use]
    pub fn satisfied(&self) -> bool {
        self.missing.is_empty() && self.conflicts.is_empty() && !self.broken_off
    }
}

/// Whether minor conflicts may be upgraded in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tolerance {
    #[default]
    Strict,
    Lenient,
}

/// What the user allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policy {
    pub force_isolation: bool,
    pub allow_global: bool,
    pub tolerance: Tolerance,
}

/// What is to be done, where, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub action: Action,
    pub environment: Option<PathBuf>,
    pub reasons: Vec<String>,
    pub missing: Vec<String>,
    pub conflicts: Vec<Conflict>,
    /// What a user should know though it decided nothing.
    pub warnings: Vec<String>,
    /// What would let a refused plan go on, or lead to another one.
    pub fix: Option<String>,
    /// What is in the way and not ours is to be moved aside, never deleted.
    pub move_aside: bool,
    /// Nobody looked at what is installed: all that is required may be there.
    pub is_unseen: bool,
}

impl Decision {
    pub(crate) fn new(action: Action, environment: Option<PathBuf>) -> Self {
        Self {
            action,
            environment,
            reasons: Vec::new(),
            missing: Vec::new(),
            conflicts: Vec::new(),
            warnings: Vec::new(),
            fix: None,
            move_aside: false,
            is_unseen: false,
        }
    }

    pub(crate) fn none() -> Self {
        Self::new(Action::None, None).because("nothing is required")
    }

    pub(crate) fn refuse(reason: &str) -> Self {
        Self::new(Action::Refuse, None).because(reason)
    }

    pub(crate) fn reuse(environment: PathBuf, reason: &str) -> Self {
        Self::new(Action::Reuse, Some(environment)).because(reason)
    }

    pub(crate) fn create(environment: PathBuf) -> Self {
        Self::new(Action::Create, Some(environment))
    }

    pub(crate) fn because(mut self, reason: impl Into<String>) -> Self {
        self.reasons.push(reason.into());
        self
    }

    /// Leaves in its texts only what may be shown. The names of packages stay what they are.
    pub(crate) fn redact(&mut self, redaction: &Redaction) {
        let texts = [&mut self.reasons, &mut self.missing, &mut self.warnings];
        let required = self.conflicts.iter_mut().flat_map(|found| {
            let breaks = found.breaks.iter_mut().map(|broken| &mut broken.requires);
            breaks.chain([&mut found.required])
        });
        let texts = texts
            .into_iter()
            .flatten()
            .chain(required)
            .chain(&mut self.fix);
        for text in texts {
            *text = redaction.text(text);
        }
    }

    fn with(mut self, findings: &Findings) -> Self {
        self.missing.clone_from(&findings.missing);
        self.conflicts.clone_from(&findings.conflicts);
        self
    }
}

/// `1 package`, `2 packages`.
pub(crate) fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

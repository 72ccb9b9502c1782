//! What was looked at, and what became of it.

use std::borrow::Cow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Chosen,
    Absent,
    Broken,
    Rejected,
    NotReached,
}

impl Verdict {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Chosen => "chosen",
            Self::Absent => "absent",
            Self::Broken => "broken",
            Self::Rejected => "rejected",
            Self::NotReached => "not-reached",
        }
    }
}

/// How much of a search is told.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Story {
    /// Also what was not looked at any more.
    #[default]
    Whole,
    /// Nothing beyond what was found, for who wants that and no reasons.
    UntilFound,
}

/// One thing a search looked at, or would have looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The search key it stands under, such as `project`.
    pub place: String,
    /// A path, or for a lookup the names that were looked up.
    pub path: String,
    pub verdict: Verdict,
    /// Why it won or lost.
    pub reason: String,
    /// Its version, if it won and that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// What is run in its place, if it only stands for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<PathBuf>,
    /// What to do about it, if it lost by a fault of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// Whether it lost though nothing is wrong: nobody asks for a version of it, or the
    /// system's own is asked for.
    #[serde(skip)]
    pub(super) is_left_to_system: bool,
}

impl Candidate {
    /// Why it won or lost, with its version.
    #[must_use]
    pub fn told(&self) -> Cow<'_, str> {
        match &self.version {
            Some(version) => Cow::Owned(format!("{}, version {version}", self.reason)),
            None => Cow::Borrowed(&self.reason),
        }
    }
}

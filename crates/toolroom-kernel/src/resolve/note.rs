//! What a user should know though nothing failed, with what to do about it.

use std::fmt;

use serde::{Serialize, Serializer};

/// A remark of a resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note {
    pub about: Subject,
    /// What is so.
    pub text: String,
    /// What to do, if it is not meant so.
    pub fix: Option<String>,
}

/// What a note is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Subject {
    /// The search for an interpreter, and what it is given.
    Search,
    /// A dotenv file, whatever is searched for.
    Dotenv,
    /// How the tool is called in what was found.
    Call,
}

impl Note {
    pub(super) fn new(text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            about: Subject::Search,
            text: text.into(),
            fix: Some(fix.into()),
        }
    }

    /// A remark on how a tool is called.
    #[must_use]
    pub fn of_call(text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self {
            about: Subject::Call,
            ..Self::new(text, fix)
        }
    }

    /// A directory that a list such as PATH cannot hold.
    pub(super) fn not_listed(entry: &str, name: &str) -> Self {
        Self::new(
            format!("{entry} cannot be part of {name}: it has a separator in its name"),
            "rename it",
        )
    }

    pub(super) fn of_dotenv(text: String, fix: Option<String>) -> Self {
        Self {
            about: Subject::Dotenv,
            text,
            fix,
        }
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)?;
        match &self.fix {
            Some(fix) => write!(f, "; {fix}"),
            None => Ok(()),
        }
    }
}

/// As one text.
impl Serialize for Note {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

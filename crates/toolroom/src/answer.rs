//! What a command gives back: an answer for people, the same answer for programs.

use serde_json::Value;
use toolroom_catalog::problem::Problem;

use crate::exit::Status;
use crate::failure::Failure;

/// A command's answer.
#[derive(Debug)]
pub struct Answer {
    /// For people, on standard output.
    pub text: String,
    /// For programs, as `data`.
    pub data: Value,
    /// Remarks for people, on standard error.
    pub notes: Vec<String>,
    /// Files that could not be used, drawn on standard error.
    pub problems: Vec<Problem>,
    /// What failed beside what was done, drawn on standard error.
    pub failures: Vec<Failure>,
    pub status: Status,
    /// The text is data, to be written to the byte.
    pub is_verbatim: bool,
    /// `data` as JSON text, where a value could not hold it exactly.
    pub raw: Option<String>,
}

impl Answer {
    #[must_use]
    pub const fn new(text: String, data: Value) -> Self {
        Self {
            text,
            data,
            notes: Vec::new(),
            problems: Vec::new(),
            failures: Vec::new(),
            status: Status::Done,
            is_verbatim: false,
            raw: None,
        }
    }

    /// An answer for programs alone, written as it is.
    #[must_use]
    pub fn written(data: &impl serde::Serialize) -> Self {
        let mut answer = Self::new(String::new(), Value::Null);
        answer.raw = serde_json::to_string(data).ok();
        answer
    }

    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

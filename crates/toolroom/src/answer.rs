//! What a command gives back: an answer for people, the same answer for programs.

use std::io;

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
    /// What the tool did wrong, on standard error also when quiet.
    pub complaints: Vec<String>,
    /// Files that could not be used, drawn on standard error.
    pub problems: Vec<Problem>,
    /// What failed beside what was done, drawn on standard error.
    pub failures: Vec<Failure>,
    pub status: Status,
    /// The text is data, to be written to the byte.
    pub is_verbatim: bool,
    /// `data` as it is written, where there may be much of it, or numbers that a value
    /// could not hold exactly.
    pub stream: Option<Stream>,
}

/// What writes an answer's data as JSON, bit by bit.
pub struct Stream(Box<Writing>);

type Writing = dyn Fn(&mut Out) -> serde_json::Result<()>;

/// Where data is written to. Not any writer: JSON comes in very small pieces, and most of
/// what a long answer costs would be to find out, for each, who writes it.
pub type Out = io::BufWriter<io::StdoutLock<'static>>;

impl Stream {
    pub fn new(data: impl Fn(&mut Out) -> serde_json::Result<()> + 'static) -> Self {
        Self(Box::new(data))
    }

    /// # Errors
    /// Fails if it could not be written.
    pub fn write(&self, out: &mut Out) -> io::Result<()> {
        Ok((self.0)(out)?)
    }
}

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Stream")
    }
}

impl Answer {
    #[must_use]
    pub const fn new(text: String, data: Value) -> Self {
        Self {
            text,
            data,
            notes: Vec::new(),
            complaints: Vec::new(),
            problems: Vec::new(),
            failures: Vec::new(),
            status: Status::Done,
            is_verbatim: false,
            stream: None,
        }
    }

    /// An answer for programs alone, of which there may be much.
    #[must_use]
    pub fn streamed(data: impl Fn(&mut Out) -> serde_json::Result<()> + 'static) -> Self {
        let mut answer = Self::new(String::new(), Value::Null);
        answer.stream = Some(Stream::new(data));
        answer
    }

    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

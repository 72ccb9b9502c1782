//! What a call came to.

use std::time::Duration;

use serde_json::value::RawValue;

use super::pointer::Pointer;
use super::response::Head;
use super::sse::Collected;
use crate::end::End;

/// The end of a call that could be made.
#[derive(Debug)]
#[non_exhaustive]
pub struct Outcome {
    pub end: End,
    /// Where it went, without credentials and query.
    pub url: String,
    /// How often the request was sent.
    pub attempts: u32,
    /// What was answered; of a call that was ended, what had come by then.
    pub answer: Option<Answer>,
    pub duration: Duration,
}

/// What a server answered.
#[derive(Debug)]
#[non_exhaustive]
pub struct Answer {
    pub status: u16,
    /// In the order they came; a name may come several times.
    pub headers: Vec<(String, String)>,
    /// The body as JSON, or the part of it that was asked for.
    pub data: Option<Box<RawValue>>,
    /// The part that was asked for and that a good answer did not have; `data` is then
    /// all of it.
    pub lacks: Option<String>,
    /// Whether events were left out of `data`.
    pub truncated: bool,
    /// Whether `data` was passed on while it came.
    pub streamed: bool,
}

impl Answer {
    /// Whether the status says that it went well.
    #[must_use]
    pub const fn is_good(&self) -> bool {
        self.status < 400
    }

    /// The status as people write it: `404 Not Found`.
    #[must_use]
    pub fn status_text(&self) -> String {
        let known = reqwest::StatusCode::from_u16(self.status).ok();
        match known.and_then(|status| status.canonical_reason()) {
            Some(reason) => format!("{} {reason}", self.status),
            None => self.status.to_string(),
        }
    }

    pub(super) fn whole(head: Head, data: Option<Box<RawValue>>) -> Self {
        Self {
            status: head.status,
            headers: head.headers,
            data,
            lacks: None,
            truncated: false,
            streamed: false,
        }
    }

    pub(super) fn streamed(head: Head, collected: &Collected) -> Self {
        Self {
            truncated: collected.is_truncated,
            streamed: true,
            ..Self::whole(head, collected.data())
        }
    }

    /// Leaves only the part of a good answer that was asked for.
    pub(super) fn pick(mut self, part: Option<&Pointer>) -> Self {
        if let (Some(pointer), true) = (part, self.is_good()) {
            match self.data.as_deref().and_then(|data| pointer.pick(data)) {
                Some(picked) => self.data = Some(picked),
                None => self.lacks = Some(pointer.as_str().to_owned()),
            }
        }
        self
    }
}

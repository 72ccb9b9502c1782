//! What a call came to, in the terms of the contract.

use serde_json::value::RawValue;
use toolroom_kernel::Explain;

use super::style::Returns;
use crate::subprocess::{Failure, Outcome, Reply};

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Success,
    Error,
    Timeout,
    Cancelled,
}

impl Status {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::Error => "error",
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A call's outcome.
#[derive(Debug)]
pub struct Report {
    pub status: Status,
    /// The tool's own result, as the JSON text it came as.
    pub data: Option<Box<RawValue>>,
    /// Why a call that ran failed.
    pub failure: Option<ToolFailure>,
    pub outcome: Outcome,
}

/// Why a tool that ran did not succeed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolFailure {
    #[error("{}: {}", .0.kind, .0.message)]
    Raised(Failure),
    #[error("the tool ended without a result{}", ended(.0))]
    NoResult(Ended),
    #[error("the tool's result cannot be read: {0}")]
    Unreadable(String),
    #[error("the tool ended{}", ended(.0))]
    Status(Ended),
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
}

fn ended(end: &Ended) -> String {
    match (end.signal, end.exit_code) {
        (Some(signal), _) => format!(" by signal {signal}"),
        (None, Some(code)) => format!(" with status {code}"),
        (None, None) => String::new(),
    }
}

impl Explain for ToolFailure {
    fn code(&self) -> &'static str {
        match self {
            Self::Raised(_) => "tool::raised",
            Self::NoResult(_) => "tool::no_result",
            Self::Unreadable(_) => "tool::unreadable_result",
            Self::Status(_) => "tool::failed",
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::NoResult(_) => Some("a function tool ends by returning; it may not end the process itself".into()),
            _ => None,
        }
    }
}

impl Report {
    pub(super) fn new(mut outcome: Outcome, returns: Returns) -> Self {
        let reply = outcome.reply.take();
        let end = Ended {
            exit_code: outcome.exit_code,
            signal: outcome.signal,
        };
        let (data, failure) = match (returns, reply) {
            (_, Some(Reply::Result(value))) => (Some(value), None),
            (_, Some(Reply::Failure(failure))) => (None, Some(ToolFailure::Raised(failure))),
            (_, Some(Reply::Unreadable(reason))) => (None, Some(ToolFailure::Unreadable(reason))),
            (Returns::Reply, None) => (None, Some(ToolFailure::NoResult(end))),
            (Returns::Reply, Some(Reply::Output)) | (Returns::Output, _) => {
                let failed = end.exit_code != Some(0);
                (output(&outcome), failed.then_some(ToolFailure::Status(end)))
            }
        };
        let status = match (&failure, outcome.timed_out, outcome.cancelled) {
            (_, true, _) => Status::Timeout,
            (_, _, true) => Status::Cancelled,
            (Some(_), ..) => Status::Error,
            (None, ..) => Status::Success,
        };
        Self {
            status,
            data,
            failure: failure.filter(|_| status == Status::Error),
            outcome,
        }
    }
}

/// What a script printed, as its result: JSON where it is JSON, else the text itself.
fn output(outcome: &Outcome) -> Option<Box<RawValue>> {
    let text = outcome.stdout.text().text;
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return None;
    }
    if !outcome.stdout.truncated()
        && let Ok(value) = serde_json::from_str::<Box<RawValue>>(trimmed)
    {
        return Some(value);
    }
    serde_json::value::to_raw_value(text.trim_end_matches('\n')).ok()
}

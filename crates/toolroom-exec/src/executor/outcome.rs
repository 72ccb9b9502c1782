//! What a call came to, in the terms of the contract.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use toolroom_kernel::Explain;

use super::bridge::Bridge;
use super::style::Returns;
use super::trouble::Trouble;
use crate::end::{End, Exit};
use crate::http;
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

/// A tool's own result.
#[derive(Debug)]
pub enum Data {
    /// As the JSON text it came as.
    Json(Box<RawValue>),
    /// A text that it printed: as JSON that may be six times as long.
    Text(String),
}

impl Data {
    #[must_use]
    pub fn json(&self) -> Cow<'_, str> {
        match self {
            Self::Json(json) => Cow::Borrowed(json.get()),
            Self::Text(text) => Cow::Owned(Value::from(text.as_str()).to_string()),
        }
    }
}

impl Serialize for Data {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(json) => json.serialize(serializer),
            Self::Text(text) => text.serialize(serializer),
        }
    }
}

/// A call's outcome.
#[derive(Debug)]
pub struct Report {
    pub status: Status,
    pub data: Option<Data>,
    /// Whether the data is what the tool printed, and no reply of its own.
    pub is_output: bool,
    /// Why a call that ran failed.
    pub failure: Option<ToolFailure>,
    /// How the process ended and what it printed; of a request only whether and when it
    /// ended.
    pub outcome: Outcome,
    /// What a server answered, where the call was a request.
    pub http: Option<HttpFacts>,
}

/// What a server answered besides its data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpFacts {
    /// None if there was no answer in time.
    pub status: Option<u16>,
    /// In the order they came; a name may come several times.
    pub headers: Vec<(String, String)>,
    pub attempts: u32,
    /// Whether the data was passed on while it came.
    pub streamed: bool,
    /// Whether some of what was passed on is not in the data.
    pub truncated: bool,
}

/// Why a tool that ran did not succeed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolFailure {
    #[error("{}: {}", .0.kind, .0.message)]
    Raised(Failure),
    /// The interpreter that was found cannot run the tool, which never began.
    #[error("{0}")]
    Unfit(String),
    #[error("the tool ended without a result{}", ended(*.0))]
    NoResult(Option<Exit>),
    #[error("the tool's result cannot be read: {0}")]
    Unreadable(String),
    #[error("the tool ended{}", ended(*.0))]
    Status(Option<Exit>),
    #[error("{message}")]
    Server { trouble: Trouble, message: String },
    #[error("{url} answered {status}")]
    Answered { url: String, status: String },
    #[error("the answer of {url} has nothing at {part:?}")]
    LacksResult { url: String, part: String },
    #[error("{url} did not answer in time{}", tried(*.attempts))]
    NoAnswer { url: String, attempts: u32 },
}

impl ToolFailure {
    /// Changes what is said here in words of ours that came of the call's config, such as an
    /// address. What the tool itself said is its own.
    pub fn change_own_words(&mut self, change: impl FnOnce(&mut String)) {
        match self {
            Self::Answered { url, .. }
            | Self::LacksResult { url, .. }
            | Self::NoAnswer { url, .. } => change(url),
            Self::Server { trouble, message } if *trouble != Trouble::Failed => change(message),
            _ => {}
        }
    }
}

fn ended(exit: Option<Exit>) -> String {
    match exit {
        Some(Exit::Signal(signal)) => format!(" by signal {signal}"),
        Some(Exit::Code(code)) => format!(" with status {code}"),
        None => String::new(),
    }
}

fn tried(attempts: u32) -> String {
    match attempts {
        0 | 1 => String::new(),
        many => format!(", asked {many} times"),
    }
}

impl Explain for ToolFailure {
    fn code(&self) -> &'static str {
        match self {
            Self::Raised(_) => "tool::raised",
            Self::Unfit(_) => "exec::unfit_interpreter",
            Self::NoResult(_) => "tool::no_result",
            Self::Unreadable(_) => "tool::unreadable_result",
            Self::Status(_) => "tool::failed",
            Self::Server { trouble, .. } => trouble.code(),
            Self::Answered { .. } => "http::status",
            Self::LacksResult { .. } => "http::no_result",
            Self::NoAnswer { .. } => "http::timeout",
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::NoResult(_) => {
                Some("a function tool ends by returning; it may not end the process itself".into())
            }
            Self::Unfit(_) => Some(
                "toolroom env ID --explain says why this interpreter was chosen for the tool"
                    .into(),
            ),
            Self::Server { trouble, .. } => trouble.help().map(str::to_owned),
            Self::LacksResult { .. } => {
                Some("config.result names a part of the answer; the whole of it is in data".into())
            }
            Self::NoAnswer { .. } => {
                Some("--timeout S, or config.timeout, gives it more time".into())
            }
            _ => None,
        }
    }
}

impl Report {
    /// What a request came to. An answer of 400 and above is a failure with its body kept.
    pub(super) fn of_http(sent: http::Outcome) -> Self {
        let http::Outcome {
            end,
            url,
            attempts,
            answer,
            duration,
            ..
        } = sent;
        let bad = answer.as_ref().filter(|answer| !answer.is_good());
        let bad = bad.map(|answer| ToolFailure::Answered {
            url: url.clone(),
            status: answer.status_text(),
        });
        let lacks = answer.as_ref().and_then(|answer| answer.lacks.clone());
        let (status, failure) = match end {
            End::TimedOut => (
                Status::Timeout,
                Some(ToolFailure::NoAnswer { url, attempts }),
            ),
            End::Cancelled => (Status::Cancelled, None),
            End::Itself => match bad.or(lacks.map(|part| ToolFailure::LacksResult { url, part })) {
                Some(failure) => (Status::Error, Some(failure)),
                None => (Status::Success, None),
            },
        };
        let outcome = Outcome {
            end,
            duration,
            ..Outcome::default()
        };
        let mut facts = HttpFacts {
            attempts,
            ..HttpFacts::default()
        };
        let data = answer.and_then(|answer| {
            facts.status = Some(answer.status);
            facts.headers = answer.headers;
            facts.streamed = answer.streamed;
            facts.truncated = answer.truncated;
            answer.data
        });
        Self {
            status,
            data: data.map(Data::Json),
            is_output: false,
            failure,
            outcome,
            http: Some(facts),
        }
    }

    /// What a call of another server's tool came to.
    #[must_use]
    pub fn of_bridge(outcome: Outcome, bridge: &Bridge) -> Self {
        let mut report = Self::new(outcome, Returns::Reply);
        if report.status == Status::Timeout {
            report.failure = Some(ToolFailure::Server {
                trouble: Trouble::TimedOut,
                message: format!("{} did not answer in time", bridge.server),
            });
        } else if let Some(ToolFailure::Raised(raised)) = &mut report.failure
            && let Some(trouble) = Trouble::of_code(&raised.kind)
        {
            let message = std::mem::take(&mut raised.message);
            report.failure = Some(ToolFailure::Server { trouble, message });
        }
        report
    }

    pub(super) fn new(mut outcome: Outcome, returns: Returns) -> Self {
        let reply = outcome.reply.take();
        let is_output = match &reply {
            None => returns != Returns::Reply,
            Some(reply) => matches!(reply, Reply::Output),
        };
        let exit = outcome.exit;
        let (data, failure) = match (returns, reply) {
            (_, Some(Reply::Result(value))) => (Some(Data::Json(value)), None),
            (_, Some(Reply::Failure(failure))) if failure.unfit => {
                (None, Some(ToolFailure::Unfit(failure.message)))
            }
            (_, Some(Reply::Failure(failure))) => (None, Some(ToolFailure::Raised(failure))),
            (_, Some(Reply::Unreadable(reason))) => (None, Some(ToolFailure::Unreadable(reason))),
            (Returns::Reply, None) => (None, Some(ToolFailure::NoResult(exit))),
            (Returns::Reply, Some(Reply::Output)) | (Returns::Output | Returns::Either, _) => {
                let failed = exit != Some(Exit::Code(0));
                (
                    output(&outcome),
                    failed.then_some(ToolFailure::Status(exit)),
                )
            }
        };
        let status = match (outcome.end, &failure) {
            (End::TimedOut, _) => Status::Timeout,
            (End::Cancelled, _) => Status::Cancelled,
            (End::Itself, Some(_)) => Status::Error,
            (End::Itself, None) => Status::Success,
        };
        Self {
            status,
            data,
            is_output,
            failure: failure.filter(|_| status == Status::Error),
            outcome,
            http: None,
        }
    }
}

/// What a script printed, as its result: JSON where it is JSON, else the text itself.
fn output(outcome: &Outcome) -> Option<Data> {
    let mut text = outcome.stdout.text().text;
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return None;
    }
    if !outcome.stdout.truncated()
        && let Ok(value) = serde_json::from_str::<Box<RawValue>>(trimmed)
    {
        return Some(Data::Json(value));
    }
    text.truncate(text.trim_end_matches('\n').len());
    Some(Data::Text(text))
}

//! An outcome as an answer: the result for people, the whole for programs.

use std::fmt::Write as _;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value, json};
use toolroom_catalog::secrets::Secrets;
use toolroom_exec::executor::{Data, HttpFacts, Prepared, Report, Returns, Status, ToolFailure};
use toolroom_exec::subprocess::{End, Exit, Failure as Raised};
use toolroom_kernel::chain::Chain;
use toolroom_kernel::resolve::Refusal;
use toolroom_kernel::{Explain as _, World};

use crate::answer::{Answer, Stream};
use crate::commands::show::chain_data;
use crate::exit;
use crate::failure::Failure;
use crate::output::json::laid_out;
use crate::output::style;

/// Whom an answer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    Person,
    /// Somebody who reads text that is not on a terminal.
    Pipe,
    Program,
}

pub fn answer(
    mut report: Report,
    world: &World,
    chain: &Chain,
    prepared: &Prepared,
    reader: Reader,
) -> Answer {
    if let Some(failure) = &mut report.failure {
        let secrets = || Secrets::of_resolution(world, &prepared.resolution);
        failure.change_own_words(|text| *text = secrets().hidden(text).into_owned());
    }
    let was_shown = match &report.http {
        Some(http) => http.streamed,
        // What may have been talk beside a result has been shown as that.
        None => report.is_output && prepared.returns() != Returns::Either,
    };
    // A script's output and a stream of events have been shown while they came.
    let text = match &report.data {
        Some(data) if !was_shown && reader != Reader::Program => {
            result_text(&data.json(), reader == Reader::Person)
        }
        _ => String::new(),
    };
    let mut answer = Answer::new(text, Value::Null);
    answer.status = status(&report);
    if reader == Reader::Program {
        answer.stream = Some(told(report, chain, &prepared.resolution.refused));
        return answer;
    }
    match (report.status, &report.failure) {
        (Status::Timeout, None) => answer.complaints.push(timeout(prepared)),
        (Status::Cancelled, _) => answer.complaints.push(style::bad("interrupted")),
        (_, Some(failure @ ToolFailure::Server { .. })) => {
            let mut drawn = Failure::new(failure.code(), failure.to_string());
            drawn.help = failure.help();
            answer.failures.push(drawn);
        }
        (_, Some(failure)) => answer.complaints.push(complaint(failure)),
        _ => {}
    }
    answer
}

/// The answer of a tool whose output found nobody, or no place, to go to.
pub fn unwritten(error: &std::io::Error, mut answer: Answer) -> Result<Answer, Failure> {
    /// What a shell reports of a program whose reader went away.
    const BROKEN_PIPE: u8 = 141;
    if error.kind() != std::io::ErrorKind::BrokenPipe {
        let message = format!("the answer could not be written: {error}");
        return Err(Failure::new("io::not_written", message));
    }
    answer.notes.clear();
    answer.complaints.clear();
    answer.status = exit::Status::Tool(BROKEN_PIPE);
    Ok(answer)
}

/// A text as itself, nothing for null, anything else as JSON.
fn result_text(json: &str, to_terminal: bool) -> String {
    if json == "null" {
        return String::new();
    }
    let text = serde_json::from_str(json).ok();
    let laid_out = || to_terminal.then(|| laid_out(json)).flatten();
    let mut text = text.or_else(laid_out).unwrap_or_else(|| json.to_owned());
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

/// `data` of the answer.
#[derive(Serialize)]
struct Told {
    status: &'static str,
    data: Option<Data>,
    stdout: String,
    stderr: String,
    lossy: bool,
    exit_code: Option<i32>,
    signal: Option<i32>,
    timed_out: bool,
    truncated: bool,
    spill: Option<String>,
    duration_ms: u64,
    chain: Value,
    refused: Vec<Refusal>,
    /// Where `spill` is the other output's.
    #[serde(skip_serializing_if = "Option::is_none")]
    stderr_spill: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spill_error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    http: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Value>,
}

/// The whole of a report. Output is kept as the text it is, and becomes JSON while it is
/// written: control characters are six times as long there.
fn told(report: Report, chain: &Chain, refused: &[Refusal]) -> Stream {
    let outcome = report.outcome;
    let (exit_code, signal) = (outcome.exit_code(), outcome.signal());
    let (out, err) = (outcome.stdout, outcome.stderr);
    let (stdout, stderr) = (out.text(), err.text());
    let path = |path: &PathBuf| path.to_string_lossy().into_owned();
    let spills = [&out.spill, &err.spill].map(|spill| spill.as_ref().map(path));
    let (spill, stderr_spill) = match spills {
        [Some(out), err] => (Some(out), err),
        [None, err] => (err, None),
    };
    let http = report.http.as_ref();
    let told = Told {
        status: report.status.name(),
        data: report.data,
        lossy: stdout.lossy || stderr.lossy,
        stdout: stdout.text,
        stderr: stderr.text,
        exit_code,
        signal,
        timed_out: outcome.end == End::TimedOut,
        truncated: out.truncated() || err.truncated() || http.is_some_and(|http| http.truncated),
        spill,
        duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
        chain: chain_data(Some(chain)),
        refused: refused.to_vec(),
        stderr_spill,
        spill_error: out.spill_error.or(err.spill_error),
        http: http.map(http_data),
        error: report.failure.as_ref().map(failure_data),
    };
    Stream::new(move |out| serde_json::to_writer(out, &told))
}

/// What a server answered; a header that came several times has a list of values.
fn http_data(http: &HttpFacts) -> Value {
    let mut headers = Map::new();
    for (name, value) in &http.headers {
        match headers.get_mut(name) {
            None => {
                headers.insert(name.clone(), value.as_str().into());
            }
            Some(Value::Array(values)) => values.push(value.as_str().into()),
            Some(first) => *first = json!([first.take(), value]),
        }
    }
    json!({"status": http.status, "headers": headers, "attempts": http.attempts})
}

fn failure_data(failure: &ToolFailure) -> Value {
    let mut data = json!({"code": failure.code(), "message": failure.to_string()});
    if let Some(help) = failure.help() {
        data["help"] = help.into();
    }
    if let ToolFailure::Raised(raised) = failure {
        data["type"] = raised.kind.as_str().into();
        data["message"] = raised.message.as_str().into();
        data["frames"] = raised
            .frames
            .iter()
            .map(|frame| json!({"file": frame.file, "line": frame.line, "function": frame.function, "source": frame.source}))
            .collect();
        data["omitted"] = raised.omitted.into();
        data["causes"] = raised
            .causes
            .iter()
            .map(|cause| json!({"type": cause.kind, "message": cause.message}))
            .collect();
    }
    data
}

fn status(report: &Report) -> exit::Status {
    const SIGNAL_BASE: i32 = 128;
    match (report.status, &report.failure) {
        (Status::Success, _) => exit::Status::Done,
        (Status::Timeout, _) => exit::Status::TimedOut,
        (Status::Cancelled, _) => exit::Status::Interrupted,
        (Status::Error, Some(ToolFailure::Unfit(_))) => exit::Status::CannotDo,
        (Status::Error, Some(ToolFailure::Server { trouble, .. }))
            if trouble.is_before_the_call() =>
        {
            exit::Status::CannotDo
        }
        (Status::Error, Some(ToolFailure::Unreadable(_) | ToolFailure::Server { .. })) => {
            exit::Status::ToolFailed
        }
        (Status::Error, failure) => {
            let code = report.outcome.exit.and_then(|exit| match exit {
                // What it raised is why it failed, however the process ended after that.
                Exit::Signal(_) if matches!(failure, Some(ToolFailure::Raised(_))) => None,
                Exit::Signal(signal) => u8::try_from(SIGNAL_BASE + signal).ok(),
                Exit::Code(code) => u8::try_from(code).ok(),
            });
            match code {
                None | Some(0) => exit::Status::ToolFailed,
                Some(code) => exit::Status::Tool(code),
            }
        }
    }
}

fn timeout(prepared: &Prepared) -> String {
    let after = prepared.timeout.unwrap_or_default().as_secs_f64();
    format!(
        "{} the tool was ended after {after} s; --timeout S gives it more",
        style::bad("timeout:")
    )
}

fn complaint(failure: &ToolFailure) -> String {
    let mut text = format!(
        "{} {failure}",
        style::bad(format!("error[{}]:", failure.code()))
    );
    if let ToolFailure::Raised(raised) = failure {
        text.push_str(&frames(raised));
        for cause in &raised.causes {
            let _ = write!(text, "\n  caused by {}: {}", cause.kind, cause.message);
        }
    }
    if let Some(help) = failure.help() {
        let _ = write!(text, "\n  help: {help}");
    }
    text
}

fn frames(raised: &Raised) -> String {
    let mut text = String::new();
    // What was left out lay between the first half and the last.
    let gap = (raised.omitted > 0).then_some(raised.frames.len() / 2);
    for (index, frame) in raised.frames.iter().enumerate() {
        if gap == Some(index) {
            let _ = write!(text, "\n  … {} calls left out …", raised.omitted);
        }
        let function = frame.function.as_deref().unwrap_or("?");
        let line = frame
            .line
            .map(|line| format!(":{line}"))
            .unwrap_or_default();
        let _ = write!(
            text,
            "\n  {} in {function}",
            style::faint(format!("{}{line}", frame.file))
        );
        if let Some(source) = &frame.source {
            let _ = write!(text, "\n    {source}");
        }
    }
    text
}

//! An outcome as an answer: the result for people, the whole for programs.

use std::fmt::Write as _;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use toolroom_exec::executor::{HttpFacts, Prepared, Report, Status, ToolFailure};
use toolroom_exec::subprocess::Failure as Raised;
use toolroom_kernel::Explain as _;
use toolroom_kernel::chain::Chain;

use crate::answer::Answer;
use crate::commands::show::chain_data;
use crate::exit;
use crate::failure::Failure;
use crate::output::style;

/// Whom an answer is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reader {
    Person,
    /// Somebody who reads text that is not on a terminal.
    Pipe,
    Program,
}

pub fn answer(mut report: Report, chain: &Chain, prepared: &Prepared, reader: Reader) -> Answer {
    let was_shown = match &report.http {
        Some(http) => http.streamed,
        None => report.is_output,
    };
    // A script's output and a stream of events have been shown while they came.
    let text = match &report.data {
        Some(data) if !was_shown && reader != Reader::Program => {
            result_text(data, reader == Reader::Person)
        }
        _ => String::new(),
    };
    let mut answer = Answer::new(text, Value::Null);
    answer.status = status(&report);
    if reader == Reader::Program {
        let result = report.data.take();
        answer.raw = Some(data(result, &report, chain));
    }
    match (report.status, &report.failure) {
        (Status::Timeout, None) => answer.notes.push(timeout_note(prepared)),
        (Status::Cancelled, _) => answer.notes.push(style::bad("interrupted")),
        (_, Some(failure)) => answer.notes.push(failure_note(failure)),
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
    answer.status = exit::Status::Tool(BROKEN_PIPE);
    Ok(answer)
}

/// A text as itself, nothing for null, anything else as JSON.
fn result_text(data: &RawValue, to_terminal: bool) -> String {
    match serde_json::from_str::<Value>(data.get()) {
        Ok(Value::Null) => String::new(),
        Ok(Value::String(text)) if text.ends_with('\n') => text,
        Ok(Value::String(text)) => format!("{text}\n"),
        // Read and written again, a number beyond 64 bits would change.
        Ok(value) if to_terminal && !has_large_numbers(data.get()) => {
            match serde_json::to_string_pretty(&value) {
                Ok(pretty) => format!("{pretty}\n"),
                Err(_) => format!("{}\n", data.get()),
            }
        }
        _ => format!("{}\n", data.get()),
    }
}

fn has_large_numbers(json: &str) -> bool {
    const MOST_EXACT_DIGITS: usize = 15;
    let mut digits = 0;
    json.bytes().any(|byte| {
        digits = if byte.is_ascii_digit() { digits + 1 } else { 0 };
        digits > MOST_EXACT_DIGITS
    })
}

/// `data` of the answer, with the result as the text it came as.
fn data(result: Option<Box<RawValue>>, report: &Report, chain: &Chain) -> String {
    let outcome = &report.outcome;
    let stdout = outcome.stdout.text();
    let stderr = outcome.stderr.text();
    let spill = outcome
        .stdout
        .spill
        .as_ref()
        .or(outcome.stderr.spill.as_ref());
    let mut rest = json!({
        "stdout": stdout.text,
        "stderr": stderr.text,
        "lossy": stdout.lossy || stderr.lossy,
        "exit_code": outcome.exit_code,
        "signal": outcome.signal,
        "timed_out": outcome.timed_out,
        "truncated": outcome.stdout.truncated()
            || outcome.stderr.truncated()
            || report.http.as_ref().is_some_and(|http| http.truncated),
        "spill": spill.map(|path| path.to_string_lossy()),
        "duration_ms": u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
        "chain": chain_data(Some(chain)),
    });
    if let Some(reason) = outcome
        .stdout
        .spill_error
        .as_ref()
        .or(outcome.stderr.spill_error.as_ref())
    {
        rest["spill_error"] = reason.as_str().into();
    }
    if let Some(http) = &report.http {
        rest["http"] = http_data(http);
    }
    if let Some(failure) = &report.failure {
        rest["error"] = failure_data(failure);
    }
    let status = report.status.name();
    let mut text = format!("{{\"status\":\"{status}\",\"data\":");
    text.push_str(result.as_ref().map_or("null", |result| result.get()));
    // It may be large, and the output is often the same once more.
    drop(result);
    for (name, value) in rest.as_object().into_iter().flatten() {
        let _ = write!(text, ",{}:{value}", Value::from(name.as_str()));
    }
    text.push('}');
    text
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
        (Status::Error, Some(ToolFailure::Raised(_) | ToolFailure::Unreadable(_))) => {
            exit::Status::ToolFailed
        }
        (Status::Error, _) => {
            let signal = report.outcome.signal.map(|signal| SIGNAL_BASE + signal);
            let code = signal
                .or(report.outcome.exit_code)
                .and_then(|code| u8::try_from(code).ok());
            match code {
                None | Some(0) => exit::Status::ToolFailed,
                Some(code) => exit::Status::Tool(code),
            }
        }
    }
}

fn timeout_note(prepared: &Prepared) -> String {
    let after = prepared.timeout.unwrap_or_default().as_secs_f64();
    format!(
        "{} the tool was ended after {after} s; --timeout S gives it more",
        style::bad("timeout:")
    )
}

fn failure_note(failure: &ToolFailure) -> String {
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

//! What a run gave, as the answer to a call: text always, structure where there is any,
//! content blocks as the tool made them, and failures as something a model can act on.

use std::borrow::Cow;
use std::fmt::Write as _;

use rmcp::model::{CallToolResult, ContentBlock, MetaObject, ResourceContents};
use serde_json::{Map, Value, json};
use toolroom_catalog::secrets::Secrets;
use toolroom_exec::executor::{Data, Report, Status, ToolFailure};
use toolroom_exec::subprocess::End;
use toolroom_kernel::{Explain, Place, causes};

use super::ask::Ask;
use super::entry::Entry;
use super::schema::WRAPPED;
use super::text::{clean, clean_value};
use crate::server::Era;
use crate::server::outputs::Outputs;

/// How much text a model is given of one result; the rest is a resource.
pub const MOST_TEXT: usize = 100 << 10;
const LAST_WORDS: usize = 4 << 10;

/// The end of a run: an answer, or a question to the user first.
#[derive(Debug)]
pub enum Finished {
    Done(Box<CallToolResult>),
    /// The run broke off before the tool gave an answer of its own.
    Broke(Box<CallToolResult>),
    Asks(Box<Ask>),
}

impl Finished {
    #[must_use]
    pub fn done(result: CallToolResult) -> Self {
        Self::Done(Box::new(result))
    }
}

/// Turns results into answers for one client.
#[derive(Debug, Clone, Copy)]
pub struct Form<'a> {
    pub era: Era,
    pub outputs: &'a Outputs,
    pub secrets: &'a Secrets,
}

impl Form<'_> {
    /// The answer to a call that ran.
    #[must_use]
    pub fn of_report(&self, report: &Report, entry: &Entry) -> Finished {
        if report.status != Status::Success {
            let result = self.failed(report);
            return match &report.failure {
                Some(ToolFailure::NoResult(_) | ToolFailure::Unreadable(_)) => {
                    Finished::Broke(Box::new(result))
                }
                _ => Finished::done(result),
            };
        }
        let raw = report.data.as_ref().map_or("null".into(), Data::json);
        let raw = &*self.secrets.hidden(&raw);
        // A value too deep to be read is still a text.
        let Ok(value) = serde_json::from_str::<Value>(raw) else {
            return Finished::done(self.text_only(raw));
        };
        if Ask::is_meant(&value) {
            return match Ask::parse(&value) {
                Ok(ask) => Finished::Asks(Box::new(ask)),
                Err(reason) => Finished::done(fault(format!(
                    "{} asked for input in a form that cannot be used: {reason}",
                    entry.id
                ))),
            };
        }
        Finished::done(self.of_value(value, raw, entry))
    }

    fn of_value(&self, mut value: Value, raw: &str, entry: &Entry) -> CallToolResult {
        if let Err(reason) = clean_value(&mut value) {
            return fault(format!("the result of {} {reason}", entry.id));
        }
        let mut result = match Envelope::of(&value) {
            Some(envelope) => self.of_envelope(envelope),
            None => self.of_data(&value, raw),
        };
        if result.is_error == Some(true) {
            return result;
        }
        if let Some(output) = &entry.output {
            let Some(structured) = result
                .structured_content
                .clone()
                .or_else(|| plain(&value, &result))
            else {
                return fault(format!(
                    "{} declares an output_schema and gave no structuredContent",
                    entry.id
                ));
            };
            if let Err(reason) = output.check(&structured) {
                return fault(format!(
                    "the result of {} does not fit its output_schema: {reason}",
                    entry.id
                ));
            }
            result.structured_content = Some(structured);
        }
        result.structured_content = result
            .structured_content
            .take()
            .map(|structured| self.era_form(structured));
        result
    }

    /// Older clients take objects only.
    fn era_form(&self, structured: Value) -> Value {
        match self.era {
            Era::Legacy if !structured.is_object() => json!({WRAPPED: structured}),
            _ => structured,
        }
    }

    fn of_data(&self, value: &Value, raw: &str) -> CallToolResult {
        let text: Cow<'_, str> = match value {
            Value::Null => return CallToolResult::success(Vec::new()),
            Value::String(text) => Cow::Borrowed(text),
            // As the tool wrote it, so that numbers keep every digit.
            _ => clean(raw),
        };
        let (blocks, is_cut) = self.capped(&text);
        let mut result = CallToolResult::success(blocks);
        if matches!(value, Value::Object(_) | Value::Array(_)) && !is_cut {
            result.structured_content = Some(value.clone());
        }
        result
    }

    fn of_envelope(&self, envelope: Envelope) -> CallToolResult {
        let mut blocks = Vec::with_capacity(envelope.content.len());
        for block in envelope.content {
            match block {
                ContentBlock::Text(text) if text.text.len() > MOST_TEXT => {
                    blocks.extend(self.capped(&text.text).0);
                }
                other => blocks.push(other),
            }
        }
        if let (Some(structured), true) = (&envelope.structured, blocks.is_empty()) {
            blocks = self.capped(&structured.to_string()).0;
        }
        let mut result = if envelope.is_error {
            CallToolResult::error(blocks)
        } else {
            CallToolResult::success(blocks)
        };
        result.structured_content = envelope.structured;
        result.meta = envelope.meta.map(MetaObject);
        result
    }

    fn text_only(&self, raw: &str) -> CallToolResult {
        CallToolResult::success(self.capped(&clean(raw)).0)
    }

    /// A text with its middle left out if it is too long, and a link to the whole.
    fn capped(&self, text: &str) -> (Vec<ContentBlock>, bool) {
        if text.len() <= MOST_TEXT {
            return (vec![ContentBlock::text(text)], false);
        }
        let head = floor(text, MOST_TEXT / 4 * 3);
        let tail = text.len() - floor_from_end(text, MOST_TEXT / 4);
        let left_out = tail - head;
        let link = self.outputs.keep(text);
        let place = link.as_ref().map_or_else(String::new, |link| {
            format!("; the whole is the resource {}", link.uri)
        });
        let shown = format!(
            "{}\n… {left_out} of {} bytes left out{place} …\n{}",
            &text[..head],
            text.len(),
            &text[tail..]
        );
        let mut blocks = vec![ContentBlock::text(shown)];
        blocks.extend(link.map(ContentBlock::resource_link));
        (blocks, true)
    }

    fn failed(&self, report: &Report) -> CallToolResult {
        let outcome = &report.outcome;
        let mut text = match (report.status, &report.failure) {
            (Status::Timeout, _) => format!(
                "the tool was ended after {:.1} s, its time limit",
                outcome.duration.as_secs_f64()
            ),
            (Status::Cancelled, _) => "the call was cancelled".to_owned(),
            (_, Some(failure)) => failure_text(failure),
            _ => "the tool failed".to_owned(),
        };
        if let (Some(data), Some(ToolFailure::Status(_))) = (&report.data, &report.failure) {
            let _ = write!(text, "\n\noutput:\n{}", output_text(&data.json()));
        }
        let stderr = outcome.stderr.text().text;
        let last = stderr.trim_end();
        if !last.is_empty() {
            let from = last.len() - floor_from_end(last, LAST_WORDS);
            let cut = if from > 0 { "… " } else { "" };
            let _ = write!(text, "\n\nstandard error:\n{cut}{}", &last[from..]);
        }
        let (blocks, _) = self.capped(&clean(&self.secrets.hidden(&text)));
        let mut result = CallToolResult::error(blocks);
        result.meta = Some(MetaObject(facts(report)));
        result
    }
}

fn output_text(raw: &str) -> String {
    match serde_json::from_str(raw) {
        Ok(Value::String(text)) => text,
        _ => raw.to_owned(),
    }
}

/// What ended how, for programs.
fn facts(report: &Report) -> Map<String, Value> {
    let outcome = &report.outcome;
    let facts = json!({
        "status": report.status.name(),
        "code": report.failure.as_ref().map(Explain::code),
        "exit_code": outcome.exit_code(),
        "signal": outcome.signal(),
        "timed_out": outcome.end == End::TimedOut,
        "duration_ms": u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
    });
    Map::from_iter([("toolroom/outcome".to_owned(), facts)])
}

fn failure_text(failure: &ToolFailure) -> String {
    let mut text = failure.to_string();
    if let ToolFailure::Raised(raised) = failure {
        for frame in &raised.frames {
            let line = frame
                .line
                .map(|line| format!(":{line}"))
                .unwrap_or_default();
            let function = frame
                .function
                .as_deref()
                .map(|name| format!(" in {name}"))
                .unwrap_or_default();
            let _ = write!(text, "\n  {}{line}{function}", frame.file);
            if let Some(source) = &frame.source {
                let _ = write!(text, ": {source}");
            }
        }
        for cause in &raised.causes {
            let _ = write!(text, "\ncaused by {}: {}", cause.kind, cause.message);
        }
    }
    if let Some(help) = failure.help() {
        let _ = write!(text, "\n{help}");
    }
    text
}

/// A failure a model can read and act on.
#[must_use]
pub fn fault(text: impl AsRef<str>) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(clean(text.as_ref()).into_owned())])
}

/// An error that explains itself, with its place and advice, and gives no secret away.
#[must_use]
pub fn explained(error: &dyn Explain, secrets: &Secrets) -> CallToolResult {
    let mut lines = vec![placed(error)];
    lines.extend(causes(error));
    lines.extend(error.help());
    let mut result = fault(secrets.hidden(&lines.join("\n")));
    let code = json!({"status": "error", "code": error.code()});
    result.meta = Some(MetaObject(Map::from_iter([(
        "toolroom/outcome".to_owned(),
        code,
    )])));
    result
}

/// What is wrong, and where.
#[must_use]
pub fn placed(error: &dyn Explain) -> String {
    let place = error.place().map(|place| at(&place)).unwrap_or_default();
    format!("{place}{error}")
}

fn at(place: &Place) -> String {
    let path = place.path.display();
    match place.position {
        Some(position) => format!("{path}:{}:{}: ", position.line, position.column),
        None => format!("{path}: "),
    }
}

/// The value itself, if the tool did not make content blocks.
fn plain(value: &Value, result: &CallToolResult) -> Option<Value> {
    let is_envelope = Envelope::of(value).is_some();
    (!is_envelope && result.structured_content.is_none()).then(|| value.clone())
}

/// A result that a tool made in MCP's own form.
struct Envelope {
    content: Vec<ContentBlock>,
    structured: Option<Value>,
    is_error: bool,
    meta: Option<Map<String, Value>>,
}

impl Envelope {
    fn of(value: &Value) -> Option<Self> {
        let fields = value.as_object()?;
        let blocks = fields.get("content")?.as_array()?;
        let content: Vec<ContentBlock> = blocks.iter().map(block).collect::<Option<_>>()?;
        let either = |one: &str, other: &str| fields.get(one).or_else(|| fields.get(other));
        Some(Self {
            content,
            structured: either("structuredContent", "structured_content")
                .filter(|value| !value.is_null())
                .cloned(),
            is_error: either("isError", "is_error")
                .and_then(Value::as_bool)
                .unwrap_or(false),
            meta: fields.get("_meta").and_then(Value::as_object).cloned(),
        })
    }
}

fn block(value: &Value) -> Option<ContentBlock> {
    value.get("type")?.as_str()?;
    let block: ContentBlock = serde_json::from_value(value.clone()).ok()?;
    match &block {
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, .. }
            | ResourceContents::BlobResourceContents { uri, .. } => {
                (!uri.is_empty()).then_some(block)
            }
            _ => None,
        },
        _ => Some(block),
    }
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// How many of the last bytes may be kept without splitting a character.
fn floor_from_end(text: &str, most: usize) -> usize {
    let from = text.len().saturating_sub(most);
    let from = (from..=text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len());
    text.len() - from
}

#[cfg(test)]
mod tests;

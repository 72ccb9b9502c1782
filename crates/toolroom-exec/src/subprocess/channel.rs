//! The private channel between a launcher and us: JSON, one frame a line.
//!
//! Events come first, in any number; then one final frame, after which the rest is not
//! looked at. A result is kept as the text it came as, so numbers of any size stay exact.
//! No bad line costs a result that comes after it.

use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// Something a tool says while it works.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    Progress {
        done: f64,
        total: Option<f64>,
        message: Option<String>,
    },
    Log {
        level: String,
        message: String,
    },
}

/// The last frame of a call.
#[derive(Debug)]
#[non_exhaustive]
pub enum Reply {
    /// What the function returned: any JSON value.
    Result(Box<RawValue>),
    /// What the tool printed on standard output is its result.
    Output,
    /// What the function raised.
    Failure(Failure),
    /// The launcher did not keep to the protocol, or the result is over the limit.
    Unreadable(String),
}

/// An exception of the tool, told without the launcher's own frames.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    #[serde(rename = "type")]
    pub kind: String,
    pub message: String,
    /// Outermost call first.
    #[serde(default)]
    pub frames: Vec<Frame>,
    /// How many frames were left out between the first and the last ones.
    #[serde(default)]
    pub omitted: u64,
    /// What it was raised from, nearest first.
    #[serde(default)]
    pub causes: Vec<Cause>,
    /// The launcher's own word that its interpreter cannot run the tool, and did not.
    #[serde(default)]
    pub unfit: bool,
}

impl Failure {
    /// A failure that is known by its kind and its words alone.
    pub fn new(kind: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            message: message.into(),
            frames: Vec::new(),
            omitted: 0,
            causes: Vec::new(),
            unfit: false,
        }
    }
}

/// Where in the tool's own files a call was made.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Frame {
    pub file: String,
    pub line: Option<u32>,
    pub function: Option<String>,
    pub source: Option<String>,
}

/// An exception that led to another.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Cause {
    #[serde(rename = "type")]
    pub kind: String,
    pub message: String,
}

#[derive(Deserialize)]
struct Line {
    event: Option<Value>,
    #[serde(default)]
    done: Value,
    #[serde(default)]
    total: Value,
    #[serde(default)]
    level: Value,
    #[serde(default)]
    message: Value,
    #[serde(default, deserialize_with = "present")]
    result: Option<Box<RawValue>>,
    error: Option<Failure>,
    output: Option<bool>,
}

/// Tells `null` from an absent field.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(Some)
}

enum Parsed {
    Event(Event),
    Reply(Reply),
}

fn parse(line: &[u8]) -> Result<Parsed, String> {
    let line: Line = serde_json::from_slice(line).map_err(|error| error.to_string())?;
    if let Some(result) = line.result {
        return Ok(Parsed::Reply(Reply::Result(result)));
    }
    if let Some(failure) = line.error {
        return Ok(Parsed::Reply(Reply::Failure(failure)));
    }
    if line.output == Some(true) {
        return Ok(Parsed::Reply(Reply::Output));
    }
    if line.event.is_none() {
        return Err("a frame that is neither event, result nor error".to_owned());
    }
    Ok(Parsed::Event(event(line).unwrap_or_else(|reason| {
        Event::Log {
            level: "warning".to_owned(),
            message: format!("the tool sent {reason}; it is left out"),
        }
    })))
}

fn event(line: Line) -> Result<Event, String> {
    match line.event {
        Some(Value::String(kind)) if kind == "progress" => Ok(Event::Progress {
            done: line
                .done
                .as_f64()
                .ok_or("a progress event whose `done` is no number")?,
            total: match line.total {
                Value::Null => None,
                total => Some(
                    total
                        .as_f64()
                        .ok_or("a progress event whose `total` is no number")?,
                ),
            },
            message: text(line.message),
        }),
        Some(Value::String(kind)) if kind == "log" => Ok(Event::Log {
            level: text(line.level).unwrap_or_else(|| "info".to_owned()),
            message: text(line.message).unwrap_or_default(),
        }),
        Some(other) => Err(format!(
            "an event {} that is not known",
            shortened(&other.to_string())
        )),
        None => Err("no event".to_owned()),
    }
}

/// Whatever is meant as a text, as one; null is none.
fn text(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}

fn shortened(text: &str) -> String {
    const MOST: usize = 80;
    text.chars().take(MOST).collect()
}

/// Cuts the channel's bytes into frames and keeps the final one.
#[derive(Debug)]
pub(super) struct Frames {
    limit: usize,
    pending: Vec<u8>,
    reply: Option<Reply>,
    /// What was wrong with the first line that is no frame; told if no reply comes.
    fault: Option<String>,
}

impl Frames {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            pending: Vec::new(),
            reply: None,
            fault: None,
        }
    }

    /// Takes the next bytes and hands every event to `hear`.
    pub(super) fn push(&mut self, mut bytes: &[u8], mut hear: impl FnMut(&Event)) {
        while self.reply.is_none()
            && let Some(end) = bytes.iter().position(|byte| *byte == b'\n')
        {
            let (line, rest) = bytes.split_at(end);
            bytes = &rest[1..];
            self.pending.extend_from_slice(line);
            let line = std::mem::take(&mut self.pending);
            self.take(&line, &mut hear);
        }
        if self.reply.is_some() {
            return;
        }
        self.pending.extend_from_slice(bytes);
        if self.pending.len() > self.limit {
            self.pending = Vec::new();
            self.reply = Some(Reply::Unreadable(format!(
                "a result of more than {} bytes",
                self.limit
            )));
        }
    }

    fn take(&mut self, line: &[u8], hear: &mut impl FnMut(&Event)) {
        match parse(line) {
            Ok(Parsed::Event(event)) => hear(&event),
            Ok(Parsed::Reply(reply)) => self.reply = Some(reply),
            Err(reason) => {
                self.fault.get_or_insert(reason);
            }
        }
    }

    pub(super) fn finish(self) -> Option<Reply> {
        self.reply.or(self.fault.map(Reply::Unreadable))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, step: usize) -> (Vec<Event>, Option<Reply>) {
        let mut frames = Frames::new(1000);
        let mut events = Vec::new();
        for chunk in text.as_bytes().chunks(step) {
            frames.push(chunk, |event| events.push(event.clone()));
        }
        (events, frames.finish())
    }

    #[test]
    fn every_json_value_is_a_result_and_keeps_its_text() {
        for value in [
            "null",
            "false",
            "0",
            "\"\"",
            "[]",
            "{}",
            "123456789012345678901234567890",
        ] {
            for step in [1, 7, 1000] {
                let (_, reply) = read(&format!("{{\"result\":{value}}}\n"), step);
                let Some(Reply::Result(raw)) = reply else {
                    panic!("{value} gave {reply:?}");
                };
                assert_eq!(raw.get(), value);
            }
        }
    }

    #[test]
    fn events_come_before_the_reply_and_nothing_after_it_counts() {
        let text = concat!(
            "{\"event\":\"progress\",\"done\":1,\"total\":2}\n",
            "{\"event\":\"log\",\"level\":\"warning\",\"message\":\"m\"}\n",
            "{\"output\":true}\n",
            "{\"result\":1}\nrubbish\n",
        );
        let (events, reply) = read(text, 5);
        assert_eq!(events.len(), 2);
        assert!(matches!(reply, Some(Reply::Output)));
    }

    #[test]
    fn what_is_not_a_frame_is_told_as_such() {
        for text in ["hello\n", "{}\n", "[1]\n", "{\"result\":\n"] {
            let (_, reply) = read(text, 3);
            assert!(matches!(reply, Some(Reply::Unreadable(_))), "{text}");
            let (_, reply) = read(&format!("{text}{{\"result\":1}}\n"), 3);
            assert!(matches!(reply, Some(Reply::Result(_))), "{text}");
        }
    }

    #[test]
    fn an_event_that_cannot_be_read_is_noted_and_costs_no_result() {
        let cases = [
            "{\"event\":\"x\"}",
            "{\"event\":7}",
            "{\"event\":\"progress\"}",
            "{\"event\":\"progress\",\"done\":\"NaN\"}",
            "{\"event\":\"progress\",\"done\":true}",
            "{\"event\":\"progress\",\"done\":1,\"total\":[]}",
        ];
        for bad in cases {
            let (events, reply) = read(&format!("{bad}\n{{\"result\":1}}\n"), 5);
            assert!(matches!(reply, Some(Reply::Result(_))), "{bad}");
            assert!(
                matches!(&events[..], [Event::Log { level, .. }] if level == "warning"),
                "{bad}"
            );
            assert!(read(&format!("{bad}\n"), 5).1.is_none(), "{bad}");
        }
        let (events, _) = read("{\"event\":\"progress\",\"done\":1,\"message\":5}\n", 5);
        assert!(
            matches!(&events[..], [Event::Progress { message: Some(text), .. }] if text == "5")
        );
    }

    #[test]
    fn a_result_over_the_limit_is_refused_without_being_kept() {
        let (_, reply) = read(&"x".repeat(5000), 100);
        assert!(matches!(reply, Some(Reply::Unreadable(_))));
    }

    #[test]
    fn a_line_that_never_ends_is_no_reply() {
        assert!(read("{\"result\":1}", 3).1.is_none());
    }
}

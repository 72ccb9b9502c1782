//! What a launcher says, one JSON frame a line on standard output; and an answer of
//! another server as a launcher would tell it.

use std::io::Write as _;

use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};
use toolroom_exec::executor::Trouble;
use toolroom_exec::executor::parameters::would_lose_digits;
use toolroom_exec::subprocess::Event;

use super::fault::Fault;

fn frame(value: &impl std::fmt::Display) {
    let mut out = std::io::stdout().lock();
    // Whoever does not read any more does not want it.
    let _ = writeln!(out, "{value}");
    let _ = out.flush();
}

pub fn event(event: &Event) {
    match event {
        Event::Progress {
            done,
            total,
            message,
        } => frame(&json!({"event": "progress", "done": done, "total": total, "message": message})),
        Event::Log { level, message } => {
            frame(&json!({"event": "log", "level": level, "message": message}));
        }
        _ => {}
    }
}

/// The end of a call: its result, or the kind and the words of its failure.
pub fn reply(reply: &Result<Box<RawValue>, (Trouble, String)>) {
    match reply {
        Ok(value) => frame(&format_args!("{{\"result\":{value}}}")),
        Err((trouble, message)) => {
            frame(&json!({"error": {"type": trouble.code(), "message": message}}));
        }
    }
}

/// An answer as a result or a failure.
///
/// # Errors
/// Gives the tool's own failure, or says what cannot be passed on.
pub fn of_response(response: CallToolResponse) -> Result<Box<RawValue>, Fault> {
    match response {
        CallToolResponse::Complete(result) => of_result(&result),
        CallToolResponse::InputRequired(asks) => written(&asks),
        _ => Err(Fault::new(
            Trouble::NotMcp,
            "it answered with a task, which was not asked for",
        )),
    }
}

/// A result as the simplest value that holds it: its structure, its only text, or else
/// its blocks.
fn of_result(result: &CallToolResult) -> Result<Box<RawValue>, Fault> {
    let texts: Vec<&str> = result
        .content
        .iter()
        .filter_map(ContentBlock::as_text)
        .map(|text| text.text.as_str())
        .collect();
    let only_text = texts.len() == result.content.len();
    if result.is_error == Some(true) {
        return Err(Fault::new(Trouble::Failed, texts.join("\n")));
    }
    let only = texts.first().filter(|_| only_text && texts.len() == 1);
    match (&result.structured_content, only) {
        (Some(structured), Some(text)) => match exact(structured, text) {
            Some(exact) => Ok(exact),
            None => written(structured),
        },
        (Some(structured), None) if only_text => written(structured),
        (None, Some(text)) => written(text),
        (None, None) if only_text && texts.is_empty() => written(&Value::Null),
        _ => written(
            &json!({"content": result.content, "structuredContent": result.structured_content}),
        ),
    }
}

fn written(value: &impl Serialize) -> Result<Box<RawValue>, Fault> {
    to_raw_value(value).map_err(|error| Fault::new(Trouble::NotMcp, error.to_string()))
}

/// A structure as the text beside it, where that says the same: of a number in a structure
/// 64 bits are kept, and in a text all of its digits. What is no object comes as the only
/// member of one, and its text without that.
fn exact(structured: &Value, text: &str) -> Option<Box<RawValue>> {
    if !would_lose_digits(text) {
        return None;
    }
    let read: Value = serde_json::from_str(text).ok()?;
    // Between the parts of a value only: within its texts they are escaped.
    let text = text.replace(['\n', '\r'], " ");
    if read == *structured {
        return RawValue::from_string(text).ok();
    }
    let mut members = structured.as_object()?.iter();
    match (members.next(), members.next()) {
        (Some((name, value)), None) if read == *value => {
            RawValue::from_string(format!("{{{}:{text}}}", Value::from(name.as_str()))).ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: &str = "123456789012345678901234567890";

    fn given(structured: &str, text: &str) -> String {
        let structured: Value = serde_json::from_str(structured).unwrap();
        let result =
            json!({"content": [{"type": "text", "text": text}], "structuredContent": structured});
        let result: CallToolResult = serde_json::from_value(result).unwrap();
        of_result(&result).unwrap().get().to_owned()
    }

    #[test]
    fn a_number_keeps_the_digits_that_the_text_beside_it_has() {
        let structure = format!("{{\"n\": [{LONG}]}}");
        assert_eq!(given(&structure, &structure), structure);
        let lines = structure.replace(' ', "\n");
        assert_eq!(given(&structure, &lines), structure);
        let wrapped = format!("{{\"result\":{LONG}}}");
        assert_eq!(given(&wrapped, LONG), wrapped);
    }

    #[test]
    fn a_text_that_says_something_else_is_not_the_result() {
        let structure = format!("{{\"n\":{LONG}}}");
        for text in ["{\"n\": 99999999999999999999999}", "[1", "n is large", "7"] {
            assert_eq!(
                given(&structure, text),
                "{\"n\":1.2345678901234568e+29}",
                "{text}"
            );
        }
        assert_eq!(given("{\"n\":1}", "{ \"n\": 1 }"), "{\"n\":1}");
    }
}

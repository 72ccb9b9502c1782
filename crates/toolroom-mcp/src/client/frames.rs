//! What a launcher says, one JSON frame a line on standard output; and an answer of
//! another server as a launcher would tell it.

use std::io::Write as _;

use rmcp::model::{CallToolResponse, CallToolResult, ContentBlock};
use serde_json::{Value, json};
use toolroom_exec::executor::Trouble;
use toolroom_exec::subprocess::Event;

use super::fault::Fault;

fn frame(value: &Value) {
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
pub fn reply(reply: &Result<Value, (Trouble, String)>) {
    match reply {
        Ok(value) => frame(&json!({"result": value})),
        Err((trouble, message)) => {
            frame(&json!({"error": {"type": trouble.code(), "message": message}}));
        }
    }
}

/// An answer as a result or a failure.
///
/// # Errors
/// Gives the tool's own failure, or says what cannot be passed on.
pub fn of_response(response: CallToolResponse) -> Result<Value, Fault> {
    match response {
        CallToolResponse::Complete(result) => of_result(&result),
        CallToolResponse::InputRequired(asks) => serde_json::to_value(asks)
            .map_err(|error| Fault::new(Trouble::NotMcp, error.to_string())),
        _ => Err(Fault::new(
            Trouble::NotMcp,
            "it answered with a task, which was not asked for",
        )),
    }
}

/// A result as the simplest value that holds it: its structure, its only text, or else
/// its blocks.
fn of_result(result: &CallToolResult) -> Result<Value, Fault> {
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
    Ok(
        match (&result.structured_content, only_text, texts.as_slice()) {
            (Some(structured), true, _) => structured.clone(),
            (None, true, []) => Value::Null,
            (None, true, [text]) => Value::from(*text),
            _ => {
                json!({"content": result.content, "structuredContent": result.structured_content})
            }
        },
    )
}

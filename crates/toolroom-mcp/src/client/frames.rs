//! What a launcher says, one JSON frame a line on standard output.

use std::io::Write as _;

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

fn frame(value: &Value) {
    let mut out = std::io::stdout().lock();
    // Whoever does not read any more does not want it.
    let _ = writeln!(out, "{value}");
    let _ = out.flush();
}

pub fn progress(done: f64, total: Option<f64>, message: Option<&str>) {
    frame(&json!({"event": "progress", "done": done, "total": total, "message": message}));
}

pub fn log(level: &str, message: &str) {
    frame(&json!({"event": "log", "level": level, "message": message}));
}

pub fn error(kind: &str, message: &str) {
    frame(&json!({"error": {"type": kind, "message": message}}));
}

pub fn value(value: &Value) {
    frame(&json!({"result": value}));
}

/// A result as the simplest value that holds it: its structure, its only text, or else
/// its blocks.
pub fn result(result: &CallToolResult) {
    let texts: Vec<&str> = result
        .content
        .iter()
        .filter_map(ContentBlock::as_text)
        .map(|text| text.text.as_str())
        .collect();
    let only_text = texts.len() == result.content.len();
    if result.is_error == Some(true) {
        return error("ToolError", &texts.join("\n"));
    }
    match (&result.structured_content, only_text, texts.as_slice()) {
        (Some(structured), true, _) => value(structured),
        (None, true, []) => value(&Value::Null),
        (None, true, [text]) => value(&Value::from(*text)),
        _ => value(
            &json!({"content": result.content, "structuredContent": result.structured_content}),
        ),
    }
}

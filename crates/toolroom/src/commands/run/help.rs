//! `toolroom run --help`, and the flags of one tool.

use std::fmt::Write as _;

use serde_json::json;
use toolroom_kernel::model::{Tool, field};

use crate::answer::Answer;
use crate::output::{flags, style};

const OPTIONS: &str = "  --params JSON|@FILE|-  All parameters at once; - reads standard input
  --timeout S            End the tool after so many seconds
  --env K=V              Set a variable for the tool; may be repeated
  --frozen               Make or change no environment
  --project DIR          The project to work in
  --json                 Answer with one JSON document
  -q, --quiet            Say nothing but the answer
  -v, --verbose          Say more
  --color WHEN           auto, always or never
";

pub fn general() -> Answer {
    let text = format!(
        "Run a tool\n\n{} toolroom run ID [--NAME VALUE…] [OPTIONS]\n\nThe tool's own flags: toolroom run ID --help. After -- every flag is the tool's.\n\n{}\n{OPTIONS}",
        style::heading("Usage:"),
        style::heading("Options:"),
    );
    Answer::new(text, json!({}))
}

pub fn of_tool(tool: &Tool, width: Option<usize>) -> Answer {
    let schema = tool.metadata.get(field::INPUT_SCHEMA);
    let mut text = String::new();
    if let Some(description) = tool.description() {
        let _ = writeln!(text, "{}\n", crate::output::table::single_line(description));
    }
    let _ = writeln!(
        text,
        "{} toolroom run {} [--NAME VALUE…] [OPTIONS]\n",
        style::heading("Usage:"),
        tool.id
    );
    let own = schema
        .map(|schema| flags::render(schema, width))
        .unwrap_or_default();
    if own.is_empty() {
        let _ = writeln!(text, "The tool declares no parameters.\n");
    } else {
        let _ = writeln!(text, "{}\n{own}", style::heading("Parameters:"));
    }
    let _ = write!(text, "{}\n{OPTIONS}", style::heading("Options:"));
    Answer::new(text, json!({"id": tool.id, "input_schema": schema}))
}

//! A parameter schema as the flags a person types.

use serde_json::Value;

use super::style;
use super::table::{self, Cell};

/// The options of `run` itself: a parameter of such a name comes after `--`. That these are
/// all is tested where they are parsed.
pub const OWN: [&str; 10] = [
    "help", "json", "quiet", "verbose", "frozen", "color", "project", "params", "timeout", "env",
];

/// The parameters of a tool, one line each.
#[must_use]
pub fn render(schema: &Value, width: Option<usize>) -> String {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return String::new();
    };
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let rows: Vec<Vec<Cell>> = properties
        .iter()
        .map(|(name, property)| {
            let is_taken = OWN.contains(&name.as_str());
            let before = if is_taken { "-- " } else { "" };
            let mut about = about(property, required.contains(&name.as_str()));
            if is_taken {
                // First, since what does not fit the terminal is cut off.
                about.insert_str(0, "(after --, or in --params) ");
            }
            vec![
                Cell::dressed(format!("{before}--{name} {}", kind(property)), style::name),
                Cell::plain(about.trim()),
            ]
        })
        .collect();
    indent_kept(&rows, width)
}

/// Cells trim their text, so the indent is put back here.
fn indent_kept(rows: &[Vec<Cell>], width: Option<usize>) -> String {
    table::render(rows, width.map(|width| width.saturating_sub(2)))
        .lines()
        .map(|line| format!("  {line}\n"))
        .collect()
}

/// What kind of value a flag takes, in capitals.
#[must_use]
pub fn kind(property: &Value) -> String {
    if let Some(options) = property.get("enum").and_then(Value::as_array) {
        let options: Vec<String> = options.iter().map(plain).collect();
        return options.join("|");
    }
    match property.get("type") {
        Some(Value::String(kind)) => word(kind).to_owned(),
        Some(Value::Array(kinds)) => {
            let kinds: Vec<&str> = kinds
                .iter()
                .filter_map(Value::as_str)
                .filter(|kind| *kind != "null")
                .map(word)
                .collect();
            kinds.join("|")
        }
        _ => "VALUE".to_owned(),
    }
}

fn word(kind: &str) -> &'static str {
    match kind {
        "string" => "TEXT",
        "integer" => "INTEGER",
        "number" => "NUMBER",
        "boolean" => "BOOLEAN",
        "array" => "LIST",
        "object" => "OBJECT",
        _ => "VALUE",
    }
}

fn about(property: &Value, required: bool) -> String {
    let mut text = property
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let mut add = |remark: String| {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&remark);
    };
    if required {
        add("(required)".into());
    } else if let Some(default) = property.get("default").filter(|value| !value.is_null()) {
        add(format!("[default: {}]", plain(default)));
    }
    text
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

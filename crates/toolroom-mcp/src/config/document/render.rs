//! Our own entries as text. What is rendered here is small and comes from a description.

use serde_json::{Map, Value};

/// How JSON is laid out: over lines, or within one.
#[derive(Debug, Clone, Copy)]
pub enum Layout<'l> {
    Lines { unit: &'l str, base: &'l str },
    Line,
}

/// JSON text; lists of plain values stay on one line.
pub fn json(value: &Value, layout: Layout<'_>) -> String {
    let Layout::Lines { unit, base } = layout else {
        return value.to_string();
    };
    let deeper = format!("{base}{unit}");
    let within = Layout::Lines {
        unit,
        base: &deeper,
    };
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let lines: Vec<String> = fields
                .iter()
                .map(|(key, value)| {
                    format!(
                        "{deeper}{}: {}",
                        Value::from(key.as_str()),
                        json(value, within)
                    )
                })
                .collect();
            format!("{{\n{}\n{base}}}", lines.join(",\n"))
        }
        Value::Array(items) if items.iter().any(|item| item.is_object() || item.is_array()) => {
            let lines: Vec<String> = items
                .iter()
                .map(|item| format!("{deeper}{}", json(item, within)))
                .collect();
            format!("[\n{}\n{base}]", lines.join(",\n"))
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(Value::to_string).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    }
}

/// The lines of a YAML mapping, each indented by so many blanks.
pub fn yaml(fields: &Map<String, Value>, indent: usize) -> String {
    let blanks = " ".repeat(indent);
    fields
        .iter()
        .map(|(key, value)| format!("{blanks}{}:{}", scalar(key), yaml_value(value, indent + 2)))
        .collect()
}

/// A YAML list item that is a mapping; its dash is indented by so many blanks.
pub fn yaml_item(fields: &Map<String, Value>, indent: usize) -> String {
    let mut lines = yaml(fields, indent + 2);
    if lines.len() > indent {
        lines.replace_range(indent..=indent, "-");
    }
    lines
}

fn yaml_value(value: &Value, indent: usize) -> String {
    match value {
        Value::Object(fields) if !fields.is_empty() => format!("\n{}", yaml(fields, indent)),
        Value::Array(items) if !items.is_empty() => {
            let blanks = " ".repeat(indent);
            let lines = items.iter().map(|item| match item {
                Value::Object(fields) if !fields.is_empty() => yaml_item(fields, indent),
                other => format!("{blanks}- {}\n", yaml_inline(other)),
            });
            format!("\n{}", lines.collect::<String>())
        }
        other => format!(" {}\n", yaml_inline(other)),
    }
}

fn yaml_inline(value: &Value) -> String {
    match value {
        Value::String(text) => scalar(text),
        other => other.to_string(),
    }
}

/// A text as a YAML scalar: plain where that cannot be misread, quoted as in JSON otherwise.
fn scalar(text: &str) -> String {
    const MEANT: [&str; 10] = [
        "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan",
    ];
    let starts_plain = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/');
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    if starts_plain && text.bytes().all(is_plain) && !MEANT.contains(&text.to_lowercase().as_str())
    {
        return text.to_owned();
    }
    Value::from(text).to_string()
}

/// A TOML table with its header.
pub fn toml_table(path: &[String], name: &str, fields: &Map<String, Value>) -> String {
    let keys: Vec<String> = path
        .iter()
        .map(String::as_str)
        .chain([name])
        .map(toml_key)
        .collect();
    format!("[{}]\n{}", keys.join("."), toml_lines(fields))
}

/// One `key = value` a line; what TOML cannot say is left out.
pub fn toml_lines(fields: &Map<String, Value>) -> String {
    let lines = fields.iter().filter(|(_, value)| !value.is_null());
    lines
        .map(|(key, value)| format!("{} = {}\n", toml_key(key), toml_inline(value)))
        .collect()
}

pub fn toml_inline(value: &Value) -> String {
    match value {
        Value::String(text) => toml_edit::Value::from(text.as_str()).to_string(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(toml_inline).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) if fields.is_empty() => "{}".to_owned(),
        Value::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|(key, value)| format!("{} = {}", toml_key(key), toml_inline(value)))
                .collect();
            format!("{{ {} }}", fields.join(", "))
        }
        other => other.to_string(),
    }
}

pub fn toml_key(key: &str) -> String {
    let is_bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if !key.is_empty() && key.bytes().all(is_bare) {
        return key.to_owned();
    }
    toml_edit::Value::from(key).to_string()
}

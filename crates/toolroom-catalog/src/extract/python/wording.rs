//! Reads types as docstrings word them: `int, optional`, `list of str`, `{'a', 'b'}`, `string`.
//!
//! Prose is no grammar: whatever is not plainly a type becomes the empty schema.

use serde_json::Value;

use super::annotation::{Annotations, Schema, typed, union};

/// A type in a docstring is a few words.
const MAX_LENGTH: usize = 200;

/// The schema of a type as a docstring words it.
pub(super) fn schema(annotations: &mut Annotations<'_, '_>, text: &str) -> Schema {
    if text.len() > MAX_LENGTH {
        return Schema::new();
    }
    let text = without_remarks(text);
    if let Some(choices) = text
        .strip_prefix('{')
        .and_then(|text| text.strip_suffix('}'))
    {
        return annotations.quoted(&format!("Literal[{choices}]"));
    }
    let members: Vec<Schema> = text
        .split(" or ")
        .map(|member| one(annotations, member.trim()))
        .collect();
    union(members)
}

/// `int, optional` and `int, default 3` are an `int`.
fn without_remarks(text: &str) -> &str {
    let text = text.trim().trim_matches('`');
    let end = [
        ", optional",
        ", default",
        ", required",
        " (optional",
        " (default",
        ", keyword",
    ]
    .iter()
    .filter_map(|remark| text.find(remark))
    .min();
    text.get(..end.unwrap_or(text.len())).unwrap_or(text).trim()
}

fn one(annotations: &mut Annotations<'_, '_>, text: &str) -> Schema {
    if let Some((container, items)) = text.split_once(" of ") {
        return match container
            .trim_start_matches("a ")
            .to_ascii_lowercase()
            .as_str()
        {
            "list" | "array" | "sequence" | "iterable" | "tuple" => {
                let mut schema = typed("array");
                let items = one(annotations, items.trim());
                if !items.is_empty() {
                    schema.insert("items".to_owned(), Value::Object(items));
                }
                schema
            }
            _ => Schema::new(),
        };
    }
    match text.to_ascii_lowercase().as_str() {
        "string" | "strings" | "strs" => typed("string"),
        "integer" | "integers" | "ints" => typed("integer"),
        "number" | "numbers" | "floats" => typed("number"),
        "boolean" | "booleans" | "bools" => typed("boolean"),
        "dictionary" | "dicts" | "dictionaries" | "mapping" => typed("object"),
        "array" | "array_like" | "array-like" | "sequence" | "iterable" => typed("array"),
        _ => annotations.quoted(text),
    }
}

//! A call's parameters: texts made to what the schema says, numbers kept exact, defaults
//! filled in, and everything checked before anything starts.
//!
//! Parameters are data: nothing here expands or runs them, and no fault repeats a value,
//! which may be a secret.

mod check;
mod exact;
mod given;

pub use check::{ParameterError, check, fill_defaults};
pub use exact::{make_exact, would_lose_digits};
pub use given::{Given, values};

use serde_json::Value;

/// The types a schema allows, texts last: `3` for "integer or string" is the number.
fn kinds(schema: &Value) -> Vec<&str> {
    let mut kinds: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => ["anyOf", "oneOf"]
            .iter()
            .filter_map(|key| schema.get(*key)?.as_array())
            .flatten()
            .filter_map(|option| option.get("type")?.as_str())
            .collect(),
    };
    kinds.sort_by_key(|kind| *kind == "string");
    kinds
}

fn names(schema: Option<&Value>) -> Vec<String> {
    let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
    properties
        .map(|map| map.keys().cloned().collect())
        .unwrap_or_default()
}

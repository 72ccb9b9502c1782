//! A tool's schemas as clients can take them: an object at the root, no combination at
//! the root, bounded, and no reference that leaves the document.

use serde_json::{Map, Value, json};

const LARGEST: usize = 256 << 10;
const DEEPEST: usize = 64;
/// Several model interfaces refuse a whole request for one of these at the root.
const COMBINATIONS: &[&str] = &[
    "oneOf", "anyOf", "allOf", "not", "if", "then", "else", "enum",
];
/// What an older client's wrapped result is called.
pub const WRAPPED: &str = "result";

/// A schema fit to be shown, and what was changed to make it so.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    pub schema: Map<String, Value>,
    pub remarks: Vec<String>,
}

/// The input schema to show. What is left out is still checked when the tool is called.
/// A schema that names its dialect by `$schema` is passed on as it is written.
///
/// # Errors
/// Says why it cannot be shown at all.
pub fn input(declared: Option<&Value>) -> Result<Shown, String> {
    let mut remarks = Vec::new();
    let mut schema = match declared {
        None | Some(Value::Null | Value::Bool(true)) => Map::new(),
        Some(Value::Object(schema)) => schema.clone(),
        Some(_) => return Err("is not an object".into()),
    };
    bounded(&Value::Object(schema.clone()))?;
    match schema.get("type") {
        None => _ = schema.insert("type".into(), "object".into()),
        Some(kind) if kind == "object" => {}
        Some(kind) => return Err(format!("is of type {kind}; arguments are an object")),
    }
    let is_verbatim = schema.contains_key("$schema");
    for key in COMBINATIONS {
        if !schema.contains_key(*key) {
            continue;
        }
        if is_verbatim {
            remarks.push(format!("has {key} at its root, which some clients refuse"));
        } else {
            schema.shift_remove(*key);
            remarks.push(format!(
                "has {key} at its root, which some clients refuse; it is checked but not shown"
            ));
        }
    }
    Ok(Shown { schema, remarks })
}

/// The output schema to show, if it says anything: one without properties only restates
/// that the result is an object.
///
/// # Errors
/// Says why it cannot be shown.
pub fn output(declared: Option<&Value>) -> Result<Option<Map<String, Value>>, String> {
    let Some(Value::Object(schema)) = declared else {
        return Ok(None);
    };
    let says_nothing = schema
        .keys()
        .all(|key| matches!(key.as_str(), "type" | "title" | "description" | "$schema"))
        && schema.get("type").is_none_or(|kind| kind == "object");
    if says_nothing {
        return Ok(None);
    }
    bounded(&Value::Object(schema.clone()))?;
    Ok(Some(schema.clone()))
}

/// Whether every value a schema allows is an object.
#[must_use]
pub fn is_object(schema: &Map<String, Value>) -> bool {
    schema.get("type").is_some_and(|kind| kind == "object")
}

/// A schema for older clients, whose results must be objects: the value under `result`.
/// None if references in it would no longer lead where they should.
#[must_use]
pub fn wrapped(schema: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut inner = schema.clone();
    let dialect = inner.shift_remove("$schema");
    let mut outer = Map::new();
    if let Some(dialect) = dialect {
        outer.insert("$schema".into(), dialect);
    }
    outer.insert("type".into(), "object".into());
    for shared in ["$defs", "definitions"] {
        if let Some(definitions) = inner.shift_remove(shared) {
            outer.insert(shared.into(), definitions);
        }
    }
    let inner = Value::Object(inner);
    let stays = |reference: &str| {
        reference.starts_with("#/$defs/") || reference.starts_with("#/definitions/")
    };
    if !references(&inner, 0)
        .iter()
        .all(|reference| stays(reference))
    {
        return None;
    }
    outer.insert("properties".into(), json!({WRAPPED: inner}));
    outer.insert("required".into(), json!([WRAPPED]));
    Some(outer)
}

fn bounded(schema: &Value) -> Result<(), String> {
    if depth_exceeds(schema, DEEPEST) {
        return Err(format!("is nested more than {DEEPEST} levels deep"));
    }
    if schema.to_string().len() > LARGEST {
        return Err(format!("is larger than {LARGEST} bytes"));
    }
    match references(schema, 0)
        .into_iter()
        .find(|reference| !reference.starts_with('#'))
    {
        Some(outside) => Err(format!("refers to {outside:?}, outside of itself")),
        None => Ok(()),
    }
}

fn depth_exceeds(value: &Value, left: usize) -> bool {
    match value {
        Value::Array(items) => left == 0 || items.iter().any(|item| depth_exceeds(item, left - 1)),
        Value::Object(fields) => {
            left == 0 || fields.values().any(|field| depth_exceeds(field, left - 1))
        }
        _ => false,
    }
}

fn references(schema: &Value, depth: usize) -> Vec<&str> {
    if depth > DEEPEST {
        return Vec::new();
    }
    match schema {
        Value::Array(items) => items
            .iter()
            .flat_map(|item| references(item, depth + 1))
            .collect(),
        Value::Object(fields) => {
            let own = ["$ref", "$dynamicRef"]
                .iter()
                .filter_map(|key| fields.get(*key)?.as_str());
            own.chain(
                fields
                    .values()
                    .flat_map(|field| references(field, depth + 1)),
            )
            .collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_schema_takes_any_object() {
        assert_eq!(
            Value::Object(input(None).unwrap().schema),
            json!({"type": "object"})
        );
    }

    #[test]
    fn combinations_at_the_root_are_left_out_unless_the_dialect_is_named() {
        let plain = json!({"properties": {"a": {}}, "anyOf": [{"required": ["a"]}]});
        let shown = input(Some(&plain)).unwrap();
        assert!(!shown.schema.contains_key("anyOf"));
        assert_eq!(shown.remarks.len(), 1);
        let named = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "allOf": [{}]});
        assert_eq!(Value::Object(input(Some(&named)).unwrap().schema), named);
    }

    #[test]
    fn what_no_client_could_use_is_refused() {
        let deep = (0..100).fold(json!({}), |inner, _| json!({"properties": {"x": inner}}));
        let cases = [
            json!({"type": "array"}),
            json!([1]),
            json!({"properties": {"a": {"$ref": "https://example.org/x"}}}),
            json!({"description": "x".repeat(300 << 10)}),
            deep,
        ];
        for schema in cases {
            assert!(input(Some(&schema)).is_err());
        }
    }

    #[test]
    fn an_output_schema_that_says_nothing_is_not_shown() {
        assert_eq!(output(Some(&json!({"type": "object"}))), Ok(None));
        assert!(output(Some(&json!({"type": "string"}))).unwrap().is_some());
        assert!(
            output(Some(&json!({"type": "object", "properties": {"a": {}}})))
                .unwrap()
                .is_some()
        );
    }

    #[test]
    fn a_wrapped_schema_keeps_its_definitions_in_reach() {
        let Value::Object(list) = json!({"type": "array", "items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"type": "string"}}})
        else {
            unreachable!()
        };
        let wanted = json!({"type": "object", "$defs": {"a": {"type": "string"}},
            "properties": {"result": {"type": "array", "items": {"$ref": "#/$defs/a"}}}, "required": ["result"]});
        assert_eq!(wrapped(&list).map(Value::Object), Some(wanted));
        let Value::Object(looped) = json!({"type": "array", "items": {"$ref": "#"}}) else {
            unreachable!()
        };
        assert_eq!(wrapped(&looped), None);
    }
}

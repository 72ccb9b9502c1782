//! Looks into a schema: what a part of it stands for, and which types it allows.
//!
//! One choice after another, whether they are written as several types or as `anyOf`.

use serde_json::Value;

/// How many references are followed from one to the next; more would be a circle.
const MAX_HOPS: usize = 16;

/// How many alternatives are looked at; they may refer to one another without end.
const MAX_CHOICES: usize = 1024;

/// The schema that one stands for: itself, or the part of its document that it refers to.
pub(super) fn followed<'s>(mut schema: &'s Value, root: &'s Value) -> &'s Value {
    for _ in 0..MAX_HOPS {
        let reference = schema.get("$ref").and_then(Value::as_str);
        let within = reference.and_then(|reference| reference.strip_prefix('#'));
        match within.and_then(|pointer| root.pointer(pointer)) {
            Some(target) => schema = target,
            None => break,
        }
    }
    schema
}

/// One type that a schema allows, and the part of the schema that says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Choice<'s> {
    pub(super) kind: &'s str,
    pub(super) schema: &'s Value,
}

/// What a schema allows, the plainest first: `null` is null even where it could be an item
/// of a list, and `3` for "integer or string" is the number. A schema that names no type
/// takes what its default is, and texts.
pub(super) fn choices<'s>(schema: &'s Value, root: &'s Value) -> Vec<Choice<'s>> {
    let mut found = Vec::new();
    gather(schema, root, &mut found, &mut { MAX_CHOICES });
    let default = schema.get("default").and_then(kind_of);
    if let Some(kind) = default.filter(|_| found.is_empty() && is_open(schema)) {
        found.extend([kind, "string"].map(|kind| Choice { kind, schema }));
    }
    found.sort_by_key(|choice| match choice.kind {
        "null" => 0,
        "array" => 2,
        "string" => 3,
        _ => 1,
    });
    found
}

fn gather<'s>(schema: &'s Value, root: &'s Value, found: &mut Vec<Choice<'s>>, left: &mut usize) {
    if *left == 0 {
        return;
    }
    *left -= 1;
    let schema = followed(schema, root);
    match schema.get("type") {
        Some(Value::String(kind)) => found.push(Choice { kind, schema }),
        Some(Value::Array(kinds)) => {
            let kinds = kinds.iter().filter_map(Value::as_str);
            found.extend(kinds.map(|kind| Choice { kind, schema }));
        }
        // What may be one of some values has their types.
        _ if schema.get("enum").is_some() => {
            let values = schema["enum"].as_array().into_iter().flatten();
            found.extend(
                values
                    .filter_map(kind_of)
                    .map(|kind| Choice { kind, schema }),
            );
        }
        _ => ["anyOf", "oneOf"]
            .iter()
            .filter_map(|key| schema.get(*key)?.as_array())
            .flatten()
            .for_each(|option| gather(option, root, found, left)),
    }
}

fn kind_of(value: &Value) -> Option<&'static str> {
    Some(match value {
        Value::Null => return None,
        Value::String(_) => "string",
        Value::Number(_) => "number",
        Value::Bool(_) => "boolean",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    })
}

/// Whether a schema says nothing of what a value may be.
pub(super) fn is_open(schema: &Value) -> bool {
    const REMARKS: [&str; 8] = [
        "title",
        "description",
        "default",
        "examples",
        "deprecated",
        "readOnly",
        "writeOnly",
        "$comment",
    ];
    match schema {
        Value::Object(schema) => schema.keys().all(|key| REMARKS.contains(&key.as_str())),
        other => *other == Value::Bool(true),
    }
}

/// Whether a parameter may be given as a flag without a value.
#[must_use]
pub fn is_switch(property: &Value, root: &Value) -> bool {
    let choices = choices(property, root);
    choices.iter().any(|choice| choice.kind == "boolean")
        || choices.is_empty() && is_open(followed(property, root))
}

/// The names of the parameters a schema speaks of.
pub(super) fn names(schema: Option<&Value>) -> Vec<String> {
    let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
    properties
        .map(|map| map.keys().cloned().collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_reference_is_followed_within_its_document_and_to_an_end() {
        let root = json!({"$defs": {
            "n": {"type": "integer"}, "m": {"$ref": "#/$defs/n"}, "circle": {"$ref": "#/$defs/circle"},
        }});
        let of = |reference: &str| json!({"$ref": reference});
        assert_eq!(followed(&of("#/$defs/m"), &root)["type"], "integer");
        for reference in ["#/$defs/none", "https://example.org/", "#/$defs/circle"] {
            assert_eq!(
                followed(&of(reference), &root).get("type"),
                None,
                "{reference}"
            );
        }
        let either = json!({"anyOf": [{"$ref": "#/$defs/m"}, {"type": "null"}]});
        let kinds: Vec<&str> = choices(&either, &root).iter().map(|one| one.kind).collect();
        assert_eq!(kinds, ["null", "integer"]);
    }
}

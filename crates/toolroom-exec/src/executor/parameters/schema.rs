//! Looks into a schema: what a part of it stands for, and which types it allows.

use serde_json::Value;

/// How many references are followed from one to the next; more would be a circle.
const MAX_HOPS: usize = 16;

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

/// The types a schema allows, texts last: `3` for "integer or string" is the number.
pub(super) fn kinds<'s>(schema: &'s Value, root: &'s Value) -> Vec<&'s str> {
    let mut kinds: Vec<&str> = match schema.get("type") {
        Some(Value::String(kind)) => vec![kind],
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => ["anyOf", "oneOf"]
            .iter()
            .filter_map(|key| schema.get(*key)?.as_array())
            .flatten()
            .filter_map(|option| followed(option, root).get("type")?.as_str())
            .collect(),
    };
    kinds.sort_by_key(|kind| *kind == "string");
    kinds
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
        assert_eq!(kinds(&either, &root), ["integer", "null"]);
    }
}

//! Checks that a schema a file declares is JSON Schema 2020-12, keyword by keyword, so that a
//! slip is told where it is written and not when the tool is called. Says nothing of
//! keywords it does not know: they mean nothing to a validator either.

use regex::Regex;
use serde_json::Value;

use crate::near;

/// What is wrong with a schema, and where in it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault<'s> {
    /// The names that lead to it, the innermost first.
    inner_first: Vec<&'s str>,
    pub(super) reason: String,
    pub(super) help: String,
}

impl<'s> Fault<'s> {
    fn new(reason: String, help: impl Into<String>) -> Self {
        Self {
            inner_first: Vec::new(),
            reason,
            help: help.into(),
        }
    }

    fn below(mut self, name: &'s str) -> Self {
        self.inner_first.push(name);
        self
    }

    /// The names that lead to it, the outermost first.
    pub(super) fn path(&self) -> Vec<&'s str> {
        self.inner_first.iter().rev().copied().collect()
    }
}

const TYPES: [&str; 7] = [
    "string", "number", "integer", "boolean", "array", "object", "null",
];

/// What a keyword's value must be.
#[derive(Clone, Copy)]
enum Shape {
    Schema,
    /// A mapping whose values are schemas.
    SchemasByName,
    /// As above, and its keys are patterns.
    SchemasByPattern,
    /// One schema at least.
    SchemaList,
    Types,
    Texts,
    TextsByName,
    Text,
    Pattern,
    Reference,
    Number,
    NumberAboveZero,
    Count,
    Truth,
    List,
}

fn shape_of(keyword: &str) -> Option<Shape> {
    Some(match keyword {
        "type" => Shape::Types,
        "properties" | "$defs" | "definitions" | "dependentSchemas" => Shape::SchemasByName,
        "patternProperties" => Shape::SchemasByPattern,
        "items"
        | "additionalProperties"
        | "propertyNames"
        | "contains"
        | "not"
        | "if"
        | "then"
        | "else"
        | "unevaluatedItems"
        | "unevaluatedProperties"
        | "contentSchema" => Shape::Schema,
        "allOf" | "anyOf" | "oneOf" | "prefixItems" => Shape::SchemaList,
        "required" => Shape::Texts,
        "dependentRequired" => Shape::TextsByName,
        "title" | "description" | "format" | "$id" | "$schema" | "$anchor" | "$comment"
        | "contentEncoding" | "contentMediaType" => Shape::Text,
        "pattern" => Shape::Pattern,
        "$ref" => Shape::Reference,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => Shape::Number,
        "multipleOf" => Shape::NumberAboveZero,
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => Shape::Count,
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => Shape::Truth,
        "enum" | "examples" => Shape::List,
        _ => return None,
    })
}

/// The first fault of a schema. Values are only as deep as readers let them be.
pub(super) fn fault(schema: &Value) -> Option<Fault<'_>> {
    in_schema(schema, schema)
}

fn in_schema<'s>(schema: &'s Value, root: &'s Value) -> Option<Fault<'s>> {
    match schema {
        Value::Bool(_) => None,
        Value::Object(keywords) => keywords.iter().find_map(|(keyword, value)| {
            let fault = in_value(shape_of(keyword)?, value, root)?;
            Some(fault.below(keyword))
        }),
        other => Some(is_not(other, "a mapping, true or false")),
    }
}

fn in_value<'s>(shape: Shape, value: &'s Value, root: &'s Value) -> Option<Fault<'s>> {
    let unless = |holds: bool, wanted: &str| (!holds).then(|| is_not(value, wanted));
    match (shape, value) {
        (Shape::Schema, _) => in_schema(value, root),
        (Shape::SchemasByName | Shape::SchemasByPattern, Value::Object(schemas)) => {
            schemas.iter().find_map(|(name, schema)| {
                let of_name = match shape {
                    Shape::SchemasByPattern => in_pattern(name),
                    _ => None,
                };
                let fault = of_name.or_else(|| in_schema(schema, root))?;
                Some(fault.below(name))
            })
        }
        (Shape::SchemasByName | Shape::SchemasByPattern, _) => unless(false, "a mapping"),
        (Shape::SchemaList, Value::Array(schemas)) if !schemas.is_empty() => {
            schemas.iter().find_map(|schema| in_schema(schema, root))
        }
        (Shape::SchemaList, _) => unless(false, "a list of schemas"),
        (Shape::Types, Value::Array(types)) if !types.is_empty() => types.iter().find_map(in_type),
        (Shape::Types, _) => in_type(value),
        (Shape::Texts, _) => unless(are_texts(value), "a list of names"),
        (Shape::TextsByName, _) => unless(
            value
                .as_object()
                .is_some_and(|map| map.values().all(are_texts)),
            "a mapping of lists of names",
        ),
        (Shape::Pattern, Value::String(pattern)) => in_pattern(pattern),
        (Shape::Reference, Value::String(reference)) => in_reference(reference, root),
        (Shape::Text | Shape::Pattern | Shape::Reference, _) => unless(value.is_string(), "a text"),
        (Shape::Number, _) => unless(value.is_number(), "a number"),
        (Shape::NumberAboveZero, _) => unless(
            value.as_f64().is_some_and(|number| number > 0.0),
            "a number above zero",
        ),
        (Shape::Count, _) => unless(
            value
                .as_f64()
                .is_some_and(|number| number >= 0.0 && number.fract() == 0.0),
            "a whole number, zero or above",
        ),
        (Shape::Truth, _) => unless(value.is_boolean(), "true or false"),
        (Shape::List, _) => unless(value.is_array(), "a list"),
    }
}

fn is_not(value: &Value, wanted: &str) -> Fault<'static> {
    let found = super::validate::article(value);
    Fault::new(
        format!("is {found}, not {wanted}"),
        format!("write {wanted}"),
    )
}

fn are_texts(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|list| list.iter().all(Value::is_string))
}

fn in_type(value: &Value) -> Option<Fault<'static>> {
    let name = match value.as_str() {
        Some(name) if TYPES.contains(&name) => return None,
        Some(name) => name,
        None => return Some(is_not(value, "the name of a type")),
    };
    let meant = near::to(name, TYPES);
    let help = match meant.first() {
        Some(meant) => format!("did you mean {meant}?"),
        None => format!("there are {}", TYPES.join(", ")),
    };
    Some(Fault::new(format!("is {name:?}, which is no type"), help))
}

/// What only another engine than ours could understand is left to it.
fn in_pattern(pattern: &str) -> Option<Fault<'static>> {
    const BEYOND: [&str; 5] = ["(?=", "(?!", "(?<=", "(?<!", "\\k<"];
    let refers_back = pattern
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0] == b'\\' && (b'1'..=b'9').contains(&pair[1]));
    if refers_back || BEYOND.iter().any(|construct| pattern.contains(construct)) {
        return None;
    }
    match Regex::new(pattern) {
        Err(regex::Error::Syntax(text)) => {
            // The last line says why; those before draw the pattern.
            let reason = text.lines().last().unwrap_or_default();
            let reason = reason.strip_prefix("error: ").unwrap_or(reason);
            let reason = format!("{pattern:?} is no pattern: {reason}");
            Some(Fault::new(reason, "a pattern is a regular expression"))
        }
        _ => None,
    }
}

/// A pointer into the schema itself must lead somewhere; other references are not followed.
fn in_reference(reference: &str, root: &Value) -> Option<Fault<'static>> {
    let pointer = reference.strip_prefix('#')?;
    let is_plain_pointer = pointer.starts_with('/') && !pointer.contains('%');
    (is_plain_pointer && root.pointer(pointer).is_none() && root.get("$id").is_none()).then(|| {
        let reason = format!("is {reference:?}, which leads nowhere");
        Fault::new(reason, "name a part of this schema, such as #/$defs/NAME")
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(schema: &Value) -> Option<String> {
        fault(schema).map(|fault| format!("{} {}", fault.path().join("."), fault.reason))
    }

    #[test]
    fn a_slip_is_named_with_the_way_to_it() {
        let cases = [
            (
                json!({"type": "objekt"}),
                "type is \"objekt\", which is no type",
            ),
            (
                json!({"properties": {"a": {"minimum": "1"}}}),
                "properties.a.minimum is a text, not a number",
            ),
            (
                json!({"properties": {"a": 1}}),
                "properties.a is a number, not a mapping, true or false",
            ),
            (
                json!({"properties": {"a": {"pattern": "["}}}),
                "properties.a.pattern \"[\" is no pattern: unclosed character class",
            ),
            (
                json!({"patternProperties": {"(": true}}),
                "patternProperties.( \"(\" is no pattern: unclosed group",
            ),
            (
                json!({"anyOf": [{"required": "a"}]}),
                "anyOf.required is a text, not a list of names",
            ),
            (
                json!({"anyOf": []}),
                "anyOf is a list, not a list of schemas",
            ),
            (
                json!({"items": {"$ref": "#/$defs/x"}}),
                "items.$ref is \"#/$defs/x\", which leads nowhere",
            ),
            (
                json!({"properties": {"a": {"minLength": -1}}}),
                "properties.a.minLength is a number, not a whole number, zero or above",
            ),
        ];
        for (schema, message) in cases {
            assert_eq!(told(&schema).as_deref(), Some(message));
        }
    }

    #[test]
    fn a_type_that_is_none_comes_with_what_was_meant() {
        let help = |name: &str| fault(&json!({"type": name})).map(|fault| fault.help);
        assert_eq!(help("strin").as_deref(), Some("did you mean string?"));
        let all = "there are string, number, integer, boolean, array, object, null";
        assert_eq!(help("date-time").as_deref(), Some(all));
    }

    #[test]
    fn what_a_validator_takes_is_taken() {
        for schema in [
            json!(true),
            json!({"type": ["string", "null"], "default": null, "x-own": 1, "enum": ["a", null]}),
            json!({"$defs": {"x": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/x"}}}),
            json!({"properties": {"type": {"type": "string"}, "required": {"const": 1}}}),
            json!({"pattern": "^(?!x)(a)\\1$", "minLength": 2.0}),
        ] {
            assert_eq!(told(&schema), None);
        }
    }
}

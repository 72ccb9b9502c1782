//! A call's parameters: texts made to what the schema says, defaults filled in, and
//! everything checked before anything starts.

use serde_json::{Map, Value};
use thiserror::Error;
use toolroom_kernel::Explain;

/// A parameter as the caller gave it.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// From a command line: a text that may stand for any type.
    Text(String),
    /// A flag without a value.
    Flag(bool),
    /// From a program: the value itself.
    Json(Value),
}

/// What is wrong with a call's parameters; every fault is named.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParameterError {
    #[error("{}", faults.join("; "))]
    Invalid {
        faults: Vec<String>,
        known: Vec<String>,
    },
    #[error("the tool's own schema cannot be used: {0}")]
    BadSchema(String),
}

impl Explain for ParameterError {
    fn code(&self) -> &'static str {
        match self {
            Self::Invalid { .. } => "usage::invalid_parameters",
            Self::BadSchema(_) => "exec::bad_schema",
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::Invalid { known, .. } if known.is_empty() => {
                Some("the tool takes no parameters".into())
            }
            Self::Invalid { known, .. } => Some(format!("it takes --{}", known.join(", --"))),
            Self::BadSchema(_) => Some(
                "write input_schema as JSON Schema 2020-12, without references to other documents"
                    .into(),
            ),
        }
    }
}

/// Makes values of what was given, in the order it was given. A name given several times
/// is a list.
#[must_use]
pub fn values(given: Vec<(String, Given)>, schema: Option<&Value>) -> Map<String, Value> {
    let mut values: Map<String, Value> = Map::new();
    let mut as_text: Vec<String> = Vec::new();
    for (name, one) in given {
        let name = known_name(&name, schema);
        let property = property(schema, &name);
        let is_text = matches!(one, Given::Text(_));
        let is_repeated = is_text && as_text.contains(&name);
        if is_text {
            as_text.push(name.clone());
        }
        let value = match one {
            Given::Json(value) => whole(value, property),
            Given::Flag(on) => on.into(),
            Given::Text(text) if is_repeated => {
                of_text(&text, property.and_then(|list| list.get("items")))
            }
            Given::Text(text) => of_text(&text, property),
        };
        match values.get_mut(&name) {
            Some(Value::Array(list)) if is_repeated => list.push(value),
            Some(first) if is_repeated => *first = Value::Array(vec![first.take(), value]),
            _ => {
                values.insert(name, value);
            }
        }
    }
    values
}

/// `2.0` where a whole number is asked for is 2.
fn whole(value: Value, property: Option<&Value>) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let is_asked_for = property.is_some_and(|property| kinds(property).contains(&"integer"));
    match value.as_f64() {
        Some(number)
            if is_asked_for && value.is_f64() && number.fract() == 0.0 && number.abs() <= EXACT =>
        {
            #[expect(clippy::cast_possible_truncation, reason = "it is whole and in range")]
            let number = number as i64;
            number.into()
        }
        _ => value,
    }
}

/// `--dry-run` means `dry_run` where the schema has only that.
fn known_name(name: &str, schema: Option<&Value>) -> String {
    if property(schema, name).is_some() {
        return name.to_owned();
    }
    let other = name.replace('-', "_");
    match property(schema, &other) {
        Some(_) => other,
        None => name.to_owned(),
    }
}

fn property<'s>(schema: Option<&'s Value>, name: &str) -> Option<&'s Value> {
    schema?.get("properties")?.get(name)
}

/// A text as the type its schema asks for; where it does not fit it stays a text, and the
/// check says so.
fn of_text(text: &str, schema: Option<&Value>) -> Value {
    let Some(schema) = schema else {
        return text.into();
    };
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        let meant = options.iter().find(|option| match option {
            Value::String(option) => option == text,
            other => serde_json::from_str::<Value>(text).is_ok_and(|value| value == **other),
        });
        return meant.cloned().unwrap_or_else(|| text.into());
    }
    let kinds = kinds(schema);
    let parsed: Option<Value> = serde_json::from_str(text).ok();
    for kind in &kinds {
        let fitting = match *kind {
            "string" => Some(Value::from(text)),
            "boolean" => truth(text).map(Value::Bool),
            "array" => parsed.clone().filter(Value::is_array).or_else(|| {
                // One item of a list needs no brackets.
                let item = of_text(text, schema.get("items"));
                (kinds.len() == 1 || !kinds.contains(&"string")).then(|| vec![item].into())
            }),
            kind => parsed
                .clone()
                .filter(|value| is_of(value, kind))
                .map(|value| whole(value, Some(schema))),
        };
        if let Some(value) = fitting {
            return value;
        }
    }
    if kinds.is_empty() && schema.as_object().is_some_and(|schema| !schema.is_empty()) {
        return parsed.unwrap_or_else(|| text.into());
    }
    text.into()
}

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

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        // Beyond 64 bits a number would lose digits: it stays a text, and is refused.
        "integer" => {
            value.is_i64()
                || value.is_u64()
                || value
                    .as_f64()
                    .is_some_and(|n| n.fract() == 0.0 && n.abs() < 1e15)
        }
        "number" => value.is_number(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    }
}

/// Fills in the defaults the schema declares for what was not given. A default of null is
/// the tool's own business.
pub fn fill_defaults(params: &mut Map<String, Value>, schema: Option<&Value>) {
    let properties = schema.and_then(|schema| schema.get("properties")?.as_object());
    for (name, property) in properties.into_iter().flatten() {
        let default = property.get("default").filter(|default| !default.is_null());
        if let (Some(default), false) = (default, params.contains_key(name)) {
            params.insert(name.clone(), default.clone());
        }
    }
}

/// Checks parameters against the tool's schema.
///
/// # Errors
/// Names every violation with its path.
pub fn check(params: &Map<String, Value>, schema: Option<&Value>) -> Result<(), ParameterError> {
    let Some(schema) = schema else {
        return Ok(());
    };
    let validator = jsonschema::draft202012::options()
        .build(schema)
        .map_err(|error| ParameterError::BadSchema(error.to_string()))?;
    let document = Value::Object(params.clone());
    let properties = schema.get("properties").and_then(Value::as_object);
    let known: Vec<String> = properties
        .map(|map| map.keys().cloned().collect())
        .unwrap_or_default();
    let faults: Vec<String> = validator
        .iter_errors(&document)
        .map(|error| fault(&error, &known))
        .collect();
    if faults.is_empty() {
        return Ok(());
    }
    Err(ParameterError::Invalid { faults, known })
}

fn fault(error: &jsonschema::ValidationError<'_>, known: &[String]) -> String {
    if let jsonschema::error::ValidationErrorKind::AdditionalProperties { unexpected } =
        error.kind()
        && error.instance_path().as_str().is_empty()
    {
        let unknown: Vec<String> = unexpected.iter().map(|name| unknown(name, known)).collect();
        return unknown.join("; ");
    }
    let path = error.instance_path().to_string();
    let path = path.trim_start_matches('/').replace('/', ".");
    // The value itself may be a secret: it is not repeated.
    let message = error.masked();
    if path.is_empty() {
        return message.to_string();
    }
    format!("{path}: {message}")
}

fn unknown(name: &str, known: &[String]) -> String {
    let near = known
        .iter()
        .map(|other| (strsim::jaro_winkler(name, other), other))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b));
    match near {
        Some((_, other)) => format!("there is no parameter {name}; did you mean {other}?"),
        None => format!("there is no parameter {name}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn text(name: &str, value: &str) -> (String, Given) {
        (name.to_owned(), Given::Text(value.to_owned()))
    }

    #[test]
    fn texts_become_what_the_schema_says() {
        let schema = json!({"properties": {
            "s": {"type": "string"}, "i": {"type": "integer"}, "n": {"type": "number"}, "b": {"type": "boolean"},
            "l": {"type": "array", "items": {"type": "integer"}}, "o": {"type": "object"},
            "m": {"type": ["string", "null"]}, "e": {"enum": [1, "two"]}, "u": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        }});
        let cases = [
            ("s", "3", json!("3")),
            ("i", "3", json!(3)),
            ("i", "x", json!("x")),
            ("n", "2.5", json!(2.5)),
            ("b", "no", json!(false)),
            ("b", "true", json!(true)),
            ("l", "[1, 2]", json!([1, 2])),
            ("l", "7", json!([7])),
            ("o", "{\"a\": 1}", json!({"a": 1})),
            ("m", "null", json!(null)),
            ("m", "x", json!("x")),
            ("e", "1", json!(1)),
            ("e", "two", json!("two")),
            ("u", "5", json!(5)),
            ("u", "five", json!("five")),
            ("unknown", "3", json!("3")),
        ];
        for (name, given, wanted) in cases {
            assert_eq!(
                values(vec![text(name, given)], Some(&schema))[name],
                wanted,
                "--{name} {given}"
            );
        }
    }

    #[test]
    fn a_flag_wins_over_what_came_as_json() {
        let given = vec![
            ("name".to_owned(), Given::Json(json!("P"))),
            text("name", "Q"),
        ];
        assert_eq!(values(given, None)["name"], json!("Q"));
    }

    #[test]
    fn whole_numbers_stay_whole_or_are_refused() {
        let schema = json!({"type": "object", "properties": {"i": {"type": "integer"}}});
        assert_eq!(values(vec![text("i", "2.0")], Some(&schema))["i"], json!(2));
        let given = vec![("i".to_owned(), Given::Json(json!(3.0)))];
        assert_eq!(values(given, Some(&schema))["i"], json!(3));
        let huge = values(vec![text("i", "12345678901234567890123")], Some(&schema));
        assert!(check(&huge, Some(&schema)).is_err());
    }

    #[test]
    fn a_name_given_several_times_is_a_list() {
        let schema =
            json!({"properties": {"tags": {"type": "array", "items": {"type": "integer"}}}});
        let given = vec![text("tags", "1"), text("tags", "2"), text("tags", "3")];
        assert_eq!(values(given, Some(&schema))["tags"], json!([1, 2, 3]));
    }

    #[test]
    fn a_dash_may_stand_for_an_underscore() {
        let schema = json!({"properties": {"dry_run": {"type": "boolean"}}});
        let given = vec![("dry-run".to_owned(), Given::Flag(true))];
        assert_eq!(values(given, Some(&schema))["dry_run"], json!(true));
    }

    #[test]
    fn defaults_are_filled_in_but_not_over_what_was_given() {
        let schema = json!({"properties": {"a": {"default": 1}, "b": {"default": 2}, "c": {"default": null}}});
        let mut params = Map::from_iter([("b".to_owned(), json!(9))]);
        fill_defaults(&mut params, Some(&schema));
        assert_eq!(Value::Object(params), json!({"b": 9, "a": 1}));
    }

    #[test]
    fn every_violation_is_named_with_its_path() {
        let schema = json!({"type": "object", "required": ["a"], "additionalProperties": false,
            "properties": {"a": {"type": "integer"}, "l": {"type": "array", "items": {"type": "string"}}}});
        let Value::Object(params) = json!({"l": ["x", 1], "z": 0}) else {
            unreachable!()
        };
        let error = check(&params, Some(&schema)).unwrap_err();
        let ParameterError::Invalid { faults, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(faults.len(), 3, "{faults:?}");
        assert!(
            faults.iter().any(|fault| fault.starts_with("l.1: ")),
            "{faults:?}"
        );
        assert_eq!(error.code(), "usage::invalid_parameters");
    }

    #[test]
    fn a_schema_that_refers_elsewhere_is_refused_not_fetched() {
        let schema = json!({"$ref": "https://example.org/schema.json"});
        let error = check(&Map::new(), Some(&schema)).unwrap_err();
        assert_eq!(error.code(), "exec::bad_schema");
    }
}

//! What a caller gave: flags and texts become the values the schema asks for.

use serde_json::{Map, Value};

use super::ParameterError;
use super::exact::{too_large, would_lose_digits};
use super::schema::{followed, kinds, names};

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

/// Makes values of what was given, in the order it was given. A name given several times
/// is a list.
///
/// # Errors
/// Names every text whose JSON would lose digits by being read.
pub fn values(
    given: Vec<(String, Given)>,
    schema: Option<&Value>,
) -> Result<Map<String, Value>, ParameterError> {
    let mut values: Map<String, Value> = Map::new();
    let mut as_text: Vec<String> = Vec::new();
    let mut faults = Vec::new();
    for (name, one) in given {
        let name = known_name(&name, schema);
        let property = property(schema, &name);
        let is_text = matches!(one, Given::Text(_));
        let is_repeated = is_text && as_text.contains(&name);
        if is_text {
            as_text.push(name.clone());
        }
        let value = match one {
            Given::Json(value) => value,
            Given::Flag(on) => on.into(),
            Given::Text(text) if is_repeated => {
                of_text(&text, property.and_then(|list| list.get("items")), schema)
            }
            Given::Text(text) => {
                let value = of_text(&text, property, schema);
                let is_read = value.is_object() || value.is_array();
                if is_read && would_lose_digits(&text) {
                    faults.push(too_large(&name));
                }
                value
            }
        };
        match values.get_mut(&name) {
            Some(Value::Array(list)) if is_repeated => list.push(value),
            Some(first) if is_repeated => *first = Value::Array(vec![first.take(), value]),
            _ => {
                values.insert(name, value);
            }
        }
    }
    if faults.is_empty() {
        return Ok(values);
    }
    Err(ParameterError::Invalid {
        faults,
        known: names(schema),
    })
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
    let root = schema?;
    Some(followed(root.get("properties")?.get(name)?, root))
}

/// A text as the type its schema asks for; where it does not fit it stays a text, and the
/// check says so. `root` is the whole schema, which parts may refer to.
fn of_text(text: &str, schema: Option<&Value>, root: Option<&Value>) -> Value {
    let (Some(schema), Some(root)) = (schema, root) else {
        return text.into();
    };
    let schema = followed(schema, root);
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        let meant = options.iter().find(|option| match option {
            Value::String(option) => option == text,
            other => serde_json::from_str::<Value>(text).is_ok_and(|value| value == **other),
        });
        return meant.cloned().unwrap_or_else(|| text.into());
    }
    let kinds = kinds(schema, root);
    let parsed: Option<Value> = serde_json::from_str(text).ok();
    for kind in &kinds {
        let fitting = match *kind {
            "string" => Some(Value::from(text)),
            "boolean" => truth(text).map(Value::Bool),
            "array" => parsed.clone().filter(Value::is_array).or_else(|| {
                // One item of a list needs no brackets.
                let item = of_text(text, schema.get("items"), Some(root));
                (kinds.len() == 1 || !kinds.contains(&"string")).then(|| vec![item].into())
            }),
            kind => parsed.clone().filter(|value| is_of(value, kind)),
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

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Some(true),
        "false" | "no" | "off" | "0" => Some(false),
        _ => None,
    }
}

fn is_of(value: &Value, kind: &str) -> bool {
    match kind {
        "integer" => value.is_number() && value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "number" => value.is_number(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
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
            "r": {"$ref": "#/$defs/s"}, "opt": {"anyOf": [{"$ref": "#/$defs/o"}, {"type": "null"}]},
            "m": {"type": ["string", "null"]}, "e": {"enum": [1, "two"]}, "u": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        }, "$defs": {"s": {"type": "string"}, "o": {"type": "object"}}});
        let cases = [
            ("r", "3", json!("3")),
            ("opt", "{\"a\": 1}", json!({"a": 1})),
            ("opt", "null", json!(null)),
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
                values(vec![text(name, given)], Some(&schema)).unwrap()[name],
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
        assert_eq!(values(given, None).unwrap()["name"], json!("Q"));
    }

    #[test]
    fn a_name_given_several_times_is_a_list() {
        let schema =
            json!({"properties": {"tags": {"type": "array", "items": {"type": "integer"}}}});
        let given = vec![text("tags", "1"), text("tags", "2"), text("tags", "3")];
        assert_eq!(
            values(given, Some(&schema)).unwrap()["tags"],
            json!([1, 2, 3])
        );
    }

    #[test]
    fn a_dash_may_stand_for_an_underscore() {
        let schema = json!({"properties": {"dry_run": {"type": "boolean"}}});
        let given = vec![("dry-run".to_owned(), Given::Flag(true))];
        assert_eq!(
            values(given, Some(&schema)).unwrap()["dry_run"],
            json!(true)
        );
    }

    #[test]
    fn a_text_that_would_lose_digits_is_refused_by_its_name() {
        let schema = json!({"properties": {"o": {"type": "object"}, "s": {"type": "string"}}});
        let given = |name: &str| vec![text(name, "{\"i\": 12345678901234567890123}")];
        let error = values(given("o"), Some(&schema)).unwrap_err();
        assert!(
            error.to_string().starts_with("o: a whole number"),
            "{error}"
        );
        assert!(values(given("s"), Some(&schema)).is_ok());
    }
}

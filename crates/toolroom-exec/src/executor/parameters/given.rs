//! What a caller gave: flags and texts become the values the schema asks for.

use serde_json::{Map, Value};

use super::ParameterError;
use super::exact::{too_large, would_lose_digits};
use super::schema::{Choice, choices, followed, is_open, names};

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
        if is_repeated && takes_one(property, schema) {
            faults.push(format!(
                "{name}: was given more than once, and takes one value"
            ));
        }
        let value = match one {
            Given::Json(value) => value,
            Given::Flag(on) => on.into(),
            Given::Text(text) => {
                let part = if is_repeated {
                    let count = values
                        .get(&name)
                        .and_then(Value::as_array)
                        .map_or(1, Vec::len);
                    property.and_then(|list| item_of(list, count, schema))
                } else {
                    property
                };
                of_text(&text, part, schema).unwrap_or_else(|LosesDigits| {
                    faults.push(too_large(&name));
                    Value::Null
                })
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

/// Why a text is not read: a number in it would come out as another.
struct LosesDigits;

/// A text as the type its schema asks for; where it does not fit it stays a text, and the
/// check says so. `root` is the whole schema, which parts may refer to.
fn of_text(text: &str, schema: Option<&Value>, root: Option<&Value>) -> Result<Value, LosesDigits> {
    let (Some(schema), Some(root)) = (schema, root) else {
        return Ok(text.into());
    };
    let schema = followed(schema, root);
    let choices = choices(schema, root);
    let reading = Reading {
        text,
        parsed: serde_json::from_str(text).ok(),
        root,
        may_be_text: choices.iter().any(|choice| choice.kind == "string"),
    };
    for choice in &choices {
        let fitting = match choice.schema.get("enum").and_then(Value::as_array) {
            Some(options) => reading.one_of(options),
            None => reading.of_kind(choice)?,
        };
        if let Some(value) = fitting {
            return Ok(value);
        }
    }
    // None of the values that are allowed: of their type all the same, to be refused as such.
    for choice in &choices {
        if let Some(value) = reading.of_kind(choice)? {
            return Ok(value);
        }
    }
    // What is of no declared type is text; other rules than a type's speak of JSON.
    let is_json = choices.is_empty() && !is_open(schema);
    let read = reading.read(&|_| is_json)?;
    Ok(read.unwrap_or_else(|| text.into()))
}

/// A text that may stand for a value of some type.
struct Reading<'r> {
    text: &'r str,
    /// As JSON, if it is.
    parsed: Option<Value>,
    root: &'r Value,
    may_be_text: bool,
}

impl Reading<'_> {
    fn read(&self, fits: &dyn Fn(&Value) -> bool) -> Result<Option<Value>, LosesDigits> {
        match self.parsed.as_ref().filter(|value| fits(value)) {
            Some(_) if would_lose_digits(self.text) => Err(LosesDigits),
            fitting => Ok(fitting.cloned()),
        }
    }

    fn one_of(&self, options: &[Value]) -> Option<Value> {
        let meant = options.iter().find(|option| match option {
            Value::String(option) => option == self.text,
            other => self.parsed.as_ref() == Some(other),
        });
        meant.cloned()
    }

    fn of_kind(&self, choice: &Choice<'_>) -> Result<Option<Value>, LosesDigits> {
        Ok(match choice.kind {
            "string" => Some(self.text.into()),
            "boolean" => truth(self.text).map(Value::Bool),
            // One item of a list needs no brackets.
            "array" => match self.read(&Value::is_array)? {
                None if !self.may_be_text => {
                    let item = item(choice.schema, 0);
                    Some(vec![of_text(self.text, item, Some(self.root))?].into())
                }
                list => list,
            },
            "object" => self.read(&Value::is_object)?,
            kind => self.parsed.clone().filter(|value| is_of(value, kind)),
        })
    }
}

/// Whether a parameter is of some type, and cannot be a list.
fn takes_one(property: Option<&Value>, root: Option<&Value>) -> bool {
    let (Some(property), Some(root)) = (property, root) else {
        return false;
    };
    let choices = choices(property, root);
    !choices.is_empty() && choices.iter().all(|choice| choice.kind != "array")
}

/// What a parameter's schema says of one item, where it may be a list.
fn item_of<'s>(property: &'s Value, index: usize, root: Option<&'s Value>) -> Option<&'s Value> {
    let choices = choices(property, root?);
    let list = choices.iter().find(|choice| choice.kind == "array")?;
    item(list.schema, index)
}

/// What a list's schema says of one of its items.
fn item(list: &Value, index: usize) -> Option<&Value> {
    let first = list.get("prefixItems").and_then(|items| items.get(index));
    first.or_else(|| list.get("items"))
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
    fn what_takes_one_value_is_given_once() {
        let schema = json!({"properties": {"s": {"type": "string"}, "any": {}}});
        let twice = |name: &str| values(vec![text(name, "x"), text(name, "y")], Some(&schema));
        let told = twice("s").unwrap_err().to_string();
        assert_eq!(told, "s: was given more than once, and takes one value");
        assert_eq!(twice("any").unwrap()["any"], json!(["x", "y"]));
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
        let schema = json!({"properties": {
            "o": {"type": "object"}, "s": {"type": "string"}, "n": {"type": "number"}, "any": {"not": {"type": "null"}},
            "os": {"type": "array", "items": {"type": "object"}},
            "ss": {"type": "array", "items": {"type": "string"}},
        }});
        let object = "{\"i\": 12345678901234567890123}";
        let refused = |given: Vec<(String, Given)>| {
            let error = values(given, Some(&schema)).err()?;
            Some(error.to_string().split(':').next()?.to_owned())
        };
        assert_eq!(refused(vec![text("o", object)]).as_deref(), Some("o"));
        assert_eq!(refused(vec![text("os", object)]).as_deref(), Some("os"));
        let second = vec![text("os", "{}"), text("os", object)];
        assert_eq!(refused(second).as_deref(), Some("os"));
        let number = "12345678901234567890123";
        assert_eq!(refused(vec![text("any", number)]).as_deref(), Some("any"));
        for (name, value) in [("s", object), ("ss", object), ("ss", number), ("n", number)] {
            assert_eq!(refused(vec![text(name, value)]), None, "--{name} {value}");
        }
    }
}

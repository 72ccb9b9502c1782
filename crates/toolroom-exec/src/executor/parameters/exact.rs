//! Whole numbers stay whole and lose no digit, or are refused.
//!
//! JSON has one kind of number, of any size; what reads it here keeps 64 bits. Whatever
//! came from text is looked at before it is read, everything else by its schema.

use serde_json::{Map, Value};

use super::ParameterError;
use super::schema::{choices, followed, names};

/// Up to here every whole number has a floating one of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// How deep parameters are looked into; deeper ones no parser here accepts.
const MAX_DEPTH: usize = 128;

/// Makes `2.0` the whole number where one is asked for.
///
/// # Errors
/// Names every whole number that is too large to be passed on as it is.
pub fn make_exact(
    params: &mut Map<String, Value>,
    schema: Option<&Value>,
) -> Result<(), ParameterError> {
    let Some(schema) = schema else { return Ok(()) };
    let mut looking = Looking {
        root: schema,
        faults: Vec::new(),
    };
    looking.members(params, schema, "", 0);
    if looking.faults.is_empty() {
        return Ok(());
    }
    Err(ParameterError::Invalid {
        faults: looking.faults,
        known: names(Some(schema)),
    })
}

/// One look through parameters.
struct Looking<'s> {
    root: &'s Value,
    faults: Vec<String>,
}

impl Looking<'_> {
    fn members(
        &mut self,
        values: &mut Map<String, Value>,
        schema: &Value,
        path: &str,
        depth: usize,
    ) {
        for (name, value) in values {
            let own = schema.get("properties").and_then(|all| all.get(name));
            let Some(schema) = own.or_else(|| schema.get("additionalProperties")) else {
                continue;
            };
            self.one(value, schema, &format!("{path}{name}"), depth + 1);
        }
    }

    fn one(&mut self, value: &mut Value, schema: &Value, path: &str, depth: usize) {
        if depth > MAX_DEPTH {
            return;
        }
        let root = self.root;
        let schema = followed(schema, root);
        match value {
            Value::Object(values) => self.members(values, schema, &format!("{path}."), depth),
            Value::Array(items) => {
                let Some(schema) = schema.get("items") else {
                    return;
                };
                for (index, item) in items.iter_mut().enumerate() {
                    self.one(item, schema, &format!("{path}.{index}"), depth + 1);
                }
            }
            Value::Number(number) if number.is_f64() => {
                let choices = choices(schema, root);
                let allows = |kind: &str| choices.iter().any(|choice| choice.kind == kind);
                let whole = number.as_f64().filter(|number| number.fract() == 0.0);
                match whole.filter(|_| allows("integer")) {
                    Some(whole) if whole.abs() <= EXACT => {
                        #[expect(
                            clippy::cast_possible_truncation,
                            reason = "it is whole and in range"
                        )]
                        let whole = whole as i64;
                        *value = whole.into();
                    }
                    Some(_) if !allows("number") => self.faults.push(too_large(path)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// The fault of a parameter that would lose digits.
pub(super) fn too_large(name: &str) -> String {
    format!("{name}: a whole number beyond 64 bits would lose digits; pass it as a text")
}

/// Whether a JSON text has a whole number that 64 bits cannot hold exactly.
#[must_use]
pub fn would_lose_digits(json: &str) -> bool {
    let mut in_text = false;
    let mut is_escaped = false;
    let mut number = String::new();
    for character in json.chars().chain(std::iter::once(' ')) {
        if in_text {
            in_text = is_escaped || character != '"';
            is_escaped = !is_escaped && character == '\\';
            continue;
        }
        if character.is_ascii_digit() || matches!(character, '-' | '+' | '.' | 'e' | 'E') {
            number.push(character);
            continue;
        }
        let digits = number.strip_prefix('-').unwrap_or(&number);
        let is_whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_whole && number.parse::<i64>().is_err() && number.parse::<u64>().is_err() {
            return true;
        }
        number.clear();
        in_text = character == '"';
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({"type": "object", "properties": {
            "i": {"type": "integer"}, "n": {"type": "number"}, "either": {"type": ["integer", "number"]},
            "list": {"type": "array", "items": {"type": "integer"}},
            "inner": {"type": "object", "properties": {"i": {"type": "integer"}}},
        }, "additionalProperties": {"type": "integer"}})
    }

    fn exact(value: Value) -> Result<Value, ParameterError> {
        let Value::Object(mut params) = value else {
            panic!("{value} is not an object")
        };
        make_exact(&mut params, Some(&schema())).map(|()| Value::Object(params))
    }

    #[test]
    fn whole_numbers_become_whole_where_they_are_asked_for() {
        let given = json!({"i": 2.0, "n": 2.0, "either": 2.0, "list": [1.0, 1.5], "inner": {"i": -3.0}, "more": 4e2});
        let found = exact(given).unwrap();
        let wanted = json!({"i": 2, "n": 2.0, "either": 2, "list": [1, 1.5], "inner": {"i": -3}, "more": 400});
        assert_eq!(found, wanted);
    }

    #[test]
    fn one_that_would_lose_digits_is_named_with_its_path() {
        let huge: Value = serde_json::from_str("12345678901234567890123").unwrap();
        let given =
            json!({"i": huge, "n": huge, "either": huge, "list": [1, huge], "inner": {"i": huge}});
        let ParameterError::Invalid { faults, .. } = exact(given).unwrap_err() else {
            panic!("a fault of the parameters")
        };
        let named: Vec<&str> = faults
            .iter()
            .filter_map(|fault| fault.split(':').next())
            .collect();
        assert_eq!(named, ["i", "list.1", "inner.i"]);
        assert!(exact(json!({"i": u64::MAX, "more": i64::MIN})).is_ok());
    }

    #[test]
    fn a_text_is_looked_at_before_it_is_read() {
        for json in [
            "{\"i\": 12345678901234567890123}",
            "[-9223372036854775809]",
            "18446744073709551616",
        ] {
            assert!(would_lose_digits(json), "{json}");
        }
        for json in [
            "{\"i\": 18446744073709551615}",
            "[1e300, -9223372036854775808, 1.5, -]",
            "\"12345678901234567890123\"",
            "\"\\\"99999999999999999999\"",
        ] {
            assert!(!would_lose_digits(json), "{json}");
        }
    }
}

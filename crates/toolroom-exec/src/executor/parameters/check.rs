//! What a schema says of parameters: its defaults filled in, its violations named.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Map, Value};
use thiserror::Error;
use toolroom_kernel::{Explain, near};

use super::schema::{followed, names};

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

/// How deep defaults are filled in; deeper objects no parser here accepts.
const MAX_DEPTH: usize = 128;

/// Fills in the defaults the schema declares for what was not given, also inside of
/// objects that were. A default of null is the tool's own business.
pub fn fill_defaults(params: &mut Map<String, Value>, schema: Option<&Value>) {
    if let Some(schema) = schema {
        fill(params, schema, schema, 0);
    }
}

fn fill(params: &mut Map<String, Value>, schema: &Value, root: &Value, depth: usize) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let property = followed(property, root);
        match params.get_mut(name) {
            Some(Value::Object(inner)) if depth < MAX_DEPTH => {
                fill(inner, property, root, depth + 1);
            }
            Some(_) => {}
            None => {
                let default = property.get("default").filter(|default| !default.is_null());
                if let Some(default) = default {
                    params.insert(name.clone(), default.clone());
                }
            }
        }
    }
}

/// Whether a schema plainly takes a call without parameters, which needs no compiled one:
/// everything in it is about parameters that are given.
fn allows_nothing(schema: &Value) -> bool {
    let Some(schema) = schema.as_object() else {
        return false;
    };
    schema
        .iter()
        .all(|(keyword, value)| match keyword.as_str() {
            "type" => value == "object",
            "required" => value.as_array().is_some_and(Vec::is_empty),
            "properties" => value.is_object(),
            "additionalProperties" => value.is_boolean(),
            "title" | "description" => true,
            _ => false,
        })
}

/// Checks the parameters of one call against the tool's schema.
///
/// # Errors
/// Names every violation with its path.
pub fn check(params: &Value, schema: Option<&Value>) -> Result<(), ParameterError> {
    let is_empty = params.as_object().is_some_and(Map::is_empty);
    match schema.filter(|schema| !is_empty || !allows_nothing(schema)) {
        Some(schema) => Checker::of(schema)?.check(params),
        None => Ok(()),
    }
}

/// A tool's schema, made ready to check any number of calls.
#[derive(Debug)]
pub struct Checker {
    validator: jsonschema::Validator,
    known: Vec<String>,
}

impl Checker {
    /// Reads a schema.
    ///
    /// # Errors
    /// Fails for what is no schema.
    pub fn of(schema: &Value) -> Result<Self, ParameterError> {
        let validator = jsonschema::draft202012::options()
            .build(schema)
            .map_err(|error| ParameterError::BadSchema(error.to_string()))?;
        Ok(Self {
            validator,
            known: names(Some(schema)),
        })
    }

    /// Checks parameters.
    ///
    /// # Errors
    /// Names every violation with its path.
    pub fn check(&self, params: &Value) -> Result<(), ParameterError> {
        let errors: Vec<_> = self.validator.iter_errors(params).collect();
        let chosen: Vec<_> = errors
            .iter()
            .filter(|error| matches!(error.kind(), ValidationErrorKind::Enum { .. }))
            .map(ValidationError::instance_path)
            .collect();
        // Which values are allowed says of which type they are.
        let is_said = |error: &ValidationError<'_>| {
            matches!(error.kind(), ValidationErrorKind::Type { .. })
                && chosen.contains(&error.instance_path())
        };
        let faults: Vec<String> = errors
            .iter()
            .filter(|error| !is_said(error))
            .map(|error| fault(error, &self.known))
            .collect();
        if faults.is_empty() {
            return Ok(());
        }
        Err(ParameterError::Invalid {
            faults,
            known: self.known.clone(),
        })
    }
}

fn fault(error: &ValidationError<'_>, known: &[String]) -> String {
    if let ValidationErrorKind::AdditionalProperties { unexpected } = error.kind()
        && error.instance_path().as_str().is_empty()
    {
        let unknown: Vec<String> = unexpected.iter().map(|name| unknown(name, known)).collect();
        return unknown.join("; ");
    }
    let path = error.instance_path().to_string();
    let path = path.trim_start_matches('/').replace('/', ".");
    // The value itself may be a secret: it is not repeated.
    let message = match error.kind() {
        ValidationErrorKind::Enum { options } => not_one_of(options),
        _ => error.masked().to_string(),
    };
    if path.is_empty() {
        return message;
    }
    format!("{path}: {message}")
}

/// Names the values that are allowed, unless there are too many to be read.
fn not_one_of(options: &Value) -> String {
    const MOST: usize = 20;
    let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
    let named: Vec<String> = options.iter().take(MOST).map(Value::to_string).collect();
    let more = match options.len().saturating_sub(MOST) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("value is not one of {}{more}", named.join(", "))
}

fn unknown(name: &str, known: &[String]) -> String {
    match near::best(name, known.iter().map(String::as_str)) {
        Some(other) => format!("there is no parameter {name}; did you mean {other}?"),
        None => format!("there is no parameter {name}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_without_parameters_is_held_to_the_schema_all_the_same() {
        let cases = [
            (
                json!({"type": "object", "properties": {"a": {"type": "string"}}}),
                true,
            ),
            (
                json!({"type": "object", "required": [], "additionalProperties": false}),
                true,
            ),
            (json!({"type": "object", "required": ["a"]}), false),
            (json!({"type": "array"}), false),
            (json!({"minProperties": 1}), false),
            (
                json!({"properties": {}, "anyOf": [{"required": ["a"]}]}),
                false,
            ),
            (json!({"not": {}}), false),
            (json!(false), false),
            (json!(true), true),
        ];
        for (schema, accepted) in cases {
            let outcome = check(&json!({}), Some(&schema));
            assert_eq!(outcome.is_ok(), accepted, "{schema}: {outcome:?}");
        }
    }

    #[test]
    fn defaults_are_filled_in_but_not_over_what_was_given() {
        let schema = json!({"properties": {"a": {"default": 1}, "b": {"default": 2}, "c": {"default": null}}});
        let mut params = Map::from_iter([("b".to_owned(), json!(9))]);
        fill_defaults(&mut params, Some(&schema));
        assert_eq!(Value::Object(params), json!({"b": 9, "a": 1}));
        let inner = json!({"properties": {"o": {"properties": {"x": {"default": 1}}}, "p": {"properties": {"x": {"default": 1}}}}});
        let mut params = Map::from_iter([("o".to_owned(), json!({"y": 2}))]);
        fill_defaults(&mut params, Some(&inner));
        assert_eq!(Value::Object(params), json!({"o": {"y": 2, "x": 1}}));
    }

    #[test]
    fn every_violation_is_named_with_its_path() {
        let schema = json!({"type": "object", "required": ["a"], "additionalProperties": false,
            "properties": {"a": {"type": "integer"}, "l": {"type": "array", "items": {"type": "string"}}}});
        let params = json!({"l": ["x", 1], "z": 0});
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
        let error = check(&json!({}), Some(&schema)).unwrap_err();
        assert_eq!(error.code(), "exec::bad_schema");
    }
}

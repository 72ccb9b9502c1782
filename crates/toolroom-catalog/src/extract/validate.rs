//! Checks that metadata has the types the product relies on, once, at the edge.

use serde_json::{Map, Value};
use toolroom_kernel::model::field;

use super::rules::Found;
use crate::problem::{Problem, ProblemKind};
use std::path::Path;

/// The types a value may have, named as an author would.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    TextOrNull,
    Object,
    List,
    Seconds,
    /// Any scalar: what an environment variable can be made from.
    Scalar,
    ObjectOrList,
    ObjectOrText,
}

impl Kind {
    fn accepts(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::TextOrNull => value.is_string() || value.is_null(),
            Self::Object => value.is_object(),
            Self::List => value.is_array(),
            Self::Seconds => {
                value.as_f64().is_some_and(|seconds| seconds > 0.0) || is_template(value)
            }
            Self::Scalar => !value.is_object() && !value.is_array(),
            Self::ObjectOrList => value.is_object() || value.is_array(),
            Self::ObjectOrText => value.is_object() || value.is_string(),
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::TextOrNull => "a text or null",
            Self::Object => "a mapping",
            Self::List => "a list",
            Self::Seconds => "a number of seconds above zero",
            Self::Scalar => "a text, a number, true, false or null",
            Self::ObjectOrList => "a mapping or a list",
            Self::ObjectOrText => "a mapping or a text",
        }
    }
}

fn is_template(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| text.contains("${") || text.contains('{'))
}

const FIELDS: &[(&str, Kind)] = &[
    (field::NAME, Kind::Text),
    (field::VERSION, Kind::Text),
    (field::TOOL_TYPE, Kind::Text),
    (field::EXECUTOR_ID, Kind::TextOrNull),
    (field::CATEGORY, Kind::Text),
    (field::DESCRIPTION, Kind::Text),
    (field::CONFIG, Kind::Object),
    (field::ENV_CONFIG, Kind::Object),
    (field::CONFIG_SCHEMA, Kind::Object),
    (field::PARAMETERS, Kind::ObjectOrList),
    (field::INPUT_SCHEMA, Kind::Object),
    (field::OUTPUT_SCHEMA, Kind::Object),
];

const CONFIG_FIELDS: &[(&str, Kind)] = &[
    ("command", Kind::Text),
    ("args", Kind::List),
    ("env", Kind::Object),
    ("timeout", Kind::Seconds),
    ("cwd", Kind::Text),
    ("url", Kind::Text),
    ("method", Kind::Text),
    ("headers", Kind::ObjectOrText),
    ("call", Kind::Object),
    ("env_setup", Kind::Object),
];

const RESOURCE_FIELDS: &[(&str, Kind)] = &[
    ("type", Kind::Text),
    ("var", Kind::Text),
    ("search", Kind::List),
    ("fallback", Kind::TextOrNull),
];

/// Checks every field the product understands. Unquoted versions are taken as text, as
/// `version: 1.0` is what people write.
pub fn check(found: &mut Found, path: &Path) {
    if let Some(version) = found.metadata.get_mut(field::VERSION)
        && version.is_number()
    {
        *version = version.to_string().into();
    }
    let mut faults = Vec::new();
    check_fields(&found.metadata, FIELDS, "", &mut faults);
    if let Some(Value::Object(config)) = found.metadata.get(field::CONFIG) {
        check_fields(config, CONFIG_FIELDS, "config.", &mut faults);
        check_env(config.get("env"), "config.env.", &mut faults);
    }
    if let Some(Value::Object(resources)) = found.metadata.get(field::ENV_CONFIG) {
        for (name, resource) in resources {
            check_resource(name, resource, &mut faults);
        }
    }
    for fault in faults {
        let position = found.positions.get(fault.field()).copied();
        let message = format!(
            "{} is {}, not {}",
            fault.name,
            article(&fault.value),
            fault.wanted
        );
        found.problems.push(
            Problem::new(ProblemKind::WrongType, path, message)
                .at(position)
                .help(format!("write {} as {}", fault.name, fault.wanted)),
        );
    }
}

struct Fault {
    name: String,
    value: Value,
    wanted: &'static str,
}

impl Fault {
    /// The top-level field the fault is in, which is what positions are known for.
    fn field(&self) -> &str {
        self.name.split('.').next().unwrap_or(&self.name)
    }
}

fn check_fields(
    map: &Map<String, Value>,
    kinds: &[(&str, Kind)],
    prefix: &str,
    faults: &mut Vec<Fault>,
) {
    for (name, kind) in kinds {
        match map.get(*name) {
            Some(value) if !kind.accepts(value) => faults.push(Fault {
                name: format!("{prefix}{name}"),
                value: value.clone(),
                wanted: kind.name(),
            }),
            _ => {}
        }
    }
}

fn check_env(env: Option<&Value>, prefix: &str, faults: &mut Vec<Fault>) {
    let Some(Value::Object(env)) = env else {
        return;
    };
    for (name, value) in env {
        if !Kind::Scalar.accepts(value) {
            faults.push(Fault {
                name: format!("{prefix}{name}"),
                value: value.clone(),
                wanted: Kind::Scalar.name(),
            });
        }
    }
}

fn check_resource(name: &str, resource: &Value, faults: &mut Vec<Fault>) {
    let prefix = format!("env_config.{name}.");
    match resource {
        Value::Object(_) if name == "env" => check_env(Some(resource), "env_config.env.", faults),
        Value::Object(settings) => check_fields(settings, RESOURCE_FIELDS, &prefix, faults),
        Value::String(_) if name == "env_policy" => {}
        other => faults.push(Fault {
            name: format!("env_config.{name}"),
            value: other.clone(),
            wanted: Kind::Object.name(),
        }),
    }
}

fn article(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a mapping",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolroom_kernel::Position;

    use super::*;

    fn problems(metadata: Value) -> Vec<String> {
        let Value::Object(metadata) = metadata else {
            panic!("metadata is an object")
        };
        let mut found = Found {
            metadata,
            ..Found::default()
        };
        found
            .positions
            .insert("config".into(), Position { line: 7, column: 1 });
        check(&mut found, Path::new("x.py"));
        found
            .problems
            .into_iter()
            .map(|problem| problem.message)
            .collect()
    }

    #[test]
    fn wrong_types_are_named_with_what_was_wanted() {
        let cases = [
            (json!({"config": [1]}), "config is a list, not a mapping"),
            (
                json!({"executor_id": 3}),
                "executor_id is a number, not a text or null",
            ),
            (
                json!({"config": {"args": "x"}}),
                "config.args is a text, not a list",
            ),
            (
                json!({"config": {"timeout": 0}}),
                "config.timeout is a number, not a number of seconds above zero",
            ),
            (
                json!({"env_config": {"interpreter": "python3"}}),
                "env_config.interpreter is a text, not a mapping",
            ),
            (
                json!({"env_config": {"env": {"A": [1]}}}),
                "env_config.env.A is a list, not a text, a number, true, false or null",
            ),
        ];
        for (metadata, message) in cases {
            assert_eq!(problems(metadata), [message]);
        }
    }

    #[test]
    fn an_unquoted_version_is_taken_as_text() {
        assert!(problems(json!({"version": 1.5})).is_empty());
    }

    #[test]
    fn a_well_formed_tool_has_no_problems() {
        let metadata = json!({"version": "1.0.0", "executor_id": null, "config": {"timeout": 0.5, "env": {"N": 1}},
            "env_config": {"interpreter": {"type": "x", "var": "V", "search": [], "fallback": null}, "env": {"A": true}}});
        assert!(problems(metadata).is_empty());
    }
}

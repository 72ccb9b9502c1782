//! Checks that metadata has the types the product relies on, once, at the edge.

use serde_json::{Map, Value};
use toolroom_kernel::Position;
use toolroom_kernel::model::{Role, field};

use super::rules::{FileText, Found};
use super::{declared, locate};
use crate::problem::{Problem, ProblemKind};

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

/// Checks every field the product understands.
pub fn check(found: &mut Found, file: FileText<'_>) {
    keep_version_as_written(found, file.source);
    let mut faults = Vec::new();
    check_fields(&found.metadata, FIELDS, &[], &mut faults);
    if let Some(Value::Object(config)) = found.metadata.get(field::CONFIG) {
        check_fields(config, CONFIG_FIELDS, &[field::CONFIG], &mut faults);
        check_env(config.get("env"), field::CONFIG, &mut faults);
    }
    if let Some(Value::Object(resources)) = found.metadata.get(field::ENV_CONFIG) {
        for (name, resource) in resources {
            check_resource(name, resource, &mut faults);
        }
    }
    let place = |path: &[&str]| {
        let (field, inner) = path.split_first()?;
        let start = found.positions.get(*field)?;
        Some(locate::part(file.source, *start, inner))
    };
    let wrong_types = faults.iter().map(|fault| {
        let name = fault.path.join(".");
        let message = format!("{name} is {}, not {}", fault.found, fault.wanted);
        Problem::new(ProblemKind::WrongType, file.path, message)
            .at(place(&fault.path))
            .help(format!("write {name} as {}", fault.wanted))
    });
    let mut problems: Vec<Problem> = wrong_types.collect();
    if problems.is_empty() {
        problems.extend(bad_schemas(found, file, place));
    }
    found.problems.extend(problems);
}

/// An unquoted version is taken as text, as `version: 1.10` is what people write, and as the
/// text that is written: it is another version than 1.1.
fn keep_version_as_written(found: &mut Found, source: &str) {
    let Some(version) = found.metadata.get_mut(field::VERSION) else {
        return;
    };
    if !version.is_number() {
        return;
    }
    let at = found.positions.get(field::VERSION);
    let written = at
        .and_then(|at| locate::number(source, *at))
        .filter(|text| text.parse().ok() == version.as_f64());
    *version = match written {
        Some(text) => text.into(),
        None => version.to_string().into(),
    };
}

/// What is wrong with the schemas a tool declares. A derived one is right by itself, and what
/// a runtime says of its own configuration is never asked of a validator.
fn bad_schemas(
    found: &Found,
    file: FileText<'_>,
    place: impl Fn(&[&str]) -> Option<Position>,
) -> Vec<Problem> {
    let kind = found.metadata.get(field::TOOL_TYPE).and_then(Value::as_str);
    if kind.is_some_and(|kind| Role::of_type(kind) != Role::Tool) {
        return Vec::new();
    }
    let is_declared = |name: &&str| found.positions.contains_key(*name);
    let input = [field::INPUT_SCHEMA, field::PARAMETERS, field::CONFIG_SCHEMA]
        .into_iter()
        .find(is_declared);
    // Whichever is declared, this is the schema made of it.
    let input = input.and_then(|name| Some((name, found.metadata.get(field::INPUT_SCHEMA)?)));
    let output = Some(field::OUTPUT_SCHEMA).filter(is_declared);
    let output = output.and_then(|name| Some((name, found.metadata.get(name)?)));
    let problem = |(name, schema)| {
        let fault = declared::fault(schema)?;
        let inner = fault.path();
        let message = format!(
            "{name} is no JSON Schema: {} {}",
            inner.join("."),
            fault.reason
        );
        let problem = Problem::new(ProblemKind::BadSchema, file.path, message)
            .at(place(&[&[name], inner.as_slice()].concat()))
            .help(fault.help);
        Some(problem)
    };
    input
        .into_iter()
        .chain(output)
        .filter_map(problem)
        .collect()
}

/// A value of the wrong type.
struct Fault<'m> {
    /// The names that lead to it, a field first.
    path: Vec<&'m str>,
    found: &'static str,
    wanted: &'static str,
}

impl<'m> Fault<'m> {
    fn new(above: &[&'m str], name: &'m str, value: &Value, wanted: Kind) -> Self {
        Self {
            path: [above, &[name]].concat(),
            found: article(value),
            wanted: wanted.name(),
        }
    }
}

fn check_fields<'m>(
    map: &'m Map<String, Value>,
    kinds: &[(&str, Kind)],
    above: &[&'m str],
    faults: &mut Vec<Fault<'m>>,
) {
    for (name, value) in map {
        match kinds.iter().find(|(known, _)| known == name) {
            Some((_, kind)) if !kind.accepts(value) => {
                faults.push(Fault::new(above, name, value, *kind));
            }
            _ => {}
        }
    }
}

fn check_env<'m>(env: Option<&'m Value>, field: &'m str, faults: &mut Vec<Fault<'m>>) {
    let Some(Value::Object(env)) = env else {
        return;
    };
    for (name, value) in env {
        if !Kind::Scalar.accepts(value) {
            faults.push(Fault::new(&[field, "env"], name, value, Kind::Scalar));
        }
    }
}

fn check_resource<'m>(name: &'m str, resource: &'m Value, faults: &mut Vec<Fault<'m>>) {
    match resource {
        Value::Object(_) if name == "env" => check_env(Some(resource), field::ENV_CONFIG, faults),
        Value::Object(settings) => {
            check_fields(
                settings,
                RESOURCE_FIELDS,
                &[field::ENV_CONFIG, name],
                faults,
            );
        }
        Value::String(_) if name == "env_policy" => {}
        other => faults.push(Fault::new(&[field::ENV_CONFIG], name, other, Kind::Object)),
    }
}

pub(super) fn article(value: &Value) -> &'static str {
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
    use std::path::Path;

    use serde_json::json;
    use toolroom_kernel::model::ToolId;

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
        let id = ToolId::parse("x").unwrap();
        let path = Path::new("x.py");
        let source = "";
        check(
            &mut found,
            FileText {
                id: &id,
                path,
                source,
            },
        );
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

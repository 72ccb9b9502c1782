//! What a tool asks for itself: its PEP 723 block and its `requires`.
//!
//! Both arrive as JSON from the catalog, which knows their syntax; this knows their meaning.

use serde_json::Value;

use super::model::{Context, InterpreterLimit, Origin, Parsed, Requirement, Requirements, Role};
use super::node_spec::NodeSpec;
use super::problem::{Problem, ProblemKind};
use super::{Format, requirements_txt};

/// Reads the `script` block of a tool: `dependencies` and `requires-python`.
#[must_use]
pub fn script(block: &Value, origin: &Origin, context: &Context<'_>) -> Requirements {
    let mut found = Requirements::default();
    match block.get("dependencies") {
        None => {}
        Some(Value::Array(items)) => {
            for item in items {
                found.merge(python(item, origin, context));
            }
        }
        Some(_) => found
            .problems
            .push(shape(origin, "dependencies", "a list of strings")),
    }
    match block.get("requires-python") {
        None => {}
        Some(Value::String(spec)) => found.interpreter.push(InterpreterLimit {
            spec: spec.clone(),
            origin: origin.clone(),
        }),
        Some(_) => found
            .problems
            .push(shape(origin, "requires-python", "a string")),
    }
    found
}

/// Reads `requires`: a list of requirements, or a mapping from name to range, in the
/// notation of `format`'s ecosystem. The keys `presets` and `tools` name no packages.
#[must_use]
pub fn requires(
    value: &Value,
    format: Format,
    origin: &Origin,
    context: &Context<'_>,
) -> Requirements {
    let mut found = Requirements::default();
    match value {
        Value::Null => {}
        Value::String(_) => found.merge(one(value, format, origin, context)),
        Value::Array(items) => {
            for item in items {
                found.merge(one(item, format, origin, context));
            }
        }
        Value::Object(entries) => {
            for (name, range) in entries {
                match (name.as_str(), range) {
                    ("presets" | "tools", _) => {}
                    ("packages" | "dependencies", Value::Array(_) | Value::Object(_)) => {
                        found.merge(requires_flat(range, format, origin, context));
                    }
                    _ => found.merge(pair(name, range, format, origin, context)),
                }
            }
        }
        _ => found
            .problems
            .push(shape(origin, "requires", "a list or a mapping")),
    }
    found
}

/// One level of `requires`, so that nesting cannot go on.
fn requires_flat(
    value: &Value,
    format: Format,
    origin: &Origin,
    context: &Context<'_>,
) -> Requirements {
    let mut found = Requirements::default();
    match value {
        Value::Object(entries) => {
            for (name, range) in entries {
                found.merge(pair(name, range, format, origin, context));
            }
        }
        Value::Array(items) => {
            for item in items {
                found.merge(one(item, format, origin, context));
            }
        }
        _ => {}
    }
    found
}

fn one(item: &Value, format: Format, origin: &Origin, context: &Context<'_>) -> Requirements {
    match (format, item) {
        (Format::RequirementsTxt | Format::Pyproject | Format::UvLock, _) => {
            python(item, origin, context)
        }
        (Format::PackageJson, Value::String(text)) => {
            let at = text.char_indices().skip(1).find(|(_, c)| *c == '@');
            let (name, range) = match at {
                Some((at, _)) => (&text[..at], &text[at + 1..]),
                None => (text.as_str(), ""),
            };
            node(name, range, origin)
        }
        (Format::Gemfile | Format::GoMod, Value::String(text)) => plain(text, origin),
        _ => failed(shape(origin, "requires", "a list of strings")),
    }
}

fn pair(
    name: &str,
    range: &Value,
    format: Format,
    origin: &Origin,
    context: &Context<'_>,
) -> Requirements {
    let range = match range {
        Value::Null => "",
        Value::String(range) => range.trim(),
        _ => return failed(shape(origin, name, "a version range")),
    };
    match format {
        Format::PackageJson => node(name, range, origin),
        Format::Gemfile | Format::GoMod => plain(format!("{name} {range}").trim(), origin),
        Format::RequirementsTxt | Format::Pyproject | Format::UvLock => {
            let text = match range.chars().next() {
                None | Some('*') => name.to_owned(),
                Some('<' | '>' | '=' | '!' | '~' | '@' | '[' | '(' | ';') => {
                    format!("{name}{range}")
                }
                // A bare version is an exact one.
                Some(_) => format!("{name}=={range}"),
            };
            python(&Value::String(text), origin, context)
        }
    }
}

fn python(item: &Value, origin: &Origin, context: &Context<'_>) -> Requirements {
    match item {
        Value::String(text) => requirements_txt::line(text.trim(), origin, Role::Required, context),
        _ => failed(shape(origin, "dependencies", "a list of strings")),
    }
}

fn node(name: &str, range: &str, origin: &Origin) -> Requirements {
    let mut found = Requirements::default();
    found.items.push(Requirement {
        name: name.to_owned(),
        spec: range.to_owned(),
        text: if range.is_empty() {
            name.to_owned()
        } else {
            format!("{name}@{range}")
        },
        origin: origin.clone(),
        role: Role::Required,
        parsed: Parsed::Node(NodeSpec::parse(range)),
    });
    found
}

fn plain(text: &str, origin: &Origin) -> Requirements {
    let (name, spec) = text.split_once([' ', '@']).unwrap_or((text, ""));
    let mut found = Requirements::default();
    found.items.push(Requirement {
        name: name.to_owned(),
        spec: spec.trim().to_owned(),
        text: text.to_owned(),
        origin: origin.clone(),
        role: Role::Required,
        parsed: Parsed::Text,
    });
    found
}

fn shape(origin: &Origin, key: &str, expected: &'static str) -> Problem {
    let key = key.to_owned();
    Problem::new(origin.clone(), ProblemKind::Shape { key, expected })
}

fn failed(problem: Problem) -> Requirements {
    Requirements {
        problems: vec![problem],
        ..Requirements::default()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;
    use toolroom_kernel::model::Environ;

    use super::super::model::Selection;
    use super::*;

    fn with_context<T>(f: impl FnOnce(&Context<'_>) -> T) -> T {
        let env = Environ::new();
        f(&Context {
            working_directory: Path::new("/work"),
            env: &env,
            selection: Selection::default(),
        })
    }

    #[test]
    fn a_script_block_gives_dependencies_and_a_python() {
        let block = json!({"requires-python": ">=3.9", "dependencies": ["rich>=13", "foo_>=1", 7]});
        let origin = Origin::at(Path::new("tool.py"), 1);
        let found = with_context(|context| script(&block, &origin, context));
        assert_eq!(found.items[0].text, "rich>=13");
        assert_eq!(found.interpreter[0].spec, ">=3.9");
        assert_eq!(found.problems.len(), 2);
    }

    #[test]
    fn requires_may_be_a_list_or_a_mapping() {
        let cases = [
            (json!(["rich>=13", "six"]), vec!["rich>=13", "six"]),
            (
                json!({"rich": ">=13", "six": "1.16", "attrs": "*"}),
                vec!["rich>=13", "six==1.16", "attrs"],
            ),
            (json!({"packages": ["six"], "presets": ["x"]}), vec!["six"]),
            (json!("six"), vec!["six"]),
            (json!(null), vec![]),
        ];
        let origin = Origin::file(Path::new("tool.py"));
        for (value, expected) in cases {
            let found = with_context(|c| requires(&value, Format::RequirementsTxt, &origin, c));
            let texts: Vec<_> = found.items.iter().map(|item| item.text.as_str()).collect();
            assert_eq!(texts, expected, "{value}");
            assert_eq!(found.problems, []);
        }
    }

    #[test]
    fn requires_speaks_the_notation_of_its_ecosystem() {
        let origin = Origin::file(Path::new("tool.js"));
        let value = json!(["@scope/a@^1.2", "left-pad"]);
        let found = with_context(|c| requires(&value, Format::PackageJson, &origin, c));
        assert_eq!(found.items[0].name, "@scope/a");
        assert_eq!(found.items[0].spec, "^1.2");
        assert_eq!(found.items[1].spec, "");
    }
}

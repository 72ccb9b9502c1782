//! The reader as its callers see it.

mod functions;
mod heading;
mod hostile;
mod types;
mod variables;

use serde_json::Value;

use super::{Dialect, read};
use crate::extract::document::{Document, Function, Variable, Wanted};

fn wanting(variables: &[&str], functions: &[&str]) -> Wanted {
    let owned = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    Wanted {
        variables: owned(variables),
        functions: owned(functions),
    }
}

fn js(source: &str) -> Document {
    read(
        source,
        Dialect::JavaScript,
        &wanting(&["NAME"], &["main", "default"]),
    )
}

fn ts(source: &str) -> Document {
    read(
        source,
        Dialect::TypeScript,
        &wanting(&["NAME"], &["main", "default"]),
    )
}

/// The value of `NAME`.
#[track_caller]
fn value(document: &Document) -> Value {
    match document.variables.get("NAME") {
        Some(Variable::Literal(found)) => found.value.clone(),
        other => panic!("NAME is {other:?}"),
    }
}

/// Why `NAME` has no value.
#[track_caller]
fn reason(document: &Document) -> String {
    match document.variables.get("NAME") {
        Some(Variable::NotLiteral(found)) => found.value.clone(),
        other => panic!("NAME is {other:?}"),
    }
}

#[track_caller]
fn main_of(mut document: Document) -> Function {
    assert_eq!(document.faults, []);
    document.functions.remove("main").expect("a main")
}

/// The parameters as the schema builder would see them, in short.
fn told(function: &Function) -> Vec<(String, Value, bool)> {
    let one = |parameter: &crate::extract::document::Parameter| {
        let mut schema = parameter.schema.clone();
        if let Some(text) = &parameter.description {
            schema.insert("description".into(), text.as_str().into());
        }
        if let Some(default) = &parameter.default {
            schema.insert("default".into(), default.clone());
        }
        (
            parameter.name.clone(),
            Value::Object(schema),
            parameter.required,
        )
    };
    function.parameters.iter().map(one).collect()
}

//! What the reader promises, as its callers see it.

mod documentation;
mod hostile;
mod literals;
mod signatures;

use serde_json::Value;

use super::read;
use crate::extract::document::{Document, Function, Parameter, Variable, Wanted};

/// What puts one expression inside another, over and over.
pub(super) const NESTING: [&str; 28] = [
    "(",
    "[",
    "{",
    "f(",
    "a[",
    "-",
    "not ",
    "await ",
    "lambda: ",
    "lambda x, y: ",
    "1 if 1 else ",
    "1+",
    "1**",
    "a.",
    "f().",
    "yield a, ",
    "1+(",
    "async ",
    "{1:",
    "f'{",
    "[#]\n",
    "['[',\n",
    "(],",
    "1jif 1jelse ",
    "0xfif 1else ",
    "~",
    "x[0][",
    "f'{x:{",
];

/// Reads with the names most tests use.
fn document(source: &str) -> Document {
    let wanted = Wanted {
        variables: ["X", "Y", "CONFIG", "__version__"]
            .map(String::from)
            .to_vec(),
        functions: ["main", "execute"].map(String::from).to_vec(),
    };
    read(source, &wanted)
}

/// The literal `X` is, or the reason why it is none.
fn x(source: &str) -> Result<Value, String> {
    match document(source).variables.remove("X") {
        Some(Variable::Literal(found)) => Ok(found.value),
        Some(Variable::NotLiteral(found)) => Err(found.value),
        None => Err("absent".to_owned()),
    }
}

fn main_of(source: &str) -> Function {
    let mut found = document(source);
    assert_eq!(found.faults, [], "{source}");
    found.functions.remove("main").expect("has a main function")
}

/// The only parameter of `main`.
fn parameter(source: &str) -> Parameter {
    let mut parameters = main_of(source).parameters;
    assert_eq!(parameters.len(), 1, "{source}");
    parameters.remove(0)
}

//! The types a file may name without declaring them, as code and as comments spell them.
//!
//! A table and nothing else; a name that is not in it means anything at all.

use std::rc::Rc;

use super::types::{Shape, Type};

/// The format of types that travel as text.
pub(super) fn text_format(name: &str) -> Option<&'static str> {
    match name {
        "Date" => Some("date-time"),
        "URL" => Some("uri"),
        _ => None,
    }
}

/// What a well-known name stands for.
pub(super) fn builtin(name: &str, arguments: &[Type]) -> Option<Type> {
    let argument = |index: usize| arguments.get(index).cloned().unwrap_or(Type::Any);
    Some(match name {
        "String" | "RegExp" => Type::Plain("string"),
        "Number" | "float" | "double" => Type::Plain("number"),
        "Boolean" | "bool" => Type::Plain("boolean"),
        "integer" | "Integer" | "int" | "bigint" | "BigInt" => Type::Plain("integer"),
        "Array" | "array" | "ReadonlyArray" | "Iterable" => Type::Array(Rc::new(argument(0))),
        "Object" | "object" | "Record" if arguments.len() == 2 => Type::Object(Shape {
            members: Vec::new(),
            rest: Some(Rc::new(argument(1))),
        }),
        "Object" | "object" | "Record" => Type::Plain("object"),
        "Promise" | "PromiseLike" | "Awaited" | "NonNullable" => argument(0),
        "Null" => Type::Null,
        "Undefined" => Type::Undefined,
        _ => return None,
    })
}

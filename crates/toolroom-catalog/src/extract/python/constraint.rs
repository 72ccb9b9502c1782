//! Reads what stands beside a type: `Annotated` metadata and `Field(…)`-like defaults.
//!
//! Anything called with the well-known keywords counts, whichever package it is from, as long
//! as the arguments are literals. Everything else is passed over in silence.

use ruff_python_ast::{Expr, ExprCall};
use ruff_text_size::TextSize;
use serde_json::Value;

use super::annotation::Schema;
use super::literal;
use super::scope::Scope;

/// The value a `Field(…)`-like call gives where none is passed.
pub(super) enum FieldDefault {
    /// There is none: a value must be passed.
    Required,
    Literal(Value),
    /// Made when it is needed, such as `default_factory=list`.
    Unknown,
}

/// A schema with what the metadata of `Annotated[…]` adds to it.
pub(super) fn apply_metadata(scope: &Scope<'_>, mut schema: Schema, metadata: &[Expr]) -> Schema {
    for item in metadata {
        match item {
            Expr::StringLiteral(text) => describe(&mut schema, text.value.to_str()),
            Expr::Call(call) => apply_call(scope, &mut schema, call),
            _ => {}
        }
    }
    schema
}

/// Whether a default is a `Field(…)`-like call, which speaks about a value and is none.
pub(super) fn as_field(default: &Expr) -> Option<&ExprCall> {
    const FIELDS: [&str; 11] = [
        "Field",
        "field",
        "Option",
        "Argument",
        "Query",
        "Body",
        "Form",
        "Param",
        "Parameter",
        "attrib",
        "ib",
    ];
    let Expr::Call(call) = default else {
        return None;
    };
    FIELDS.contains(&called(call)).then_some(call)
}

/// Adds what a `Field(…)`-like call says to the schema, and gives its default.
pub(super) fn apply_field(scope: &Scope<'_>, schema: &mut Schema, call: &ExprCall) -> FieldDefault {
    apply_call(scope, schema, call);
    let keyword = |name: &str| call.arguments.find_keyword(name).map(|found| &found.value);
    if keyword("default_factory").or(keyword("factory")).is_some() {
        return FieldDefault::Unknown;
    }
    match keyword("default").or_else(|| call.arguments.args.first()) {
        None | Some(Expr::EllipsisLiteral(_)) => FieldDefault::Required,
        Some(value) => evaluate(scope, value).map_or(FieldDefault::Unknown, FieldDefault::Literal),
    }
}

fn called(call: &ExprCall) -> &str {
    match &*call.func {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => "",
    }
}

/// The value of an expression after the whole module has run.
pub(super) fn evaluate(scope: &Scope<'_>, expression: &Expr) -> Option<Value> {
    let end_of_file = TextSize::new(u32::MAX);
    literal::evaluate(expression, scope, end_of_file).ok()
}

fn apply_call(scope: &Scope<'_>, schema: &mut Schema, call: &ExprCall) {
    let positional = match called(call) {
        "Ge" => Some("ge"),
        "Gt" => Some("gt"),
        "Le" => Some("le"),
        "Lt" => Some("lt"),
        "MinLen" => Some("min_length"),
        "MaxLen" => Some("max_length"),
        "Doc" => Some("description"),
        _ => None,
    };
    if let (Some(name), Some(value)) = (positional, call.arguments.args.first())
        && let Some(value) = evaluate(scope, value)
    {
        constrain(schema, name, value);
    }
    for keyword in &call.arguments.keywords {
        if let Some(name) = &keyword.arg
            && is_known(name.as_str())
            && let Some(value) = evaluate(scope, &keyword.value)
        {
            constrain(schema, name.as_str(), value);
        }
    }
}

fn describe(schema: &mut Schema, text: &str) {
    let text = text.trim();
    if !text.is_empty() {
        schema.insert("description".to_owned(), Value::from(text));
    }
}

fn is_known(name: &str) -> bool {
    matches!(
        name,
        "description"
            | "help"
            | "title"
            | "ge"
            | "min"
            | "le"
            | "max"
            | "gt"
            | "lt"
            | "multiple_of"
            | "pattern"
            | "regex"
            | "examples"
            | "min_length"
            | "min_items"
            | "max_length"
            | "max_items"
    )
}

fn constrain(schema: &mut Schema, name: &str, value: Value) {
    let is_array = schema.get("type").and_then(Value::as_str) == Some("array");
    let is_object = schema.get("type").and_then(Value::as_str) == Some("object");
    let key = match (name, &value) {
        ("description" | "help", Value::String(text)) => return describe(schema, text),
        ("title", Value::String(_)) => "title",
        ("ge" | "min", Value::Number(_)) => "minimum",
        ("le" | "max", Value::Number(_)) => "maximum",
        ("gt", Value::Number(_)) => "exclusiveMinimum",
        ("lt", Value::Number(_)) => "exclusiveMaximum",
        ("multiple_of", Value::Number(_)) => "multipleOf",
        ("pattern" | "regex", Value::String(_)) => "pattern",
        ("examples", Value::Array(_)) => "examples",
        ("min_length" | "min_items", Value::Number(_)) if is_array => "minItems",
        ("max_length" | "max_items", Value::Number(_)) if is_array => "maxItems",
        ("min_length", Value::Number(_)) if is_object => "minProperties",
        ("max_length", Value::Number(_)) if is_object => "maxProperties",
        ("min_length", Value::Number(_)) => "minLength",
        ("max_length", Value::Number(_)) => "maxLength",
        _ => return,
    };
    schema.insert(key.to_owned(), value);
}

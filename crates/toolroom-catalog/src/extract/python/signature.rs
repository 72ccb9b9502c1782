//! Reads a function's face: its parameters, what is said of them, and what it returns.
//!
//! Brings the signature, the annotations and the docstring together; where two of them speak,
//! the one closer to the parameter is heard. Does not look into the function's body.

use ruff_python_ast::{Expr, ExprStringLiteral, ParameterWithDefault, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;
use serde_json::Value;
use toolroom_kernel::Position;

use super::annotation::{Annotations, Schema};
use super::constraint::{self, FieldDefault};
use super::docstring::{self, Described, Documentation};
use super::scope::Scope;
use super::{classes, literal, wording};
use crate::extract::document::{Function, Parameter};

/// The string a body begins with.
pub(super) fn docstring(body: &[Stmt]) -> Option<&ExprStringLiteral> {
    match body.first()? {
        Stmt::Expr(statement) => statement.value.as_string_literal_expr(),
        _ => None,
    }
}

/// The face of a function of this module.
pub(super) fn read(definition: &StmtFunctionDef, scope: &Scope<'_>, source: &str) -> Function {
    let documentation = docstring(&definition.body)
        .map(|text| docstring::clean(text.value.to_str()))
        .unwrap_or_default();
    let documentation = docstring::parse(&documentation);
    let mut annotations = Annotations::new(scope);
    let parameters = definition
        .parameters
        .iter_non_variadic_params()
        .map(|declared| parameter(&mut annotations, definition, declared, &documentation))
        .collect();
    let returns = definition
        .returns
        .as_ref()
        .map(|returned| annotations.schema(returned))
        .filter(is_informative)
        .map(Value::Object);
    Function {
        at: Position::at_offset(source, definition.name.start().to_usize()),
        summary: documentation.summary,
        parameters,
        in_order: false,
        open: definition.parameters.kwarg.is_some(),
        returns,
    }
}

fn parameter(
    annotations: &mut Annotations<'_, '_>,
    definition: &StmtFunctionDef,
    declared: &ParameterWithDefault,
    documentation: &Documentation<'_>,
) -> Parameter {
    let name = declared.parameter.name.as_str();
    let described = documentation.parameters.get(name);
    let (mut schema, is_typed) = match (&declared.parameter.annotation, described) {
        (Some(annotation), _) => (annotations.schema(annotation), true),
        (
            None,
            Some(Described {
                kind: Some(kind), ..
            }),
        ) => (wording::schema(annotations, kind), true),
        (None, _) => (Schema::new(), false),
    };
    let default = default(annotations, definition, declared.default(), &mut schema);
    // A member of an enumeration is written as its value, and is not of that value's type.
    let is_member = matches!(declared.default(), Some(Expr::Attribute(_)));
    if let FieldDefault::Literal(value) = &default
        && !is_typed
        && !is_member
        && let Some(kind) = type_of(value)
    {
        schema.insert("type".to_owned(), kind.into());
    }
    let near = match schema.shift_remove("description") {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    Parameter {
        name: name.to_owned(),
        schema,
        description: near.or_else(|| described?.text()),
        required: matches!(default, FieldDefault::Required),
        default: match default {
            FieldDefault::Literal(value) => Some(value),
            FieldDefault::Required | FieldDefault::Unknown => None,
        },
    }
}

fn default(
    annotations: &Annotations<'_, '_>,
    definition: &StmtFunctionDef,
    default: Option<&Expr>,
    schema: &mut Schema,
) -> FieldDefault {
    let scope = annotations.scope;
    let Some(value) = default else {
        return FieldDefault::Required;
    };
    if let Some(call) = constraint::as_field(value) {
        return constraint::apply_field(scope, schema, call);
    }
    let found = match value {
        Expr::Attribute(member) => classes::member(scope, member),
        _ => literal::evaluate(value, scope, definition.start()).ok(),
    };
    found.map_or(FieldDefault::Unknown, FieldDefault::Literal)
}

/// The type that a default gives a parameter of which nothing else is said; None says that
/// there may be none, and not what else.
fn type_of(default: &Value) -> Option<&'static str> {
    Some(match default {
        Value::Null => return None,
        Value::String(_) => "string",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    })
}

/// Whether a schema says more than "some object", "nothing" or "anything".
fn is_informative(schema: &Schema) -> bool {
    let is_vague = |name: &Value| matches!(name.as_str(), Some("object" | "null"));
    match schema.get("type") {
        Some(Value::Array(types)) if schema.len() == 1 => !types.iter().all(is_vague),
        Some(name) if schema.len() == 1 => !is_vague(name),
        _ => !schema.is_empty(),
    }
}

//! Describes a module's own classes: enumerations, typed dictionaries and records.
//!
//! Only what a class body spells out counts; a class of any other kind has the empty schema.
//! Inheritance within the file is followed, a class within itself is a plain object.

use std::borrow::Cow;

use ruff_python_ast::{Expr, ExprAttribute, ExprCall, Stmt, StmtAnnAssign, StmtClassDef};
use ruff_text_size::Ranged;
use serde_json::{Map, Value};

use super::annotation::{Annotations, Schema, choice, typed};
use super::constraint::{self, FieldDefault};
use super::scope::{Bound, Scope};
use super::{docstring, literal, signature};

/// How far inheritance is followed.
const MAX_ANCESTORS: usize = 8;

enum Kind<'a> {
    Enumeration,
    /// A class whose annotated attributes are its fields.
    Record,
    TypedDict,
    /// A subclass of something with a schema of its own, such as `str`.
    Derived(&'a Expr),
    Other,
}

/// The schema of a class of this module.
pub(super) fn schema<'a>(annotations: &mut Annotations<'_, 'a>, class: &'a StmtClassDef) -> Schema {
    let name = class.name.as_str();
    if annotations.open.contains(&name) {
        return typed("object");
    }
    annotations.open.push(name);
    let schema = match kind(annotations.scope, class, 0) {
        Kind::Enumeration => members(annotations.scope, class)
            .map(|members| choice(members.into_iter().map(|(_, value)| value).collect()))
            .unwrap_or_default(),
        Kind::Record | Kind::TypedDict => record(annotations, class),
        Kind::Derived(base) => annotations.schema(base),
        Kind::Other => Schema::new(),
    };
    annotations.open.pop();
    schema
}

/// The value of `Color.RED` or `Color.RED.value`.
pub(super) fn member(scope: &Scope<'_>, attribute: &ExprAttribute) -> Option<Value> {
    let attribute = match &*attribute.value {
        Expr::Attribute(inner) if attribute.attr.as_str() == "value" => inner,
        _ => attribute,
    };
    let Expr::Name(class) = &*attribute.value else {
        return None;
    };
    let Bound::Class(class) = scope.last(class.id.as_str())?.bound else {
        return None;
    };
    if !matches!(kind(scope, class, 0), Kind::Enumeration) {
        return None;
    }
    members(scope, class)?
        .into_iter()
        .find_map(|(name, value)| (name == attribute.attr.as_str()).then_some(value))
}

fn bases(class: &StmtClassDef) -> &[Expr] {
    class
        .arguments
        .as_ref()
        .map_or(&[], |arguments| &arguments.args)
}

fn last_name<'a>(scope: &Scope<'a>, expression: &'a Expr) -> &'a str {
    match expression {
        Expr::Name(name) => match scope.last(name.id.as_str()).map(|found| found.bound) {
            Some(Bound::Imported(original)) => original,
            _ => name.id.as_str(),
        },
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        Expr::Call(call) => last_name(scope, &call.func),
        Expr::Subscript(generic) => last_name(scope, &generic.value),
        _ => "",
    }
}

fn own_class<'a>(scope: &Scope<'a>, expression: &Expr) -> Option<&'a StmtClassDef> {
    let Expr::Name(name) = expression else {
        return None;
    };
    match scope.last(name.id.as_str())?.bound {
        Bound::Class(class) => Some(class),
        _ => None,
    }
}

fn kind<'a>(scope: &Scope<'a>, class: &'a StmtClassDef, ancestors: usize) -> Kind<'a> {
    let is_record = class.decorator_list.iter().any(|decorator| {
        matches!(
            last_name(scope, &decorator.expression),
            "dataclass" | "define" | "frozen" | "mutable" | "attrs"
        )
    });
    if is_record {
        return Kind::Record;
    }
    let mut kind_of_base = Kind::Other;
    for base in bases(class) {
        if let Some(parent) = own_class(scope, base) {
            if ancestors < MAX_ANCESTORS && scope.pay(0) {
                match kind(scope, parent, ancestors + 1) {
                    Kind::Other => {}
                    inherited => return inherited,
                }
            }
            continue;
        }
        match last_name(scope, base) {
            name if name.ends_with("Enum") => return Kind::Enumeration,
            "TypedDict" => return Kind::TypedDict,
            name if name.ends_with("Model") => return Kind::Record,
            "NamedTuple" | "Struct" | "BaseSettings" => return Kind::Record,
            "object" | "Generic" | "Protocol" | "ABC" => {}
            _ => kind_of_base = Kind::Derived(base),
        }
    }
    kind_of_base
}

/// The members of an enumeration, where all of them are literals.
fn members<'a>(scope: &Scope<'a>, class: &'a StmtClassDef) -> Option<Vec<(&'a str, Value)>> {
    let is_text = bases(class)
        .iter()
        .any(|base| last_name(scope, base) == "StrEnum");
    let mut members: Vec<(&str, Value)> = Vec::new();
    for statement in &class.body {
        let (target, value) = match statement {
            Stmt::Assign(assign) => (assign.targets.first()?, Some(&assign.value)),
            Stmt::AnnAssign(assign) => (&*assign.target, assign.value.as_ref()),
            _ => continue,
        };
        let (Expr::Name(name), Some(value)) = (target, value) else {
            continue;
        };
        let name = name.id.as_str();
        if name.starts_with('_') {
            continue;
        }
        let value = match &**value {
            Expr::Call(_) if last_name(scope, value) == "auto" => {
                automatic(name, members.last().map(|(_, last)| last), is_text)?
            }
            value => literal::evaluate(value, scope, class.start()).ok()?,
        };
        members.push((name, value));
    }
    Some(members)
}

/// What `auto()` stands for.
fn automatic(name: &str, last: Option<&Value>, is_text: bool) -> Option<Value> {
    if is_text {
        return Some(Value::from(name.to_lowercase()));
    }
    let last = last.map_or(Some(0), Value::as_i64)?;
    last.checked_add(1).map(Value::from)
}

#[derive(Default)]
struct Fields {
    properties: Map<String, Value>,
    required: Vec<String>,
}

fn record<'a>(annotations: &mut Annotations<'_, 'a>, class: &'a StmtClassDef) -> Schema {
    let mut fields = Fields::default();
    collect(annotations, class, &mut fields, 0);
    let mut schema = typed("object");
    if !fields.properties.is_empty() {
        schema.insert("properties".to_owned(), Value::Object(fields.properties));
    }
    if !fields.required.is_empty() {
        schema.insert("required".to_owned(), Value::from(fields.required));
    }
    schema
}

/// The fields of a class, after those of its parents.
fn collect<'a>(
    annotations: &mut Annotations<'_, 'a>,
    class: &'a StmtClassDef,
    fields: &mut Fields,
    ancestors: usize,
) {
    for base in bases(class) {
        if let Some(parent) = own_class(annotations.scope, base)
            && ancestors < MAX_ANCESTORS
            && annotations.scope.pay(0)
        {
            collect(annotations, parent, fields, ancestors + 1);
        }
    }
    let documentation = documentation(annotations.scope, class);
    let documentation = docstring::parse(&documentation);
    let is_total = !class
        .arguments
        .as_ref()
        .and_then(|arguments| arguments.find_keyword("total"))
        .is_some_and(|total| matches!(&total.value, Expr::BooleanLiteral(value) if !value.value));
    for (index, statement) in class.body.iter().enumerate() {
        let Stmt::AnnAssign(field) = statement else {
            continue;
        };
        let below = class.body.get(index + 1).map(std::slice::from_ref);
        let text = below.and_then(signature::docstring);
        add(annotations, class, field, fields, is_total);
        let Expr::Name(name) = &*field.target else {
            continue;
        };
        let described = documentation.parameters.get(name.id.as_str());
        let text = text
            .map(|text| docstring::clean(text.value.to_str()).into_owned())
            .or_else(|| described?.text());
        if let (Some(text), Some(Value::Object(property))) =
            (text, fields.properties.get_mut(name.id.as_str()))
            && annotations.scope.pay(text.len())
        {
            property.entry("description").or_insert(Value::from(text));
        }
    }
}

fn documentation<'a>(scope: &Scope<'_>, class: &'a StmtClassDef) -> Cow<'a, str> {
    match signature::docstring(&class.body) {
        Some(text) if scope.pay(text.value.len()) => docstring::clean(text.value.to_str()),
        _ => Cow::Borrowed(""),
    }
}

fn add<'a>(
    annotations: &mut Annotations<'_, 'a>,
    class: &'a StmtClassDef,
    field: &'a StmtAnnAssign,
    fields: &mut Fields,
    is_total: bool,
) {
    let Expr::Name(name) = &*field.target else {
        return;
    };
    let name = name.id.as_str();
    let scope = annotations.scope;
    let marker = match &*field.annotation {
        Expr::Subscript(subscript) => last_name(scope, &subscript.value),
        other => last_name(scope, other),
    };
    let call = field.value.as_deref().and_then(constraint::as_field);
    if name.starts_with('_') || marker == "ClassVar" || call.is_some_and(is_internal) {
        return;
    }
    let mut schema = annotations.schema(&field.annotation);
    let default = match (call, field.value.as_deref()) {
        (Some(call), _) => constraint::apply_field(scope, &mut schema, call),
        (None, None) => FieldDefault::Required,
        (None, Some(value)) => default(annotations, class, value),
    };
    let is_required = match marker {
        "Required" => true,
        "NotRequired" => false,
        _ => is_total && matches!(default, FieldDefault::Required),
    };
    if let FieldDefault::Literal(value) = default {
        schema.insert("default".to_owned(), value);
    }
    fields.required.retain(|known| known != name);
    if is_required {
        fields.required.push(name.to_owned());
    }
    fields
        .properties
        .insert(name.to_owned(), Value::Object(schema));
}

fn default(annotations: &Annotations<'_, '_>, class: &StmtClassDef, value: &Expr) -> FieldDefault {
    let found = match value {
        Expr::Attribute(member) => self::member(annotations.scope, member),
        _ => literal::evaluate(value, annotations.scope, class.start()).ok(),
    };
    found.map_or(FieldDefault::Unknown, FieldDefault::Literal)
}

/// A field its class fills in itself.
fn is_internal(call: &ExprCall) -> bool {
    call.arguments
        .find_keyword("init")
        .is_some_and(|init| matches!(&init.value, Expr::BooleanLiteral(value) if !value.value))
}

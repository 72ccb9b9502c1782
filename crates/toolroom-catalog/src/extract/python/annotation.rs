//! Turns type annotations into JSON Schema.
//!
//! Follows aliases, quoted annotations and the classes of the same file. What it does not know
//! becomes the empty schema, never a wrong one. Must not know functions or documentation.

use ruff_python_ast::{Expr, ExprBinOp, ExprCall, ExprSubscript, Mod, Operator};
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::TextSize;
use serde_json::{Map, Value, json};

use super::scope::{Bound, Scope};
use super::{classes, constraint, literal, nesting};

pub(super) type Schema = Map<String, Value>;

/// Types nest a few levels; deeper ones are cut off with the empty schema.
const MAX_DEPTH: usize = 24;
/// A union of more types than this says nothing to a reader: it becomes the empty schema.
const MAX_ALTERNATIVES: usize = 64;
/// What a schema costs the file's share, in bytes: more than its text, for it is also compared.
const SCHEMA_COST: usize = 1024;

/// Reads annotations of one module.
pub(super) struct Annotations<'s, 'a> {
    pub(super) scope: &'s Scope<'a>,
    /// The classes being described, to end at one that contains itself.
    pub(super) open: Vec<&'a str>,
    depth: usize,
}

/// The schema of one type.
pub(super) fn typed(name: &str) -> Schema {
    // What is said of a parameter besides its type is often a text and a default.
    let mut schema = Schema::with_capacity(3);
    schema.insert("type".to_owned(), Value::from(name));
    schema
}

fn with(mut schema: Schema, key: &str, value: impl Into<Value>) -> Schema {
    schema.insert(key.to_owned(), value.into());
    schema
}

impl<'s, 'a> Annotations<'s, 'a> {
    pub(super) fn new(scope: &'s Scope<'a>) -> Self {
        Self {
            scope,
            open: Vec::new(),
            depth: 0,
        }
    }

    /// The schema an annotation says; may carry a `description`.
    pub(super) fn schema(&mut self, annotation: &Expr) -> Schema {
        if self.depth >= MAX_DEPTH || !self.scope.pay(SCHEMA_COST) {
            return Schema::new();
        }
        self.depth += 1;
        let schema = match annotation {
            Expr::Name(name) => self.named(name.id.as_str()),
            Expr::Attribute(attribute) => builtin(attribute.attr.as_str()),
            Expr::NoneLiteral(_) => typed("null"),
            Expr::StringLiteral(text) => self.quoted(text.value.to_str()),
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::BinOp(either) if either.op == Operator::BitOr => self.either(either),
            Expr::Call(call) => self.new_type(call),
            _ => Schema::new(),
        };
        self.depth -= 1;
        schema
    }

    /// The schema of a type written as text: a quoted annotation, or a docstring's.
    pub(super) fn quoted(&mut self, text: &str) -> Schema {
        let is_affordable = self.scope.pay(text.len());
        if !is_affordable || nesting::too_deep_at(text).is_some() {
            return Schema::new();
        }
        let parsed = parse_unchecked(text, ParseOptions::from(Mode::ParenthesizedExpression));
        match parsed.has_valid_syntax().then(|| parsed.syntax()) {
            Some(Mod::Expression(annotation)) => self.schema(&annotation.body),
            _ => Schema::new(),
        }
    }

    /// The file's own classes and aliases come before what a name usually means.
    fn named(&mut self, name: &str) -> Schema {
        match self.scope.last(name).map(|binding| binding.bound) {
            Some(Bound::Class(class)) => classes::schema(self, class),
            Some(Bound::Alias(value) | Bound::Value(value)) => self.schema(value),
            Some(Bound::Imported(original)) => builtin(original),
            Some(Bound::Function(_) | Bound::Unknown(_) | Bound::Changed) => Schema::new(),
            None => builtin(name),
        }
    }

    /// What a name in front of brackets is called where it comes from.
    fn constructor<'e>(&self, expression: &'e Expr) -> Option<&'e str>
    where
        'a: 'e,
    {
        match expression {
            Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
            Expr::Name(name) => match self.scope.last(name.id.as_str()).map(|found| found.bound) {
                None => Some(name.id.as_str()),
                Some(Bound::Imported(original)) => Some(original),
                Some(_) => None,
            },
            _ => None,
        }
    }

    fn subscript(&mut self, subscript: &ExprSubscript) -> Schema {
        let Some(constructor) = self.constructor(&subscript.value) else {
            return self.schema(&subscript.value);
        };
        let arguments = match &*subscript.slice {
            Expr::Tuple(tuple) => tuple.elts.as_slice(),
            single => std::slice::from_ref(single),
        };
        let Some(first) = arguments.first() else {
            return match constructor {
                "tuple" | "Tuple" => with(typed("array"), "maxItems", 0),
                _ => builtin(constructor),
            };
        };
        match constructor {
            "Optional" => {
                let members = vec![self.schema(first), typed("null")];
                union(members)
            }
            "Union" => self.union_of(arguments.iter()),
            "Literal" => self.one_of(arguments),
            "Annotated" => {
                let schema = self.schema(first);
                constraint::apply_metadata(self.scope, schema, &arguments[1..])
            }
            "Final" | "ClassVar" | "Required" | "NotRequired" | "ReadOnly" | "InitVar"
            | "Mapped" => self.schema(first),
            "tuple" | "Tuple" => self.tuple(arguments),
            _ => self.container(builtin(constructor), arguments),
        }
    }

    fn container(&mut self, schema: Schema, arguments: &[Expr]) -> Schema {
        match (schema.get("type").and_then(Value::as_str), arguments) {
            (Some("array"), [items]) => {
                let items = self.schema(items);
                if items.is_empty() {
                    return schema;
                }
                with(schema, "items", items)
            }
            (Some("object"), [keys, values]) => {
                let mut schema = schema;
                let keys = self.schema(keys);
                if keys.contains_key("enum") {
                    schema = with(schema, "propertyNames", keys);
                }
                let values = self.schema(values);
                if values.is_empty() {
                    return schema;
                }
                with(schema, "additionalProperties", values)
            }
            _ => schema,
        }
    }

    fn tuple(&mut self, arguments: &[Expr]) -> Schema {
        let array = typed("array");
        match arguments {
            [items, Expr::EllipsisLiteral(_)] => self.container(array, std::slice::from_ref(items)),
            _ => {
                let count = arguments.len();
                let items: Vec<Value> = arguments
                    .iter()
                    .map(|item| Value::Object(self.schema(item)))
                    .collect();
                let array = with(array, "prefixItems", items);
                let array = with(with(array, "minItems", count), "maxItems", count);
                with(array, "items", false)
            }
        }
    }

    /// `A | B | C`, walked along its left side.
    fn either(&mut self, either: &ExprBinOp) -> Schema {
        let mut members = vec![&*either.right];
        let mut rest = &*either.left;
        while let Expr::BinOp(inner) = rest
            && inner.op == Operator::BitOr
        {
            members.push(&inner.right);
            rest = &inner.left;
        }
        members.push(rest);
        self.union_of(members.into_iter().rev())
    }

    fn union_of<'e>(&mut self, members: impl Iterator<Item = &'e Expr>) -> Schema {
        let members = members.map(|member| self.schema(member)).collect();
        union(members)
    }

    fn one_of(&mut self, choices: &[Expr]) -> Schema {
        let mut values = Vec::with_capacity(choices.len());
        for choice in choices {
            if let Expr::Starred(spread) = choice {
                let Some(Value::Array(spread)) = constraint::evaluate(self.scope, &spread.value)
                else {
                    return Schema::new();
                };
                values.extend(spread);
            } else if let Some(value) = self.literal(choice) {
                values.push(value);
            } else if let Some(Value::Array(nested)) = self.schema(choice).remove("enum") {
                values.extend(nested);
            } else {
                return Schema::new();
            }
        }
        choice(values)
    }

    /// The value of a literal, or of an enumeration's member.
    pub(super) fn literal(&self, expression: &Expr) -> Option<Value> {
        match expression {
            Expr::Attribute(member) => classes::member(self.scope, member),
            Expr::Name(_) => None,
            // Names mean nothing here, so no position is needed.
            _ => literal::evaluate(expression, self.scope, TextSize::new(0)).ok(),
        }
    }

    /// `NewType("Id", int)` is an `int`.
    fn new_type(&mut self, call: &ExprCall) -> Schema {
        match (self.constructor(&call.func), &*call.arguments.args) {
            (Some("NewType"), [_, kind]) => self.schema(kind),
            _ => Schema::new(),
        }
    }
}

/// A schema for one of these values, with their type where they share one.
pub(super) fn choice(values: Vec<Value>) -> Schema {
    fn type_of(value: &Value) -> Option<&'static str> {
        Some(match value {
            Value::String(_) => "string",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::Bool(_) => "boolean",
            Value::Null => "null",
            Value::Array(_) | Value::Object(_) => return None,
        })
    }
    let Some(first) = values.first().and_then(type_of) else {
        return Schema::new();
    };
    let is_shared = values.iter().all(|value| type_of(value) == Some(first));
    let schema = if is_shared {
        typed(first)
    } else {
        Schema::new()
    };
    with(schema, "enum", values)
}

/// What any of the members allows.
pub(super) fn union(members: Vec<Schema>) -> Schema {
    let mut distinct: Vec<Schema> = Vec::with_capacity(members.len().min(MAX_ALTERNATIVES));
    for member in members {
        if member.is_empty() || distinct.len() > MAX_ALTERNATIVES {
            return Schema::new();
        }
        // A type may itself be a union: an alias, or `Optional` within `Union`.
        let mut add = |schema: Schema| {
            if !distinct.contains(&schema) {
                distinct.push(schema);
            }
        };
        match member.get("anyOf") {
            Some(Value::Array(nested)) if member.len() == 1 => nested
                .iter()
                .filter_map(Value::as_object)
                .for_each(|schema| add(schema.clone())),
            _ => add(member),
        }
    }
    if distinct.len() == 1 {
        return distinct.pop().unwrap_or_default();
    }
    if let Some(types) = plain_types(&distinct) {
        return with(Schema::new(), "type", types);
    }
    // Null comes last; the others keep their order.
    distinct.sort_by_key(is_null);
    let members: Vec<Value> = distinct.into_iter().map(Value::Object).collect();
    with(Schema::new(), "anyOf", members)
}

fn is_null(schema: &Schema) -> bool {
    schema.len() == 1 && schema.get("type").and_then(Value::as_str) == Some("null")
}

/// The types of schemas that say nothing but a type; null comes last, and every integer is a
/// number.
fn plain_types(schemas: &[Schema]) -> Option<Value> {
    let mut types: Vec<&str> = Vec::with_capacity(schemas.len());
    for schema in schemas {
        match schema.get("type")? {
            _ if schema.len() != 1 => return None,
            Value::String(name) => types.push(name),
            Value::Array(names) => types.extend(names.iter().filter_map(Value::as_str)),
            _ => return None,
        }
    }
    let has_number = types.contains(&"number");
    let mut named: Vec<&str> = Vec::with_capacity(types.len());
    for name in types.iter().copied().filter(|name| *name != "null") {
        if !(named.contains(&name) || has_number && name == "integer") {
            named.push(name);
        }
    }
    if types.contains(&"null") {
        named.push("null");
    }
    match named.as_slice() {
        [single] => Some(Value::from(*single)),
        several => Some(json!(several)),
    }
}

/// What a name from the standard library or a well-known package means.
fn builtin(name: &str) -> Schema {
    let kind = match name {
        "str" | "Text" | "AnyStr" | "LiteralString" | "bytes" | "bytearray" | "Path"
        | "PurePath" | "PosixPath" | "PurePosixPath" | "PathLike" | "StrPath" | "SecretStr" => {
            "string"
        }
        "datetime" | "date" | "time" | "UUID" | "UUID4" | "AnyUrl" | "AnyHttpUrl" | "HttpUrl"
        | "EmailStr" => return with(typed("string"), "format", format_of(name)),
        "int" => "integer",
        "float" | "Decimal" | "Number" | "timedelta" => "number",
        "bool" => "boolean",
        "None" | "NoneType" => "null",
        "list" | "List" | "tuple" | "Tuple" | "Sequence" | "MutableSequence" | "Iterable"
        | "Collection" | "deque" | "Deque" => "array",
        "set" | "Set" | "frozenset" | "FrozenSet" | "AbstractSet" | "MutableSet" => {
            return with(typed("array"), "uniqueItems", true);
        }
        "dict" | "Dict" | "Mapping" | "MutableMapping" | "OrderedDict" | "defaultdict"
        | "DefaultDict" => "object",
        _ => return Schema::new(),
    };
    typed(kind)
}

fn format_of(name: &str) -> &'static str {
    match name {
        "datetime" => "date-time",
        "date" => "date",
        "time" => "time",
        "EmailStr" => "email",
        "UUID" | "UUID4" => "uuid",
        _ => "uri",
    }
}

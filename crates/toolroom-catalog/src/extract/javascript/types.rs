//! What a type annotation says, as a small tree of our own.
//!
//! Lowers the grammar's type nodes; names stay names until [`super::schema`] looks them up,
//! so a type may be used above its declaration. Knows nothing of JSON Schema.

use std::rc::Rc;

use serde_json::Value;
use tree_sitter::Node;

use super::comments::described;
use super::literal::{evaluate, property_name};
use super::module::Module;
use super::syntax::{MAX_DEPTH, has_token, parts};

/// Members beyond these are left out: nobody calls a tool with thousands of parameters.
pub(super) const MAX_MEMBERS: usize = 2_000;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Type {
    Any,
    Undefined,
    Null,
    /// `string`, `number`, `integer`, `boolean` or `object`.
    Plain(&'static str),
    Literal(Value),
    Array(Rc<Type>),
    Tuple(Tuple),
    Object(Shape),
    Union(Vec<Type>),
    Intersection(Vec<Type>),
    Named(String, Vec<Type>),
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Tuple {
    pub(super) items: Vec<Type>,
    pub(super) least: usize,
    pub(super) rest: Option<Rc<Type>>,
}

/// The members of an object, and the type of any further ones it may have.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Shape {
    pub(super) members: Vec<Member>,
    pub(super) rest: Option<Rc<Type>>,
}

/// A named member. Cheap to copy: shapes are merged and derived from one another.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Member {
    pub(super) name: Rc<str>,
    pub(super) ty: Rc<Type>,
    pub(super) optional: bool,
    pub(super) description: Option<Rc<str>>,
    pub(super) default: Option<Value>,
}

impl Member {
    pub(super) fn new(name: &str, ty: Type) -> Self {
        Self {
            name: name.into(),
            ty: Rc::new(ty),
            optional: false,
            description: None,
            default: None,
        }
    }
}

impl Type {
    /// Tells whether leaving the value out is among the choices.
    pub(super) fn allows_undefined(&self) -> bool {
        match self {
            Self::Undefined => true,
            Self::Union(options) => options.contains(&Self::Undefined),
            _ => false,
        }
    }
}

/// Lowers an annotation or a declaration of the module.
pub(super) fn lower<'t>(module: &Module<'t>, node: Node<'t>) -> Type {
    Lowering { module }.ty(node, 0)
}

struct Lowering<'m, 't> {
    module: &'m Module<'t>,
}

impl<'t> Lowering<'_, 't> {
    fn ty(&self, node: Node<'t>, depth: usize) -> Type {
        if depth > MAX_DEPTH {
            return Type::Any;
        }
        let depth = depth + 1;
        match node.kind() {
            "predefined_type" => predefined(self.text(node)),
            "literal_type" => self.literal(node),
            "type_identifier" | "identifier" | "nested_type_identifier" => {
                Type::Named(self.text(node).to_owned(), Vec::new())
            }
            "generic_type" => self.generic(node, depth),
            "array_type" => Type::Array(Rc::new(self.first(node, depth))),
            "type_annotation"
            | "opting_type_annotation"
            | "readonly_type"
            | "parenthesized_type" => self.first(node, depth),
            "flow_maybe_type" => Type::Union(vec![self.first(node, depth), Type::Null]),
            "template_literal_type" => Type::Plain("string"),
            "tuple_type" => Type::Tuple(self.tuple(node, depth)),
            "union_type" => Type::Union(self.operands(node, depth)),
            "intersection_type" => Type::Intersection(self.operands(node, depth)),
            "object_type" | "interface_body" => Type::Object(self.shape(node, depth)),
            "interface_declaration" => self.interface(node, depth),
            "type_alias_declaration" => match node.child_by_field_name("value") {
                Some(value) => self.ty(value, depth),
                None => Type::Any,
            },
            "enum_declaration" => self.enumeration(node).unwrap_or(Type::Any),
            "lookup_type" | "type_query" | "index_type_query" => {
                self.of_constant(node).unwrap_or(Type::Any)
            }
            _ => Type::Any,
        }
    }

    fn text(&self, node: Node<'t>) -> &'t str {
        self.module.source.text(node)
    }

    fn first(&self, node: Node<'t>, depth: usize) -> Type {
        let first = parts(node).first().copied();
        first.map_or(Type::Any, |inner| self.ty(inner, depth))
    }

    fn literal(&self, node: Node<'t>) -> Type {
        let Some(inner) = parts(node).first().copied() else {
            return Type::Any;
        };
        match inner.kind() {
            "null" => Type::Null,
            "undefined" => Type::Undefined,
            _ => evaluate(self.module, inner).map_or(Type::Any, Type::Literal),
        }
    }

    fn generic(&self, node: Node<'t>, depth: usize) -> Type {
        let name = node.child_by_field_name("name");
        let name = name.map_or("", |name| self.text(name)).to_owned();
        let arguments = node.child_by_field_name("type_arguments");
        let arguments = arguments.map(parts).unwrap_or_default();
        let arguments = arguments
            .into_iter()
            .map(|argument| self.ty(argument, depth));
        Type::Named(name, arguments.collect())
    }

    /// Unions and intersections lean left, so they are walked, not descended into.
    fn operands(&self, node: Node<'t>, depth: usize) -> Vec<Type> {
        let mut operands = Vec::new();
        let mut rest = Some(node);
        while let Some(current) = rest.take() {
            if current.kind() != node.kind() {
                operands.push(self.ty(current, depth));
                break;
            }
            let sides = parts(current);
            if let Some(right) = sides.get(1) {
                operands.push(self.ty(*right, depth));
            }
            rest = sides.first().copied();
        }
        operands.reverse();
        operands
    }

    fn tuple(&self, node: Node<'t>, depth: usize) -> Tuple {
        let mut tuple = Tuple::default();
        for part in parts(node) {
            let labelled = part.child_by_field_name("type");
            let item = labelled.map(|ty| self.ty(ty, depth));
            let is_rest = part.kind() == "rest_type"
                || part
                    .child_by_field_name("name")
                    .is_some_and(|name| name.kind() == "rest_pattern");
            if is_rest {
                let list = item.unwrap_or_else(|| self.first(part, depth));
                tuple.rest = Some(match list {
                    Type::Array(item) => item,
                    _ => Rc::new(Type::Any),
                });
                continue;
            }
            if !matches!(part.kind(), "optional_type" | "optional_parameter") {
                tuple.least += 1;
            }
            tuple.items.push(item.unwrap_or_else(|| match part.kind() {
                "optional_type" => self.first(part, depth),
                _ => self.ty(part, depth),
            }));
        }
        tuple
    }

    fn shape(&self, node: Node<'t>, depth: usize) -> Shape {
        let mut shape = Shape::default();
        for (part, description) in described(node, self.module.source) {
            let ty = part.child_by_field_name("type");
            let is_function = ty.and_then(|ty| parts(ty).first().copied());
            let is_function = is_function.is_some_and(|ty| ty.kind() == "function_type");
            let lowered = ty.map_or(Type::Any, |ty| self.ty(ty, depth));
            match part.kind() {
                "index_signature" => shape.rest = Some(Rc::new(lowered)),
                "property_signature" if !is_function && shape.members.len() < MAX_MEMBERS => {
                    let name = part.child_by_field_name("name");
                    let Some(name) = name.and_then(|name| property_name(self.module, name)) else {
                        continue;
                    };
                    shape.members.push(Member {
                        optional: has_token(part, "?"),
                        description: description.map(Rc::from),
                        ..Member::new(&name, lowered)
                    });
                }
                _ => {}
            }
        }
        shape
    }

    fn interface(&self, node: Node<'t>, depth: usize) -> Type {
        let mut all: Vec<Type> = parts(node)
            .into_iter()
            .filter(|part| part.kind() == "extends_type_clause")
            .flat_map(parts)
            .map(|base| self.ty(base, depth))
            .collect();
        if let Some(body) = node.child_by_field_name("body") {
            all.push(self.ty(body, depth));
        }
        match all.len() {
            1 => all.remove(0),
            _ => Type::Intersection(all),
        }
    }

    fn enumeration(&self, node: Node<'t>) -> Option<Type> {
        let mut values = Vec::new();
        let mut next = Some(0_i64);
        for part in parts(node.child_by_field_name("body")?) {
            let value = match part.child_by_field_name("value") {
                Some(value) => evaluate(self.module, value).ok()?,
                None => Value::from(next?),
            };
            next = value.as_i64().and_then(|number| number.checked_add(1));
            values.push(Type::Literal(value));
        }
        Some(Type::Union(values))
    }

    /// `(typeof LIST)[number]` and `keyof typeof MAP`, where the constant is a literal.
    fn of_constant(&self, node: Node<'t>) -> Option<Type> {
        let text: String = self
            .text(node)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let (name, wants_keys) = match text.strip_prefix("keyof typeof ") {
            Some(name) => (name, true),
            None => (text.strip_suffix("[number]")?, false),
        };
        let name = name.trim().trim_start_matches('(').trim_end_matches(')');
        let name = name.trim_start_matches("typeof ").trim();
        let definition = self.module.local(name)?;
        let literals = match evaluate(self.module, definition.value).ok()? {
            Value::Object(map) if wants_keys => map
                .into_iter()
                .map(|(key, _)| Type::Literal(Value::String(key)))
                .collect(),
            Value::Array(items) if !wants_keys => items.into_iter().map(Type::Literal).collect(),
            _ => return None,
        };
        Some(Type::Union(literals))
    }
}

fn predefined(name: &str) -> Type {
    match name {
        "string" => Type::Plain("string"),
        "number" => Type::Plain("number"),
        "boolean" => Type::Plain("boolean"),
        "object" => Type::Plain("object"),
        "void" => Type::Undefined,
        _ => Type::Any,
    }
}

//! Reads a function's face: its named parameters, what it returns, what its comment says.
//!
//! A tool is called with one object of named parameters and a context where its first
//! parameter is such an object, by its type, its comment or its customary name; the members
//! of that object are the parameters then. Otherwise it is called with one value for each
//! of its parameters. Looks into no body.

use std::rc::Rc;

use serde_json::Value;
use tree_sitter::Node;

use super::comments::{described, doc_of};
use super::jsdoc::{self, JsDoc};
use super::literal::{evaluate, property_name};
use super::module::{Definition, Module};
use super::schema::Schemas;
use super::scope::{self, Scope};
use super::syntax::parts;
use super::types::{MAX_MEMBERS, Member, Shape, Type, lower};
use crate::extract::document::Function;

const MAX_HOPS: usize = 8;

/// What a parameter is called that takes everything as one object, where nothing else says
/// so; a name that begins with `_` is one as well.
const CUSTOMARY: [&str; 18] = [
    "params",
    "parameters",
    "param",
    "args",
    "input",
    "inputs",
    "options",
    "opts",
    "props",
    "data",
    "payload",
    "request",
    "req",
    "body",
    "config",
    "values",
    "p",
    "o",
];

/// Reads the function a definition leads to, if it leads to one.
pub(super) fn function<'t>(
    module: &Module<'t>,
    scope: &Scope,
    definition: Definition<'t>,
) -> Option<Function> {
    let (node, definition) = resolve(module, definition)?;
    let doc = doc_of(definition.holder, module.source);
    let doc = doc.map(jsdoc::parse).unwrap_or_default();
    let mut reader = Reader {
        module,
        schemas: Schemas::new(scope),
        doc,
    };
    let formals = formals(node);
    let shape = match formals.first() {
        Some(first) => reader.named(first),
        None => None,
    };
    let in_order = shape.is_none() && !formals.is_empty();
    let shape = shape.unwrap_or_else(|| reader.positional(&formals));
    Some(Function {
        at: module.source.at(definition.holder),
        parameters: shape
            .members
            .iter()
            .map(|member| reader.schemas.parameter(member))
            .collect(),
        in_order,
        open: shape.rest.is_some(),
        returns: reader.returns(node),
        summary: reader.doc.summary,
    })
}

/// Follows names to a function.
fn resolve<'t>(
    module: &Module<'t>,
    mut definition: Definition<'t>,
) -> Option<(Node<'t>, Definition<'t>)> {
    for _ in 0..MAX_HOPS {
        if definition.hidden.is_some() {
            return None;
        }
        let node = module.unwrapped(definition.value);
        match node.kind() {
            "identifier" => definition = module.local(module.source.text(node))?,
            "function_declaration"
            | "generator_function_declaration"
            | "function_expression"
            | "generator_function"
            | "arrow_function"
            | "method_definition" => {
                return Some((node, definition));
            }
            _ => return None,
        }
    }
    None
}

/// One parameter as the code declares it.
#[derive(Debug, Clone, Copy)]
struct Formal<'t> {
    pattern: Node<'t>,
    annotation: Option<Node<'t>>,
    default: Option<Node<'t>>,
    optional: bool,
}

fn formals(function: Node<'_>) -> Vec<Formal<'_>> {
    if let Some(only) = function.child_by_field_name("parameter") {
        return vec![plain(only, None)];
    }
    let list = function.child_by_field_name("parameters");
    list.map(parts)
        .unwrap_or_default()
        .into_iter()
        .filter_map(formal)
        .collect()
}

fn plain<'t>(pattern: Node<'t>, default: Option<Node<'t>>) -> Formal<'t> {
    Formal {
        pattern,
        annotation: None,
        default,
        optional: default.is_some(),
    }
}

fn formal(node: Node<'_>) -> Option<Formal<'_>> {
    let formal = match node.kind() {
        "assignment_pattern" => plain(
            node.child_by_field_name("left")?,
            node.child_by_field_name("right"),
        ),
        "required_parameter" | "optional_parameter" => {
            let default = node.child_by_field_name("value");
            Formal {
                annotation: node.child_by_field_name("type"),
                optional: default.is_some() || node.kind() == "optional_parameter",
                ..plain(node.child_by_field_name("pattern")?, default)
            }
        }
        _ => plain(node, None),
    };
    // `this` is a type-only parameter; a rest list has no name to call it by.
    (!matches!(formal.pattern.kind(), "this" | "rest_pattern")).then_some(formal)
}

struct Reader<'m, 't> {
    module: &'m Module<'t>,
    schemas: Schemas<'m>,
    doc: JsDoc,
}

impl<'t> Reader<'_, 't> {
    /// The members of the first parameter, if it is an object of named parameters.
    fn named(&mut self, first: &Formal<'t>) -> Option<Shape> {
        match first.pattern.kind() {
            "object_pattern" => Some(self.destructured(first)),
            "identifier" => self.whole(first),
            _ => None,
        }
    }

    fn destructured(&mut self, first: &Formal<'t>) -> Shape {
        let (taken, has_rest) = self.pattern(first.pattern);
        let is_taken = |name: &str| taken.iter().any(|member| &*member.name == name);
        let tags = &self.doc.params;
        let dotted = tags.iter().find_map(|tag| tag.path.split_once('.'));
        let root = dotted
            .map(|(root, _)| root.trim_end_matches("[]"))
            .or_else(|| {
                let first = tags.first().map(|tag| tag.path.as_str());
                first.filter(|path| !is_taken(path))
            });
        let mut told = root
            .map(|root| scope::members(tags, root))
            .unwrap_or_default();
        let direct = tags.iter().filter(|tag| is_taken(&tag.path));
        told.extend(direct.map(|tag| scope::member(&tag.path, tag)));

        let ty = self.declared(first, root);
        let typed = ty.and_then(|ty| self.schemas.shape(&ty));
        let rest = match &typed {
            Some(shape) => shape.rest.clone(),
            None => has_rest.then(|| Rc::new(Type::Any)),
        };
        let mut members = typed.unwrap_or_default().members;
        let typed: Vec<Rc<str>> = members.iter().map(|known| known.name.clone()).collect();
        overlay(&mut members, taken);
        overlay(&mut members, told);
        let untold = members.iter_mut().filter(|member| {
            first.annotation.is_none() && !typed.contains(&member.name) && !self.is_told(member)
        });
        untold.for_each(type_by_default);
        Shape { members, rest }
    }

    /// Whether the comment gives a member a type, be it any.
    fn is_told(&self, member: &Member) -> bool {
        self.doc.params.iter().any(|tag| {
            let name = tag.path.rsplit('.').next();
            tag.ty.is_some() && name == Some(&*member.name)
        })
    }

    /// A first parameter that is taken as a whole: `main(params)`.
    fn whole(&mut self, first: &Formal<'t>) -> Option<Shape> {
        let name = self.module.source.text(first.pattern);
        let told = scope::members(&self.doc.params, name);
        let ty = self.declared(first, Some(name));
        let shape = ty.as_ref().and_then(|ty| self.schemas.shape(ty));
        let has_members = shape
            .as_ref()
            .is_some_and(|shape| !shape.members.is_empty());
        if !told.is_empty() || has_members {
            let mut shape = shape.unwrap_or_default();
            if !told.is_empty() {
                // Documented member by member: `object` said nothing more.
                shape.rest = shape.rest.filter(|rest| has_members || **rest != Type::Any);
            }
            overlay(&mut shape.members, told);
            return Some(shape);
        }
        let open = Shape {
            members: Vec::new(),
            rest: Some(Rc::new(Type::Any)),
        };
        let is_untold = ty.is_none() && !is_customary(name, first.default);
        match ty {
            Some(ty) if shape.is_none() && !self.schemas.schema(&ty).is_empty() => None,
            _ if is_untold => None,
            _ => Some(shape.unwrap_or(open)),
        }
    }

    /// The type the code or else the comment gives a parameter.
    fn declared(&self, formal: &Formal<'t>, name: Option<&str>) -> Option<Type> {
        if let Some(annotation) = formal.annotation {
            return Some(lower(self.module, annotation));
        }
        let tag = self
            .doc
            .params
            .iter()
            .find(|tag| Some(tag.path.as_str()) == name)?;
        tag.ty.as_deref().map(scope::written)
    }

    /// The names an object pattern takes, and whether it takes the rest as well.
    fn pattern(&self, pattern: Node<'t>) -> (Vec<Member>, bool) {
        let mut members = Vec::new();
        let mut has_rest = false;
        for (part, description) in described(pattern, self.module.source) {
            let (name, default) = match part.kind() {
                "rest_pattern" => {
                    has_rest = true;
                    continue;
                }
                "shorthand_property_identifier_pattern" => (Some(part), None),
                "object_assignment_pattern" => (
                    part.child_by_field_name("left"),
                    part.child_by_field_name("right"),
                ),
                "pair_pattern" => {
                    let value = part.child_by_field_name("value");
                    let default = value.and_then(|value| value.child_by_field_name("right"));
                    (part.child_by_field_name("key"), default)
                }
                _ => continue,
            };
            let name = name.and_then(|name| property_name(self.module, name));
            if let Some(name) = name.filter(|_| members.len() < MAX_MEMBERS) {
                members.push(Member {
                    optional: default.is_some(),
                    default: self.default(default),
                    description: description.map(Rc::from),
                    ..Member::new(&name, Type::Any)
                });
            }
        }
        (members, has_rest)
    }

    fn default(&self, node: Option<Node<'t>>) -> Option<Value> {
        let node = node.filter(|node| node.kind() != "undefined")?;
        evaluate(self.module, node).ok()
    }

    fn positional(&self, formals: &[Formal<'t>]) -> Shape {
        let identifiers = formals
            .iter()
            .filter(|formal| formal.pattern.kind() == "identifier");
        let members = identifiers.map(|formal| {
            let name = self.module.source.text(formal.pattern);
            let tag = self.doc.params.iter().find(|tag| tag.path == name);
            let ty = self.declared(formal, Some(name)).unwrap_or(Type::Any);
            let mut member = vec![Member {
                optional: formal.optional,
                default: self.default(formal.default),
                ..Member::new(name, ty)
            }];
            overlay(&mut member, tag.map(|tag| scope::member(name, tag)));
            if formal.annotation.is_none() && tag.is_none_or(|tag| tag.ty.is_none()) {
                member.iter_mut().for_each(type_by_default);
            }
            member
        });
        Shape {
            members: members.flatten().collect(),
            rest: None,
        }
    }

    fn returns(&mut self, function: Node<'t>) -> Option<Value> {
        let ty = match function.child_by_field_name("return_type") {
            Some(annotation) => lower(self.module, annotation),
            None => scope::written(self.doc.returns.as_deref()?),
        };
        self.schemas.returns(&ty)
    }
}

fn is_customary(name: &str, default: Option<Node<'_>>) -> bool {
    CUSTOMARY.contains(&name)
        || name.starts_with('_')
        || default.is_some_and(|default| default.kind() == "object")
}

/// Gives a member of which nothing else is said the type of its default.
fn type_by_default(member: &mut Member) {
    let ty = match &member.default {
        None | Some(Value::Null) => return,
        Some(Value::String(_)) => Type::Plain("string"),
        // The language has no other numbers: `scale = 1` may well be called with 1.5.
        Some(Value::Number(_)) => Type::Plain("number"),
        Some(Value::Bool(_)) => Type::Plain("boolean"),
        Some(Value::Array(_)) => Type::Array(Rc::new(Type::Any)),
        Some(Value::Object(_)) => Type::Plain("object"),
    };
    if *member.ty == Type::Any {
        member.ty = Rc::new(ty);
    }
}

/// Fills the gaps of known members from a second source, and adds those it alone knows.
fn overlay(members: &mut Vec<Member>, more: impl IntoIterator<Item = Member>) {
    for member in more {
        match members.iter_mut().find(|known| known.name == member.name) {
            None => members.push(member),
            Some(known) => {
                if *known.ty == Type::Any {
                    known.ty = member.ty;
                }
                known.optional |= member.optional;
                known.description = known.description.take().or(member.description);
                known.default = known.default.take().or(member.default);
            }
        }
    }
}

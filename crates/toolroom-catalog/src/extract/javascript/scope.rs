//! The types a signature may name, and the types and values written inside comments.
//!
//! A type or default in a comment is read as a one-line module of its own, so comments and
//! code speak the same language. Produces [`Type`]s; judges none.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;
use tree_sitter::Node;

use super::jsdoc::{self, Tag, Typedef};
use super::literal::evaluate;
use super::module::Module;
use super::read::Dialect;
use super::syntax::{Source, is_comment, parse};
use super::types::{Member, Shape, Type, lower};

const MAX_SNIPPET_BYTES: usize = 4096;

const MAX_TYPEDEFS: usize = 256;

/// The file's own types by name.
#[derive(Debug, Default)]
pub(super) struct Scope {
    types: BTreeMap<String, Type>,
}

impl Scope {
    pub(super) fn new<'t>(root: Node<'t>, module: &Module<'t>) -> Self {
        let mut scope = Self::default();
        let mut cursor = root.walk();
        let comments = root.children(&mut cursor).filter(|node| is_comment(*node));
        let typedefs = comments
            .map(|comment| module.source.text(comment))
            .filter(|text| text.starts_with("/**") && text.contains("@typedef"))
            .flat_map(|text| jsdoc::parse(text).typedefs);
        for typedef in typedefs.take(MAX_TYPEDEFS) {
            scope.types.insert(typedef.name.clone(), declared(&typedef));
        }
        for (name, node) in &module.types {
            scope.types.insert((*name).to_owned(), lower(module, *node));
        }
        scope
    }

    pub(super) fn get(&self, name: &str) -> Option<&Type> {
        self.types.get(name)
    }
}

fn declared(typedef: &Typedef) -> Type {
    if !typedef.properties.is_empty() {
        return Type::Object(Shape {
            members: members(&typedef.properties, ""),
            rest: None,
        });
    }
    typedef.ty.as_deref().map_or(Type::Any, written)
}

/// The type a comment writes between braces.
pub(super) fn written(text: &str) -> Type {
    let text = text
        .trim()
        .trim_start_matches("...")
        .trim_start_matches('!');
    if let Some(maybe) = text.strip_suffix('?') {
        return Type::Union(vec![snippet_type(maybe), Type::Null]);
    }
    snippet_type(text)
}

fn snippet_type(text: &str) -> Type {
    let snippet = format!("type T = {};", text.replace(".<", "<"));
    in_snippet(&snippet, |module| {
        module.types.get("T").map(|node| lower(module, *node))
    })
    .unwrap_or(Type::Any)
}

/// The value of a default as a comment writes it; a bare word is a string.
fn written_default(text: &str, ty: &Type) -> Option<Value> {
    let snippet = format!("const value = {text};");
    let value = in_snippet(&snippet, |module| {
        evaluate(module, module.local("value")?.value).ok()
    });
    let is_text = *ty == Type::Plain("string");
    match value {
        Some(value) if !is_text || value.is_string() || value.is_null() => Some(value),
        _ => is_text.then(|| Value::from(text)),
    }
}

fn in_snippet<T>(snippet: &str, look: impl FnOnce(&Module<'_>) -> Option<T>) -> Option<T> {
    if snippet.len() > MAX_SNIPPET_BYTES {
        return None;
    }
    let tree = parse(snippet, &Dialect::TypeScript.language())?;
    let root = tree.root_node();
    if root.has_error() {
        return None;
    }
    look(&Module::new(root, Source(snippet)))
}

/// The members that tags below `root` describe: `root.name`, `root.list[].name`.
pub(super) fn members(tags: &[Tag], root: &str) -> Vec<Member> {
    let mut members = Vec::new();
    for tag in tags {
        let path = match root {
            "" => Some(tag.path.as_str()),
            _ => tag
                .path
                .strip_prefix(root)
                .and_then(|rest| rest.strip_prefix('.')),
        };
        if let Some(path) = path {
            place(&mut members, path, tag);
        }
    }
    members
}

fn place(members: &mut Vec<Member>, path: &str, tag: &Tag) {
    let Some((head, rest)) = path.split_once('.') else {
        members.push(member(path, tag));
        return;
    };
    let name = head.trim_end_matches("[]");
    if let Some(parent) = members.iter_mut().find(|member| &*member.name == name) {
        let ty = Rc::make_mut(&mut parent.ty);
        if let Some(shape) = inner(ty, name.len() < head.len()) {
            place(&mut shape.members, rest, tag);
        }
    }
}

/// The shape below a member that was documented as some object or list.
fn inner(ty: &mut Type, is_list: bool) -> Option<&mut Shape> {
    if is_list && !matches!(ty, Type::Array(_)) {
        *ty = Type::Array(Rc::new(Type::Any));
    }
    let item = match ty {
        Type::Array(item) => Rc::make_mut(item),
        other => other,
    };
    if !matches!(item, Type::Object(_)) {
        *item = Type::Object(Shape::default());
    }
    match item {
        Type::Object(shape) => Some(shape),
        _ => None,
    }
}

/// The member a single tag describes.
pub(super) fn member(name: &str, tag: &Tag) -> Member {
    let ty = tag.ty.as_deref().map_or(Type::Any, written);
    let default = tag.default.as_deref();
    Member {
        optional: tag.optional,
        description: tag.description.as_deref().map(Rc::from),
        default: default.and_then(|text| written_default(text, &ty)),
        ..Member::new(name, ty)
    }
}

//! Turns types into JSON Schema 2020-12.
//!
//! Promises an end on any input: a type that contains itself becomes a plain object, and a
//! budget stops types that unfold without bound. What it cannot express it leaves open.

use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::builtin::{builtin, text_format};
use super::scope::Scope;
use super::syntax::MAX_DEPTH;
use super::types::{MAX_MEMBERS, Member, Shape, Tuple, Type};
use crate::extract::document::Parameter;

pub(super) type Schema = Map<String, Value>;

/// Nodes and, sixteen to one, bytes of text that one signature's schemas may hold.
const BUDGET: usize = 65_536;
const BYTES_PER_UNIT: usize = 16;
const MAX_ALTERNATIVES: usize = 1024;

#[derive(Debug)]
pub(super) struct Schemas<'s> {
    scope: &'s Scope,
    /// Names being unfolded, outermost first.
    active: Vec<String>,
    left: usize,
}

impl<'s> Schemas<'s> {
    pub(super) fn new(scope: &'s Scope) -> Self {
        Self {
            scope,
            active: Vec::new(),
            left: BUDGET,
        }
    }

    pub(super) fn parameter(&mut self, member: &Member) -> Parameter {
        Parameter {
            name: member.name.to_string(),
            schema: self.schema(&member.ty),
            description: member.description.as_deref().map(str::to_owned),
            required: !member.optional && member.default.is_none() && !member.ty.allows_undefined(),
            default: member.default.clone(),
        }
    }

    /// What a function returns, where that says more than "something".
    pub(super) fn returns(&mut self, ty: &Type) -> Option<Value> {
        let schema = self.schema(ty);
        let only_type = schema.get("type").filter(|_| schema.len() == 1);
        let is_vague =
            schema.is_empty() || only_type.is_some_and(|ty| ty == "object" || ty == "null");
        (!is_vague).then_some(Value::Object(schema))
    }

    pub(super) fn schema(&mut self, ty: &Type) -> Schema {
        self.at(ty, 0)
    }

    /// The members of a type, if it is an object whose members are known or open.
    pub(super) fn shape(&mut self, ty: &Type) -> Option<Shape> {
        self.shape_at(ty, 0)
    }

    fn spend(&mut self, units: usize) -> bool {
        match self.left.checked_sub(units) {
            Some(left) => {
                self.left = left;
                true
            }
            None => false,
        }
    }

    fn at(&mut self, ty: &Type, depth: usize) -> Schema {
        if depth > MAX_DEPTH || !self.spend(1) {
            return Schema::new();
        }
        let depth = depth + 1;
        match ty {
            Type::Any | Type::Undefined => Schema::new(),
            Type::Null => typed("null"),
            Type::Plain(name) => typed(name),
            Type::Literal(value) => self.constant(value),
            Type::Array(item) => self.array(item, depth),
            Type::Tuple(tuple) => self.tuple(tuple, depth),
            Type::Object(shape) => self.object(shape, depth),
            Type::Union(options) => self.union(options, depth),
            Type::Intersection(_) => match self.shape_at(ty, depth) {
                Some(shape) => self.object(&shape, depth),
                None => Schema::new(),
            },
            Type::Named(name, arguments) => self.named(ty, name, arguments, depth),
        }
    }

    fn constant(&mut self, value: &Value) -> Schema {
        let mut schema = enumeration(std::slice::from_ref(value));
        if let Some(Value::Array(mut values)) = schema.remove("enum") {
            schema.extend(values.pop().map(|only| ("const".to_owned(), only)));
        }
        schema
    }

    fn array(&mut self, item: &Type, depth: usize) -> Schema {
        let mut schema = typed("array");
        let items = self.at(item, depth);
        if !items.is_empty() {
            schema.insert("items".to_owned(), Value::Object(items));
        }
        schema
    }

    fn tuple(&mut self, tuple: &Tuple, depth: usize) -> Schema {
        let mut schema = typed("array");
        let items: Vec<Value> = tuple
            .items
            .iter()
            .map(|item| Value::Object(self.at(item, depth)))
            .collect();
        schema.insert("minItems".to_owned(), tuple.least.into());
        match &tuple.rest {
            None => {
                schema.insert("maxItems".to_owned(), items.len().into());
            }
            Some(rest) => {
                let rest = self.at(rest, depth);
                schema.insert("items".to_owned(), Value::Object(rest));
            }
        }
        if !items.is_empty() {
            schema.insert("prefixItems".to_owned(), Value::Array(items));
        }
        schema
    }

    fn object(&mut self, shape: &Shape, depth: usize) -> Schema {
        let mut schema = typed("object");
        let mut properties = Schema::new();
        let mut required = Vec::new();
        for member in &shape.members {
            if !properties.contains_key(&*member.name) {
                let property = self.property(member, depth);
                properties.insert(member.name.to_string(), Value::Object(property));
                if !member.optional && !member.ty.allows_undefined() {
                    required.push(Value::from(&*member.name));
                }
            }
        }
        if !properties.is_empty() {
            schema.insert("properties".to_owned(), Value::Object(properties));
        }
        if !required.is_empty() {
            schema.insert("required".to_owned(), Value::Array(required));
        }
        if let Some(rest) = &shape.rest {
            let rest = self.at(rest, depth);
            if !rest.is_empty() {
                schema.insert("additionalProperties".to_owned(), Value::Object(rest));
            }
        }
        schema
    }

    fn property(&mut self, member: &Member, depth: usize) -> Schema {
        let mut property = self.at(&member.ty, depth);
        if let Some(text) = &member.description
            && self.spend(text.len() / BYTES_PER_UNIT)
        {
            property.insert("description".to_owned(), Value::from(&**text));
        }
        if let Some(default) = &member.default {
            property.insert("default".to_owned(), default.clone());
        }
        property
    }

    fn union(&mut self, options: &[Type], depth: usize) -> Schema {
        let mut flat = Vec::new();
        alternatives(options, &mut flat);
        if flat.len() > MAX_ALTERNATIVES || !self.spend(flat.len()) {
            return Schema::new();
        }
        let mut constants = Vec::new();
        let mut schemas: Vec<Schema> = Vec::new();
        let mut nullable = false;
        for option in flat {
            match option {
                Type::Undefined => {}
                Type::Null => nullable = true,
                Type::Literal(value) if constants.contains(value) => {}
                Type::Literal(value) => {
                    self.spend(value.as_str().map_or(0, |text| text.len() / BYTES_PER_UNIT));
                    constants.push(value.clone());
                }
                _ => {
                    let schema = self.at(option, depth);
                    if schema.is_empty() {
                        return schema;
                    }
                    if !schemas.contains(&schema) {
                        schemas.push(schema);
                    }
                }
            }
        }
        if schemas.is_empty() && !constants.is_empty() && nullable {
            constants.push(Value::Null);
            nullable = false;
        }
        match constants.len() {
            0 => {}
            1 => schemas.insert(0, self.constant(&constants[0])),
            _ => schemas.insert(0, enumeration(&constants)),
        }
        if nullable {
            schemas.push(typed("null"));
        }
        any_of(schemas)
    }

    fn named(&mut self, ty: &Type, name: &str, arguments: &[Type], depth: usize) -> Schema {
        if let Some(target) = self.scope.get(name) {
            if self.active.iter().any(|active| active == name) {
                return typed("object");
            }
            self.active.push(name.to_owned());
            let schema = self.at(target, depth);
            self.active.pop();
            return schema;
        }
        if let Some(format) = text_format(name) {
            let mut schema = typed("string");
            schema.insert("format".to_owned(), format.into());
            return schema;
        }
        if let Some(known) = builtin(name, arguments) {
            return self.at(&known, depth);
        }
        match self.shape_at(ty, depth) {
            Some(shape) => self.object(&shape, depth),
            None => Schema::new(),
        }
    }

    fn shape_at(&mut self, ty: &Type, depth: usize) -> Option<Shape> {
        if depth > MAX_DEPTH || !self.spend(1) {
            return None;
        }
        let depth = depth + 1;
        match ty {
            Type::Object(shape) => self.spend(shape.members.len()).then(|| shape.clone()),
            Type::Plain("object") => Some(anything()),
            Type::Union(options) => {
                let absent = |option: &&Type| !matches!(option, Type::Null | Type::Undefined);
                let mut present = options.iter().filter(absent);
                match (present.next(), present.next()) {
                    (Some(only), None) => self.shape_at(only, depth),
                    _ => None,
                }
            }
            Type::Intersection(all) => {
                let mut merged = Shape::default();
                for part in all {
                    let part = self.shape_at(part, depth).unwrap_or_else(anything);
                    merge(&mut merged, part);
                }
                Some(merged)
            }
            Type::Named(name, arguments) => self.named_shape(name, arguments, depth),
            _ => None,
        }
    }

    fn named_shape(&mut self, name: &str, arguments: &[Type], depth: usize) -> Option<Shape> {
        if let Some(target) = self.scope.get(name) {
            if self.active.iter().any(|active| active == name) {
                return None;
            }
            self.active.push(name.to_owned());
            let shape = self.shape_at(target, depth);
            self.active.pop();
            return shape;
        }
        if let Some(known) = builtin(name, arguments) {
            return self.shape_at(&known, depth);
        }
        let mut shape = match name {
            "Partial" | "Required" | "Readonly" | "Pick" | "Omit" => {
                self.shape_at(arguments.first()?, depth)?
            }
            _ => return None,
        };
        let named = |member: &Member| names(arguments.get(1)).any(|name| name == &*member.name);
        match name {
            "Partial" => shape
                .members
                .iter_mut()
                .for_each(|member| member.optional = true),
            "Required" => shape
                .members
                .iter_mut()
                .for_each(|member| member.optional = false),
            "Pick" => shape.members.retain(named),
            "Omit" => shape.members.retain(|member| !named(member)),
            _ => {}
        }
        Some(shape)
    }
}

fn typed(name: &str) -> Schema {
    Schema::from_iter([("type".to_owned(), Value::from(name))])
}

fn anything() -> Shape {
    Shape {
        members: Vec::new(),
        rest: Some(Rc::new(Type::Any)),
    }
}

fn alternatives<'a>(options: &'a [Type], flat: &mut Vec<&'a Type>) {
    for option in options {
        if flat.len() > MAX_ALTERNATIVES {
            return;
        }
        match option {
            Type::Union(inner) => alternatives(inner, flat),
            _ => flat.push(option),
        }
    }
}

/// The first so many names in `Pick<T, "a" | "b">`.
fn names(keys: Option<&Type>) -> impl Iterator<Item = &str> {
    let keys = match keys {
        Some(Type::Union(options)) => options.as_slice(),
        Some(single) => std::slice::from_ref(single),
        None => &[],
    };
    keys.iter()
        .take(MAX_ALTERNATIVES)
        .filter_map(|key| match key {
            Type::Literal(Value::String(name)) => Some(name.as_str()),
            _ => None,
        })
}

/// Later members win, as a derived interface's do.
fn merge(into: &mut Shape, from: Shape) {
    for member in from.members {
        let has_room = into.members.len() < MAX_MEMBERS;
        let mut known = into.members.iter_mut();
        match known.find(|known| known.name == member.name) {
            Some(known) => *known = member,
            None if has_room => into.members.push(member),
            None => {}
        }
    }
    into.rest = from.rest.or_else(|| into.rest.take());
}

fn enumeration(values: &[Value]) -> Schema {
    let mut kinds: Vec<&str> = Vec::new();
    for value in values {
        let kind = match value {
            Value::String(_) => "string",
            Value::Number(_) => "number",
            Value::Bool(_) => "boolean",
            Value::Null => "null",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        };
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    let mut schema = kinds_schema(&kinds);
    schema.insert("enum".to_owned(), Value::Array(values.to_vec()));
    schema
}

fn kinds_schema(kinds: &[&str]) -> Schema {
    match kinds {
        [only] => typed(only),
        _ => Schema::from_iter([("type".to_owned(), json!(kinds))]),
    }
}

/// Joins alternatives; those that are a mere type share one `type` list.
fn any_of(mut schemas: Vec<Schema>) -> Schema {
    if schemas.len() < 2 {
        return schemas.pop().unwrap_or_default();
    }
    let kinds: Option<Vec<&str>> = schemas
        .iter()
        .map(|schema| schema.get("type").filter(|_| schema.len() == 1)?.as_str())
        .collect();
    if let Some(kinds) = kinds {
        return kinds_schema(&kinds);
    }
    let schemas = schemas.into_iter().map(Value::Object).collect();
    Schema::from_iter([("anyOf".to_owned(), Value::Array(schemas))])
}

//! Filling in a whole document: every string of it is a template.

use serde_json::{Map, Value};

use super::ast::{Template, has_no_forms};
use super::error::{Fault, TemplateError};
use super::expand::Expanded;
use super::scope::{Scope, Unset};

/// How deep a document may be nested.
pub const MAX_JSON_DEPTH: usize = 128;

/// Expands every string of a document; keys stay as they are. A lone placeholder that is
/// absent leaves its array or object; a document that is nothing else becomes null.
///
/// # Errors
/// Fails at the first string that cannot be parsed or expanded, and names its key.
pub fn expand_json(value: &Value, scope: &dyn Scope, unset: Unset) -> Result<Value, TemplateError> {
    let walk = Walk { scope, unset };
    Ok(match walk.value(value, 0)? {
        Expanded::Value(value) => value,
        Expanded::Absent => Value::Null,
    })
}

struct Walk<'s> {
    scope: &'s dyn Scope,
    unset: Unset,
}

impl Walk<'_> {
    fn value(&self, value: &Value, depth: usize) -> Result<Expanded, TemplateError> {
        if depth > MAX_JSON_DEPTH {
            return Err(TemplateError::new("", 0, Fault::TooDeep));
        }
        match value {
            Value::String(text) if !has_no_forms(text) => {
                Template::parse(text)?.expand_value(self.scope, self.unset)
            }
            Value::Array(items) => self.array(items, depth).map(Expanded::Value),
            Value::Object(fields) => self.object(fields, depth).map(Expanded::Value),
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {
                Ok(Expanded::Value(value.clone()))
            }
        }
    }

    fn array(&self, items: &[Value], depth: usize) -> Result<Value, TemplateError> {
        let mut out = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let expanded = self.value(item, depth + 1);
            if let Expanded::Value(value) = expanded.map_err(|error| error.under(index))? {
                out.push(value);
            }
        }
        Ok(Value::Array(out))
    }

    fn object(&self, fields: &Map<String, Value>, depth: usize) -> Result<Value, TemplateError> {
        let mut out = Map::with_capacity(fields.len());
        for (key, field) in fields {
            let expanded = self.value(field, depth + 1);
            if let Expanded::Value(value) = expanded.map_err(|error| error.under(key))? {
                out.insert(key.clone(), value);
            }
        }
        Ok(Value::Object(out))
    }
}

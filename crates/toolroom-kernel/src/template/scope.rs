//! What a template asks of its surroundings.

use std::borrow::Cow;

use serde_json::Value;

use crate::model::Environ;

/// Answers for the names in a template.
pub trait Scope {
    /// The value of a variable, or nothing if it is not set.
    fn variable(&self, name: &str) -> Option<Cow<'_, str>>;

    /// What stands for `{path}`. A scope that says nothing of placeholders knows none.
    fn placeholder(&self, path: &str) -> Placeholder<'_> {
        let _ = path;
        Placeholder::Unknown
    }
}

/// What a scope knows of a placeholder.
#[derive(Debug, Clone, PartialEq)]
pub enum Placeholder<'v> {
    Value(Cow<'v, Value>),
    /// A known name that has no value in this call, such as a parameter left out.
    Absent,
    /// It has a value, a path, that is no text and cannot stand in one.
    NotText,
    /// No such name: a mistake in the template.
    Unknown,
}

impl<'v> Placeholder<'v> {
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Value(Cow::Owned(Value::String(text.into())))
    }

    /// Follows a dotted path into a value: keys of objects, indices of arrays. Where the
    /// path leads nowhere the placeholder is absent.
    #[must_use]
    pub fn at(value: &'v Value, path: &str) -> Self {
        let found = path.split('.').try_fold(value, |value, part| match value {
            Value::Object(fields) => fields.get(part),
            Value::Array(items) => items.get(part.parse::<usize>().ok()?),
            _ => None,
        });
        found.map_or(Self::Absent, |value| Self::Value(Cow::Borrowed(value)))
    }
}

impl From<Value> for Placeholder<'_> {
    fn from(value: Value) -> Self {
        Self::Value(Cow::Owned(value))
    }
}

/// What an unset `${VAR}` without a rule gives, and an absent placeholder within a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unset {
    Empty,
    Error,
}

/// Variables alone. A value that is not UTF-8 has no text and counts as unset.
impl Scope for Environ {
    fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        self.get(name).map(Cow::Borrowed)
    }
}

/// Variables alone, by a function.
impl<F: Fn(&str) -> Option<String>> Scope for F {
    fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        self(name).map(Cow::Owned)
    }
}

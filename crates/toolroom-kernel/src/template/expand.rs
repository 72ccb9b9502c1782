//! Filling a template in: one pass, lazy words, bounded growth.

use std::ops::Range;

use serde_json::Value;

use super::ast::{Body, Part, Rule, RuleKind, Template};
use super::error::{Fault, TemplateError};
use super::scope::{Placeholder, Scope, Unset};

/// How large an expanded text may grow.
pub const MAX_EXPANDED: usize = 16 * 1024 * 1024;

/// How much of a required variable's message an error repeats.
const MAX_MESSAGE: usize = 200;

/// What a template gave.
#[derive(Debug, Clone, PartialEq)]
pub enum Expanded {
    Value(Value),
    /// The template is a lone placeholder that has no value in this call.
    Absent,
}

impl Template<'_> {
    /// Fills the template in as text.
    ///
    /// # Errors
    /// Fails for a required or, if `unset` says so, any unset variable, and for a
    /// placeholder the scope does not know.
    pub fn expand(&self, scope: &dyn Scope, unset: Unset) -> Result<String, TemplateError> {
        self.expand_within(scope, unset, MAX_EXPANDED)
    }

    /// Fills the template in; a lone placeholder keeps the type of its value.
    ///
    /// # Errors
    /// As for [`Template::expand`].
    pub fn expand_value(&self, scope: &dyn Scope, unset: Unset) -> Result<Expanded, TemplateError> {
        if let Body::Parts(parts) = &self.body
            && let [Part::Placeholder { path }] = parts.as_slice()
        {
            return match scope.placeholder(&self.source[path.clone()]) {
                Placeholder::Value(value) => Ok(Expanded::Value(value.into_owned())),
                Placeholder::Absent => Ok(Expanded::Absent),
                Placeholder::NotText => Err(not_text(&self.source, path)),
                Placeholder::Unknown => Err(unknown(&self.source, path)),
            };
        }
        let text = self.expand(scope, unset)?;
        Ok(Expanded::Value(Value::String(text)))
    }

    pub(crate) fn expand_within(
        &self,
        scope: &dyn Scope,
        unset: Unset,
        limit: usize,
    ) -> Result<String, TemplateError> {
        let mut expansion = Expansion {
            source: &self.source,
            scope,
            unset,
            limit,
            out: String::new(),
        };
        match &self.body {
            Body::Plain => expansion.push(&self.source, 0)?,
            Body::Parts(parts) => expansion.parts(parts)?,
        }
        Ok(expansion.out)
    }
}

struct Expansion<'t> {
    source: &'t str,
    scope: &'t dyn Scope,
    unset: Unset,
    limit: usize,
    out: String,
}

impl<'t> Expansion<'t> {
    fn parts(&mut self, parts: &[Part]) -> Result<(), TemplateError> {
        for part in parts {
            match part {
                Part::Text(range) => self.push(self.slice(range), range.start)?,
                Part::Variable { name, rule } => match rule {
                    None => self.variable(name)?,
                    Some(rule) => self.ruled(name, rule)?,
                },
                Part::Placeholder { path } => self.placeholder(path)?,
            }
        }
        Ok(())
    }

    fn variable(&mut self, range: &Range<usize>) -> Result<(), TemplateError> {
        let name = self.slice(range);
        match self.scope.variable(name) {
            Some(value) => self.push(&value, range.start),
            None if self.unset == Unset::Empty => Ok(()),
            None => Err(self.fault(range, Fault::Unset { name: name.into() })),
        }
    }

    fn ruled(&mut self, range: &Range<usize>, rule: &Rule) -> Result<(), TemplateError> {
        let name = self.slice(range);
        let value = self.scope.variable(name);
        let value = value.filter(|value| !(rule.empty_is_unset && value.is_empty()));
        match (rule.kind, value) {
            (RuleKind::Default | RuleKind::Required, Some(value)) => self.push(&value, range.start),
            (RuleKind::Default, None) | (RuleKind::Alternative, Some(_)) => self.parts(&rule.word),
            (RuleKind::Alternative, None) => Ok(()),
            (RuleKind::Required, None) => {
                let message = self.slice(&rule.written);
                let fault = Fault::Required {
                    name: name.to_owned(),
                    empty_is_unset: rule.empty_is_unset,
                    message: message.chars().take(MAX_MESSAGE).collect(),
                };
                Err(self.fault(range, fault))
            }
        }
    }

    fn placeholder(&mut self, range: &Range<usize>) -> Result<(), TemplateError> {
        let path = self.slice(range);
        match self.scope.placeholder(path) {
            Placeholder::Value(value) => match value.as_ref() {
                Value::Null => Ok(()),
                Value::String(text) => self.push(text, range.start),
                other => self.push(&other.to_string(), range.start),
            },
            Placeholder::Absent if self.unset == Unset::Empty => Ok(()),
            Placeholder::Absent => Err(self.fault(range, Fault::Absent { path: path.into() })),
            Placeholder::NotText => Err(not_text(self.source, range)),
            Placeholder::Unknown => Err(unknown(self.source, range)),
        }
    }

    fn push(&mut self, text: &str, offset: usize) -> Result<(), TemplateError> {
        if text.len() > self.limit - self.out.len() {
            let fault = Fault::TooLarge { limit: self.limit };
            return Err(TemplateError::new(self.source, offset, fault));
        }
        self.out.push_str(text);
        Ok(())
    }

    fn slice(&self, range: &Range<usize>) -> &'t str {
        &self.source[range.clone()]
    }

    fn fault(&self, range: &Range<usize>, fault: Fault) -> TemplateError {
        TemplateError::new(self.source, range.start, fault)
    }
}

fn not_text(source: &str, range: &Range<usize>) -> TemplateError {
    let path = source[range.clone()].to_owned();
    TemplateError::new(source, range.start, Fault::NotText { path })
}

fn unknown(source: &str, range: &Range<usize>) -> TemplateError {
    let path = source[range.clone()].to_owned();
    TemplateError::new(source, range.start, Fault::UnknownPlaceholder { path })
}

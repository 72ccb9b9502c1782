//! A parsed template: its source, and the parts that point into it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::TemplateError;
use super::parse;

/// Which forms a text may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// `${…}` and `{name}`.
    Full,
    /// `${…}` alone; every other brace is text.
    Variables,
}

/// A text with variables and placeholders, checked and ready to be expanded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template<'s> {
    pub(super) source: Cow<'s, str>,
    pub(super) body: Body,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Body {
    /// The source is its own expansion.
    Plain,
    Parts(Vec<Part>),
}

/// One piece of a template. Ranges are bytes of the source: even an escape leaves text
/// that stands there, so no piece is ever copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    Text(Range<usize>),
    Variable {
        name: Range<usize>,
        rule: Option<Rule>,
    },
    Placeholder {
        path: Range<usize>,
    },
}

/// What follows the name in `${NAME…}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) kind: RuleKind,
    /// Written with a colon.
    pub(super) empty_is_unset: bool,
    pub(super) word: Vec<Part>,
    /// The word as it is written.
    pub(super) written: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RuleKind {
    Default,
    Required,
    Alternative,
}

impl<'s> Template<'s> {
    /// Reads a text with variables and placeholders.
    ///
    /// # Errors
    /// Fails where a `${` is not followed by one of the forms of the module's table.
    pub fn parse(text: impl Into<Cow<'s, str>>) -> Result<Self, TemplateError> {
        Self::parse_with(text, Syntax::Full)
    }

    /// Reads a text that may hold the forms of `syntax`.
    ///
    /// # Errors
    /// As for [`Template::parse`].
    pub fn parse_with(
        text: impl Into<Cow<'s, str>>,
        syntax: Syntax,
    ) -> Result<Self, TemplateError> {
        let source = text.into();
        let body = if has_no_forms(&source) {
            Body::Plain
        } else {
            Body::Parts(parse::parse(&source, syntax)?)
        };
        Ok(Self { source, body })
    }

    /// Takes a text as it is, whatever it holds.
    pub fn literal(text: impl Into<Cow<'s, str>>) -> Self {
        Self {
            source: text.into(),
            body: Body::Plain,
        }
    }

    /// The text as it is written.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The names of all variables the text speaks of, in words too.
    #[must_use]
    pub fn variables(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        if let Body::Parts(parts) = &self.body {
            self.collect_variables(parts, &mut names);
        }
        names
    }

    /// Where the text says something itself, as bytes of its source: all that is taken from
    /// nowhere else, words that may stand in for a variable too. Messages are in no value.
    #[must_use]
    pub fn own_words(&self) -> Vec<Range<usize>> {
        match &self.body {
            Body::Plain => std::iter::once(0..self.source.len()).collect(),
            Body::Parts(parts) => {
                let mut words = Vec::new();
                collect_words(parts, &mut words);
                words
            }
        }
    }

    fn collect_variables<'t>(&'t self, parts: &[Part], names: &mut BTreeSet<&'t str>) {
        for part in parts {
            if let Part::Variable { name, rule } = part {
                names.insert(&self.source[name.clone()]);
                if let Some(rule) = rule {
                    self.collect_variables(&rule.word, names);
                }
            }
        }
    }
}

fn collect_words(parts: &[Part], words: &mut Vec<Range<usize>>) {
    for part in parts {
        match part {
            Part::Text(text) => words.push(text.clone()),
            Part::Variable {
                rule: Some(rule), ..
            } if rule.kind != RuleKind::Required => collect_words(&rule.word, words),
            Part::Variable { .. } | Part::Placeholder { .. } => {}
        }
    }
}

/// Whether a text is surely plain. A `}` alone never means anything.
pub(super) fn has_no_forms(text: &str) -> bool {
    !text.bytes().any(|byte| matches!(byte, b'$' | b'{'))
}

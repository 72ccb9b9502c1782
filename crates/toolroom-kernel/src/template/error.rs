//! What can be wrong with a template, and where.
//!
//! Faults hold names, positions and the template's own words; never what a variable or
//! a parameter holds.

use std::fmt;

use thiserror::Error;

use super::MAX_JSON_DEPTH;
use crate::explain::{Explain, Position};

/// A fault and the spot of the template it is at.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct TemplateError {
    pub fault: Fault,
    /// The byte of the template's text.
    pub offset: usize,
    /// The same spot as line and column of that text.
    pub position: Position,
    /// The key of the document the text stands under, such as `args.1`.
    pub key: Option<String>,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    #[error("the template expects {expected}, not {}", Found(*.found))]
    Syntax {
        expected: &'static str,
        found: Option<char>,
    },
    #[error("the variable {name} is not set")]
    Unset { name: String },
    #[error("{{{path}}} has no value in this call")]
    Absent { path: String },
    #[error("{{{path}}} is a path that is not text")]
    NotText { path: String },
    #[error("the variable {name} is required but {}{}", lack(*.empty_is_unset), Message(.message))]
    Required {
        name: String,
        empty_is_unset: bool,
        /// The message of the template, as it is written there.
        message: String,
    },
    #[error("there is no placeholder {{{path}}}")]
    UnknownPlaceholder { path: String },
    #[error("the text grows past its limit of {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the document is nested deeper than {MAX_JSON_DEPTH} levels")]
    TooDeep,
}

struct Found(Option<char>);

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(found) => write!(f, "{found:?}"),
            None => f.write_str("the end of the text"),
        }
    }
}

struct Message<'m>(&'m str);

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            "" => Ok(()),
            message => write!(f, ": {message}"),
        }
    }
}

fn lack(empty_is_unset: bool) -> &'static str {
    if empty_is_unset {
        "not set, or empty"
    } else {
        "not set"
    }
}

impl TemplateError {
    pub(super) fn new(source: &str, offset: usize, fault: Fault) -> Self {
        Self {
            fault,
            offset,
            position: Position::at_offset(source, offset),
            key: None,
        }
    }

    /// The same error, one level further out in a document.
    #[must_use]
    pub(super) fn under(mut self, key: impl fmt::Display) -> Self {
        self.key = Some(match self.key {
            Some(inner) => format!("{key}.{inner}"),
            None => key.to_string(),
        });
        self
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (", self.fault)?;
        if let Some(key) = &self.key {
            write!(f, "{key}, ")?;
        }
        let Position { line, column } = self.position;
        if line > 1 {
            write!(f, "line {line}, ")?;
        }
        write!(f, "column {column} of the text)")
    }
}

impl Explain for TemplateError {
    fn code(&self) -> &'static str {
        match self.fault {
            Fault::Syntax { .. } => "template::syntax",
            Fault::Unset { .. } | Fault::Absent { .. } => "template::unset",
            Fault::NotText { .. } => "template::not_text",
            Fault::Required { .. } => "template::required",
            Fault::UnknownPlaceholder { .. } => "template::unknown_placeholder",
            Fault::TooLarge { .. } => "template::too_large",
            Fault::TooDeep => "template::too_deep",
        }
    }

    fn help(&self) -> Option<String> {
        Some(match &self.fault {
            Fault::Syntax { .. } => {
                "write ${NAME}, or ${NAME:-word} with a default; $${ stands for a plain ${"
                    .to_owned()
            }
            Fault::Unset { name } => format!("set {name}, or give it a default: ${{{name}:-word}}"),
            Fault::Absent { path } => format!("pass a value for {path}"),
            Fault::NotText { path } => {
                format!("rename what {path} stands for: only paths in UTF-8 can be filled in")
            }
            Fault::Required { name, .. } => format!("set {name}"),
            Fault::UnknownPlaceholder { path } => {
                format!("if the braces are meant as text, double them: {{{{{path}}}}}")
            }
            Fault::TooLarge { .. } => "keep large values in files, and pass their paths".to_owned(),
            Fault::TooDeep => "make the document flatter".to_owned(),
        })
    }
}

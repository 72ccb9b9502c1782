//! What can be wrong with a line: told by line and key, never with the value.

use std::fmt;

use thiserror::Error;

use crate::explain::Explain;
use crate::template::{Fault, TemplateError};

/// A line that gives no variable.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct DotenvProblem {
    /// Counted from one; for a value of several lines the first.
    pub line: u32,
    /// The key, where the line has something that looks like one.
    pub key: Option<String>,
    pub reason: Reason,
}

/// Why the line gives none.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Reason {
    #[error("the line is not KEY=value")]
    NotAnAssignment,
    #[error("the key is not a variable name")]
    InvalidKey,
    #[error("the quote is never closed")]
    UnclosedQuote,
    #[error("there is text after the closing quote")]
    TextAfterQuote,
    #[error("the value has a NUL character")]
    NulCharacter,
    #[error("the value has bytes that are not text")]
    NotText,
    #[error("the value expects {expected}")]
    Template { expected: &'static str },
    #[error("the value needs the variable {name}, which is not set or is empty")]
    Required { name: String },
    #[error("the value grows too large")]
    ValueTooLarge,
    #[error("the file is larger than 1 MiB")]
    FileTooLarge,
}

impl Reason {
    /// Keeps of a template's fault what repeats nothing of the value.
    pub(super) fn of_template(error: TemplateError) -> Self {
        match error.fault {
            Fault::Syntax { expected, .. } => Self::Template { expected },
            Fault::Required { name, .. } | Fault::Unset { name } => Self::Required { name },
            _ => Self::ValueTooLarge,
        }
    }
}

impl fmt::Display for DotenvProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.line)?;
        if let Some(key) = &self.key {
            write!(f, " ({key})")?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl Explain for DotenvProblem {
    fn code(&self) -> &'static str {
        match self.reason {
            Reason::NotAnAssignment => "dotenv::not_an_assignment",
            Reason::InvalidKey => "dotenv::invalid_key",
            Reason::UnclosedQuote => "dotenv::unclosed_quote",
            Reason::TextAfterQuote => "dotenv::text_after_quote",
            Reason::NulCharacter => "dotenv::nul_character",
            Reason::NotText => "dotenv::not_text",
            Reason::Template { .. } => "dotenv::template",
            Reason::Required { .. } => "dotenv::required",
            Reason::ValueTooLarge | Reason::FileTooLarge => "dotenv::too_large",
        }
    }

    fn help(&self) -> Option<String> {
        let help = match &self.reason {
            Reason::NotAnAssignment => {
                "write KEY=value, or begin the line with # to make it a comment"
            }
            Reason::InvalidKey => "use letters, digits and _, and do not begin with a digit",
            Reason::UnclosedQuote => "close the quote; within double quotes write \\\" for a quote",
            Reason::TextAfterQuote => "quote the whole value; a comment needs a blank before its #",
            Reason::NulCharacter => "remove the NUL character",
            Reason::NotText => "save the file as UTF-8",
            Reason::Template { .. } => "put the value in single quotes if its ${ is meant as text",
            Reason::Required { name } => return Some(format!("set {name}")),
            Reason::ValueTooLarge => "keep large values in files, and set their paths",
            Reason::FileTooLarge => "split the file",
        };
        Some(help.to_owned())
    }
}

//! Expanding a file's entries in order, each over those before it and the base.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use super::parse::{DotenvFile, Entry};
use super::problem::{DotenvProblem, Reason};
use crate::template::{Scope, Unset};

/// No process takes a longer variable.
const MAX_VALUE: usize = 128 * 1024;

/// What all values of a file may come to: entries that repeat each other double each time.
const MAX_TOTAL: usize = 4 * 1024 * 1024;

/// What a file sets, and everything that is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evaluated {
    /// One for each key, by line.
    pub variables: Vec<Variable>,
    /// What parsing and expanding found, by line.
    pub problems: Vec<DotenvProblem>,
}

/// A variable a dotenv file sets.
#[derive(Clone, PartialEq, Eq)]
pub struct Variable {
    pub key: String,
    pub value: String,
    pub line: u32,
}

impl fmt::Debug for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Variable");
        shown.field("key", &self.key).field("line", &self.line);
        shown.finish_non_exhaustive()
    }
}

/// Expands a file. An entry sees those above it, and below them the variables of `base`.
/// An entry that cannot be expanded leaves an earlier one of its key in force.
///
/// ```
/// use toolroom_kernel::dotenv::{evaluate, parse};
///
/// let file = parse("HOST=localhost\nURL=http://${HOST}:${PORT:-80}\n");
/// let evaluated = evaluate(&file, &|_: &str| None);
/// assert_eq!(evaluated.variables[1].value, "http://localhost:80");
/// ```
#[must_use]
pub fn evaluate(file: &DotenvFile, base: &dyn Scope) -> Evaluated {
    let mut problems = file.problems.clone();
    let mut earlier = Earlier {
        values: HashMap::new(),
        base,
    };
    let mut budget = MAX_TOTAL;
    for entry in &file.entries {
        let limit = budget.min(MAX_VALUE);
        match entry.value.expand_within(&earlier, Unset::Empty, limit) {
            Ok(value) => {
                budget -= value.len();
                earlier.values.insert(&entry.key, (value, entry.line));
            }
            Err(error) => {
                let reason = Reason::of_template(error);
                if reason == Reason::ValueTooLarge {
                    budget -= limit;
                }
                problems.push(problem(entry, reason));
            }
        }
    }
    problems.sort_by_key(|problem| problem.line);
    Evaluated {
        variables: earlier.into_variables(),
        problems,
    }
}

fn problem(entry: &Entry, reason: Reason) -> DotenvProblem {
    DotenvProblem {
        line: entry.line,
        key: Some(entry.key.clone()),
        reason,
    }
}

struct Earlier<'f> {
    values: HashMap<&'f str, (String, u32)>,
    base: &'f dyn Scope,
}

impl Scope for Earlier<'_> {
    fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        match self.values.get(name) {
            Some((value, _)) => Some(Cow::Borrowed(value)),
            None => self.base.variable(name),
        }
    }
}

impl Earlier<'_> {
    fn into_variables(self) -> Vec<Variable> {
        let variable = |(key, (value, line)): (&str, _)| Variable {
            key: key.to_owned(),
            value,
            line,
        };
        let mut variables: Vec<Variable> = self.values.into_iter().map(variable).collect();
        variables.sort_by_key(|variable| variable.line);
        variables
    }
}

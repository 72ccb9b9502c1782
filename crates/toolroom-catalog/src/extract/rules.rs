//! Applies an extractor's rules to one document. Knows no language: it sees documents,
//! file names and regular expressions only.

use std::collections::BTreeMap;
use std::path::Path;

use regex::{Regex, RegexBuilder};
use serde_json::{Map, Value};
use toolroom_kernel::Position;
use toolroom_kernel::model::{ToolId, field};

use super::document::{Document, Function, Variable, Wanted};
use super::schema::{self, Injection};
use super::spec::{Extractor, Keep, Rule};
use super::{front_matter, script_block};
use crate::problem::{Problem, ProblemKind};

/// What a tool says of itself, as a rule.
const USUAL_FIELDS: usize = 9;

/// A file about to be read.
#[derive(Debug, Clone, Copy)]
pub struct FileText<'a> {
    pub id: &'a ToolId,
    pub path: &'a Path,
    pub source: &'a str,
}

/// What the rules found.
#[derive(Debug, Default)]
pub struct Found {
    pub metadata: Map<String, Value>,
    pub positions: BTreeMap<String, Position>,
    pub problems: Vec<Problem>,
}

/// A value, and where it is written.
struct Hit {
    value: Value,
    at: Option<Position>,
}

impl Hit {
    fn bare(value: impl Into<Value>) -> Self {
        Self {
            value: value.into(),
            at: None,
        }
    }
}

/// The names an extractor's rules will ask a reader for.
#[must_use]
pub fn wanted(extractor: &Extractor) -> Wanted {
    let mut wanted = Wanted::default();
    for rule in extractor.rules.iter().flat_map(|field| &field.ways) {
        match rule {
            Rule::AstVar { name } => wanted.variables.extend(name.iter().cloned()),
            Rule::AstSignature { functions, .. }
            | Rule::AstReturns { functions }
            | Rule::AstSummary { functions }
            | Rule::AstOrder { functions }
            | Rule::AstEntry { functions } => wanted.functions.extend(functions.iter().cloned()),
            _ => {}
        }
    }
    wanted.functions.sort();
    wanted.functions.dedup();
    wanted
}

/// Reads every field of a file.
#[must_use]
pub fn apply(extractor: &Extractor, document: &mut Document, file: FileText<'_>) -> Found {
    let variables = std::mem::take(&mut document.variables);
    let mut reading = Reading {
        variables,
        extractor,
        document,
        file,
        front: None,
        problems: Vec::new(),
    };
    let mut found = Found {
        metadata: Map::with_capacity(USUAL_FIELDS),
        ..Found::default()
    };
    let mut derived = None;
    for rule in &extractor.rules {
        for way in &rule.ways {
            if rule.field == field::INPUT_SCHEMA
                && let Some(signature) = reading.signature(way)
            {
                derived = Some(signature);
                break;
            }
            if let Some(hit) = reading.hit(way) {
                record(&mut found, &rule.field, hit);
                break;
            }
        }
    }
    if extractor.keep == Keep::All {
        for (name, variable) in std::mem::take(&mut reading.variables) {
            if found.metadata.contains_key(&name) {
                continue;
            }
            if let Some(hit) = reading.literal(&name, variable) {
                record(&mut found, &name, hit);
            }
        }
    }
    found.problems = reading.problems;
    let derived = || {
        let (name, injection) = derived?;
        let function = document.functions.remove(name)?;
        Some(schema::of_function(function, injection))
    };
    if let Some(schema) = schema::effective(&found.metadata, derived) {
        found.metadata.insert(field::INPUT_SCHEMA.into(), schema);
    }
    found
}

fn record(found: &mut Found, name: &str, hit: Hit) {
    if let Some(at) = hit.at {
        found.positions.insert(name.to_owned(), at);
    }
    found.metadata.insert(name.to_owned(), hit.value);
}

struct Reading<'a> {
    extractor: &'a Extractor,
    document: &'a Document,
    /// The document's variables. A rule that names one takes it: values may be large.
    variables: BTreeMap<String, Variable>,
    file: FileText<'a>,
    /// The front matter of a file whose own reader is another one, read on first use.
    front: Option<Document>,
    problems: Vec<Problem>,
}

impl<'a> Reading<'a> {
    fn hit(&mut self, rule: &Rule) -> Option<Hit> {
        match rule {
            Rule::AstVar { name } => self.variable(name),
            Rule::AstDocstring {} => {
                let text = self.document.docstring.as_ref()?;
                non_empty(&text.value).map(|value| Hit {
                    value,
                    at: Some(text.at),
                })
            }
            Rule::AstSignature { .. } => {
                let (name, injection) = self.signature(rule)?;
                let function = self.document.functions.get(name)?.clone();
                Some(Hit::bare(schema::of_function(function, injection)))
            }
            Rule::AstReturns { functions } => {
                self.entry(functions)?.1.returns.clone().map(Hit::bare)
            }
            Rule::AstSummary { functions } => {
                let (_, function) = self.entry(functions)?;
                let value = non_empty(function.summary.as_deref()?)?;
                Some(Hit {
                    value,
                    at: Some(function.at),
                })
            }
            Rule::AstEntry { functions } => {
                let (name, function) = self.entry(functions)?;
                Some(Hit {
                    value: name.into(),
                    at: Some(function.at),
                })
            }
            Rule::AstOrder { functions } => {
                schema::order_of(self.entry(functions)?.1).map(Hit::bare)
            }
            Rule::Path { key } => dotted(&self.variables, key),
            Rule::FrontMatter { key } => self.front_matter(key),
            Rule::Regex {
                pattern,
                group,
                multiline,
                value,
            } => self
                .regex(pattern, *multiline)?
                .captures(self.file.source)
                .and_then(|found| {
                    let meant = value.as_ref();
                    let text = found.get(if meant.is_some() { 0 } else { *group })?;
                    Some(Hit {
                        value: meant.cloned().unwrap_or_else(|| text.as_str().into()),
                        at: Some(Position::at_offset(self.file.source, text.start())),
                    })
                }),
            Rule::RegexAll {
                pattern,
                group,
                multiline,
            } => self.every_match(pattern, *group, *multiline),
            Rule::Filename {} => Some(Hit::bare(self.file.id.name())),
            Rule::CategoryPath { .. } => self.file.id.category().map(Hit::bare),
            Rule::Comment {} => {
                let text = self.document.comment.as_ref()?;
                non_empty(&text.value).map(|value| Hit {
                    value,
                    at: Some(text.at),
                })
            }
            Rule::ScriptBlock { name } => self.script_block(name),
        }
    }

    /// The function a signature rule means, and what is not the caller's to give.
    fn signature<'r>(&self, rule: &'r Rule) -> Option<(&'r str, Injection<'r>)> {
        let Rule::AstSignature {
            functions,
            whole,
            injected,
        } = rule
        else {
            return None;
        };
        let (name, _) = self.entry(functions)?;
        let whole = whole.as_deref();
        Some((name, Injection { whole, injected }))
    }

    fn variable(&mut self, names: &[String]) -> Option<Hit> {
        let (name, variable) = names
            .iter()
            .find_map(|name| self.variables.remove_entry(name))?;
        self.literal(&name, variable)
    }

    fn literal(&mut self, name: &str, variable: Variable) -> Option<Hit> {
        match variable {
            Variable::Literal(literal) => Some(Hit {
                value: literal.value,
                at: Some(literal.at),
            }),
            Variable::NotLiteral(reason) => {
                let message = format!("{name} is not a literal: {}", reason.value);
                self.problems.push(
                    Problem::new(ProblemKind::NotLiteral, self.file.path, message)
                        .at(Some(reason.at))
                        .help(format!(
                            "metadata is read without running the file: write {name} as a plain literal, or rename it if it is not meant for Toolroom"
                        )),
                );
                None
            }
        }
    }

    /// The function a call would enter. A `main()` without parameters in a file that is
    /// also a script reads its own command line, so it is no function to call.
    fn entry<'r>(&self, functions: &'r [String]) -> Option<(&'r str, &'a Function)> {
        let document = self.document;
        let (name, function) = functions
            .iter()
            .find_map(|name| Some((name, document.functions.get(name)?)))?;
        let parses_arguments =
            document.is_script && function.parameters.is_empty() && !function.open;
        (!parses_arguments).then_some((name.as_str(), function))
    }

    fn front_matter(&mut self, key: &str) -> Option<Hit> {
        if self.extractor.reader == super::spec::Reader::FrontMatter {
            return dotted(&self.variables, key);
        }
        if self.front.is_none() {
            let style = super::comment_style(self.extractor)?;
            self.front = Some(front_matter::read(self.file.source, &style));
        }
        dotted(&self.front.as_ref()?.variables, key)
    }

    fn script_block(&mut self, name: &str) -> Option<Hit> {
        let comment = self.extractor.comment.as_ref()?.line.first()?;
        match script_block::read(self.file.source, comment, name) {
            Ok(block) => block.map(|block| Hit {
                value: block.value,
                at: Some(block.at),
            }),
            Err(fault) => {
                self.problems.push(
                    Problem::new(ProblemKind::Syntax, self.file.path, fault.message)
                        .at(Some(fault.at)),
                );
                None
            }
        }
    }

    fn every_match(&mut self, pattern: &str, group: usize, multiline: bool) -> Option<Hit> {
        let matches: Vec<Value> = self
            .regex(pattern, multiline)?
            .captures_iter(self.file.source)
            .filter_map(|found| Some(found.get(group)?.as_str().into()))
            .collect();
        (!matches.is_empty()).then(|| Hit::bare(matches))
    }

    fn regex(&mut self, pattern: &str, multiline: bool) -> Option<Regex> {
        match RegexBuilder::new(pattern).multi_line(multiline).build() {
            Ok(regex) => Some(regex),
            Err(error) => {
                let message = format!(
                    "{} has a bad pattern {pattern:?}: {error}",
                    self.extractor.id
                );
                self.problems.push(Problem::new(
                    ProblemKind::BadExtractor,
                    self.file.path,
                    message,
                ));
                None
            }
        }
    }
}

/// A value by its dotted key.
fn dotted(variables: &BTreeMap<String, Variable>, key: &str) -> Option<Hit> {
    let mut parts = key.split('.');
    let variable = variables.get(parts.next()?)?;
    let Variable::Literal(literal) = variable else {
        return None;
    };
    let value = parts.try_fold(&literal.value, |value, part| match value {
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        other => other.get(part),
    })?;
    Some(Hit {
        value: value.clone(),
        at: Some(literal.at),
    })
}

fn non_empty(text: &str) -> Option<Value> {
    let text = text.trim();
    (!text.is_empty()).then(|| text.into())
}

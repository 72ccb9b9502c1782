//! Reads a tool's metadata from its text, without running it.
//!
//! Which reader and which rules apply is data (`core/extractors/`); readers turn a
//! language into a `Document`, rules turn a document into metadata.

pub mod data;
mod declared;
pub mod document;
pub mod front_matter;
pub mod javascript;
mod locate;
mod prose;
pub mod python;
pub mod registry;
pub mod rules;
mod scan;
pub mod schema;
pub mod script_block;
pub mod spec;
mod validate;

use serde_json::Value;
use toolroom_kernel::model::{Role, field};

use self::document::Document;
use self::registry::{Extractors, Prepared};
use self::rules::{FileText, Found};
use self::spec::{Extractor, FrontMatter, Reader, Unmarked};
use crate::problem::{Problem, ProblemKind};

/// What a file turned out to be.
#[derive(Debug)]
pub enum Extraction {
    /// Metadata, with whatever is wrong with it.
    Tool(Found),
    /// A file that only happens to lie among tools.
    NotATool,
}

/// Reads a text with the extractor for its extension.
#[must_use]
pub fn extract(extractors: &Extractors, extension: &str, file: FileText<'_>) -> Extraction {
    match extractors.prepared(extension) {
        None => Extraction::NotATool,
        Some(Ok(prepared)) => extract_with(prepared, file),
        Some(Err(fault)) => Extraction::Tool(Found {
            problems: vec![Problem::new(
                ProblemKind::BadExtractor,
                file.path,
                format!("the extractor for {extension} is broken: {fault}"),
            )],
            ..Found::default()
        }),
    }
}

fn extract_with(prepared: &Prepared, file: FileText<'_>) -> Extraction {
    let extractor = &prepared.extractor;
    if extractor.front_matter == FrontMatter::Required
        && !comment_style(extractor)
            .is_some_and(|style| front_matter::has_block(file.source, &style))
    {
        return Extraction::NotATool;
    }
    let mut document = read(prepared, file.source);
    let is_marked = |found: &Found| {
        [field::TOOL_TYPE, field::EXECUTOR_ID]
            .iter()
            .any(|name| found.metadata.contains_key(*name))
    };
    let mut found = rules::apply(extractor, &mut document, file);
    // A file that cannot be parsed may still have meant to be a tool.
    let seems_marked = || {
        !document.faults.is_empty()
            && [field::TOOL_TYPE, field::EXECUTOR_ID]
                .iter()
                .any(|name| file.source.contains(*name))
    };
    if extractor.unmarked == Unmarked::Skip && !is_marked(&found) && !seems_marked() {
        return Extraction::NotATool;
    }
    // Further faults are mostly consequences of the first.
    if let Some(fault) = document.faults.first() {
        let message = uncapitalised(&fault.message);
        let problem = Problem::new(ProblemKind::Syntax, file.path, message).at(Some(fault.at));
        found.problems.insert(0, problem);
    }
    if extractor.unmarked == Unmarked::Report && !is_marked(&found) && found.problems.is_empty() {
        found.problems.push(
            Problem::new(
                ProblemKind::MissingExecutor,
                file.path,
                "the file says neither tool_type nor executor_id, so nothing can run it",
            )
            .at(Some(toolroom_kernel::Position::START))
            .help("add executor_id: http (or another runtime; see toolroom list --runtimes), or move the file out of tools/"),
        );
    }
    fill_defaults(extractor, &mut found);
    mark_scripts(extractor, &mut found);
    validate::check(&mut found, file);
    Extraction::Tool(found)
}

/// Messages begin in lower case; some parsers' do not.
fn uncapitalised(message: &str) -> String {
    let mut characters = message.chars();
    match (characters.next(), characters.next()) {
        (Some(first), Some(second)) if first.is_uppercase() && second.is_lowercase() => first
            .to_lowercase()
            .chain(message.chars().skip(1))
            .collect(),
        _ => message.to_owned(),
    }
}

/// A file's text as a document.
fn read(prepared: &Prepared, source: &str) -> Document {
    let wanted = &prepared.wanted;
    match prepared.extractor.reader {
        Reader::Python => python::read(source, wanted),
        Reader::Javascript => javascript::read(source, javascript::Dialect::JavaScript, wanted),
        Reader::Typescript => javascript::read(source, javascript::Dialect::TypeScript, wanted),
        Reader::Tsx => javascript::read(source, javascript::Dialect::Tsx, wanted),
        Reader::Yaml => data::read(source, data::Format::Yaml),
        Reader::Toml => data::read(source, data::Format::Toml),
        Reader::Json => data::read(source, data::Format::Json),
        Reader::FrontMatter => comment_style(&prepared.extractor)
            .map(|style| front_matter::read(source, &style))
            .unwrap_or_default(),
        Reader::Text => Document::default(),
    }
}

fn comment_style(extractor: &Extractor) -> Option<front_matter::CommentStyle> {
    extractor
        .comment
        .as_ref()
        .map(|comment| front_matter::CommentStyle {
            line: comment.line.clone(),
            block: comment.block.clone(),
        })
}

/// A tool whose functions are known and which has none to call says so: it is a script.
fn mark_scripts(extractor: &Extractor, found: &mut Found) {
    let knows_functions = extractor
        .rules
        .iter()
        .any(|rule| rule.field == field::ENTRY);
    let kind = found.metadata.get(field::TOOL_TYPE).and_then(Value::as_str);
    let is_tool = kind.is_none_or(|kind| Role::of_type(kind) == Role::Tool);
    if knows_functions && is_tool {
        found.metadata.entry(field::ENTRY).or_insert(Value::Null);
    }
}

/// What runs a runtime that does not say so itself.
const RUNTIME_DEFAULTS: [(&str, &str); 2] = [
    (field::TOOL_TYPE, "runtime"),
    (field::EXECUTOR_ID, "primitives/subprocess"),
];

/// A tool that does not say what runs it is run by its language's runtime. A file that
/// declares an environment and has nothing to call is a runtime itself.
fn fill_defaults(extractor: &Extractor, found: &mut Found) {
    let metadata = &mut found.metadata;
    let has = |name: &str| metadata.contains_key(name);
    let is_runtime = has(field::ENV_CONFIG)
        && ![field::TOOL_TYPE, field::EXECUTOR_ID, field::ENTRY]
            .into_iter()
            .any(has);
    if is_runtime {
        for (name, value) in RUNTIME_DEFAULTS {
            metadata.insert(name.to_owned(), value.into());
        }
        return;
    }
    let declared = metadata.get(field::TOOL_TYPE).and_then(Value::as_str);
    let is_machinery = declared.is_some_and(|kind| Role::of_type(kind) != Role::Tool);
    for (name, value) in &extractor.defaults {
        // A runtime or primitive says its executor itself, or has none.
        let is_left_to_itself = is_machinery && name == field::EXECUTOR_ID;
        if !is_left_to_itself && !metadata.contains_key(name) {
            metadata.insert(name.clone(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests;

//! Puts a document together from what the other files of this reader find.

use tree_sitter::{Language, Node};

use super::comments;
use super::literal::evaluate;
use super::module::{Definition, Module};
use super::scope::Scope;
use super::signature;
use super::syntax::{self, MAX_SOURCE_BYTES, Source};
use crate::extract::document::{Document, Located, SyntaxFault, Variable, Wanted};
use toolroom_kernel::Position;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Which grammar a file follows; its extension tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    JavaScript,
    TypeScript,
    Tsx,
}

impl Dialect {
    pub(super) fn language(self) -> Language {
        match self {
            Self::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX.into(),
        }
    }
}

/// Reads a file's text: the wanted names, its documentation, and what does not parse.
#[must_use]
pub fn read(source: &str, dialect: Dialect, wanted: &Wanted) -> Document {
    let text = source.strip_prefix(BYTE_ORDER_MARK).unwrap_or(source);
    let Some(tree) = syntax::parse(text, &dialect.language()) else {
        return unreadable(text);
    };
    let root = tree.root_node();
    let source = Source(text);
    let module = Module::new(root, source);
    let heading = comments::heading(root, source);
    let mut document = Document {
        docstring: heading.docstring,
        comment: heading.comment,
        is_script: module.is_script,
        faults: syntax::faults(root, source),
        ..Document::default()
    };
    for name in &wanted.variables {
        if let Some(definition) = module.definition(name) {
            let variable = variable(&module, definition);
            document.variables.insert(name.clone(), variable);
        }
    }
    functions(root, &module, wanted, &mut document);
    document
}

fn unreadable(text: &str) -> Document {
    let message = if text.len() > MAX_SOURCE_BYTES {
        format!("the file is longer than {} MiB", MAX_SOURCE_BYTES >> 20)
    } else {
        "the text is too tangled to parse".to_owned()
    };
    Document {
        faults: vec![SyntaxFault {
            at: Position::START,
            message,
        }],
        ..Document::default()
    }
}

fn variable<'t>(module: &Module<'t>, definition: Definition<'t>) -> Variable {
    let source = module.source;
    if let Some(reason) = definition.hidden {
        return Variable::NotLiteral(Located {
            value: reason.to_owned(),
            at: source.at(definition.value),
        });
    }
    match evaluate(module, definition.value) {
        Ok(value) => Variable::Literal(Located {
            value,
            at: source.at(definition.value),
        }),
        Err(obstacle) => Variable::NotLiteral(Located {
            value: obstacle.reason,
            at: source.at(obstacle.node),
        }),
    }
}

fn functions<'t>(root: Node<'t>, module: &Module<'t>, wanted: &Wanted, document: &mut Document) {
    let found: Vec<_> = wanted
        .functions
        .iter()
        .filter_map(|name| Some((name, module.definition(name)?)))
        .collect();
    if found.is_empty() {
        return;
    }
    let scope = Scope::new(root, module);
    for (name, definition) in found {
        if let Some(function) = signature::function(module, &scope, definition) {
            document.functions.insert(name.clone(), function);
        }
    }
}

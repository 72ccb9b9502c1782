//! Reads one module: a guard, one parse of its outline (of all of it, if that has a fault), one
//! pass over its statements, then what was asked for.
//!
//! Never fails: what cannot be read is a fault in the document, beside what can be read.

use std::borrow::Cow;

use ruff_python_ast::{CmpOp, Expr, ModModule, PySourceType, Stmt};
use ruff_python_parser::{Parsed, parse_unchecked_source};
use ruff_text_size::{Ranged, TextSize};
use toolroom_kernel::Position;

use super::scope::{Binding, Bound, Scope};
use super::{comment, docstring, literal, nesting, outline, signature};
use crate::extract::document::{Document, Located, SyntaxFault, Variable, Wanted};
use crate::extract::scan::has_byte;

/// No tool is larger; a file that is, is something else.
const MAX_BYTES: usize = 4 << 20;
/// The first faults tell what is wrong, the others follow from them.
const MAX_FAULTS: usize = 10;

/// Reads a Python file's text, without running it.
#[must_use]
pub fn read(source: &str, wanted: &Wanted) -> Document {
    if source.len() > MAX_BYTES {
        let message = format!("the file is larger than {} MiB", MAX_BYTES >> 20);
        return refused(Position::START, message);
    }
    let source = &*normalized(source);
    if let Some(offset) = nesting::too_deep_at(source) {
        let message = format!("it is nested deeper than {} levels", nesting::MAX_DEPTH);
        return refused(Position::at_offset(source, offset), message);
    }
    let is_wanted = |name: &[u8]| {
        let mut names = wanted.functions.iter();
        names.any(|wanted| wanted.as_bytes() == name)
    };
    if let Some(outline) = outline::of(source, is_wanted) {
        let parsed = parse(&outline);
        let scope = Scope::of(&parsed.syntax().body);
        // By what is wanted another function may be meant, of which the outline has the name only.
        let mut meant = wanted
            .functions
            .iter()
            .filter_map(|name| scope.function(name));
        let is_enough = meant.all(|function| is_wanted(function.name.as_str().as_bytes()));
        if parsed.has_valid_syntax() && is_enough {
            return describe(source, &parsed, &scope, wanted);
        }
    }
    let parsed = parse(source);
    describe(source, &parsed, &Scope::of(&parsed.syntax().body), wanted)
}

fn parse(source: &str) -> Parsed<ModModule> {
    parse_unchecked_source(source, PySourceType::Python)
}

fn refused(at: Position, message: String) -> Document {
    Document {
        faults: vec![SyntaxFault { at, message }],
        ..Document::default()
    }
}

/// Without a byte order mark, and with the line ends Python itself would see.
fn normalized(source: &str) -> Cow<'_, str> {
    let source = source.strip_prefix('\u{feff}').unwrap_or(source);
    if has_byte(source, b'\r') {
        Cow::Owned(source.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(source)
    }
}

fn describe(
    source: &str,
    parsed: &Parsed<ModModule>,
    scope: &Scope<'_>,
    wanted: &Wanted,
) -> Document {
    let position = |offset: TextSize| Position::at_offset(source, offset.to_usize());
    let body = &parsed.syntax().body;
    let mut document = Document {
        comment: comment::first(source, body, parsed.tokens()),
        is_script: body.iter().any(is_main_guard),
        ..Document::default()
    };
    if let Some(text) = signature::docstring(body) {
        let value = docstring::clean(text.value.to_str()).into_owned();
        let at = position(text.start());
        document.docstring = Some(Located { value, at }).filter(|text| !text.value.is_empty());
    }
    for name in &wanted.variables {
        let found = scope
            .last(name)
            .and_then(|found| variable(found, scope, position));
        if let Some(variable) = found {
            document.variables.insert(name.clone(), variable);
        }
    }
    for name in &wanted.functions {
        if let Some(definition) = scope.function(name) {
            let function = signature::read(definition, scope, source);
            document.functions.insert(name.clone(), function);
        }
    }
    let faults = parsed.errors().iter().take(MAX_FAULTS);
    document.faults = faults
        .map(|fault| SyntaxFault {
            at: position(fault.location.start()),
            message: fault.error.to_string(),
        })
        .collect();
    document
}

/// A name bound to a function or a class is no variable.
fn variable(
    binding: Binding<'_>,
    scope: &Scope<'_>,
    position: impl Fn(TextSize) -> Position,
) -> Option<Variable> {
    let unknown = |reason: String, at: TextSize| {
        let at = position(at);
        Some(Variable::NotLiteral(Located { value: reason, at }))
    };
    match binding.bound {
        Bound::Value(expression) => match literal::evaluate(expression, scope, binding.at) {
            Ok(value) => {
                let at = position(expression.start());
                Some(Variable::Literal(Located { value, at }))
            }
            Err(obstacle) => unknown(obstacle.reason, obstacle.at),
        },
        Bound::Imported(_) => unknown("it is imported from another file".to_owned(), binding.at),
        Bound::Unknown(reason) => unknown(reason.to_owned(), binding.at),
        Bound::Changed => unknown("it is changed after its assignment".to_owned(), binding.at),
        Bound::Function(_) | Bound::Class(_) | Bound::Alias(_) => None,
    }
}

/// `if __name__ == "__main__":`, either way round.
fn is_main_guard(statement: &Stmt) -> bool {
    let Stmt::If(branch) = statement else {
        return false;
    };
    let Expr::Compare(comparison) = &*branch.test else {
        return false;
    };
    let ([CmpOp::Eq], [right]) = (&*comparison.ops, &*comparison.comparators) else {
        return false;
    };
    let is_name = |side: &Expr| matches!(side, Expr::Name(name) if name.id.as_str() == "__name__");
    let is_main = |side: &Expr| matches!(side, Expr::StringLiteral(text) if text.value.to_str() == "__main__");
    let left = &*comparison.left;
    is_name(left) && is_main(right) || is_main(left) && is_name(right)
}

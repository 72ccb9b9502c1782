//! Finds the comment at a module's head that describes it.
//!
//! The head ends where the program begins: at the first statement that is no docstring, no
//! import and no dunder. What is prose at all is decided where every language decides it.

use ruff_python_ast::token::{TokenKind, Tokens};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged, TextSize};
use toolroom_kernel::Position;

use crate::extract::document::Located;
use crate::extract::prose::{self, Line};

/// The first prose comment of the head.
pub(super) fn first(source: &str, body: &[Stmt], tokens: &Tokens) -> Option<Located<String>> {
    let end = body
        .iter()
        .find(|statement| !is_preamble(statement))
        .map_or_else(|| TextSize::of(source), Ranged::start);
    let mut line = 1_u32;
    let mut counted = 0;
    let mut last = TokenKind::Newline;
    let lines = tokens
        .iter()
        .take_while(|token| token.start() < end)
        .filter_map(|token| {
            let previous = std::mem::replace(&mut last, token.kind());
            let start = token.start().to_usize();
            match token.kind() {
                TokenKind::Comment if begins_line(source, start) => {
                    let passed = source.get(counted..start)?;
                    let newlines = passed.bytes().filter(|byte| *byte == b'\n').count();
                    line = line.saturating_add(u32::try_from(newlines).unwrap_or(u32::MAX));
                    counted = start;
                    let at = Position { line, column: 2 };
                    let text = source.get(start..token.end().to_usize())?;
                    let text = text.strip_prefix('#')?;
                    (!is_for_tools(text, line)).then_some(Some(Line { at, text }))
                }
                // The end of the comment's own line.
                TokenKind::NonLogicalNewline if previous == TokenKind::Comment => None,
                _ => Some(None),
            }
        });
    prose::first(lines)
}

fn begins_line(source: &str, offset: usize) -> bool {
    offset == 0 || source.as_bytes().get(offset - 1) == Some(&b'\n')
}

fn is_preamble(statement: &Stmt) -> bool {
    let is_dunder = |target: &Expr| matches!(target, Expr::Name(name) if name.id.starts_with("__") && name.id.ends_with("__"));
    match statement {
        Stmt::Import(_) | Stmt::ImportFrom(_) => true,
        Stmt::Expr(statement) => statement.value.is_string_literal_expr(),
        Stmt::Assign(assign) => assign.targets.iter().all(is_dunder),
        Stmt::AnnAssign(assign) => is_dunder(&assign.target),
        _ => false,
    }
}

/// Whether a comment speaks to Python's own tools, or only names the file.
fn is_for_tools(text: &str, line: u32) -> bool {
    const OPENINGS: [&str; 17] = [
        "type:",
        "fmt:",
        "noqa",
        "nosec",
        "pragma:",
        "pylint:",
        "ruff:",
        "mypy:",
        "pyright:",
        "pyre-",
        "flake8:",
        "isort:",
        "yapf:",
        "ty:",
        "cython:",
        "rye:",
        "Licensed under",
    ];
    if line == 1 && text.starts_with('!') {
        return true;
    }
    let text = text.trim();
    let is_path = !text.contains(char::is_whitespace)
        && (text.contains(['/', '\\']) && !text.starts_with("///") || text.ends_with(".py"));
    is_path
        || OPENINGS.iter().any(|opening| {
            text.get(..opening.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(opening))
        })
}

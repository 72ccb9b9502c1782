//! The parser behind one door: text in, a tree out, and a plain account of what did not parse.
//!
//! Promises bounded work on hostile text. Knows the grammar's node names only as far as
//! errors and comments go.

use std::ops::ControlFlow;

use toolroom_kernel::Position;
use tree_sitter::{Language, Node, ParseOptions, ParseState, Parser, Tree, TreeCursor};

use crate::extract::document::SyntaxFault;

/// Longer files are not parsed: no tool's source is this long, and trees cost many times their text.
pub(super) const MAX_SOURCE_BYTES: usize = 2 * 1024 * 1024;
/// How deep values and types may nest before they count as unreadable.
pub(super) const MAX_DEPTH: usize = 64;
const MAX_FAULTS: usize = 5;
const MAX_QUOTED_CHARS: usize = 24;

/// The text a tree was made from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Source<'t>(pub(super) &'t str);

impl<'t> Source<'t> {
    pub(super) fn text(self, node: Node<'_>) -> &'t str {
        self.0.get(node.byte_range()).unwrap_or_default()
    }

    /// Looks at the node's own line only, so that many nodes may be asked about.
    pub(super) fn at(self, node: Node<'_>) -> Position {
        let start = node.start_position();
        let line_start = node.start_byte().saturating_sub(start.column);
        let before = self.0.get(line_start..node.start_byte());
        let one_based = |count: usize| u32::try_from(count + 1).unwrap_or(u32::MAX);
        Position {
            line: one_based(start.row),
            column: one_based(before.unwrap_or_default().chars().count()),
        }
    }
}

/// Parses the text, or gives up when that takes far more steps than its length can justify.
pub(super) fn parse(text: &str, language: &Language) -> Option<Tree> {
    if text.len() > MAX_SOURCE_BYTES {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(language).ok()?;
    // The callback comes every hundred parser steps; real code needs a fiftieth of it per byte.
    let mut left = 1_000 + text.len() / 2;
    let mut progress = |_: &ParseState| match left.checked_sub(1) {
        Some(rest) => {
            left = rest;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let mut chunk = |offset: usize, _| bytes.get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut chunk, None, Some(options))
}

pub(super) fn is_comment(node: Node<'_>) -> bool {
    matches!(node.kind(), "comment" | "html_comment")
}

/// The named children, without the comments that may stand anywhere between them.
pub(super) fn parts<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor)
        .filter(|child| !is_comment(*child))
        .collect()
}

/// Every child, punctuation and comments included.
pub(super) fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// Tells whether an anonymous token such as `default` or `?` stands directly in the node.
pub(super) fn has_token(node: Node<'_>, token: &str) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor)
        .any(|child| !child.is_named() && child.kind() == token)
}

/// The first few places the parser had to skip or invent something.
pub(super) fn faults(root: Node<'_>, source: Source<'_>) -> Vec<SyntaxFault> {
    let mut found = Vec::new();
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        let broken = node.is_error() || node.is_missing();
        if broken {
            found.push(fault(node, source));
            if found.len() == MAX_FAULTS {
                return found;
            }
        }
        let entered = !broken && node.has_error() && cursor.goto_first_child();
        if !entered && !goto_next(&mut cursor) {
            return found;
        }
    }
}

/// Steps to the next node in reading order, without entering the current one.
fn goto_next(cursor: &mut TreeCursor<'_>) -> bool {
    loop {
        if cursor.goto_next_sibling() {
            return true;
        }
        if !cursor.goto_parent() {
            return false;
        }
    }
}

fn fault(node: Node<'_>, source: Source<'_>) -> SyntaxFault {
    if node.is_missing() {
        let message = if node.is_named() {
            format!("missing {}", node.kind().replace('_', " "))
        } else {
            format!("missing `{}`", node.kind())
        };
        return SyntaxFault {
            at: source.at(node),
            message,
        };
    }
    let (culprit, message) = skipped(node, source);
    SyntaxFault {
        at: source.at(culprit),
        message,
    }
}

/// Finds what is wrong with a stretch the parser skipped: a bracket first of all, for an
/// unbalanced one makes it skip much that is innocent.
fn skipped<'t>(error: Node<'t>, source: Source<'_>) -> (Node<'t>, String) {
    let inside = children(error);
    let mut open: Vec<Node<'t>> = Vec::new();
    for child in inside.iter().copied().filter(|child| !child.is_named()) {
        match child.kind() {
            "{" | "[" | "(" | "${" => open.push(child),
            closer @ ("}" | "]" | ")") => match open.pop() {
                Some(opener) if closes(opener.kind(), closer) => {}
                _ => return (child, format!("unexpected `{closer}`")),
            },
            _ => {}
        }
    }
    if let Some(opener) = open.last() {
        return (*opener, format!("`{}` is never closed", opener.kind()));
    }
    let culprit = inside.first().copied().unwrap_or(error);
    (culprit, unexpected(source.text(error)))
}

fn closes(opener: &str, closer: &str) -> bool {
    match opener {
        "[" => closer == "]",
        "(" => closer == ")",
        _ => closer == "}",
    }
}

fn unexpected(text: &str) -> String {
    match text.chars().next() {
        None => return "unexpected end of file".to_owned(),
        Some('"' | '\'') => return "unterminated string".to_owned(),
        Some('`') => return "unterminated template string".to_owned(),
        Some('=') if text.trim() == "=" => return "missing value after `=`".to_owned(),
        Some(_) if text.starts_with("/*") => return "unterminated comment".to_owned(),
        Some(odd) if odd.is_control() => {
            return format!("unexpected character U+{:04X}", u32::from(odd));
        }
        Some(_) => {}
    }
    let word = text.split_whitespace().next().unwrap_or_default();
    let short: String = word.chars().take(MAX_QUOTED_CHARS).collect();
    let more = if short.len() < word.len() { "…" } else { "" };
    format!("unexpected `{short}{more}`")
}

//! The comments that speak for the whole file, and the one that speaks for a definition.
//!
//! Decides what a comment belongs to and what is prose; a doc comment's tags are [`super::jsdoc`]'s.

use tree_sitter::Node;

use super::jsdoc;
use super::syntax::{Source, children, is_comment, parts};
use crate::extract::document::Located;
use crate::extract::prose;

/// Beginnings of comments meant for this language's tools, not for readers.
const MARKERS: &[&str] = &[
    "@ts-",
    "@flow",
    "@jsx",
    "@license",
    "@preserve",
    "eslint",
    "jshint",
    "jslint",
    "tslint",
    "biome-ignore",
    "prettier-ignore",
    "deno-lint-ignore",
    "istanbul ignore",
    "c8 ignore",
    "v8 ignore",
    "global ",
    "globals ",
    "#region",
    "#endregion",
    "# sourceMappingURL",
    "/ <reference",
    "/ <amd",
];

/// A heading is over after this many comments and imports.
const MAX_HEADING_NODES: usize = 512;
/// Line comments (for linters, mostly) that may stand between a block and its code.
const MAX_LINES_BETWEEN: usize = 8;

/// The file's own documentation and its first prose line comment.
#[derive(Debug, Default)]
pub(super) struct Heading {
    pub(super) docstring: Option<Located<String>>,
    pub(super) comment: Option<Located<String>>,
}

/// Reads the comments above the first statement that is more than an import.
pub(super) fn heading<'t>(root: Node<'t>, source: Source<'t>) -> Heading {
    let mut docstring = None;
    let mut lines = Vec::new();
    let mut cursor = root.walk();
    let top = root.children(&mut cursor).take(MAX_HEADING_NODES);
    let nodes: Vec<Node<'t>> = top.collect();
    for (index, node) in nodes.iter().enumerate() {
        if is_comment(*node) {
            if source.text(*node).starts_with("//") {
                lines.push(*node);
            } else if docstring.is_none() {
                let next = following(nodes.get(index + 1..).unwrap_or_default());
                docstring = docstring_at(*node, next, source);
            }
        } else if node.kind() != "hash_bang_line" && !is_preamble(*node, source) {
            break;
        }
    }
    Heading {
        docstring,
        comment: first_prose(&lines, source),
    }
}

/// The first run of line comments for readers; metadata between two `---` lines is none.
fn first_prose<'t>(comments: &[Node<'t>], source: Source<'t>) -> Option<Located<String>> {
    let mut lines = Vec::new();
    let mut in_front_matter = false;
    let mut last_row = None;
    for comment in comments {
        let row = comment.start_position().row;
        if last_row.is_some_and(|last| row > last + 1) {
            lines.push(None);
        }
        last_row = Some(row);
        let text = source.text(*comment);
        let text = text.strip_prefix("//").unwrap_or(text);
        if text.trim() == "---" {
            in_front_matter = !in_front_matter;
        } else if !in_front_matter && !is_marker(text) {
            let mut at = source.at(*comment);
            at.column = at.column.saturating_add(2);
            lines.push(Some(prose::Line { at, text }));
        }
    }
    prose::first(lines.into_iter())
}

/// The node a comment stands above; line comments in between do not count.
fn following<'t>(rest: &[Node<'t>]) -> Option<Node<'t>> {
    rest.iter().find(|node| !is_comment(**node)).copied()
}

fn docstring_at(
    comment: Node<'_>,
    next: Option<Node<'_>>,
    source: Source<'_>,
) -> Option<Located<String>> {
    let text = source.text(comment);
    if text.starts_with("/*!") || is_for_programs(text) {
        return None;
    }
    let above_code =
        next.is_some_and(|next| is_described(next, source)) && belongs_to_code(comment, source);
    if above_code {
        return None;
    }
    let value = jsdoc::parse(text).overview?;
    Some(Located {
        value,
        at: source.at(comment),
    })
}

fn is_for_programs(block: &str) -> bool {
    let text = jsdoc::clean(block);
    let first = text.lines().next().unwrap_or_default();
    is_marker(first)
        || prose::is_for_machines(first)
        || block.contains("@license")
        || block.contains("SPDX-License-Identifier")
}

fn is_marker(line: &str) -> bool {
    let line = line.trim_start();
    MARKERS.iter().any(|marker| line.starts_with(marker))
}

/// Imports, directives and `require` lines: what stands between a heading and the code.
fn is_preamble(node: Node<'_>, source: Source<'_>) -> bool {
    match node.kind() {
        "import_statement" | "import_alias" | "empty_statement" => true,
        "expression_statement" => parts(node).first().is_some_and(|n| n.kind() == "string"),
        "lexical_declaration" | "variable_declaration" => parts(node).iter().all(|declarator| {
            let value = declarator.child_by_field_name("value");
            value.is_some_and(|value| source.text(value).starts_with("require("))
        }),
        _ => false,
    }
}

/// What a block above it may describe: a declaration, or a value that is given a name. Of
/// a call or a loop nobody asks what it is, so the block is the file's.
fn is_described(node: Node<'_>, source: Source<'_>) -> bool {
    const NAMED: [&str; 3] = ["assignment_expression", "internal_module", "module"];
    match node.kind() {
        _ if is_preamble(node, source) => false,
        "export_statement" | "function_signature" | "module" => true,
        "expression_statement" => parts(node)
            .first()
            .is_some_and(|expression| NAMED.contains(&expression.kind())),
        kind => kind.ends_with("_declaration"),
    }
}

/// A block directly above code is the code's, unless it says it is the file's; across a
/// blank line only if it describes parameters.
fn belongs_to_code(comment: Node<'_>, source: Source<'_>) -> bool {
    let doc = jsdoc::parse(source.text(comment));
    let next_row = comment.next_sibling().map(|next| next.start_position().row);
    let is_adjacent = next_row.is_some_and(|row| row <= comment.end_position().row + 1);
    !doc.is_about_file && (is_adjacent || doc.is_about_function())
}

/// The documentation block that belongs to a statement or property.
pub(super) fn doc_of<'t>(holder: Node<'t>, source: Source<'t>) -> Option<&'t str> {
    let mut previous = holder.prev_sibling()?;
    for _ in 0..MAX_LINES_BETWEEN {
        if is_comment(previous) && source.text(previous).starts_with("//") {
            previous = previous.prev_sibling()?;
        }
    }
    let is_block = is_comment(previous) && source.text(previous).starts_with("/*");
    (is_block && belongs_to_code(previous, source)).then(|| source.text(previous))
}

/// The children that are not punctuation, each with what the comments next to it say.
pub(super) fn described<'t>(list: Node<'t>, source: Source<'t>) -> Vec<(Node<'t>, Option<String>)> {
    let nodes = children(list);
    let mut found: Vec<(Node<'t>, Option<String>)> = Vec::new();
    let mut above: Vec<String> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        if !is_comment(*node) {
            if node.is_named() {
                let said = above.join(" ");
                found.push((*node, (!said.is_empty()).then_some(said)));
                above.clear();
            }
            continue;
        }
        let Some(said) = member_text(source.text(*node)) else {
            continue;
        };
        let row = node.start_position().row;
        let ends_line = nodes
            .get(index + 1)
            .is_none_or(|next| next.start_position().row > row);
        match found.last_mut() {
            Some((member, none @ None)) if ends_line && member.end_position().row == row => {
                *none = Some(said);
            }
            _ => above.push(said),
        }
    }
    found
}

fn member_text(comment: &str) -> Option<String> {
    let text = match comment.strip_prefix("//") {
        Some(line) if is_marker(line) || prose::is_for_machines(line) => return None,
        Some(line) => line.to_owned(),
        None => jsdoc::parse(comment).summary?,
    };
    Some(jsdoc::one_line(&text))
}

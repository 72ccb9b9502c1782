//! JSON and JSON with comments, edited between its tokens.

use jsonc_parser::ast::{Object, Value as Node};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions, ParseResult, parse_to_ast,
};
use serde_json::{Map, Value};

use super::render::{self, Layout};
use super::splice::{Splice, apply, indent_at, newline, unit, with_newlines};
use super::{Fault, Slot, nested, whole};

pub fn value(text: &str) -> Result<Value, Fault> {
    let parsed = parse(text)?;
    Ok(parsed.value.as_ref().map_or(Value::Null, data))
}

pub fn has_comment(text: &str) -> bool {
    let tokens = parse(text)
        .ok()
        .and_then(|parsed| parsed.tokens)
        .unwrap_or_default();
    tokens.iter().any(is_comment)
}

fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

pub fn fresh(new_file: &Map<String, Value>, slot: Slot<'_>, entry: &Map<String, Value>) -> String {
    let layout = Layout::Lines {
        unit: "  ",
        base: "",
    };
    render::json(&whole(new_file, slot, entry), layout) + "\n"
}

pub fn put(
    text: &str,
    slot: Slot<'_>,
    entry: &Map<String, Value>,
    new_file: &Map<String, Value>,
) -> Result<String, Fault> {
    let parsed = parse(text)?;
    let newline = newline(text);
    let Some(root) = &parsed.value else {
        let between = if text.is_empty() || text.ends_with('\n') {
            ""
        } else {
            newline
        };
        return Ok(format!(
            "{text}{between}{}",
            with_newlines(&fresh(new_file, slot, entry), newline)
        ));
    };
    let source = Source {
        text,
        tokens: parsed.tokens.as_deref().unwrap_or_default(),
        newline,
    };
    let way = way(root, slot)?;
    let table = way.last().copied().ok_or(Fault::UNSAFE)?;
    let splices = match slot.servers.get(way.len() - 1) {
        Some(missing) => source.insert(
            table,
            missing,
            &nested(&slot.servers[way.len()..], slot, entry),
        ),
        None => match property(table, slot.name)? {
            Some(index) => source.replace(table, index, entry),
            None => source.insert(table, slot.name, &Value::Object(entry.clone())),
        },
    };
    Ok(apply(text, splices))
}

pub fn take(text: &str, slot: Slot<'_>, keep: usize) -> Result<String, Fault> {
    let parsed = parse(text)?;
    let root = parsed.value.as_ref().ok_or(Fault::UNSAFE)?;
    let source = Source {
        text,
        tokens: parsed.tokens.as_deref().unwrap_or_default(),
        newline: newline(text),
    };
    let way = way(root, slot)?;
    let mut level = way.len() - 1;
    let mut key = slot.name;
    if level < slot.servers.len() {
        return Err(Fault::UNSAFE);
    }
    while level > keep && source.holds_one_thing(way[level]) {
        level -= 1;
        key = &slot.servers[level];
    }
    let index = property(way[level], key)?.ok_or(Fault::UNSAFE)?;
    Ok(apply(text, source.remove(way[level], index)))
}

fn parse(text: &str) -> Result<ParseResult<'_>, Fault> {
    let collect = CollectOptions {
        comments: CommentCollectionStrategy::AsTokens,
        tokens: true,
    };
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    parse_to_ast(text, &collect, &options).map_err(|error| {
        let message = error.kind().to_string();
        let mut letters = message.chars();
        let first = letters.next().map(|first| first.to_ascii_lowercase());
        Fault::syntax(
            error.range().start,
            first.into_iter().chain(letters).collect::<String>(),
        )
    })
}

/// The objects from the root along the keys to the servers, as far as they exist.
fn way<'n, 't>(root: &'n Node<'t>, slot: Slot<'_>) -> Result<Vec<&'n Object<'t>>, Fault> {
    let mut way = vec![object(root, "the document")?];
    for key in slot.servers {
        let Some(last) = way.last() else { break };
        match property(last, key)? {
            Some(index) => way.push(object(&last.properties[index].value, key)?),
            None => break,
        }
    }
    Ok(way)
}

fn object<'n, 't>(node: &'n Node<'t>, key: &str) -> Result<&'n Object<'t>, Fault> {
    let found = match node {
        Node::Object(object) => return Ok(object),
        Node::Array(_) => "an array",
        Node::StringLit(_) => "a string",
        Node::NumberLit(_) => "a number",
        Node::BooleanLit(_) => "a boolean",
        Node::NullKeyword(_) => "null",
    };
    Err(Fault::wrong_type(node.start(), key, found, "an object"))
}

/// The place of a key among an object's properties. Clients differ in which of two equal
/// keys they take, so two are refused.
fn property(object: &Object<'_>, key: &str) -> Result<Option<usize>, Fault> {
    let mut found = object
        .properties
        .iter()
        .enumerate()
        .filter(|(_, property)| property.name.as_str() == key);
    let first = found.next();
    if let Some((_, second)) = found.next() {
        return Err(Fault::twice(second.range.start, key));
    }
    Ok(first.map(|(index, _)| index))
}

fn data(node: &Node<'_>) -> Value {
    match node {
        Node::Object(object) => {
            let fields = object.properties.iter();
            Value::Object(
                fields
                    .map(|field| (field.name.as_str().to_owned(), data(&field.value)))
                    .collect(),
            )
        }
        Node::Array(array) => array.elements.iter().map(data).collect(),
        Node::StringLit(text) => Value::from(text.value.as_ref()),
        Node::NumberLit(number) => {
            serde_json::from_str(number.value).unwrap_or_else(|_| Value::from(number.value))
        }
        Node::BooleanLit(boolean) => Value::from(boolean.value),
        Node::NullKeyword(_) => Value::Null,
    }
}

struct Source<'s> {
    text: &'s str,
    tokens: &'s [TokenAndRange<'s>],
    newline: &'static str,
}

impl Source<'_> {
    fn insert(&self, object: &Object<'_>, key: &str, value: &Value) -> Vec<Splice> {
        let key = Value::from(key);
        let Some((first, last)) = object.properties.first().zip(object.properties.last()) else {
            return self.insert_first(object, &key, value);
        };
        if !self.text[object.range.start..first.range.start].contains('\n') {
            let blank = if self.text[last.name.end()..last.value.start()].contains(' ') {
                " "
            } else {
                ""
            };
            let value = render::json(value, Layout::Line);
            return vec![Splice::insert(
                last.range.end,
                format!(",{blank}{key}:{blank}{value}"),
            )];
        }
        let indent = indent_at(self.text, first.range.start);
        let end = self.end_before(object.range.end - 1);
        let has_comma = self.comma_after(last.range.end).is_some();
        let property = self.lines(indent, &key, value);
        let comma = if has_comma { "," } else { "" };
        let mut splices = vec![Splice::insert(
            end,
            format!("{}{property}{comma}", self.newline),
        )];
        if !has_comma {
            splices.insert(0, Splice::insert(last.range.end, ","));
        }
        splices
    }

    /// Into an object without properties; a comment in it stays before ours.
    fn insert_first(&self, object: &Object<'_>, key: &Value, value: &Value) -> Vec<Splice> {
        let base = indent_at(self.text, object.range.start);
        let indent = format!("{base}{}", unit(self.text));
        let end = self.end_before(object.range.end - 1);
        let inside = format!(
            "{0}{1}{0}{base}",
            self.newline,
            self.lines(&indent, key, value)
        );
        vec![Splice::replace(end..object.range.end - 1, inside)]
    }

    fn replace(
        &self,
        object: &Object<'_>,
        index: usize,
        entry: &Map<String, Value>,
    ) -> Vec<Splice> {
        let property = &object.properties[index];
        let range = property.value.range();
        let indent = indent_at(self.text, property.range.start);
        let starts_line = self.text[..property.range.start].ends_with(indent)
            && self.text[..property.range.start - indent.len()].ends_with('\n');
        let entry = Value::Object(entry.clone());
        let layout = if starts_line {
            Layout::Lines {
                unit: unit(self.text),
                base: indent,
            }
        } else {
            Layout::Line
        };
        let text = with_newlines(&render::json(&entry, layout), self.newline);
        vec![Splice::replace(range.start..range.end, text)]
    }

    /// Takes a property out with one comma and the blanks that came with it; comments stay.
    fn remove(&self, object: &Object<'_>, index: usize) -> Vec<Splice> {
        let range = object.properties[index].range;
        let comma = self.comma_after(range.end);
        let adjacent = comma.filter(|comma| self.end_before(comma - 1) == range.end);
        let earlier = index
            .checked_sub(1)
            .and_then(|index| self.comma_after(object.properties[index].range.end));
        let end = adjacent.unwrap_or(range.end);
        let before = self.end_before(range.start);
        if object.properties.len() == 1 && before == object.range.start + 1 && comma == adjacent {
            let close = self.token_after(end).unwrap_or(end);
            return vec![Splice::delete(before..close)];
        }
        // Behind a line comment, what follows us on our line must not become part of it.
        let rest_of_line = self.text[end..].lines().next().unwrap_or_default();
        let is_swallowed = self.is_line_comment(before) && !rest_of_line.trim().is_empty();
        let start = if is_swallowed { range.start } else { before };
        let mut splices = vec![Splice::delete(start..end)];
        if adjacent.is_none() {
            splices.extend(
                earlier
                    .or(comma)
                    .map(|comma| Splice::delete(comma - 1..comma)),
            );
        }
        splices
    }

    fn lines(&self, indent: &str, key: &Value, value: &Value) -> String {
        let layout = Layout::Lines {
            unit: unit(self.text),
            base: indent,
        };
        let text = format!("{indent}{key}: {}", render::json(value, layout));
        with_newlines(&text, self.newline)
    }

    /// Whether an object has one property and no comment beside it: such a table goes
    /// with its last entry.
    fn holds_one_thing(&self, object: &Object<'_>) -> bool {
        let [only] = object.properties.as_slice() else {
            return false;
        };
        let is_beside = |token: &TokenAndRange<'_>| {
            let (start, end) = (token.range.start, token.range.end);
            let is_inside = start >= object.range.start && end <= object.range.end;
            is_inside && (end <= only.range.start || start >= only.range.end)
        };
        !self
            .tokens
            .iter()
            .any(|token| is_comment(token) && is_beside(token))
    }

    /// The end of the token or comment that is the last one before an offset.
    fn end_before(&self, offset: usize) -> usize {
        let after = self
            .tokens
            .partition_point(|token| token.range.start < offset);
        let end = after
            .checked_sub(1)
            .map_or(0, |last| self.tokens[last].range.end);
        let is_cut = self.text[..end].ends_with('\r');
        end - usize::from(is_cut)
    }

    /// The end of the comma that follows, with nothing but comments between.
    fn comma_after(&self, offset: usize) -> Option<usize> {
        let from = self
            .tokens
            .partition_point(|token| token.range.start < offset);
        let next = self.tokens[from..]
            .iter()
            .find(|token| !is_comment(token))?;
        (next.token == Token::Comma).then_some(next.range.end)
    }

    /// The start of the next token or comment.
    fn token_after(&self, offset: usize) -> Option<usize> {
        let from = self
            .tokens
            .partition_point(|token| token.range.start < offset);
        self.tokens.get(from).map(|token| token.range.start)
    }

    fn is_line_comment(&self, end: usize) -> bool {
        let after = self.tokens.partition_point(|token| token.range.start < end);
        let last = after.checked_sub(1).and_then(|last| self.tokens.get(last));
        last.is_some_and(|token| matches!(token.token, Token::CommentLine(_)))
    }
}

//! TOML, edited by whole lines: an entry is a table of its own at the end of the file.

use std::ops::Range;

use serde_json::{Map, Value};
use toml_edit::{Document, InlineTable, Item, Key, Table};

use super::render;
use super::splice::{Splice, apply, line_end, line_start, newline, with_newlines};
use super::{Fault, Slot};

const DEEPEST: usize = 128;

pub fn value(text: &str) -> Result<Value, Fault> {
    Ok(table_data(parse(text)?.as_table(), 0))
}

pub fn fresh(new_file: &Map<String, Value>, slot: Slot<'_>, entry: &Map<String, Value>) -> String {
    let mut text = render::toml_lines(new_file);
    if !text.is_empty() {
        text.push('\n');
    }
    text + &render::toml_table(slot.servers, slot.name, entry)
}

pub fn put(
    text: &str,
    slot: Slot<'_>,
    entry: &Map<String, Value>,
    new_file: &Map<String, Value>,
) -> Result<String, Fault> {
    let document = parse(text)?;
    let newline = newline(text);
    if text.trim().is_empty() && !new_file.is_empty() {
        return Ok(format!(
            "{text}{}",
            with_newlines(&fresh(new_file, slot, entry), newline)
        ));
    }
    let block = with_newlines(&render::toml_table(slot.servers, slot.name, entry), newline);
    let inline = render::toml_inline(&Value::Object(entry.clone()));
    match find(text, document.as_table(), slot)? {
        Found::Nothing => Ok(append(text, &block, newline)),
        Found::InInline(table) => insert_inline(text, table, slot.name, &inline),
        Found::InlineValue { value, .. } => Ok(apply(text, vec![Splice::replace(value, inline)])),
        Found::Lines(mut ranges)
            if ranges
                .first()
                .is_some_and(|range| text[range.clone()].trim_start().starts_with('[')) =>
        {
            let first = ranges.remove(0);
            let mut splices = vec![Splice::replace(first, block)];
            splices.extend(ranges.into_iter().map(Splice::delete));
            Ok(apply(text, splices))
        }
        Found::Lines(ranges) => {
            let without = apply(text, ranges.into_iter().map(Splice::delete).collect());
            Ok(append(&without, &block, newline))
        }
    }
}

pub fn take(text: &str, slot: Slot<'_>) -> Result<String, Fault> {
    let document = parse(text)?;
    match find(text, document.as_table(), slot)? {
        Found::Nothing | Found::InInline(_) => Err(Fault::UNSAFE),
        Found::InlineValue { key, value } => Ok(remove_inline(text, key.start, value.end)),
        Found::Lines(ranges) => {
            let splices = ranges
                .into_iter()
                .map(|range| Splice::delete(with_blank_before(text, &range)));
            Ok(apply(text, splices.collect()))
        }
    }
}

fn parse(text: &str) -> Result<Document<&str>, Fault> {
    Document::parse(text).map_err(|error| {
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        Fault::syntax(error.span().map_or(0, |span| span.start), message)
    })
}

/// Where an entry is written.
enum Found<'t> {
    Nothing,
    /// The servers are an inline table, and this one is not in it.
    InInline(&'t InlineTable),
    InlineValue {
        key: Range<usize>,
        value: Range<usize>,
    },
    /// Whole lines of the file, in order.
    Lines(Vec<Range<usize>>),
}

fn find<'t>(text: &str, root: &'t Table, slot: Slot<'_>) -> Result<Found<'t>, Fault> {
    let mut table = root;
    for key in slot.servers {
        match table.get_key_value(key) {
            None => return Ok(Found::Nothing),
            Some((_, Item::Table(inner))) => table = inner,
            Some((_, Item::Value(toml_edit::Value::InlineTable(inner)))) => {
                return find_inline(inner, slot);
            }
            Some((written, item)) => return Err(wrong_type(written, item)),
        }
    }
    let Some((key, item)) = table.get_key_value(slot.name) else {
        return Ok(Found::Nothing);
    };
    let mut ranges = Vec::new();
    lines_of(key, item, &mut ranges, 0);
    for range in &mut ranges {
        *range = line_start(text, range.start)..line_end(text, range.end);
    }
    ranges.sort_by_key(|range: &Range<usize>| range.start);
    ranges.dedup();
    Ok(Found::Lines(ranges))
}

fn find_inline<'t>(table: &'t InlineTable, slot: Slot<'_>) -> Result<Found<'t>, Fault> {
    if slot.servers.len() != 1 {
        return Err(Fault::UNSAFE);
    }
    let Some((key, item)) = table.get_key_value(slot.name) else {
        return Ok(Found::InInline(table));
    };
    match (key.span(), item.span()) {
        (Some(key), Some(value)) => Ok(Found::InlineValue { key, value }),
        _ => Err(Fault::UNSAFE),
    }
}

fn wrong_type(key: &Key, item: &Item) -> Fault {
    let found = match item {
        Item::ArrayOfTables(_) => "an array of tables",
        Item::Value(toml_edit::Value::Array(_)) => "an array",
        Item::Value(toml_edit::Value::String(_)) => "a string",
        _ => "a plain value",
    };
    Fault::wrong_type(
        key.span().map_or(0, |span| span.start),
        key.get(),
        found,
        "a table",
    )
}

/// Every stretch of the file an item is written in. A table with a header reaches from its
/// header to its last value; comments after that belong to what follows.
fn lines_of(key: &Key, item: &Item, ranges: &mut Vec<Range<usize>>, depth: usize) {
    if depth > DEEPEST {
        return;
    }
    match item {
        Item::Table(table) if table.is_dotted() || table.is_implicit() => {
            for (name, inner) in table {
                if let Some((key, _)) = table.get_key_value(name) {
                    lines_of(key, inner, ranges, depth + 1);
                }
            }
        }
        Item::Table(table) => {
            let mut end = table.span().map_or(0, |span| span.end);
            for (name, inner) in table {
                let Some((key, _)) = table.get_key_value(name) else {
                    continue;
                };
                let before = ranges.len();
                lines_of(key, inner, ranges, depth + 1);
                if !is_headed(inner) {
                    let own = ranges.drain(before..).map(|range| range.end).max();
                    end = end.max(own.unwrap_or(end));
                }
            }
            ranges.extend(table.span().map(|span| span.start..end));
        }
        _ => ranges.extend(
            key.span()
                .zip(item.span())
                .map(|(key, item)| key.start..item.end),
        ),
    }
}

fn is_headed(item: &Item) -> bool {
    match item {
        Item::Table(table) => !table.is_dotted(),
        Item::ArrayOfTables(_) => true,
        _ => false,
    }
}

/// A new table at the end, one blank line below what is there.
fn append(text: &str, block: &str, newline: &str) -> String {
    let ending = match text {
        "" => "",
        _ if text.ends_with("\n\n") || text.ends_with("\n\r\n") => "",
        _ if text.ends_with('\n') => newline,
        _ => return format!("{text}{newline}{newline}{block}"),
    };
    format!("{text}{ending}{block}")
}

fn insert_inline(
    text: &str,
    table: &InlineTable,
    name: &str,
    value: &str,
) -> Result<String, Fault> {
    let span = table.span().ok_or(Fault::UNSAFE)?;
    let inside = &text[span.start + 1..span.end.saturating_sub(1)];
    let at = span.start + 1 + inside.trim_end().len();
    let entry = format!("{} = {value}", render::toml_key(name));
    let entry = match inside.trim() {
        "" => format!(" {entry}"),
        inside if inside.ends_with(',') => format!(" {entry},"),
        _ => format!(", {entry}"),
    };
    Ok(apply(text, vec![Splice::insert(at, entry)]))
}

/// Takes a pair out of an inline table with the comma before it, or else the one after it.
fn remove_inline(text: &str, start: usize, end: usize) -> String {
    let before = text[..start].trim_end();
    let range = match before.strip_suffix(',') {
        Some(kept) => kept.len()..end,
        None => {
            let after = text[end..].trim_start();
            let skipped = text.len() - after.len();
            let end = if after.starts_with(',') {
                skipped + 1
            } else {
                end
            };
            before.len()..end
        }
    };
    apply(text, vec![Splice::delete(range)])
}

/// Lines with the blank line above them that `append` made, where that parts nothing else.
fn with_blank_before(text: &str, lines: &Range<usize>) -> Range<usize> {
    let above = &text[..lines.start];
    let below = text[lines.end..].trim_start_matches(['\r']);
    let is_alone = below.is_empty() || below.starts_with('\n');
    let kept = above
        .strip_suffix("\r\n")
        .or_else(|| above.strip_suffix('\n'))
        .unwrap_or(above);
    if is_alone && (kept.ends_with('\n') || kept.is_empty()) {
        return kept.len()..lines.end;
    }
    lines.clone()
}

fn table_data(table: &Table, depth: usize) -> Value {
    Value::Object(
        table
            .iter()
            .map(|(key, item)| (key.to_owned(), item_data(item, depth + 1)))
            .collect(),
    )
}

fn item_data(item: &Item, depth: usize) -> Value {
    if depth > DEEPEST {
        return Value::Null;
    }
    match item {
        Item::None => Value::Null,
        Item::Table(table) => table_data(table, depth),
        Item::ArrayOfTables(tables) => tables
            .iter()
            .map(|table| table_data(table, depth))
            .collect(),
        Item::Value(value) => value_data(value, depth),
    }
}

fn value_data(value: &toml_edit::Value, depth: usize) -> Value {
    if depth > DEEPEST {
        return Value::Null;
    }
    match value {
        toml_edit::Value::String(text) => Value::from(text.value().as_str()),
        toml_edit::Value::Integer(number) => Value::from(*number.value()),
        toml_edit::Value::Float(number) => {
            let number = *number.value();
            serde_json::Number::from_f64(number)
                .map_or_else(|| Value::from(number.to_string()), Value::Number)
        }
        toml_edit::Value::Boolean(boolean) => Value::from(*boolean.value()),
        toml_edit::Value::Datetime(time) => Value::from(time.value().to_string()),
        toml_edit::Value::Array(items) => items
            .iter()
            .map(|item| value_data(item, depth + 1))
            .collect(),
        toml_edit::Value::InlineTable(table) => Value::Object(
            table
                .iter()
                .map(|(key, item)| (key.to_owned(), value_data(item, depth + 1)))
                .collect(),
        ),
    }
}

//! YAML, edited by whole lines: an entry goes right below the key that holds the servers.

use serde_json::{Map, Value};

use super::render;
use super::splice::{Splice, apply, line_end, line_start, newline, with_newlines};
use super::yaml_tree::{Kind, Node, root};
use super::{Fault, Slot, nested, whole};

pub fn fresh(new_file: &Map<String, Value>, slot: Slot<'_>, entry: &Map<String, Value>) -> String {
    let document = whole(new_file, slot, entry);
    document
        .as_object()
        .map(|fields| render::yaml(fields, 0))
        .unwrap_or_default()
}

pub fn put(
    text: &str,
    slot: Slot<'_>,
    entry: &Map<String, Value>,
    new_file: &Map<String, Value>,
) -> Result<String, Fault> {
    let newline = newline(text);
    let Some(root) = root(text)? else {
        return Ok(append(text, &fresh(new_file, slot, entry), newline));
    };
    let way = way(&root, slot)?;
    let splices = match way.keys_found() {
        found if found < slot.servers.len() => {
            let inner = nested(&slot.servers[found + 1..], slot, entry);
            way.insert(text, &slot.servers[found], &inner)
        }
        _ => match way.entry(slot)? {
            Some(old) => old.replace(text, slot, entry),
            None if slot.list.is_some() => way.insert_item(text, entry),
            None => way.insert(text, slot.name, &Value::Object(entry.clone())),
        },
    };
    Ok(match splices {
        Change::Append(block) => append(text, &block, newline),
        Change::Splices(splices) => {
            let fitted = splices.into_iter().map(|splice| Splice {
                text: with_newlines(&splice.text, newline),
                ..splice
            });
            apply(text, fitted.collect())
        }
    })
}

pub fn take(text: &str, slot: Slot<'_>, keep: usize) -> Result<String, Fault> {
    let root = root(text)?.ok_or(Fault::UNSAFE)?;
    let way = way(&root, slot)?;
    let entry = way.entry(slot)?.ok_or(Fault::UNSAFE)?;
    let mut level = slot.servers.len();
    let mut lonely = way.len_at(level) == 1;
    let mut start = entry.start(text);
    while lonely && level > keep {
        start = line_start(text, way.holders[level - 1].start);
        level -= 1;
        lonely = way.len_at(level) == 1;
    }
    if entry.is_flow {
        return Ok(remove_flow(text, entry.first.start, entry.last.end));
    }
    let mut splices = vec![Splice::delete(start..line_end(text, entry.last.end))];
    if lonely && level > 0 {
        // A key with nothing below it would be null, which not every client understands.
        let key = way.holders[level - 1];
        let colon = text[key.end..]
            .find(':')
            .map_or(key.end, |colon| key.end + colon + 1);
        let empty = if slot.list.is_some() && level == slot.servers.len() {
            " []"
        } else {
            " {}"
        };
        splices.push(Splice::insert(colon, empty));
    }
    Ok(apply(text, splices))
}

enum Change {
    Append(String),
    Splices(Vec<Splice>),
}

/// The keys to the servers that exist, and what the last of them holds.
struct Way<'n> {
    root: &'n Node,
    holders: Vec<&'n Node>,
    values: Vec<&'n Node>,
}

/// An entry of ours in the file.
struct Old<'n> {
    /// Its key, or the item itself.
    first: &'n Node,
    last: &'n Node,
    is_flow: bool,
    is_item: bool,
}

fn way<'n>(root: &'n Node, slot: Slot<'_>) -> Result<Way<'n>, Fault> {
    let mut way = Way {
        root,
        holders: Vec::new(),
        values: Vec::new(),
    };
    if !matches!(root.kind, Kind::Map { .. }) {
        return Err(Fault::wrong_type(
            root.start,
            "the document",
            root.name(),
            "a mapping",
        ));
    }
    for (index, key) in slot.servers.iter().enumerate() {
        let Some((holder, value)) = lookup(way.node(), key)? else {
            break;
        };
        let is_last = index + 1 == slot.servers.len();
        let expected = if is_last && slot.list.is_some() {
            "a list"
        } else {
            "a mapping"
        };
        if value.name() != expected && !value.is_null() {
            return Err(Fault::wrong_type(holder.start, key, value.name(), expected));
        }
        way.holders.push(holder);
        way.values.push(value);
    }
    Ok(way)
}

fn lookup<'n>(node: &'n Node, key: &str) -> Result<Option<(&'n Node, &'n Node)>, Fault> {
    let Kind::Map { items, .. } = &node.kind else {
        return Ok(None);
    };
    let mut found = items.iter().filter(|(name, _)| name.text() == Some(key));
    let first = found.next();
    match found.next() {
        Some((second, _)) => Err(Fault::twice(second.start, key)),
        None => Ok(first.map(|(name, value)| (name, value))),
    }
}

impl<'n> Way<'n> {
    fn node(&self) -> &'n Node {
        self.values.last().copied().unwrap_or(self.root)
    }

    fn keys_found(&self) -> usize {
        self.holders.len()
    }

    /// How many things the table at a level holds.
    fn len_at(&self, level: usize) -> usize {
        let node = level
            .checked_sub(1)
            .map_or(Some(&self.root), |index| self.values.get(index));
        match node.map(|node| &node.kind) {
            Some(Kind::Map { items, .. }) => items.len(),
            Some(Kind::List { items, .. }) => items.len(),
            _ => 0,
        }
    }

    fn entry(&self, slot: Slot<'_>) -> Result<Option<Old<'n>>, Fault> {
        let node = self.node();
        if self.keys_found() < slot.servers.len() {
            return Ok(None);
        }
        match (&node.kind, slot.list) {
            (Kind::List { items, is_flow }, Some(key)) => {
                let mut ours = items.iter().filter(|item| {
                    lookup(item, key)
                        .ok()
                        .flatten()
                        .is_some_and(|(_, name)| name.text() == Some(slot.name))
                });
                let first = ours.next();
                if let Some(second) = ours.next() {
                    return Err(Fault::twice(second.start, slot.name));
                }
                Ok(first.map(|item| Old {
                    first: item,
                    last: item,
                    is_flow: *is_flow,
                    is_item: true,
                }))
            }
            (Kind::Map { is_flow, .. }, None) => {
                let found = lookup(node, slot.name)?;
                Ok(found.map(|(key, value)| Old {
                    first: key,
                    last: if value.start == value.end { key } else { value },
                    is_flow: *is_flow,
                    is_item: false,
                }))
            }
            _ => Ok(None),
        }
    }

    /// A new key in the last table.
    fn insert(&self, text: &str, key: &str, value: &Value) -> Change {
        let node = self.node();
        let fields = Map::from_iter([(key.to_owned(), value.clone())]);
        match (&node.kind, self.holders.last()) {
            (
                Kind::Map {
                    is_flow: true,
                    items,
                },
                holder,
            ) if !items.is_empty() || holder.is_none() => {
                let comma = if items.is_empty() { "" } else { ", " };
                let pair = format!("{}: {value}{comma}", Value::from(key));
                Change::Splices(vec![Splice::insert(node.start + 1, pair)])
            }
            (Kind::Map { is_flow: false, .. }, None) => {
                Change::Append(render::yaml(&fields, node.column))
            }
            (_, None) => Change::Append(render::yaml(&fields, 0)),
            (kind, Some(holder)) => {
                let indent = match kind {
                    Kind::Map { is_flow: false, .. } => node.column,
                    _ => holder.column + 2,
                };
                below(text, holder, node, &render::yaml(&fields, indent))
            }
        }
    }

    /// A new item in the list of servers.
    fn insert_item(&self, text: &str, entry: &Map<String, Value>) -> Change {
        let node = self.node();
        match (&node.kind, self.holders.last()) {
            (
                Kind::List {
                    is_flow: true,
                    items,
                },
                _,
            ) if !items.is_empty() => {
                let item = format!("{}, ", Value::Object(entry.clone()));
                Change::Splices(vec![Splice::insert(node.start + 1, item)])
            }
            (
                Kind::List {
                    is_flow: false,
                    items,
                },
                Some(holder),
            ) => {
                let dash = items
                    .first()
                    .map_or(holder.column, |item| dash_column(text, item));
                below(text, holder, node, &render::yaml_item(entry, dash))
            }
            (_, Some(holder)) => below(
                text,
                holder,
                node,
                &render::yaml_item(entry, holder.column + 2),
            ),
            (_, None) => Change::Splices(Vec::new()),
        }
    }
}

impl Old<'_> {
    fn start(&self, text: &str) -> usize {
        let first = if self.is_item {
            dash(text, self.first)
        } else {
            self.first.start
        };
        line_start(text, first)
    }

    fn replace(&self, text: &str, slot: Slot<'_>, entry: &Map<String, Value>) -> Change {
        if self.is_flow {
            let value = Value::Object(entry.clone()).to_string();
            let start = if self.is_item {
                self.first.start
            } else {
                self.last.start
            };
            return Change::Splices(vec![Splice::replace(start..self.last.end, value)]);
        }
        let block = if self.is_item {
            render::yaml_item(entry, dash_column(text, self.first))
        } else {
            let fields = Map::from_iter([(slot.name.to_owned(), Value::Object(entry.clone()))]);
            render::yaml(&fields, self.first.column)
        };
        Change::Splices(vec![Splice::replace(
            self.start(text)..line_end(text, self.last.end),
            block,
        )])
    }
}

/// Lines right below a key; an empty `{}` or `[]` behind it gives way.
fn below(text: &str, holder: &Node, node: &Node, block: &str) -> Change {
    let is_empty_flow = match &node.kind {
        Kind::Map { is_flow, items } => *is_flow && items.is_empty(),
        Kind::List { is_flow, items } => *is_flow && items.is_empty(),
        Kind::Scalar { .. } => node.end > node.start,
        Kind::Alias(_) => false,
    };
    let mut splices = Vec::new();
    let mut from = holder.end;
    if is_empty_flow {
        let before = text[..node.start].trim_end_matches([' ', '\t']).len();
        splices.push(Splice::delete(before..node.end));
        from = node.end;
    }
    let at = line_end(text, from);
    let start = if text[..at].ends_with('\n') { "" } else { "\n" };
    splices.push(Splice::insert(at, format!("{start}{block}")));
    Change::Splices(splices)
}

/// The dash of a list's item.
fn dash(text: &str, item: &Node) -> usize {
    text[..item.start].rfind('-').unwrap_or(item.start)
}

fn dash_column(text: &str, item: &Node) -> usize {
    let dash = dash(text, item);
    text[line_start(text, dash)..dash].chars().count()
}

/// Takes a pair or an item out of a flow collection, with the comma that parts it.
fn remove_flow(text: &str, start: usize, end: usize) -> String {
    if let Some(rest) = text[end..].trim_start().strip_prefix(',') {
        let rest = rest.trim_start_matches(' ');
        return apply(text, vec![Splice::delete(start..text.len() - rest.len())]);
    }
    let kept = text[..start]
        .trim_end()
        .strip_suffix(',')
        .map_or(start, str::len);
    apply(text, vec![Splice::delete(kept..end)])
}

fn append(text: &str, block: &str, newline: &str) -> String {
    let block = with_newlines(block, newline);
    let between = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        newline
    };
    format!("{text}{between}{block}")
}

//! YAML: composes a parser's events into JSON values, with the places of the root's keys.
//!
//! Promises YAML 1.2 scalars and merge keys, and keeps no call stack, so that neither
//! nesting nor aliases can exhaust memory; what would is refused.

mod scalar;

use std::collections::HashMap;

use serde_json::{Map, Value};
use serde_saphyr::granit_parser::{self, ErrorKind, Event, Marker, Parser, ScanError};
use toolroom_kernel::Position;

use self::scalar::Scalar;
use super::super::document::{Located, SyntaxFault};
use super::{Entry, MAX_DEPTH, not_a_mapping, too_deep};

/// What anchors and aliases may add to what is written, in about bytes.
const MAX_COPIED: usize = 4 * super::MAX_BYTES;

pub(super) fn entries(source: &str) -> Result<Vec<Entry>, SyntaxFault> {
    let options = granit_parser::options! { emit_comments: false };
    let mut composer = Composer::default();
    for next in Parser::new_from_str_with_options(source, options) {
        let (event, span) = next.map_err(|error| syntax(&error))?;
        let at = position(&span.start);
        composer
            .take(event, at)
            .map_err(|message| SyntaxFault { at, message })?;
    }
    composer.entries()
}

/// A finished value, and what copying it costs.
#[derive(Clone)]
struct Node {
    value: Value,
    /// Containers within containers.
    height: usize,
    /// About its bytes.
    size: usize,
}

/// A collection that is not closed yet.
struct Frame {
    at: Position,
    anchor: usize,
    height: usize,
    size: usize,
    collection: Collection,
}

enum Collection {
    Sequence(Vec<Value>),
    Mapping {
        object: Map<String, Value>,
        key: Option<Key>,
        merged: Option<Value>,
    },
}

/// A mapping's key whose value comes next.
enum Key {
    Name(String),
    Merge,
}

#[derive(Default)]
struct Composer {
    open: Vec<Frame>,
    anchors: HashMap<usize, Node>,
    copied: usize,
    documents: usize,
    root: Option<Located<Value>>,
    /// Where the root's keys are.
    places: HashMap<String, Position>,
}

impl Composer {
    fn take(&mut self, event: Event<'_>, at: Position) -> Result<(), String> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err("a second document begins here, only one is allowed".to_owned());
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                let scalar = Scalar::new(&text, style, tag.as_deref());
                self.scalar(&scalar, anchor, at)
            }
            Event::SequenceStart(_, anchor, _) => {
                self.open(Collection::Sequence(Vec::new()), anchor, at)
            }
            Event::MappingStart(_, anchor, _) => {
                let mapping = Collection::Mapping {
                    object: Map::new(),
                    key: None,
                    merged: None,
                };
                self.open(mapping, anchor, at)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => self.alias(anchor, at),
            _ => Ok(()),
        }
    }

    fn scalar(&mut self, scalar: &Scalar<'_>, anchor: usize, at: Position) -> Result<(), String> {
        let value = scalar.value()?;
        let node = Node {
            size: 16 + scalar.text.len(),
            height: 0,
            value,
        };
        if self.wants_key() {
            let key = match &node.value {
                Value::Null => return Err("a key must not be null".to_owned()),
                _ if scalar.is_merge() => Key::Merge,
                _ => Key::Name(scalar.text.to_owned()),
            };
            self.remember(anchor, &node)?;
            return self.key(key, at);
        }
        self.remember(anchor, &node)?;
        self.add(node, at);
        Ok(())
    }

    fn alias(&mut self, anchor: usize, at: Position) -> Result<(), String> {
        let Some(node) = self.anchors.get(&anchor) else {
            return Err("the alias stands within the value it names".to_owned());
        };
        if self.open.len() + node.height > MAX_DEPTH {
            return Err(too_deep());
        }
        let node = node.clone();
        self.copy(node.size)?;
        if !self.wants_key() {
            self.add(node, at);
            return Ok(());
        }
        match node.value {
            Value::String(name) => self.key(Key::Name(name), at),
            Value::Array(_) | Value::Object(_) | Value::Null => Err(not_a_key()),
            other => self.key(Key::Name(other.to_string()), at),
        }
    }

    fn open(&mut self, collection: Collection, anchor: usize, at: Position) -> Result<(), String> {
        if self.wants_key() {
            return Err(not_a_key());
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(too_deep());
        }
        self.open.push(Frame {
            at,
            anchor,
            height: 1,
            size: 16,
            collection,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        let Some(frame) = self.open.pop() else {
            return Ok(());
        };
        let value = match frame.collection {
            Collection::Sequence(items) => Value::Array(items),
            Collection::Mapping {
                mut object, merged, ..
            } => {
                if let Some(merged) = merged {
                    merge(&mut object, merged)?;
                }
                Value::Object(object)
            }
        };
        let node = Node {
            value,
            height: frame.height,
            size: frame.size,
        };
        self.remember(frame.anchor, &node)?;
        self.add(node, frame.at);
        Ok(())
    }

    fn wants_key(&self) -> bool {
        matches!(
            self.open.last().map(|frame| &frame.collection),
            Some(Collection::Mapping { key: None, .. })
        )
    }

    fn key(&mut self, new: Key, at: Position) -> Result<(), String> {
        let is_root = self.open.len() == 1;
        let Some(Collection::Mapping {
            object,
            key,
            merged,
        }) = self.open.last_mut().map(|frame| &mut frame.collection)
        else {
            return Ok(());
        };
        let (name, is_there) = match &new {
            Key::Name(name) => (name.as_str(), object.contains_key(name)),
            Key::Merge => ("<<", merged.is_some()),
        };
        if is_there {
            return Err(format!("the key `{name}` is there twice"));
        }
        if is_root {
            self.places.insert(name.to_owned(), at);
        }
        *key = Some(new);
        Ok(())
    }

    /// Puts a finished value where the parser stands.
    fn add(&mut self, node: Node, at: Position) {
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(Located {
                value: node.value,
                at,
            });
            return;
        };
        frame.height = frame.height.max(node.height + 1);
        frame.size += node.size;
        match &mut frame.collection {
            Collection::Sequence(items) => items.push(node.value),
            Collection::Mapping {
                object,
                key,
                merged,
            } => match key.take() {
                Some(Key::Merge) => *merged = Some(node.value),
                Some(Key::Name(name)) => {
                    frame.size += name.len();
                    object.insert(name, node.value);
                }
                None => {}
            },
        }
    }

    fn remember(&mut self, anchor: usize, node: &Node) -> Result<(), String> {
        if anchor != 0 {
            self.copy(node.size)?;
            self.anchors.insert(anchor, node.clone());
        }
        Ok(())
    }

    fn copy(&mut self, size: usize) -> Result<(), String> {
        self.copied = self.copied.saturating_add(size);
        if self.copied > MAX_COPIED {
            return Err("the document is too large once its aliases are expanded".to_owned());
        }
        Ok(())
    }

    fn entries(self) -> Result<Vec<Entry>, SyntaxFault> {
        let Some(root) = self.root else {
            return Ok(Vec::new());
        };
        let kind = match root.value {
            Value::Object(object) => {
                let merge = self.places.get("<<").copied().unwrap_or(root.at);
                let located = object.into_iter().map(|(key, value)| {
                    let at = self.places.get(&key).copied().unwrap_or(merge);
                    (key, Located { value, at })
                });
                return Ok(located.collect());
            }
            Value::Null => return Ok(Vec::new()),
            Value::Array(_) => "a list",
            Value::String(_) => "a text",
            Value::Bool(_) => "a truth value",
            Value::Number(_) => "a number",
        };
        Err(SyntaxFault {
            at: root.at,
            message: not_a_mapping(kind),
        })
    }
}

/// Adds what is not there yet; of several mappings the first has the say.
fn merge(object: &mut Map<String, Value>, merged: Value) -> Result<(), String> {
    let mappings = match merged {
        Value::Array(items) => items,
        other => vec![other],
    };
    for mapping in mappings {
        let Value::Object(mapping) = mapping else {
            return Err("only mappings can be merged with `<<`".to_owned());
        };
        for (key, value) in mapping {
            object.entry(key).or_insert(value);
        }
    }
    Ok(())
}

fn not_a_key() -> String {
    "a key must be a text, a number or a truth value".to_owned()
}

fn syntax(error: &ScanError) -> SyntaxFault {
    SyntaxFault {
        at: position(error.marker()),
        message: match error.kind() {
            ErrorKind::RecursionLimitExceeded => too_deep(),
            ErrorKind::UnknownAnchor => "the alias names no anchor before it".to_owned(),
            other => other.to_string(),
        },
    }
}

fn position(marker: &Marker) -> Position {
    let bounded = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Position {
        line: bounded(marker.line()).max(1),
        column: bounded(marker.col()).saturating_add(1),
    }
}

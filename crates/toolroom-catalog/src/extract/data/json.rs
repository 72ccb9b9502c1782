//! JSON: parsed strictly, a key that is there twice is a fault.
//!
//! The parser keeps no places, so a second walk over the text, then known to be valid,
//! finds where the top-level keys are.

use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use toolroom_kernel::Position;

use super::super::document::{Located, SyntaxFault};
use super::{Entry, MAX_DEPTH, Places, not_a_mapping, too_deep};

pub(super) fn entries(source: &str) -> Result<Vec<Entry>, SyntaxFault> {
    let mut parser = serde_json::Deserializer::from_str(source);
    let root = Node { depth: 0 }
        .deserialize(&mut parser)
        .and_then(|root| parser.end().map(|()| root))
        .map_err(|error| fault(source, &error))?;
    let kind = match root {
        Value::Object(object) => return Ok(located(source, object)),
        Value::Array(_) => "a list",
        Value::String(_) => "a text",
        Value::Number(_) => "a number",
        Value::Bool(_) => "a truth value",
        Value::Null => "null",
    };
    let start = source.len() - source.trim_start().len();
    Err(SyntaxFault {
        at: Position::at_offset(source, start),
        message: not_a_mapping(kind),
    })
}

fn located(source: &str, object: Map<String, Value>) -> Vec<Entry> {
    let places = key_places(source);
    object
        .into_iter()
        .map(|(key, value)| {
            let at = places.get(&key).copied().unwrap_or(Position::START);
            (key, Located { value, at })
        })
        .collect()
}

/// Where the keys of the root object are, in a text that is known to be a JSON object.
fn key_places(source: &str) -> HashMap<String, Position> {
    let mut places = Places::new(source);
    let mut keys = HashMap::new();
    let mut depth = 0_usize;
    let mut key_next = false;
    let mut offset = 0;
    while let Some(byte) = source.as_bytes().get(offset) {
        match byte {
            b'"' => {
                let end = string_end(source, offset);
                if depth == 1 && key_next {
                    let written = source.get(offset..end).unwrap_or_default();
                    if let Ok(key) = serde_json::from_str(written) {
                        keys.insert(key, places.of(offset));
                    }
                    key_next = false;
                }
                offset = end;
                continue;
            }
            b'{' | b'[' => {
                depth += 1;
                key_next = depth == 1;
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 1 => key_next = true,
            _ => {}
        }
        offset += 1;
    }
    keys
}

/// The offset after the closing quote of the string that opens at `start`.
fn string_end(source: &str, start: usize) -> usize {
    let mut escaped = false;
    for (index, byte) in source.bytes().enumerate().skip(start + 1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return index + 1,
            _ => {}
        }
    }
    source.len()
}

fn fault(source: &str, error: &serde_json::Error) -> SyntaxFault {
    let (line, column) = (error.line(), error.column());
    let mut message = error.to_string();
    if let Some(end) = message.rfind(&format!(" at line {line} column {column}")) {
        message.truncate(end);
    }
    // The parser counts columns in bytes, and points at the last one it took.
    let text = source
        .split('\n')
        .nth(line.saturating_sub(1))
        .unwrap_or_default();
    let within = Position::at_offset(text, column.saturating_sub(1));
    SyntaxFault {
        at: Position {
            line: u32::try_from(line).unwrap_or(u32::MAX).max(1),
            column: within.column,
        },
        message,
    }
}

/// Builds one value; `depth` is the number of containers around it.
struct Node {
    depth: usize,
}

impl Node {
    fn inner<E: serde::de::Error>(&self) -> Result<usize, E> {
        if self.depth >= MAX_DEPTH {
            return Err(E::custom(too_deep()));
        }
        Ok(self.depth + 1)
    }
}

impl<'de> DeserializeSeed<'de> for Node {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value)
            .map(Value::Number)
            .ok_or_else(|| E::custom("the value is not a finite number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let depth = self.inner()?;
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(Node { depth })? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut pairs: A) -> Result<Value, A::Error> {
        let depth = self.inner()?;
        let mut object = Map::new();
        while let Some(key) = pairs.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("the key `{key}` is there twice")));
            }
            object.insert(key, pairs.next_value_seed(Node { depth })?);
        }
        Ok(Value::Object(object))
    }
}

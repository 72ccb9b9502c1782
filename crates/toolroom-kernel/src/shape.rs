//! Reads data into types and names what does not fit by its path, such as
//! `tools.some.install[0]`. Knows no type of its own.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

/// What does not fit, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    path: String,
    reason: String,
}

impl Misfit {
    /// The same, seen from outside.
    fn within(mut self, outer: &str) -> Self {
        let is_member = !self.path.is_empty() && !self.path.starts_with('[');
        self.path = format!("{outer}{}{}", if is_member { "." } else { "" }, self.path);
        self
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => out.write_str(&self.reason),
            path => write!(out, "{path}: {}", self.reason),
        }
    }
}

impl std::error::Error for Misfit {}

impl de::Error for Misfit {
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self {
            path: String::new(),
            reason: reason.to_string(),
        }
    }
}

/// Reads a type from the fields of an object.
///
/// # Errors
/// Names the first thing that does not fit.
pub fn read<'v, T: Deserialize<'v>>(fields: &'v Map<String, Value>) -> Result<T, Misfit> {
    T::deserialize(MapAccessDeserializer::new(Fields::of(fields)))
}

struct Fields<'v> {
    left: serde_json::map::Iter<'v>,
    next: Option<(&'v str, &'v Value)>,
}

impl<'v> Fields<'v> {
    fn of(fields: &'v Map<String, Value>) -> Self {
        Self {
            left: fields.iter(),
            next: None,
        }
    }
}

impl<'v> MapAccess<'v> for Fields<'v> {
    type Error = Misfit;

    fn next_key_seed<K: DeserializeSeed<'v>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Misfit> {
        self.next = self.left.next().map(|(key, value)| (key.as_str(), value));
        let key = self.next.map(|(key, _)| StrDeserializer::new(key));
        key.map(|key| seed.deserialize(key)).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'v>>(&mut self, seed: S) -> Result<S::Value, Misfit> {
        let (key, value) = self.next.take().unwrap_or(("", &Value::Null));
        seed.deserialize(Shape(value))
            .map_err(|misfit| misfit.within(key))
    }
}

struct Items<'v> {
    left: std::iter::Enumerate<std::slice::Iter<'v, Value>>,
}

impl<'v> SeqAccess<'v> for Items<'v> {
    type Error = Misfit;

    fn next_element_seed<S: DeserializeSeed<'v>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Misfit> {
        let Some((index, value)) = self.left.next() else {
            return Ok(None);
        };
        let read = seed.deserialize(Shape(value));
        read.map(Some)
            .map_err(|misfit| misfit.within(&format!("[{index}]")))
    }
}

struct Shape<'v>(&'v Value);

impl<'de> Deserializer<'de> for Shape<'de> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(*value),
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Number(number) => number.deserialize_any(visitor).map_err(de::Error::custom),
            Value::Array(items) => visitor.visit_seq(Items {
                left: items.iter().enumerate(),
            }),
            Value::Object(fields) => visitor.visit_map(Fields::of(fields)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        let read = self.0.deserialize_enum(name, variants, visitor);
        read.map_err(de::Error::custom)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

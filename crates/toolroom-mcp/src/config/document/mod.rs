//! A configuration file as text that is edited in place.
//!
//! Each format finds the bytes to change with a real parser; the result is parsed again and
//! compared with what was there, so an edit either changes our entry alone or is refused.
//! Never re-serialises what it did not write.

mod json;
mod render;
mod splice;
mod toml;
mod yaml;
mod yaml_tree;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolroom_kernel::Position;

const BOM: char = '\u{feff}';

/// The formats clients keep their configuration in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    Json,
    /// JSON with comments and trailing commas; both are understood in JSON, too, since
    /// people write them there, and neither is ever added.
    Jsonc,
    Toml,
    Yaml,
}

impl Format {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Jsonc => "jsonc",
            Self::Toml => "toml",
            Self::Yaml => "yaml",
        }
    }
}

/// Where one server's entry is kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot<'s> {
    /// The keys that lead to the servers.
    pub servers: &'s [String],
    /// Servers are a list, told apart by this key.
    pub list: Option<&'s str>,
    pub name: &'s str,
}

/// Why a text cannot be edited, and at which byte of it.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    pub offset: usize,
    pub kind: FaultKind,
}

#[derive(Debug, PartialEq)]
pub(super) enum FaultKind {
    Syntax(String),
    WrongType {
        key: String,
        found: &'static str,
        expected: &'static str,
    },
    Twice(String),
    Unsafe,
}

impl Fault {
    const UNSAFE: Self = Self {
        offset: 0,
        kind: FaultKind::Unsafe,
    };

    fn syntax(offset: usize, message: impl Into<String>) -> Self {
        Self {
            offset,
            kind: FaultKind::Syntax(message.into()),
        }
    }

    fn twice(offset: usize, key: &str) -> Self {
        Self {
            offset,
            kind: FaultKind::Twice(key.to_owned()),
        }
    }

    fn wrong_type(offset: usize, key: &str, found: &'static str, expected: &'static str) -> Self {
        Self {
            offset,
            kind: FaultKind::WrongType {
                key: key.to_owned(),
                found,
                expected,
            },
        }
    }
}

/// A file's text and what it says.
#[derive(Debug, Clone)]
pub(super) struct Document {
    format: Format,
    has_mark: bool,
    text: String,
    value: Value,
}

impl Document {
    /// # Errors
    /// Fails if the text is not of this format.
    pub fn parse(format: Format, text: &str) -> Result<Self, Fault> {
        let (has_mark, text) = match text.strip_prefix(BOM) {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let value = match format {
            Format::Json | Format::Jsonc => json::value(text)?,
            Format::Toml => toml::value(text)?,
            Format::Yaml => yaml_tree::value(text)?,
        };
        Ok(Self {
            format,
            has_mark,
            text: text.to_owned(),
            value,
        })
    }

    /// The text a new file gets.
    pub fn fresh(
        format: Format,
        new_file: &Map<String, Value>,
        slot: Slot<'_>,
        entry: &Map<String, Value>,
    ) -> String {
        match format {
            Format::Json | Format::Jsonc => json::fresh(new_file, slot, entry),
            Format::Toml => toml::fresh(new_file, slot, entry),
            Format::Yaml => yaml::fresh(new_file, slot, entry),
        }
    }

    pub fn position(text: &str, offset: usize) -> Position {
        Position::at_offset(text.strip_prefix(BOM).unwrap_or(text), offset)
    }

    /// Whether the file says nothing, comments included.
    pub fn says_no_more_than(&self, new_file: &Map<String, Value>) -> bool {
        let has_comment = match self.format {
            Format::Json | Format::Jsonc => json::has_comment(&self.text),
            Format::Toml | Format::Yaml => self.text.contains('#'),
        };
        !has_comment
            && (self.value.is_null()
                || self
                    .value
                    .as_object()
                    .is_some_and(|fields| fields.is_empty() || fields == new_file))
    }

    pub fn entry(&self, slot: Slot<'_>) -> Option<&Value> {
        entry(&self.value, slot)
    }

    /// Every server with its name.
    pub fn entries(&self, slot: Slot<'_>) -> Vec<(&str, &Value)> {
        match (table(&self.value, slot.servers), slot.list) {
            (Some(Value::Object(entries)), None) => entries
                .iter()
                .map(|(name, entry)| (name.as_str(), entry))
                .collect(),
            (Some(Value::Array(items)), Some(key)) => items
                .iter()
                .filter_map(|item| Some((item.get(key)?.as_str()?, item)))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// How many of the keys to the servers the file has.
    pub fn depth(&self, servers: &[String]) -> usize {
        (0..=servers.len())
            .rev()
            .find(|depth| table(&self.value, &servers[..*depth]).is_some())
            .unwrap_or(0)
    }

    /// The text with the entry in it.
    ///
    /// # Errors
    /// Fails if a key on the way is of another type, or if anything else would change.
    pub fn put(
        &self,
        slot: Slot<'_>,
        entry: &Map<String, Value>,
        new_file: &Map<String, Value>,
    ) -> Result<String, Fault> {
        let text = match self.format {
            Format::Json | Format::Jsonc => json::put(&self.text, slot, entry, new_file)?,
            Format::Toml => toml::put(&self.text, slot, entry, new_file)?,
            Format::Yaml => yaml::put(&self.text, slot, entry, new_file)?,
        };
        self.checked(&text, slot, Some(entry), new_file)
    }

    /// The text without the entry; of the tables on the way the first `keep` stay even if
    /// nothing is left in them.
    ///
    /// # Errors
    /// Fails if anything else would change.
    pub fn take(&self, slot: Slot<'_>, keep: usize) -> Result<String, Fault> {
        let text = match self.format {
            Format::Json | Format::Jsonc => json::take(&self.text, slot, keep)?,
            Format::Toml => toml::take(&self.text, slot)?,
            Format::Yaml => yaml::take(&self.text, slot, keep)?,
        };
        self.checked(&text, slot, None, &Map::new())
    }

    /// Lets a new text pass only if our entry is as wanted and the rest says the same.
    fn checked(
        &self,
        text: &str,
        slot: Slot<'_>,
        wanted: Option<&Map<String, Value>>,
        new_file: &Map<String, Value>,
    ) -> Result<String, Fault> {
        let after = Self::parse(self.format, text).map_err(|_| Fault::UNSAFE)?;
        let is_there = after.entry(slot).and_then(Value::as_object) == wanted;
        let mut before = rest(&self.value, slot);
        if self.value.is_null() && wanted.is_some() {
            before = Value::Object(new_file.clone());
        }
        if !is_there || rest(&after.value, slot) != before {
            return Err(Fault::UNSAFE);
        }
        let mut whole = String::with_capacity(text.len() + BOM.len_utf8());
        if self.has_mark {
            whole.push(BOM);
        }
        whole.push_str(text);
        Ok(whole)
    }
}

fn table<'v>(value: &'v Value, servers: &[String]) -> Option<&'v Value> {
    servers.iter().try_fold(value, |value, key| value.get(key))
}

fn entry<'v>(value: &'v Value, slot: Slot<'_>) -> Option<&'v Value> {
    let table = table(value, slot.servers)?;
    match slot.list {
        None => table.get(slot.name),
        Some(key) => table.as_array()?.iter().find(|item| item[key] == slot.name),
    }
}

/// What a document says besides our entry; tables that are empty without it count as absent.
fn rest(value: &Value, slot: Slot<'_>) -> Value {
    fn without(value: &Value, servers: &[String], slot: Slot<'_>) -> Option<Value> {
        let mut value = value.clone();
        match (servers.split_first(), &mut value) {
            (Some((key, deeper)), Value::Object(fields)) => {
                if let Some(inner) = fields.get(key) {
                    match without(inner, deeper, slot) {
                        Some(rest) => fields.insert(key.clone(), rest),
                        None => fields.shift_remove(key),
                    };
                }
            }
            (None, Value::Object(fields)) if slot.list.is_none() => {
                fields.shift_remove(slot.name);
            }
            (None, Value::Array(items)) => {
                if let Some(key) = slot.list {
                    items.retain(|item| item[key] != slot.name);
                }
            }
            _ => {}
        }
        let is_empty = match &value {
            Value::Null => true,
            Value::Object(fields) => fields.is_empty(),
            Value::Array(items) => items.is_empty(),
            _ => false,
        };
        (!is_empty).then_some(value)
    }
    without(value, slot.servers, slot).unwrap_or_else(|| Value::Object(Map::new()))
}

/// The document that a new file is.
fn whole(new_file: &Map<String, Value>, slot: Slot<'_>, entry: &Map<String, Value>) -> Value {
    let mut document = new_file.clone();
    if let Some((first, deeper)) = slot.servers.split_first() {
        document.insert(first.clone(), nested(deeper, slot, entry));
    }
    Value::Object(document)
}

/// An entry below the keys that lead to it.
fn nested(servers: &[String], slot: Slot<'_>, entry: &Map<String, Value>) -> Value {
    let entry = Value::Object(entry.clone());
    let inner = match slot.list {
        Some(_) => Value::Array(vec![entry]),
        None => Value::Object(Map::from_iter([(slot.name.to_owned(), entry)])),
    };
    servers.iter().rev().fold(inner, |inner, key| {
        Value::Object(Map::from_iter([(key.clone(), inner)]))
    })
}

//! One text or several, the same for all machines or one set for each family.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use crate::world::Os;

/// Written as `text`, as `[text, …]`, or as `{unix: …, windows: …}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Texts {
    unix: Vec<String>,
    /// Left out means the same as on Unix.
    windows: Option<Vec<String>>,
}

impl Texts {
    pub(super) fn on(&self, os: Os) -> &[String] {
        match (os, &self.windows) {
            (Os::Windows, Some(texts)) => texts,
            _ => &self.unix,
        }
    }

    /// One text, the same everywhere.
    pub(super) fn one(text: &str) -> Self {
        Self {
            unix: vec![text.to_owned()],
            windows: None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.unix.is_empty() && self.windows.is_none()
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextsVisitor)
    }
}

struct TextsVisitor;

impl<'de> Visitor<'de> for TextsVisitor {
    type Value = Texts;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text, a list of texts, or {unix: …, windows: …}")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Texts, E> {
        Ok(Texts::one(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Texts, A::Error> {
        let mut unix = Vec::new();
        while let Some(text) = sequence.next_element::<String>()? {
            unix.push(text);
        }
        Ok(Texts {
            unix,
            windows: None,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Texts, A::Error> {
        let mut texts = Texts {
            unix: Vec::new(),
            windows: Some(Vec::new()),
        };
        while let Some(family) = map.next_key::<String>()? {
            let inner = map.next_value::<Self::Value>()?.unix;
            match family.as_str() {
                "unix" => texts.unix = inner,
                "windows" => texts.windows = Some(inner),
                other => return Err(A::Error::unknown_field(other, &["unix", "windows"])),
            }
        }
        Ok(texts)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_written_in_three_ways() {
        let read = |value| serde_json::from_value::<Texts>(value).unwrap();
        assert_eq!(read(json!("a")).on(Os::Linux), ["a"]);
        assert_eq!(read(json!("a")).on(Os::Windows), ["a"]);
        assert_eq!(read(json!(["a", "b"])).on(Os::MacOs), ["a", "b"]);
        let both = read(json!({"unix": ["a"], "windows": "b"}));
        assert_eq!(both.on(Os::Linux), ["a"]);
        assert_eq!(both.on(Os::Windows), ["b"]);
        assert!(read(json!({"unix": "a"})).on(Os::Windows).is_empty());
        assert!(serde_json::from_value::<Texts>(json!({"linux": "a"})).is_err());
        assert!(serde_json::from_value::<Texts>(json!(1)).is_err());
    }
}

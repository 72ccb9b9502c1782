//! Picks a part of a JSON document, without changing the text of what is picked.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The way to a part of a document: a JSON Pointer, or names with dots between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    written: String,
    parts: Vec<String>,
}

impl Pointer {
    /// Reads `/a/b~1c/0` or `a.b.0`; an empty text is the whole document.
    ///
    /// ```
    /// use toolroom_exec::http::Pointer;
    /// use serde_json::value::RawValue;
    ///
    /// let document = RawValue::from_string(r#"{"a": [{"b": 1.50}]}"#.into())?;
    /// let picked = Pointer::parse("/a/0/b").pick(&document);
    /// assert_eq!(picked.unwrap().get(), "1.50");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let parts = match text.strip_prefix('/') {
            Some(rest) => rest
                .split('/')
                .map(|part| part.replace("~1", "/").replace("~0", "~"))
                .collect(),
            None if text.is_empty() => Vec::new(),
            None => text.split('.').map(str::to_owned).collect(),
        };
        Self {
            written: text.to_owned(),
            parts,
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// The part, if the document has it.
    #[must_use]
    pub fn pick(&self, document: &RawValue) -> Option<Box<RawValue>> {
        let mut at = document;
        for part in &self.parts {
            at = step(at, part)?;
        }
        Some(at.to_owned())
    }
}

fn step<'d>(document: &'d RawValue, part: &str) -> Option<&'d RawValue> {
    if let Ok(mut fields) = serde_json::from_str::<BTreeMap<String, &RawValue>>(document.get()) {
        return fields.remove(part);
    }
    let items: Vec<&RawValue> = serde_json::from_str(document.get()).ok()?;
    items.get(part.parse::<usize>().ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_and_dotted_names_lead_to_the_same_parts() {
        let text = r#"{"a":{"b":[10,{"c/d":true}]},"":{"x":null},"big":123456789012345678901}"#;
        let document = RawValue::from_string(text.to_owned()).unwrap();
        let cases = [
            ("", Some(text)),
            ("/a/b/0", Some("10")),
            ("a.b.0", Some("10")),
            ("/a/b/1/c~1d", Some("true")),
            ("//x", Some("null")),
            ("big", Some("123456789012345678901")),
            ("/a/b/2", None),
            ("/a/b/-1", None),
            ("a.b.x", None),
            ("a.b.0.c", None),
        ];
        for (written, wanted) in cases {
            let picked = Pointer::parse(written).pick(&document);
            assert_eq!(picked.as_deref().map(RawValue::get), wanted, "{written}");
        }
    }
}

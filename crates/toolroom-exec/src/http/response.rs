//! What an answer's bytes mean: JSON, text, or neither.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

/// The first lines of an answer.
#[derive(Debug, Clone)]
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) headers: Vec<(String, String)>,
    pub(super) kind: Kind,
}

/// What an answer says its body is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Kind {
    /// In lower case and without parameters; empty if nothing is said.
    essence: String,
    charset: Option<String>,
}

impl Head {
    pub(super) fn of(response: &Response) -> Self {
        let headers = response.headers();
        let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
        Self {
            status: response.status().as_u16(),
            headers: headers
                .iter()
                .map(|(name, value)| (name.to_string(), text(value.as_bytes())))
                .collect(),
            kind: Kind::of(headers),
        }
    }
}

impl Kind {
    fn of(headers: &HeaderMap) -> Self {
        let written = headers
            .get(CONTENT_TYPE)
            .and_then(|kind| kind.to_str().ok());
        written.map_or_else(Self::default, Self::parse)
    }

    fn parse(written: &str) -> Self {
        let mut parts = written.split(';').map(str::trim);
        let essence = parts.next().unwrap_or_default().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim()
                .eq_ignore_ascii_case("charset")
                .then(|| value.trim().trim_matches('"').to_owned())
        });
        Self { essence, charset }
    }

    pub(super) fn is_events(&self) -> bool {
        self.essence == "text/event-stream"
    }

    fn is_json(&self) -> bool {
        self.essence.ends_with("/json") || self.essence.ends_with("+json")
    }

    fn is_text(&self) -> bool {
        const TEXTS: [&str; 8] = [
            "application/xml",
            "application/javascript",
            "application/x-javascript",
            "application/x-www-form-urlencoded",
            "application/x-ndjson",
            "application/yaml",
            "application/toml",
            "application/graphql",
        ];
        self.essence.starts_with("text/")
            || self.essence.ends_with("+xml")
            || self.essence.ends_with("+yaml")
            || TEXTS.contains(&self.essence.as_str())
    }

    /// The body as a JSON value: itself, a text, or an object with Base64 in it. An empty
    /// body is nothing.
    pub(super) fn data(&self, bytes: &[u8]) -> Option<Box<RawValue>> {
        if bytes.is_empty() {
            return None;
        }
        if self.is_json() {
            let text = self.text(bytes);
            return json(&text).or_else(|| to_raw_value(&text).ok());
        }
        if self.is_text() {
            return to_raw_value(&self.text(bytes)).ok();
        }
        match std::str::from_utf8(bytes) {
            Ok(text) if self.essence.is_empty() => to_raw_value(text).ok(),
            _ => to_raw_value(&json!({
                "content_type": self.essence,
                "bytes": bytes.len(),
                "base64": BASE64_STANDARD.encode(bytes),
            }))
            .ok(),
        }
    }

    fn text(&self, bytes: &[u8]) -> String {
        let label = self.charset.as_deref().unwrap_or("utf-8");
        let encoding = encoding_rs::Encoding::for_label(label.as_bytes());
        let (text, ..) = encoding.unwrap_or(encoding_rs::UTF_8).decode(bytes);
        text.into_owned()
    }
}

/// A text as the JSON value it is, on one line, with its numbers as they are written.
pub(super) fn json(text: &str) -> Option<Box<RawValue>> {
    serde_json::from_str::<&RawValue>(text.trim()).ok()?;
    RawValue::from_string(compact(text)).ok()
}

/// JSON without the space between its parts.
fn compact(json: &str) -> String {
    let mut is_text = false;
    let mut is_escaped = false;
    let keeps = |c: &char| {
        if is_text {
            match (is_escaped, c) {
                (true, _) => is_escaped = false,
                (false, '\\') => is_escaped = true,
                (false, '"') => is_text = false,
                (false, _) => {}
            }
            return true;
        }
        is_text = *c == '"';
        !matches!(c, ' ' | '\t' | '\n' | '\r')
    };
    json.chars().filter(keeps).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_declared_type_decides_what_bytes_mean() {
        let cases: [(&str, &[u8], Option<&str>); 13] = [
            (
                "application/json",
                b"{\"a\": [1,\n 2.50]}",
                Some("{\"a\":[1,2.50]}"),
            ),
            (
                "application/problem+json; charset=utf-8",
                b"null",
                Some("null"),
            ),
            ("application/json", b"\xef\xbb\xbf 1e400 ", Some("1e400")),
            ("application/json", b"not json", Some("\"not json\"")),
            ("text/plain", b"17", Some("\"17\"")),
            (
                "TEXT/HTML; Charset=\"ISO-8859-1\"",
                b"gr\xfc\xdf",
                Some("\"grüß\""),
            ),
            (
                "text/plain; charset=nonsense",
                "ü".as_bytes(),
                Some("\"ü\""),
            ),
            ("text/plain", b"\xff", Some("\"\u{fffd}\"")),
            ("", b"plain", Some("\"plain\"")),
            (
                "",
                b"\xff\x00",
                Some(r#"{"content_type":"","bytes":2,"base64":"/wA="}"#),
            ),
            (
                "image/png",
                b"x",
                Some(r#"{"content_type":"image/png","bytes":1,"base64":"eA=="}"#),
            ),
            ("application/json", b"", None),
            ("image/svg+xml", b"<svg/>", Some("\"<svg/>\"")),
        ];
        for (kind, bytes, wanted) in cases {
            let data = Kind::parse(kind).data(bytes);
            assert_eq!(data.as_deref().map(RawValue::get), wanted, "{kind}");
        }
    }

    proptest! {
        #[test]
        fn a_document_on_one_line_means_the_same(text in "[ -~\n\t\"\\\\]{0,40}", number in any::<f64>()) {
            let value = json!({"a b": [text, number, {"\" x": null}]});
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            let compacted = json(&pretty).unwrap();
            prop_assert_eq!(compacted.get(), value.to_string());
        }
    }
}

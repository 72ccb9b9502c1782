//! The outside of a message: whether it has the form of one, and which id it is to be
//! answered under if it has not. Knows nothing of methods.

use rmcp::model::{ErrorCode, RequestId};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// What is wrong with a message, and under which id that is told.
#[derive(Debug, PartialEq)]
pub struct Misread {
    pub id: Option<RequestId>,
    pub code: ErrorCode,
    pub reason: String,
}

/// What is wrong with something that the SDK does not take.
pub fn misread(text: &[u8]) -> Misread {
    let (id, code, reason) = match serde_json::from_slice::<Envelope>(text) {
        Ok(envelope) => {
            let reason = envelope.fault().unwrap_or("it is not understood");
            (envelope.id(), ErrorCode::INVALID_REQUEST, reason.to_owned())
        }
        Err(fault) if fault.is_data() => (None, ErrorCode::INVALID_REQUEST, fault.to_string()),
        Err(fault) => {
            let head = serde_json::from_slice::<Head>(text);
            let id = head.ok().and_then(Head::of_request);
            (id, ErrorCode::PARSE_ERROR, fault.to_string())
        }
    };
    Misread {
        id,
        code,
        reason: format!("the message cannot be read: {reason}"),
    }
}

/// The top of a message, whatever it means.
#[derive(Debug, Default)]
pub struct Envelope {
    version: Option<Value>,
    id: Option<Value>,
    method: Option<Legible>,
    params: Option<Legible>,
    has_answer: bool,
    /// Whether one of these is there twice.
    is_ambiguous: bool,
}

impl Envelope {
    /// Why this is no message; none if it has the form of one.
    pub fn fault(&self) -> Option<&'static str> {
        let is_two = |version: &Value| version.as_str() == Some("2.0");
        match self {
            Self {
                is_ambiguous: true, ..
            } => Some("a member is there twice"),
            _ if !self.version.as_ref().is_some_and(is_two) => Some("jsonrpc is not \"2.0\""),
            _ if self.id.is_some() && self.id().is_none() => {
                Some("the id is neither a text nor a whole number")
            }
            Self {
                method: Some(Legible::Object | Legible::Other),
                ..
            } => Some("the method is no text"),
            Self {
                method: Some(_),
                has_answer: true,
                ..
            } => Some("it has a method and an answer"),
            Self {
                method: None,
                has_answer: false,
                ..
            } => Some("it has neither a method nor an answer"),
            Self {
                method: Some(_),
                params: Some(Legible::Text | Legible::Other),
                ..
            } => Some("the params are no object"),
            _ => None,
        }
    }

    pub fn id(&self) -> Option<RequestId> {
        let id = self.id.as_ref()?;
        RequestId::deserialize(id).ok()
    }

    /// Whether its sender waits for an answer, and is not giving one.
    pub fn asks(&self) -> bool {
        self.method.is_some() || !self.has_answer
    }
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Top)
    }
}

struct Top;

impl<'de> Visitor<'de> for Top {
    type Value = Envelope;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<Envelope, A::Error> {
        let mut top = Envelope::default();
        while let Some(key) = all.next_key::<String>()? {
            let was_there = match key.as_str() {
                "jsonrpc" => top.version.replace(all.next_value()?).is_some(),
                "id" => top.id.replace(all.next_value()?).is_some(),
                "method" => top.method.replace(all.next_value()?).is_some(),
                "params" => top.params.replace(all.next_value()?).is_some(),
                "result" | "error" => {
                    all.next_value::<Legible>()?;
                    std::mem::replace(&mut top.has_answer, true)
                }
                _ => {
                    all.next_value::<Legible>()?;
                    false
                }
            };
            top.is_ambiguous |= was_there;
        }
        Ok(top)
    }
}

/// What can be told of a message whatever else is in it.
#[derive(Deserialize)]
pub struct Head {
    pub id: Option<RequestId>,
    pub method: Option<IgnoredAny>,
}

impl Head {
    /// The id, if it is that of a request.
    pub fn of_request(self) -> Option<RequestId> {
        self.method.and(self.id)
    }
}

/// Any JSON that the SDK can parse, no deeper than it goes and its texts whole; and as much
/// of it as has to be known here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Legible {
    Nothing,
    Text,
    Object,
    Other,
}

impl<'de> Deserialize<'de> for Legible {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Any)
    }
}

struct Any;

impl<'de> Visitor<'de> for Any {
    type Value = Legible;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Legible, E> {
        Ok(Legible::Nothing)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Legible, E> {
        Ok(Legible::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Legible, E> {
        Ok(Legible::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Legible, E> {
        Ok(Legible::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Legible, E> {
        Ok(Legible::Other)
    }

    fn visit_str<E>(self, _: &str) -> Result<Legible, E> {
        Ok(Legible::Text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Legible, A::Error> {
        while all.next_element::<Legible>()?.is_some() {}
        Ok(Legible::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut all: A) -> Result<Legible, A::Error> {
        while all.next_entry::<Legible, Legible>()?.is_some() {}
        Ok(Legible::Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_the_form_of_a_message_is_one() {
        for text in [
            r#"{"jsonrpc":"2.0","id":1,"method":"m"}"#,
            r#"{"jsonrpc":"2.0","id":"a","method":"m","params":{"id":[]},"more":1}"#,
            r#"{"params":null,"method":"m","jsonrpc":"2.0"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","error":{}}"#,
        ] {
            let envelope: Envelope = serde_json::from_str(text).unwrap();
            assert_eq!(envelope.fault(), None, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_under_the_id_that_can_be_read() {
        let number = |id: i64| Some(RequestId::Number(id));
        for (text, id, code, reason) in [
            (
                r#"{"jsonrpc":"1.0","id":8,"method":"m"}"#,
                number(8),
                -32600,
                "jsonrpc",
            ),
            (r#"{"id":8,"method":"m"}"#, number(8), -32600, "jsonrpc"),
            (
                r#"{"jsonrpc":"2.0","id":8,"method":5}"#,
                number(8),
                -32600,
                "no text",
            ),
            (
                r#"{"jsonrpc":"2.0","id":8,"method":"m","params":[]}"#,
                number(8),
                -32600,
                "params",
            ),
            (r#"{"jsonrpc":"2.0","id":8}"#, number(8), -32600, "neither"),
            (
                r#"{"jsonrpc":"2.0","id":8,"method":"m","result":1}"#,
                number(8),
                -32600,
                "answer",
            ),
            (
                r#"{"jsonrpc":"2.0","id":8,"method":"m","method":"m"}"#,
                number(8),
                -32600,
                "twice",
            ),
            (
                r#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#,
                None,
                -32600,
                "the id",
            ),
            (
                r#"{"jsonrpc":"2.0","id":8,"method":"m","params":"\ud800"}"#,
                number(8),
                -32700,
                "escape",
            ),
            (r#"{"jsonrpc":"2.0","id":8,"meth"#, None, -32700, "EOF"),
            ("", None, -32700, "EOF"),
            ("5", None, -32600, "an object"),
        ] {
            let found = misread(text.as_bytes());
            assert_eq!((found.id, found.code.0), (id, code), "{text}");
            assert!(found.reason.contains(reason), "{text}: {}", found.reason);
        }
    }
}

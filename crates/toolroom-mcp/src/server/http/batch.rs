//! Reads batches, which clients of revision 2025-03-26 may post: says what each message is,
//! and why a batch is none. Hands nothing on, and knows nothing of sessions.

use std::collections::HashSet;

use http::{HeaderMap, HeaderValue};
use hyper::body::Bytes;
use rmcp::model::{
    ClientJsonRpcMessage, ErrorCode, JsonRpcMessage, JsonRpcRequest, ProtocolVersion, RequestId,
};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::fault::Fault;
use crate::server::envelope::Head;

/// How many messages a batch may hold.
const MOST: usize = 1000;

/// A message of a batch.
#[derive(Debug)]
pub enum Member {
    Request {
        id: RequestId,
        text: Bytes,
    },
    /// A notification, or the answer to a question of ours: nothing is said to it.
    Heard(Bytes),
    /// What is no message, and is told so.
    Fault(Fault),
}

/// Whether a body is a batch, right or wrong.
pub fn is_one(body: &[u8]) -> bool {
    body.trim_ascii_start().starts_with(b"[")
}

/// Whether batches may be posted: by the revision that the headers name, and by the one
/// that the session agreed on, where these are known.
///
/// # Errors
/// Fails for every revision but the one that has batches.
pub fn allowed(headers: &HeaderMap, agreed: Option<&ProtocolVersion>) -> Result<(), Fault> {
    let named = headers
        .get("mcp-protocol-version")
        .map(HeaderValue::as_bytes);
    let agreed = agreed.map(|version| version.as_str().as_bytes());
    let known = ProtocolVersion::V_2025_03_26;
    let other = [named, agreed].into_iter().flatten();
    let mut other = other.filter(|revision| *revision != known.as_str().as_bytes());
    let Some(other) = other.next() else {
        return Ok(());
    };
    let other = String::from_utf8_lossy(other);
    Err(Fault::invalid(
        None,
        format!("only revision {known} has batches, and this is {other}"),
    ))
}

/// The messages of a batch.
///
/// # Errors
/// Fails for what is no batch: then no message of it is to be handed on.
pub fn read(body: &Bytes) -> Result<Vec<Member>, Fault> {
    let Texts(texts) = serde_json::from_slice(body).map_err(|fault| Fault {
        id: None,
        code: ErrorCode::PARSE_ERROR,
        reason: format!("the batch cannot be read: {fault}"),
    })?;
    if texts.is_empty() {
        return Err(Fault::invalid(None, "a batch holds at least one message"));
    }
    if texts.len() > MOST {
        let reason = format!("a batch may hold {MOST} messages");
        return Err(Fault::invalid(None, reason));
    }
    let members = texts.into_iter().map(|text| Member::of(body, text));
    let members = members.collect::<Result<Vec<_>, _>>()?;
    every_id_once(&members)?;
    Ok(members)
}

/// Only one of two requests with one id could be answered.
fn every_id_once(members: &[Member]) -> Result<(), Fault> {
    let mut seen = HashSet::new();
    for member in members {
        if let Some(id) = member.id()
            && !seen.insert(id)
        {
            let reason = format!("the id {id} is that of another request in the batch");
            return Err(Fault::invalid(Some(id.clone()), reason));
        }
    }
    Ok(())
}

impl Member {
    /// The id of a request.
    pub fn id(&self) -> Option<&RequestId> {
        match self {
            Self::Request { id, .. } => Some(id),
            Self::Heard(_) | Self::Fault(_) => None,
        }
    }

    fn of(body: &Bytes, text: &RawValue) -> Result<Self, Fault> {
        let whole = || body.slice_ref(text.get().as_bytes());
        match serde_json::from_str(text.get()) {
            Ok(ClientJsonRpcMessage::Request(JsonRpcRequest { id, request, .. })) => {
                if request.method() == "initialize" {
                    let reason = "initialize may not be part of a batch";
                    return Err(Fault::invalid(Some(id), reason));
                }
                Ok(Self::Request { id, text: whole() })
            }
            Ok(
                JsonRpcMessage::Notification(_)
                | JsonRpcMessage::Response(_)
                | JsonRpcMessage::Error(_),
            ) => Ok(Self::Heard(whole())),
            Err(fault) => {
                let head = serde_json::from_str::<Head>(text.get());
                let id = head.ok().and_then(Head::of_request);
                let reason = format!("the message cannot be read: {fault}");
                Ok(Self::Fault(Fault::invalid(id, reason)))
            }
        }
    }
}

/// The messages as they were written; of too many only one too many.
struct Texts<'b>(Vec<&'b RawValue>);

impl<'de> Deserialize<'de> for Texts<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(Self(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Texts<'de> {
    type Value = Self;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a batch")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut all: A) -> Result<Self, A::Error> {
        while self.0.len() <= MOST {
            match all.next_element()? {
                Some(text) => self.0.push(text),
                None => return Ok(self),
            }
        }
        while all.next_element::<IgnoredAny>()?.is_some() {}
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

    fn told(fault: &Fault) -> (Value, i64) {
        let message: Value = serde_json::from_str(&fault.message()).unwrap();
        let code = message["error"]["code"].as_i64().unwrap();
        (message["id"].clone(), code)
    }

    fn refusal(text: &str) -> (Value, i64) {
        told(&read(&Bytes::from(text.to_owned())).unwrap_err())
    }

    #[test]
    fn every_message_is_known_for_what_it_is() {
        let heard = r#"{"jsonrpc":"2.0","method":"notifications/x"}"#;
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
        let illegible = r#"{"jsonrpc":"2.0","id":"x","method":"m","params":{"a":"\ud800"}}"#;
        let parts = [PING, heard, answer, "5", "[]", &deep, illegible];
        let body = Bytes::from(format!(" [{}]\n", parts.join(" , ")));
        assert!(is_one(&body));
        let members = read(&body).unwrap();
        assert_eq!(members.len(), parts.len());
        let mut faults = Vec::new();
        for (member, part) in members.iter().zip(parts) {
            match member {
                Member::Request { text, .. } => {
                    assert_eq!((&text[..], part), (part.as_bytes(), PING));
                }
                Member::Heard(text) => assert_eq!(text, part),
                Member::Fault(fault) => faults.push(told(fault)),
            }
        }
        let nobody = (Value::Null, -32600);
        assert_eq!(
            faults,
            [nobody.clone(), nobody.clone(), nobody, (json!("x"), -32600)]
        );
    }

    #[test]
    fn what_is_no_batch_is_refused_whole() {
        let many = |count: usize| format!("[{}]", vec!["0"; count].join(","));
        let initialize = r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}"#;
        for (text, id, code) in [
            ("[]", Value::Null, -32600),
            (&many(MOST + 1), Value::Null, -32600),
            (&format!("[{PING},{initialize}]"), json!(7), -32600),
            (&format!("[{PING},{PING}]"), json!(1), -32600),
            (&format!("[{PING}"), Value::Null, -32700),
            (&format!("[{PING}]]"), Value::Null, -32700),
            (&format!("[{PING},]"), Value::Null, -32700),
        ] {
            assert_eq!(refusal(text), (id, code), "{text}");
        }
        assert_eq!(read(&Bytes::from(many(MOST))).unwrap().len(), MOST);
    }

    #[test]
    fn one_revision_alone_has_batches() {
        let with = |named: Option<&'static str>| {
            let named = named.map(|named| {
                (
                    "mcp-protocol-version".parse().unwrap(),
                    HeaderValue::from_static(named),
                )
            });
            HeaderMap::from_iter(named)
        };
        let (this, other) = (ProtocolVersion::V_2025_03_26, ProtocolVersion::V_2025_06_18);
        for (named, agreed, is_allowed) in [
            (None, None, true),
            (None, Some(&this), true),
            (Some("2025-03-26"), Some(&this), true),
            (Some("2025-03-26"), Some(&other), false),
            (Some("2025-06-18"), Some(&this), false),
            (Some("2025-06-18"), None, false),
            (None, Some(&other), false),
        ] {
            let found = allowed(&with(named), agreed);
            assert_eq!(found.is_ok(), is_allowed, "{named:?} {agreed:?}");
        }
    }

    proptest! {
        #[test]
        fn every_value_of_a_batch_is_one_of_its_messages(values in proptest::collection::vec(".{0,12}", 1..9)) {
            let values: Vec<Value> = values.iter().map(|value| json!({"k": [value, {}]})).collect();
            let members = read(&Bytes::from(json!(values).to_string())).unwrap();
            prop_assert_eq!(members.len(), values.len());
        }

        #[test]
        fn nothing_that_is_posted_is_too_strange_to_be_read(text in "[\\[{\"a:1,}\\]]{0,40}") {
            let _ = read(&Bytes::from(text));
        }
    }
}

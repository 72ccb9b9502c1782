//! Server-sent events, cut out of a stream of bytes as the HTML standard says.
//!
//! Our own reader, because memory must stay bounded whatever a server sends, and because
//! fields that are not known are to be passed over and not to end the stream.

use serde::Serialize;
use serde_json::value::RawValue;

/// An event that a server sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ServerEvent {
    pub(super) name: Option<String>,
    pub(super) id: Option<String>,
    pub(super) data: String,
}

/// One event took more bytes than are kept.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// Reads events from bytes that come in any pieces.
#[derive(Debug)]
pub(super) struct Reader {
    limit: usize,
    line: Vec<u8>,
    event: ServerEvent,
    has_data: bool,
    is_first_line: bool,
    after_cr: bool,
}

impl Reader {
    /// A reader of events of at most so many bytes.
    pub(super) fn new(limit: u64) -> Self {
        Self {
            limit: usize::try_from(limit).unwrap_or(usize::MAX),
            line: Vec::new(),
            event: ServerEvent::default(),
            has_data: false,
            is_first_line: true,
            after_cr: false,
        }
    }

    /// Takes the next bytes and hands over every event they complete.
    pub(super) fn push(
        &mut self,
        mut bytes: &[u8],
        mut hear: impl FnMut(ServerEvent),
    ) -> Result<(), TooLong> {
        if std::mem::take(&mut self.after_cr) {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.extend(&bytes[..end])?;
            let is_cr = bytes[end] == b'\r';
            bytes = &bytes[end + 1..];
            if is_cr {
                self.after_cr = bytes.is_empty();
                bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            }
            if let Some(event) = self.end_line() {
                hear(event);
            }
        }
        self.extend(bytes)
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + self.event.data.len() + bytes.len() > self.limit {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// Takes a whole line; an empty one completes the event.
    fn end_line(&mut self) -> Option<ServerEvent> {
        let line = std::mem::take(&mut self.line);
        let mut text = &*String::from_utf8_lossy(&line);
        if std::mem::take(&mut self.is_first_line) {
            text = text.strip_prefix('\u{feff}').unwrap_or(text);
        }
        if text.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = text.split_once(':').unwrap_or((text, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            "event" => self.event.name = Some(value.to_owned()),
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            // A comment, the time before a reconnection, or a field of the future.
            _ => {}
        }
        None
    }
}

/// How many events are kept for the result.
const MAX_EVENTS: usize = 10_000;

/// The events of one answer, as far as they are kept.
#[derive(Debug, Default)]
pub(super) struct Collected {
    events: Vec<Box<RawValue>>,
    bytes: u64,
    /// Whether later events were passed on but not kept.
    pub(super) is_truncated: bool,
}

#[derive(Serialize)]
struct Shown<'e> {
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'e str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'e str>,
    data: &'e RawValue,
}

impl Collected {
    /// Keeps an event, unless as much is kept as may be.
    pub(super) fn keep(&mut self, event: &ServerEvent, limit: u64) {
        let size = event.data.len() as u64;
        if self.is_truncated || self.events.len() == MAX_EVENTS || self.bytes + size > limit {
            self.is_truncated = true;
            return;
        }
        let data = super::response::json(&event.data)
            .or_else(|| serde_json::value::to_raw_value(&event.data).ok());
        let shown = data.and_then(|data| {
            serde_json::value::to_raw_value(&Shown {
                event: event.name.as_deref(),
                id: event.id.as_deref(),
                data: &data,
            })
            .ok()
        });
        self.bytes += size;
        self.events.extend(shown);
    }

    /// The events as one list.
    pub(super) fn data(&self) -> Option<Box<RawValue>> {
        serde_json::value::to_raw_value(&self.events).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &[u8], step: usize) -> Vec<ServerEvent> {
        let mut reader = Reader::new(1000);
        let mut events = Vec::new();
        for chunk in text.chunks(step) {
            reader.push(chunk, |event| events.push(event)).unwrap();
        }
        events
    }

    fn event(name: Option<&str>, id: Option<&str>, data: &str) -> ServerEvent {
        ServerEvent {
            name: name.map(str::to_owned),
            id: id.map(str::to_owned),
            data: data.to_owned(),
        }
    }

    #[test]
    fn events_are_what_the_standard_says_in_whatever_pieces_they_come() {
        let cases: [(&[u8], Vec<ServerEvent>); 8] = [
            (
                b"data: a\ndata:b\ndata\n\n",
                vec![event(None, None, "a\nb\n")],
            ),
            (
                b"event: e\nid: 1\ndata: x\r\n\r\ndata: y\r\r",
                vec![event(Some("e"), Some("1"), "x"), event(None, None, "y")],
            ),
            (b"\xef\xbb\xbfdata: bom\n\n", vec![event(None, None, "bom")]),
            (b": ping\nretry: 5\nfuture: f\n\n", vec![]),
            (b"event: only\n\n", vec![]),
            (b"data: unfinished\n", vec![]),
            (b"data:  two\n\n", vec![event(None, None, " two")]),
            (
                b"id: a\0b\ndata: \xff\n\n",
                vec![event(None, None, "\u{fffd}")],
            ),
        ];
        for (text, wanted) in cases {
            for step in [1, 2, 3, 1000] {
                assert_eq!(read(text, step), wanted, "{}", text.escape_ascii());
            }
        }
    }

    #[test]
    fn an_event_without_an_end_is_not_kept_for_ever() {
        let mut reader = Reader::new(1000);
        let ended = (0..20).find(|_| reader.push(&[b'x'; 100], |_| {}).is_err());
        assert_eq!(ended, Some(10));
        let mut reader = Reader::new(1000);
        let ended = (0..200).find(|_| reader.push(b"data: xxxxx\n", |_| {}).is_err());
        assert!(ended.is_some());
    }

    #[test]
    fn the_result_is_bounded_and_says_so() {
        let mut collected = Collected::default();
        for data in ["{\"a\": 1}", "[DONE]", "left out"] {
            collected.keep(&event(None, None, data), 14);
        }
        assert_eq!(
            collected.data().unwrap().get(),
            r#"[{"data":{"a":1}},{"data":"[DONE]"}]"#
        );
        assert!(collected.is_truncated);
    }

    proptest! {
        #[test]
        fn pieces_never_change_what_is_read(bytes in prop::collection::vec(prop::sample::select(b"data: e\r\n\n".to_vec()), 0..200), step in 1_usize..9) {
            prop_assert_eq!(read(&bytes, step), read(&bytes, 1000));
        }
    }
}

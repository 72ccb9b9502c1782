//! Reads lines before the SDK does, which drops in silence what it cannot parse, and whose
//! sender then waits for ever: such a request is put in a form that is answered.
//!
//! Lines that are legible are handed on as they are. One that is too long is kept by nobody;
//! its sender is told, if its id was seen.

use std::borrow::Cow;
use std::io::BufRead as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::model::{ErrorCode, RequestId};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, ReadBuf};

use super::batches::Batches;
use super::envelope::{Envelope, Head};
use super::misread::ILLEGIBLE;
use super::skim::Skim;

/// How much is read at once.
const PIECE: usize = 16 << 10;

/// Legible lines of a reader; batches are taken apart. What is too long is said to `say`.
pub struct Lines<R, S> {
    reader: R,
    batches: Batches,
    longest: usize,
    piece: Box<[u8]>,
    /// The beginning of a line whose end has not come.
    begun: Vec<u8>,
    /// What was seen of a line that is too long to be kept, while it goes on.
    skimmed: Option<Skim>,
    say: S,
    ready: std::io::Cursor<Vec<u8>>,
}

impl<R, S: Fn(&str)> Lines<R, S> {
    pub fn new(reader: R, longest: usize, say: S) -> Self {
        Self {
            reader,
            batches: Batches::default(),
            longest,
            piece: vec![0; PIECE].into(),
            begun: Vec::new(),
            skimmed: None,
            say,
            ready: std::io::Cursor::default(),
        }
    }

    fn take(&mut self, count: usize) {
        let piece = &mut self.piece[..count];
        self.batches.unpack(piece);
        let ready = self.ready.get_mut();
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let is_whole = part.ends_with(b"\n");
            if let Some(skim) = &mut self.skimmed {
                skim.take(part);
            } else {
                self.begun.extend_from_slice(part);
                if self.begun.len() <= self.longest {
                    if is_whole {
                        ready.extend_from_slice(&legible(&self.begun));
                        self.begun.clear();
                    }
                    continue;
                }
                (self.say)(&too_long(self.longest));
                let mut skim = Skim::default();
                skim.take(&self.begun);
                self.skimmed = Some(skim);
                self.begun = Vec::new();
            }
            if is_whole && let Some(skim) = self.skimmed.take() {
                ready.extend_from_slice(&line_of(&skimmed(skim, self.longest)));
            }
        }
    }
}

impl<R: AsyncRead + Unpin, S: Fn(&str) + Unpin> AsyncRead for Lines<R, S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let this = self.get_mut();
        loop {
            let waiting = this.ready.fill_buf()?;
            if !waiting.is_empty() {
                let count = waiting.len().min(buffer.remaining());
                buffer.put_slice(&waiting[..count]);
                this.ready.consume(count);
                return Poll::Ready(Ok(()));
            }
            this.ready.get_mut().clear();
            this.ready.set_position(0);
            let mut piece = ReadBuf::new(&mut this.piece);
            ready!(Pin::new(&mut this.reader).poll_read(context, &mut piece))?;
            let count = piece.filled().len();
            if count == 0 {
                // Half a line at the end is no request.
                return Poll::Ready(Ok(()));
            }
            this.take(count);
        }
    }
}

/// A line as the SDK answers it.
fn legible(line: &[u8]) -> Cow<'_, [u8]> {
    // What does not even begin as a message is noise, and not answered.
    if !line.trim_ascii_start().starts_with(b"{") {
        return line.into();
    }
    let fault = match serde_json::from_slice::<Envelope>(line) {
        Ok(envelope) => {
            return match (envelope.fault(), envelope.id()) {
                (Some(reason), Some(id)) if envelope.asks() => {
                    line_of(&request(&id, ErrorCode::INVALID_REQUEST, reason)).into()
                }
                _ => line.into(),
            };
        }
        Err(fault) => fault.to_string(),
    };
    let told = match serde_json::from_slice::<Head>(line) {
        Ok(Head {
            id: Some(id),
            method: Some(_),
        }) => request(&id, ErrorCode::PARSE_ERROR, &fault),
        Ok(Head { id: Some(id), .. }) => answer(&id, ErrorCode::PARSE_ERROR, &fault),
        Ok(_) => return line.into(),
        // No message, and answered as such.
        Err(_) => Value::Null,
    };
    line_of(&told).into()
}

/// What stands for a line that was too long.
fn skimmed(skim: Skim, longest: usize) -> Value {
    let fault = too_long(longest);
    match skim.id {
        Some(id) if skim.has_method => request(&id, ErrorCode::INVALID_REQUEST, &fault),
        Some(id) => answer(&id, ErrorCode::INVALID_REQUEST, &fault),
        None => Value::Null,
    }
}

fn too_long(longest: usize) -> String {
    format!("a line of the input was skipped: it is longer than {longest} bytes")
}

/// A request that is answered by the reason why it is none.
fn request(id: &RequestId, code: ErrorCode, fault: &str) -> Value {
    let params = json!({"code": code, "reason": told(fault)});
    json!({"jsonrpc": "2.0", "id": id, "method": ILLEGIBLE, "params": params})
}

/// An answer to a question of ours that could not be read.
fn answer(id: &RequestId, code: ErrorCode, fault: &str) -> Value {
    let error = json!({"code": code, "message": told(fault)});
    json!({"jsonrpc": "2.0", "id": id, "error": error})
}

fn told(fault: &str) -> String {
    format!("the message cannot be read: {fault}")
}

fn line_of(message: &Value) -> Vec<u8> {
    format!("{message}\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    async fn read(text: &[u8], longest: usize) -> String {
        let mut read = Vec::new();
        let mut lines = Lines::new(text, longest, |_: &str| {});
        lines.read_to_end(&mut read).await.unwrap();
        String::from_utf8_lossy(&read).into_owned()
    }

    #[tokio::test]
    async fn what_is_legible_or_noise_stays_as_it_is() {
        let long = format!("{{\"a\":\"{}\"}}\n{{}}\n", "x".repeat(3 * PIECE));
        for text in [
            "{\"a\":[1,-2,3.5,true,null,\"\\ud83d\\ude00\"]}\n",
            "hello\n\n{}\n",
            "{\"method\":\"\\ud800\"}\n",
            long.as_str(),
        ] {
            assert_eq!(read(text.as_bytes(), 100 << 10).await, text);
        }
        assert_eq!(read(b"{}\n{\"half", 100).await, "{}\n");
    }

    #[tokio::test]
    async fn what_the_sdk_would_drop_becomes_something_that_is_answered() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for fault in ["\"\\ud800\"", "1e999", deep.as_str()] {
            let request = format!("{{\"params\":{fault},\"id\":\"x\",\"method\":\"m\"}}\n");
            let read = read(request.as_bytes(), 1 << 20).await;
            let told: serde_json::Value = serde_json::from_str(&read).unwrap();
            assert_eq!(
                (&told["id"], &told["method"]),
                (&json!("x"), &json!(ILLEGIBLE))
            );
        }
        let answer = read(b"{\"id\":1,\"result\":\"\\ud800\"}\n", 100).await;
        assert!(answer.contains("-32700"), "{answer}");
        assert_eq!(read(b"{\"id\":1,\n{}\n", 100).await, "null\n{}\n");
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_told_under_its_id() {
        let long = "x".repeat(3 * PIECE);
        for (line, id, part) in [
            (
                format!("{{\"id\":7,\"method\":\"{long}\"}}"),
                json!(7),
                "method",
            ),
            (
                format!("{{\"method\":\"m\",\"params\":\"{long}\",\"id\":\"a\"}}"),
                json!("a"),
                "method",
            ),
            (
                format!("{{\"result\":\"{long}\",\"id\":7}}"),
                json!(7),
                "error",
            ),
        ] {
            let read = read(format!("{line}\n{{}}\n").as_bytes(), 100).await;
            let (told, next) = read.split_once('\n').unwrap();
            let told: Value = serde_json::from_str(told).unwrap();
            assert_eq!((&told["id"], next), (&id, "{}\n"));
            assert!(told.get(part).is_some(), "{told}");
        }
        let noise = format!("{long}\n{{}}\n");
        assert_eq!(read(noise.as_bytes(), 100).await, "null\n{}\n");
    }

    #[tokio::test]
    async fn what_is_no_request_but_has_an_id_is_answered_under_it() {
        let read = read(b"{\"jsonrpc\":\"1.0\",\"id\":8}\n", 100).await;
        let told: Value = serde_json::from_str(&read).unwrap();
        assert_eq!(
            (&told["id"], &told["method"]),
            (&json!(8), &json!(ILLEGIBLE))
        );
        assert_eq!(told["params"]["code"], -32600);
    }
}

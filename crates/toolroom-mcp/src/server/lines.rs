//! Reads lines before the SDK does, which drops in silence what it cannot parse, and whose
//! sender then waits for ever: such a request is put in a form that is answered.
//!
//! Lines that are legible are handed on as they are, and so is one that is too long.

use std::borrow::Cow;
use std::io::BufRead as _;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::model::ErrorCode;
use serde_json::json;
use tokio::io::{AsyncRead, ReadBuf};

use super::batches::Batches;
use super::envelope::{Envelope, Head};
use super::misread::ILLEGIBLE;

/// How much is read at once.
const PIECE: usize = 16 << 10;

/// Legible lines of a reader; batches are taken apart.
#[derive(Debug)]
pub struct Lines<R> {
    reader: R,
    batches: Batches,
    longest: usize,
    piece: Box<[u8]>,
    /// The beginning of a line whose end has not come.
    begun: Vec<u8>,
    /// Whether the line goes on that was too long to be looked at.
    is_too_long: bool,
    ready: std::io::Cursor<Vec<u8>>,
}

impl<R> Lines<R> {
    pub fn new(reader: R, longest: usize) -> Self {
        Self {
            reader,
            batches: Batches::default(),
            longest,
            piece: vec![0; PIECE].into(),
            begun: Vec::new(),
            is_too_long: false,
            ready: std::io::Cursor::default(),
        }
    }

    fn take(&mut self, count: usize) {
        let piece = &mut self.piece[..count];
        self.batches.unpack(piece);
        let ready = self.ready.get_mut();
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let is_whole = part.ends_with(b"\n");
            if self.is_too_long {
                ready.extend_from_slice(part);
                self.is_too_long = !is_whole;
                continue;
            }
            self.begun.extend_from_slice(part);
            if self.begun.len() > self.longest {
                ready.append(&mut self.begun);
                self.is_too_long = !is_whole;
            } else if is_whole {
                ready.extend_from_slice(&legible(&self.begun));
                self.begun.clear();
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Lines<R> {
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
    let Err(fault) = serde_json::from_slice::<Envelope>(line) else {
        return line.into();
    };
    let reason = format!("the message cannot be read: {fault}");
    let told = match serde_json::from_slice::<Head>(line) {
        Ok(Head {
            id: Some(id),
            method: Some(_),
        }) => {
            json!({"jsonrpc": "2.0", "id": id, "method": ILLEGIBLE, "params": {"reason": reason}})
        }
        // An answer to a question of ours.
        Ok(Head { id: Some(id), .. }) => {
            let error = json!({"code": ErrorCode::PARSE_ERROR, "message": reason});
            json!({"jsonrpc": "2.0", "id": id, "error": error})
        }
        Ok(_) => return line.into(),
        // No message, and answered as such.
        Err(_) => json!(null),
    };
    format!("{told}\n").into_bytes().into()
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    async fn read(text: &[u8], longest: usize) -> String {
        let mut read = Vec::new();
        let mut lines = Lines::new(text, longest);
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
            assert_eq!(read(text.as_bytes(), 5).await, text);
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
}

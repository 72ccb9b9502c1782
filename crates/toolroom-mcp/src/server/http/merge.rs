//! Answers a batch by one stream: its messages are handed on as if each had been posted by
//! itself, and the events that answer them are passed on as they come, each of them whole.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use http::request::Parts;
use http::{HeaderValue, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Body, Bytes, Frame};
use rmcp::model::RequestId;
use tokio::sync::mpsc;

use super::batch::Member;
use super::fault::Fault;
use super::{Answer, JSON, Service, is_of};
use crate::server::claims::Claim;

/// Events that wait for a slow client; so many wait for a single request as well.
const WAITING: usize = 16;
const STREAM: &str = "text/event-stream";
/// A notification that changes nothing.
const UNHEEDED: &str = r#"{"jsonrpc":"2.0","method":"notifications/toolroom/batch"}"#;

/// Hands a batch on. What is wrong with its head, such as a session that is gone, is wrong
/// with every message, and is the answer before any is handed on.
///
/// There is a claim for each request, in their order.
pub async fn answer(
    service: &Service,
    head: Parts,
    members: Vec<Member>,
    claims: Vec<Claim>,
) -> Answer {
    let text = Bytes::from_static(UNHEEDED.as_bytes());
    let checked = service.handle(posted(&head, text)).await;
    if checked.status() != StatusCode::ACCEPTED {
        return checked;
    }
    if members
        .iter()
        .all(|member| matches!(member, Member::Heard(_)))
    {
        return heard(service, &head, members).await.unwrap_or(checked);
    }
    let (sender, events) = mpsc::channel(WAITING);
    // Not in the answer's own time: a client that leaves has still posted all of it.
    tokio::spawn(hand_on(service.clone(), head, members, claims, sender));
    streamed(events)
}

/// A message as if it had been posted by itself.
fn posted(head: &Parts, text: Bytes) -> Request<Full<Bytes>> {
    Request::from_parts(head.clone(), Full::new(text))
}

/// Hands on what is not answered; gives the first refusal.
async fn heard(service: &Service, head: &Parts, members: Vec<Member>) -> Option<Answer> {
    for member in members {
        if let Member::Heard(text) = member {
            let answer = service.handle(posted(head, text)).await;
            if answer.status() != StatusCode::ACCEPTED {
                return Some(answer);
            }
        }
    }
    None
}

/// Hands on message after message. Answers are passed on meanwhile: a session waits for
/// whoever does not hear what it says, and would take no more messages.
async fn hand_on(
    service: Service,
    head: Parts,
    members: Vec<Member>,
    claims: Vec<Claim>,
    events: mpsc::Sender<Bytes>,
) {
    let mut claims = claims.into_iter();
    for member in members {
        match member {
            Member::Request { id, text } => {
                let answer = service.handle(posted(&head, text)).await;
                let (claim, events) = (claims.next(), events.clone());
                tokio::spawn(async move {
                    pass_on(id, answer, events).await;
                    drop(claim);
                });
            }
            Member::Heard(text) => _ = service.handle(posted(&head, text)).await,
            // Nobody hears it if the client is gone, and the others are handed on for all that.
            Member::Fault(fault) => _ = events.send(event(fault.message().as_bytes())).await,
        }
    }
}

/// Passes on what answers one request. If the client is gone, so is this stream, which is
/// what becomes of the stream of a request that was posted by itself.
async fn pass_on(id: RequestId, answer: Answer, events: mpsc::Sender<Bytes>) {
    let (head, mut body) = answer.into_parts();
    if !is_of(&head.headers, STREAM) {
        let Ok(whole) = body.collect().await;
        let _ = events
            .send(event(&response(id, &head, &whole.to_bytes())))
            .await;
        return;
    }
    let mut begun = Events::default();
    loop {
        let frame = tokio::select! {
            frame = body.frame() => frame,
            () = events.closed() => return,
        };
        let Some(Ok(frame)) = frame else { return };
        for event in begun.take(frame.data_ref().map_or(&[], |data| &data[..])) {
            if events.send(event).await.is_err() {
                return;
            }
        }
    }
}

/// The response in an answer that is no stream: it says itself what is wrong, or we do.
fn response(id: RequestId, head: &http::response::Parts, body: &[u8]) -> Vec<u8> {
    if is_of(&head.headers, JSON) {
        return body.to_vec();
    }
    let reason = format!("{}: {}", head.status, String::from_utf8_lossy(body));
    Fault::internal(id, reason).message().into_bytes()
}

fn event(data: &[u8]) -> Bytes {
    [b"data: ", data, b"\n\n"].concat().into()
}

fn streamed(events: mpsc::Receiver<Bytes>) -> Answer {
    let mut answer = Response::new(Merged(events).boxed());
    for (name, value) in [
        (header::CONTENT_TYPE.as_str(), STREAM),
        (header::CACHE_CONTROL.as_str(), "no-cache"),
        ("x-accel-buffering", "no"),
    ] {
        let value = HeaderValue::from_static(value);
        answer.headers_mut().insert(name, value);
    }
    answer
}

/// A body that ends when nobody is left who could add to it.
struct Merged(mpsc::Receiver<Bytes>);

impl Body for Merged {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let event = self.0.poll_recv(context);
        event.map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}

/// The events of a stream that comes in pieces.
#[derive(Debug, Default)]
struct Events {
    begun: Vec<u8>,
}

impl Events {
    /// The events that end within the next piece.
    fn take(&mut self, piece: &[u8]) -> Vec<Bytes> {
        self.begun.extend_from_slice(piece);
        let mut whole = Vec::new();
        while let Some(end) = self.begun.windows(2).position(|pair| pair == b"\n\n") {
            let rest = self.begun.split_off(end + 2);
            whole.extend(bare(&self.begun));
            self.begun = rest;
        }
        whole
    }
}

/// An event without its id, by which a client could take up again the answer to one request,
/// and would wait for all others in vain. Comments stay: they keep the connection.
fn bare(event: &[u8]) -> Option<Bytes> {
    let says_something = |line: &&[u8]| {
        let data = line.strip_prefix(b"data:");
        line.starts_with(b":") || data.is_some_and(|data| !data.trim_ascii().is_empty())
    };
    let lines = event.split(|byte| *byte == b'\n').filter(says_something);
    let lines: Vec<&[u8]> = lines.collect();
    (!lines.is_empty()).then(|| [&lines.join(&b'\n')[..], b"\n\n"].concat().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_passed_on_whole_however_they_come() {
        let stream = b"data: \nid: 0/4\nretry: 3000\n\n:\n\ndata: {\"a\":1}\nid: 1/4\n\ndata: {\"b\":2}\n\ndata: half";
        for size in 1..=stream.len() {
            let mut events = Events::default();
            let found = stream.chunks(size).flat_map(|piece| events.take(piece));
            let found: Vec<Bytes> = found.collect();
            let wanted = [":\n\n", "data: {\"a\":1}\n\n", "data: {\"b\":2}\n\n"];
            assert_eq!(found, wanted, "by {size}");
        }
    }

    #[test]
    fn an_answer_that_is_no_stream_becomes_a_response() {
        let head = |kind: Option<&'static str>| {
            let mut answer = Response::new(());
            *answer.status_mut() = StatusCode::NOT_FOUND;
            if let Some(kind) = kind {
                let kind = HeaderValue::from_static(kind);
                answer.headers_mut().insert(header::CONTENT_TYPE, kind);
            }
            answer.into_parts().0
        };
        let id = RequestId::Number(3);
        let own = response(id.clone(), &head(Some("application/json")), b"{}");
        assert_eq!(own, b"{}");
        let made = response(id, &head(None), b"no session");
        let made: serde_json::Value = serde_json::from_slice(&made).unwrap();
        assert_eq!(
            (&made["id"], &made["error"]["code"]),
            (&3.into(), &(-32603).into())
        );
        assert_eq!(made["error"]["message"], "404 Not Found: no session");
    }
}

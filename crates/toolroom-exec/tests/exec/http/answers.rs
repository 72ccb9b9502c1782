//! What becomes of an answer.

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolroom_exec::http::Pointer;
use toolroom_exec::subprocess::{Happening, Listener};
use toolroom_test::Server;

use super::*;

fn serving(kind: &'static str, body: &'static [u8]) -> Server {
    Server::start(move |_, connection| {
        connection.answer(
            "200 OK",
            &[("Content-Type", kind), ("X-Two", "1"), ("X-Two", "2")],
            body,
        );
    })
}

#[test]
fn a_body_becomes_what_its_type_says() {
    let cases: [(&str, &[u8], Value); 4] = [
        (
            "application/json",
            b"{\"a\": [1, null]}",
            json!({"a": [1, null]}),
        ),
        ("text/plain", "grüß".as_bytes(), json!("grüß")),
        (
            "application/octet-stream",
            b"\x00\xff",
            json!({"content_type": "application/octet-stream", "bytes": 2, "base64": "AP8="}),
        ),
        ("application/json", b"", Value::Null),
    ];
    for (kind, body, wanted) in cases {
        assert_eq!(data(&get(&serving(kind, body).url("/"))), wanted);
    }
}

#[test]
fn numbers_of_any_size_stay_exact() {
    let server = serving(
        "application/json",
        b"[123456789012345678901234567890, 1.10]",
    );
    let found = answer(&get(&server.url("/"))).data.unwrap();
    assert_eq!(found.get(), "[123456789012345678901234567890,1.10]");
}

#[test]
fn headers_come_back_in_their_order() {
    let found = answer(&get(&serving("text/plain", b"x").url("/")));
    let twice: Vec<_> = found
        .headers
        .iter()
        .filter(|(name, _)| name == "x-two")
        .collect();
    assert_eq!(twice.len(), 2);
    assert_eq!((twice[0].1.as_str(), twice[1].1.as_str()), ("1", "2"));
}

#[test]
fn a_bad_status_is_an_outcome_with_its_body() {
    for status in ["400 Bad Request", "404 Not Found", "500 Oops", "599 Odd"] {
        let server = Server::start(move |_, connection| {
            connection.answer(
                status,
                &[("Content-Type", "application/json")],
                "{\"why\": 1}",
            );
        });
        let mut request = get(&server.url("/"));
        request.result = Some(Pointer::parse("/nothing"));
        let found = answer(&request);
        assert!(status.starts_with(&found.status.to_string()));
        assert!(!found.is_good() && found.lacks.is_none());
        assert_eq!(found.data.unwrap().get(), "{\"why\":1}");
    }
}

#[test]
fn a_part_of_the_answer_may_be_the_result() {
    let server = serving("application/json", b"{\"items\": [{\"id\": 7}]}");
    let mut request = get(&server.url("/"));
    for (part, wanted) in [("/items/0/id", json!(7)), ("items.0", json!({"id": 7}))] {
        request.result = Some(Pointer::parse(part));
        assert_eq!(data(&request), wanted);
    }
    request.result = Some(Pointer::parse("/items/1"));
    let found = answer(&request);
    assert_eq!(found.lacks.as_deref(), Some("/items/1"));
    assert_eq!(found.data.unwrap().get(), "{\"items\":[{\"id\":7}]}");
}

#[test]
fn a_compressed_answer_is_unpacked() {
    // "hello" by gzip.
    const PACKED: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xcb\x48\xcd\xc9\xc9\x07\x00\x86\xa6\x10\x36\x05\x00\x00\x00";
    let server = Server::start(|request, connection| {
        assert!(request.header("accept-encoding").unwrap().contains("gzip"));
        let headers = [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")];
        connection.answer("200 OK", &headers, PACKED);
    });
    assert_eq!(data(&get(&server.url("/"))), json!("hello"));
}

const EVENTS: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

fn listening() -> (Listener, Arc<Mutex<String>>) {
    let heard = Arc::new(Mutex::new(String::new()));
    let ours = heard.clone();
    let listener = Listener::new(move |happening| {
        if let Happening::Output(_, bytes) = happening {
            ours.lock()
                .unwrap()
                .push_str(std::str::from_utf8(bytes).unwrap());
        }
    });
    (listener, heard)
}

#[test]
fn events_are_passed_on_as_they_come_and_collected() {
    let server = Server::start(|_, connection| {
        connection.write(EVENTS);
        connection.write(": hi\nevent: step\nid: 1\ndata: {\"n\":\ndata: 1}\n\n");
        connection.write("data: [DONE]\r\n\r\n");
        connection.close();
    });
    let mut request = get(&server.url("/"));
    request.stream = true;
    let (listener, heard) = listening();
    let outcome = send_blocking(&request, Some(&listener), &Cancel::new()).unwrap();
    let answer = outcome.answer.unwrap();
    assert!(answer.streamed && !answer.truncated);
    let data: Value = serde_json::from_str(answer.data.unwrap().get()).unwrap();
    assert_eq!(
        data,
        json!([{"event": "step", "id": "1", "data": {"n": 1}}, {"data": "[DONE]"}])
    );
    assert_eq!(*heard.lock().unwrap(), "{\"n\":\n1}\n[DONE]\n");
    assert_eq!(answer.status, 200);
}

#[test]
fn a_stream_that_does_not_end_is_ended_in_time_and_kept() {
    let server = Server::start(|_, connection| {
        connection.write(EVENTS);
        connection.write("data: 1\n\n");
        connection.hang();
    });
    let mut request = get(&server.url("/"));
    request.stream = true;
    request.timeout = Some(Duration::from_millis(500));
    let outcome = outcome(&request);
    assert_eq!(outcome.end, End::TimedOut);
    assert_eq!(
        outcome.answer.unwrap().data.unwrap().get(),
        "[{\"data\":1}]"
    );
}

#[test]
fn events_beyond_the_bound_are_passed_on_but_not_kept() {
    let server = Server::start(|_, connection| {
        connection.write(EVENTS);
        for _ in 0..100 {
            connection.write("data: \"0123456789\"\n\n");
        }
        connection.close();
    });
    let mut request = get(&server.url("/"));
    request.stream = true;
    request.max_response = 120;
    let (listener, heard) = listening();
    let outcome = send_blocking(&request, Some(&listener), &Cancel::new()).unwrap();
    let answer = outcome.answer.unwrap();
    assert!(answer.truncated);
    assert_eq!(heard.lock().unwrap().lines().count(), 100);
    let kept: Vec<Value> = serde_json::from_str(answer.data.unwrap().get()).unwrap();
    assert_eq!(kept.len(), 10);
}

#[test]
fn an_answer_that_is_no_stream_is_an_answer() {
    let mut request = get(&serving("application/json", b"[1]").url("/"));
    request.stream = true;
    let found = answer(&request);
    assert!(!found.streamed);
    assert_eq!(found.data.unwrap().get(), "[1]");
}

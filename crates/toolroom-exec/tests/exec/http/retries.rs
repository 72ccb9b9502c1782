//! When a request is sent again.

use std::time::Instant;

use toolroom_exec::http::Body;
use toolroom_test::Server;

use super::*;

/// A server that is out of order for the first requests.
fn failing(times: usize, status: &'static str, headers: &'static [(&str, &str)]) -> Server {
    Server::start(move |_, connection| {
        if connection.number < times {
            connection.answer(status, headers, "\"wait\"");
        } else {
            connection.json("\"done\"");
        }
    })
}

#[test]
fn a_server_that_was_busy_is_asked_again() {
    for status in [
        "408 T", "425 E", "429 M", "500 I", "502 B", "503 S", "504 G",
    ] {
        let server = failing(3, status, &[]);
        let mut request = get(&server.url("/"));
        attempts(&mut request, 4);
        let outcome = outcome(&request);
        assert_eq!(outcome.attempts, 4, "{status}");
        assert_eq!(outcome.answer.unwrap().status, 200, "{status}");
    }
}

#[test]
fn the_last_answer_is_the_answer() {
    let server = failing(9, "503 Busy", &[("Content-Type", "application/json")]);
    let mut request = get(&server.url("/"));
    attempts(&mut request, 3);
    let outcome = outcome(&request);
    assert_eq!((outcome.attempts, server.received().len()), (3, 3));
    let answer = outcome.answer.unwrap();
    assert_eq!(
        (answer.status, answer.data.unwrap().get()),
        (503, "\"wait\"")
    );
}

#[test]
fn a_request_that_may_not_be_repeated_is_not() {
    let server = failing(1, "503 Busy", &[]);
    let mut request = method("POST", &server.url("/"));
    request.body = Body::Json("{}".into());
    attempts(&mut request, 4);
    assert_eq!(outcome(&request).attempts, 1);
    let server = failing(1, "503 Busy", &[]);
    request.url = server.url("/");
    request.retry.repeatable = true;
    assert_eq!(outcome(&request).attempts, 2);
    let bodies: Vec<_> = server
        .received()
        .iter()
        .map(toolroom_test::Received::text)
        .collect();
    assert_eq!(bodies, ["{}", "{}"]);
}

#[test]
fn statuses_may_be_declared() {
    let server = failing(1, "404 Not yet", &[]);
    let mut request = get(&server.url("/"));
    attempts(&mut request, 2);
    request.retry.statuses = Some(vec![404]);
    assert_eq!(answer(&request).status, 200);
    let server = failing(1, "503 Busy", &[]);
    request.url = server.url("/");
    assert_eq!(answer(&request).status, 503);
}

#[test]
fn the_server_says_how_long_to_wait() {
    let server = failing(1, "429 Slow down", &[("Retry-After", "1")]);
    let mut request = get(&server.url("/"));
    attempts(&mut request, 2);
    let begun = Instant::now();
    assert_eq!(answer(&request).status, 200);
    assert!(begun.elapsed() >= Duration::from_secs(1));
}

#[test]
fn a_wait_longer_than_the_call_is_not_begun() {
    let server = failing(1, "429 Slow down", &[("Retry-After", "3000")]);
    let mut request = get(&server.url("/"));
    attempts(&mut request, 5);
    let begun = Instant::now();
    let outcome = outcome(&request);
    assert_eq!((outcome.attempts, outcome.answer.unwrap().status), (1, 429));
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_connection_that_breaks_is_made_again() {
    let server = Server::start(|_, connection| {
        if connection.number < 2 {
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart");
            connection.close();
        } else {
            connection.json("1");
        }
    });
    let mut request = get(&server.url("/"));
    attempts(&mut request, 3);
    assert_eq!(outcome(&request).attempts, 3);
    request.url = server.url("/");
    request.method = "POST".to_owned();
    assert_eq!(outcome(&request).attempts, 1);
}

#[test]
fn time_runs_out_across_attempts() {
    let server = failing(usize::MAX, "503 Busy", &[("Retry-After", "0")]);
    let mut request = get(&server.url("/"));
    request.retry.attempts = u32::MAX;
    request.timeout = Some(Duration::from_millis(500));
    let begun = Instant::now();
    let outcome = outcome(&request);
    assert!(outcome.attempts > 1);
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_stream_that_has_begun_is_not_asked_for_again() {
    let server = Server::start(|_, connection| {
        connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 99\r\n\r\ndata: 1\n\n");
        connection.close();
    });
    let mut request = get(&server.url("/"));
    request.stream = true;
    attempts(&mut request, 3);
    assert_eq!(error(&request).0, "http::broken");
    assert_eq!(server.received().len(), 1);
}

/// What never left may be sent again, whatever it is.
#[test]
fn a_request_that_found_nobody_is_sent_again() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", free.local_addr().unwrap());
    drop(free);
    let mut request = method("POST", &url);
    request.body = Body::Text("x".into());
    attempts(&mut request, 3);
    let (code, text) = error(&request);
    assert_eq!(code, "http::connect");
    assert!(text.contains("after 3 attempts"), "{text}");
}

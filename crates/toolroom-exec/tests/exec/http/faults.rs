//! Servers that misbehave: each gives a clear end, in time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use toolroom_test::Server;

use super::*;

/// Sends with little time and says how it ended. Far more time is left than it may take.
fn end_within(seconds: f64, request: &mut Request) -> End {
    request.timeout = Some(Duration::from_secs_f64(seconds));
    let begun = Instant::now();
    let end = outcome(request).end;
    assert!(begun.elapsed() < Duration::from_secs(20));
    end
}

#[test]
fn a_server_that_hangs_is_left_in_time() {
    let server = Server::start(|_, connection| connection.hang());
    assert_eq!(end_within(0.3, &mut get(&server.url("/"))), End::TimedOut);
}

#[test]
fn a_server_that_trickles_is_left_in_time() {
    let server = Server::start(|_, connection| {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        while connection.write("x") {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    assert_eq!(end_within(0.5, &mut get(&server.url("/"))), End::TimedOut);
    let headers = Server::start(|_, connection| {
        connection.write("HTTP/1.1 200 OK\r\n");
        while connection.write("X-Slow: 1\r\n") {
            std::thread::sleep(Duration::from_millis(20));
        }
    });
    assert_eq!(end_within(0.5, &mut get(&headers.url("/"))), End::TimedOut);
}

#[test]
fn a_call_that_is_cancelled_ends_at_once() {
    let server = Server::start(|_, connection| connection.hang());
    let cancel = Cancel::new();
    let from_elsewhere = cancel.clone();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        from_elsewhere.stop();
    });
    let begun = Instant::now();
    let outcome = send_blocking(&get(&server.url("/")), None, &cancel).unwrap();
    assert_eq!(outcome.end, End::Cancelled);
    assert!(begun.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_connection_that_is_reset_is_said_to_be_broken() {
    let server = Server::start(|_, connection| {
        rustix::net::sockopt::set_socket_linger(&connection.stream, Some(Duration::ZERO)).unwrap();
        connection.close();
    });
    let (code, text) = error(&get(&server.url("/path?secret=1")));
    assert_eq!(code, "http::broken");
    assert!(
        text.contains("/path?…") && !text.contains("secret"),
        "{text}"
    );
}

#[test]
fn an_answer_shorter_than_it_says_is_broken() {
    let server = Server::start(|_, connection| {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
        connection.close();
    });
    assert_eq!(error(&get(&server.url("/"))).0, "http::broken");
}

#[test]
fn what_comes_beyond_the_said_length_is_not_part_of_the_answer() {
    let server = Server::start(|_, connection| {
        connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 500 Evil\r\n\r\n");
        connection.close();
    });
    assert_eq!(data(&get(&server.url("/"))), "ok");
}

#[test]
fn an_answer_that_is_no_http_is_broken() {
    let server = Server::start(|_, connection| {
        connection.write("SSH-2.0-OpenSSH_9.6\r\n\r\n");
        connection.close();
    });
    assert_eq!(error(&get(&server.url("/"))).0, "http::broken");
}

#[test]
fn a_large_answer_is_refused_before_it_is_taken() {
    let announced = Server::start(|_, connection| {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
        connection.hang();
    });
    assert_eq!(error(&get(&announced.url("/"))).0, "http::too_large");
    let sent = Arc::new(AtomicUsize::new(0));
    let count = sent.clone();
    let endless = Server::start(move |_, connection| {
        let block = vec![b'x'; 1 << 20];
        connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        while count.load(Ordering::SeqCst) < 1000 && connection.write(&block) {
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    let (code, text) = error(&get(&endless.url("/")));
    assert_eq!(code, "http::too_large");
    assert!(text.contains("16777216 bytes"), "{text}");
    assert!(sent.load(Ordering::SeqCst) < 200);
}

#[test]
fn an_event_without_end_is_refused() {
    let server = Server::start(|_, connection| {
        connection.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ");
        while connection.write([b'x'; 4096]) {}
    });
    let mut request = get(&server.url("/"));
    request.stream = true;
    assert_eq!(error(&request).0, "http::too_large");
}

#[test]
fn what_is_not_compressed_as_it_says_cannot_be_decoded() {
    let server = Server::start(|_, connection| {
        connection.answer(
            "200 OK",
            &[("Content-Encoding", "gzip")],
            "this is not gzip at all",
        );
    });
    let (code, text) = error(&get(&server.url("/")));
    assert_eq!(code, "http::bad_encoding", "{text}");
}

#[test]
fn nobody_at_the_address_is_a_failed_connection() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/x?token=t", free.local_addr().unwrap());
    drop(free);
    let mut request = get(&url.replace("http://", "http://me:pass@"));
    attempts(&mut request, 3);
    let (code, text) = error(&request);
    assert_eq!(code, "http::connect");
    assert!(
        text.contains("after 3 attempts") && text.contains("refused"),
        "{text}"
    );
    for secret in ["token", "pass"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn a_name_nobody_knows_is_a_failed_connection() {
    // Too long for a name, so that nobody needs to be asked.
    let name = "x".repeat(70);
    let (code, text) = error(&get(&format!("http://{name}.invalid/")));
    assert_eq!(code, "http::connect", "{text}");
}

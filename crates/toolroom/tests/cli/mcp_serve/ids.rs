//! An id over HTTP belongs to one request at a time: the second that has it is refused, and
//! the first is answered.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolroom_test::TestContext;

use super::http::{Server, greeted_as};
use super::machine;

const WAIT: &str = "import os, time\ndef main(begun: str, go: str):\n    open(begun, 'w').close()\n    while not os.path.exists(go):\n        time.sleep(0.01)\n    return 'done'\n";

fn ping(id: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": "ping"})
}

fn wait_for(path: &Path) {
    let begun = Instant::now();
    while !path.exists() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{path:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A context with a tool that waits, and a call of it.
fn waiting() -> (TestContext, Value) {
    let context = machine();
    context.tool("wait.py", WAIT);
    let arguments = json!({"begun": context.root().join("begun"), "go": context.root().join("go")});
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "wait", "arguments": arguments}});
    (context, call)
}

fn batch(messages: &[Value]) -> String {
    json!(messages).to_string()
}

#[test]
fn the_second_of_two_requests_with_one_id_is_refused_and_the_first_goes_on() {
    for version in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let (context, call) = waiting();
        let mut cases = vec![(call.to_string(), ping(7).to_string())];
        if version == "2025-03-26" {
            let (first, second) = (
                batch(std::slice::from_ref(&call)),
                batch(&[ping(8), ping(7)]),
            );
            cases.push((call.to_string(), second.clone()));
            cases.push((first.clone(), ping(7).to_string()));
            cases.push((first, second));
        }
        let server = Server::start(&context, &["--no-auth"]);
        let session = greeted_as(&server, version);
        let headers = [("Mcp-Session-Id", session.as_str())];
        for (first, second) in cases {
            std::thread::scope(|scope| {
                let answer = scope.spawn(|| server.post(&headers, &first));
                wait_for(&context.root().join("begun"));
                let (status, refusal) = server.post(&headers, &second);
                assert_eq!(status, 400, "{version} {second}: {refusal}");
                let told = r#""error":{"code":-32600,"message":"the id 7 is"#;
                assert!(refusal.contains(told), "{refusal}");
                assert!(refusal.contains(r#""id":7"#), "{refusal}");
                fs_err::write(context.root().join("go"), "").unwrap();
                let (status, answer) = answer.join().unwrap();
                assert_eq!(status, 200, "{version} {first}: {answer}");
                assert!(answer.contains("done"), "{version} {first}: {answer}");
            });
            let (status, answer) = server.post(&headers, &ping(7).to_string());
            assert_eq!(status, 200, "it is free again: {answer}");
            for note in ["begun", "go"] {
                fs_err::remove_file(context.root().join(note)).unwrap();
            }
        }
    }
}

#[test]
fn an_id_is_another_in_another_session_and_as_a_text() {
    let (context, call) = waiting();
    let server = Server::start(&context, &["--no-auth"]);
    let (one, other) = (
        greeted_as(&server, "2025-11-25"),
        greeted_as(&server, "2025-11-25"),
    );
    let of_one = [("Mcp-Session-Id", one.as_str())];
    let of_other = [("Mcp-Session-Id", other.as_str())];
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| server.post(&of_one, &call.to_string()));
        wait_for(&context.root().join("begun"));
        assert_eq!(server.post(&of_other, &ping(7).to_string()).0, 200);
        assert_eq!(server.post(&of_one, &ping("7").to_string()).0, 200);
        fs_err::write(context.root().join("go"), "").unwrap();
        let (_, answer) = answer.join().unwrap();
        assert!(answer.contains("done"), "{answer}");
    });
}

/// Its answer would go to whoever has the id by then.
#[test]
fn a_call_keeps_its_id_when_its_client_has_lost_the_stream() {
    use std::io::Write as _;
    let (context, call) = waiting();
    let server = Server::start(&context, &["--no-auth"]);
    let session = greeted_as(&server, "2025-11-25");
    let headers = [("Mcp-Session-Id", session.as_str())];
    let body = call.to_string();
    let mut stream = std::net::TcpStream::connect(&server.address).unwrap();
    write!(stream, "POST /mcp HTTP/1.1\r\nHost: {}\r\nMcp-Session-Id: {session}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}", server.address, body.len()).unwrap();
    wait_for(&context.root().join("begun"));
    drop(stream);
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(server.post(&headers, &ping(7).to_string()).0, 400);
    fs_err::write(context.root().join("go"), "").unwrap();
    let begun = Instant::now();
    while server.post(&headers, &ping(7).to_string()).0 != 200 {
        assert!(begun.elapsed() < Duration::from_secs(10));
    }
}

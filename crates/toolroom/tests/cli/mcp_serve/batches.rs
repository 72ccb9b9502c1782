//! Batches over HTTP, which clients of revision 2025-03-26 may post.

use serde_json::{Value, json};
use toolroom_test::TestContext;

use super::http::{Server, greeted_as};
use super::{echo, machine};

const REVISION: &str = "2025-03-26";

/// A server, and a session of the revision that has batches.
fn served(context: &TestContext) -> (Server, String) {
    let server = Server::start(context, &["--no-auth"]);
    let session = greeted_as(&server, REVISION);
    (server, session)
}

fn post(server: &Server, session: &str, body: &str) -> (u16, String) {
    server.post(&[("Mcp-Session-Id", session)], body)
}

fn ping(id: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": "ping"})
}

fn call(id: impl Into<Value>, name: &str, arguments: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": {"name": name, "arguments": arguments}})
}

fn cancelled(id: i64) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
}

/// The messages of a stream, which has come to its end.
fn messages(answer: &str) -> Vec<Value> {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("text/event-stream"), "{answer}");
    assert!(answer.ends_with("\r\n0\r\n\r\n"), "{answer}");
    let events = body.lines().filter_map(|line| line.strip_prefix("data: "));
    events
        .map(|data| serde_json::from_str(data).unwrap())
        .collect()
}

/// The one response to a request.
fn response(messages: &[Value], id: impl Into<Value>) -> &Value {
    let id = id.into();
    let of_it = |message: &&Value| message["id"] == id && message.get("method").is_none();
    let mut found = messages.iter().filter(of_it);
    let response = found.next().unwrap_or_else(|| panic!("{id}: {messages:?}"));
    assert!(found.next().is_none(), "{id}: {messages:?}");
    response
}

fn all(server: &Server, session: &str, batch: &Value) -> Vec<Value> {
    let (status, answer) = post(server, session, &batch.to_string());
    assert_eq!(status, 200, "{answer}");
    messages(&answer)
}

/// The error by which a batch is refused.
fn refusal(server: &Server, headers: &[(&str, &str)], body: &str) -> Value {
    let (status, answer) = server.post(headers, body);
    assert_eq!(status, 400, "{answer}");
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("application/json"), "{answer}");
    let error = body.lines().find(|line| line.starts_with('{')).unwrap();
    serde_json::from_str(error).unwrap()
}

#[test]
fn one_stream_answers_all_requests_of_a_batch_and_ends() {
    let context = machine();
    echo(&context);
    let (server, session) = served(&context);
    let batch = json!([
        ping("a"),
        cancelled(99),
        call("b", "echo", &json!({"value": "],\n{"})),
        {"jsonrpc": "2.0", "id": "c", "method": "no/such"},
    ]);
    let (status, answer) = post(&server, &session, &format!(" {batch}\n"));
    assert_eq!(status, 200, "{answer}");
    assert!(!answer.contains("\nid:"), "it cannot be resumed: {answer}");
    let messages = messages(&answer);
    assert_eq!(messages.len(), 3, "{messages:?}");
    assert_eq!(response(&messages, "a")["result"], json!({}));
    let text = &response(&messages, "b")["result"]["content"][0]["text"];
    assert_eq!(text, "],\n{");
    assert_eq!(response(&messages, "c")["error"]["code"], -32601);
    let later = all(&server, &session, &json!([ping(1)]));
    assert_eq!(response(&later, 1)["result"], json!({}));
}

#[test]
fn calls_of_a_batch_run_at_the_same_time() {
    let context = machine();
    context.tool(
        "meet.py",
        "import os, time\ndef main(own: str, other: str):\n    open(own, 'w').close()\n    while not os.path.exists(other):\n        time.sleep(0.01)\n    return 'met'\n",
    );
    let (server, session) = served(&context);
    let (one, two) = (context.root().join("one"), context.root().join("two"));
    let batch = json!([
        call(1, "meet", &json!({"own": one, "other": two})),
        call(2, "meet", &json!({"own": two, "other": one})),
    ]);
    let messages = all(&server, &session, &batch);
    for id in [1, 2] {
        let met = response(&messages, id);
        assert_eq!(met["result"]["content"][0]["text"], "met", "{met}");
    }
}

#[test]
fn progress_of_every_call_is_told_in_the_one_stream() {
    const STEPS: usize = 24;
    let context = machine();
    context.tool(
        "steps.py",
        "import time, toolroom\ndef main(count: int):\n    for n in range(1, count + 1):\n        toolroom.progress(n, count)\n        time.sleep(0.06)\n    return 'done'\n",
    );
    let (server, session) = served(&context);
    let mut batch = Vec::new();
    for id in ["p", "q"] {
        let mut steps = call(id, "steps", &json!({"count": STEPS}));
        steps["params"]["_meta"] = json!({"progressToken": id});
        batch.push(steps);
    }
    batch.extend((0..300).map(ping));
    let messages = all(&server, &session, &json!(batch));
    for id in ["p", "q"] {
        let of_it = |message: &Value| message["params"]["progressToken"] == id;
        let told = messages.iter().filter(|message| of_it(message)).count();
        assert!(told > STEPS / 2, "{told}");
        let last = messages.iter().rposition(of_it).unwrap();
        let answered = messages.iter().position(|message| message["id"] == id);
        assert!(answered > Some(last), "{messages:?}");
        let done = response(&messages, id);
        assert_eq!(done["result"]["content"][0]["text"], "done", "{done}");
    }
    assert_eq!(response(&messages, 299)["result"], json!({}));
}

#[test]
fn notifications_and_answers_alone_are_accepted_without_a_word() {
    let context = machine();
    let (server, session) = served(&context);
    let batch = json!([
        cancelled(7),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 99, "result": {}},
        {"jsonrpc": "2.0", "id": 98, "error": {"code": -1, "message": "no"}},
    ]);
    let (status, answer) = post(&server, &session, &batch.to_string());
    assert_eq!(status, 202, "{answer}");
    assert!(answer.ends_with("\r\n\r\n"), "{answer}");
}

#[test]
fn what_is_no_message_is_told_so_and_hurts_no_other() {
    let context = machine();
    let (server, session) = served(&context);
    let illegible = r#"{"jsonrpc":"2.0","id":"x","method":"ping","params":{"a":"\ud800"}}"#;
    let body = format!("[5,{},{illegible},{{\"id\":3}}]", ping("good"));
    let (status, answer) = post(&server, &session, &body);
    assert_eq!(status, 200, "{answer}");
    let messages = messages(&answer);
    assert_eq!(response(&messages, "good")["result"], json!({}));
    assert_eq!(response(&messages, "x")["error"]["code"], -32600);
    let nobodys = messages
        .iter()
        .filter(|message| message.get("id") == Some(&Value::Null));
    let codes: Vec<&Value> = nobodys.map(|message| &message["error"]["code"]).collect();
    assert_eq!(codes, [-32600, -32600]);
    assert_eq!(all(&server, &session, &json!([1, [], "x"])).len(), 3);
}

#[test]
fn a_handshake_is_no_part_of_a_batch() {
    let context = machine();
    let (server, session) = served(&context);
    let hello = json!({"jsonrpc": "2.0", "id": 4, "method": "initialize", "params": {"protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let note = context.root().join("ran");
    context.tool(
        "note.py",
        "def main(path: str):\n    open(path, 'w').close()\n",
    );
    let batch = json!([call(3, "note", &json!({"path": note})), hello]).to_string();
    for headers in [&[][..], &[("Mcp-Session-Id", session.as_str())]] {
        let refused = refusal(&server, headers, &batch);
        assert_eq!(refused["id"], 4, "{refused}");
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains("initialize"), "{message}");
    }
    all(&server, &session, &json!([ping(1)]));
    assert!(!note.exists(), "nothing of a refused batch runs");
}

#[test]
fn a_batch_of_nothing_too_much_or_nonsense_is_refused() {
    let context = machine();
    let (server, session) = served(&context);
    let headers = [("Mcp-Session-Id", session.as_str())];
    let pings = |count: i64| json!((0..count).map(ping).collect::<Vec<_>>()).to_string();
    for (body, code) in [
        ("[]", -32600),
        (&pings(1001), -32600),
        (&json!([ping(1), ping(1)]).to_string(), -32600),
        ("[{\"jsonrpc\":", -32700),
    ] {
        let refused = refusal(&server, &headers, body);
        assert_eq!(refused["error"]["code"], code, "{refused}");
    }
    let (status, answer) = post(&server, &session, &pings(1000));
    assert_eq!(status, 200);
    assert_eq!(messages(&answer).len(), 1000);
}

#[test]
fn only_one_revision_has_batches() {
    let context = machine();
    let (server, session) = served(&context);
    let newer = greeted_as(&server, "2025-06-18");
    let batch = json!([ping(1)]).to_string();
    let id = |session| ("Mcp-Session-Id", session);
    let version = |version| ("MCP-Protocol-Version", version);
    for headers in [
        &[id(session.as_str()), version("2025-06-18")][..],
        &[id(session.as_str()), version("2099-01-01")],
        &[id(newer.as_str()), version("2025-06-18")],
        &[id(newer.as_str())],
        &[version("2026-07-28")],
    ] {
        let refused = refusal(&server, headers, &batch);
        assert_eq!(refused["error"]["code"], -32600, "{refused}");
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains(REVISION), "{message}");
    }
    let named = [id(session.as_str()), version(REVISION)];
    assert_eq!(server.post(&named, &batch).0, 200);
}

#[test]
fn whoever_may_not_post_a_message_may_not_post_a_batch() {
    let context = machine();
    let (server, session) = served(&context);
    let id = ("Mcp-Session-Id", session.as_str());
    for body in [json!([ping(1)]), json!([cancelled(1)]), json!([5])] {
        for (headers, wanted) in [
            (&[][..], 400),
            (&[("Mcp-Session-Id", "nobody")], 404),
            (&[id, ("Origin", "https://evil.example")], 403),
            (&[id, ("Host", "evil.example")], 403),
        ] {
            let (status, answer) = server.post(headers, &body.to_string());
            assert_eq!(status, wanted, "{headers:?} {body}: {answer}");
        }
    }
}

#[test]
fn a_tool_that_fails_fails_alone() {
    let context = machine();
    echo(&context);
    context.tool("fail.py", "def main():\n    raise ValueError('broken')\n");
    let (server, session) = served(&context);
    let batch = json!([
        call(1, "echo", &json!({"value": "one"})),
        call(2, "fail", &json!({})),
        call(3, "nobody", &json!({})),
        call(4, "echo", &json!({"value": "four"})),
    ]);
    let messages = all(&server, &session, &batch);
    let of = |id: i64| response(&messages, id);
    assert_eq!(of(1)["result"]["content"][0]["text"], "one");
    assert_eq!(of(2)["result"]["isError"], true);
    assert_eq!(of(3)["error"]["code"], -32602);
    assert_eq!(of(4)["result"]["content"][0]["text"], "four");
}

#[test]
fn a_batch_may_be_as_long_as_any_request() {
    let context = machine();
    context.tool("length.py", "def main(text: str):\n    return len(text)\n");
    let (server, session) = served(&context);
    let text = "x".repeat(3 << 20);
    let batch: Vec<Value> = (0..4)
        .map(|id| call(id, "length", &json!({"text": text})))
        .collect();
    let messages = all(&server, &session, &json!(batch));
    for id in 0..4 {
        let counted = &response(&messages, id)["result"]["content"][0]["text"];
        assert_eq!(counted, &text.len().to_string());
    }
    let (status, _) = post(&server, &session, &format!("[{}]", " ".repeat(17 << 20)));
    assert!(matches!(status, 413 | 0), "{status}");
}

/// A session's calls outlive a connection, as the protocol wants, and end when told to.
#[cfg(target_os = "linux")]
#[test]
fn a_client_that_vanishes_leaves_calls_that_it_can_still_end() {
    use std::io::Write as _;
    use std::time::Duration;

    use super::long::{FAMILY, is_alive, noted, wait_for_end};
    let context = machine();
    context.tool("family.py", FAMILY);
    let (server, session) = served(&context);
    let notes: Vec<_> = ["alone", "one", "two"]
        .map(|name| context.root().join(name))
        .into();
    let family = |id: usize| call(id, "family", &json!({"note": notes[id]}));
    for (body, ids) in [
        (family(0), vec![0]),
        (json!([family(1), ping("x"), family(2)]), vec![1, 2]),
    ] {
        let body = body.to_string();
        let mut stream = std::net::TcpStream::connect(&server.address).unwrap();
        write!(stream, "POST /mcp HTTP/1.1\r\nHost: {}\r\nMcp-Session-Id: {session}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}", server.address, body.len()).unwrap();
        let pids: Vec<u32> = ids.iter().flat_map(|id| noted(&notes[*id])).collect();
        drop(stream);
        std::thread::sleep(Duration::from_millis(500));
        assert!(pids.iter().all(|pid| is_alive(*pid)), "{ids:?}");
        let end: Vec<Value> = ids.iter().map(|id| cancelled(*id as i64)).collect();
        assert_eq!(post(&server, &session, &json!(end).to_string()).0, 202);
        assert!(
            wait_for_end(&pids, Duration::from_secs(8)),
            "{pids:?} live on"
        );
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_call_of_a_batch_is_cancelled_by_itself() {
    use std::time::Duration;

    use super::long::{FAMILY, family, wait_for_end};
    let context = machine();
    context.tool("family.py", FAMILY);
    let (server, session) = served(&context);
    let note = context.root().join("note");
    let batch = json!([call(7, "family", &json!({"note": note})), ping(8)]);
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| all(&server, &session, &batch));
        let pids = family(&context);
        let (status, _) = post(&server, &session, &cancelled(7).to_string());
        assert_eq!(status, 202);
        assert!(
            wait_for_end(&pids, Duration::from_secs(8)),
            "{pids:?} live on"
        );
        let messages = answer.join().unwrap();
        assert_eq!(messages.len(), 1, "{messages:?}");
        assert_eq!(response(&messages, 8)["result"], json!({}));
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_session_that_is_deleted_takes_the_calls_of_its_batch_along() {
    use std::time::Duration;

    use super::long::{FAMILY, noted, wait_for_end};
    let context = machine();
    context.tool("family.py", FAMILY);
    let (server, session) = served(&context);
    let notes = ["one", "two"].map(|name| context.root().join(name));
    let batch: Vec<Value> = (0..2)
        .map(|id| call(id, "family", &json!({"note": notes[id]})))
        .collect();
    std::thread::scope(|scope| {
        let answer = scope.spawn(|| post(&server, &session, &json!(batch).to_string()));
        let pids: Vec<u32> = notes.iter().flat_map(|note| noted(note)).collect();
        assert_eq!(server.delete(&session), 202);
        assert!(
            wait_for_end(&pids, Duration::from_secs(20)),
            "{pids:?} live on"
        );
        let (status, answer) = answer.join().unwrap();
        assert_eq!(status, 200);
        assert_eq!(messages(&answer), Vec::<Value>::new());
    });
}

//! Clients that get the protocol wrong, by accident or on purpose: each is told what is
//! wrong, the next request is answered, and nothing is left running.

use std::time::Duration;

use serde_json::{Value, json};
use toolroom_test::TestContext;

use super::client::Client;
use super::http::Server;
use super::long::{FAMILY, family, wait_for_end};
use super::{echo, machine};

/// A session of an older client.
fn session(context: &TestContext, version: &str) -> Client {
    let mut client = Client::start(context, &[]);
    client.initialize(version, json!({}));
    client
}

#[test]
fn params_that_a_method_does_not_take_are_told_as_that() {
    let context = machine();
    echo(&context);
    let mut client = session(&context, "2025-11-25");
    for (method, params, told) in [
        (
            "tools/call",
            json!({"name": "echo", "arguments": [1]}),
            "sequence",
        ),
        (
            "tools/call",
            json!({"name": "echo", "arguments": "x"}),
            "string",
        ),
        ("tools/call", json!({"arguments": {}}), "`name`"),
        ("tools/call", json!({"name": 5}), "integer"),
        ("resources/read", json!({"uri": 5}), "integer"),
        ("resources/subscribe", json!({}), "`uri`"),
        ("prompts/get", json!({}), "`name`"),
        (
            "completion/complete",
            json!({"ref": {}, "argument": {}}),
            "",
        ),
        ("logging/setLevel", json!({"level": "banana"}), "banana"),
    ] {
        let error = client.error(method, params.clone());
        assert_eq!(error["code"], -32602, "{method} {params}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains(method) && message.contains(told),
            "{message}"
        );
    }
    assert_eq!(client.error("tools/cal", json!({}))["code"], -32601);
    let null = json!({"name": "echo", "arguments": null});
    assert_eq!(client.request("tools/call", null)["isError"], false);
}

#[test]
fn a_handshake_that_lacks_something_is_told_what() {
    let context = machine();
    let mut client = Client::start(&context, &[]);
    let error = client.error("initialize", json!({"protocolVersion": "2025-06-18"}));
    assert_eq!(error["code"], -32602);
    assert!(
        error["message"].as_str().unwrap().contains("capabilities"),
        "{error}"
    );
    client.initialize("2025-06-18", json!({}));
}

#[test]
fn a_modern_request_with_wrong_params_is_no_unknown_method() {
    let context = machine();
    echo(&context);
    let server = Server::start(&context, &["--no-auth"]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let headers = [
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", "tools/call"),
        ("Mcp-Name", "echo"),
    ];
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "echo", "arguments": [1], "_meta": meta}});
    let (status, answer) = server.post(&headers, &call.to_string());
    assert_ne!(status, 404, "{answer}");
    assert!(answer.contains("-32602"), "{answer}");
}

#[test]
fn a_name_that_nobody_has_is_not_repeated_whole() {
    let context = machine();
    let mut client = session(&context, "2025-06-18");
    let name = format!("\u{1b}[31m\u{202e}{}", "x".repeat(1_000_000));
    for (method, params) in [
        ("tools/call", json!({"name": name})),
        ("prompts/get", json!({"name": name})),
    ] {
        let error = client.error(method, params);
        let message = error["message"].as_str().unwrap();
        assert!(message.len() < 200, "{}", message.len());
        assert!(!message.contains(['\u{1b}', '\u{202e}']), "{message:?}");
    }
}

/// Only one of two requests with one id can be answered or cancelled.
#[cfg(target_os = "linux")]
#[test]
fn an_id_used_twice_leaves_no_tool_that_nobody_can_reach() {
    let context = machine();
    context.tool("family.py", FAMILY);
    echo(&context);
    let mut client = session(&context, "2025-06-18");
    let note = context.root().join("note").to_string_lossy().into_owned();
    let call = |name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": 50, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    client.send(&call("family", json!({"note": note})));
    let pids = family(&context);
    client.send(&call("echo", json!({"value": 1})));
    let answer = client.response(50);
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert!(
        wait_for_end(&pids, Duration::from_secs(8)),
        "{pids:?} live on"
    );
    assert_eq!(client.request("ping", json!({})), json!({}));
    // The id is free once the call is over, which is a moment after its processes are.
    let mut again = || {
        client.send(&call("echo", json!({"value": 2})));
        client.response(50)
    };
    let answer = (0..50)
        .map(|_| {
            std::thread::sleep(Duration::from_millis(20));
            again()
        })
        .find(|answer| answer["error"].is_null());
    assert_eq!(answer.unwrap()["result"]["content"][0]["text"], "2");
}

#[test]
fn a_batch_of_an_older_client_is_answered_message_by_message() {
    let context = machine();
    echo(&context);
    let mut client = session(&context, "2025-03-26");
    let batch = json!([
        {"jsonrpc": "2.0", "id": "a", "method": "ping"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}},
        {"jsonrpc": "2.0", "id": "b", "method": "tools/call", "params": {"name": "echo", "arguments": {"value": "[\"],{"}}},
    ]);
    client.send(&batch);
    let mut answers = [client.next_response(), client.next_response()];
    answers.sort_by_key(|answer| answer["id"].to_string());
    assert_eq!(
        answers[0],
        json!({"jsonrpc": "2.0", "id": "a", "result": {}})
    );
    assert_eq!(answers[1]["result"]["content"][0]["text"], "[\"],{");
    assert_eq!(client.request("ping", json!({})), json!({}));
}

#[test]
fn a_batch_of_nothing_is_no_request() {
    let context = machine();
    let mut client = session(&context, "2025-03-26");
    client.raw(b"[]\n");
    let answer = client.next_response();
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert_eq!(client.request("ping", json!({})), json!({}));
}

#[test]
fn a_request_that_no_parser_takes_is_answered() {
    let context = machine();
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let mut client = Client::start(&context, &[]);
    for (id, params) in ["\"\\ud800\"", "1e999", &deep].iter().enumerate() {
        let line = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/list\",\"params\":{{\"x\":{params}}}}}\n"
        );
        client.raw(line.as_bytes());
        let answer = client.next_response();
        assert_eq!(answer["id"], id, "{answer}");
        assert_eq!(answer["error"]["code"], -32700, "{answer}");
    }
    client.raw(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/li\n");
    assert_eq!(client.next_response()["error"]["code"], -32600);
    client.modern("tools/list", json!({}));
}

#[test]
fn what_is_no_request_is_told_so_under_its_id() {
    let context = machine();
    let mut client = session(&context, "2025-06-18");
    for (id, rest, told) in [
        (
            11,
            r#""jsonrpc":"2.0","method":"tools/call","params":[]"#,
            "params",
        ),
        (12, r#""jsonrpc":"2.0","method":5"#, "method"),
        (13, r#""jsonrpc":"1.0""#, "jsonrpc"),
        (14, r#""method":"ping""#, "jsonrpc"),
        (15, r#""jsonrpc":"2.0""#, "method"),
        (
            16,
            r#""jsonrpc":"2.0","method":"ping","params":"x""#,
            "params",
        ),
        (
            17,
            r#""jsonrpc":"2.0","method":"ping","method":"ping""#,
            "twice",
        ),
    ] {
        client.raw(format!("{{\"id\":{id},{rest}}}\n").as_bytes());
        let answer = client.response(id);
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(told), "{message}");
    }
    assert_eq!(client.request("ping", json!({})), json!({}));
}

#[test]
fn a_line_over_the_limit_is_told_to_its_sender_and_on_standard_error() {
    let context = machine();
    let mut client = session(&context, "2025-06-18");
    let long = "x".repeat(20 << 20);
    for line in [
        format!(r#"{{"jsonrpc":"2.0","id":21,"method":"ping","params":{{"x":"{long}"}}}}"#),
        format!(r#"{{"method":"ping","params":{{"x":"{long}"}},"jsonrpc":"2.0","id":21}}"#),
    ] {
        client.raw(format!("{line}\n").as_bytes());
        let answer = client.response(21);
        assert_eq!(answer["error"]["code"], -32600, "{answer}");
        assert!(answer.to_string().contains("16777216"), "{answer}");
    }
    assert_eq!(client.request("ping", json!({})), json!({}));
    let (_, stderr) = client.finish();
    assert_eq!(
        stderr.matches("longer than 16777216 bytes").count(),
        2,
        "{stderr}"
    );
}

#[test]
fn notifications_in_any_order_are_no_reason_to_stop() {
    let context = machine();
    echo(&context);
    let mut client = Client::start(&context, &[]);
    client.notify("notifications/initialized", json!({}));
    client.notify("notifications/cancelled", json!({"requestId": 7}));
    client.initialize("2025-06-18", json!({}));
    for (method, params) in [
        ("notifications/cancelled", json!({"requestId": "nobody"})),
        ("notifications/cancelled", json!({})),
        ("notifications/initialized", json!({})),
        (
            "notifications/progress",
            json!({"progressToken": "x", "progress": 1}),
        ),
        ("notifications/banana", json!({"x": [1]})),
    ] {
        client.notify(method, params);
    }
    client.send(&json!({"jsonrpc": "2.0", "id": 99, "result": {}}));
    // What was cancelled before it came is a request like any other.
    client.notify("notifications/cancelled", json!({"requestId": 2}));
    let call = json!({"name": "echo", "arguments": {"value": "still here"}});
    let answer = client.request("tools/call", call);
    assert_eq!(answer["content"][0]["text"], "still here");
}

#[test]
fn a_tool_is_answered_in_a_flood_of_pings() {
    const COUNT: usize = 5000;
    let context = machine();
    echo(&context);
    let mut client = session(&context, "2025-06-18");
    let call = json!({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": {"name": "echo", "arguments": {"value": 1}}});
    client.send(&call);
    let mut stdin = client.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for id in 0..COUNT {
            let ping = json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
            std::io::Write::write_all(&mut stdin, format!("{ping}\n").as_bytes()).unwrap();
        }
        stdin
    });
    let answers: Vec<Value> = (0..=COUNT).map(|_| client.next_response()).collect();
    let calls = answers.iter().filter(|answer| answer["id"] == "call");
    assert_eq!(calls.count(), 1);
    client.stdin = Some(writer.join().unwrap());
}

#[test]
fn a_file_of_any_name_is_read_however_its_address_is_escaped() {
    let context = machine();
    context.file(".ai/resources/sub/b c é%20.txt", "here");
    context.file("secret.txt", "hidden");
    context.file(
        ".ai/resources/user.yaml",
        "uri_template: app://users/{id}\nfile: '{id}.txt'\n",
    );
    context.file(".ai/resources/a b.txt", "user");
    let mut client = session(&context, "2025-06-18");
    let listed = client.request("resources/list", json!({}));
    let shown = "toolroom://resources/sub/b%20c%20%C3%A9%2520.txt";
    let uris: Vec<_> = listed["resources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|resource| &resource["uri"])
        .collect();
    assert!(uris.contains(&&json!(shown)), "{listed}");
    for uri in [shown, "toolroom://resources/sub/b c é%2520.txt"] {
        let read = client.request("resources/read", json!({"uri": uri}));
        assert_eq!(read["contents"][0]["text"], "here");
        assert_eq!(read["contents"][0]["uri"], uri);
    }
    let read = client.request("resources/read", json!({"uri": "app://users/a%20b"}));
    assert_eq!(read["contents"][0]["text"], "user");
    for uri in [
        "toolroom://resources/../../secret.txt",
        "toolroom://resources/%2e%2e/%2e%2e/secret.txt",
        "toolroom://resources/..%2f..%2fsecret.txt",
        "app://users/../../secret",
        "app://users/..%2f..%2fsecret",
        "app://users/%00",
        "file:///etc/passwd",
        "",
    ] {
        let error = client.error("resources/read", json!({"uri": uri}));
        assert_eq!(error["code"], -32002, "{uri}: {error}");
    }
}

#[test]
fn half_a_body_is_the_clients_fault() {
    use std::io::{Read as _, Write as _};
    let context = machine();
    let server = Server::start(&context, &["--no-auth"]);
    let mut stream = std::net::TcpStream::connect(&server.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    write!(stream, "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: 100\r\n\r\n{{", server.address).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}

/// A session that is ended by its client takes its tools along, without waiting for them.
#[cfg(target_os = "linux")]
#[test]
fn a_session_that_is_deleted_ends_its_tools() {
    let context = machine();
    context.tool("family.py", FAMILY);
    let server = Server::start(&context, &["--no-auth"]);
    let session = super::http::greeted(&server);
    let headers = [
        ("Mcp-Session-Id", session.as_str()),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    let note = context.root().join("note").to_string_lossy().into_owned();
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "family", "arguments": {"note": note}}}).to_string();
    std::thread::scope(|scope| {
        scope.spawn(|| server.post(&headers, &call));
        let pids = family(&context);
        assert_eq!(server.delete(&session), 202);
        assert!(
            wait_for_end(&pids, Duration::from_secs(4)),
            "{pids:?} live on"
        );
        let (status, answer) = server.post(&headers, &call);
        assert_eq!(status, 404, "{answer}");
    });
}

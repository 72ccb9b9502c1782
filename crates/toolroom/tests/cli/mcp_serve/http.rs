//! Over HTTP: the same tools, to whoever may have them.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use toolroom_test::TestContext;

use super::{echo, machine};

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

pub struct Server {
    child: Child,
    pub address: String,
    /// Lines said before it was ready, and right after.
    pub said: Vec<String>,
}

impl Server {
    pub fn start(context: &TestContext, args: &[&str]) -> Self {
        Self::listening(context, "127.0.0.1:0", args)
    }

    fn listening(context: &TestContext, address: &str, args: &[&str]) -> Self {
        let mut command = context.command(&[&["mcp", "serve", "--http", address], args].concat());
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = Vec::new();
        let address = loop {
            let line = lines.next().expect("it says where it listens").unwrap();
            let found = line
                .strip_prefix("listening on http://")
                .map(|rest| rest.trim_end_matches("/mcp").to_owned());
            said.push(line);
            if let Some(address) = found {
                break address;
            }
        };
        if !args.contains(&"--no-auth")
            && context
                .command(&[""])
                .get_envs()
                .all(|(name, _)| name != "TOOLROOM_MCP_TOKEN")
        {
            said.extend(lines.next().map(Result::unwrap));
        }
        if address.starts_with("0.0.0.0") {
            said.extend(lines.next().map(Result::unwrap));
        }
        std::thread::spawn(move || lines.count());
        Self {
            child,
            address: address.replace("0.0.0.0", "127.0.0.1"),
            said,
        }
    }

    /// One request; the status and the body.
    pub fn post(&self, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        self.send("POST", headers, body)
    }

    /// Ends a session; the status.
    pub fn delete(&self, session: &str) -> u16 {
        self.send("DELETE", &[("Mcp-Session-Id", session)], "").0
    }

    fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(20)))
            .unwrap();
        let mut head = format!("{method} /mcp HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "Host") {
            head.push_str(&format!("Host: {}\r\n", self.address));
        }
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len()));
        stream.write_all(head.as_bytes()).unwrap();
        // A server that has seen enough may close before all is written.
        let _ = stream.write_all(body.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
            .unwrap_or(0);
        (status, answer)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn list() -> String {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}})
        .to_string()
}

const MODERN: [(&str, &str); 2] = [
    ("MCP-Protocol-Version", "2026-07-28"),
    ("Mcp-Method", "tools/list"),
];

fn with<'a>(more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    [&MODERN[..], more].concat()
}

#[test]
fn only_who_has_the_token_comes_in() {
    let mut context = machine();
    echo(&context);
    context.set_env("TOOLROOM_MCP_TOKEN", TOKEN);
    let server = Server::start(&context, &[]);
    assert!(
        !server.said.concat().contains(TOKEN),
        "a token that was given is not repeated"
    );
    let bearer = format!("Bearer {TOKEN}");
    let (status, answer) = server.post(&with(&[("Authorization", &bearer)]), &list());
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("\"echo\""), "{answer}");
    for wrong in ["", "Bearer wrong", "Basic abc", TOKEN] {
        let (status, answer) = server.post(&with(&[("Authorization", wrong)]), &list());
        assert_eq!(status, 401, "{answer}");
        assert!(
            answer.to_lowercase().contains("www-authenticate: bearer"),
            "{answer}"
        );
    }
    assert_eq!(server.post(&with(&[]), &list()).0, 401);
}

#[test]
fn a_token_is_made_and_said_once() {
    let context = machine();
    let server = Server::start(&context, &[]);
    let token = server
        .said
        .iter()
        .find_map(|line| line.strip_prefix("token: "))
        .unwrap();
    assert_eq!(token.len(), 64);
    let (status, _) = server.post(
        &with(&[("Authorization", &format!("Bearer {token}"))]),
        &list(),
    );
    assert_eq!(status, 200);
}

#[test]
fn pages_of_a_browser_and_foreign_names_stay_outside() {
    let context = machine();
    let server = Server::start(&context, &["--no-auth"]);
    let own = format!("http://{}", server.address);
    let cases: [(&[(&str, &str)], u16); 6] = [
        (&[], 200),
        (&[("Origin", &own)], 200),
        (&[("Origin", "https://evil.example")], 403),
        (&[("Origin", "null")], 403),
        (&[("Origin", "http://localhost:1")], 403),
        (&[("Host", "evil.example")], 403),
    ];
    for (headers, wanted) in cases {
        let (status, answer) = server.post(&with(headers), &list());
        assert_eq!(status, wanted, "{headers:?}: {answer}");
    }
}

#[test]
fn a_body_over_the_limit_is_refused() {
    let context = machine();
    let server = Server::start(&context, &["--no-auth"]);
    let (status, _) = server.post(&with(&[]), &"x".repeat(17 << 20));
    assert!(matches!(status, 413 | 0), "{status}");
    assert_eq!(server.post(&with(&[]), &list()).0, 200);
}

#[test]
fn an_address_that_others_reach_needs_a_token() {
    let context = machine();
    let output = context.run(&["mcp", "serve", "--http", "0.0.0.0:0", "--no-auth"]);
    assert_eq!(output.status, 125, "{}", output.stderr);
    assert!(
        output.stderr.contains("mcp::open_to_all"),
        "{}",
        output.stderr
    );
}

#[test]
fn an_address_that_others_reach_is_served_by_the_names_that_were_allowed() {
    let mut context = machine();
    context.set_env("TOOLROOM_MCP_TOKEN", TOKEN);
    let bearer = format!("Bearer {TOKEN}");
    let status = |server: &Server, host: &str| {
        let headers = [("Authorization", bearer.as_str()), ("Host", host)];
        server.post(&with(&headers), &list()).0
    };
    let server = Server::listening(&context, "0.0.0.0:0", &[]);
    let said = server.said.last().unwrap();
    assert_eq!(
        said,
        "served as localhost, 127.0.0.1, ::1; --allow-host NAME adds a name"
    );
    assert_eq!(status(&server, "tools.example"), 403);
    let args = ["--allow-host", "tools.example", "--allow-host", "b:80"];
    let server = Server::listening(&context, "0.0.0.0:0", &args);
    let said = server.said.last().unwrap();
    assert!(said.contains("::1, tools.example, b:80;"), "{said}");
    for (host, wanted) in [
        ("tools.example", 200),
        ("Tools.Example:1234", 200),
        ("localhost", 200),
        ("b:80", 200),
        ("b:81", 403),
        ("evil.example", 403),
        ("tools.example.evil.example", 403),
    ] {
        assert_eq!(status(&server, host), wanted, "{host}");
    }
    let wrong = ["mcp", "serve", "--http", "0", "--allow-host", "http://a/"];
    let output = context.run(&wrong);
    assert!(
        output.stderr.contains("usage::bad_host"),
        "{}",
        output.stderr
    );
}

#[test]
fn a_session_of_an_older_client_works_over_http() {
    let context = machine();
    echo(&context);
    let server = Server::start(&context, &["--no-auth"]);
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    // The stream stays open for a moment; the session's id is in the head.
    let mut stream = TcpStream::connect(&server.address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(10)))
        .unwrap();
    let body = hello.to_string();
    write!(stream, "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{body}", server.address, body.len()).unwrap();
    let mut session = None;
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        if let Some(id) = line.to_lowercase().strip_prefix("mcp-session-id: ") {
            session = Some(id.to_owned());
        }
        if line.contains("protocolVersion") {
            break;
        }
    }
    let session = session.expect("a session id");
    let call: Value = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "echo", "arguments": {"value": "hi"}}});
    let headers = [
        ("Mcp-Session-Id", session.as_str()),
        ("MCP-Protocol-Version", "2025-06-18"),
    ];
    let (status, answer) = server.post(&headers, &call.to_string());
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("\"hi\""), "{answer}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_client_that_vanishes_mid_call_ends_the_tree() {
    use super::long::{FAMILY, family, wait_for_end};
    let context = machine();
    context.tool("family.py", FAMILY);
    let server = Server::start(&context, &["--no-auth"]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    let note = context.root().join("note").to_string_lossy().into_owned();
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "family", "arguments": {"note": note}, "_meta": meta}}).to_string();
    let mut stream = TcpStream::connect(&server.address).unwrap();
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: family\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: {}\r\n\r\n{call}",
        server.address,
        call.len()
    )
    .unwrap();
    let pids = family(&context);
    drop(stream);
    assert!(
        wait_for_end(&pids, Duration::from_secs(8)),
        "{pids:?} live on"
    );
}

/// A session of an older client: its id.
pub fn greeted(server: &Server) -> String {
    greeted_as(server, "2025-11-25")
}

pub fn greeted_as(server: &Server, version: &str) -> String {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    let (status, answer) = server.post(&[], &hello.to_string());
    assert_eq!(status, 200, "{answer}");
    let header = answer
        .lines()
        .find(|line| line.to_lowercase().starts_with("mcp-session-id:"));
    header
        .and_then(|line| line.split_once(": "))
        .map(|(_, id)| id.trim().to_owned())
        .expect("a session id")
}

#[test]
fn many_conversations_of_both_kinds_go_on_at_once() {
    let context = machine();
    echo(&context);
    let server = Server::start(&context, &["--no-auth"]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}});
    std::thread::scope(|scope| {
        for talker in 0..8 {
            let (server, meta) = (&server, &meta);
            scope.spawn(move || {
                let session = (talker % 2 == 0).then(|| greeted(server));
                for round in 0..5 {
                    let value = format!("talker {talker} round {round}");
                    let mut params = json!({"name": "echo", "arguments": {"value": value}});
                    let headers = match &session {
                        Some(id) => vec![
                            ("Mcp-Session-Id", id.as_str()),
                            ("MCP-Protocol-Version", "2025-11-25"),
                        ],
                        None => {
                            params["_meta"] = meta.clone();
                            vec![
                                ("MCP-Protocol-Version", "2026-07-28"),
                                ("Mcp-Method", "tools/call"),
                                ("Mcp-Name", "echo"),
                            ]
                        }
                    };
                    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
                    let (status, answer) = server.post(&headers, &call.to_string());
                    assert_eq!(status, 200, "{answer}");
                    assert!(answer.contains(&value), "{value}: {answer}");
                }
            });
        }
    });
}

#[test]
fn half_a_body_and_what_is_no_request_are_refused() {
    let context = machine();
    let server = Server::start(&context, &["--no-auth"]);
    for (body, id, code) in [
        (r#"{"jsonrpc":"2.0","id":1,"meth"#, Value::Null, -32700),
        ("", Value::Null, -32700),
        ("\u{0}", Value::Null, -32700),
        ("5", Value::Null, -32600),
        ("{}", Value::Null, -32600),
        (r#"{"jsonrpc":"2.0","id":3,"method":5}"#, json!(3), -32600),
        (
            r#"{"jsonrpc":"1.0","id":"a","method":"ping"}"#,
            json!("a"),
            -32600,
        ),
    ] {
        let (status, answer) = server.post(&with(&[]), body);
        assert_eq!(status, 400, "{body:?}: {answer}");
        assert!(
            answer.contains("content-type: application/json"),
            "{answer}"
        );
        let told = answer.lines().find(|line| line.starts_with('{'));
        let told: Value = serde_json::from_str(told.unwrap()).unwrap();
        assert_eq!(
            (&told["id"], &told["error"]["code"]),
            (&id, &code.into()),
            "{body:?}: {told}"
        );
    }
    let (status, answer) = server.post(&with(&[]), "[1,2]");
    assert_eq!(status, 400, "{answer}");
    let mut stream = TcpStream::connect(&server.address).unwrap();
    write!(stream, "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{", server.address).unwrap();
    drop(stream);
    assert_eq!(server.post(&with(&[]), &list()).0, 200);
}

#[test]
fn what_headers_and_body_say_has_to_be_the_same() {
    let context = machine();
    let server = Server::start(&context, &["--no-auth"]);
    for headers in [
        vec![
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", "tools/call"),
        ],
        vec![
            ("MCP-Protocol-Version", "2099-01-01"),
            ("Mcp-Method", "tools/list"),
        ],
    ] {
        let (status, answer) = server.post(&headers, &list());
        assert_eq!(status, 400, "{answer}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_older_client_cancels_over_http() {
    use super::long::{FAMILY, family, wait_for_end};
    let context = machine();
    context.tool("family.py", FAMILY);
    let server = Server::start(&context, &["--no-auth"]);
    let session = greeted(&server);
    let headers = [
        ("Mcp-Session-Id", session.as_str()),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    let note = context.root().join("note").to_string_lossy().into_owned();
    let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "family", "arguments": {"note": note}}}).to_string();
    std::thread::scope(|scope| {
        scope.spawn(|| server.post(&headers, &call));
        let pids = family(&context);
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
        let (status, answer) = server.post(&headers, &cancel.to_string());
        assert_eq!(status, 202, "{answer}");
        assert!(
            wait_for_end(&pids, Duration::from_secs(8)),
            "{pids:?} live on"
        );
    });
}

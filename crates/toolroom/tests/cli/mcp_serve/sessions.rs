//! Sessions of older clients over HTTP: there are never too many.

use serde_json::json;

use super::http::{Server, greeted};
use super::machine;

/// More than a server keeps.
const MANY: usize = 520;

fn ping(server: &Server, session: &str) -> u16 {
    let headers = [
        ("Mcp-Session-Id", session),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    server.post(&headers, &ping.to_string()).0
}

#[test]
fn the_session_that_was_idle_for_longest_makes_room() {
    let context = machine();
    let server = Server::start(&context, &["--no-auth"]);
    let sessions: Vec<String> = (0..500).map(|_| greeted(&server)).collect();
    assert_eq!(ping(&server, &sessions[0]), 200);
    let later: Vec<String> = (500..MANY).map(|_| greeted(&server)).collect();
    assert_eq!(ping(&server, &sessions[0]), 200, "it was used since");
    assert_eq!(ping(&server, &sessions[1]), 404, "nobody used it");
    assert_eq!(ping(&server, later.last().unwrap()), 200);
    let is_left = |session: &&String| ping(&server, session) == 200;
    let left = sessions.iter().chain(&later).filter(is_left).count();
    assert_eq!(left, 512);
}

#[test]
fn a_session_that_answers_a_call_is_not_the_one_to_go() {
    let context = machine();
    let go = context.root().join("go");
    context.tool(
        "wait.py",
        "import os, time\ndef main(go: str):\n    while not os.path.exists(go):\n        time.sleep(0.01)\n    return 'done'\n",
    );
    let server = Server::start(&context, &["--no-auth"]);
    let busy = greeted(&server);
    let headers = [
        ("Mcp-Session-Id", busy.as_str()),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "wait", "arguments": {"go": go}}}).to_string();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| server.post(&headers, &call));
        let idle = greeted(&server);
        for _ in 2..MANY {
            greeted(&server);
        }
        assert_eq!(ping(&server, &idle), 404);
        fs_err::write(&go, "").unwrap();
        let (status, answer) = waiting.join().unwrap();
        assert_eq!(status, 200, "{answer}");
        assert!(answer.contains("done"), "{answer}");
    });
}

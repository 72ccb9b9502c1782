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

#[test]
fn a_session_can_be_deleted_once() {
    let context = machine();
    let server = Server::start(&context, &["--no-auth"]);
    let session = greeted(&server);
    assert_eq!(server.delete(&session), 202);
    assert_eq!(server.delete(&session), 404);
    assert_eq!(server.delete("nobody"), 404);
    assert_eq!(ping(&server, &session), 404);
}

/// It is asked first, and made to after a grace of two seconds.
#[cfg(target_os = "linux")]
#[test]
fn a_tool_that_will_not_end_ends_with_its_session_all_the_same() {
    use std::time::Duration;

    use super::long::{noted, wait_for_end};
    let context = machine();
    context.tool(
        "deaf.py",
        "import os, signal, time\nfrom pathlib import Path\ndef main(note: str):\n    heard = lambda *_: Path(note + '.heard').touch()\n    signal.signal(signal.SIGTERM, heard)\n    Path(note + '.new').write_text(str(os.getpid()))\n    os.rename(note + '.new', note)\n    while True:\n        time.sleep(1)\n",
    );
    let server = Server::start(&context, &["--no-auth"]);
    let session = greeted(&server);
    let note = context.root().join("note");
    let call = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "deaf", "arguments": {"note": note}}}).to_string();
    std::thread::scope(|scope| {
        scope.spawn(|| server.post(&[("Mcp-Session-Id", &session)], &call));
        let pids = noted(&note);
        assert_eq!(server.delete(&session), 202);
        assert!(
            wait_for_end(&pids, Duration::from_secs(8)),
            "{pids:?} live on"
        );
        assert!(note.with_extension("heard").exists(), "it was asked first");
    });
}

//! `mcp serve`: the protocol itself, spoken line by line by a client of our own.

mod asking;
mod batches;
mod client;
mod clumsy;
mod faults;
mod http;
mod ids;
mod kept;
mod last_good;
mod listing;
mod live;
mod logged;
mod long;
mod resources;
mod runtimes;
mod sdk;
mod sessions;
mod setup;
mod shown;
mod spare;
mod tools;

use serde_json::{Value, json};
use toolroom_test::TestContext;

use self::client::Client;
use crate::context;

/// A context with the machine's own interpreters.
fn machine() -> TestContext {
    let mut context = context();
    context.set_env("PATH", toolroom_test::path());
    context
}

fn echo(context: &TestContext) {
    context.tool(
        "echo.py",
        "\"\"\"Gives back what it gets.\"\"\"\ndef main(value=None):\n    return value\n",
    );
}

#[test]
fn a_modern_client_needs_no_handshake() {
    let context = machine();
    echo(&context);
    let mut client = Client::start(&context, &[]);
    let found = client.modern("server/discover", json!({}));
    let versions = found["supportedVersions"].as_array().unwrap();
    assert!(
        versions.contains(&json!("2026-07-28")) && versions.contains(&json!("2025-03-26")),
        "{found}"
    );
    assert_eq!(found["capabilities"]["tools"]["listChanged"], true);
    let tools = client.modern("tools/list", json!({}));
    assert_eq!(tools["tools"][0]["name"], "echo");
    let result = client.modern(
        "tools/call",
        json!({"name": "echo", "arguments": {"value": "hi"}}),
    );
    assert_eq!(result["content"], json!([{"type": "text", "text": "hi"}]));
    assert_eq!(result["resultType"], "complete");
}

#[test]
fn an_older_client_shakes_hands_first() {
    let context = machine();
    echo(&context);
    for version in ["2025-11-25", "2025-06-18", "2025-03-26"] {
        let mut client = Client::start(&context, &[]);
        let answer = client.initialize(version, json!({}));
        assert_eq!(answer["protocolVersion"], version);
        let result = client.request(
            "tools/call",
            json!({"name": "echo", "arguments": {"value": [1]}}),
        );
        assert_eq!(result["structuredContent"], json!({"result": [1]}));
        assert!(result.get("resultType").is_none(), "{result}");
        assert_eq!(client.request("ping", json!({})), json!({}));
    }
}

#[test]
fn both_eras_share_one_connection() {
    let context = machine();
    echo(&context);
    let mut client = Client::start(&context, &[]);
    let call = json!({"name": "echo", "arguments": {"value": [1]}});
    assert_eq!(
        client.modern("tools/call", call.clone())["structuredContent"],
        json!([1])
    );
    client.initialize("2025-06-18", json!({}));
    assert_eq!(
        client.request("tools/call", call.clone())["structuredContent"],
        json!({"result": [1]})
    );
    assert_eq!(
        client.modern("tools/call", call)["structuredContent"],
        json!([1])
    );
}

#[test]
fn a_request_that_says_nothing_of_itself_is_refused_before_a_handshake() {
    let context = machine();
    let mut client = Client::start(&context, &[]);
    let error = client.error("tools/list", json!({}));
    assert_eq!(error["code"], -32602, "{error}");
    let unknown = client.modern_error("no/such", json!({}));
    assert_eq!(unknown["code"], -32601, "{unknown}");
}

#[test]
fn many_calls_are_answered_as_they_end() {
    let context = machine();
    context.tool("wait.py", "import time\ndef main(seconds: float, name: str):\n    time.sleep(seconds)\n    return name\n");
    let mut client = Client::start(&context, &[]);
    let slow = client.send_modern(
        "tools/call",
        json!({"name": "wait", "arguments": {"seconds": 1.0, "name": "slow"}}),
    );
    let fast = client.send_modern(
        "tools/call",
        json!({"name": "wait", "arguments": {"seconds": 0, "name": "fast"}}),
    );
    let first = client.next_response();
    assert_eq!(first["id"], fast);
    let second = client.next_response();
    assert_eq!(second["id"], slow);
    assert_eq!(second["result"]["content"][0]["text"], "slow");
}

#[test]
fn nothing_but_the_protocol_is_on_standard_output() {
    let context = machine();
    context.tool(
        "loud.py",
        "print('at import')\ndef main():\n    print('{\"jsonrpc\":\"2.0\"}')\n    return 1\n",
    );
    context.tool("broken.py", "def main(:\n");
    let mut client = Client::start(&context, &["--json"]);
    let result = client.modern("tools/call", json!({"name": "loud", "arguments": {}}));
    assert_eq!(result["content"][0]["text"], "1");
    let (left, stderr) = client.finish();
    assert_eq!(left, Vec::<Value>::new());
    assert!(stderr.contains("broken.py:1"), "{stderr}");
}

//! A tool that asks first.

use serde_json::{Value, json};

use super::client::Client;
use super::machine;

const TOOL: &str = r#"
"""Greets by name."""
import json, os

def main(greeting: str = "Hello"):
    answers = json.loads(os.environ.get("TOOLROOM_INPUT_RESPONSES", "{}"))
    if "who" not in answers:
        schema = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
        ask = {"method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": schema}}
        return {"resultType": "input_required", "inputRequests": {"who": ask}, "requestState": "kept"}
    return f"{greeting}, {answers['who']['content']['name']}! ({os.environ['TOOLROOM_REQUEST_STATE']})"
"#;

fn answer() -> Value {
    json!({"action": "accept", "content": {"name": "Ada"}})
}

#[test]
fn a_modern_client_calls_again_with_the_answers() {
    let context = machine();
    context.tool("greet.py", TOOL);
    let mut client = Client::start(&context, &[]);
    client.able(json!({"elicitation": {}}));
    let asked = client.modern("tools/call", json!({"name": "greet", "arguments": {}}));
    assert_eq!(asked["resultType"], "input_required");
    let state = asked["requestState"].as_str().unwrap().to_owned();
    assert!(!state.contains("kept"), "{state}");
    let again = |arguments: Value, state: &str| json!({"name": "greet", "arguments": arguments, "inputResponses": {"who": answer()}, "requestState": state});
    let greeted = client.modern("tools/call", again(json!({}), &state));
    assert_eq!(greeted["content"][0]["text"], "Hello, Ada! (kept)");
    // The state opens for the request it was given for, and no other.
    let other = client.modern_error("tools/call", again(json!({"greeting": "Hi"}), &state));
    assert_eq!(other["code"], -32602);
    let tampered = client.modern_error(
        "tools/call",
        again(json!({}), &state.replace(&state[10..14], "AAAA")),
    );
    assert_eq!(tampered["code"], -32602);
}

#[test]
fn a_client_that_cannot_be_asked_is_told_what_it_lacks() {
    let context = machine();
    context.tool("greet.py", TOOL);
    let mut client = Client::start(&context, &[]);
    let error = client.modern_error("tools/call", json!({"name": "greet", "arguments": {}}));
    assert_eq!(error["code"], -32021);
    assert_eq!(
        error["data"]["requiredCapabilities"],
        json!({"elicitation": {}})
    );
}

#[test]
fn an_older_client_is_asked_over_its_connection() {
    let context = machine();
    context.tool("greet.py", TOOL);
    let mut client = Client::start(&context, &[]);
    client.initialize("2025-06-18", json!({"elicitation": {}}));
    let id = client.send_request("tools/call", json!({"name": "greet", "arguments": {}}));
    let question = client.hear("elicitation/create");
    assert_eq!(question["params"]["message"], "Who?");
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer()}));
    assert_eq!(
        client.response(id)["result"]["content"][0]["text"],
        "Hello, Ada! (kept)"
    );
}

#[test]
fn a_tool_asks_through_the_four_tools_as_well() {
    let context = machine();
    context.tool("greet.py", TOOL);
    let mut client = Client::start(&context, &["--meta"]);
    client.able(json!({"elicitation": {}}));
    let arguments = json!({"id": "greet", "arguments": {"greeting": "Hi"}});
    let asked = client.modern("tools/call", json!({"name": "run", "arguments": arguments}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let again = json!({"name": "run", "arguments": arguments, "inputResponses": {"who": answer()}, "requestState": asked["requestState"]});
    let greeted = client.modern("tools/call", again);
    assert_eq!(
        greeted["content"][0]["text"], "Hi, Ada! (kept)",
        "{greeted}"
    );
}

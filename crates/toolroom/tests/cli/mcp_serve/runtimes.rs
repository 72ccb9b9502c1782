//! Tools of other MCP servers as tools here.

use serde_json::json;
use toolroom_test::TestContext;

use super::client::Client;
use super::http::Server;
use super::machine;

const BINARY: &str = env!("CARGO_BIN_EXE_toolroom");

/// A project elsewhere, whose tools are called over the protocol.
fn elsewhere() -> TestContext {
    let context = machine();
    context.tool("math/add.py", "\"\"\"Adds.\"\"\"\nimport toolroom\ndef main(a: int, b: int = 2) -> int:\n    toolroom.progress(1, 2, 'adding')\n    return a + b\n");
    context.tool(
        "fail.py",
        "\"\"\"Fails.\"\"\"\ndef main():\n    raise ValueError('not today')\n",
    );
    context.tool("pixel.py", "\"\"\"Draws.\"\"\"\ndef main():\n    return {'content': [{'type': 'image', 'data': 'AA==', 'mimeType': 'image/png'}]}\n");
    context
}

fn over_stdio(context: &TestContext, other: &TestContext, id: &str, tool: &str) {
    let config = json!({"command": BINARY, "args": ["mcp", "serve", "--project", other.project()], "tool": tool});
    context.tool(&format!("{id}.yaml"), format!("tool_type: mcp\nexecutor_id: mcp_stdio_runtime\ndescription: Elsewhere.\nconfig: {config}\n"));
}

#[test]
fn a_tool_of_a_server_that_is_started_is_a_tool_here() {
    let (context, other) = (machine(), elsewhere());
    over_stdio(&context, &other, "add", "math_add");
    over_stdio(&context, &other, "fail", "fail");
    let data = context.data(&["run", "add", "--params", r#"{"a": 3}"#]);
    assert_eq!(data["data"], 5, "{data}");
    let failed = context.data(&["run", "fail"]);
    assert_eq!(failed["status"], "error");
    assert!(
        failed["error"]["message"]
            .as_str()
            .unwrap()
            .contains("not today"),
        "{failed}"
    );
}

#[test]
fn a_tool_of_a_server_over_http_takes_address_and_headers_from_the_environment() {
    let (mut context, mut other) = (machine(), elsewhere());
    other.set_env("TOOLROOM_MCP_TOKEN", "0123456789abcdef0123456789abcdef");
    let server = Server::start(&other, &[]);
    context.tool(
        "math_add.yaml",
        "tool_type: mcp\nexecutor_id: mcp_http_runtime\ndescription: Elsewhere.\n",
    );
    context.set_env("MCP_ENDPOINT", format!("http://{}/mcp", server.address));
    let refused = context.data(&["run", "math_add", "--params", r#"{"a": 1}"#]);
    assert_eq!(refused["status"], "error", "{refused}");
    context.set_env(
        "MCP_HEADERS",
        r#"{"Authorization": "Bearer 0123456789abcdef0123456789abcdef"}"#,
    );
    let data = context.data(&["run", "math_add", "--params", r#"{"a": 1}"#]);
    assert_eq!(data["data"], 3, "{data}");
    context.set_env("MCP_ENDPOINT", "http://127.0.0.1:1/mcp");
    let gone = context.data(&["run", "math_add", "--params", r#"{"a": 1}"#]);
    assert!(
        gone["error"]["message"]
            .as_str()
            .unwrap()
            .contains("127.0.0.1:1"),
        "{gone}"
    );
}

#[test]
fn blocks_progress_and_questions_pass_through() {
    let (context, other) = (machine(), elsewhere());
    other.tool(
        "ask.py",
        "import json, os\ndef main():\n    answers = json.loads(os.environ.get('TOOLROOM_INPUT_RESPONSES', '{}'))\n    if 'who' not in answers:\n        schema = {'type': 'object', 'properties': {'name': {'type': 'string'}}}\n        return {'resultType': 'input_required', 'inputRequests': {'who': {'method': 'elicitation/create', 'params': {'message': 'Who?', 'requestedSchema': schema}}}}\n    return 'Hello, ' + answers['who']['content']['name']\n",
    );
    for (id, tool) in [("add", "math_add"), ("pixel", "pixel"), ("ask", "ask")] {
        over_stdio(&context, &other, id, tool);
    }
    let mut client = Client::start(&context, &[]);
    client.able(json!({"elicitation": {}}));
    let picture = client.modern("tools/call", json!({"name": "pixel"}));
    assert_eq!(picture["content"][0]["type"], "image", "{picture}");
    let id = client.send_with(
        "tools/call",
        json!({"name": "add", "arguments": {"a": 1}}),
        json!({"progressToken": 1}),
    );
    assert_eq!(client.response(id)["result"]["content"][0]["text"], "3");
    assert_eq!(client.heard[0]["params"]["message"], "adding");
    let asked = client.modern("tools/call", json!({"name": "ask"}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let answer = json!({"name": "ask", "inputResponses": {"who": {"action": "accept", "content": {"name": "Ada"}}}});
    let greeted = client.modern("tools/call", answer);
    assert_eq!(greeted["content"][0]["text"], "Hello, Ada", "{greeted}");
}

#[test]
fn the_tools_of_a_server_become_files() {
    let (context, other) = (machine(), elsewhere());
    let project = other.project().to_string_lossy().into_owned();
    let data = context
        .run(&[
            "--json",
            "new",
            "remote",
            "--from-mcp",
            BINARY,
            "mcp",
            "serve",
            "--project",
            &project,
        ])
        .data();
    let ids: Vec<&str> = data["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ["remote/fail", "remote/math_add", "remote/pixel"]);
    let shown = context.data(&["show", "remote/math_add"]);
    assert_eq!(shown["input_schema"]["required"], json!(["a"]));
    assert_eq!(shown["metadata"]["description"], "Adds.");
    assert_eq!(
        context.data(&["run", "remote/math_add", "--a", "40"])["data"],
        42
    );
    let error = context
        .run(&["--json", "new", "x", "--from-mcp", "/no/such/program"])
        .error();
    assert_eq!(error["code"], "mcp::server_not_started");
}

/// A server that tells which tool was called, and what it was started with.
const TELLING: &str = r#"
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "initialize":
        version = asked["params"]["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
    elif asked["method"] == "tools/list":
        result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("a.b", "a_b", "a/b", "{home}")]}
    elif asked["method"] == "tools/call":
        result = {"content": [], "structuredContent": {"called": asked["params"]["name"], "args": sys.argv[1:]}}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"#;

#[test]
fn every_tool_of_a_server_gets_its_file_and_every_word_stays_what_it_was() {
    let context = machine();
    let server = context.file("server.py", TELLING);
    let words = [
        "{home}",
        "{{project}}",
        "$HOME ${HOME} $$",
        "{\"a\": {tool_path}}",
    ];
    let new = [
        "--json",
        "new",
        "theirs",
        "--from-mcp",
        "python3",
        server.to_str().unwrap(),
    ];
    let made = context.run(&[&new[..], &words].concat()).data();
    let ids = made["tools"].as_array().unwrap().iter();
    let ids: Vec<&str> = ids.map(|tool| tool["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 4, "{ids:?}");
    let called: Vec<String> = ids
        .iter()
        .map(|id| {
            let told = context.data(&["run", id])["data"].clone();
            assert_eq!(told["args"], json!(words), "{told}");
            told["called"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(called, ["a.b", "a_b", "a/b", "{home}"]);
    assert_eq!(ids[1], "theirs/a_b");
}

#[test]
fn the_tools_of_a_server_at_an_address_become_files() {
    let (context, other) = (machine(), elsewhere());
    let server = Server::start(&other, &["--no-auth"]);
    let url = format!("http://{}/mcp", server.address);
    let made = context
        .run(&["--json", "new", "far", "--from-mcp", &url])
        .data();
    assert_eq!(made["tools"].as_array().unwrap().len(), 3, "{made}");
    assert_eq!(
        context.data(&["run", "far/math_add", "--a", "40"])["data"],
        42
    );
}

#[test]
fn a_server_that_wants_a_token_is_asked_with_it_and_no_file_gets_it() {
    const TOKEN: &str = "0123456789abcdef0123456789abcdef";
    let (mut context, mut other) = (machine(), elsewhere());
    other.set_env("TOOLROOM_MCP_TOKEN", TOKEN);
    let server = Server::start(&other, &[]);
    let url = format!("http://{}/mcp", server.address);
    let error = context
        .run(&["--json", "new", "far", "--from-mcp", &url])
        .error();
    assert_eq!(error["code"], "mcp::server_unauthorized");
    let help = error["help"].as_str().unwrap();
    assert!(
        help.contains("--header") && help.contains("token"),
        "{help}"
    );
    let header = format!("authorization: Bearer {TOKEN}");
    let asked = ["new", "far", "--header", &header, "--from-mcp", &url];
    // What the command line says goes before what the variable does.
    context.set_env("MCP_HEADERS", r#"{"Authorization": "Bearer wrong"}"#);
    let made = context.run(&asked);
    assert_eq!(made.status, 0, "{made}");
    assert!(made.stderr.contains("set MCP_HEADERS"), "{made}");
    let file = context.project().join(".ai/tools/far/math_add.yaml");
    let text = fs_err::read_to_string(file).unwrap();
    assert!(text.contains("headers: \"${MCP_HEADERS}\""), "{text}");
    assert!(!text.contains(TOKEN), "{text}");
    context.remove_env("MCP_HEADERS");
    context.file(
        ".env",
        format!("MCP_HEADERS='{{\"Authorization\": \"Bearer {TOKEN}\"}}'\n"),
    );
    let again = context.run(&["new", "again", "--from-mcp", &url]);
    assert_eq!(again.status, 0, "{again}");
    assert_eq!(
        context.data(&["run", "again/math_add", "--a", "40"])["data"],
        42
    );
}

#[test]
fn what_a_server_is_asked_with_is_checked_and_not_repeated() {
    let mut context = machine();
    let url = "http://127.0.0.1:1/mcp";
    for args in [
        &["--header", "hunter2", "--from-mcp", url][..],
        &["--header", "A: hunter2", "--from-mcp", "program"],
        &["--from-mcp", url, "--header", "A: hunter2"],
    ] {
        let output = context.run(&[&["new", "far"], args].concat());
        assert_eq!(output.status, 2, "{args:?}: {output}");
        assert!(!output.stderr.contains("hunter2"), "{output}");
    }
    context.set_env("MCP_HEADERS", "hunter2");
    let output = context.run(&["new", "far", "--from-mcp", url]);
    assert!(output.stderr.contains("MCP_HEADERS is not"), "{output}");
    assert!(!output.stderr.contains("hunter2"), "{output}");
}

#[test]
fn an_address_at_which_clouds_hand_out_credentials_is_not_reached() {
    let context = machine();
    context.tool(
        "cloud.yaml",
        "tool_type: mcp\nexecutor_id: mcp_http_runtime\ndescription: Cloud.\nconfig: {url: 'http://169.254.169.254/mcp'}\n",
    );
    let mut client = Client::start(&context, &[]);
    let result = client.modern("tools/call", json!({"name": "cloud"}));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("may not reach"), "{text}");
    let run = context.data(&["run", "cloud"]);
    let message = run["error"]["message"].as_str().unwrap();
    assert!(message.contains("may not reach"), "{run}");
}

#[test]
fn a_number_of_another_server_keeps_the_digits_that_its_text_has() {
    let (context, other) = (machine(), elsewhere());
    other.tool("power.py", "def main(n: int): return {'power': 2 ** n}\n");
    over_stdio(&context, &other, "power", "power");
    let args = ["run", "power", "--params", r#"{"n": 100}"#, "--json"];
    let output = context.run(&args);
    assert!(
        output
            .stdout
            .contains("{\"power\":1267650600228229401496703205376}"),
        "{output}"
    );
    let mut client = Client::start(&context, &[]);
    let called = client.modern(
        "tools/call",
        json!({"name": "power", "arguments": {"n": 100}}),
    );
    assert_eq!(
        called["content"][0]["text"],
        "{\"power\":1267650600228229401496703205376}"
    );
}

#[test]
fn a_runtime_that_says_no_more_than_env_setup_uses_the_projects_environment() {
    let context = super::machine();
    crate::env::venv(&context, ".venv");
    context.tool("rt/pyrt.py", "__tool_type__ = \"runtime\"\n__executor_id__ = \"subprocess\"\nCONFIG = {\"command\": \"${PROJECT_VENV_PYTHON:-python3}\", \"env_setup\": {\"type\": \"python_venv\"}}\n");
    context.tool(
        "a.py",
        "\"\"\"Says what runs it.\"\"\"\n__executor_id__ = \"pyrt\"\n",
    );
    let mut client = Client::start(&context, &[]);
    let result = client.modern("tools/call", json!({"name": "a"}));
    assert!(
        result.to_string().contains(".venv/bin/python3"),
        "{result:#}"
    );
}

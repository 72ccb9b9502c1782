//! What an agent sees of tools, and what their results become.

use serde_json::{Value, json};

use super::client::Client;
use super::{echo, machine};

fn listed(client: &mut Client) -> Vec<Value> {
    client.modern("tools/list", json!({}))["tools"]
        .as_array()
        .unwrap()
        .clone()
}

#[test]
fn a_tool_is_shown_with_all_it_says_of_itself() {
    let context = machine();
    context.tool(
        "web/fetch.py",
        r#"
"""Fetches \x1b[31ma page."""
__title__ = "Fetch"
ANNOTATIONS = {"readOnlyHint": True, "openWorldHint": True}
OUTPUT_SCHEMA = {"type": "object", "properties": {"status": {"type": "integer"}}, "required": ["status"]}

def main(url: str, retries: int = 3) -> dict:
    """Fetches.

    Args:
        url: The address.
    """
    return {"status": 200}
"#,
    );
    let mut client = Client::start(&context, &[]);
    assert_eq!(
        listed(&mut client),
        [json!({
            "name": "web_fetch",
            "title": "Fetch",
            "description": "Fetches a page.",
            "inputSchema": {
                "type": "object",
                "properties": {"url": {"type": "string", "description": "The address."}, "retries": {"type": "integer", "default": 3}},
                "required": ["url"],
                "additionalProperties": false,
            },
            "outputSchema": {"type": "object", "properties": {"status": {"type": "integer"}}, "required": ["status"]},
            "annotations": {"readOnlyHint": true, "openWorldHint": true},
        })]
    );
}

#[test]
fn wrong_arguments_are_told_to_the_model() {
    let context = machine();
    context.tool(
        "add.py",
        "def main(a: int, b: int = 1) -> int:\n    return a + b\n",
    );
    let mut client = Client::start(&context, &[]);
    for (arguments, wanted) in [
        (json!({}), "\"a\" is a required property"),
        (json!({"a": "x"}), "a: value is not of type \"integer\""),
        (json!({"a": 1, "c": 2}), "there is no parameter c"),
        (
            json!({"a": 12_345_678_901_234_567_890_123.0}),
            "a: a whole number beyond 64 bits would lose digits",
        ),
    ] {
        let result = client.modern("tools/call", json!({"name": "add", "arguments": arguments}));
        assert_eq!(result["isError"], true);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(wanted), "{text}");
        assert!(text.contains("the tool's arguments: a, b"), "{text}");
    }
    let whole = client.modern(
        "tools/call",
        json!({"name": "add", "arguments": {"a": 2.0}}),
    );
    assert_eq!(whole["content"][0]["text"], "3", "{whole}");
    let error = client.modern_error("tools/call", json!({"name": "no_such", "arguments": {}}));
    assert_eq!(error["code"], -32602);
}

#[test]
fn a_result_that_breaks_its_promise_is_an_error_that_says_where() {
    let context = machine();
    context.tool("bad.py", "OUTPUT_SCHEMA = {\"type\": \"object\", \"properties\": {\"n\": {\"type\": \"integer\"}}}\ndef main():\n    return {\"n\": \"one\"}\n");
    let mut client = Client::start(&context, &[]);
    let result = client.modern("tools/call", json!({"name": "bad"}));
    assert_eq!(result["isError"], true);
    assert!(
        result["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("at /n"),
        "{result}"
    );
    assert!(result.get("structuredContent").is_none());
}

#[test]
fn a_failure_says_what_was_raised_where_and_what_was_said_last() {
    let context = machine();
    context.tool("fail.py", "import sys\ndef main():\n    print('last words', file=sys.stderr)\n    raise ValueError('too late')\n");
    context.tool("leave.sh", "# Leaves.\necho out\necho err >&2\nexit 3\n");
    let mut client = Client::start(&context, &[]);
    let raised = client.modern("tools/call", json!({"name": "fail"}));
    let text = raised["content"][0]["text"].as_str().unwrap();
    assert_eq!(raised["isError"], true);
    for part in ["ValueError: too late", "fail.py:4", "last words"] {
        assert!(text.contains(part), "{text}");
    }
    let left = client.modern("tools/call", json!({"name": "leave"}));
    assert_eq!(left["_meta"]["toolroom/outcome"]["exit_code"], 3, "{left}");
    let text = left["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("status 3") && text.contains("err"), "{text}");
}

#[test]
fn ids_that_would_share_a_name_are_an_error_that_names_both() {
    let context = machine();
    echo(&context);
    context.tool("web/fetch.py", "def main(): return 'folder'\n");
    context.tool("web_fetch.py", "def main(): return 'file'\n");
    let mut client = Client::start(&context, &[]);
    let tools = listed(&mut client);
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["name"], "echo");
    let error = client.modern_error("tools/call", json!({"name": "web_fetch"}));
    assert_eq!(error["code"], -32602);
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("web/fetch and web_fetch"), "{message}");
    let (_, stderr) = client.finish();
    assert!(stderr.contains("web/fetch and web_fetch"), "{stderr}");
    // Whoever chooses one of them has no collision.
    let mut client = Client::start(&context, &["--tools", "web/*"]);
    assert_eq!(listed(&mut client)[0]["name"], "web_fetch");
}

#[test]
fn only_chosen_tools_are_served() {
    let context = machine();
    for path in ["web/a.py", "web/b.py", "db/c.py"] {
        context.tool(path, "def main(): return 1\n");
    }
    let mut client = Client::start(&context, &["--tools", "web/*", "!web/b"]);
    let tools = listed(&mut client);
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["name"], "web_a");
    let error = client.modern_error("tools/call", json!({"name": "db_c"}));
    assert_eq!(error["code"], -32602);
    context.file("toolroom.toml", "[mcp]\ntools = [\"db/*\"]\n");
    let mut client = Client::start(&context, &[]);
    assert_eq!(listed(&mut client)[0]["name"], "db_c");
}

#[test]
fn four_tools_stand_for_all_others() {
    let context = machine();
    echo(&context);
    context.tool(
        "math/add.py",
        "\"\"\"Adds two numbers.\"\"\"\ndef main(a: int, b: int) -> int:\n    return a + b\n",
    );
    let mut client = Client::start(&context, &["--meta"]);
    let tools = listed(&mut client);
    let names: Vec<&str> = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["env", "run", "search", "show"]);
    let mut call = |name: &str, arguments: Value| {
        client.modern("tools/call", json!({"name": name, "arguments": arguments}))
    };
    assert_eq!(
        call("search", json!({"query": "add numbers"}))["structuredContent"]["tools"][0]["id"],
        "math/add"
    );
    let shown = call("show", json!({"id": "math/add"}));
    assert_eq!(
        shown["structuredContent"]["inputSchema"]["required"],
        json!(["a", "b"])
    );
    assert_eq!(
        call(
            "run",
            json!({"id": "math/add", "arguments": {"a": 1, "b": 2}})
        )["content"][0]["text"],
        "3"
    );
    assert_eq!(
        call("run", json!({"id": "math/add", "arguments": {"a": 1}}))["isError"],
        true
    );
    let env = call("env", json!({"id": "math/add"}));
    assert!(
        env["structuredContent"]["interpreter"]["path"].is_string(),
        "{env}"
    );
    assert_eq!(call("show", json!({"id": "no/such"}))["isError"], true);
}

#[test]
fn an_agent_is_told_the_environment_a_person_is_told() {
    let context = machine();
    context.tool("n.mjs", "export function main() {}\n");
    context.tool("p.py", "def main(): ...\n");
    context.file("package.json", "{}");
    context.file("node_modules/left/package.json", "{}");
    context.file(".env", "OWN=1\n");
    let mut client = Client::start(&context, &["--meta"]);
    for id in ["n", "p"] {
        let arguments = json!({"name": "env", "arguments": {"id": id}});
        let told = client.modern("tools/call", arguments)["structuredContent"].clone();
        let told: Value =
            serde_json::from_str(&context.normalise(told.to_string().as_bytes())).unwrap();
        let shown = context.data(&["env", id]);
        assert_eq!(told["interpreter"], shown["interpreter"], "{id}");
        assert_eq!(told["tried"], shown["tried"], "{id}");
        let origins = shown["env"].as_object().unwrap().iter();
        let origins: serde_json::Map<String, Value> = origins
            .map(|(name, value)| (name.clone(), value["origin"].clone()))
            .collect();
        assert_eq!(told["variables"], Value::Object(origins), "{id}");
    }
}

#[test]
fn a_result_too_long_for_a_model_is_a_resource() {
    let context = machine();
    context.tool("long.py", "def main():\n    return 'x' * 300000 + 'end'\n");
    let mut client = Client::start(&context, &[]);
    let result = client.modern("tools/call", json!({"name": "long"}));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(
        text.len() < 110_000 && text.ends_with("end"),
        "{}",
        text.len()
    );
    let link = &result["content"][1];
    assert_eq!(link["type"], "resource_link");
    let whole = client.modern("resources/read", json!({"uri": link["uri"]}));
    assert_eq!(
        whole["contents"][0]["text"].as_str().unwrap().len(),
        300_003
    );
    #[cfg(unix)]
    for file in fs_err::read_dir(context.home().join(".cache/toolroom/output")).unwrap() {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file.unwrap().metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "others may read it");
    }
}

#[test]
fn prompts_and_resources_are_files() {
    let context = machine();
    context.file(".ai/prompts/review/code.md", "---\ndescription: Reviews.\narguments: [{name: file, required: true, complete: [a.py, b.py]}]\n---\nReview {file}, please.\n");
    context.file(".ai/resources/guide.md", "# Guide\n");
    context.file(
        ".ai/resources/user.yaml",
        "uri_template: app://user/{id}\ntext: 'User {id}'\n",
    );
    context.file(
        ".ai/resources/escape.yaml",
        "uri_template: app://file/{+path}\nfile: '{path}'\n",
    );
    let mut client = Client::start(&context, &[]);
    let prompts = client.modern("prompts/list", json!({}));
    assert_eq!(prompts["prompts"][0]["name"], "review_code");
    let prompt = client.modern(
        "prompts/get",
        json!({"name": "review_code", "arguments": {"file": "x.py"}}),
    );
    assert_eq!(
        prompt["messages"][0]["content"]["text"],
        "Review x.py, please."
    );
    assert_eq!(
        client.modern_error("prompts/get", json!({"name": "review_code"}))["code"],
        -32602
    );
    let complete = json!({"ref": {"type": "ref/prompt", "name": "review_code"}, "argument": {"name": "file", "value": "a"}});
    assert_eq!(
        client.modern("completion/complete", complete)["completion"]["values"],
        json!(["a.py"])
    );
    let guide = client.modern(
        "resources/read",
        json!({"uri": "toolroom://resources/guide.md"}),
    );
    assert_eq!(
        guide["contents"][0],
        json!({"uri": "toolroom://resources/guide.md", "mimeType": "text/markdown", "text": "# Guide\n"})
    );
    let user = client.modern("resources/read", json!({"uri": "app://user/7"}));
    assert_eq!(user["contents"][0]["text"], "User 7");
    for uri in [
        "app://nothing",
        "app://file/../../../../../../etc/passwd",
        "app://file//etc/passwd",
    ] {
        assert_eq!(
            client.modern_error("resources/read", json!({"uri": uri}))["code"],
            -32602,
            "{uri}"
        );
    }
}

#[test]
fn the_value_of_a_secret_reaches_no_client() {
    let mut context = machine();
    context.set_env("SERVICE_TOKEN", "hunter2-hunter2");
    context.tool(
        "leak.py",
        "import os, toolroom\ndef main(fail: bool = False):\n    secret = os.environ['SERVICE_TOKEN']\n    toolroom.log('info', secret)\n    if fail:\n        raise ValueError(secret)\n    return {'token': secret}\n",
    );
    context.tool(
        "ask.yaml",
        "tool_type: http\nexecutor_id: http_runtime\ndescription: Asks nobody.\nconfig: {url: \"http://127.0.0.1:1/${SERVICE_TOKEN}\"}\n",
    );
    let mut client = Client::start(&context, &[]);
    let meta = json!({"io.modelcontextprotocol/logLevel": "debug"});
    for call in [
        json!({"name": "leak", "arguments": {"fail": false}}),
        json!({"name": "leak", "arguments": {"fail": true}}),
        json!({"name": "ask", "arguments": {}}),
    ] {
        let id = client.send_with("tools/call", call, meta.clone());
        let answer = client.response(id).to_string();
        assert!(
            answer.contains("***") && !answer.contains("hunter2"),
            "{answer}"
        );
    }
    let heard = format!("{:?}", client.heard);
    assert!(
        heard.contains("***") && !heard.contains("hunter2"),
        "{heard}"
    );
}

#[test]
fn the_password_of_an_address_reaches_no_client() {
    let context = machine();
    context.file(".env", "DATABASE_URL=postgres://me:hunter2@db/x\n");
    context.tool(
        "leak.py",
        "import os\ndef main():\n    return {'url': os.environ['DATABASE_URL']}\n",
    );
    let mut client = Client::start(&context, &[]);
    let result = client.modern("tools/call", json!({"name": "leak", "arguments": {}}));
    assert_eq!(
        result["structuredContent"],
        json!({"url": "postgres://***@db/x"})
    );
}

#[test]
fn prompts_and_resources_may_be_made_by_a_tool() {
    let context = machine();
    context.tool(
        "users/show.py",
        "def main(id: str):\n    return f'user {id}'\n",
    );
    context.tool(
        "users/ask.py",
        "def main(id: str):\n    return {'messages': [{'role': 'user', 'content': {'type': 'text', 'text': f'Who is {id}?'}}]}\n",
    );
    context.file(
        ".ai/resources/user.yaml",
        "uri_template: app://users/{id}\narguments: [{name: id, complete: ['1', '12', '2']}]\ntool: users/show\n",
    );
    context.file(
        ".ai/prompts/who.yaml",
        "description: Asks.\narguments: [{name: id, required: true}]\ntool: users/ask\n",
    );
    let mut client = Client::start(&context, &[]);
    let templates = client.modern("resources/templates/list", json!({}));
    assert_eq!(
        templates["resourceTemplates"][0]["uriTemplate"],
        "app://users/{id}"
    );
    let user = client.modern("resources/read", json!({"uri": "app://users/7"}));
    assert_eq!(user["contents"][0]["text"], "user 7", "{user}");
    let prompt = client.modern(
        "prompts/get",
        json!({"name": "who", "arguments": {"id": "7"}}),
    );
    assert_eq!(prompt["messages"][0]["content"]["text"], "Who is 7?");
    let complete = json!({"ref": {"type": "ref/resource", "uri": "app://users/{id}"}, "argument": {"name": "id", "value": "1"}});
    assert_eq!(
        client.modern("completion/complete", complete)["completion"]["values"],
        json!(["1", "12"])
    );
}

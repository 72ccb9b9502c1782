//! What clients are known to break on: names, schemas, the form of results.

use serde_json::{Value, json};

use super::client::Client;
use super::{echo, machine};

fn listed(client: &mut Client) -> Vec<Value> {
    client.modern("tools/list", json!({}))["tools"]
        .as_array()
        .unwrap()
        .clone()
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn every_name_is_one_that_all_clients_take_and_can_be_called() {
    let context = machine();
    let long = format!("folder/{}", "long".repeat(40));
    for id in ["größe", "a.b/c d", "v1.2/x", "測試", "_skip/y", &long] {
        context.tool(&format!("{id}.sh"), "# Says yes.\necho yes\n");
    }
    let mut client = Client::start(&context, &[]);
    let tools = listed(&mut client);
    assert!(tools.len() >= 5, "{tools:?}");
    let mut names = Vec::new();
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        assert!(
            (1..=64).contains(&name.len()) && name.bytes().all(is_plain),
            "{name}"
        );
        assert!(!tool["description"].as_str().unwrap().is_empty());
        let result = client.modern("tools/call", json!({"name": name}));
        assert_eq!(text(&result).trim(), "yes", "{name}: {result}");
        names.push(name.to_owned());
    }
    let mut sorted = names.clone();
    sorted.sort();
    assert_eq!(names, sorted, "the order is always the same");
    let mut again = Client::start(&context, &[]);
    assert_eq!(
        listed(&mut again),
        tools,
        "names are those of the last start"
    );
}

#[test]
fn schemas_that_clients_refuse_are_made_fit_and_still_hold() {
    let context = machine();
    context.tool(
        "either.yaml",
        "tool_type: command\nexecutor_id: bash\ndescription: Either.\nconfig: {command: /bin/echo, args: [ran], call: {style: command}}\ninput_schema: {type: object, properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]}\n",
    );
    context.tool(
        "far.yaml",
        "tool_type: command\nexecutor_id: bash\ndescription: Far.\nconfig: {command: /bin/echo, call: {style: command}}\ninput_schema: {type: object, properties: {a: {$ref: 'https://example.org/schema.json'}}}\n",
    );
    let deep = (0..100).fold(
        json!({}),
        |inner, _| json!({"type": "object", "properties": {"x": inner}}),
    );
    context.tool(
        "deep.yaml",
        format!("tool_type: command\nexecutor_id: bash\ndescription: Deep.\nconfig: {{command: /bin/echo, call: {{style: command}}}}\ninput_schema: {deep}\n"),
    );
    let mut client = Client::start(&context, &[]);
    let tools = listed(&mut client);
    assert_eq!(tools.len(), 1, "{tools:?}");
    assert_eq!(tools[0]["name"], "either");
    assert!(
        tools[0]["inputSchema"].get("anyOf").is_none(),
        "{}",
        tools[0]
    );
    let neither = client.modern("tools/call", json!({"name": "either", "arguments": {}}));
    assert_eq!(neither["isError"], true, "{neither}");
    let one = client.modern(
        "tools/call",
        json!({"name": "either", "arguments": {"a": "x"}}),
    );
    assert_eq!(text(&one), "ran", "{one}");
    let (_, stderr) = client.finish();
    for wanted in ["anyOf", "far", "https://example.org/schema.json", "deep"] {
        assert!(stderr.contains(wanted), "{wanted}: {stderr}");
    }
}

#[test]
fn icons_and_the_servers_own_words_are_shown() {
    let context = machine();
    context.tool(
        "drawn.yaml",
        "tool_type: command\nexecutor_id: bash\ntitle: Drawn\ndescription: Drawn.\nannotations: {read_only: true, destructive: false, idempotent: true}\nicons: ['https://example.org/i.png', {src: 'data:image/png;base64,AA==', mimeType: image/png}, 'file:///etc/passwd']\nconfig: {command: /bin/true, call: {style: command}}\n",
    );
    let mut client = Client::start(&context, &[]);
    let tool = listed(&mut client)[0].clone();
    assert_eq!(
        tool["icons"],
        json!([{"src": "https://example.org/i.png"}, {"src": "data:image/png;base64,AA==", "mimeType": "image/png"}])
    );
    assert_eq!(
        tool["annotations"],
        json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true})
    );
    let found = client.modern("server/discover", json!({}));
    assert!(
        found["instructions"].as_str().unwrap().contains("1 tools"),
        "{found}"
    );
    let list = client.modern("tools/list", json!({}));
    assert!(
        list["ttlMs"].as_u64().is_some() && list["cacheScope"].is_string(),
        "{list}"
    );
}

#[test]
fn a_result_is_always_text_and_structured_in_the_form_its_client_takes() {
    let context = machine();
    context.tool("list.py", "def main() -> list[int]:\n    return [1, 2]\n");
    context.tool("number.py", "def main() -> int:\n    return 7\n");
    context.tool("object.py", "def main():\n    return {'a': 1}\n");
    context.tool("nothing.py", "def main():\n    pass\n");
    context.tool("words.py", "def main() -> str:\n    return 'plain words'\n");
    let mut client = Client::start(&context, &[]);
    let mut call = |name: &str| {
        let result = client.modern("tools/call", json!({"name": name}));
        assert!(result["content"].is_array(), "{result}");
        (
            text(&result).to_owned(),
            result["structuredContent"].clone(),
        )
    };
    assert_eq!(call("list"), ("[1,2]".into(), json!([1, 2])));
    assert_eq!(call("number"), ("7".into(), json!(7)));
    let object = call("object");
    assert_eq!(object.1, json!({"a": 1}));
    assert_eq!(serde_json::from_str::<Value>(&object.0).unwrap(), object.1);
    assert_eq!(call("nothing").0, "");
    assert_eq!(call("words").0, "plain words");
    client.initialize("2025-06-18", json!({}));
    for (name, wanted) in [
        ("list", json!({"result": [1, 2]})),
        ("number", json!({"result": 7})),
    ] {
        let result = client.request("tools/call", json!({"name": name, "arguments": {}}));
        assert_eq!(result["structuredContent"], wanted);
        assert!(!text(&result).is_empty());
    }
    let shown = client.request("tools/list", json!({}));
    for tool in shown["tools"].as_array().unwrap() {
        let schema = &tool["outputSchema"];
        assert!(schema.is_null() || schema["type"] == "object", "{tool}");
    }
}

#[test]
fn what_hides_or_reorders_text_reaches_no_client() {
    let context = machine();
    context.tool(
        "dirty.py",
        "import toolroom\nDIRTY = 'a\\x1b[31mb\\u202ec\\u200bd'\ndef main(fail: bool = False):\n    toolroom.log('error', DIRTY)\n    toolroom.progress(1, 2, DIRTY)\n    if fail:\n        raise ValueError(DIRTY)\n    return {'key': [DIRTY], 'content': [{'type': 'text', 'text': DIRTY}]}\n",
    );
    context.file(
        ".ai/prompts/dirty.md",
        "---\ndescription: \"a\u{202e}b\"\n---\nSay a\u{200b}b.\n",
    );
    let mut client = Client::start(&context, &[]);
    let meta = json!({"io.modelcontextprotocol/logLevel": "debug", "progressToken": "p"});
    for fail in [false, true] {
        let call = json!({"name": "dirty", "arguments": {"fail": fail}});
        let id = client.send_with("tools/call", call, meta.clone());
        let answer = client.response(id).to_string();
        let heard = format!("{answer}{:?}", client.heard);
        assert!(heard.contains("abcd"), "{heard}");
        for hidden in ['\u{1b}', '\u{202e}', '\u{200b}'] {
            let escaped = format!("\\u{:04x}", u32::from(hidden));
            assert!(
                !heard.contains(hidden) && !heard.contains(&escaped),
                "{heard}"
            );
        }
    }
    let prompts = client.modern("prompts/list", json!({})).to_string();
    assert!(prompts.contains("\"ab\""), "{prompts}");
}

#[test]
fn a_tool_gets_none_of_our_input_and_may_fill_both_outputs() {
    let context = machine();
    echo(&context);
    context.tool("reads.sh", "# Counts what it can read.\ncat | wc -c\n");
    context.tool(
        "floods.py",
        "import sys\ndef main():\n    for _ in range(64):\n        sys.stdout.write('o' * 16384)\n        sys.stderr.write('e' * 16384)\n    return 'done'\n",
    );
    let mut client = Client::start(&context, &[]);
    let reads = client.send_modern("tools/call", json!({"name": "reads"}));
    let echoed = client.send_modern(
        "tools/call",
        json!({"name": "echo", "arguments": {"value": "x"}}),
    );
    let mut ids = [client.next_response(), client.next_response()].map(|answer| {
        let wanted = if answer["id"] == reads { "0" } else { "x" };
        assert_eq!(text(&answer["result"]).trim(), wanted, "{answer}");
        answer["id"].as_i64().unwrap()
    });
    ids.sort_unstable();
    assert_eq!(ids, [reads, echoed]);
    let flood = client.modern("tools/call", json!({"name": "floods"}));
    assert_eq!(text(&flood), "done", "{flood}");
}

#[cfg(unix)]
#[test]
fn a_tool_that_a_signal_ended_says_which() {
    let context = machine();
    context.tool("dies.sh", "# Dies.\necho last words >&2\nkill -9 $$\n");
    let mut client = Client::start(&context, &[]);
    let result = client.modern("tools/call", json!({"name": "dies"}));
    assert_eq!(result["isError"], true);
    assert_eq!(result["_meta"]["toolroom/outcome"]["signal"], 9, "{result}");
    assert!(text(&result).contains("signal 9") && text(&result).contains("last words"));
}

/// The official clients pass on no more than this; others even less.
#[test]
fn a_server_that_inherits_almost_nothing_works() {
    let context = machine();
    echo(&context);
    let mut command = context.command(&["mcp", "serve"]);
    command.env_clear().env("HOME", context.home());
    command.env("PATH", std::env::var("PATH").unwrap());
    let mut client = Client::spawn(command);
    let result = client.modern(
        "tools/call",
        json!({"name": "echo", "arguments": {"value": "here"}}),
    );
    assert_eq!(text(&result), "here", "{result}");
}

#[test]
fn arguments_are_never_words_of_a_shell() {
    let context = machine();
    context.tool(
        "say.yaml",
        "tool_type: command\nexecutor_id: bash\ndescription: Says.\nconfig: {command: /bin/echo, args: ['{params.word}'], call: {style: command}}\ninput_schema: {type: object, properties: {word: {type: string}}, required: [word]}\n",
    );
    let mut client = Client::start(&context, &[]);
    let note = context.root().join("note");
    for word in [
        format!("$(touch {0})", note.display()),
        format!("; touch {0} #", note.display()),
        "${HOME}".to_owned(),
    ] {
        let result = client.modern(
            "tools/call",
            json!({"name": "say", "arguments": {"word": word}}),
        );
        assert_eq!(text(&result), word, "{result}");
    }
    assert!(!note.exists());
}

#[test]
fn a_number_too_large_to_be_exact_is_never_changed() {
    let context = machine();
    context.tool("same.py", "def main(n: int) -> str:\n    return str(n)\n");
    let mut client = Client::start(&context, &[]);
    let meta = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
    for number in [
        "9007199254740993",
        "18446744073709551615",
        "-9223372036854775808",
        "18446744073709551616",
        "123456789012345678901234567890",
        "-9223372036854775809",
    ] {
        client.raw(
            format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"same\",\"arguments\":{{\"n\":{number}}},\"_meta\":{meta}}}}}\n").as_bytes(),
        );
        let answer = client.next_response();
        let result = &answer["result"];
        let is_refused = result["isError"] == true && text(result).contains('n');
        assert!(is_refused || text(result) == number, "{number}: {answer}");
    }
}

//! Extraction as data: every rule type, and a language nobody compiled in.

use serde_json::json;

use crate::context;

#[test]
fn every_rule_type_can_be_used_from_a_projects_own_extractor() {
    let context = context();
    context.tool(
        "extractors/all.yaml",
        r#"
tool_type: extractor
description: Every rule type.
extensions: [.py]
rules:
  by_ast_var: {type: ast_var, name: __owner__}
  by_ast_docstring: {type: ast_docstring}
  by_ast_signature: {type: ast_signature, functions: [helper]}
  by_ast_returns: {type: ast_returns, functions: [helper]}
  by_ast_summary: {type: ast_summary, functions: [helper]}
  by_ast_entry: {type: ast_entry, functions: [missing, helper]}
  by_regex: {type: regex, pattern: '^# owner: (\w+)$', multiline: true}
  by_regex_all: {type: regex_all, pattern: '# tag: (\w+)'}
  by_filename: {type: filename}
  by_category_path: {type: category_path}
  by_front_matter: {type: front_matter, key: deep.er}
  by_comment: {type: comment}
  by_script_block: {type: script_block, name: lint}
"#,
    );
    context.tool(
        "extractors/order.yaml",
        "tool_type: extractor\ndescription: Order.\nextensions: [.mjs]\nrules:\n  by_ast_order: {type: ast_order, functions: [helper]}\n",
    );
    context.tool("ordered.mjs", "export function helper(city, days) {}\n");
    context.tool(
        "extractors/data.yaml",
        "tool_type: extractor\ndescription: Paths.\nextensions: [.yaml]\nrules:\n  by_path: {type: path, key: config.nested.value}\n",
    );
    context.tool(
        "cat/egory/tool.py",
        "# ---\n# deep: {er: 7}\n# ---\n# owner: anna\n# tag: one\n# tag: two\n\"\"\"Documented.\"\"\"\n__owner__ = (\"team\", -1)\n\n# /// lint\n# strict = true\n# ///\ndef helper(a: int) -> list[str]:\n    \"\"\"Helps.\"\"\"\n",
    );
    context.tool(
        "data.yaml",
        "tool_type: x\nexecutor_id: http\nconfig: {nested: {value: [1, 2]}}\n",
    );
    let tool = &context.data(&["show", "cat/egory/tool"])["metadata"];
    assert_eq!(tool["by_ast_var"], json!(["team", -1]));
    assert_eq!(tool["by_ast_docstring"], "Documented.");
    assert_eq!(tool["by_ast_signature"]["required"], json!(["a"]));
    assert_eq!(tool["by_ast_returns"]["items"]["type"], "string");
    assert_eq!(tool["by_ast_summary"], "Helps.");
    assert_eq!(tool["by_ast_entry"], "helper");
    assert_eq!(tool["by_script_block"], json!({"strict": true}));
    assert_eq!(tool["by_regex"], "anna");
    assert_eq!(tool["by_regex_all"], json!(["one", "two"]));
    assert_eq!(tool["by_filename"], "tool");
    assert_eq!(tool["by_category_path"], "cat/egory");
    assert_eq!(tool["by_front_matter"], 7);
    assert!(tool["by_comment"].is_string(), "{tool}");
    let ordered = &context.data(&["show", "ordered"])["metadata"];
    assert_eq!(ordered["by_ast_order"], json!(["city", "days"]));
    assert_eq!(
        context.data(&["show", "data"])["metadata"]["by_path"],
        json!([1, 2])
    );
}

#[test]
fn a_new_language_is_two_data_files() {
    let context = context();
    context.tool(
        "extractors/lua.yaml",
        "tool_type: extractor\nextends: extractors/front_matter\ndescription: Lua.\nextensions: [.lua]\ncomment: {line: \"--\"}\ndefaults: {tool_type: lua, executor_id: lua_runtime}\n",
    );
    context.tool(
        "runtimes/lua_runtime.yaml",
        "tool_type: runtime\nexecutor_id: subprocess\ndescription: Runs Lua.\nenv_config:\n  interpreter: {type: system_binary, binary: lua, var: LUA, fallback: lua}\nconfig:\n  command: \"${LUA}\"\n",
    );
    context.tool(
        "greet.lua",
        "-- ---\n-- version: \"0.1\"\n-- description: Greets in Lua.\n-- parameters: {name: {type: string, required: true}}\n-- ---\nprint('hi')\n",
    );
    let tool = context.data(&["show", "greet"]);
    assert_eq!(tool["metadata"]["description"], "Greets in Lua.");
    assert_eq!(tool["input_schema"]["required"], json!(["name"]));
    assert_eq!(tool["chain"][1]["id"], "runtimes/lua_runtime");
    assert_eq!(
        context.data(&["list"])["tools"][0]["runtime"],
        "runtimes/lua_runtime"
    );
}

#[test]
fn an_extractor_with_a_mistake_is_named() {
    let context = context();
    context.tool(
        "extractors/bad.yaml",
        "tool_type: extractor\ndescription: x\nextensions: [.zzz]\nrules:\n  a: {type: magic}\n",
    );
    let problems = context.data(&["list"])["problems"].clone();
    assert_eq!(problems[0]["code"], "catalog::bad_extractor");
    assert_eq!(problems[0]["line"], 4);
    context.tool(
        "extractors/bad.yaml",
        "tool_type: extractor\ndescription: x\nextensions: [.zzz]\nextends: extractors/pythn\n",
    );
    let problems = context.data(&["list"])["problems"].clone();
    assert_eq!(problems[0]["code"], "catalog::bad_extractor");
    assert_eq!(problems[0]["line"], 4);
    let message = problems[0]["message"].as_str().unwrap();
    assert!(
        message.ends_with("did you mean extractors/python?"),
        "{message}"
    );
}

#[test]
fn a_tool_without_any_metadata_is_still_a_tool() {
    let context = context();
    context.tool("one.py", "print(1)\n");
    context.tool("two.sh", "#!/bin/sh\n# Says two.\necho two\n");
    context.tool("three.mjs", "// Says three.\nconsole.log(3)\n");
    context.tool("four.rb", "# Says four.\nputs 4\n");
    context.tool(
        "five.ts",
        "/** Says five. */\nexport function main(params: { n: number; s?: string }) {}\n",
    );
    context.tool("six.js", "/** Says six. */\nconsole.log(6)\n");
    context.tool("seven.ts", "/* Says seven. */\nconsole.log(7)\n");
    let listing = context.data(&["list"]);
    assert_eq!(listing["problems"], json!([]));
    let rows: Vec<(String, String, String)> = listing["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| {
            let text = |field: &str| tool[field].as_str().unwrap_or("-").to_owned();
            (text("id"), text("runtime"), text("description"))
        })
        .collect();
    let expected = [
        ("five", "node", "Says five."),
        ("four", "ruby", "Says four."),
        ("one", "python", "-"),
        ("seven", "node", "Says seven."),
        ("six", "node", "Says six."),
        ("three", "node", "Says three."),
        ("two", "bash", "Says two."),
    ];
    for (row, (id, runtime, description)) in rows.iter().zip(expected) {
        assert_eq!(
            (row.0.as_str(), row.1.as_str(), row.2.as_str()),
            (id, runtime, description)
        );
    }
    let five = context.data(&["show", "five"]);
    assert_eq!(
        five["input_schema"]["properties"]["n"],
        json!({"type": "number"})
    );
    assert_eq!(five["input_schema"]["required"], json!(["n"]));
}

#[test]
fn inline_script_metadata_is_read() {
    let context = context();
    context.tool(
        "s.py",
        "# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\"requests<3\"]\n# ///\nimport requests\n",
    );
    let script = &context.data(&["show", "s"])["metadata"]["script"];
    assert_eq!(script["dependencies"], json!(["requests<3"]));
}

#[test]
fn the_data_formats_say_the_same_thing_the_same_way() {
    let context = context();
    context.tool("y.yaml", "version: 1.0.0\ntool_type: http\nexecutor_id: http\ndescription: D\nconfig: {url: \"http://x\", timeout: 5}\n");
    context.tool("t.toml", "version = '1.0.0'\ntool_type = 'http'\nexecutor_id = 'http'\ndescription = 'D'\nconfig = {url = 'http://x', timeout = 5}\n");
    context.tool("j.json", r#"{"version": "1.0.0", "tool_type": "http", "executor_id": "http", "description": "D", "config": {"url": "http://x", "timeout": 5}}"#);
    let of = |id: &str| {
        let mut metadata = context.data(&["show", id])["metadata"].clone();
        metadata["name"] = json!("same");
        metadata
    };
    assert_eq!(of("y"), of("t"));
    assert_eq!(of("t"), of("j"));
}

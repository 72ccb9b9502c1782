//! The seeds' own examples, copied to the letter, parsed to what is written there.

use serde_json::{Value, json};

use crate::context;

/// Puts a seed's example where the seed has it, and reads its metadata.
fn metadata(file: &str, path: &str) -> Value {
    let context = context();
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/seeds/");
    let text = fs_err::read_to_string(format!("{fixture}{file}")).unwrap();
    context.tool(path, text);
    let id = path.strip_suffix(".py").unwrap();
    context.data(&["show", id])["metadata"].clone()
}

#[test]
fn python_runtime() {
    assert_eq!(
        metadata("python_runtime.py", "runtimes/python_runtime.py"),
        json!({
            "name": "python_runtime",
            "version": "2.0.0",
            "tool_type": "runtime",
            "executor_id": "subprocess",
            "category": "runtimes",
            "description": "Declare environment needs",
            "config": {"command": "${RYE_PYTHON}", "args": [], "timeout": 300},
            "env_config": {
                "interpreter": {
                    "type": "venv_python",
                    "search": ["project", "user", "system"],
                    "var": "RYE_PYTHON",
                    "fallback": "python3",
                },
                "env": {"PYTHONUNBUFFERED": "1", "PROJECT_VENV_PYTHON": "${RYE_PYTHON}"},
            },
        })
    );
}

#[test]
fn node_runtime() {
    assert_eq!(
        metadata("node_runtime.py", "runtimes/node_runtime.py"),
        json!({
            "name": "node_runtime",
            "version": "1.0.0",
            "tool_type": "runtime",
            "executor_id": "subprocess",
            "category": "runtimes",
            "config": {"command": "${RYE_NODE}", "args": [], "timeout": 300},
            "env_config": {
                "interpreter": {
                    "type": "venv_node",
                    "search": ["project", "user", "system"],
                    "var": "RYE_NODE",
                    "fallback": "node",
                },
                "env": {"NODE_ENV": "production", "PROJECT_NODE_MODULES": "${PROJECT_NODE_MODULES}"},
            },
        })
    );
}

#[test]
fn mcp_http_runtime() {
    assert_eq!(
        metadata("mcp_http_runtime.py", "runtimes/mcp_http_runtime.py"),
        json!({
            "name": "mcp_http_runtime",
            "version": "1.0.0",
            "tool_type": "runtime",
            "executor_id": "http_client",
            "category": "runtimes",
            "config": {"method": "POST", "url": "${MCP_ENDPOINT}", "headers": "${MCP_HEADERS}", "timeout": 30},
            "env_config": {
                "http_client": {
                    "type": "http_config",
                    "timeout": 30,
                    "retries": 3,
                    "headers": {"Content-Type": "application/json", "User-Agent": "RYE/1.0"},
                },
            },
        })
    );
}

/// The seeds leave the type of these two out; an environment without a function to call
/// makes them runtimes of the subprocess primitive.
#[test]
fn deno_runtime() {
    assert_eq!(
        metadata("deno_runtime.py", "runtimes/deno_runtime.py"),
        json!({
            "name": "deno_runtime",
            "tool_type": "runtime",
            "executor_id": "primitives/subprocess",
            "category": "runtimes",
            "config": {"command": "${KIWI_DENO}", "args": ["run", "--allow-all"]},
            "env_config": {
                "interpreter": {"type": "system_binary", "binary": "deno", "var": "KIWI_DENO", "fallback": "deno"},
                "env": {"DENO_DIR": "${HOME}/.cache/deno"},
            },
        })
    );
}

#[test]
fn ruby_runtime() {
    assert_eq!(
        metadata("ruby_runtime.py", "runtimes/ruby_runtime.py"),
        json!({
            "name": "ruby_runtime",
            "tool_type": "runtime",
            "executor_id": "primitives/subprocess",
            "category": "runtimes",
            "config": {"command": "${KIWI_RUBY}", "args": []},
            "env_config": {
                "interpreter": {"type": "version_manager", "manager": "rbenv", "var": "KIWI_RUBY", "fallback": "ruby"},
                "env": {},
            },
        })
    );
}

#[test]
fn git_tool() {
    assert_eq!(
        metadata("git.py", "rye/capabilities/git.py"),
        json!({
            "name": "git",
            "tool_type": "python",
            "executor_id": "python_runtime",
            "category": "capabilities",
            "description": "Execute git command.",
            "entry": "main",
        })
    );
}

#[test]
fn the_git_tools_signature_is_its_schema() {
    let context = context();
    context.tool("git.py", include_str!("../../../../fixtures/seeds/git.py"));
    let tool = context.data(&["show", "git"]);
    assert_eq!(
        tool["input_schema"],
        json!({
            "type": "object",
            "properties": {"command": {"type": "string"}, "args": {"type": "array", "default": null}},
            "required": ["command"],
            "additionalProperties": false,
        })
    );
    let chain: Vec<&str> = tool["chain"]
        .as_array()
        .unwrap()
        .iter()
        .map(|link| link["id"].as_str().unwrap())
        .collect();
    assert_eq!(chain, ["git", "runtimes/python", "primitives/subprocess"]);
}

/// A tree in the way of RYE: its ids, its headers, its way of being called.
#[test]
fn a_rye_tree_is_understood() {
    let context = context();
    context.tool(
        "demo/hello.py",
        "# rye:signed:2026-01-01T00:00:00Z:abc:def:440443d0858f0199\n\"\"\"Says hello.\"\"\"\n__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n__executor_id__ = \"rye/core/runtimes/python_function_runtime\"\n__category__ = \"demo\"\n\ndef execute(params, project_path):\n    return {\"hello\": params.get(\"name\")}\n",
    );
    context.tool(
        "demo/list.yaml",
        "# rye:signed:2026-01-01T00:00:00Z:abc:def:440443d0858f0199\nversion: \"1.0.0\"\ntool_type: shell\nexecutor_id: rye/core/primitives/subprocess\ncategory: demo\ndescription: Lists files.\nconfig:\n  command: ls\n  args: [\"{project_path}\"]\n",
    );
    let hello = context.data(&["show", "demo/hello"]);
    assert_eq!(hello["metadata"]["description"], "Says hello.");
    assert_eq!(hello["metadata"]["entry"], "execute");
    assert_eq!(hello["input_schema"]["additionalProperties"], true);
    assert_eq!(
        hello["chain"].as_array().unwrap().last().unwrap()["id"],
        "primitives/subprocess"
    );
    let list = context.data(&["show", "demo/list"]);
    assert_eq!(list["metadata"]["description"], "Lists files.");
    assert_eq!(list["chain"][1]["id"], "primitives/subprocess");
}

/// A script in the way of Kiwi: dunder metadata, a signature line, its own argument parser.
#[test]
fn a_kiwi_script_is_understood() {
    let context = context();
    context.tool(
        "utility/count.py",
        "#!/usr/bin/env python3\n# kiwi-mcp:validated:2026-01-01T00:00:00Z:abcdef\n\"\"\"Counts lines.\"\"\"\nimport argparse\n\n__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n__executor_id__ = \"python_runtime\"\n__category__ = \"utility\"\n\nCONFIG_SCHEMA = {\n    \"type\": \"object\",\n    \"properties\": {\"path\": {\"type\": \"string\"}},\n    \"required\": [\"path\"],\n}\n\ndef main():\n    parser = argparse.ArgumentParser()\n\nif __name__ == \"__main__\":\n    main()\n",
    );
    let tool = context.data(&["show", "count"]);
    assert_eq!(tool["id"], "utility/count");
    assert_eq!(tool["input_schema"]["required"], json!(["path"]));
    assert!(
        tool["metadata"]["entry"].is_null(),
        "it parses its own arguments"
    );
}

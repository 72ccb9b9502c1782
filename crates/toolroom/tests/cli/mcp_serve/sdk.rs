//! The official clients, as they are released and as `scripts/install` installs them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use toolroom_test::{program, tool, tools};

use super::client::Client;
use super::http::Server;
use super::machine;

const TOOL: &str = r#"
"""Adds two numbers."""
def main(a: int, b: int) -> int:
    return a + b
"#;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/mcp")
        .join(name)
}

/// Lets a client script list and call tools over both transports.
fn drive(interpreter: &Path, script: &str, folder: &Path) {
    let context = machine();
    context.tool("math/add.py", TOOL);
    context.tool("fail.py", "def main():\n    raise ValueError('no')\n");
    let server = Server::start(&context, &["--no-auth"]);
    let url = format!("http://{}/mcp", server.address);
    let project = context.project().to_string_lossy().into_owned();
    for (kind, target) in [("stdio", project.as_str()), ("http", url.as_str())] {
        let output = Command::new(interpreter)
            .arg(fixture(script))
            .args([kind, env!("CARGO_BIN_EXE_toolroom"), target])
            .env("TOOLROOM_CLIENT_MODULES", folder)
            .env("TOOLROOM_USER_SPACE", context.home().join(".ai"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "{kind}: {said}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(said.trim(), "fail,math_add 5 true true", "{kind}");
    }
}

/// A Python with the official SDK: its environment, and the interpreter there.
fn python(home: &str) -> Option<(PathBuf, PathBuf)> {
    Some((tool(home)?, tool(&format!("{home}/bin/python"))?))
}

/// A package, and the Node of the conformance suite, or else the machine's.
fn node(package: &str) -> Option<(PathBuf, PathBuf)> {
    let newer = tools().join("conformance/node_modules/.bin/node");
    let node = newer.exists().then_some(newer).or_else(|| program("node"));
    let package = format!("mcp-node/node_modules/@modelcontextprotocol/{package}");
    Some((tool(&package)?, node?))
}

#[test]
fn the_python_client_lists_and_calls_tools() {
    if let Some((home, interpreter)) = python("mcp-python/current") {
        drive(&interpreter, "client.py", &home);
    }
}

#[test]
fn the_python_client_of_the_last_major_version_does_too() {
    if let Some((home, interpreter)) = python("mcp-python/older") {
        drive(&interpreter, "client.py", &home);
    }
}

#[test]
fn the_typescript_client_lists_and_calls_tools() {
    if let Some((home, interpreter)) = node("client") {
        drive(&interpreter, "client.mjs", &home);
    }
}

#[test]
fn the_typescript_client_of_the_last_major_version_does_too() {
    if let Some((home, interpreter)) = node("sdk") {
        drive(&interpreter, "client.mjs", &home);
    }
}

/// Some clients ask for one page and no more, so that there may be but one.
#[test]
fn clients_that_do_not_turn_pages_see_five_thousand_tools() {
    let context = machine();
    context.tool("math/add.py", TOOL);
    context.tool("fail.py", "def main():\n    raise ValueError('no')\n");
    for n in 0..5000 {
        context.tool(&format!("many/t{n}.sh"), "# One of many.\n");
    }
    let project = context.project().to_string_lossy().into_owned();
    for (found, script) in [
        (python("mcp-python/older"), "client.py"),
        (node("sdk"), "client.mjs"),
    ] {
        let Some((home, interpreter)) = found else {
            continue;
        };
        let output = Command::new(interpreter)
            .arg(fixture(script))
            .args(["stdio", env!("CARGO_BIN_EXE_toolroom"), &project])
            .env("TOOLROOM_CLIENT_MODULES", home)
            .env("TOOLROOM_USER_SPACE", context.home().join(".ai"))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let names = said.split(' ').next().unwrap();
        assert_eq!(names.split(',').count(), 5002, "{script}");
        assert!(said.trim().ends_with(" 5 true true"), "{script}");
    }
}

/// A server of theirs, whose tools become tools here.
fn of_theirs(home: &str) {
    let Some((_, python)) = python(home) else {
        return;
    };
    let context = machine();
    let (python, peer) = (python.to_string_lossy(), fixture("peer.py"));
    let new = ["--json", "new", "theirs", "--from-mcp"];
    let made = context
        .run(&[&new[..], &[&python, &peer.to_string_lossy()]].concat())
        .data();
    assert_eq!(made["tools"].as_array().unwrap().len(), 3, "{made}");
    assert_eq!(
        context.data(&["run", "theirs/add", "--a", "40"])["data"]["result"],
        42
    );
    let mut client = Client::start(&context, &[]);
    let mut call = |name: &str, arguments: Value| {
        client.modern("tools/call", json!({"name": name, "arguments": arguments}))
    };
    let added = call("theirs_add", json!({"a": 1, "b": 1}));
    assert_eq!(added["structuredContent"]["result"], 2, "{added}");
    assert_eq!(call("theirs_add", json!({"a": "x"}))["isError"], true);
    let failed = call("theirs_fail", json!({}));
    assert_eq!(failed["isError"], true);
    assert!(
        failed.to_string().contains("executing tool fail"),
        "{failed}"
    );
    let first = call("theirs_process", json!({}));
    let second = call("theirs_process", json!({}));
    assert_eq!(first["structuredContent"], second["structuredContent"]);
}

#[test]
fn a_server_of_the_python_sdk_is_called_and_kept() {
    of_theirs("mcp-python/current");
}

#[test]
fn a_server_of_the_python_sdk_of_the_last_major_version_is_too() {
    of_theirs("mcp-python/older");
}

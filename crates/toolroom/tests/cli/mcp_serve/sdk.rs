//! The official clients, as they are released and as `scripts/install` installs them.

use std::path::{Path, PathBuf};
use std::process::Command;

use toolroom_test::{program, tool, tools};

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

fn python(home: &str) {
    if let (Some(home), Some(python)) = (tool(home), tool(&format!("{home}/bin/python"))) {
        drive(&python, "client.py", &home);
    }
}

/// Lets a package be driven by the Node of the conformance suite, or else by the machine's.
fn node(package: &str) {
    let newer = tools().join("conformance/node_modules/.bin/node");
    let node = newer.exists().then_some(newer).or_else(|| program("node"));
    let package = tool(&format!(
        "mcp-node/node_modules/@modelcontextprotocol/{package}"
    ));
    if let (Some(node), Some(package)) = (node, package) {
        drive(&node, "client.mjs", &package);
    }
}

#[test]
fn the_python_client_lists_and_calls_tools() {
    python("mcp-python/current");
}

#[test]
fn the_python_client_of_the_last_major_version_does_too() {
    python("mcp-python/older");
}

#[test]
fn the_typescript_client_lists_and_calls_tools() {
    node("client");
}

#[test]
fn the_typescript_client_of_the_last_major_version_does_too() {
    node("sdk");
}

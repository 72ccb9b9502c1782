//! The official clients, as they are released. They are installed by `scripts/clients`
//! into `target/tools`; where they are missing the tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::http::Server;
use super::machine;

const TOOL: &str = r#"
"""Adds two numbers."""
def main(a: int, b: int) -> int:
    return a + b
"#;

fn tools() -> PathBuf {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools");
    std::env::var_os("TOOLROOM_TEST_TOOLS").map_or(default, PathBuf::from)
}

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/mcp")
        .join(name)
}

/// Lets a client script list and call tools over both transports.
fn drive(interpreter: &Path, script: &str, folder: &Path) {
    if !interpreter.is_file() || !folder.exists() {
        eprintln!(
            "skipped: {} is not installed; scripts/clients installs it",
            folder.display()
        );
        return;
    }
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

#[test]
fn the_python_client_lists_and_calls_tools() {
    let home = tools().join("mcp-python/current");
    drive(&home.join("bin/python"), "client.py", &home);
}

#[test]
fn the_python_client_of_the_last_major_version_does_too() {
    let home = tools().join("mcp-python/older");
    drive(&home.join("bin/python"), "client.py", &home);
}

fn node() -> PathBuf {
    let newer = tools().join("conformance/node_modules/.bin/node");
    if newer.exists() {
        newer
    } else {
        PathBuf::from("/usr/bin/node")
    }
}

#[test]
fn the_typescript_client_lists_and_calls_tools() {
    drive(
        &node(),
        "client.mjs",
        &tools().join("mcp-node/node_modules/@modelcontextprotocol/client"),
    );
}

#[test]
fn the_typescript_client_of_the_last_major_version_does_too() {
    drive(
        &node(),
        "client.mjs",
        &tools().join("mcp-node/node_modules/@modelcontextprotocol/sdk"),
    );
}

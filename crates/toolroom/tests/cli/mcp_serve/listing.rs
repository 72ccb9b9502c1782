//! `new --from-mcp`: a server is asked for its tools, and nothing of it stays.

use std::process::Stdio;
use std::time::{Duration, Instant};

use super::machine;

/// A server whose list of tools never ends.
const ENDLESS: &str = r#"
import json, sys
count = 0
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "initialize":
        version = asked["params"]["protocolVersion"]
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}
    elif asked["method"] == "tools/list":
        count += 1
        tools = [{"name": f"t{count}_{n}", "inputSchema": {"type": "object"}} for n in range(int(sys.argv[1]))]
        result = {"tools": tools, "nextCursor": str(count)}
    else:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}), flush=True)
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"#;

#[test]
fn a_list_without_an_end_is_not_followed() {
    let context = machine();
    let server = context.file("server.py", ENDLESS);
    let server = server.to_str().unwrap();
    for (size, counted) in [("0", "after 0 of them"), ("2500", "after 12500 of them")] {
        let new = ["--json", "new", "x", "--from-mcp", "python3", server, size];
        let error = context.run(&new).error();
        assert_eq!(error["code"], "mcp::not_a_server", "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(counted), "{message}");
    }
    assert!(!context.project().join(".ai/tools/x").exists());
}

/// Starts a child that has forgotten who started it, and says nothing.
#[cfg(target_os = "linux")]
const SILENT: &str = "setsid sleep 1000 & echo $! > left; sleep 1000";

/// The process that the silent server left, once it is there.
#[cfg(target_os = "linux")]
fn left(context: &toolroom_test::TestContext) -> std::path::PathBuf {
    let file = context.project().join("left");
    let begun = Instant::now();
    loop {
        let pid = fs_err::read_to_string(&file).unwrap_or_default();
        if pid.ends_with('\n') {
            return format!("/proc/{}", pid.trim()).into();
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "never started");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(target_os = "linux")]
fn ends(process: &std::path::Path) {
    let begun = Instant::now();
    while process.exists() {
        assert!(begun.elapsed() < Duration::from_secs(30), "it lives on");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_says_nothing_is_waited_for_no_longer_than_told() {
    let context = machine();
    let new = ["--json", "new", "x", "--timeout", "2", "--from-mcp"];
    let error = context
        .run(&[&new[..], &["sh", "-c", SILENT]].concat())
        .error();
    assert_eq!(error["code"], "mcp::timeout", "{error}");
    let message = error["message"].as_str().unwrap();
    assert_eq!(message, "sh: it did not list its tools within 2 seconds");
    ends(&left(&context));
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_all_that_was_started_to_ask() {
    let context = machine();
    let new = ["new", "x", "--from-mcp", "sh", "-c", SILENT];
    let mut child = context
        .command(&new)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let process = left(&context);
    let interrupt = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    child.wait().unwrap();
    ends(&process);
}

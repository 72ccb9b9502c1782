//! Work that takes its time: progress, cancellation, limits, tasks, and the end.

use std::time::{Duration, Instant};

use serde_json::json;

use super::client::Client;
use super::machine;

/// A tool that starts a child of its own and writes both process ids.
pub const FAMILY: &str = r#"
"""Never returns."""
import os, subprocess, time

def main(note: str):
    child = subprocess.Popen(["sleep", "1000"])
    with open(note + ".new", "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    os.rename(note + ".new", note)
    time.sleep(1000)
"#;

pub fn family(context: &toolroom_test::TestContext) -> Vec<u32> {
    noted(&context.root().join("note"))
}

/// The process ids in a note, once it is there.
pub fn noted(note: &std::path::Path) -> Vec<u32> {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) {
        if let Ok(text) = fs_err::read_to_string(note) {
            return text.split(' ').map(|pid| pid.parse().unwrap()).collect();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("the tool did not start");
}

pub fn is_alive(pid: u32) -> bool {
    let Ok(status) = fs_err::read_to_string(format!("/proc/{pid}/stat")) else {
        return false;
    };
    // A zombie that nobody has waited for is no life.
    !status.contains(") Z ")
}

pub fn wait_for_end(pids: &[u32], patience: Duration) -> bool {
    let begun = Instant::now();
    while pids.iter().any(|pid| is_alive(*pid)) {
        if begun.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    true
}

/// Stops its guard over and over, and has a daemon; writes all three process ids.
const STOPPER: &str = r#"
"""Never returns."""
import os, subprocess, time

def main(note: str):
    daemon = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    with open(note + ".new", "w") as file:
        file.write(f"{os.getpid()} {daemon.pid} {os.getppid()}")
    os.kill(os.getppid(), 19)
    os.rename(note + ".new", note)
    while True:
        os.kill(os.getppid(), 19)
        time.sleep(0.0001)
"#;

#[cfg(target_os = "linux")]
#[test]
fn a_tool_that_stops_its_guard_ends_with_its_time_and_with_the_servers_input() {
    for has_limit in [true, false] {
        let context = machine();
        let limit = if has_limit { 2 } else { 60 };
        let config = format!("\nCONFIG = {{'timeout': {limit}}}\n");
        context.tool("family.py", STOPPER.to_owned() + &config);
        let mut client = Client::start(&context, &[]);
        let note = context.root().join("note").to_string_lossy().into_owned();
        let params = json!({"name": "family", "arguments": {"note": note}});
        let id = client.send_modern("tools/call", params);
        let pids = family(&context);
        if has_limit {
            client.response(id);
        } else {
            let took = client.end();
            assert!(took < Duration::from_secs(8), "{took:?}");
        }
        assert!(
            wait_for_end(&pids, Duration::from_secs(1)),
            "{pids:?} live on"
        );
    }
}

fn start_family() -> (toolroom_test::TestContext, Client, i64, Vec<u32>) {
    let context = machine();
    context.tool("family.py", FAMILY);
    let mut client = Client::start(&context, &[]);
    let note = context.root().join("note").to_string_lossy().into_owned();
    let id = client.send_modern(
        "tools/call",
        json!({"name": "family", "arguments": {"note": note}}),
    );
    let pids = family(&context);
    (context, client, id, pids)
}

#[cfg(target_os = "linux")]
#[test]
fn a_cancelled_call_ends_its_whole_tree_and_is_not_answered() {
    let (_context, mut client, id, pids) = start_family();
    client.notify("notifications/cancelled", json!({"requestId": id}));
    assert!(
        wait_for_end(&pids, Duration::from_secs(8)),
        "{pids:?} live on"
    );
    let discover = client.send_modern("server/discover", json!({}));
    assert_eq!(client.next_response()["id"], discover);
}

#[cfg(target_os = "linux")]
#[test]
fn the_end_of_the_input_ends_everything_at_once() {
    let (_context, mut client, _, pids) = start_family();
    let took = client.end();
    assert!(took < Duration::from_millis(1000), "{took:?}");
    assert!(
        wait_for_end(&pids, Duration::from_secs(3)),
        "{pids:?} live on"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_is_killed_leaves_nothing_behind() {
    let (_context, mut client, _, pids) = start_family();
    client.child.kill().unwrap();
    client.child.wait().unwrap();
    assert!(
        wait_for_end(&pids, Duration::from_secs(5)),
        "{pids:?} live on"
    );
}

#[test]
fn a_tool_that_never_returns_is_ended_by_its_time_limit() {
    let context = machine();
    context.tool(
        "never.py",
        "import time\nCONFIG = {'timeout': 0.5}\ndef main():\n    time.sleep(1000)\n",
    );
    let mut client = Client::start(&context, &[]);
    let result = client.modern("tools/call", json!({"name": "never"}));
    assert_eq!(result["isError"], true);
    assert_eq!(result["_meta"]["toolroom/outcome"]["timed_out"], true);
}

#[test]
fn progress_is_told_only_to_those_who_ask() {
    let context = machine();
    context.tool(
        "steps.py",
        "import time, toolroom\ndef main():\n    for n in (1, 2, 2, 3):\n        toolroom.progress(n, 3, f'step {n}')\n        toolroom.log('warning', f'at {n}')\n        time.sleep(0.06)\n    return 'done'\n",
    );
    let mut client = Client::start(&context, &[]);
    client.modern("tools/call", json!({"name": "steps"}));
    assert_eq!(client.heard, Vec::<serde_json::Value>::new());
    let meta = json!({"progressToken": "p", "io.modelcontextprotocol/logLevel": "warning"});
    let id = client.send_with("tools/call", json!({"name": "steps"}), meta);
    client.response(id);
    let of = |method: &str| -> Vec<serde_json::Value> {
        client
            .heard
            .iter()
            .filter(|message| message["method"] == method)
            .map(|message| message["params"].clone())
            .collect()
    };
    let progress: Vec<f64> = of("notifications/progress")
        .iter()
        .map(|told| told["progress"].as_f64().unwrap())
        .collect();
    assert_eq!(progress, [1.0, 2.0, 3.0]);
    assert_eq!(of("notifications/message").len(), 4);
}

#[test]
fn a_tool_may_bound_how_many_of_its_calls_run_at_once() {
    let context = machine();
    context.tool("alone.py", "import time\nCONFIG = {'concurrency': 1}\ndef main():\n    began = time.time()\n    time.sleep(0.2)\n    return {'began': began, 'ended': time.time()}\n");
    let mut client = Client::start(&context, &[]);
    for _ in 0..3 {
        client.send_modern("tools/call", json!({"name": "alone"}));
    }
    let mut spans: Vec<(f64, f64)> = (0..3)
        .map(|_| {
            let result = client.next_response()["result"]["structuredContent"].clone();
            (
                result["began"].as_f64().unwrap(),
                result["ended"].as_f64().unwrap(),
            )
        })
        .collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(
        spans.windows(2).all(|pair| pair[0].1 <= pair[1].0),
        "{spans:?}"
    );
}

#[test]
fn a_long_call_is_a_task_for_clients_that_know_them() {
    let context = machine();
    context.tool("slow.py", "import time\nCONFIG = {'task': 'optional'}\ndef main(seconds: float):\n    time.sleep(seconds)\n    return 'done'\n");
    let mut client = Client::start(&context, &[]);
    let call = |seconds: f64| json!({"name": "slow", "arguments": {"seconds": seconds}});
    assert_eq!(
        client.modern("tools/call", call(0.0))["content"][0]["text"],
        "done"
    );
    client.able(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}));
    let task = client.modern("tools/call", call(0.2));
    assert_eq!(task["resultType"], "task");
    let begun = Instant::now();
    loop {
        let now = client.modern("tasks/get", json!({"taskId": task["taskId"]}));
        if now["status"] == "completed" {
            assert_eq!(now["result"]["content"][0]["text"], "done");
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{now}");
        std::thread::sleep(Duration::from_millis(50));
    }
    let task = client.modern("tools/call", call(1000.0));
    client.modern("tasks/cancel", json!({"taskId": task["taskId"]}));
    std::thread::sleep(Duration::from_millis(100));
    let ended = client.modern("tasks/get", json!({"taskId": task["taskId"]}));
    assert_eq!(ended["status"], "cancelled");
}

#[cfg(target_os = "linux")]
#[test]
fn a_cancelled_task_ends_its_whole_tree() {
    let context = machine();
    context.tool(
        "family.py",
        format!("CONFIG = {{'task': 'required'}}\n{FAMILY}"),
    );
    let mut client = Client::start(&context, &[]);
    let note = context.root().join("note").to_string_lossy().into_owned();
    let call = json!({"name": "family", "arguments": {"note": note}});
    let refused = client.modern_error("tools/call", call.clone());
    assert_eq!(refused["code"], -32021, "{refused}");
    client.able(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}));
    let task = client.modern("tools/call", call);
    let pids = family(&context);
    client.modern("tasks/cancel", json!({"taskId": task["taskId"]}));
    assert!(
        wait_for_end(&pids, Duration::from_secs(8)),
        "{pids:?} live on"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_task_ends_with_the_input() {
    let context = machine();
    context.tool(
        "family.py",
        format!("CONFIG = {{'task': 'optional'}}\n{FAMILY}"),
    );
    let mut client = Client::start(&context, &[]);
    client.able(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}));
    let note = context.root().join("note").to_string_lossy().into_owned();
    client.modern(
        "tools/call",
        json!({"name": "family", "arguments": {"note": note}}),
    );
    let pids = family(&context);
    client.end();
    assert!(
        wait_for_end(&pids, Duration::from_secs(5)),
        "{pids:?} live on"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_is_told_to_end_leaves_nothing_behind() {
    for signal in ["-TERM", "-INT", "-HUP"] {
        let (_context, mut client, _, pids) = start_family();
        let sent = std::process::Command::new("kill")
            .args([signal, &client.child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
        client.child.wait().unwrap();
        assert!(
            wait_for_end(&pids, Duration::from_secs(5)),
            "{signal}: {pids:?} live on"
        );
    }
}

#[test]
fn a_silent_tool_is_known_to_be_alive() {
    let context = machine();
    context.tool(
        "quiet.py",
        "import time\ndef main():\n    time.sleep(11)\n    return 'done'\n",
    );
    let mut client = Client::start(&context, &[]);
    let meta = json!({"progressToken": "p"});
    let id = client.send_with("tools/call", json!({"name": "quiet"}), meta);
    let beat = client.hear("notifications/progress");
    assert_eq!(beat["params"]["progressToken"], "p");
    let message = beat["params"]["message"].as_str().unwrap();
    assert!(message.contains("still running"), "{message}");
    assert_eq!(client.response(id)["result"]["content"][0]["text"], "done");
}

#[test]
fn all_tools_together_may_run_so_many_calls_and_the_others_wait() {
    let context = machine();
    context.file("toolroom.toml", "[mcp]\nconcurrency = 1\n");
    let body = "import time\ndef main():\n    began = time.time()\n    time.sleep(0.2)\n    return {'began': began, 'ended': time.time()}\n";
    context.tool("one.py", body);
    context.tool("two.py", body);
    let mut client = Client::start(&context, &[]);
    for name in ["one", "two", "one", "two"] {
        client.send_modern("tools/call", json!({"name": name}));
    }
    let mut spans: Vec<(f64, f64)> = (0..4)
        .map(|_| {
            let span = client.next_response()["result"]["structuredContent"].clone();
            (
                span["began"].as_f64().unwrap(),
                span["ended"].as_f64().unwrap(),
            )
        })
        .collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(
        spans.windows(2).all(|pair| pair[0].1 <= pair[1].0),
        "{spans:?}"
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_call_that_waits_for_its_turn_can_be_cancelled() {
    let context = machine();
    context.file("toolroom.toml", "[mcp]\nconcurrency = 1\n");
    context.tool("family.py", FAMILY);
    context.tool("next.py", "def main(): return 'next'\n");
    let mut client = Client::start(&context, &[]);
    let note = context.root().join("note").to_string_lossy().into_owned();
    let first = client.send_modern(
        "tools/call",
        json!({"name": "family", "arguments": {"note": note}}),
    );
    family(&context);
    let second = client.send_modern("tools/call", json!({"name": "next"}));
    let third = client.send_modern("tools/call", json!({"name": "next"}));
    client.notify("notifications/cancelled", json!({"requestId": second}));
    client.notify("notifications/cancelled", json!({"requestId": first}));
    assert_eq!(
        client.response(third)["result"]["content"][0]["text"],
        "next"
    );
}

#[test]
fn a_launcher_of_node_waits_for_a_call_that_comes_later() {
    let Some(_) = toolroom_test::program("node") else {
        return;
    };
    let context = machine();
    context.tool(
        "born.mjs",
        "export function main() { return performance.timeOrigin; }\n",
    );
    let mut client = Client::start(&context, &[]);
    for _ in 0..40 {
        let sent = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap();
        let result = client.modern("tools/call", json!({"name": "born"}));
        assert_eq!(result["isError"], false, "{result}");
        let born: f64 = result["content"][0]["text"]
            .as_str()
            .and_then(|text| text.parse().ok())
            .unwrap();
        if born < sent.as_secs_f64() * 1000.0 {
            return;
        }
        std::thread::sleep(Duration::from_millis(250));
    }
    panic!("no launcher was there before its call");
}

//! Other servers, kept between the calls of their tools.

#![cfg(target_os = "linux")]

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolroom_test::TestContext;

use super::client::Client;
use super::long::{is_alive, wait_for_end};
use super::machine;

fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/mcp/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Where servers leave their process ids.
fn folder(context: &TestContext) -> PathBuf {
    let folder = context.root().join("started");
    fs_err::create_dir_all(&folder).unwrap();
    folder
}

fn started(context: &TestContext) -> Vec<u32> {
    let files = fs_err::read_dir(folder(context)).unwrap();
    files
        .map(|file| file.unwrap().file_name().to_string_lossy().parse().unwrap())
        .collect()
}

/// A tool of the server that knows only lines.
fn tool(context: &TestContext, id: &str, name: &str, more: &Value) {
    let mut config = json!({"command": "python3", "args": [fixture("server.py"), folder(context)], "tool": name});
    for (key, value) in more.as_object().unwrap() {
        config[key] = value.clone();
    }
    context.tool(&format!("{id}.yaml"), format!("tool_type: mcp\nexecutor_id: mcp_stdio_runtime\ndescription: Elsewhere.\nconfig: {config}\n"));
}

fn call(client: &mut Client, name: &str) -> Value {
    client.modern("tools/call", json!({"name": name, "arguments": {}}))
}

fn told(client: &mut Client, name: &str) -> Value {
    let result = call(client, name);
    assert_eq!(result["isError"], false, "{result}");
    result["structuredContent"].clone()
}

fn pid(told: &Value) -> u32 {
    u32::try_from(told["pid"].as_u64().unwrap()).unwrap()
}

fn kill(pid: u32) {
    let status = Command::new("kill").args(["-9", &pid.to_string()]).status();
    assert!(status.unwrap().success());
    assert!(wait_for_end(&[pid], Duration::from_secs(5)));
}

#[test]
fn calls_share_one_server_and_nothing_of_it_is_left_at_the_end() {
    let context = machine();
    tool(&context, "count", "count", &json!({}));
    let mut client = Client::start(&context, &[]);
    for _ in 0..20 {
        client.send_modern("tools/call", json!({"name": "count", "arguments": {}}));
    }
    let mut counts: Vec<u64> = (0..20)
        .map(|_| {
            let told = client.next_response()["result"]["structuredContent"].clone();
            told["calls"].as_u64().unwrap_or_else(|| panic!("{told}"))
        })
        .collect();
    counts.sort_unstable();
    assert_eq!(counts, (1..=20).collect::<Vec<u64>>());
    let pids = started(&context);
    assert_eq!(pids.len(), 1, "{pids:?}");
    client.end();
    assert!(wait_for_end(&pids, Duration::from_secs(5)), "{pids:?}");
}

#[test]
fn a_server_of_a_killed_server_ends_too() {
    let context = machine();
    tool(&context, "count", "count", &json!({}));
    let mut client = Client::start(&context, &[]);
    let pid = pid(&told(&mut client, "count"));
    client.child.kill().unwrap();
    client.child.wait().unwrap();
    assert!(wait_for_end(&[pid], Duration::from_secs(5)));
}

#[test]
fn a_server_that_died_is_started_again_by_the_next_call() {
    let context = machine();
    tool(&context, "count", "count", &json!({}));
    let mut client = Client::start(&context, &[]);
    let first = pid(&told(&mut client, "count"));
    for _ in 0..3 {
        let before = pid(&told(&mut client, "count"));
        kill(before);
        let after = told(&mut client, "count");
        assert_ne!(pid(&after), before);
        assert_eq!(after["calls"], 1);
    }
    assert!(!is_alive(first));
}

#[test]
fn a_server_that_dies_in_a_call_is_told_with_its_last_words() {
    let context = machine();
    tool(&context, "die", "die", &json!({}));
    tool(&context, "count", "count", &json!({}));
    let mut client = Client::start(&context, &[]);
    assert_eq!(told(&mut client, "count")["calls"], 1);
    let result = call(&mut client, "die");
    assert_eq!(result["isError"], true);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("ended with status 3"), "{text}");
    assert!(text.contains("out of paper"), "{text}");
    assert_eq!(started(&context).len(), 1, "it was not called twice");
    assert_eq!(told(&mut client, "count")["calls"], 1);
}

#[test]
fn a_server_that_cannot_start_is_told_with_its_last_words() {
    let context = machine();
    context.tool("broken.yaml", "tool_type: mcp\nexecutor_id: mcp_stdio_runtime\ndescription: Broken.\nconfig: {command: python3, args: [-c, \"import sys; sys.exit('no licence')\"]}\n");
    context.tool("absent.yaml", "tool_type: mcp\nexecutor_id: mcp_stdio_runtime\ndescription: Absent.\nconfig: {command: /no/such/server}\n");
    let mut client = Client::start(&context, &[]);
    for (name, wanted) in [("broken", "no licence"), ("absent", "/no/such/server")] {
        let result = call(&mut client, name);
        assert_eq!(result["isError"], true);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(wanted), "{text}");
    }
}

#[test]
fn a_server_that_never_answers_costs_a_call_its_time_and_no_more() {
    let context = machine();
    context.tool("mute.yaml", "tool_type: mcp\nexecutor_id: mcp_stdio_runtime\ndescription: Mute.\nconfig: {command: bash, args: [-c, \"echo $$$$ > pid; sleep 1000\"], timeout: 1}\n");
    let mut client = Client::start(&context, &[]);
    let result = call(&mut client, "mute");
    assert_eq!(
        result["_meta"]["toolroom/outcome"]["timed_out"], true,
        "{result}"
    );
    let pid = fs_err::read_to_string(context.project().join("pid")).unwrap();
    let pid: u32 = pid.trim().parse().unwrap_or_else(|_| panic!("{pid}"));
    assert!(wait_for_end(&[pid], Duration::from_secs(5)));
}

#[test]
fn another_environment_is_another_server() {
    let context = machine();
    tool(&context, "one", "count", &json!({"env": {"MARK": "one"}}));
    tool(&context, "two", "count", &json!({"env": {"MARK": "two"}}));
    let mut client = Client::start(&context, &[]);
    for (name, calls) in [("one", 1), ("two", 1), ("one", 2), ("two", 2)] {
        let told = told(&mut client, name);
        assert_eq!(told["mark"], name);
        assert_eq!(told["calls"], calls, "{told}");
    }
}

#[test]
fn a_call_that_is_given_up_ends_a_server_that_does_nothing_else() {
    let context = machine();
    tool(&context, "sleep", "sleep", &json!({}));
    tool(&context, "short", "sleep", &json!({"timeout": 0.5}));
    tool(&context, "count", "count", &json!({}));
    let mut client = Client::start(&context, &[]);
    let first = pid(&told(&mut client, "count"));
    let id = client.send_modern("tools/call", json!({"name": "sleep", "arguments": {}}));
    std::thread::sleep(Duration::from_millis(200));
    client.notify("notifications/cancelled", json!({"requestId": id}));
    assert!(wait_for_end(&[first], Duration::from_secs(8)));
    let second = pid(&told(&mut client, "count"));
    assert_ne!(first, second);
    let result = call(&mut client, "short");
    assert_eq!(result["_meta"]["toolroom/outcome"]["timed_out"], true);
    assert!(wait_for_end(&[second], Duration::from_secs(8)));
}

#[test]
fn a_server_that_nobody_calls_is_not_kept_for_ever() {
    let context = machine();
    tool(&context, "count", "count", &json!({}));
    context.file("toolroom.toml", "[mcp]\nkeep_servers = 1\n");
    let mut client = Client::start(&context, &[]);
    let first = pid(&told(&mut client, "count"));
    assert!(wait_for_end(&[first], Duration::from_secs(20)));
    assert_ne!(pid(&told(&mut client, "count")), first);
    context.file("toolroom.toml", "[mcp]\nkeep_servers = 0\n");
    let mut client = Client::start(&context, &[]);
    for _ in 0..2 {
        let told = told(&mut client, "count");
        assert_eq!(told["calls"], 1);
        assert!(wait_for_end(&[pid(&told)], Duration::from_secs(20)));
    }
}

#[test]
fn only_so_many_servers_are_kept() {
    const KEPT: usize = 16;
    let context = machine();
    for n in 0..=KEPT {
        tool(
            &context,
            &format!("t{n}"),
            "count",
            &json!({"env": {"MARK": n.to_string()}}),
        );
    }
    let mut client = Client::start(&context, &[]);
    let pids: Vec<u32> = (0..=KEPT)
        .map(|n| pid(&told(&mut client, &format!("t{n}"))))
        .collect();
    assert!(
        wait_for_end(&pids[..1], Duration::from_secs(10)),
        "the longest unused one goes"
    );
    assert!(pids[1..].iter().all(|pid| is_alive(*pid)));
}

#[test]
fn what_a_server_started_itself_ends_with_it() {
    let context = machine();
    let note = context.root().join("grandchild");
    let script = format!(
        "sleep 1000 & echo $! > {}; exec python3 {} {}",
        note.display(),
        fixture("server.py"),
        folder(&context).display()
    );
    let config = json!({"command": "bash", "args": ["-c", script], "tool": "count"});
    context.tool("count.yaml", format!("tool_type: mcp\nexecutor_id: mcp_stdio_runtime\ndescription: Elsewhere.\nconfig: {config}\n").replace("$!", "$$!"));
    let mut client = Client::start(&context, &[]);
    told(&mut client, "count");
    let grandchild: u32 = fs_err::read_to_string(note)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    assert!(is_alive(grandchild));
    client.end();
    assert!(wait_for_end(&[grandchild], Duration::from_secs(5)));
}

struct Http(Child);

impl Http {
    fn start(port: u16) -> Self {
        let mut server = Self::ready(port);
        server.listen();
        server
    }

    /// One that listens the moment it is told to, however busy the machine is.
    fn ready(port: u16) -> Self {
        let mut child = Command::new("python3")
            .args([fixture("http_server.py"), port.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = [0; 6];
        let stdout = child.stdout.as_mut().unwrap();
        stdout.read_exact(&mut said).unwrap();
        assert_eq!(&said, b"ready\n");
        Self(child)
    }

    fn listen(&mut self) {
        self.0.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

#[test]
fn a_server_over_http_is_greeted_once_and_its_connection_used_again() {
    let context = machine();
    let port = free_port();
    context.tool("far.yaml", format!("tool_type: mcp\nexecutor_id: mcp_http_runtime\ndescription: Far.\nconfig: {{url: \"http://127.0.0.1:{port}/mcp\"}}\n"));
    let mut server = Http::ready(port);
    let mut client = Client::start(&context, &[]);
    // The call comes first: it is tried until the server is there.
    let id = client.send_modern("tools/call", json!({"name": "far", "arguments": {}}));
    std::thread::sleep(Duration::from_millis(150));
    server.listen();
    let first = client.response(id)["result"]["structuredContent"].clone();
    assert_eq!(first["greeted"], 1, "{first}");
    for _ in 0..3 {
        let next = told(&mut client, "far");
        assert_eq!(next["greeted"], 1, "{next}");
        assert_eq!(next["connection"], first["connection"], "{next}");
    }
    drop(server);
    assert_eq!(call(&mut client, "far")["isError"], true);
    let again = Http::start(port);
    let begun = Instant::now();
    let after = loop {
        let result = call(&mut client, "far");
        if result["isError"] == false {
            break result["structuredContent"].clone();
        }
        assert!(begun.elapsed() < Duration::from_secs(20), "{result}");
    };
    assert_eq!(after["pid"].as_u64(), Some(u64::from(again.0.id())));
    assert_eq!(after["greeted"], 1, "{after}");
}

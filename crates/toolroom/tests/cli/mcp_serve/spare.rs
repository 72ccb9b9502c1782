//! Launchers that wait for calls: each call has a process of its own, started before it.

use std::time::Duration;

use serde_json::{Value, json};
#[cfg(target_os = "linux")]
use toolroom_test::TestContext;

use super::client::Client;
use super::machine;

/// Tells its process, how long that has been there, and one of its variables.
const TOOL: &str = "import os, time\n\
    def main():\n\
    \x20   ticks = int(open('/proc/self/stat').read().rsplit(')', 1)[1].split()[19])\n\
    \x20   up = float(open('/proc/uptime').read().split()[0])\n\
    \x20   age = up - ticks / os.sysconf('SC_CLK_TCK')\n\
    \x20   return {'pid': os.getpid(), 'age': age, 'level': os.environ.get('LEVEL')}\n";

fn call(client: &mut Client, name: &str) -> Value {
    let result = client.modern("tools/call", json!({"name": name, "arguments": {}}));
    assert_ne!(result["isError"], true, "{result}");
    result["structuredContent"].clone()
}

fn age(called: &Value) -> f64 {
    called["age"].as_f64().unwrap()
}

/// Calls until a process answers that was there for a while.
fn call_spare(client: &mut Client) -> Value {
    for _ in 0..20 {
        std::thread::sleep(Duration::from_millis(1200));
        let called = call(client, "t");
        if age(&called) > 1.0 {
            return called;
        }
    }
    panic!("no launcher waited for a call");
}

#[cfg(target_os = "linux")]
#[test]
fn a_call_finds_a_process_that_was_started_for_it_and_never_one_that_was_used() {
    let context = machine();
    context.tool("t.py", TOOL);
    context.file(".env", "LEVEL=one\n");
    let mut client = Client::start(&context, &[]);
    let first = call(&mut client, "t");
    let second = call_spare(&mut client);
    assert_ne!(first["pid"], second["pid"]);
    assert_eq!(second["level"], "one");
    // A launcher that waits was started with what held then.
    context.file(".env", "LEVEL=two\n");
    let third = call(&mut client, "t");
    assert_eq!(third["level"], "two");
    let fourth = call_spare(&mut client);
    assert_eq!(fourth["level"], "two");
    let pids = [&first, &second, &third, &fourth].map(|called| called["pid"].as_i64());
    assert!(
        pids.iter()
            .enumerate()
            .all(|(n, pid)| !pids[..n].contains(pid))
    );
}

/// The launchers of this context's own cache that run now.
#[cfg(target_os = "linux")]
fn launchers(context: &TestContext) -> Vec<u32> {
    let home = context.home().to_str().unwrap().to_owned();
    let processes = fs_err::read_dir("/proc").unwrap().flatten();
    let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|pid| {
        let command = fs_err::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let command = String::from_utf8_lossy(&command);
        command.contains(&home) && command.contains("call.py")
    })
    .collect()
}

#[cfg(target_os = "linux")]
fn waiting_launcher(context: &TestContext) -> u32 {
    for _ in 0..500 {
        if let [pid] = launchers(context)[..] {
            return pid;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("no launcher waits for a call");
}

#[cfg(target_os = "linux")]
fn signal(pid: u32, name: &str) {
    let sent = std::process::Command::new("kill")
        .args([format!("-{name}"), pid.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

#[cfg(target_os = "linux")]
#[test]
fn a_launcher_that_dies_before_it_takes_its_call_costs_nobody_anything() {
    let context = machine();
    context.tool("t.py", TOOL);
    let mut client = Client::start(&context, &[]);
    call(&mut client, "t");
    let spare = waiting_launcher(&context);
    // It is there and can read nothing: the call lies before it when it dies.
    signal(spare, "STOP");
    while !fs_err::read_to_string(format!("/proc/{spare}/stat"))
        .unwrap()
        .contains(") T ")
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    let id = client.send_modern("tools/call", json!({"name": "t", "arguments": {}}));
    std::thread::sleep(Duration::from_millis(500));
    signal(spare, "KILL");
    let answer = client.response(id);
    let called = &answer["result"]["structuredContent"];
    assert!(called["pid"].is_i64(), "{answer}");
    assert_ne!(called["pid"], json!(spare));
}

#[cfg(target_os = "linux")]
#[test]
fn a_tool_that_dies_in_a_launcher_that_waited_is_not_run_again() {
    let context = machine();
    context.tool(
        "t.py",
        "import os\n\
         def main(end=False):\n\
         \x20   with open('runs', 'a') as runs: runs.write('x')\n\
         \x20   if end: os.kill(os.getpid(), 9)\n",
    );
    let mut client = Client::start(&context, &[]);
    client.modern("tools/call", json!({"name": "t", "arguments": {}}));
    let spare = waiting_launcher(&context);
    let result = client.modern(
        "tools/call",
        json!({"name": "t", "arguments": {"end": true}}),
    );
    assert_eq!(result["isError"], true, "{result}");
    let runs = context.project().join("runs");
    assert_eq!(fs_err::read_to_string(runs).unwrap(), "xx", "{spare}");
}

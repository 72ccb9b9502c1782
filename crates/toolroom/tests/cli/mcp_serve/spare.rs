//! Launchers that wait for calls: each call has a process of its own, started before it.

use std::time::Duration;

use serde_json::{Value, json};

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

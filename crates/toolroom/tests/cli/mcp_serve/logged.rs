//! The log of runs has the calls of agents as well.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolroom_test::TestContext;

use super::client::Client;
use super::long::{FAMILY, family};
use super::{echo, machine};

/// The newest runs, once there are as many: an answer may be read before a task's line.
fn runs(context: &TestContext, count: usize) -> Vec<Value> {
    let begun = Instant::now();
    loop {
        let runs = context.data(&["runs"])["runs"].as_array().unwrap().clone();
        if runs.len() >= count || begun.elapsed() > Duration::from_secs(10) {
            assert_eq!(runs.len(), count, "{runs:?}");
            return runs;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_call_is_logged_as_a_run_of_the_command_line_is() {
    let context = machine();
    echo(&context);
    context.run(&["run", "echo", "--value", "hunter1"]);
    let mut client = Client::start(&context, &[]);
    let arguments = json!({"value": "hunter2"});
    client.modern(
        "tools/call",
        json!({"name": "echo", "arguments": arguments}),
    );
    // Nothing ran here, and so nothing is logged, as at the command line.
    let wrong = json!({"name": "echo", "arguments": {"valeu": "hunter3"}});
    assert_eq!(client.modern("tools/call", wrong)["isError"], true);
    let runs = runs(&context, 2);
    let (by_agent, by_hand) = (&runs[0], &runs[1]);
    assert_eq!(by_agent["caller"], "mcp");
    assert_eq!(by_hand["caller"], "cli");
    for same in ["tool", "status", "exit_code", "arguments", "chain"] {
        assert_eq!(by_agent[same], by_hand[same], "{same}");
    }
    assert!(by_agent["started_ms"].as_u64() >= by_hand["started_ms"].as_u64());
    let file = context.home().join(".local/state/toolroom/runs.jsonl");
    let log = fs_err::read_to_string(file).unwrap();
    assert!(!log.contains("hunter"), "{log}");
    let shown = context.run(&["runs"]).stdout;
    assert_eq!(shown.matches("by mcp").count(), 1, "{shown}");
}

#[test]
fn what_a_dotenv_file_may_not_set_is_told_once_and_not_with_every_call() {
    let context = machine();
    echo(&context);
    context.file(".env", "LD_PRELOAD=hunter2\n");
    let mut client = Client::start(&context, &[]);
    for _ in 0..2 {
        client.modern("tools/call", json!({"name": "echo"}));
    }
    let (_, said) = client.finish();
    assert_eq!(said.matches("refused: LD_PRELOAD").count(), 1, "{said}");
    assert!(
        said.contains(".env:1") && !said.contains("hunter2"),
        "{said}"
    );
}

#[test]
fn a_project_that_wants_no_log_has_none_of_its_calls_either() {
    let context = machine();
    echo(&context);
    context.file("toolroom.toml", "[runs]\nlog = false\n");
    let mut client = Client::start(&context, &[]);
    client.modern("tools/call", json!({"name": "echo"}));
    runs(&context, 0);
}

#[test]
fn calls_through_meta_and_tasks_are_logged_by_the_id_of_the_tool() {
    let context = machine();
    echo(&context);
    context.tool(
        "slow/job.py",
        "CONFIG = {'task': 'optional'}\ndef main(n: int): return n\n",
    );
    let mut meta = Client::start(&context, &["--meta"]);
    let asked = json!({"id": "echo", "arguments": {"value": 1}});
    meta.modern("tools/call", json!({"name": "run", "arguments": asked}));
    meta.modern(
        "tools/call",
        json!({"name": "show", "arguments": {"id": "echo"}}),
    );
    assert_eq!(runs(&context, 1)[0]["arguments"], json!(["value"]));
    let mut client = Client::start(&context, &[]);
    client.able(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}));
    let call = json!({"name": "slow_job", "arguments": {"n": 1}});
    assert_eq!(client.modern("tools/call", call)["resultType"], "task");
    let runs = runs(&context, 2);
    assert_eq!(runs[0]["tool"], "slow/job");
    assert_eq!(runs[0]["status"], "success");
}

#[test]
fn a_call_that_fails_or_takes_too_long_is_logged_as_that() {
    let context = machine();
    context.tool("fails.sh", "echo oh >&2\nexit 3\n");
    context.tool(
        "never.py",
        "import time\nCONFIG = {'timeout': 0.5}\ndef main():\n    time.sleep(1000)\n",
    );
    let mut client = Client::start(&context, &[]);
    client.modern("tools/call", json!({"name": "fails"}));
    client.modern("tools/call", json!({"name": "never"}));
    let runs = runs(&context, 2);
    assert_eq!(runs[0]["status"], "timeout");
    assert!(runs[0]["duration_ms"].as_u64() >= Some(500), "{}", runs[0]);
    assert_eq!(runs[1]["status"], "error");
    assert_eq!(runs[1]["exit_code"], 3);
    assert_eq!(runs[1]["stderr_bytes"], 3);
}

#[cfg(target_os = "linux")]
#[test]
fn a_call_that_is_given_up_is_logged_however_that_comes() {
    type Way = (&'static str, fn(&mut Client, i64));
    let ways: [Way; 3] = [
        ("by its client", |client, id| {
            client.notify("notifications/cancelled", json!({"requestId": id}));
        }),
        ("by the end of the input", |client, _| {
            client.end();
        }),
        ("by a signal", |client, _| {
            let pid = client.child.id().to_string();
            let sent = std::process::Command::new("kill").arg(pid).status();
            assert!(sent.unwrap().success());
        }),
    ];
    for (way, give_up) in ways {
        let context = machine();
        context.tool("family.py", FAMILY);
        let mut client = Client::start(&context, &[]);
        let note = context.root().join("note").to_string_lossy().into_owned();
        let call = json!({"name": "family", "arguments": {"note": note}});
        let id = client.send_modern("tools/call", call);
        family(&context);
        give_up(&mut client, id);
        let run = runs(&context, 1).remove(0);
        assert_eq!(run["status"], "cancelled", "{way}: {run}");
        assert_eq!(run["arguments"], json!(["note"]), "{way}");
        assert_eq!(run["caller"], "mcp", "{way}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_task_that_is_cancelled_is_logged() {
    let context = machine();
    context.tool(
        "family.py",
        format!("CONFIG = {{'task': 'optional'}}\n{FAMILY}"),
    );
    let mut client = Client::start(&context, &[]);
    client.able(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}));
    let note = context.root().join("note").to_string_lossy().into_owned();
    let call = json!({"name": "family", "arguments": {"note": note}});
    let task = client.modern("tools/call", call)["taskId"].clone();
    family(&context);
    client.modern("tasks/cancel", json!({"taskId": task}));
    assert_eq!(runs(&context, 1)[0]["status"], "cancelled");
}

#[test]
fn a_hundred_calls_of_several_servers_are_a_hundred_lines() {
    let context = machine();
    context.tool("t.sh", "true\n");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut client = Client::start(&context, &[]);
                for _ in 0..25 {
                    client.send_modern("tools/call", json!({"name": "t"}));
                }
                for _ in 0..25 {
                    client.next_response();
                }
            });
        }
    });
    let file = context.home().join(".local/state/toolroom/runs.jsonl");
    let log = fs_err::read_to_string(file).unwrap();
    let whole = |line: &&str| serde_json::from_str::<Value>(line).is_ok();
    assert_eq!(log.lines().filter(whole).count(), 100);
}

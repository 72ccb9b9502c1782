//! How a run ends: statuses, signals, time, limits, and nothing left behind.

use super::machine;

#[test]
fn a_timeout_is_124_and_keeps_what_was_printed() {
    let context = machine();
    context.tool("slow.sh", "echo begun\nsleep 60\n");
    let output = context.run(&["run", "slow", "--timeout", "0.5", "--json"]);
    assert_eq!(output.status, 124);
    let data = output.data();
    assert_eq!(data["status"], "timeout");
    assert_eq!(data["timed_out"], true);
    assert_eq!(data["stdout"], "begun\n");
    assert!(data["duration_ms"].as_u64().unwrap() < 20_000);
}

#[test]
fn a_scripts_own_status_is_ours() {
    let context = machine();
    context.tool("fail.sh", "echo so far\nexit 7\n");
    let output = context.run(&["run", "fail"]);
    assert_eq!(output.status, 7);
    assert_eq!(output.stdout, "so far\n");
    context.tool("killed.sh", "kill -9 $$\n");
    let output = context.run(&["run", "killed", "--json"]);
    assert_eq!(output.status, 137);
    assert_eq!(output.data()["signal"], 9);
}

#[test]
fn an_interrupt_ends_the_tree_and_is_130() {
    let context = machine();
    let pids = context.project().join("pids");
    context.tool(
        "slow.sh",
        format!(
            "sleep 61 & echo $! > '{0}'; echo $$ >> '{0}'; wait\n",
            pids.display()
        ),
    );
    let mut child = context.command(&["run", "slow"]).spawn().unwrap();
    let started = std::time::Instant::now();
    while fs_err::read_to_string(&pids)
        .unwrap_or_default()
        .lines()
        .count()
        < 2
    {
        assert!(started.elapsed().as_secs() < 20, "the tool did not start");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let interrupt = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupt.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    for pid in fs_err::read_to_string(&pids).unwrap().lines() {
        let stat = fs_err::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(
            stat.is_empty() || stat.contains(") Z "),
            "{pid} is still running"
        );
    }
}

#[test]
fn a_tool_that_will_not_end_is_ended_soon() {
    let context = machine();
    let source = "trap '' TERM\nwhile :; do sleep 0.1; done\n";
    context.tool("stubborn.sh", source);
    let data = context
        .run(&["run", "stubborn", "--timeout", "1", "--json"])
        .data();
    assert_eq!(data["status"], "timeout");
    assert!(data["duration_ms"].as_u64().unwrap() < 4000, "{data}");
    context.tool(
        "hasty.sh",
        format!("# ---\n# config: {{timeout: 0.2, grace: 0.1}}\n# ---\n{source}"),
    );
    let data = context.run(&["run", "hasty", "--json"]).data();
    assert_eq!(data["status"], "timeout");
    assert!(data["duration_ms"].as_u64().unwrap() < 3000, "{data}");
}

#[test]
fn a_limit_that_does_not_exist_is_named() {
    let context = machine();
    context.tool(
        "l.sh",
        "# ---\n# config: {limits: {procs: 5}}\n# ---\numask\n",
    );
    let error = context.error(&["run", "l"]);
    assert_eq!(error["code"], "exec::bad_config");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("did you mean processes?"), "{message}");
    context.tool("u.sh", "# ---\n# config: {umask: 022}\n# ---\numask\n");
    assert_eq!(context.run(&["run", "u"]).stdout, "0022\n");
}

#[test]
fn standard_input_is_never_ours() {
    let context = machine();
    context.tool("reader.sh", "cat; echo end\n");
    let mut command = context.command(&["run", "reader"]);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "end\n");
}

//! How a run ends: statuses, signals, time, limits, and nothing left behind.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use toolroom_test::TestContext;

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
fn a_quiet_run_still_says_why_it_failed() {
    let context = machine();
    context.tool("raise.py", "def main(): raise ValueError('no luck')\n");
    context.tool("slow.sh", "sleep 60\n");
    context.tool("fail.sh", "exit 3\n");
    for (args, status, said) in [
        (
            &["raise"][..],
            1,
            "error[tool::raised]: ValueError: no luck",
        ),
        (
            &["slow", "--timeout", "0.3"],
            124,
            "timeout: the tool was ended",
        ),
        (
            &["fail"],
            3,
            "error[tool::failed]: the tool ended with status 3",
        ),
    ] {
        let output = context.run(&[&["run", "-q"], args].concat());
        assert_eq!(output.status, status, "{args:?}: {output}");
        assert!(output.stderr.starts_with(said), "{args:?}: {output}");
    }
}

#[test]
fn the_status_a_function_asks_for_is_ours() {
    let context = machine();
    context.tool(
        "p.py",
        "import sys\ndef main(status: int): sys.exit(status)\n",
    );
    context.tool("raises.py", "def main(): return 1 / 0\n");
    context.tool("j.mjs", "export const main = () => process.exit(4);\n");
    let status = |args: &[&str]| context.run(&[&["run"], args].concat()).status;
    assert_eq!(status(&["p", "--status", "3"]), 3);
    assert_eq!(status(&["p", "--status", "0"]), 0);
    assert_eq!(status(&["p", "--status", "3", "--json"]), 3);
    assert_eq!(status(&["raises"]), 1);
    if toolroom_test::program("node").is_some() {
        assert_eq!(status(&["j"]), 4);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_tool_that_stops_its_guard_leaves_nothing_when_its_time_is_up() {
    let context = machine();
    let pids = context.project().join("pids");
    context.tool(
        "slow.sh",
        format!(
            "setsid sleep 62 & echo $! > '{0}'; echo $$ >> '{0}'; echo $PPID >> '{0}'\n\
             kill -STOP $PPID; sleep 60\n",
            pids.display()
        ),
    );
    let begun = Instant::now();
    let output = context.run(&["run", "slow", "--timeout", "1"]);
    assert_eq!(output.status, 124);
    assert!(begun.elapsed() < Duration::from_secs(30));
    let text = fs_err::read_to_string(&pids).unwrap();
    let pids: Vec<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(pids.len(), 3);
    assert_gone(&pids);
}

/// Starts a tool with a child and a daemon, and waits until all three are there.
fn family(context: &TestContext) -> (Child, Vec<String>) {
    let pids = context.project().join("pids");
    context.tool(
        "slow.sh",
        format!(
            "sleep 61 & echo $! > '{0}'; setsid sleep 62 & echo $! >> '{0}'; echo $$ >> '{0}'; wait\n",
            pids.display()
        ),
    );
    let child = context.command(&["run", "slow"]).spawn().unwrap();
    let started = Instant::now();
    let mut text = String::new();
    while text.lines().count() < 3 && started.elapsed().as_secs() < 20 {
        std::thread::sleep(Duration::from_millis(20));
        text = fs_err::read_to_string(&pids).unwrap_or_default();
    }
    (child, text.lines().map(str::to_owned).collect())
}

fn assert_gone(pids: &[String]) {
    let since = Instant::now();
    for pid in pids {
        loop {
            let stat = fs_err::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            if stat.is_empty() || stat.contains(") Z ") {
                break;
            }
            assert!(since.elapsed().as_secs() < 10, "{pid} is still running");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn an_interrupt_ends_the_tree_and_is_130() {
    let context = machine();
    let (mut child, pids) = family(&context);
    assert_eq!(pids.len(), 3);
    let interrupt = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupt.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_gone(&pids);
}

#[test]
fn nothing_survives_the_sudden_death_of_toolroom() {
    let context = machine();
    let (mut child, pids) = family(&context);
    assert_eq!(pids.len(), 3);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_gone(&pids);
}

/// `toolroom run … | head` ends when head does.
#[test]
fn a_tool_whose_output_nobody_takes_is_ended() {
    let context = machine();
    context.tool("endless.sh", "echo $$; exec yes\n");
    let mut command = context.command(&["run", "endless"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut first)
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(141));
    assert_eq!(context.normalise(&output.stderr), "");
    assert_gone(&[first.trim().to_owned()]);
}

#[test]
fn what_cannot_be_started_has_the_status_that_shells_give_it() {
    let context = machine();
    context.file("plain", "#!/bin/sh\n");
    for (command, cwd, status, code) in [
        ("./plain", ".", 126, "exec::not_executable"),
        ("no-such-program-here", ".", 127, "exec::not_found"),
        ("/no/such/program", ".", 127, "exec::not_found"),
        ("ls", "no/such/folder", 125, "exec::missing_cwd"),
    ] {
        context.tool(
            "c.yaml",
            format!("executor_id: subprocess\ntool_type: shell\nconfig: {{command: {command}, cwd: {cwd}}}\n"),
        );
        let output = context.run(&["run", "c", "--json"]);
        assert_eq!(output.status, status, "{command}: {output}");
        assert_eq!(output.error()["code"], code, "{command}");
    }
}

#[test]
fn a_tool_that_closes_its_outputs_ends_as_it_says() {
    let context = machine();
    context.tool("closed.sh", "exec 1>&- 2>&-\nexit 3\n");
    let output = context.run(&["run", "closed", "--json"]);
    assert_eq!((output.status, &output.data()["stdout"]), (3, &json!("")));
    context.tool(
        "outputs.py",
        "import os\ndef main():\n    os.close(1); os.close(2)\n    return 1\n",
    );
    assert_eq!(context.data(&["run", "outputs"])["data"], 1);
    context.tool(
        "channel.py",
        "import os\ndef main():\n    os.closerange(3, 99)\n    return 1\n",
    );
    let output = context.run(&["run", "channel", "--json"]);
    assert_eq!(output.status, 1);
    assert_eq!(output.data()["error"]["code"], "tool::no_result");
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

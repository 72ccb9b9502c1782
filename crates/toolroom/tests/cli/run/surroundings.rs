//! What a run stands in: variables, paths, launchers on disk, the log.

use serde_json::json;

use super::{launchers, machine, result};

#[test]
fn the_caller_may_set_variables_and_they_win() {
    let context = machine();
    context.file(".env", "LEVEL=dotenv\nOTHER=dotenv\n");
    context.tool("e.py", "import os\nCONFIG = {'env': {'LEVEL': 'tool', 'DERIVED': '${OTHER}!'}}\ndef main(): return [os.environ[name] for name in ('LEVEL', 'OTHER', 'DERIVED', 'PYTHONUNBUFFERED')]\n");
    assert_eq!(
        result(&context, &["e"]),
        json!(["tool", "dotenv", "dotenv!", "1"])
    );
    assert_eq!(
        result(&context, &["e", "--env", "LEVEL=caller"])[0],
        "caller"
    );
}

#[test]
fn what_a_dotenv_file_may_not_set_is_told_and_never_its_value() {
    let context = machine();
    context.file(".env", "A=1\nLD_PRELOAD=hunter2\n");
    context.tool("f.py", "def main(): return 1\n");
    let told = "refused: LD_PRELOAD from dotenv [PROJECT]/.env:2: a dotenv file may not change what a process loads; allow the name under [dotenv] allow\n";
    for (args, answer) in [
        (&["run", "f"][..], "1\n"),
        (&["exec", "f", "--", "-c", "print(2)"], "2\n"),
    ] {
        let output = context.run(args);
        assert_eq!((&*output.stdout, &*output.stderr), (answer, told));
        let quiet = context.run(&[&["-q"], args].concat());
        assert_eq!((&*quiet.stdout, &*quiet.stderr), (answer, ""));
    }
    let refused = &context.data(&["run", "f"])["refused"];
    assert_eq!(refused, &context.data(&["env", "f"])["refused"]);
    assert_eq!(refused[0]["name"], "LD_PRELOAD");
    assert!(!refused.to_string().contains("hunter2"));
}

#[test]
fn a_line_of_the_log_ends_with_its_last_word() {
    let context = machine();
    context.tool("f.sh", "exit 3\n");
    context.tool("g.sh", "true\n");
    for id in ["f", "g"] {
        context.run(&["run", id]);
    }
    let shown = context.run(&["runs"]).stdout;
    assert_eq!(shown.lines().count(), 2, "{shown}");
    assert!(
        shown.lines().all(|line| line == line.trim_end()),
        "{shown:?}"
    );
}

#[test]
fn a_project_with_a_difficult_path_works() {
    let mut context = machine();
    let project = "it's (a) \"dir\" $HOME é {x}";
    context.enter(project);
    context.file(
        format!("{project}/.ai/tools/f.py"),
        "import os\ndef main(): return os.getcwd()\n",
    );
    let found = result(&context, &["f"]);
    assert_eq!(found, format!("[PROJECT]/{project}"));
}

#[test]
fn a_runtime_is_not_a_tool_to_run() {
    let context = machine();
    assert_eq!(
        context.error(&["run", "python"])["code"],
        "exec::not_a_tool"
    );
    let error = context.error(&["run", "extractors/typescript"]);
    assert_eq!(
        error["message"],
        "extractors/typescript is an extractor, not a tool to run"
    );
    assert_eq!(context.run(&["run", "nothing"]).status, 127);
}

#[test]
fn only_what_can_be_run_is_suggested_to_who_wants_to_run_it() {
    let context = machine();
    let error = context.error(&["run", "x/typescript"]);
    assert_eq!(error["help"], "toolroom list shows what there is");
    context.tool("my/typescripts.py", "def main(): ...\n");
    let error = context.error(&["run", "x/typescript"]);
    assert_eq!(error["help"], "did you mean my/typescripts?");
    let shown = context.error(&["show", "x/typescript"]);
    let help = shown["help"].as_str().unwrap();
    assert!(help.contains("extractors/typescript"), "{help}");
}

#[test]
fn a_launcher_that_was_changed_is_written_anew() {
    let context = machine();
    context.tool("f.py", "def main(): return 1\n");
    assert_eq!(result(&context, &["f"]), json!(1));
    let folder = launchers(&context);
    let changes = [
        ("call.py", ""),
        ("call.py", "print('mine')\n"),
        ("toolroom/__init__.py", "def _serve(): pass\n"),
    ];
    for (name, text) in changes {
        fs_err::write(folder.join(name), text).unwrap();
        assert_eq!(result(&context, &["f"]), json!(1), "{name}: {text:?}");
    }
    let length = fs_err::metadata(folder.join("call.py")).unwrap().len();
    let as_long = format!(
        "{:#<1$}",
        "raise SystemExit(7)\n",
        length.try_into().unwrap()
    );
    fs_err::write(folder.join("call.py"), as_long).unwrap();
    assert_eq!(result(&context, &["f"]), json!(1), "as long as it was");
    fs_err::remove_file(folder.join("toolroom/failures.py")).unwrap();
    assert_eq!(result(&context, &["f"]), json!(1));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs_err::metadata(folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}

#[test]
fn the_log_has_names_and_no_values() {
    let context = machine();
    context.tool("t.sh", "echo done\n");
    context.run(&[
        "run",
        "t",
        "--password",
        "hunter2",
        "--env",
        "TOKEN=hunter3",
    ]);
    context.tool("fails.sh", "exit 3\n");
    context.run(&["run", "fails"]);
    let runs = context.data(&["runs"])["runs"].clone();
    assert_eq!(runs[0]["tool"], "fails");
    assert_eq!(runs[0]["exit_code"], 3);
    assert_eq!(runs[1]["tool"], "t");
    assert_eq!(runs[1]["arguments"], json!(["password"]));
    assert_eq!(runs[1]["stdout_bytes"], 5);
    let log =
        fs_err::read_to_string(context.home().join(".local/state/toolroom/runs.jsonl")).unwrap();
    assert!(!log.contains("hunter"), "{log}");
    context.file("toolroom.toml", "[runs]\nlog = false\n");
    context.run(&["run", "fails"]);
    assert_eq!(context.data(&["runs"])["runs"].as_array().unwrap().len(), 2);
}

/// The tool wins over its runtime and the runtime over the primitive, key by key.
#[test]
fn configs_are_joined_deeply_and_lists_replaced() {
    let context = machine();
    context.tool(
        "runtimes/base.yaml",
        "tool_type: runtime\nexecutor_id: subprocess\nconfig:\n  command: bash\n  args: [-c, 'echo base']\n  env: {A: base, B: base}\n  limits: {open_files: 64, umask: '027'}\n  call: {style: command}\n",
    );
    context.tool(
        "runtimes/middle.yaml",
        "tool_type: runtime\nexecutor_id: runtimes/base\nconfig:\n  args: [-c, 'echo \"$A $B $C $(umask) $(ulimit -n) $PWD\"']\n  env: {B: middle, C: middle}\n",
    );
    context.tool(
        "t.yaml",
        "tool_type: shell\nexecutor_id: runtimes/middle\nconfig: {env: {C: 7}, limits: {umask: '077'}, cwd: sub}\n",
    );
    context.file("sub/x", "");
    assert_eq!(
        result(&context, &["t"]),
        "base middle 7 0077 64 [PROJECT]/sub"
    );
}

#[test]
fn the_launcher_knows_the_project_of_a_function_that_asks_for_it() {
    let context = machine();
    context.tool(
        "f.py",
        "def main(name, project_path): return [name, project_path]\n",
    );
    assert_eq!(
        result(&context, &["f", "--name", "x"]),
        json!(["x", "[PROJECT]"])
    );
    context.tool("f.mjs", "");
    fs_err::remove_file(context.project().join(".ai/tools/f.py")).unwrap();
    context.tool(
        "f.mjs",
        "export const main = (name, projectPath) => [name, projectPath];\n",
    );
    assert_eq!(
        result(&context, &["f", "--name", "x"]),
        json!(["x", "[PROJECT]"])
    );
}

#[test]
fn many_runs_may_start_at_once_where_nothing_was_prepared() {
    let context = machine();
    context.tool("f.py", "def main(n: int): return n\n");
    let runs: Vec<_> = (0..12)
        .map(|n: usize| {
            let mut command = context.command(&["run", "f", "--n", &n.to_string()]);
            command
                .stdout(std::process::Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for (n, run) in runs.into_iter().enumerate() {
        let output = run.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{n}\n"));
    }
    assert_eq!(
        context.data(&["runs"])["runs"].as_array().unwrap().len(),
        12
    );
}

/// `script` gives a program a terminal of its own.
#[cfg(target_os = "linux")]
#[test]
fn progress_is_a_bar_on_a_terminal_and_nothing_elsewhere() {
    let context = machine();
    if toolroom_test::program("script").is_none() {
        return;
    }
    context.tool(
        "p.py",
        "import toolroom\ndef main():\n    for n in range(3): toolroom.progress(n, 2, f'step {n}')\n    toolroom.log('warning', 'nearly')\n    print('printed')\n    return {'a': 1}\n",
    );
    let plain = context.run(&["run", "p"]);
    assert_eq!(plain.stdout, "{\"a\":1}\n");
    // The channel and what is printed come by ways of their own.
    let mut lines: Vec<&str> = plain.stderr.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["printed", "warning: nearly"]);
    let program = context.command::<&str>(&[]).get_program().to_owned();
    let line = format!("{} run p", program.display());
    let mut command = std::process::Command::new("script");
    let typed = context.command::<&str>(&[]);
    command
        .args(["-qec", &line, "/dev/null"])
        .env_clear()
        .envs(
            typed
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .current_dir(context.project())
        .stdin(std::process::Stdio::null());
    let shown = String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned();
    for wanted in [
        "  0% step 0",
        " 50% step 1",
        "100% step 2",
        "warning: nearly",
        "printed",
    ] {
        assert!(shown.contains(wanted), "{wanted}: {shown:?}");
    }
    assert!(shown.contains("\"a\": 1"), "{shown:?}");
}

/// The binary as somebody who may not take more than his share of the machine.
#[cfg(target_os = "linux")]
fn without_rights(
    context: &toolroom_test::TestContext,
    args: &[&str],
) -> Option<serde_json::Value> {
    use std::os::unix::fs::MetadataExt as _;
    let mut command = context.command(args);
    if fs_err::metadata("/proc/self").unwrap().uid() == 0 {
        let setpriv = toolroom_test::program("setpriv")?;
        let mut lesser = std::process::Command::new(setpriv);
        lesser.args(["--bounding-set", "-sys_nice"]);
        lesser.arg(command.get_program()).args(command.get_args());
        lesser.env_clear();
        lesser.envs(
            command
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        if let Some(cwd) = command.get_current_dir() {
            lesser.current_dir(cwd);
        }
        command = lesser;
    }
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(125), "{output:?}");
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

#[test]
#[cfg(target_os = "linux")]
fn a_limit_that_may_not_be_set_is_not_called_the_fault_of_the_program() {
    let context = machine();
    context.tool("f.py", "CONFIG = {'nice': -5}\ndef main(): return 1\n");
    let Some(answer) = without_rights(&context, &["--json", "run", "f"]) else {
        return;
    };
    let error = &answer["error"];
    assert_eq!(error["code"], "exec::limit_refused", "{answer}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("does not let nice of"), "{message}");
    assert!(
        error["help"].as_str().unwrap().contains("`nice`"),
        "{error}"
    );
}

#[test]
#[cfg(unix)]
fn a_path_that_is_no_text_is_never_passed_on_as_another() {
    use std::os::unix::ffi::OsStrExt as _;
    let mut context = machine();
    let project = std::path::Path::new(std::ffi::OsStr::from_bytes(b"p\xffq"));
    context.enter(project);
    let tool = |name: &str, text: &str| context.file(project.join(".ai/tools").join(name), text);
    let uses = [
        "args: ['{project_path}']",
        "args: ['in {tool_dir}']",
        "input_data: '{cwd}'",
        "cwd: '{project_path}'",
    ];
    for config in uses {
        tool(
            "uses.yaml",
            &format!(
                "tool_id: uses\ntool_type: tool\nexecutor_id: subprocess\nconfig:\n  command: echo\n  {config}\n"
            ),
        );
        let error = context.error(&["run", "uses"]);
        assert_eq!(error["code"], "exec::path_not_text", "{config}: {error}");
    }
    tool(
        "plain.yaml",
        "tool_id: plain\ntool_type: tool\nexecutor_id: subprocess\nconfig:\n  command: pwd\n",
    );
    assert_eq!(context.run(&["run", "plain"]).status, 0);
    tool(
        "server.yaml",
        "tool_type: mcp\nexecutor_id: mcp_stdio_runtime\ndescription: Elsewhere.\nconfig:\n  command: ./server\n",
    );
    let error = context.error(&["run", "server"]);
    assert_eq!(error["code"], "exec::path_not_text", "{error}");
}

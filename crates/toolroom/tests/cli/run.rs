//! `run`: parameters in, a result out, whatever the tool does in between.

use serde_json::{Value, json};
use toolroom_test::TestContext;

use crate::context;

/// A context with the machine's own interpreters.
fn machine() -> TestContext {
    let mut context = context();
    context.set_env("PATH", std::env::var("PATH").unwrap());
    context
}

fn result(context: &TestContext, args: &[&str]) -> Value {
    let data = context.data(&[&["run"], args].concat());
    assert_eq!(data["status"], "success", "{data}");
    data["data"].clone()
}

#[test]
fn a_python_function_gets_its_parameters_and_gives_any_json() {
    let context = machine();
    context.tool(
        "echo.py",
        "def main(value=None):\n    print('noise {\"result\": 1}')\n    return value\n",
    );
    let cases = [
        json!(null),
        json!(0),
        json!(""),
        json!(false),
        json!([]),
        json!({}),
        json!([1, "x", null]),
        json!({"a": {"b": [true]}}),
        json!("grüße 🦀"),
        json!(1.5),
        json!(-3),
    ];
    for value in cases {
        let params = json!({"value": value}).to_string();
        assert_eq!(result(&context, &["echo", "--params", &params]), value);
    }
}

#[test]
fn what_a_function_prints_is_beside_its_result() {
    let context = machine();
    context.tool("noisy.py", "import sys\ndef main():\n    print('out')\n    print('err', file=sys.stderr)\n    return {'ok': True}\n");
    let data = context.data(&["run", "noisy"]);
    assert_eq!(data["data"], json!({"ok": true}));
    assert_eq!(data["stdout"], "out\n");
    assert_eq!(data["stderr"], "err\n");
    let shown = context.run(&["run", "noisy"]);
    assert_eq!(shown.stdout, "{\"ok\":true}\n");
}

#[test]
fn flags_follow_the_signature() {
    let context = machine();
    context.tool(
        "f.py",
        "def main(name: str, count: int = 1, loud: bool = False, tags: list[str] = None, dry_run: bool = True):\n    return [name, count, loud, tags, dry_run]\n",
    );
    let args = [
        "f",
        "--name",
        "3",
        "--count",
        "-2",
        "--loud",
        "--tags",
        "a",
        "--tags",
        "b",
        "--no-dry-run",
    ];
    assert_eq!(
        result(&context, &args),
        json!(["3", -2, true, ["a", "b"], false])
    );
    assert_eq!(
        result(&context, &["f", "--name=a=b"]),
        json!(["a=b", 1, false, null, true])
    );
}

#[test]
fn parameters_come_from_json_a_file_or_standard_input() {
    let context = machine();
    context.tool("f.py", "def main(a, b=0): return [a, b]\n");
    assert_eq!(
        result(&context, &["f", "--params", "{\"a\": 1}", "--b", "2"]),
        json!([1, 2])
    );
    let file = context.file("params.json", "{\"a\": [1]}");
    assert_eq!(
        result(
            &context,
            &["f", "--params", &format!("@{}", file.display())]
        ),
        json!([[1], 0])
    );
    let mut command = context.command(&["run", "f", "--params", "-", "--json"]);
    command.stdin(std::fs::File::open(&file).unwrap());
    let output = command.output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["data"]["data"], json!([[1], 0]));
}

#[test]
fn wrong_parameters_are_named_before_anything_starts() {
    let context = machine();
    let witness = context.project().join("witness");
    context.tool(
        "f.py",
        format!(
            "open({:?}, 'w')\ndef main(n: int, s: str = ''): ...\n",
            witness.to_str().unwrap()
        ),
    );
    let output = context.run(&["run", "f", "--n", "many", "--zz", "1", "--json"]);
    assert_eq!(output.status, 2);
    let error = output.error();
    assert_eq!(error["code"], "usage::invalid_parameters");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("n: ") && message.contains("zz"),
        "{message}"
    );
    assert!(!witness.exists());
}

/// Parameters are data: they override nothing and nothing in them is expanded.
#[test]
fn parameters_cannot_take_over_the_command() {
    let mut context = machine();
    context.set_env("SECRET_VALUE", "leaked");
    context.tool("f.py", "def main(**params): return params\n");
    let params = json!({
        "command": "whoami", "args": ["-x"], "cwd": "/", "env": {"A": "1"}, "timeout": 0.001,
        "HOME": "mine", "template": "${SECRET_VALUE} {project_path} $HOME `id` $(id)",
    });
    assert_eq!(
        result(&context, &["f", "--params", &params.to_string()]),
        params
    );
}

#[test]
fn large_parameters_and_results_are_no_problem() {
    let context = machine();
    context.tool(
        "f.py",
        "def main(text): return {'length': len(text), 'text': text}\n",
    );
    let params = context.file(
        "big.json",
        json!({"text": "x".repeat(1_000_000)}).to_string(),
    );
    let found = result(
        &context,
        &["f", "--params", &format!("@{}", params.display())],
    );
    assert_eq!(found["length"], 1_000_000);
}

#[test]
fn a_huge_integer_stays_exact() {
    let context = machine();
    context.tool("f.py", "def main(): return 2 ** 200\n");
    let output = context.run(&["run", "f", "--json"]);
    assert!(
        output
            .stdout
            .contains("1606938044258990275541962092341162602522202993782792835301376"),
        "{output}"
    );
}

#[test]
fn an_exception_comes_with_the_tools_own_frames() {
    let context = machine();
    context.tool(
        "f.py",
        "def helper(x):\n    return 1 / x\n\ndef main():\n    return helper(0)\n",
    );
    let output = context.run(&["run", "f", "--json"]);
    assert_eq!(output.status, 1);
    let data = output.data();
    assert_eq!(data["status"], "error");
    assert_eq!(data["error"]["type"], "ZeroDivisionError");
    let functions: Vec<&str> = data["error"]["frames"]
        .as_array()
        .unwrap()
        .iter()
        .map(|frame| frame["function"].as_str().unwrap())
        .collect();
    assert_eq!(functions, ["main", "helper"]);
    insta::assert_snapshot!(context.run(&["run", "f"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error[tool::raised]: ZeroDivisionError: division by zero
      [PROJECT]/.ai/tools/f.py:5 in main
        return helper(0)
      [PROJECT]/.ai/tools/f.py:2 in helper
        return 1 / x
    ");
}

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
fn a_shell_script_keeps_its_name_its_traps_and_its_strictness() {
    let context = machine();
    context.tool(
        "strict.sh",
        "#!/usr/bin/env bash\nset -euo pipefail\ntrap 'echo cleaned' EXIT\necho \"$(basename \"$0\") $*\"\nfalse\necho never\n",
    );
    let output = context.run(&["run", "strict", "--a", "b c"]);
    assert_eq!(output.stdout, "strict.sh --a b c\ncleaned\n");
    assert_eq!(output.status, 1);
    context.tool(
        "called.sh",
        "# ---\n# entry: main\n# ---\nmain() { echo \"got $2\"; toolroom_log info hi; }\n",
    );
    assert_eq!(
        context.run(&["run", "called", "--x", "y"]).stdout,
        "got y\n"
    );
}

#[test]
fn a_script_in_the_way_of_kiwi_gets_key_and_value() {
    let context = machine();
    context.tool(
        "k.py",
        "import argparse, json\n__executor_id__ = 'python_runtime'\nCONFIG_SCHEMA = {'type': 'object', 'properties': {'path': {'type': 'string'}, 'all': {'type': 'boolean'}, 'items': {'type': 'array'}}}\ndef main():\n    parser = argparse.ArgumentParser()\n    parser.add_argument('--path'); parser.add_argument('--all', action='store_true'); parser.add_argument('--items', type=json.loads)\n    options = parser.parse_args()\n    print(json.dumps([options.path, options.all, options.items]))\nif __name__ == '__main__':\n    main()\n",
    );
    assert_eq!(
        result(&context, &["k", "--path", "a b", "--all", "--items", "[1]"]),
        json!(["a b", true, [1]])
    );
}

#[test]
fn a_script_in_the_way_of_rye_gets_params_and_project() {
    let context = machine();
    context.tool(
        "r.py",
        "import argparse, json\n__executor_id__ = 'rye/core/runtimes/python_script_runtime'\nparser = argparse.ArgumentParser()\nparser.add_argument('--params'); parser.add_argument('--project-path')\noptions = parser.parse_args()\nprint(json.dumps([json.loads(options.params), options.project_path]))\n",
    );
    assert_eq!(
        result(&context, &["r", "--params", "{\"a\": [1]}"]),
        json!([{"a": [1]}, "[PROJECT]"])
    );
}

#[test]
fn a_function_in_the_way_of_rye_gets_params_and_project() {
    let context = machine();
    context.tool(
        "r.py",
        "# rye:signed:2026:abc:def:0\n__executor_id__ = 'rye/core/runtimes/python_function_runtime'\nasync def execute(params, project_path):\n    return [params, project_path]\n",
    );
    assert_eq!(
        result(&context, &["r", "--a", "1"]),
        json!([{"a": "1"}, "[PROJECT]"])
    );
}

#[test]
fn the_seeds_git_tool_runs_as_written() {
    let context = machine();
    context.tool(
        "rye/capabilities/git.py",
        include_str!("../../../../fixtures/seeds/git.py"),
    );
    let found = result(&context, &["git", "--command=--version"]);
    assert!(
        found["stdout"].as_str().unwrap().starts_with("git version"),
        "{found}"
    );
}

#[test]
fn node_tools_run_as_modules_and_as_scripts() {
    let context = machine();
    context.tool("esm.mjs", "export async function main({ name = 'x' }, { log }) { log('info', 'hi'); return { name }; }\n");
    context.tool("cjs.cjs", "exports.main = ({ n }) => [n];\n");
    context.tool(
        "plain.js",
        "console.log(JSON.stringify(process.argv.slice(2)));\n",
    );
    assert_eq!(
        result(&context, &["esm", "--name", "Ada"]),
        json!({"name": "Ada"})
    );
    assert_eq!(result(&context, &["cjs", "--n", "1"]), json!(["1"]));
    assert_eq!(
        result(&context, &["plain", "--a", "b"]),
        json!(["--a", "b"])
    );
}

#[test]
fn a_perl_tool_runs() {
    let context = machine();
    context.tool(
        "p.pl",
        "sub main { my (%params) = @_; return { got => $params{name} }; }\n1;\n",
    );
    assert_eq!(result(&context, &["p", "--name", "x"]), json!({"got": "x"}));
}

#[test]
fn a_command_tool_needs_no_runtime() {
    let context = machine();
    context.tool(
        "c.yaml",
        "tool_type: shell\nexecutor_id: subprocess\nparameters: {text: {type: string}, n: {type: integer}}\nconfig:\n  command: printf\n  args: [\"%s|%s|%s\", \"{params.text}\", \"{n}\", \"${GREETING:-hi}\"]\n  env: {GREETING: \"from the tool\"}\n",
    );
    assert_eq!(
        result(&context, &["c", "--text", "a; rm -rf $HOME", "--n", "3"]),
        json!("a; rm -rf $HOME|3|from the tool")
    );
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
fn a_tool_that_ends_the_process_has_no_result() {
    let context = machine();
    context.tool("f.py", "import os\ndef main(): os._exit(0)\n");
    let output = context.run(&["run", "f", "--json"]);
    assert_eq!(output.status, 1);
    assert_eq!(output.data()["error"]["code"], "tool::no_result");
}

#[test]
fn a_runtime_is_not_a_tool_to_run() {
    let context = machine();
    assert_eq!(
        context.error(&["run", "python"])["code"],
        "exec::not_a_tool"
    );
    assert_eq!(context.run(&["run", "nothing"]).status, 127);
}

#[test]
fn help_shows_the_tools_own_flags() {
    let context = machine();
    context.tool("f.py", "def main(name: str, n: int = 3):\n    \"\"\"Does it.\n\n    Args:\n        name: Whom.\n    \"\"\"\n");
    insta::assert_snapshot!(context.run(&["run", "f", "--help"]), @"
    status: 0
    ----- stdout -----
    Does it.

    Usage: toolroom run f [--NAME VALUE…] [OPTIONS]

    Parameters:
      --name TEXT  Whom. (required)
      --n INTEGER  [default: 3]

    Options:
      --params JSON|@FILE|-  All parameters at once; - reads standard input
      --timeout S            End the tool after so many seconds
      --env K=V              Set a variable for the tool; may be repeated
      --frozen               Make or change no environment
      --project DIR          The project to work in
      --json                 Answer with one JSON document
      -q, --quiet            Say nothing but the answer
      -v, --verbose          Say more
      --color WHEN           auto, always or never
    ----- stderr -----
    ");
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

#[test]
fn after_two_dashes_every_flag_is_the_tools() {
    let context = machine();
    context.tool(
        "k.py",
        "def main(json: str = 'x', project: str = ''): return [json, project]\n",
    );
    let output = context.run(&["run", "k", "--", "--json", "q", "--project", "zz"]);
    assert_eq!(output.stdout, "[\"q\",\"zz\"]\n");
    let output = context.run(&["run", "k", "--timeout", "9", "--", "--json", "q"]);
    assert_eq!(output.stdout, "[\"q\",\"\"]\n");
}

#[test]
fn an_answer_that_cannot_be_written_is_no_success() {
    let context = machine();
    context.tool("k.py", "def main(): return 1\n");
    for args in [
        &["run", "k"][..],
        &["run", "k", "--json"],
        &["list"],
        &["env", "bash", "--shell", "bash"],
    ] {
        let mut command = context.command(args);
        command.stdout(
            std::fs::File::options()
                .write(true)
                .open("/dev/full")
                .unwrap(),
        );
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(125), "{args:?}");
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("io::not_written"),
            "{args:?}"
        );
    }
}

#[test]
fn a_result_is_written_to_the_byte() {
    let context = machine();
    context.tool("k.py", "def main(): return 'a\\x1b[31mred'\n");
    assert_eq!(context.run(&["run", "k"]).stdout, "a\u{1b}[31mred\n");
}

#[test]
fn a_flag_wins_over_params_and_a_slip_is_named() {
    let context = machine();
    context.tool(
        "k.py",
        "def main(name: str, times: int = 1): return [name, times]\n",
    );
    assert_eq!(
        result(
            &context,
            &["k", "--params", "{\"name\": \"P\"}", "--name", "Q"]
        ),
        json!(["Q", 1])
    );
    assert_eq!(
        result(&context, &["k", "--name", "a", "--times", "2.0"]),
        json!(["a", 2])
    );
    let error = context.error(&["run", "k", "--name", "a", "--tiems", "2"]);
    assert_eq!(
        error["message"],
        "there is no parameter tiems; did you mean times?"
    );
    let error = context.error(&[
        "run",
        "k",
        "--params",
        "{\"name\": \"x\", \"times\": 12345678901234567890123}",
    ]);
    assert_eq!(error["code"], "usage::bad_arguments");
    assert_eq!(context.run(&["run"]).status, 2);
}

#[test]
fn a_tool_of_any_language_with_a_template_runs_as_it_was_made() {
    let context = machine();
    for (runtime, program) in [
        ("python", "python3"),
        ("node", "node"),
        ("bash", "bash"),
        ("perl", "perl"),
        ("ruby", "ruby"),
        ("php", "php"),
    ] {
        let path = std::env::var("PATH").unwrap();
        if !std::env::split_paths(&path).any(|folder| folder.join(program).exists()) {
            eprintln!("skipped: {program} is not installed");
            continue;
        }
        let id = format!("made_{runtime}");
        context.data(&["new", &id, "--runtime", runtime]);
        let output = context.run(&["run", &id, "--name", "Ada"]);
        assert_eq!(output.status, 0, "{runtime}: {output}");
        assert!(output.stdout.contains("Hello, Ada!"), "{runtime}: {output}");
    }
}

#[test]
fn a_default_that_json_has_no_word_for_is_the_functions_own() {
    let context = machine();
    let color = "import enum\nclass C(enum.Enum):\n    RED = 'red'\n    BLUE = 'blue'\n";
    context.tool(
        "f.py",
        format!("{color}def main(c: C = C.RED): return c.value\n"),
    );
    assert_eq!(result(&context, &["f"]), json!("red"));
    assert_eq!(result(&context, &["f", "--c", "blue"]), json!("blue"));
    context.tool(
        "declared.py",
        "CONFIG_SCHEMA = {'type': 'object', 'properties': {'n': {'type': 'integer', 'default': 3}}}\ndef main(n): return n\n",
    );
    assert_eq!(result(&context, &["declared"]), json!(3));
    context.tool(
        "whole.py",
        "INPUT_SCHEMA = {'type': 'object', 'properties': {'n': {'type': 'integer', 'default': 3}}}\ndef execute(params, project_path): return params\n",
    );
    assert_eq!(result(&context, &["whole"]), json!({"n": 3}));
}

#[test]
fn a_shell_tool_runs_once_and_its_own_result_is_shown() {
    let context = machine();
    context.tool("twice.sh", "main() { echo ran; }\ncd /tmp && main \"$@\"\n");
    assert_eq!(context.run(&["run", "twice"]).stdout, "ran\n");
    let source = "# ---\n# entry: main\n# ---\nmain() { toolroom_result '{\"a\":1}'; }\ncat >/dev/null <<'END'\nmain\nEND\n";
    context.tool("given.sh", source);
    assert_eq!(context.run(&["run", "given"]).stdout, "{\"a\":1}\n");
    assert_eq!(result(&context, &["given"]), json!({"a": 1}));
}

#[test]
fn call_facts_are_no_parameters() {
    let context = machine();
    context.tool(
        "r.py",
        "def execute(params, project_path): return [params, project_path]\n",
    );
    let params = json!({"params": {"a": 1}, "project_path": "/etc"});
    assert_eq!(
        result(&context, &["r", "--params", &params.to_string()]),
        json!([params, "[PROJECT]"])
    );
}

#[test]
fn a_launcher_that_was_changed_is_written_anew() {
    let context = machine();
    context.tool("f.py", "def main(): return 1\n");
    assert_eq!(result(&context, &["f"]), json!(1));
    let launchers = context.home().join(".cache/toolroom/launchers");
    let folder = fs_err::read_dir(launchers)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let changes = [
        ("call.py", ""),
        ("call.py", "print('mine')\n"),
        ("toolroom.py", "def _serve(): pass\n"),
    ];
    for (name, text) in changes {
        fs_err::write(folder.join(name), text).unwrap();
        assert_eq!(result(&context, &["f"]), json!(1), "{name}: {text:?}");
    }
    fs_err::remove_file(folder.join("toolroom.py")).unwrap();
    assert_eq!(result(&context, &["f"]), json!(1));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = fs_err::metadata(folder).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }
}

#[test]
fn a_failure_comes_with_what_led_to_it() {
    let context = machine();
    context.tool(
        "f.py",
        "def main():\n    try:\n        raise ValueError('root')\n    except ValueError as cause:\n        raise RuntimeError('outer') from cause\n",
    );
    let output = context.run(&["run", "f", "--json"]);
    let error = &output.data()["error"];
    assert_eq!(
        error["causes"],
        json!([{"type": "ValueError", "message": "root"}])
    );
    assert_eq!(error["omitted"], 0);
    let text = context.run(&["run", "f"]).stderr;
    assert!(text.contains("caused by ValueError: root"), "{text}");
    context.tool(
        "deep.py",
        "def main(n=200):\n    if n: return main(n - 1)\n    raise ValueError('deep')\n",
    );
    let text = context.run(&["run", "deep"]).stderr;
    assert!(text.contains("calls left out"), "{text}");
}

#[test]
fn output_is_kept_on_disk_for_programs_only() {
    let context = machine();
    context.tool("big.sh", "head -c 3000000 /dev/zero | tr '\\0' x\n");
    let output = context.home().join(".cache/toolroom/output");
    assert_eq!(context.run(&["run", "big"]).stdout.len(), 3_000_000);
    assert!(!output.exists());
    let data = context.run(&["run", "big", "--json"]).data();
    assert_eq!(data["truncated"], true);
    assert!(data["spill"].is_string(), "{}", data["spill"]);
    assert_eq!(data.get("spill_error"), None);
    fs_err::remove_dir_all(&output).unwrap();
    fs_err::write(&output, "in the way").unwrap();
    let data = context.run(&["run", "big", "--json"]).data();
    assert!(data["spill"].is_null());
    assert!(data["spill_error"].is_string());
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

//! What a run stands in: variables, paths, launchers on disk, the log.

use serde_json::json;

use super::{machine, result};

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
fn a_runtime_is_not_a_tool_to_run() {
    let context = machine();
    assert_eq!(
        context.error(&["run", "python"])["code"],
        "exec::not_a_tool"
    );
    assert_eq!(context.run(&["run", "nothing"]).status, 127);
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

//! `env`, `exec` and `doctor`: the right interpreter, and the reason.

use serde_json::{Value, json};
use toolroom_test::TestContext;

use crate::context;

const FAKE: &str = "#!/bin/sh\necho \"fake $0 $*\"\n";

/// Makes a virtual environment as `python -m venv` leaves it, around a stand-in.
pub fn venv(context: &TestContext, path: &str) {
    let base = context.executable(context.root().join("base/bin/python3.11"), FAKE);
    context.file(
        format!("{path}/pyvenv.cfg"),
        format!(
            "home = {}\nversion = 3.11.7\n",
            base.parent().unwrap().display()
        ),
    );
    context.executable(format!("{path}/bin/python3"), FAKE);
    context.executable(
        format!("{path}/bin/pytest"),
        "#!/bin/sh\necho pytest of $VIRTUAL_ENV\n",
    );
}

#[test]
fn the_json_answer_has_the_fields_of_the_contract() {
    let mut context = context();
    venv(&context, ".venv");
    context.file(".env", "GREETING=hello\nAPI_TOKEN=hunter2\nPATH=/evil\n");
    context.set_env("PYTHONHOME", "/nope");
    let data = context.data(&["env", "python"]);
    assert_eq!(data["runtime"], "runtimes/python");
    assert_eq!(
        data["interpreter"],
        json!({"var": "RYE_PYTHON", "path": "[PROJECT]/.venv/bin/python3", "resolver": "venv_python", "place": "project",
               "version": "3.11.7", "environment": "[PROJECT]/.venv"})
    );
    assert_eq!(data["env"]["VIRTUAL_ENV"]["value"], "[PROJECT]/.venv");
    assert_eq!(
        data["env"]["GREETING"],
        json!({"value": "hello", "origin": "dotenv [PROJECT]/.env:1"})
    );
    assert_eq!(data["env"]["API_TOKEN"]["value"], "***");
    assert!(
        data["env"]["PATH"]["value"]
            .as_str()
            .unwrap()
            .starts_with("[PROJECT]/.venv/bin:")
    );
    assert_eq!(data["unset"], json!(["PYTHONHOME"]));
    assert_eq!(data["tried"][0]["verdict"], "chosen");
    assert_eq!(data["refused"][0]["name"], "PATH");
    assert_eq!(data["refused"][0]["origin"], "dotenv [PROJECT]/.env:3");
}

/// Seed 001, "Environment Resolution": no project environment, one in the home.
#[test]
fn the_seeds_walk_through_has_exactly_its_result() {
    let context = context();
    let home = context.home();
    venv(&context, home.join(".venv").to_str().unwrap());
    let data = context.data(&["env", "python_runtime"]);
    let python = "[HOME]/.venv/bin/python3";
    assert_eq!(data["interpreter"]["path"], python);
    assert_eq!(data["interpreter"]["place"], "user");
    for (name, value) in [
        ("RYE_PYTHON", python),
        ("PYTHONUNBUFFERED", "1"),
        ("PROJECT_VENV_PYTHON", python),
    ] {
        assert_eq!(data["env"][name]["value"], value, "{name}");
    }
    let project: &Value = &data["tried"][0];
    assert_eq!(project["place"], "project");
    assert_eq!(project["verdict"], "absent");
}

#[test]
fn why_this_python_is_answered_at_a_glance() {
    let mut context = context();
    let home = context.home();
    venv(&context, home.join(".venv").to_str().unwrap());
    context.set_env("PATH", "/nowhere");
    context.remove_env("COLUMNS");
    insta::assert_snapshot!(context.run(&["env", "python", "--explain"]), @"
    status: 0
    ----- stdout -----
    python → subprocess
      RYE_PYTHON = ~/.venv/bin/python3 3.11.7
        │ why: the first environment there is
        │ found by venv_python in user
        │ environment ~/.venv

    Tried, in order
      project
        · .venv  there is no such directory
        · .virtualenv  there is no such directory
        · venv  there is no such directory
      kiwi
        · .ai/scripts/.venv  there is no such directory
      user
        · ~/.ai/.venv  there is no such directory
        ✓ ~/.venv/bin/python3  the first environment there is, version 3.11.7
      not reached
          ~/.virtualenv; ~/.pyenv/versions/*/bin/python3; python3, python on PATH; /usr/bin/python3; /usr/local/bin/python3; /opt/python/bin/python3; ~/.local/share/uv/python/cpython-*-*/bin/python3; ~/.asdf/installs/python/*/bin/python3; ~/.local/share/mise/installs/python/*/bin/python3

    Environment
      KIWI_PYTHON=[HOME]/.venv/bin/python3  (runtime runtimes/python)
      PATH=[HOME]/.venv/bin:/nowhere  (interpreter RYE_PYTHON)
      PROJECT_VENV_PYTHON=[HOME]/.venv/bin/python3  (runtime runtimes/python)
      PYTHONUNBUFFERED=1  (runtime runtimes/python)
      RYE_PYTHON=[HOME]/.venv/bin/python3  (interpreter RYE_PYTHON)
      VIRTUAL_ENV=[HOME]/.venv  (interpreter RYE_PYTHON)
      and 3 of the process, unchanged
    ----- stderr -----
    ");
}

#[cfg(unix)]
#[test]
fn a_dangling_environment_is_an_error_with_a_repair_and_not_the_systems_python() {
    let mut context = context();
    // Wide enough for any temporary folder.
    context.set_env("COLUMNS", "300");
    context.file(".venv/pyvenv.cfg", "home = /gone/bin\nversion = 3.11.7\n");
    fs_err::create_dir_all(context.project().join(".venv/bin")).unwrap();
    std::os::unix::fs::symlink(
        "/gone/bin/python3",
        context.project().join(".venv/bin/python3"),
    )
    .unwrap();
    let output = context.run(&["exec", "python", "--", "-c", "pass"]);
    assert_eq!(output.status, 125);
    insta::assert_snapshot!(output, @"
    status: 125
    ----- stdout -----
    ----- stderr -----
    error[resolve::broken_environment]: the project environment [PROJECT]/.venv is broken: [PROJECT]/.venv/bin/python3: it is a link to /gone/bin/python3, which is gone
     ╭▸ .venv
     ╰ help: remake it with `toolroom setup --repair`, or remove [PROJECT]/.venv
    ");
    let error = context.error(&["env", "python"]);
    assert_eq!(error["code"], "resolve::broken_environment");
    assert_eq!(error["tried"][0]["verdict"], "broken");
}

#[test]
fn exec_runs_the_interpreter_or_a_command_of_its_environment() {
    let context = context();
    venv(&context, ".venv");
    context.file("script.py", "");
    let interpreter = context.run(&["exec", "python", "--", "-c", "x"]);
    assert_eq!(
        interpreter.stdout,
        "fake [PROJECT]/.venv/bin/python3 -c x\n"
    );
    assert_eq!(
        context.run(&["exec", "python", "--", "pytest"]).stdout,
        "pytest of [PROJECT]/.venv\n"
    );
    let script = context.run(&["exec", "python", "--", "script.py", "a"]);
    assert_eq!(
        script.stdout,
        "fake [PROJECT]/.venv/bin/python3 script.py a\n"
    );
    let missing = context.run(&["exec", "python", "--", "no-such-command"]);
    assert_eq!(missing.status, 127);
}

#[test]
fn exec_says_126_of_what_is_there_and_no_command() {
    let mut context = context();
    venv(&context, ".venv");
    context.file("bin/plain", "echo never\n");
    context.file("bin/folder/x", "");
    context.file("plain.sh", "");
    let path = context.project().join("bin");
    context.set_env("PATH", format!("{}:/usr/bin:/bin", path.display()));
    let ended = |word: &str| {
        let output = context.run(&["exec", "python", "--json", "--", word]);
        assert!(
            output.error()["help"]
                .as_str()
                .is_some_and(|help| !help.is_empty()),
            "{output}"
        );
        (output.status, output.error()["code"].clone())
    };
    for word in ["plain", "./bin/folder", "bin/", "/"] {
        assert_eq!(ended(word), (126, json!("exec::not_executable")), "{word}");
    }
    // A shell looks for no directory under a name.
    assert_eq!(ended("folder"), (127, json!("exec::not_found")));
    let given = context.run(&["exec", "python", "--", "./plain.sh"]);
    assert_eq!(
        given.stdout,
        "fake [PROJECT]/.venv/bin/python3 ./plain.sh\n"
    );
}

#[test]
fn an_interpreter_that_is_named_and_may_not_be_executed_is_126() {
    let context = context();
    let file = context.file("bin/plain", "echo never\n");
    let runtime = |fallback: &str| {
        let text = format!(
            "tool_type: runtime\nexecutor_id: subprocess\ndescription: x\nenv_config: {{interpreter: {{type: system_binary, binary: {}, var: X{fallback}}}}}\nconfig: {{command: \"${{X}}\"}}\n",
            file.display()
        );
        context.tool("runtimes/mine_runtime.yaml", text);
    };
    runtime("");
    let output = context.run(&["exec", "mine_runtime", "--json", "--", "-c", "x"]);
    assert_eq!(output.status, 126, "{output}");
    let error = output.error();
    assert_eq!(error["code"], "resolve::interpreter_not_executable");
    assert_eq!(
        error["help"],
        "make [PROJECT]/bin/plain executable, or remove it, or name another"
    );
    runtime(", fallback: sh");
    let output = context.run(&["exec", "mine_runtime", "--", "-c", "echo ran"]);
    assert_eq!(output.stdout, "ran\n", "{output}");
}

#[test]
fn exec_leaves_no_parent_behind() {
    let mut context = context();
    venv(&context, ".venv");
    context.executable("show-parent", "#!/bin/sh\necho $$\n");
    context.set_env(
        "PATH",
        format!("{}:/usr/bin:/bin", context.project().display()),
    );
    let mut command = context.command(&["exec", "python", "--", "show-parent"]);
    command.stdout(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    let pid = child.id();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        pid.to_string()
    );
}

#[test]
fn exec_passes_on_status_and_odd_arguments() {
    let context = context();
    context.executable("args", "#!/bin/sh\nprintf '%s|' \"$@\"\nexit 9\n");
    let output = context.run(&[
        "exec", "bash", "--", "./args", "a b", "", "--json", "$HOME", "ü",
    ]);
    assert_eq!(output.stdout, "a b||--json|$HOME|ü|");
    assert_eq!(output.status, 9);
}

#[test]
fn an_unknown_runtime_is_127() {
    let context = context();
    let output = context.run(&["env", "pythn", "--json"]);
    assert_eq!(output.status, 127);
    assert!(output.error()["help"].as_str().unwrap().contains("python"));
    assert_eq!(context.run(&["exec", "nothing", "--", "x"]).status, 127);
}

#[test]
fn a_missing_interpreter_is_127_and_lists_where_it_was_looked_for() {
    let mut context = context();
    context.set_env("PATH", "/nowhere");
    let output = context.run(&["env", "deno", "--json"]);
    assert_eq!(output.status, 127);
    assert_eq!(output.error()["code"], "resolve::interpreter_not_found");
}

#[test]
fn doctor_finds_what_is_wrong_and_says_how_to_fix_it() {
    let mut context = context();
    context.set_env("PATH", "/usr/bin:/bin");
    context.tool("good.sh", "echo\n");
    context.tool("bad.py", "def main(:\n");
    context.tool("py.py", "def main(): ...\n");
    context.file(".venv/pyvenv.cfg", "home = /gone/bin\nversion = 3.11.7\n");
    context.file(".env", "LD_PRELOAD=/evil.so\n");
    let output = context.run(&["doctor", "--json"]);
    assert_eq!(output.status, 1);
    let checks = output.data()["checks"].as_array().unwrap().clone();
    let find = |name: &str, status: &str| {
        let found = checks
            .iter()
            .find(|check| check["name"] == name && check["status"] == status);
        found
            .unwrap_or_else(|| panic!("no {status} {name} in {checks:#?}"))
            .clone()
    };
    assert!(
        find("tools", "fail")["detail"]
            .as_str()
            .unwrap()
            .contains("bad.py:1")
    );
    assert!(
        find("python", "fail")["fix"]
            .as_str()
            .unwrap()
            .contains("toolroom setup --repair")
    );
    assert!(
        find("dotenv", "warn")["detail"]
            .as_str()
            .unwrap()
            .contains("LD_PRELOAD")
    );
    find("bash", "ok");
    for check in &checks {
        let needs_fix = check["status"] != "ok";
        assert_eq!(check["fix"].is_string(), needs_fix, "{check}");
    }
}

#[test]
fn settings_with_a_mistake_are_named_with_their_line() {
    let context = context();
    context.file("toolroom.toml", "[dotenv]\nalow = []\n");
    let error = context.error(&["env", "bash"]);
    assert_eq!(error["code"], "settings::invalid");
    assert_eq!(error["line"], 2);
    context.file("toolroom.toml", "[dotenv]\nallow = [\"LD_*\"]\n");
    context.file(".env", "LD_PRELOAD=/mine.so\n");
    let data = context.data(&["env", "bash"]);
    assert_eq!(data["refused"], json!([]));
    assert_eq!(data["env"]["LD_PRELOAD"]["value"], "/mine.so");
}

#[test]
fn a_search_that_failed_is_told_place_by_place_in_plain_text() {
    let mut context = context();
    context.set_env("PATH", "/nowhere");
    let output = context.run(&["env", "deno", "--explain"]);
    assert_eq!(output.status, 127);
    insta::assert_snapshot!(output, @"
    status: 127
    ----- stdout -----
    ----- stderr -----
    error[resolve::interpreter_not_found]: no interpreter for RYE_DENO was found by
                                           deno
     │
     ├ note: tried, in order
     │         project
     │           · node_modules/.bin/deno  there is no such file
     │         user
     │           · ~/.deno/bin/deno  there is no such file
     │         system
     │           · deno on PATH  no directory of PATH has one that will do
     │         fallback
     │           · deno on PATH  no directory of PATH has one that will do
     ╰ help: install deno and put it on PATH
    ");
    let error = context.error(&["env", "deno", "--explain"]);
    assert_eq!(error["causes"], json!([]));
    assert_eq!(error["tried"][0]["verdict"], "absent");
    let help = context.error(&["env", "deno"])["help"].to_string();
    assert!(help.contains("`toolroom env deno --explain`"), "{help}");
}

#[test]
fn a_text_that_cannot_be_filled_in_is_told_once_with_its_file() {
    let context = context();
    context.tool(
        "t.yaml",
        "tool_type: tool\nexecutor_id: subprocess\ndescription: x\nconfig:\n  command: /bin/echo\n  args: [a, \"b ${NOPE}\"]\n",
    );
    context.tool(
        "u.yaml",
        "tool_type: tool\nexecutor_id: bash_runtime\ndescription: x\nenv_config:\n  env: {TOKEN: \"x ${\"}\n",
    );
    let error = context.error(&["run", "t"]);
    assert_eq!(
        error["message"],
        "config.args.1 of t cannot be filled in: the variable NOPE is not set (column 5 of the text)"
    );
    assert_eq!(error["causes"], json!([]));
    let error = context.error(&["env", "u"]);
    assert_eq!(
        error["message"],
        "the variable TOKEN of the tool u cannot be filled in: the template expects a variable name after ${, not the end of the text (column 5 of the text)"
    );
    assert_eq!(error["causes"], json!([]));
    assert_eq!(
        (&error["path"], &error["line"]),
        (&json!("[PROJECT]/.ai/tools/u.yaml"), &json!(4))
    );
}

#[test]
fn a_password_in_an_address_is_shown_nowhere() {
    let mut context = context();
    context.set_env("https_proxy", "http://me:hunter2@proxy:8080");
    context.file(".env", "DATABASE_URL=postgres://me:hunter2@db/x\n");
    for args in [
        &["env", "bash"][..],
        &["env", "bash", "--explain"],
        &["env", "bash", "--json"],
    ] {
        let output = context.run(args);
        assert!(!output.stdout.contains("hunter2"), "{output}");
        assert!(output.stdout.contains("postgres://***@db/x"), "{output}");
    }
    let passed = context.run(&[
        "exec",
        "bash",
        "--",
        "-c",
        "echo $https_proxy $DATABASE_URL",
    ]);
    assert_eq!(
        passed.stdout,
        "http://me:hunter2@proxy:8080 postgres://me:hunter2@db/x\n"
    );
}

const RUNTIME: &str = r#"
tool_type: runtime
executor_id: subprocess
description: Has several resources, and stands in a folder of its own.
env_config:
  interpreter: {type: system_binary, binary: sh, var: MY_SH}
  helper: {type: system_binary, binary: cat, var: MY_CAT}
  http_client: {type: http_config, timeout: 5, headers: {X-A: b}}
  env:
    ZED: "1"
    BOTH: "${MY_SH} ${MY_CAT}"
    AFTER: "${ZED}2"
    COUNT: 42
    FLAG: true
config: {command: "${MY_SH}", args: ["-c", "env"], call: {style: command}}
"#;

#[test]
fn a_runtime_has_as_many_resources_as_it_declares_wherever_it_stands() {
    let context = context();
    context.tool("deep/in/a/folder/mine.yaml", RUNTIME);
    context.tool(
        "t.yaml",
        "tool_type: tool\nexecutor_id: deep/in/a/folder/mine\ndescription: x\nenv_config: {env: {ZED: mine, ADDED: \"${BOTH}\"}}\nconfig: {env: {COUNT: 43, UNDER: \"${HOME}/x\"}}\n",
    );
    context.file(".env", "ZED=dotenv\nONLY=dotenv\n");
    let data = context.data(&["env", "t"]);
    let vars: Vec<&Value> = data["interpreters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| &found["var"])
        .collect();
    assert_eq!(vars, ["MY_SH", "MY_CAT"]);
    assert_eq!(
        data["resources"]["http_client"],
        json!({"timeout": 5, "retries": 3, "headers": {"X-A": "b"}})
    );
    let own = context.run(&["exec", "t", "--", "-c", "echo $ZED"]);
    assert_eq!(own.stdout, "mine\n", "{own}");
    let both = data["env"]["BOTH"]["value"].as_str().unwrap();
    assert!(both.ends_with("/cat") && both.contains("/sh "), "{both}");
    let output = context.run(&["run", "t"]).stdout;
    for line in [
        "ZED=mine",
        "AFTER=12",
        "COUNT=43",
        "UNDER=[HOME]/x",
        "FLAG=true",
        "ONLY=dotenv",
        &format!("BOTH={both}"),
        &format!("ADDED={both}"),
    ] {
        assert!(
            output.lines().any(|found| found == line),
            "{line}: {output}"
        );
    }
}

#[test]
fn a_type_nobody_knows_is_replaced_by_its_fallback_or_refused_with_a_hint() {
    let context = context();
    let runtime = |interpreter: &str| {
        let text = format!(
            "tool_type: runtime\nexecutor_id: subprocess\ndescription: x\nenv_config: {{interpreter: {interpreter}}}\nconfig: {{command: \"${{X}}\"}}\n"
        );
        context.tool("runtimes/mine_runtime.yaml", text);
    };
    runtime("{type: venv_pyton, var: X, fallback: sh}");
    let output = context.run(&["exec", "mine_runtime", "--", "-c", "echo ran"]);
    assert_eq!(output.stdout, "ran\n", "{output}");
    let notes = context.data(&["env", "mine_runtime"])["notes"].to_string();
    assert!(
        notes.contains("did you mean \\\"venv_python\\\"?"),
        "{notes}"
    );
    runtime("{type: venv_pyton, var: X}");
    let error = context.error(&["env", "mine_runtime"]);
    assert_eq!(error["code"], "resolve::unknown_resolver");
    assert!(
        error["help"]
            .as_str()
            .unwrap()
            .starts_with("did you mean \"venv_python\"?"),
        "{error}"
    );
}

/// Seed 004: a version manager that is not known gives its fallback.
#[test]
fn a_manager_nobody_knows_is_replaced_by_its_fallback_or_refused_with_a_hint() {
    let context = context();
    let runtime = |interpreter: &str| {
        let text = format!(
            "tool_type: runtime\nexecutor_id: subprocess\ndescription: x\nenv_config: {{interpreter: {interpreter}}}\nconfig: {{command: \"${{X}}\"}}\n"
        );
        context.tool("runtimes/mine_runtime.yaml", text);
    };
    for (manager, said) in [
        ("manager: rbnev, ", "(did you mean \"rbenv\"?)"),
        ("", "the option manager is missing; it is one of"),
    ] {
        runtime(&format!(
            "{{type: version_manager, {manager}var: X, fallback: sh}}"
        ));
        let output = context.run(&["exec", "mine_runtime", "--", "-c", "echo ran"]);
        assert_eq!(output.stdout, "ran\n", "{output}");
        let data = context.data(&["env", "mine_runtime"]);
        assert_eq!(data["interpreter"]["place"], "fallback", "{data:#}");
        let note = data["notes"][0].as_str().unwrap();
        assert!(note.contains(said), "{note}");
        assert!(note.contains("so its fallback \"sh\" is used"), "{note}");
        runtime(&format!("{{type: version_manager, {manager}var: X}}"));
        let error = context.error(&["env", "mine_runtime"]);
        assert_eq!(error["code"], "resolve::bad_resolver");
        assert!(error["message"].as_str().unwrap().contains(said), "{error}");
    }
}

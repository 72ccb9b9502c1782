//! `doctor`: what is wrong here, each with what to do about it, and no false alarms.
#![cfg(unix)]

mod packages;

use std::os::unix::fs::symlink;

use serde_json::Value;
use toolroom_test::TestContext;

use crate::context;

const FAKE: &str = "#!/bin/sh\necho fake\n";

/// A project with one Python tool.
fn with_a_tool() -> TestContext {
    let context = context();
    context.tool("py.py", "def main(): ...\n");
    context
}

fn venv(context: &TestContext, path: &str) {
    let base = context.executable(context.root().join("base/bin/python3.11"), FAKE);
    let home = base.parent().unwrap().display().to_string();
    context.file(
        format!("{path}/pyvenv.cfg"),
        format!("home = {home}\nversion = 3.11.7\n"),
    );
    context.executable(format!("{path}/bin/python3"), FAKE);
}

/// The checks of one name that are not well, as `status: detail → fix`.
fn told(context: &TestContext, name: &str) -> Vec<String> {
    let output = context.run(&["doctor", "--json"]);
    let checks = output.data()["checks"].clone();
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let unwell = checks.as_array().unwrap().iter().filter(|check| {
        assert_eq!(check["fix"].is_string(), check["status"] != "ok", "{check}");
        check["name"] == name && check["status"] != "ok"
    });
    let told: Vec<String> = unwell
        .map(|check| {
            let [status, detail, fix] = ["status", "detail", "fix"].map(|key| text(&check[key]));
            format!("{status}: {detail} → {fix}")
        })
        .collect();
    let is_failed = checks
        .as_array()
        .unwrap()
        .iter()
        .any(|check| check["status"] == "fail");
    assert_eq!(output.status, i32::from(is_failed));
    told
}

#[test]
fn a_sound_place_has_nothing_to_mend() {
    let context = with_a_tool();
    venv(&context, ".venv");
    assert_eq!(told(&context, "python"), [""; 0]);
    let output = context.run(&["doctor"]);
    assert_eq!(output.status, 0);
    assert!(
        output
            .stdout
            .contains("✓ python      .venv/bin/python3 3.11.7, from project\n"),
        "{output}"
    );
}

#[test]
fn broken_and_stale_environments_are_failures_with_their_repair() {
    let context = with_a_tool();
    let repair = "remake it with `toolroom setup --repair`, or remove .venv";
    context.file(".venv/pyvenv.cfg", "home = /gone/bin\nversion = 3.11.7\n");
    fs_err::create_dir_all(context.project().join(".venv/bin")).unwrap();
    symlink(
        "/gone/bin/python3",
        context.project().join(".venv/bin/python3"),
    )
    .unwrap();
    assert_eq!(
        told(&context, "python"),
        [format!(
            "fail: the project environment .venv is broken: .venv/bin/python3: it is a link to /gone/bin/python3, which is gone → {repair}"
        )]
    );
    fs_err::remove_file(context.project().join(".venv/bin/python3")).unwrap();
    let base = context.executable(context.root().join("base/bin/python3.12"), FAKE);
    symlink(&base, context.project().join(".venv/bin/python3")).unwrap();
    let home = base.parent().unwrap().display().to_string();
    context.file(
        ".venv/pyvenv.cfg",
        format!("home = {home}\nversion = 3.11.7\n"),
    );
    assert_eq!(
        told(&context, "python"),
        [format!(
            "fail: the project environment .venv is broken: it was made for version 3.11.7, but its base is now version 3.12 → {repair}"
        )]
    );
}

#[test]
fn an_environment_of_another_version_than_the_project_asks_for_is_told() {
    let context = with_a_tool();
    venv(&context, ".venv");
    context.file(".python-version", "3.12\n");
    assert_eq!(
        told(&context, "python"),
        [
            "warn: .venv has version 3.11.7, but .python-version asks for 3.12 → `toolroom setup --repair` remakes it"
        ]
    );
}

#[test]
fn what_lies_in_the_way_is_told_with_its_cure() {
    let context = with_a_tool();
    fs_err::create_dir_all(context.project().join(".venv/bin/python3")).unwrap();
    context.file("venv/bin/python3", "text");
    venv(&context, context.home().join(".venv").to_str().unwrap());
    assert_eq!(
        told(&context, "python"),
        [
            "warn: .venv/bin/python3 was passed over: it is a directory, not an executable file → rename or remove .venv/bin/python3",
            "warn: venv/bin/python3 was passed over: it is a file without the right to execute it → make venv/bin/python3 executable, or remove it",
        ]
    );
}

#[test]
fn a_shim_that_leads_nowhere_is_told_and_one_that_works_is_no_alarm() {
    let mut context = context();
    context.tool(
        "runtimes/sys_runtime.yaml",
        "tool_type: runtime\nexecutor_id: subprocess\ndescription: x\nenv_config: {interpreter: {type: venv_python, search: [system], var: PY}}\nconfig: {command: \"${PY}\"}\n",
    );
    context.tool(
        "t.yaml",
        "tool_type: tool\nexecutor_id: sys_runtime\ndescription: x\n",
    );
    let shims = context.home().join(".pyenv/shims");
    context.executable(shims.join("python3"), FAKE);
    context.set_env("PATH", toolroom_test::usual_path(&[shims]));
    context.executable(
        context.home().join(".pyenv/versions/3.11.7/bin/python3"),
        FAKE,
    );
    for (global, is_faulty) in [("3.11.7", false), ("system", false), ("3.9.1", true)] {
        context.file(context.home().join(".pyenv/version"), global);
        let told = told(&context, "runtimes/sys_runtime");
        let shim = told.iter().find(|text| text.contains("shims/python3"));
        assert_eq!(shim.is_some(), is_faulty, "{global}: {told:?}");
        if let Some(shim) = shim {
            let start = "warn: ~/.pyenv/shims/python3 was passed over: it is a shim of pyenv that leads nowhere";
            let end = "or take ~/.pyenv/shims out of PATH";
            assert!(shim.starts_with(start) && shim.ends_with(end), "{shim}");
        }
    }
    context.file(context.home().join(".pyenv/version"), "3.11.7");
    let text = context.run(&["doctor"]).stdout;
    assert!(text.contains("~/.pyenv/shims/python3 stands for"), "{text}");
}

#[test]
fn another_interpreter_in_a_shell_is_told_unless_an_environment_explains_it() {
    let mut context = with_a_tool();
    let mine = context.executable(context.root().join("mine/python3"), FAKE);
    context.set_env(
        "PATH",
        format!("{}:/usr/bin:/bin", mine.parent().unwrap().display()),
    );
    context.executable(
        context.home().join(".pyenv/versions/3.11.7/bin/python3"),
        FAKE,
    );
    assert_eq!(
        told(&context, "python"),
        [
            "warn: tools run ~/.pyenv/versions/3.11.7/bin/python3, while a shell runs [ROOT]/mine/python3 → toolroom exec python -- … runs commands where tools run"
        ]
    );
    venv(&context, ".venv");
    assert_eq!(told(&context, "python"), [""; 0]);
}

#[test]
fn what_only_the_path_of_a_shell_finds_is_told_for_programs_of_a_desktop() {
    let mut context = context();
    context.tool(
        "d.ts",
        "export const executor_id = \"deno_runtime\";\nexport function main() {}\n",
    );
    let deno = context.executable(context.root().join("mine/deno"), FAKE);
    context.set_env(
        "PATH",
        format!("{}:/usr/bin:/bin", deno.parent().unwrap().display()),
    );
    assert_eq!(
        told(&context, "deno"),
        [
            "warn: a program started from a desktop would not find it → put [ROOT]/mine on the PATH of the program, or start it from a shell"
        ]
    );
}

#[test]
fn a_missing_runtime_fails_only_where_a_tool_needs_it() {
    let mut context = context();
    context.set_env("PATH", "/nowhere");
    assert_eq!(told(&context, "deno"), [""; 0]);
    context.tool(
        "d.ts",
        "export const executor_id = \"deno_runtime\";\nexport function main() {}\n",
    );
    assert_eq!(
        told(&context, "deno"),
        [
            "fail: not installed, but tools here need it → install deno and put it on PATH; `toolroom env deno --explain` shows where it was looked for"
        ]
    );
}

#[test]
fn dotenv_files_are_told_of_once_whatever_the_runtimes() {
    let context = with_a_tool();
    context.tool("b.sh", "echo\n");
    context.file(".env", "GOOD=1\nLD_PRELOAD=/hunter2.so\nBAD=\"hunter2\n");
    assert_eq!(
        told(&context, "dotenv"),
        [
            "warn: LD_PRELOAD from .env:2 was refused: a dotenv file may not change what a process loads → take LD_PRELOAD out of the file, or allow it in toolroom.toml: [dotenv] allow = [\"LD_PRELOAD\"]",
            "warn: .env: line 3 (BAD): the quote is never closed → close the quote; within double quotes write \\\" for a quote",
        ]
    );
    assert!(!context.run(&["doctor"]).stdout.contains("hunter2"));
}

#[test]
fn a_variable_that_would_mislead_an_interpreter_is_told() {
    let mut context = with_a_tool();
    venv(&context, ".venv");
    context.set_env("PYTHONHOME", "/nope");
    assert_eq!(
        told(&context, "python"),
        [
            "warn: PYTHONHOME is not passed on, for it could mislead RYE_PYTHON → to keep it, set it in the tool's env"
        ]
    );
}

#[test]
fn lines_fit_the_terminal_and_are_whole_when_piped() {
    let mut context = with_a_tool();
    context.file(".env", "LD_PRELOAD=x\n");
    context.file(".venv/pyvenv.cfg", "version = 3.11.7\n");
    context.executable(".venv/bin/python3", FAKE);
    for (args, long) in [
        (
            &["doctor"][..],
            "or allow it in toolroom.toml: [dotenv] allow = [\"LD_PRELOAD\"]",
        ),
        (
            &["env", "bash", "--explain"][..],
            "a dotenv file may not change what a process loads; allow the name under [dotenv] allow",
        ),
    ] {
        for width in [40_usize, 80] {
            context.set_env("COLUMNS", width.to_string());
            let output = context.command(args).output().unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            for line in text.lines().filter(|line| line.contains(' ')) {
                // A word that is wider than the terminal cannot be helped.
                let words = line
                    .trim_start()
                    .split(' ')
                    .map(|word| word.chars().count());
                let fits = line.chars().count() <= width || words.max() > Some(width / 2);
                assert!(fits, "{width}: {line}");
            }
            assert!(!text.contains(long), "{text}");
        }
        context.remove_env("COLUMNS");
        let text = context.run(args).stdout;
        assert!(text.contains(long), "{text}");
    }
}

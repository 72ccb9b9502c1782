//! Real interpreters, found and started: what they say of themselves is what was promised.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use toolroom_test::TestContext;

use crate::context;

/// A real environment, made by the interpreter itself.
fn made(python: &Path, directory: &Path) {
    let status = Command::new(python)
        .args(["-m", "venv", "--without-pip"])
        .arg(directory)
        .status()
        .unwrap();
    assert!(status.success());
}

const WHO: &str = "import os, sys; print(sys.prefix); print(sys.prefix != sys.base_prefix); print(os.environ['VIRTUAL_ENV']); print(sys.path[-1].startswith(sys.prefix))";

#[track_caller]
fn is_in(context: &TestContext, environment: &str) {
    let output = context.run(&["exec", "python", "--", "-c", WHO]);
    let expected = format!("{environment}\nTrue\n{environment}\nTrue\n");
    assert_eq!(output.stdout, expected, "{output}");
}

#[test]
fn a_python_knows_itself_to_be_in_the_environment_that_was_found() {
    let Some(python) = toolroom_test::program("python3") else {
        return;
    };
    let mut context = context();
    // Each of these makes an interpreter that inherits it fail, or forget where it is.
    for name in [
        "PYTHONHOME",
        "PYTHONEXECUTABLE",
        "__PYVENV_LAUNCHER__",
        "PYTHONPATH",
    ] {
        context.set_env(name, "/nowhere");
    }
    context.set_env("VIRTUAL_ENV", "/usr");
    let own = context.project().join(".venv");
    made(&python, &own);
    is_in(&context, "[PROJECT]/.venv");
    let elsewhere = context.root().join("elsewhere");
    fs_err::rename(&own, &elsewhere).unwrap();
    symlink(&elsewhere, &own).unwrap();
    is_in(&context, "[PROJECT]/.venv");
    fs_err::remove_file(&own).unwrap();
    context.file(".venv", "../elsewhere\n");
    is_in(&context, "[ROOT]/elsewhere");
}

#[test]
fn a_real_environment_that_lost_its_base_is_refused() {
    let Some(python) = toolroom_test::program("python3") else {
        return;
    };
    let context = context();
    let base = context.root().join("base");
    made(&python, &base);
    // An environment whose interpreter is another's: the base can be taken away.
    let own = context.project().join(".venv");
    made(&python, &own);
    for name in ["python", "python3"] {
        let link = own.join("bin").join(name);
        fs_err::remove_file(&link).unwrap();
        symlink(base.join("bin/python3"), &link).unwrap();
    }
    assert_eq!(
        context.run(&["exec", "python", "--", "-c", "pass"]).status,
        0
    );
    fs_err::remove_dir_all(&base).unwrap();
    let output = context.run(&["exec", "python", "--", "-c", "print('ran')"]);
    assert_eq!(
        (output.status, output.stdout.as_str()),
        (125, ""),
        "{output}"
    );
    assert!(
        output.stderr.contains("toolroom setup --repair"),
        "{output}"
    );
}

#[test]
fn a_script_of_the_interpreter_runs_with_the_same_interpreter() {
    let Some(node) = toolroom_test::program("node") else {
        return;
    };
    let context = context();
    let bin = context.home().join(".nvm/versions/node/v20.1.0/bin");
    fs_err::create_dir_all(&bin).unwrap();
    symlink(&node, bin.join("node")).unwrap();
    context.file(".nvmrc", "20\n");
    let script =
        "#!/usr/bin/env node\nconsole.log(process.env.PATH.split(':')[0], process.env.RYE_NODE)\n";
    context.executable("node_modules/.bin/who", script);
    let output = context.run(&["exec", "node", "--", "who"]);
    let bin = "[HOME]/.nvm/versions/node/v20.1.0/bin";
    assert_eq!(output.stdout, format!("{bin} {bin}/node\n"), "{output}");
}

#[test]
fn deno_bun_and_go_are_found_and_started() {
    let table = [
        (
            "deno",
            "RYE_DENO",
            "KIWI_DENO",
            &["deno", "eval", "console.log('ran')"][..],
        ),
        (
            "bun",
            "RYE_BUN",
            "KIWI_BUN",
            &["bun", "-e", "console.log('ran')"][..],
        ),
        ("go", "RYE_GO", "KIWI_GO", &["go", "version"][..]),
    ];
    for (runtime, var, alias, argv) in table {
        let Some(program) = toolroom_test::program(runtime) else {
            continue;
        };
        let mut context = context();
        context.set_env("PATH", toolroom_test::path());
        let data = context.data(&["env", runtime]);
        let path = program.to_str().unwrap();
        assert_eq!(data["interpreter"]["path"], path, "{runtime}");
        for name in [var, alias] {
            assert_eq!(data["env"][name]["value"], path, "{runtime}");
        }
        let words = [&["exec", runtime, "--"][..], argv].concat();
        let output = context.run(&words);
        assert_eq!(output.status, 0, "{runtime}: {output}");
        let expected = if runtime == "go" {
            "go version go"
        } else {
            "ran\n"
        };
        assert!(output.stdout.starts_with(expected), "{runtime}: {output}");
        // A version that was told without running it is the one it tells itself.
        if let Some(version) = data["interpreter"]["version"].as_str() {
            let flag = if runtime == "go" {
                "version"
            } else {
                "--version"
            };
            let output = context.run(&["exec", runtime, "--", runtime, flag]);
            assert!(
                output.stdout.contains(version),
                "{runtime} {version}: {output}"
            );
        }
        let explained = context.run(&["env", runtime, "--explain"]).stdout;
        assert!(
            explained.contains("why: the first on PATH that will do"),
            "{explained}"
        );
    }
}

#[test]
fn a_subcommand_is_given_to_the_interpreter_by_its_name() {
    let mut context = context();
    context.executable(context.root().join("bin/go"), "#!/bin/sh\necho \"$@\"\n");
    context.set_env("PATH", context.root().join("bin"));
    let output = context.run(&["exec", "go", "--", "vet", "./x"]);
    assert_eq!(output.status, 127);
    assert!(
        output.stderr.contains("toolroom exec go -- go vet\n"),
        "{output}"
    );
    let output = context.run(&["exec", "go", "--", "go", "vet", "./x"]);
    assert_eq!(output.stdout, "vet ./x\n");
}

#[test]
fn go_is_told_not_to_fetch_another_go() {
    let mut context = context();
    context.executable(
        context.root().join("bin/go"),
        "#!/bin/sh\necho \"$GOTOOLCHAIN\"\n",
    );
    context.set_env("PATH", context.root().join("bin"));
    assert_eq!(context.run(&["exec", "go", "--", "-x"]).stdout, "local\n");
    context.set_env("GOTOOLCHAIN", "auto");
    assert_eq!(context.run(&["exec", "go", "--", "-x"]).stdout, "auto\n");
}

//! The cases in which others answer wrongly and say nothing, through the binary.
#![cfg(unix)]

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};
use toolroom_test::TestContext;

use crate::context;

/// Says what it is when it is run.
const FAKE: &str = "#!/bin/sh\necho \"ran $0\"\n";

/// A context whose PATH has nothing but its own folder.
fn alone() -> TestContext {
    let mut context = context();
    let bin = context.root().join("bin");
    fs_err::create_dir_all(&bin).unwrap();
    context.set_env("PATH", bin);
    context
}

fn at_home(context: &TestContext, path: &str) -> PathBuf {
    context.executable(context.home().join(path), FAKE)
}

fn venv(context: &TestContext, path: &str, version: &str) {
    let base = context.executable(context.root().join("base/bin/python3.11"), FAKE);
    let home = base.parent().unwrap().display().to_string();
    let text = format!("home = {home}\nversion = {version}\n");
    context.file(format!("{path}/pyvenv.cfg"), text);
    fs_err::create_dir_all(context.project().join(path).join("bin")).unwrap();
    symlink(&base, context.project().join(path).join("bin/python3")).unwrap();
}

/// The interpreter that is named and the one that runs, which are the same.
#[track_caller]
fn chosen(context: &TestContext, runtime: &str) -> String {
    let data = context.data(&["env", runtime]);
    let path = data["interpreter"]["path"].as_str().unwrap().to_owned();
    let ran = context.run(&["exec", runtime, "--", "-x"]);
    assert_eq!(ran.stdout, format!("ran {path}\n"), "{ran}");
    path
}

#[track_caller]
fn refused(context: &TestContext, runtime: &str) -> Value {
    let error = context.error(&["env", runtime]);
    let ran = context.run(&["exec", runtime, "--", "-x"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (125, ""), "{ran}");
    assert!(error["help"].is_string(), "{error}");
    error
}

#[test]
fn a_file_in_place_of_the_environment_names_it() {
    let context = alone();
    venv(&context, "../envs/mine", "3.11.4");
    context.file(".venv", "../envs/mine\r\n");
    assert_eq!(chosen(&context, "python"), "[ROOT]/envs/mine/bin/python3");
    context.executable(".venv", "#!/bin/sh\necho run\n");
    assert_eq!(
        refused(&context, "python")["code"],
        "resolve::broken_environment"
    );
}

#[test]
fn a_base_of_another_minor_version_is_refused() {
    let context = alone();
    at_home(&context, ".pyenv/versions/3.12.0/bin/python3");
    venv(&context, ".venv", "3.10.2");
    let error = refused(&context, "python");
    assert_eq!(error["code"], "resolve::broken_environment");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.ends_with("it was made for version 3.10.2, but its base is now version 3.11"),
        "{message}"
    );
}

#[test]
fn a_directory_and_a_plain_file_are_no_interpreters() {
    let context = alone();
    fs_err::create_dir_all(context.project().join(".venv/bin/python3")).unwrap();
    context.file("venv/bin/python3", "text");
    at_home(&context, ".venv/bin/python3");
    assert_eq!(chosen(&context, "python"), "[HOME]/.venv/bin/python3");
}

#[test]
fn a_variable_that_names_junk_or_the_system_changes_nothing() {
    let mut context = alone();
    venv(&context, ".venv", "3.11.4");
    for junk in ["/usr", "/nowhere", "junk", ""] {
        context.set_env("VIRTUAL_ENV", junk);
        assert_eq!(
            chosen(&context, "python"),
            "[PROJECT]/.venv/bin/python3",
            "{junk}"
        );
        let explained = context.run(&["env", "python", "--explain"]).stdout;
        let is_told = explained.contains("${VIRTUAL_ENV} names it");
        assert_eq!(is_told, !junk.is_empty(), "{explained}");
    }
}

#[test]
fn shims_first_on_path_are_not_run() {
    let table = [
        (
            "python",
            "python3",
            ".pyenv",
            "versions/3.10.1/bin",
            ".python-version",
            "3.10",
        ),
        (
            "ruby",
            "ruby",
            ".rbenv",
            "versions/3.2.1/bin",
            ".ruby-version",
            "3.2.1",
        ),
        (
            "node",
            "node",
            ".nodenv",
            "versions/20.1.0/bin",
            ".node-version",
            "20",
        ),
        (
            "node",
            "node",
            ".asdf",
            "installs/nodejs/20.1.0/bin",
            ".tool-versions",
            "nodejs 20.1.0",
        ),
    ];
    for (runtime, binary, root, folder, file, wanted) in table {
        let mut context = alone();
        let trace = context.root().join("shell-was-started");
        let shim = format!("#!/usr/bin/env bash\n> '{}'\nexit 9\n", trace.display());
        context.executable(context.home().join(root).join("shims").join(binary), shim);
        context.set_env("PATH", context.home().join(root).join("shims"));
        at_home(&context, &format!("{root}/{folder}/{binary}"));
        context.file(file, wanted);
        let expected = format!("[HOME]/{root}/{folder}/{binary}");
        assert_eq!(chosen(&context, runtime), expected);
        assert!(!trace.exists(), "{root}");
    }
}

#[test]
fn an_nvmrc_is_read_in_every_spelling() {
    let context = alone();
    for version in ["18.20.0", "20.11.1", "22.2.0"] {
        at_home(&context, &format!(".nvm/versions/node/v{version}/bin/node"));
    }
    for (name, text) in [
        ("lts/*", "lts/jod\n"),
        ("lts/jod", "v22.2.0\n"),
        ("a", "b"),
        ("b", "a"),
    ] {
        context.file(context.home().join(".nvm/alias").join(name), text);
    }
    let table: [(&[u8], &str); 6] = [
        (b"lts/*\n", "22.2.0"),
        (b"lts/iron", "20.11.1"),
        (b"v18", "18.20.0"),
        (b"18.20.0\r\n", "18.20.0"),
        (b"\xFF\xFE2\x000\x00\r\x00\n\x00", "20.11.1"),
        (b"# a comment\n\n20 # here\n", "20.11.1"),
    ];
    for (text, version) in table {
        context.file(".nvmrc", text);
        let expected = format!("[HOME]/.nvm/versions/node/v{version}/bin/node");
        assert_eq!(chosen(&context, "node"), expected);
    }
    for (text, code) in [
        ("a", "resolve::bad_version"),
        ("../../evil", "resolve::bad_version"),
        ("16", "resolve::version_not_installed"),
    ] {
        context.file(".nvmrc", text);
        let error = refused(&context, "node");
        assert_eq!(error["code"], code, "{text}");
        assert_eq!(error["path"], "[PROJECT]/.nvmrc", "{text}");
    }
}

#[test]
fn the_first_of_several_tool_versions_that_is_installed_is_taken() {
    let context = alone();
    at_home(&context, ".asdf/installs/nodejs/18.1.0/bin/node");
    at_home(&context, ".asdf/installs/nodejs/16.0.0/bin/node");
    context.file(
        ".tool-versions",
        "python 3.11.1\nnodejs 22.0.0 18.1.0 16.0.0\n",
    );
    assert_eq!(
        chosen(&context, "node"),
        "[HOME]/.asdf/installs/nodejs/18.1.0/bin/node"
    );
    let error = refused(&context, "python");
    assert_eq!(error["code"], "resolve::version_not_installed");
}

#[test]
fn the_base_of_conda_is_no_choice_but_a_child_is() {
    let mut context = alone();
    context.tool(
        "runtimes/conda_runtime.yaml",
        "tool_type: runtime\nexecutor_id: subprocess\ndescription: x\nenv_config: {interpreter: {type: conda_env, var: PY}}\nconfig: {command: \"${PY}\"}\n",
    );
    for prefix in ["conda", "conda/envs/child"] {
        fs_err::create_dir_all(context.root().join(prefix).join("conda-meta")).unwrap();
        context.executable(context.root().join(prefix).join("bin/python3"), FAKE);
    }
    let place = |context: &TestContext| {
        context.data(&["env", "conda_runtime"])["interpreter"]["place"].clone()
    };
    context.set_env("CONDA_PREFIX", context.root().join("conda"));
    context.set_env("CONDA_DEFAULT_ENV", "base");
    assert_eq!(
        chosen(&context, "conda_runtime"),
        "[ROOT]/conda/bin/python3"
    );
    assert_eq!(place(&context), "system");
    context.set_env("CONDA_PREFIX", context.root().join("conda/envs/child"));
    context.set_env("CONDA_DEFAULT_ENV", "child");
    assert_eq!(
        chosen(&context, "conda_runtime"),
        "[ROOT]/conda/envs/child/bin/python3"
    );
    assert_eq!(place(&context), "project");
}

#[test]
fn a_strange_path_is_only_a_path() {
    for name in [
        "a b",
        "it's",
        "say \"hi\"",
        "$HOME",
        "${HOME}",
        "(x) [y] {z}",
        "größe-測試",
    ] {
        let mut context = alone();
        context.enter(name);
        fs_err::create_dir_all(context.project().join(name).join(".ai")).unwrap();
        venv(&context, &format!("{name}/.venv"), "3.11.4");
        assert_eq!(
            chosen(&context, "python"),
            format!("[PROJECT]/{name}/.venv/bin/python3")
        );
    }
}

#[test]
fn without_a_home_and_without_a_path_a_project_works() {
    let mut context = alone();
    venv(&context, ".venv", "3.11.4");
    context.remove_env("HOME");
    context.remove_env("USERPROFILE");
    for path in [None, Some(""), Some(":")] {
        match path {
            Some(path) => context.set_env("PATH", path),
            None => context.remove_env("PATH"),
        };
        assert_eq!(chosen(&context, "python"), "[PROJECT]/.venv/bin/python3");
    }
    let error = context.run(&["env", "deno", "--json"]);
    assert_eq!(error.status, 127);
}

#[test]
fn a_home_that_is_no_folder_is_none() {
    let mut context = alone();
    venv(&context, ".venv", "3.11.4");
    context.set_env("HOME", "/dev/null");
    for name in [
        "XDG_CONFIG_HOME",
        "XDG_CACHE_HOME",
        "XDG_STATE_HOME",
        "XDG_DATA_HOME",
    ] {
        context.remove_env(name);
    }
    assert_eq!(chosen(&context, "python"), "[PROJECT]/.venv/bin/python3");
    for command in ["list", "runs", "setup"] {
        let outcome = context.run(&[command, "--json"]);
        assert_eq!(outcome.status, 0, "{command}: {}", outcome.stdout);
    }
}

#[test]
fn a_folder_of_a_monorepo_has_the_project_and_nothing_above_it() {
    let mut context = alone();
    venv(&context, ".venv", "3.11.4");
    context.enter("packages/web/src");
    assert_eq!(chosen(&context, "python"), "[PROJECT]/.venv/bin/python3");
    context.enter("nested");
    fs_err::create_dir_all(context.project().join("nested/.ai")).unwrap();
    let own = context.executable(context.root().join("bin/python3"), FAKE);
    assert_eq!(
        chosen(&context, "python"),
        context.normalise(own.to_str().unwrap().as_bytes())
    );
}

#[test]
fn a_home_nobody_can_write_to_is_no_obstacle() {
    let mut context = alone();
    // No file system is more read-only, not even to the superuser.
    if !std::path::Path::new("/proc/self").is_dir() {
        toolroom_test::skip("/proc");
        return;
    }
    context.set_env("HOME", "/proc");
    venv(&context, ".venv", "3.11.4");
    assert_eq!(chosen(&context, "python"), "[PROJECT]/.venv/bin/python3");
    assert_eq!(context.run(&["list"]).status, 0);
    let checks = context.data(&["doctor"])["checks"].clone();
    let cache = checks
        .as_array()
        .unwrap()
        .iter()
        .find(|check| check["name"] == "cache");
    assert_eq!(cache.unwrap()["status"], "warn");
}

#[test]
fn ten_thousand_installed_versions_are_searched_for_the_newest() {
    let context = alone();
    let versions = context.home().join(".pyenv/versions");
    fs_err::create_dir_all(&versions).unwrap();
    for number in 0..10_000 {
        let version = format!("3.{}.{}", number / 100, number % 100);
        fs_err::create_dir(versions.join(version)).unwrap();
    }
    at_home(&context, ".pyenv/versions/3.99.99/bin/python3");
    let newest = "[HOME]/.pyenv/versions/3.99.99/bin/python3";
    assert_eq!(chosen(&context, "python"), newest);
    let data = context.data(&["env", "python"]);
    assert_eq!(data["interpreter"]["version"], json!("3.99.99"));
}

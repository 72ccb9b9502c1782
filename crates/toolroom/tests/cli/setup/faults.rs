//! What must never happen: a half-made environment taken for whole, a user's changed.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use toolroom_test::{TestContext, skip, tools, usual_path};

use super::{WHERE, bytes_of, frozen, plan, real, runs_in, venv, with_uv};

/// A context whose uv waits for ever in one of its commands.
pub(super) fn with_stuck_uv(command: &str) -> Option<TestContext> {
    let context = with_uv()?;
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = {command} ]; then sleep 600; fi\nexec {} \"$@\"\n",
        tools().join("uv/bin/uv").display()
    );
    context.executable(context.root().join("stuck/uv"), script);
    Some(context)
}

fn start(context: &mut TestContext, stuck: bool) -> Child {
    let uv = if stuck {
        context.root().join("stuck")
    } else {
        tools().join("uv/bin")
    };
    context.set_env("PATH", usual_path(&[uv]));
    context
        .command(&["setup"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

pub(super) fn journal(context: &TestContext) -> String {
    fs_err::read_to_string(context.home().join(".local/state/toolroom/journal.jsonl"))
        .unwrap_or_default()
}

pub(super) fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(30), "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_kill_at_any_step_leaves_something_the_next_run_repairs() {
    for step in ["venv", "pip"] {
        let Some(mut context) = with_stuck_uv(step) else {
            return;
        };
        context.file("requirements.txt", "six\n");
        context.tool("where.py", WHERE);
        let mut killed = start(&mut context, true);
        wait_until("the step begins", || {
            journal(&context).contains(&format!("\"{step}\""))
        });
        killed.kill().unwrap();
        killed.wait().unwrap();
        let environment = context.project().join(".venv");
        assert!(environment.join(".toolroom-unfinished").exists(), "{step}");
        let error = context.error(&["run", "where"]);
        assert_eq!(
            error["code"], "resolve::broken_environment",
            "{step}: {error:#}"
        );
        let mut again = start(&mut context, false);
        assert!(again.wait().unwrap().success(), "{step}");
        assert!(!environment.join(".toolroom-unfinished").exists(), "{step}");
        assert_eq!(frozen(&context, &environment).len(), 1, "{step}");
        assert_eq!(runs_in(&context, "where"), environment);
    }
}

#[test]
fn a_kill_during_an_install_into_a_users_environment_leaves_it_as_it_was() {
    let Some(mut context) = with_stuck_uv("pip") else {
        return;
    };
    context.file("requirements.txt", "six\nidna\n");
    let theirs = venv(&context, ".venv", &["six==1.16.0"]);
    let before = bytes_of(&theirs);
    let mut killed = start(&mut context, true);
    wait_until("the step begins", || journal(&context).contains("\"pip\""));
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(bytes_of(&theirs), before);
    assert!(start(&mut context, false).wait().unwrap().success());
    assert_eq!(frozen(&context, &theirs).len(), 2);
}

#[test]
fn a_package_that_a_kill_left_half_installed_is_installed_again() {
    let Some(mut context) = with_stuck_uv("pip") else {
        return;
    };
    context.file("requirements.txt", "six\nidna\n");
    let theirs = venv(&context, ".venv", &["six==1.16.0"]);
    let mut killed = start(&mut context, true);
    wait_until("the step begins", || journal(&context).contains("\"pip\""));
    killed.kill().unwrap();
    killed.wait().unwrap();
    let lib = fs_err::read_dir(theirs.join("lib"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let half = lib.join("site-packages/idna-3.10.dist-info");
    context.file(
        half.join("METADATA"),
        "Metadata-Version: 2.1\nName: idna\nVersion: 3.10\n",
    );
    assert!(start(&mut context, false).wait().unwrap().success());
    let python = std::process::Command::new(theirs.join("bin/python"))
        .args(["-c", "import idna, six"])
        .status()
        .unwrap();
    assert!(python.success());
    assert_eq!(plan(&context, &[])["action"], "reuse");
}

#[test]
fn an_interrupt_ends_setup_and_leaves_nothing_behind() {
    let Some(mut context) = with_stuck_uv("pip") else {
        return;
    };
    context.file("requirements.txt", "six\n");
    let mut interrupted = start(&mut context, true);
    wait_until("the step begins", || journal(&context).contains("\"pip\""));
    let id = interrupted.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(interrupted.wait().unwrap().code(), Some(130));
    assert!(!context.project().join(".venv").exists());
}

#[test]
fn an_interpreter_is_planned_to_be_fetched_but_never_silently() {
    let Some(context) = with_uv() else { return };
    context.file("pyproject.toml", "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.99\"\ndependencies = [\"six\"]\n");
    let planned = plan(&context, &["--plan"]);
    let fetch: Vec<&str> = planned["commands"][0]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|word| word.as_str())
        .collect();
    assert!(
        fetch.ends_with(&["python", "install", ">=3.99"]),
        "{planned:#}"
    );
    assert_eq!(
        context.error(&["setup"])["code"],
        "provision::needs_consent"
    );
    assert!(!context.project().join(".venv").exists());
}

#[test]
fn a_refused_or_failed_plan_leaves_a_users_environment_byte_for_byte() {
    let Some(context) = with_uv() else { return };
    let theirs = venv(&context, ".venv", &["six==1.16.0"]);
    let before = bytes_of(&theirs);
    let table = [
        (
            "six\nno-such-package-of-toolroom-tests\n",
            "provision::failed",
        ),
        ("six\nfoo_>=1 and garbage\n", "provision::refused"),
        ("six\n-r gone.txt\n", "provision::refused"),
    ];
    for (requirements, code) in table {
        context.file("requirements.txt", requirements);
        let error = context.error(&["setup"]);
        assert_eq!(error["code"], code, "{requirements}: {error:#}");
        assert_eq!(bytes_of(&theirs), before, "{requirements}");
    }
}

#[test]
fn without_the_network_nothing_half_made_is_left() {
    let Some(mut context) = with_uv() else { return };
    let empty = context.root().join("no-cache");
    context.set_env("UV_CACHE_DIR", empty);
    context.remove_env("PIP_FIND_LINKS");
    context.file("requirements.txt", "six\n");
    let error = context.error(&["setup", "--offline"]);
    assert_eq!(error["code"], "provision::failed", "{error:#}");
    assert!(!context.project().join(".venv").exists());
    let run = context.run(&["setup", "--offline"]);
    assert_eq!(run.status, 125, "{run}");
}

#[test]
fn what_the_cache_holds_is_installed_without_the_network() {
    let Some(context) = with_uv() else { return };
    venv(&context, "warm", &["six==1.16.0"]);
    context.file("requirements.txt", "six==1.16.0\n");
    assert_eq!(plan(&context, &["--offline"])["applied"], true);
}

#[test]
fn a_file_in_the_place_of_an_environment_is_refused_and_moved_aside_on_demand() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "six\n");
    let file = context.file(".venv", "not an environment\n");
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "provision::refused", "{error:#}");
    assert!(error["help"].as_str().unwrap().contains("--repair"));
    assert_eq!(
        fs_err::read_to_string(&file).unwrap(),
        "not an environment\n"
    );
    let done = plan(&context, &["--repair"]);
    assert_eq!(
        (done["action"].as_str(), done["applied"].as_bool()),
        (Some("repair"), Some(true))
    );
    let aside = context.project().join(".venv.broken-1");
    assert_eq!(
        fs_err::read_to_string(aside).unwrap(),
        "not an environment\n"
    );
}

#[test]
fn a_dangling_environment_is_refused_and_never_deleted() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "six\n");
    let theirs = venv(&context, ".venv", &["six"]);
    let python = theirs.join("bin/python");
    fs_err::remove_file(&python).unwrap();
    fs_err::os::unix::fs::symlink("/nowhere/python3", &python).unwrap();
    let before = bytes_of(&theirs);
    assert_eq!(context.error(&["setup"])["code"], "provision::refused");
    assert_eq!(bytes_of(&theirs), before);
    plan(&context, &["--repair"]);
    let aside: Vec<_> = bytes_of(&context.project().join(".venv.broken-1"))
        .into_values()
        .collect();
    assert_eq!(aside, before.into_values().collect::<Vec<_>>());
}

#[test]
fn our_own_broken_environment_is_remade_without_a_word() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "six\n");
    plan(&context, &[]);
    let python = context.project().join(".venv/bin/python");
    fs_err::remove_file(&python).unwrap();
    fs_err::os::unix::fs::symlink("/nowhere/python3", &python).unwrap();
    let done = plan(&context, &[]);
    assert_eq!(
        (done["action"].as_str(), done["applied"].as_bool()),
        (Some("repair"), Some(true)),
        "{done:#}"
    );
    assert!(!context.project().join(".venv.broken-1").exists());
}

#[test]
fn a_place_that_cannot_be_made_is_an_error_and_theirs_is_untouched() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "pluggy>=1.5\n");
    let theirs = venv(&context, ".venv", &["pluggy==0.13.1"]);
    let before = bytes_of(&theirs);
    context.file(".ai/scripts", "a file where a folder should be\n");
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "provision::io", "{error:#}");
    assert_eq!(bytes_of(&theirs), before);
}

#[test]
fn of_processes_that_race_one_does_the_work_and_the_others_find_it_done() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "six\n");
    let racers: Vec<Child> = (0..6)
        .map(|_| {
            context
                .command(&["setup"])
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .unwrap()
        })
        .collect();
    for racer in racers {
        let output = racer.wait_with_output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let made = journal(&context)
        .lines()
        .filter(|line| line.contains("\"event\":\"made\""))
        .count();
    assert_eq!(made, 1);
    assert_eq!(frozen(&context, &context.project().join(".venv")).len(), 1);
}

#[test]
fn without_uv_venv_and_pip_do_the_work() {
    let Some(python) = python_with_pip() else {
        return skip("Python with ensurepip");
    };
    let context = real(&[python.parent().unwrap().to_path_buf()]);
    context.file("requirements.txt", "six==1.16.0\n");
    context.tool("where.py", WHERE);
    let done = plan(&context, &[]);
    assert_eq!(done["applied"], true, "{done:#}");
    assert!(
        done["commands"][1]
            .as_array()
            .unwrap()
            .iter()
            .any(|word| word == "pip"),
        "{done:#}"
    );
    assert_eq!(runs_in(&context, "where"), context.project().join(".venv"));
}

/// An interpreter on the tests' own PATH that can make environments with pip in them.
pub(super) fn python_with_pip() -> Option<std::path::PathBuf> {
    let code = "import sys, ensurepip; print(getattr(sys, '_base_executable', sys.executable))";
    let output = std::process::Command::new("python3")
        .args(["-c", code])
        .output()
        .ok()?;
    let path = String::from_utf8(output.stdout).ok()?;
    let path = Path::new(path.trim()).to_path_buf();
    path.is_file().then_some(path)
}

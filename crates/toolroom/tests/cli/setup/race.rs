//! Several processes at one environment, and several environments at one time.

use std::process::{Child, Stdio};

use toolroom_test::TestContext;

use super::{frozen, venv, with_uv};

fn start(context: &TestContext, project: &str) -> Child {
    context
        .command(&["setup", "--json", "--project", project])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn answer(child: Child) -> serde_json::Value {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Two projects inside a parent whose environment both may use.
fn siblings(context: &TestContext, first: &str, second: &str) {
    fs_err::create_dir(context.project().join(".git")).unwrap();
    for (name, requirements) in [("first", first), ("second", second)] {
        context.file(format!("{name}/requirements.txt"), requirements);
        fs_err::create_dir_all(context.project().join(name).join(".ai/tools")).unwrap();
    }
}

#[test]
fn two_processes_that_require_different_things_of_one_environment_both_get_them() {
    let Some(context) = with_uv() else { return };
    siblings(&context, "idna\n", "pluggy\n");
    let parent = venv(&context, ".venv", &["six==1.16.0"]);
    let racers = ["first", "second"].map(|name| start(&context, name));
    for racer in racers {
        let answer = answer(racer);
        assert_eq!(answer["ok"], true, "{answer:#}");
        assert_eq!(answer["data"]["plans"][0]["action"], "install-missing");
    }
    let packages = frozen(&context, &parent);
    assert_eq!(packages.len(), 3, "{packages:?}");
    assert!(packages.contains(&"six==1.16.0".to_owned()), "{packages:?}");
}

#[test]
fn of_two_processes_that_contradict_each_other_one_isolates() {
    let Some(context) = with_uv() else { return };
    siblings(&context, "idna==3.7\n", "idna==3.10\n");
    let parent = venv(&context, ".venv", &["six==1.16.0"]);
    let racers = ["first", "second"].map(|name| start(&context, name));
    let mut actions: Vec<String> = racers
        .into_iter()
        .map(|racer| {
            let answer = answer(racer);
            assert_eq!(answer["ok"], true, "{answer:#}");
            answer["data"]["plans"][0]["action"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    actions.sort();
    assert_eq!(actions, ["create", "install-missing"]);
    let own: Vec<bool> = ["first", "second"]
        .iter()
        .map(|name| context.project().join(name).join(".venv").exists())
        .collect();
    assert_eq!(own.iter().filter(|has| **has).count(), 1);
    assert_eq!(frozen(&context, &parent).len(), 2);
}

#[test]
fn a_process_that_comes_second_finds_what_the_first_changed_and_does_the_rest() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "six\n");
    let first = start(&context, ".");
    super::faults::wait_until("the first one begins", || {
        super::faults::journal(&context).contains("\"made\"")
    });
    context.file("requirements.txt", "six\nidna\n");
    let second = start(&context, ".");
    for racer in [first, second] {
        let answer = answer(racer);
        assert_eq!(answer["ok"], true, "{answer:#}");
    }
    assert_eq!(frozen(&context, &context.project().join(".venv")).len(), 2);
}

/// A manager whose program waits until as many of its kind are at work.
const MEETING: &str = "
tool_type: manager
description: Waits for others.
manifests: [NAME.list]
folder: NAME
choose: {otherwise: [waiter]}
tools:
  waiter:
    program: waiter
    install: [[waiter, NAME]]
    marks: [NAME/done]
";
const WAITER: &str = "#!/bin/sh\nset -e\nmkdir -p \"$1\"\ntouch \"$1/here\"\nleft=600\nwhile [ \"$(ls */here | wc -l)\" -lt 3 ]; do left=$((left - 1)); [ $left -gt 0 ]; sleep 0.05; done\ntouch \"$1/done\"\n";

#[test]
fn independent_environments_are_prepared_at_the_same_time() {
    let mut context = crate::context();
    let waiter = context.executable(context.root().join("bin/waiter"), WAITER);
    let path = format!("{}:/usr/bin:/bin", waiter.parent().unwrap().display());
    context.set_env("PATH", path);
    for name in ["one", "two", "three"] {
        let manager = MEETING.replace("NAME", name);
        context.tool(&format!("managers/{name}.yaml"), manager);
        context.file(format!("{name}.list"), "x\n");
    }
    let data = context.data(&["setup"]);
    let plans = data["plans"].as_array().unwrap();
    assert!(plans.iter().all(|plan| plan["applied"] == true), "{data:#}");
    assert_eq!(plans.len(), 3);
}

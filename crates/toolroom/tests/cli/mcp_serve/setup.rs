//! Environments that are made when the first call needs them.

use std::time::Duration;

use serde_json::{Value, json};
use toolroom_test::TestContext;

use super::client::Client;
use super::long::wait_for_end;
use super::machine;

/// Packages are files in a folder, and the package manager is a shell script.
const MANAGER: &str = r#"
tool_type: manager
description: Copies acorns into a hollow.
manifests: [acorns.list]
folder: hollow
choose: {otherwise: [squirrel]}
tools:
  squirrel:
    program: squirrel
    marks: [hollow/done]
    install: {locked: [[squirrel, "{manifest}"]], unlocked: [[squirrel, "{manifest}"]]}
    env: {HOLLOW: "{project}/hollow"}
activate: {set: {HOLLOW: "{project}/hollow"}}
"#;

/// A project whose tool needs acorns, and takes less time than it takes to get them.
fn forest(get: &str, create: bool) -> TestContext {
    let mut context = machine();
    let squirrel = format!(
        "#!/bin/sh\necho $$ >> \"$HOLLOW.runs\"\n{get}\nmkdir -p \"$HOLLOW\"\ncp \"$1\" \"$HOLLOW/acorns\"\necho > \"$HOLLOW/done\"\n"
    );
    let squirrel = context.executable(context.root().join("bin/squirrel"), squirrel);
    let path = std::env::var("PATH").unwrap();
    let folder = squirrel.parent().unwrap().display();
    context.set_env("PATH", format!("{folder}:{path}"));
    context.tool("managers/acorns.yaml", MANAGER);
    context.file("acorns.list", "one\n");
    let config = json!({"env_setup": {"type": "acorns", "create": create}, "timeout": 1});
    context.tool(
        "eat.sh",
        format!("# ---\n# description: Eats.\n# config: {config}\n# ---\ncat \"$HOLLOW/acorns\"\n"),
    );
    context
}

fn runs(context: &TestContext) -> Vec<u32> {
    let runs = fs_err::read_to_string(context.project().join("hollow.runs")).unwrap_or_default();
    runs.lines().map(|pid| pid.parse().unwrap()).collect()
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

#[test]
fn the_first_calls_wait_for_the_environment_which_is_made_once() {
    let context = forest("sleep 2", true);
    let mut client = Client::start(&context, &[]);
    let meta = json!({"progressToken": "p", "io.modelcontextprotocol/logLevel": "info"});
    for _ in 0..4 {
        client.send_with("tools/call", json!({"name": "eat"}), meta.clone());
    }
    for _ in 0..4 {
        let answer = client.next_response();
        assert_eq!(text(&answer["result"]), "one", "{answer}");
    }
    assert_eq!(runs(&context).len(), 1);
    let heard = |method: &str| {
        let mut all = client.heard.iter();
        all.any(|told| told["method"] == method && told["params"].to_string().contains("install"))
    };
    assert!(heard("notifications/progress"), "{:?}", client.heard);
    assert!(heard("notifications/message"), "{:?}", client.heard);
    let again = client.modern("tools/call", json!({"name": "eat"}));
    assert_eq!(text(&again), "one", "{again}");
    assert_eq!(runs(&context).len(), 1);
}

#[test]
fn without_create_the_call_says_what_to_do() {
    let context = forest("exit 1", false);
    context.tool(
        "needs.py",
        "__requires__ = ['no-such-package-anywhere']\ndef main(): return 1\n",
    );
    let mut client = Client::start(&context, &[]);
    let result = client.modern("tools/call", json!({"name": "needs"}));
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("toolroom setup"), "{result}");
    assert_eq!(runs(&context), Vec::<u32>::new());
}

#[test]
fn a_manager_that_fails_is_told_to_the_caller() {
    let context = forest("echo the tree is gone >&2; exit 3", true);
    let mut client = Client::start(&context, &[]);
    let result = client.modern("tools/call", json!({"name": "eat"}));
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("the tree is gone"), "{result}");
    // It is not taken for made, and another call may do better.
    client.modern("tools/call", json!({"name": "eat"}));
    assert_eq!(runs(&context).len(), 2);
}

#[cfg(target_os = "linux")]
#[test]
fn whoever_gives_up_ends_what_was_being_made_for_them() {
    let context = forest("sleep 1000", true);
    let mut client = Client::start(&context, &[]);
    let started = |count: usize| {
        let begun = std::time::Instant::now();
        while runs(&context).len() < count {
            assert!(begun.elapsed() < Duration::from_secs(20));
            std::thread::sleep(Duration::from_millis(20));
        }
        runs(&context)[count - 1]
    };
    let id = client.send_modern("tools/call", json!({"name": "eat"}));
    let first = started(1);
    client.notify("notifications/cancelled", json!({"requestId": id}));
    assert!(wait_for_end(&[first], Duration::from_secs(10)));
    client.send_modern("tools/call", json!({"name": "eat"}));
    let second = started(2);
    client.end();
    assert!(wait_for_end(&[second], Duration::from_secs(10)));
}

#[cfg(target_os = "linux")]
#[test]
fn a_server_that_made_an_environment_still_ends_when_it_is_told() {
    let context = forest("true", true);
    let mut client = Client::start(&context, &[]);
    assert_eq!(
        text(&client.modern("tools/call", json!({"name": "eat"}))),
        "one"
    );
    let pid = client.child.id();
    let sent = std::process::Command::new("kill")
        .arg(pid.to_string())
        .status();
    assert!(sent.unwrap().success());
    assert!(wait_for_end(&[pid], Duration::from_secs(5)));
}

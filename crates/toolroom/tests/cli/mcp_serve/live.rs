//! The catalogue follows the files while it is served.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::Client;
use super::{echo, machine};

pub const CHANGED: &str = "notifications/tools/list_changed";

pub fn names(client: &mut Client) -> Vec<String> {
    let tools = client.request("tools/list", json!({}));
    tools["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

/// A client that has been told once, so that the files are being followed by now.
pub fn followed(context: &toolroom_test::TestContext) -> Client {
    let mut client = Client::start(context, &[]);
    client.initialize("2025-11-25", json!({}));
    context.tool("first.py", "def main(): return 1\n");
    client.hear(CHANGED);
    client
}

#[test]
fn a_new_changed_or_removed_file_is_told_within_a_second() {
    let context = machine();
    echo(&context);
    let mut client = followed(&context);
    assert_eq!(names(&mut client), ["echo", "first"]);
    let begun = Instant::now();
    let path = context.tool(
        "folder/second.py",
        "\"\"\"One.\"\"\"\ndef main(): return 1\n",
    );
    client.hear(CHANGED);
    assert_eq!(names(&mut client), ["echo", "first", "folder_second"]);
    context.tool(
        "folder/second.py",
        "\"\"\"Another.\"\"\"\ndef main(): return 2\n",
    );
    client.hear(CHANGED);
    fs_err::remove_file(path).unwrap();
    client.hear(CHANGED);
    assert_eq!(names(&mut client), ["echo", "first"]);
    assert!(
        begun.elapsed() < Duration::from_secs(6),
        "three changes took {:?}",
        begun.elapsed()
    );
}

#[test]
fn a_broken_edit_keeps_what_was_good_and_says_why() {
    let context = machine();
    context.tool("kept.yaml", "tool_type: command\nexecutor_id: bash\ndescription: Kept.\nconfig: {command: /bin/echo, args: [good], call: {style: command}}\n");
    let mut client = followed(&context);
    context.tool("kept.yaml", "tool_type: [unclosed\n");
    context.tool("third.py", "def main(): return 1\n");
    client.hear(CHANGED);
    assert_eq!(names(&mut client), ["first", "kept", "third"]);
    let result = client.request("tools/call", json!({"name": "kept", "arguments": {}}));
    assert_eq!(result["content"][0]["text"], "good", "{result}");
    let (_, stderr) = client.finish();
    assert!(
        stderr.contains("kept.yaml") && stderr.contains("kept is served as it was before, until"),
        "{stderr}"
    );
}

#[test]
fn settings_that_an_edit_broke_are_named() {
    let context = machine();
    let mut client = followed(&context);
    context.file("toolroom.toml", "[mcp]\nconcurrency = \"many\"\n");
    std::thread::sleep(Duration::from_millis(700));
    context.file("toolroom.toml", "[mcp]\nconcurrency = 3\n");
    assert_eq!(names(&mut client), ["first"]);
    let (_, stderr) = client.finish();
    assert_eq!(stderr.matches("toolroom.toml:2:").count(), 1, "{stderr}");
    assert!(
        stderr.contains("what was read at the start still holds"),
        "{stderr}"
    );
}

#[test]
fn what_running_a_tool_leaves_behind_is_no_change() {
    let context = machine();
    context.tool(
        "helper_user.py",
        "import _helper\ndef main(): return _helper.VALUE\n",
    );
    context.tool("_helper.py", "VALUE = 1\n");
    let mut client = followed(&context);
    client.request(
        "tools/call",
        json!({"name": "helper_user", "arguments": {}}),
    );
    assert_eq!(client.try_next(Duration::from_millis(700)), None::<Value>);
}

#[test]
fn a_modern_client_listens_for_what_it_wants_to_hear() {
    let context = machine();
    echo(&context);
    let mut client = Client::start(&context, &[]);
    let id = client.send_modern(
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
    );
    let acknowledged = client.next();
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    context.file(".ai/prompts/new.md", "Something.\n");
    context.tool("new.py", "def main(): return 1\n");
    let told = client.next();
    assert_eq!(told["method"], CHANGED);
    assert_eq!(
        told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"],
        id
    );
}

#[test]
fn what_is_remembered_between_starts_is_never_older_than_the_files() {
    let context = machine();
    context.tool("a.py", "\"\"\"One.\"\"\"\ndef main(): return 1\n");
    context.tool("broken.py", "def main(:\n");
    // Files have to be at rest before they are remembered.
    std::thread::sleep(Duration::from_millis(150));
    let described = || {
        let mut client = Client::start(&context, &[]);
        let tools = client.modern("tools/list", json!({}))["tools"].clone();
        let (_, stderr) = client.finish();
        assert!(stderr.contains("broken.py:1"), "{stderr}");
        tools
    };
    let first = described();
    assert!(context.home().join(".cache/toolroom/mcp").is_dir());
    assert_eq!(described(), first);
    context.tool("a.py", "\"\"\"Two.\"\"\"\ndef main(): return 1\n");
    context.tool("b.py", "\"\"\"New.\"\"\"\ndef main(): return 1\n");
    let second = described();
    assert_eq!(second[0]["description"], "Two.");
    assert_eq!(second[1]["name"], "b");
    for entry in fs_err::read_dir(context.home().join(".cache/toolroom/mcp")).unwrap() {
        fs_err::write(entry.unwrap().path(), "{\"version\": 1, \"key").unwrap();
    }
    assert_eq!(described(), second);
}

#[test]
fn a_newcomer_does_not_take_the_name_of_a_tool_that_is_served() {
    let context = machine();
    context.tool("web/fetch.py", "def main(): return 'first'\n");
    let mut client = followed(&context);
    context.tool("web_fetch.py", "def main(): return 'second'\n");
    context.tool("third.py", "def main(): return 1\n");
    client.hear(CHANGED);
    assert_eq!(names(&mut client), ["first", "third", "web_fetch"]);
    let result = client.request("tools/call", json!({"name": "web_fetch", "arguments": {}}));
    assert_eq!(result["content"][0]["text"], "first", "{result}");
    let (_, stderr) = client.finish();
    assert!(stderr.contains("only web/fetch is served"), "{stderr}");
}

#[test]
fn prompts_and_resources_that_change_are_told_as_well() {
    let context = machine();
    context.file(".ai/resources/note.txt", "one\n");
    let mut client = followed(&context);
    let uri = "toolroom://resources/note.txt";
    client.request("resources/subscribe", json!({"uri": uri}));
    context.file(".ai/prompts/new.md", "Something.\n");
    client.hear("notifications/prompts/list_changed");
    assert_eq!(
        client.request("prompts/list", json!({}))["prompts"][0]["name"],
        "new"
    );
    context.file(".ai/resources/more.txt", "more\n");
    client.hear("notifications/resources/list_changed");
    context.file(".ai/resources/note.txt", "two\n");
    let told = client.hear("notifications/resources/updated");
    assert_eq!(told["params"]["uri"], uri);
    let read = client.request("resources/read", json!({"uri": uri}));
    assert_eq!(read["contents"][0]["text"], "two\n");
}

#[test]
fn a_call_runs_the_file_as_it_is_now() {
    let context = machine();
    let mut client = Client::start(&context, &[]);
    for n in 0..20 {
        context.tool("now.py", format!("def main(): return {n}\n"));
        if n == 0 {
            client = Client::start(&context, &[]);
        }
        let result = client.modern("tools/call", json!({"name": "now"}));
        assert_eq!(result["content"][0]["text"], n.to_string(), "{result}");
    }
}

#[cfg(unix)]
#[test]
fn folders_that_link_to_each_other_are_looked_into_once() {
    let context = machine();
    echo(&context);
    let tools = context.project().join(".ai/tools");
    fs_err::create_dir(tools.join("sub")).unwrap();
    for link in ["a", "b", "c"] {
        std::os::unix::fs::symlink(&tools, tools.join("sub").join(link)).unwrap();
    }
    let mut client = Client::start(&context, &[]);
    let tools = client.modern("tools/list", json!({}));
    assert_eq!(tools["tools"][0]["name"], "echo", "{tools}");
}

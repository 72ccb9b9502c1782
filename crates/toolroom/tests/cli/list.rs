//! `list`: every tool, within the width of the terminal.

use crate::context;

#[test]
fn a_listing_fits_eighty_columns() {
    let context = context();
    context.tool("hello.py", "\"\"\"Greets someone.\"\"\"\ndef main(): ...\n");
    context.tool(
        "web/fetch.js",
        "/** Fetches a page and gives back its text, its links and everything else one might want. */\nexport function main({ url }) {}\n",
    );
    context.tool(
        "ops/clean.sh",
        "#!/bin/bash\n# Removes what is left over.\nrm -rf build\n",
    );
    context.user_tool("note.rb", "# Takes a note.\ndef main; end\n");
    insta::assert_snapshot!(context.run(&["list"]), @"
    status: 0
    ----- stdout -----
    hello      project  python  Greets someone.
    note       user     ruby    Takes a note.
    ops/clean  project  bash    Removes what is left over.
    web/fetch  project  node    Fetches a page and gives back its text, its links a…
    ----- stderr -----
    ");
}

#[test]
fn runtimes_are_listed_apart() {
    let context = context();
    let data = context.data(&["list", "--runtimes"]);
    let ids: Vec<&str> = data["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["id"].as_str().unwrap())
        .collect();
    for id in [
        "runtimes/bash",
        "runtimes/bun",
        "runtimes/deno",
        "runtimes/go",
        "runtimes/http",
        "runtimes/mcp_http",
        "runtimes/mcp_stdio",
        "runtimes/node",
        "runtimes/perl",
        "runtimes/php",
        "runtimes/python",
        "runtimes/ruby",
    ] {
        assert!(ids.contains(&id), "{id} is missing: {ids:?}");
    }
}

#[test]
fn the_json_answer_has_the_fields_of_the_contract() {
    let context = context();
    context.tool(
        "hello.py",
        "__version__ = '1.2.0'\n\"\"\"x\"\"\"\ndef main(): \"\"\"Greets.\"\"\"\n",
    );
    let document = context.run(&["list", "--json"]).json();
    assert_eq!(document["schema"], 1);
    assert_eq!(document["command"], "list");
    assert_eq!(document["ok"], true);
    let tool = &document["data"]["tools"][0];
    assert_eq!(tool["id"], "hello");
    assert_eq!(tool["space"], "project");
    assert_eq!(tool["type"], "python");
    assert_eq!(tool["runtime"], "python");
    assert_eq!(tool["description"], "Greets.");
    assert_eq!(tool["version"], "1.2.0");
    assert_eq!(tool["path"], "[PROJECT]/.ai/tools/hello.py");
    assert!(document["data"]["shadowed"].is_array());
    assert!(document["data"]["problems"].is_array());
}

#[test]
fn colour_is_used_when_asked_for_and_never_with_no_color() {
    let mut context = context();
    context.tool("hello.py", "def main(): ...\n");
    assert!(
        context
            .run(&["list", "--color", "always"])
            .stdout
            .contains('\u{1b}')
    );
    assert!(!context.run(&["list"]).stdout.contains('\u{1b}'));
    context
        .set_env("NO_COLOR", "1")
        .set_env("CLICOLOR_FORCE", "1");
    assert!(
        !context
            .run(&["list", "--color", "auto"])
            .stdout
            .contains('\u{1b}')
    );
}

#[test]
fn a_description_cannot_drive_the_terminal() {
    let context = context();
    context.tool(
        "evil.py",
        "\"\"\"\\x1b[2Jgone\\x07\"\"\"\ndef main(): ...\n",
    );
    let shown = context.run(&["list"]).stdout + &context.run(&["show", "evil"]).stdout;
    assert!(
        !shown.contains('\u{1b}') && !shown.contains('\u{7}'),
        "{shown:?}"
    );
}

#[test]
fn an_empty_place_says_what_to_do_next() {
    let mut context = context();
    insta::assert_snapshot!(context.run(&["list"]).stderr, @"there are no tools yet: toolroom new NAME makes one");
    let elsewhere = context.root().join("elsewhere");
    context.enter(elsewhere);
    insta::assert_snapshot!(context.run(&["list"]).stderr, @"there is no project here and no tool in the user space: toolroom init makes one");
}

#[test]
fn an_edit_is_seen_at_once_and_a_warm_listing_is_the_same_as_a_cold_one() {
    let context = context();
    for n in 0..200 {
        context.tool(
            &format!("t{n}.py"),
            format!("\"\"\"Tool {n}.\"\"\"\ndef main(): ...\n"),
        );
    }
    let cold = context.data(&["list"]);
    assert_eq!(context.data(&["list"]), cold);
    std::thread::sleep(std::time::Duration::from_millis(120));
    assert_eq!(context.data(&["list"]), cold);
    for round in 0..5 {
        // The same size each time, and faster than any clock of a file system ticks.
        context.tool(
            "t7.py",
            format!("\"\"\"Edit {round}.\"\"\"\ndef main(): ...\n"),
        );
        let listing = context.data(&["list"]);
        let tools = listing["tools"].as_array().unwrap();
        let edited = tools.iter().find(|tool| tool["id"] == "t7").unwrap();
        assert_eq!(edited["description"], format!("Edit {round}."));
    }
    fs_err::rename(
        context.project().join(".ai/tools/t7.py"),
        context.project().join(".ai/tools/renamed.py"),
    )
    .unwrap();
    let listing = context.data(&["list"]);
    let ids: Vec<&str> = listing["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["id"].as_str().unwrap())
        .collect();
    assert!(ids.contains(&"renamed") && !ids.contains(&"t7"));
}

#[test]
fn an_edit_with_its_old_time_put_back_is_still_seen() {
    let context = context();
    let file = context.tool("t.py", "\"\"\"Before.\"\"\"\n");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let set_time = || {
        let open = std::fs::File::options().write(true).open(&file).unwrap();
        open.set_modified(old).unwrap();
    };
    set_time();
    std::thread::sleep(std::time::Duration::from_millis(120));
    assert_eq!(
        context.data(&["list"])["tools"][0]["description"],
        "Before."
    );
    fs_err::write(&file, "\"\"\"Behind.\"\"\"\n").unwrap();
    set_time();
    assert_eq!(
        context.data(&["list"])["tools"][0]["description"],
        "Behind."
    );
}

#[test]
fn the_cache_may_be_deleted_damaged_or_unwritable() {
    let mut context = context();
    context.tool("t.py", "\"\"\"Fine.\"\"\"\n");
    std::thread::sleep(std::time::Duration::from_millis(120));
    let listing = context.data(&["list"]);
    let cache = context.home().join(".cache/toolroom/index");
    for entry in fs_err::read_dir(&cache).unwrap() {
        fs_err::write(entry.unwrap().path(), "garbage").unwrap();
    }
    assert_eq!(context.data(&["list"]), listing);
    fs_err::remove_dir_all(&cache).unwrap();
    assert_eq!(context.data(&["list"]), listing);
    context.set_env("XDG_CACHE_HOME", "/proc/nowhere");
    assert_eq!(context.data(&["list"]), listing);
    context.remove_env("HOME").remove_env("XDG_CACHE_HOME");
    assert_eq!(context.data(&["list"]), listing);
}

#[test]
fn many_processes_may_list_at_once() {
    let context = context();
    for n in 0..100 {
        context.tool(&format!("t{n}.py"), "\"\"\"x\"\"\"\n");
    }
    let children: Vec<_> = (0..8)
        .map(|_| {
            let mut command = context.command(&["list", "--json"]);
            command.stdout(std::process::Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(document["data"]["tools"].as_array().unwrap().len(), 100);
    }
}

#[test]
fn a_reader_that_goes_away_is_no_crash() {
    let context = context();
    for n in 0..3000 {
        context.tool(&format!("t{n}.py"), "");
    }
    let mut command = context.command(&["list"]);
    command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}

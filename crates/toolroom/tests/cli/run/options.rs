//! The options of `run` itself, wherever they stand, and files that are read for a run.

use serde_json::json;

use super::{machine, result};

const TOOL: &str = "def main(a=None, json=None): return [a, json]\n";

fn refused(args: &[&str]) -> String {
    let context = machine();
    context.tool("f.py", TOOL);
    let output = context.run(args);
    assert_eq!(output.status, 2, "{args:?}: {}", output.stderr);
    output.stderr
}

#[test]
fn an_option_after_the_id_is_as_strict_as_one_before_it() {
    for (before, after) in [
        (
            &["--color", "banana", "run", "f"][..],
            &["run", "f", "--a", "1", "--color", "banana"][..],
        ),
        (
            &["--json=false", "run", "f"],
            &["run", "f", "--a", "1", "--json=false"],
        ),
        (
            &["-q", "-v", "run", "f"],
            &["run", "f", "--a", "1", "-q", "-v"],
        ),
        (
            &["-q", "run", "f", "-v"],
            &["-q", "run", "f", "--a", "1", "-v"],
        ),
    ] {
        refused(before);
        refused(after);
    }
    let told = refused(&["run", "f", "--a", "1", "--color", "banana"]);
    assert!(told.contains("auto, always, never"), "{told}");
    let context = machine();
    context.tool("f.py", TOOL);
    assert_eq!(
        result(&context, &["f", "--a", "1", "--color", "never"]),
        json!(["1", null])
    );
    let given = context.run(&["run", "f", "--", "--json=false"]);
    assert_eq!(given.stdout, "[null,\"false\"]\n");
}

#[test]
fn options_of_run_may_stand_before_the_id() {
    let context = machine();
    context.tool("f.py", TOOL);
    context.tool(
        "e.py",
        "import os\ndef main(): return os.environ.get('A')\n",
    );
    for (args, wanted) in [
        (
            &["--timeout", "50", "f", "--a", "1"][..],
            json!(["1", null]),
        ),
        (&["--timeout=50", "--frozen", "f"], json!([null, null])),
        (&["--params", r#"{"a": 2}"#, "f"], json!([2, null])),
        (&["--env", "A=x", "e"], json!("x")),
        (&["--frozen", "--", "f", "--json=3"], json!([null, "3"])),
    ] {
        let data = context.run(&[&["--json", "run"], args].concat()).data();
        assert_eq!(data["data"], wanted, "{args:?}: {data}");
    }
    let told = refused(&["run", "--a", "1", "f"]);
    assert!(told.contains("--a comes before the id of a tool"), "{told}");
}

#[test]
fn help_of_run_and_of_a_tool_are_found_wherever_they_are_asked_for() {
    let context = machine();
    context.tool("f.py", TOOL);
    for args in [
        &["run", "--help"][..],
        &["run", "-h"],
        &["run", "-q", "--help"],
        &["help", "run"],
    ] {
        let output = context.run(args);
        assert_eq!(output.status, 0, "{args:?}: {output}");
        assert!(output.stdout.contains("--timeout S"), "{args:?}: {output}");
        assert!(output.stdout.starts_with("Run a tool\n"), "{output}");
    }
    for args in [
        &["run", "f", "--help"][..],
        &["run", "--help", "f"],
        &["run", "f", "-h"],
        &["help", "run", "f"],
    ] {
        let output = context.run(args);
        assert!(
            output.stdout.contains("toolroom run f "),
            "{args:?}: {output}"
        );
    }
    let all = context.run(&["help"]);
    assert_eq!(all.stdout, context.run(&["--help"]).stdout);
    assert_eq!(context.run(&["help", "nothing"]).status, 2);
}

#[test]
fn a_wrong_word_is_told_as_json_where_json_was_asked_for() {
    let context = machine();
    context.tool("f.py", TOOL);
    for args in [
        &["run", "f", "stray", "--json"][..],
        &["run", "f", "--a", "1", "--color", "banana", "--json"],
        &["--json", "run", "f", "--a", "1", "--timeout", "soon"],
    ] {
        let output = context.run(args);
        assert_eq!(output.status, 2, "{args:?}");
        assert_eq!(output.error()["code"], "usage::bad_arguments");
    }
}

#[cfg(unix)]
#[test]
fn settings_that_are_no_file_or_too_large_are_named_and_not_waited_for() {
    let context = machine();
    context.tool("f.py", TOOL);
    let settings = context.project().join("toolroom.toml");
    let made = std::process::Command::new("mkfifo").arg(&settings).status();
    assert!(made.unwrap().success());
    let error = context.error(&["run", "f"]);
    assert_eq!(error["code"], "settings::unreadable");
    assert_eq!(error["path"], "[PROJECT]/toolroom.toml");
    let reason = "the settings cannot be read: it is not a regular file";
    assert_eq!(error["message"], reason);
    let checks = context.data(&["doctor"])["checks"].to_string();
    assert!(
        checks.contains(&format!("toolroom.toml: {reason}")),
        "{checks}"
    );
    fs_err::remove_file(&settings).unwrap();
    context.file("toolroom.toml", "#".repeat((1 << 20) + 1));
    let error = context.error(&["run", "f"]);
    let reason = "the settings cannot be read: it is larger than 1 MiB";
    assert_eq!(error["message"], reason);
}

#[cfg(unix)]
#[test]
fn parameters_that_do_not_end_are_refused_and_a_pipe_is_read() {
    let context = machine();
    context.tool("f.py", TOOL);
    let error = context.error(&["run", "f", "--params", "@/dev/zero"]);
    assert_eq!(
        error["message"],
        "/dev/zero cannot be read: it is larger than 64 MiB"
    );
    let error = context.error(&["run", "f", "--params", "@missing"]);
    let message = error["message"].as_str().unwrap();
    assert!(message.starts_with("missing cannot be read: "), "{message}");
    let mut command = context.command(&["run", "f", "--params", "-", "--json"]);
    command.stdin(std::fs::File::open("/dev/zero").unwrap());
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("standard input cannot be read: it is larger than 64 MiB"),
        "{text}"
    );
    let pipe = context.root().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let writing = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs_err::write(pipe, "{\"a\": 3}")
    });
    let given = format!("@{}", pipe.display());
    assert_eq!(
        result(&context, &["f", "--params", &given]),
        json!([3, null])
    );
    writing.join().unwrap().unwrap();
}

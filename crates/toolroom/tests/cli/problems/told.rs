//! How a problem is told: to people, to programs, and by every command.

use super::*;
use crate::context;

#[cfg(unix)]
#[test]
fn a_path_never_acts_on_the_terminal() {
    let context = context();
    context.tool("new\nline.py", "def main(): ...\n");
    context.tool("esc\u{1b}[31m.py", "def main(): ...\n");
    let told = context.run(&["list"]).to_string();
    assert!(told.contains("new\\nline.py"), "{told}");
    assert!(told.contains("esc\\u{1b}[31m.py"), "{told}");
    assert!(!told.contains('\u{1b}'), "{told}");
}

#[test]
fn people_and_programs_are_told_the_same_column() {
    for length in [10, 390, 500, 5_000, 50_000] {
        let context = context();
        let padding = "x".repeat(length);
        context.tool("long.py", format!("A = '{padding}'; CONFIG = f()\n"));
        let problem = one_problem(&context);
        let column = problem["column"].as_u64().unwrap();
        assert_eq!(column, length as u64 + 18);
        let told = context.run(&["list"]).to_string();
        assert!(told.contains(&format!("long.py:1:{column}")), "{told}");
        assert!(told.len() < 2_000, "{told}");
    }
}

#[test]
fn people_see_the_line_itself() {
    let context = context();
    context.tool(
        "bad.py",
        "\"\"\"Broken.\"\"\"\n\nCONFIG = {\n    \"timeout\": get_timeout(),\n}\n\ndef main(): ...\n",
    );
    context.tool("typo.py", "__executor_id__ = \"pyton_runtime\"\n");
    insta::assert_snapshot!(context.run(&["list"]), @r#"
    status: 0
    ----- stdout -----
    ----- stderr -----
    error[catalog::not_literal]: CONFIG is not a literal: it calls a function
                                 (get_timeout)
      ╭▸ .ai/tools/bad.py:4:16
      │
    2 │
    3 │ CONFIG = {
    4 │     "timeout": get_timeout(),
      │                ━━━━━━━━━━━
    5 │ }
      │
      ╰ help: metadata is read without running the file: write CONFIG as a plain
              literal, or rename it if it is not meant for Toolroom
    error[catalog::unknown_executor]: typo names an executor that does not exist:
                                      pyton_runtime
      ╭▸ .ai/tools/typo.py:1:19
      │
    1 │ __executor_id__ = "pyton_runtime"
      │                   ━━━━━━━━━━━━━━━
      │
      ╰ help: did you mean python_runtime or python_script_runtime or
              runtimes/python_function?
    2 files cannot be used; the others are not affected
    "#);
}

#[test]
fn show_of_a_broken_tool_is_125_with_the_same_words() {
    let context = context();
    context.tool("bad.py", "def main(:\n");
    insta::assert_snapshot!(context.run(&["show", "bad"]), @"
    status: 125
    ----- stdout -----
    ----- stderr -----
    error[catalog::syntax]: expected a parameter or the end of the parameter list
      ╭▸ .ai/tools/bad.py:1:10
      │
    1 │ def main(:
      │          ━
      │
      ╰ help: correct the file there, or move it out of tools/
    ");
}

#[test]
fn json_errors_have_the_fields_of_the_contract() {
    let context = context();
    let output = context.run(&["show", "nothing-here", "--json"]);
    assert_eq!(output.status, 127);
    let document = output.json();
    assert_eq!(document["schema"], 1);
    assert_eq!(document["command"], "show");
    assert_eq!(document["ok"], false);
    assert_eq!(document["error"]["code"], "catalog::tool_not_found");
    assert!(document["error"]["message"].is_string());
    assert!(document["error"]["help"].is_string());
    assert!(document["error"]["causes"].is_array());
    assert_eq!(output.stderr, "");
}

#[test]
fn what_is_wrong_comes_with_a_next_step() {
    let mut context = context();
    context.tool("t.py", "def main(a: str = 'x'): ...\n");
    context.tool("broken.py", "def main(:\n");
    context.tool("torn.yaml", "a: [\n");
    let file = context.file("plain", "");
    let file = file.to_str().unwrap();
    for (args, step) in [
        (
            &["run", "t", "--params", "{bad"][..],
            "--params '{\"name\": \"value\"}'",
        ),
        (
            &["run", "t", "--params", "[1]"],
            "--params '{\"name\": \"value\"}'",
        ),
        (&["run", "t", "--params", "@nofile"], "after the @"),
        (&["run", "t", "--params"], "--params VALUE"),
        (&["run", "t", "--timeout", "abc"], "--timeout 30"),
        (&["run", "t", "--env", "FOO"], "--env GREETING=hello"),
        (&["run", "t", "-q", "-v"], "leave one of them out"),
        (&["run", "t", "--a"], "--a VALUE"),
        (&["show", "broken"], "correct the file there"),
        (&["show", "torn"], "correct the file there"),
        (&["list", "--project", "/nonexist"], "toolroom init DIR"),
        (&["init", file], "is a directory, or can be one"),
    ] {
        let error = context.error(args);
        let help = error["help"].as_str().unwrap_or_default();
        assert!(help.contains(step), "{args:?}: {error}");
    }
    let problems = &context.data(&["list"])["problems"];
    for problem in problems.as_array().unwrap() {
        assert_eq!(problem["code"], "catalog::syntax");
        assert!(problem["help"].is_string(), "{problem}");
    }
    for settings in ["nothing = 1\n", "[runs]\nlog = 3\n", "[\n"] {
        context.file("toolroom.toml", settings);
        let error = context.error(&["env", "python"]);
        assert_eq!(error["code"], "settings::invalid");
        let help = error["help"].as_str().unwrap_or_default();
        assert!(help.starts_with("correct it"), "{error}");
    }
    context.set_env("TOOLROOM_PROJECT", "/nonexist");
    let error = context.error(&["list"]);
    assert!(error["help"].is_string(), "{error}");
}

#[test]
fn a_wrong_command_line_is_two_and_still_json_when_asked() {
    let context = context();
    assert_eq!(context.run(&["lisst"]).status, 2);
    let output = context.run(&["list", "--nonsense", "--json"]);
    assert_eq!(output.status, 2);
    assert_eq!(output.error()["code"], "usage::bad_arguments");
}

#[cfg(unix)]
#[test]
fn a_missing_subcommand_is_named_with_those_there_are() {
    let context = context();
    for (args, command, message, names) in [
        (
            &["preset"][..],
            "preset",
            "preset needs a subcommand",
            "list, check, apply",
        ),
        (
            &["mcp"],
            "mcp",
            "mcp needs a subcommand",
            "serve, config, install, remove",
        ),
        (&[], "", "toolroom needs a subcommand", "init, new, list"),
        (
            &["mcp", "srve"],
            "mcp",
            "unrecognized subcommand 'srve'",
            "serve, config",
        ),
    ] {
        let output = context.run(&[&["--json"], args].concat());
        assert_eq!(output.status, 2, "{output}");
        assert_eq!(output.json()["command"], command);
        let error = output.error();
        assert_eq!(error["message"], message);
        let help = error["help"].as_str().unwrap();
        assert!(help.starts_with(&format!("it is one of {names}")), "{help}");
    }
    let more = context.error(&["preset"])["help"].to_string();
    assert!(more.contains("toolroom preset --help says more"), "{more}");
}

#[test]
fn help_is_given_whatever_stands_before_it() {
    let context = context();
    let plain = context.run(&["help"]);
    assert!(plain.stdout.contains("Commands:"), "{plain}");
    for args in [&["--json", "help"][..], &["--color", "never", "help"]] {
        let output = context.run(args);
        assert_eq!(
            (output.status, &output.stdout),
            (0, &plain.stdout),
            "{output}"
        );
    }
}

#[test]
fn a_server_that_cannot_be_started_says_so_as_it_is_asked_to() {
    let context = context();
    for (address, code) in [
        ("bad", "usage::bad_address"),
        ("192.0.2.1:1", "mcp::cannot_listen"),
    ] {
        let error = context.error(&["mcp", "serve", "--http", address]);
        assert_eq!(error["code"], code);
    }
    context.file("toolroom.toml", "nothing = 1\n");
    let error = context.error(&["mcp", "serve"]);
    assert_eq!(error["code"], "settings::invalid");
}

#[test]
fn a_command_line_that_is_no_text_is_wrong_and_no_crash() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let context = context();
    let odd = OsStr::from_bytes(b"\xff");
    for (args, command) in [
        (&[odd, OsStr::new("--json")][..], ""),
        (&[OsStr::new("--json"), odd, OsStr::new("list")], "list"),
        (&[OsStr::new("show"), odd, OsStr::new("--json")], "show"),
    ] {
        let output = context.command(args).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(answer["command"], command);
        assert_eq!(answer["error"]["code"], "usage::bad_arguments");
    }
}

#[test]
fn a_json_tool_that_cannot_be_parsed_is_named() {
    let problem = problem_of("j.json", "{\"executor_id\": \"http\",}");
    assert_eq!(problem["code"], "catalog::syntax");
}

#[test]
fn an_executor_that_several_could_be_has_one_code_everywhere() {
    let context = context();
    for folder in ["a", "b"] {
        context.tool(
            &format!("{folder}/mine.yaml"),
            "tool_type: runtime\nexecutor_id: python\n",
        );
    }
    context.tool("x.yaml", "executor_id: mine\n");
    let error = context.error(&["run", "x"]);
    assert_eq!(error["code"], "catalog::ambiguous_executor");
    let problem = &context.data(&["list"])["problems"][0];
    assert_eq!(problem["code"], error["code"]);
}

#[test]
fn every_code_of_a_file_that_cannot_be_used_is_on_its_page() {
    let source = include_str!("../../../../toolroom-catalog/src/problem.rs");
    let page = include_str!("../../../../../docs/reference/tool-files.md");
    let codes: Vec<&str> = source
        .split('"')
        .filter(|word| word.starts_with("catalog::"))
        .collect();
    assert!(codes.len() > 10, "{codes:?}");
    for code in codes {
        assert!(
            page.contains(&format!("`{code}`")),
            "the page has no {code}"
        );
    }
}

#[test]
fn a_tool_is_no_executor() {
    let context = context();
    context.tool("good.py", "def main(): ...\n");
    context.tool("x.yaml", "executor_id: good\n");
    let error = context.error(&["show", "x"]);
    assert_eq!(error["code"], "catalog::broken_executor");
    assert_eq!(context.error(&["run", "x"])["code"], error["code"]);
    let problem = &context.data(&["list"])["problems"][0];
    assert_eq!(problem["code"], error["code"]);
    assert!(
        error["message"].as_str().unwrap().contains("not a runtime"),
        "{error}"
    );
}

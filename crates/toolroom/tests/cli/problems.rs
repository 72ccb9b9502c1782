//! Bad files: each is named with its place and its cure, and hides no other.

use serde_json::Value;
use toolroom_test::TestContext;

use crate::context;

/// Writes one bad tool beside a good one, and gives back the problem that is reported.
fn problem_of(path: &str, content: impl AsRef<[u8]>) -> Value {
    let context = context();
    context.tool(path, content);
    one_problem(&context)
}

fn one_problem(context: &TestContext) -> Value {
    context.tool("good.py", "def main(): ...\n");
    let listing = context.data(&["list"]);
    let tools: Vec<&Value> = listing["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| &tool["id"])
        .collect();
    assert_eq!(tools, ["good"], "a bad file hides no other");
    let problems = listing["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems[0].clone()
}

fn assert_at(problem: &Value, code: &str, line: u32, column: u32) {
    assert_eq!(problem["code"], code, "{problem}");
    assert_eq!(
        (&problem["line"], &problem["column"]),
        (&line.into(), &column.into()),
        "{problem}"
    );
}

#[test]
fn syntax_errors_are_shown_where_they_are() {
    assert_at(
        &problem_of("bad.py", "def main(:\n    pass\n"),
        "catalog::syntax",
        1,
        10,
    );
    assert_eq!(
        problem_of("bad.js", "export const x = {;\n")["code"],
        "catalog::syntax"
    );
    assert_eq!(
        problem_of("bad.ts", "export const x: = 3;\n")["code"],
        "catalog::syntax"
    );
    assert_eq!(
        problem_of("bad.yaml", "tool_type: x\n  bad: [\n")["code"],
        "catalog::syntax"
    );
    assert_eq!(
        problem_of("bad.toml", "tool_type = \n")["code"],
        "catalog::syntax"
    );
    assert_eq!(
        problem_of("bad.sh", "# ---\n# tool_type: [\n# ---\n")["code"],
        "catalog::syntax"
    );
}

#[test]
fn a_json_file_with_an_error_is_a_problem_only_if_it_could_be_a_tool() {
    let context = context();
    context.tool("package.json", "{\"name\": \"x\"}");
    context.tool("tsconfig.json", "{\"compilerOptions\": {}}");
    context.tool("good.py", "def main(): ...\n");
    let listing = context.data(&["list"]);
    assert_eq!(
        listing["problems"].as_array().unwrap().len(),
        0,
        "{}",
        listing["problems"]
    );
    assert_eq!(listing["tools"].as_array().unwrap().len(), 1);
}

#[test]
fn a_value_that_only_running_could_tell_is_refused() {
    let problem = problem_of(
        "bad.py",
        "import os\n__version__ = os.environ['V']\ndef main(): ...\n",
    );
    assert_at(&problem, "catalog::not_literal", 2, 15);
    let problem = problem_of(
        "bad.js",
        "export const config = { command: process.argv[0] };\n",
    );
    assert_eq!(problem["code"], "catalog::not_literal");
    assert_eq!(problem["line"], 1);
}

#[test]
fn nothing_is_executed_to_read_a_file() {
    let context = context();
    let witness = context.project().join("witness");
    let path = witness.display();
    context.tool(
        "a.py",
        format!(
            "open({:?}, 'w')\nCONFIG = {{'a': open({0:?}, 'w')}}\n",
            path.to_string()
        ),
    );
    context.tool(
        "b.js",
        format!("require('fs').writeFileSync({:?}, '')\n", path.to_string()),
    );
    context.tool("c.sh", format!("touch {path}\n"));
    context.tool("d.rb", format!("File.write({:?}, '')\n", path.to_string()));
    context.run(&["list"]);
    context.run(&["search", "witness"]);
    for id in ["a", "b", "c", "d"] {
        context.run(&["show", id]);
    }
    assert!(!witness.exists());
}

#[test]
fn an_unknown_executor_comes_with_what_was_meant() {
    let problem = problem_of("bad.py", "__executor_id__ = 'pyhton_runtime'\n");
    assert_at(&problem, "catalog::unknown_executor", 1, 19);
    assert_eq!(
        problem["message"],
        "bad names an executor that does not exist: pyhton_runtime"
    );
    assert!(
        problem["help"]
            .as_str()
            .unwrap()
            .contains("did you mean python_runtime"),
        "{problem}"
    );
}

#[test]
fn a_cycle_is_named_whole() {
    let context = context();
    context.tool("a.yaml", "tool_type: runtime\nexecutor_id: b\n");
    context.tool("b.yaml", "tool_type: runtime\nexecutor_id: c\n");
    context.tool("c.yaml", "tool_type: runtime\nexecutor_id: a\n");
    let error = context.error(&["show", "b"]);
    assert_eq!(error["code"], "catalog::chain_cycle");
    assert_eq!(
        error["message"],
        "the chain never reaches a primitive, it goes round: b → c → a → b"
    );
    let listing = context.data(&["list"]);
    let problems = listing["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 3, "{problems:?}");
    assert!(
        problems
            .iter()
            .all(|problem| problem["code"] == "catalog::chain_cycle")
    );
}

#[test]
fn wrong_types_say_what_was_wanted() {
    let problem = problem_of("bad.yaml", "executor_id: http\nconfig:\n  timeout: soon\n");
    assert_at(&problem, "catalog::wrong_type", 3, 12);
    assert_eq!(
        problem["message"],
        "config.timeout is a text, not a number of seconds above zero"
    );
    assert_at(
        &problem_of("bad.py", "CONFIG = []\n"),
        "catalog::wrong_type",
        1,
        10,
    );
}

#[test]
fn a_fault_inside_a_value_is_shown_where_it_is_written() {
    let cases = [
        ("bad.py", "CONFIG = {\n    \"args\": \"x\",\n}\n", 2, 13),
        (
            "bad.mjs",
            "export const config = {\n  args: 'x',\n};\n",
            2,
            9,
        ),
        (
            "bad.toml",
            "tool_type = \"x\"\n[config]\nargs = \"x\"\n",
            3,
            8,
        ),
        (
            "bad.json",
            "{\"tool_type\": \"x\", \"config\": {\"args\": \"x\"}}\n",
            1,
            39,
        ),
        (
            "bad.sh",
            "# ---\n# config:\n#   args: x\n# ---\necho\n",
            3,
            11,
        ),
    ];
    for (path, content, line, column) in cases {
        let problem = problem_of(path, content);
        assert_eq!(problem["message"], "config.args is a text, not a list");
        assert_at(&problem, "catalog::wrong_type", line, column);
    }
}

#[test]
fn a_declared_schema_that_is_none_is_told_where_it_is_written() {
    let problem = problem_of(
        "bad.yaml",
        "executor_id: http\nconfig: {url: \"http://x\"}\ninput_schema:\n  type: objekt\n",
    );
    assert_at(&problem, "catalog::bad_schema", 4, 9);
    let message = problem["message"].as_str().unwrap();
    assert!(
        message.starts_with("input_schema is no JSON Schema: type is \"objekt\", which is no type"),
        "{message}"
    );
    let problem = problem_of(
        "bad.py",
        "CONFIG_SCHEMA = {\n    \"properties\": {\"a\": {\"type\": \"string\", \"pattern\": \"[\"}},\n}\ndef main(a): ...\n",
    );
    assert_at(&problem, "catalog::bad_schema", 2, 55);
    let problem = problem_of(
        "bad.sh",
        "# ---\n# parameters:\n#   city: {type: strin}\n# ---\necho\n",
    );
    assert_at(&problem, "catalog::bad_schema", 3, 18);
    assert_eq!(
        problem_of(
            "bad.js",
            "export const outputSchema = {required: 'a'};\nexport function main() {}\n"
        )["message"],
        "output_schema is no JSON Schema: required is a text, not a list of names"
    );
}

#[test]
fn doctor_and_run_tell_of_a_bad_schema_too() {
    let context = context();
    context.tool(
        "bad.py",
        "INPUT_SCHEMA = {\"type\": \"objekt\"}\ndef main(): ...\n",
    );
    let checks = context.run(&["doctor"]).to_string();
    assert!(checks.contains("which is no type"), "{checks}");
    assert_eq!(
        context.error(&["run", "bad"])["code"],
        "catalog::bad_schema"
    );
}

#[test]
fn an_unquoted_version_keeps_the_form_it_is_written_in() {
    let context = context();
    context.tool(
        "a.yaml",
        "executor_id: http\nversion: 1.10\nconfig: {url: \"http://x\"}\n",
    );
    context.tool("b.sh", "# ---\n# version: 2.0\n# ---\necho\n");
    context.tool("c.py", "__version__ = 3.20\ndef main(): ...\n");
    let listing = context.data(&["list"]);
    let tools = listing["tools"].as_array().unwrap();
    let versions: Vec<&Value> = tools.iter().map(|tool| &tool["version"]).collect();
    assert_eq!(versions, ["1.10", "2.0", "3.20"]);
}

#[test]
fn two_files_of_one_id_are_both_named() {
    let context = context();
    context.tool("twice.py", "def main(): ...\n");
    context.tool("twice.sh", "echo\n");
    let problem = one_problem(&context);
    assert_eq!(problem["code"], "catalog::duplicate_id");
    let message = problem["message"].as_str().unwrap();
    assert!(
        message.contains("twice.py") && message.contains("twice.sh"),
        "{message}"
    );
    let error = context.error(&["show", "twice"]);
    assert_eq!(error["code"], "catalog::duplicate_id");
}

#[test]
fn a_data_file_that_says_nothing_of_itself_is_told_so() {
    let problem = problem_of("settings.yaml", "colour: red\n");
    assert_eq!(problem["code"], "catalog::missing_executor");
}

#[test]
fn bytes_that_are_no_text_are_shown_where_they_are() {
    assert_at(
        &problem_of("bad.py", b"# fine\nx = '\xff'\n"),
        "catalog::not_utf8",
        2,
        6,
    );
    let problem = problem_of("bad.py", b"\xff\xfe#\0");
    assert_eq!(problem["message"], "the file is UTF-16, not UTF-8");
}

#[test]
fn a_fifty_megabyte_file_is_not_read() {
    let problem = problem_of("big.py", vec![b'#'; 50_000_000]);
    assert_eq!(problem["code"], "catalog::too_large");
    assert_eq!(
        problem["message"],
        "the file has 50 MB; a tool file has at most 4 MB"
    );
}

#[test]
fn deeply_nested_literals_end_in_a_problem_not_in_a_crash() {
    for depth in [100, 1_000, 100_000] {
        let nested = format!("CONFIG = {}{}\n", "[".repeat(depth), "]".repeat(depth));
        problem_of("deep.py", nested);
        let nested = format!(
            "export const config = {}{};\n",
            "[".repeat(depth),
            "]".repeat(depth)
        );
        problem_of("deep.js", nested);
        let nested = format!(
            "tool_type: x\nconfig: {}{}\n",
            "[".repeat(depth),
            "]".repeat(depth)
        );
        problem_of("deep.yaml", nested);
        let nested = format!(
            "tool_type = 'x'\nconfig = {}{}\n",
            "[".repeat(depth),
            "]".repeat(depth)
        );
        problem_of("deep.toml", nested);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_a_problem() {
    use std::os::unix::fs::symlink;
    let context = context();
    symlink("nowhere", context.project().join(".ai/tools/dangling.py")).unwrap();
    assert_eq!(one_problem(&context)["code"], "catalog::unreadable");
}

#[cfg(unix)]
#[test]
fn what_only_looks_like_a_file_is_named_and_blocks_nothing() {
    let context = context();
    let tools = context.project().join(".ai/tools");
    let made = std::process::Command::new("mkfifo")
        .arg(tools.join("pipe.py"))
        .status()
        .unwrap();
    assert!(made.success());
    let _socket = std::os::unix::net::UnixListener::bind(tools.join("socket.py")).unwrap();
    std::os::unix::fs::symlink(tools.join("pipe.py"), tools.join("to_pipe.py")).unwrap();
    context.tool("good.py", "def main(): ...\n");
    let listing = context.data(&["list"]);
    assert_eq!(listing["tools"].as_array().unwrap().len(), 1);
    let problems = listing["problems"].as_array().unwrap();
    assert_eq!(problems.len(), 3, "{problems:?}");
    for (problem, name) in problems.iter().zip(["pipe.py", "socket.py", "to_pipe.py"]) {
        assert_eq!(problem["message"], "it is not a plain file");
        assert!(problem["path"].as_str().unwrap().ends_with(name));
        assert!(problem["help"].is_string(), "{problem}");
    }
    assert_eq!(
        context.error(&["show", "pipe"])["code"],
        "catalog::unreadable"
    );
}

/// A file that is a pipe in every other moment, while listings read it.
#[cfg(unix)]
#[test]
fn a_file_that_keeps_turning_into_a_pipe_holds_nothing_up() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let context = context();
    context.tool("good.py", "def main(): ...\n");
    let (file, pipe) = (context.root().join("file"), context.root().join("pipe"));
    fs_err::write(&file, "def main(): ...\n").unwrap();
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let (beside, tool) = (
        context.root().join("beside"),
        context.project().join(".ai/tools/flips.py"),
    );
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                for source in [&pipe, &file] {
                    fs_err::hard_link(source, &beside).unwrap();
                    fs_err::rename(&beside, &tool).unwrap();
                }
            }
        });
        let ended: Vec<bool> = (0..30).map(|_| ends(&context, &["list"])).collect();
        let shown: Vec<bool> = (0..10)
            .map(|_| ends(&context, &["show", "flips"]))
            .collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(ended.iter().chain(&shown).all(|ended| *ended));
    });
}

/// Whether a command comes to its end; one that does not is ended.
#[cfg(unix)]
fn ends(context: &TestContext, args: &[&str]) -> bool {
    use std::process::Stdio;
    let mut command = context.command(args);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    for _ in 0..2000 {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    false
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_space_comes_with_a_cure() {
    let context = context();
    let outside = context.home().join("elsewhere.py");
    fs_err::write(&outside, "def main(): ...\n").unwrap();
    std::os::unix::fs::symlink(&outside, context.project().join(".ai/tools/leak.py")).unwrap();
    let problem = one_problem(&context);
    assert_eq!(problem["code"], "catalog::leaves_space");
    let error = context.error(&["show", "leak"]);
    for told in [&problem, &error] {
        let message = told["message"].as_str().unwrap();
        assert!(message.ends_with("elsewhere.py"), "{message}");
        assert!(told["help"].as_str().unwrap().starts_with("copy the file"));
    }
}

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
      ╰╴         ━
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
fn a_wrong_command_line_is_two_and_still_json_when_asked() {
    let context = context();
    assert_eq!(context.run(&["lisst"]).status, 2);
    let output = context.run(&["list", "--nonsense", "--json"]);
    assert_eq!(output.status, 2);
    assert_eq!(output.error()["code"], "usage::bad_arguments");
}

#[cfg(unix)]
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
    let source = include_str!("../../../toolroom-catalog/src/problem.rs");
    let page = include_str!("../../../../docs/reference/tool-files.md");
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

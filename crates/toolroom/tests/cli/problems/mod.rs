//! Bad files: each is named with its place and its cure, and hides no other.

mod files;
mod told;

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

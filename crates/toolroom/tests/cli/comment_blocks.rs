//! Languages that core has no runtime for: the block in its leading comment makes a tool
//! of a file, and nothing else does.

use serde_json::{Value, json};
use toolroom_test::TestContext;

use crate::context;

/// A comment's mark, and the extensions of files that write comments so.
const STYLES: [(&str, &[&str]); 5] = [
    (
        "#",
        &[
            "zsh", "fish", "ksh", "nu", "awk", "jq", "tcl", "R", "jl", "cr", "exs", "ps1",
        ],
    ),
    ("--", &["lua", "sql", "hs"]),
    (
        "//",
        &[
            "rs", "java", "kts", "swift", "scala", "c", "cpp", "cs", "dart",
        ],
    ),
    (";;", &["lisp", "scm", "rkt", "clj", "el"]),
    ("%", &["erl", "m"]),
];

fn block(mark: &str) -> String {
    format!(
        "{mark} ---\n{mark} description: Says its path.\n{mark} executor_id: subprocess\n{mark} config: {{command: echo, args: [\"{{tool_path}}\"]}}\n{mark} ---\ncode\n"
    )
}

fn ids(context: &TestContext) -> Vec<String> {
    let listed = context.data(&["list"]);
    let tools = listed["tools"].as_array().unwrap().iter();
    let id = |tool: &Value| tool["id"].as_str().unwrap().to_owned();
    tools.map(id).collect()
}

#[test]
fn a_block_in_any_languages_comment_makes_a_tool() {
    let context = context();
    let mut expected = Vec::new();
    for (mark, extensions) in STYLES {
        for extension in extensions {
            context.tool(&format!("{extension}_tool.{extension}"), block(mark));
            expected.push(format!("{extension}_tool"));
        }
    }
    expected.sort();
    assert_eq!(ids(&context), expected);
    let listed = context.data(&["list"]);
    assert_eq!(listed["problems"], json!([]));
    assert_eq!(listed["tools"][0]["runtime"], "subprocess");
    assert_eq!(listed["tools"][0]["description"], "Says its path.");
    for id in ["lua_tool", "R_tool", "rs_tool", "clj_tool", "erl_tool"] {
        let output = context.run(&["run", id]);
        assert!(output.stdout.contains(&format!("/{id}.")), "{output}");
    }
}

#[test]
fn a_block_comment_will_do_as_well() {
    let context = context();
    let inside = "---\nexecutor_id: subprocess\nconfig: {command: echo, args: [ran]}\n---";
    context.tool("one.lua", format!("--[[\n{inside}\n]]\n"));
    context.tool("two.sql", format!("/*\n{inside}\n*/\n"));
    context.tool("three.ps1", format!("<#\n{inside}\n#>\n"));
    for id in ["one", "two", "three"] {
        assert_eq!(context.run(&["run", id]).stdout, "ran\n", "{id}");
    }
}

#[test]
fn without_a_block_a_file_is_no_tool_and_no_problem() {
    let context = context();
    for (mark, extensions) in STYLES {
        for extension in extensions {
            let text = format!("{mark} Only code.\n{mark} ----\ncode\n");
            context.tool(&format!("code.{extension}"), text);
        }
    }
    context.tool("empty.sql", "");
    context.tool(
        "frames.sql",
        "-- ---\n-- Table 'users'\n-- ---\nselect 1;\n",
    );
    context.tool("large.sql", vec![b'x'; 5_000_000]);
    context.tool("latin.sql", b"-- Gr\xfc\xdfe\nselect 1;\n");
    #[cfg(unix)]
    {
        let outside = context.file(context.home().join("outside.sql"), "select 1;\n");
        let tools = context.project().join(".ai/tools");
        std::os::unix::fs::symlink(outside, tools.join("out.sql")).unwrap();
        std::os::unix::fs::symlink("nowhere", tools.join("dangling.lua")).unwrap();
    }
    let listed = context.data(&["list"]);
    assert_eq!(
        (&listed["tools"], &listed["problems"]),
        (&json!([]), &json!([]))
    );
    for id in ["code", "large", "latin", "out", "dangling"] {
        let output = context.run(&["run", id]);
        assert_eq!(output.status, 127, "{output}");
        assert!(!output.stderr.contains("did you mean"), "{output}");
    }
}

#[test]
fn a_file_beside_a_tool_does_not_get_in_its_way() {
    let context = context();
    context.tool("report.py", "print('ran')\n");
    context.tool("report.sql", "select 1;\n");
    context.tool("deep/query.py", "print('ran')\n");
    context.tool("other/query.sql", "select 1;\n");
    #[cfg(unix)]
    {
        let outside = context.file(context.home().join("outside.lua"), "print(1)\n");
        let link = context.project().join(".ai/tools/report.lua");
        std::os::unix::fs::symlink(outside, link).unwrap();
    }
    for name in ["report", "deep/query", "query"] {
        let output = context.run(&["run", name]);
        assert_eq!(output.stdout, "ran\n", "{name}: {output}");
    }
    // With a block both are tools, and which is meant is not ours to guess.
    context.tool("report.sql", block("--"));
    assert_eq!(
        context.error(&["run", "report"])["code"],
        "catalog::duplicate_id"
    );
}

#[test]
fn a_tool_is_found_in_a_folder_of_many_files() {
    let context = context();
    for number in 0..300 {
        context.tool(&format!("data{number}.txt"), "");
    }
    context.tool("one.lua", block("--"));
    context.tool("two.py", "print('ran')\n");
    assert!(context.run(&["run", "one"]).stdout.contains("/one.lua"));
    assert_eq!(context.run(&["run", "two"]).stdout, "ran\n");
}

#[test]
fn what_is_wrong_with_a_block_is_told_with_its_place() {
    let context = context();
    for (text, code, line) in [
        ("-- ---\n-- executor_id: [\n-- ---\n", "catalog::syntax", 2),
        (
            "\n-- ---\n-- executor_id: subprocess\n",
            "catalog::syntax",
            2,
        ),
        (
            "-- ---\n-- description: x\n-- ---\n",
            "catalog::missing_executor",
            1,
        ),
        (
            "-- ---\n-- executor_id: nobody\n-- ---\n",
            "catalog::unknown_executor",
            2,
        ),
    ] {
        context.tool("bad.lua", text);
        let listed = context.data(&["list"]);
        assert_eq!(listed["tools"], json!([]), "{text}");
        let problem = &listed["problems"][0];
        assert_eq!(
            (&problem["code"], &problem["line"]),
            (&json!(code), &json!(line)),
            "{text}"
        );
        assert_ne!(context.run(&["run", "bad"]).status, 0, "{text}");
    }
}

#[test]
fn a_projects_extractor_may_ask_for_a_block_too() {
    let context = context();
    context.tool(
        "extractors/mine.yaml",
        "tool_type: extractor\nextends: extractors/front_matter\ndescription: x\nextensions: [.zig]\ncomment: {line: [\"///\", \"//\"]}\nfront_matter: required\n",
    );
    context.tool("a.zig", block("///"));
    context.tool("b.zig", "// Only code.\n");
    assert_eq!(ids(&context), ["a"]);
    context.tool(
        "extractors/mine.yaml",
        "tool_type: extractor\ndescription: x\nextensions: [.zig]\nfront_matter: sometimes\n",
    );
    let problem = &context.data(&["list"])["problems"][0];
    assert_eq!(problem["code"], "catalog::bad_extractor");
    assert_eq!(problem["line"], 4);
}

//! A program that an edit broke is answered by its last good version, as if that were still
//! in its file, until the file is put right.

use std::path::Path;

use serde_json::{Value, json};
use toolroom_test::TestContext;

use super::client::Client;
use super::live::{CHANGED, followed, names};
use super::machine;

/// A tool in one language that gives a word, what a file beside it says, and its own path.
struct Program {
    file: &'static str,
    beside: (&'static str, &'static str),
    /// With `WORD` in the place of the word.
    text: &'static str,
    broken: &'static str,
}

const PYTHON: Program = Program {
    file: "py_tool.py",
    beside: ("_py_beside.py", "V = 'beside'\n"),
    text: "import _py_beside\ndef main(): return ['WORD', _py_beside.V, __file__]\n",
    broken: "def main(:\n",
};
const MODULE: Program = Program {
    file: "esm_tool.mjs",
    beside: ("_beside.mjs", "export const v = 'beside';\n"),
    text: "import { v } from './_beside.mjs';\nimport { fileURLToPath } from 'node:url';\nexport const main = () => ['WORD', v, fileURLToPath(import.meta.url)];\n",
    broken: "export const main = () => [;\n",
};
const COMMON_JS: Program = Program {
    file: "cjs_tool.cjs",
    beside: ("_beside.cjs", "module.exports = 'beside';\n"),
    text: "const v = require('./_beside.cjs');\nexports.main = () => ['WORD', v, __filename];\n",
    broken: "exports.main = () => [;\n",
};
const RUBY: Program = Program {
    file: "rb_tool.rb",
    beside: ("_beside.rb", "V = 'beside'\n"),
    text: "# ---\n# description: In Ruby.\n# ---\nrequire_relative '_beside'\ndef main = ['WORD', V, __FILE__]\n",
    broken: "# ---\n# description: In Ruby.\n# ---\ndef main = ['broken'\n",
};
const SHELL: Program = Program {
    file: "sh_tool.sh",
    beside: ("_beside.sh", "v=beside\n"),
    text: "# ---\n# description: In Bash.\n# ---\nset -eu\nsource \"$(dirname \"${BASH_SOURCE[0]}\")/_beside.sh\"\nprintf '[\"%s\", \"%s\", \"%s\"]' WORD \"$v\" \"$0\"\n",
    broken: "# ---\n# description: In Bash.\n# ---\necho broken\nif then\n",
};

const PHP: Program = Program {
    file: "php_tool.php",
    beside: ("_beside.php", "<?php const V = 'beside';\n"),
    text: "<?php\nrequire __DIR__ . '/_beside.php';\nfunction main() { return ['WORD', V, __FILE__]; }\n",
    broken: "<?php\nfunction main() { return ['broken'; }\n",
};

impl Program {
    fn write(&self, context: &TestContext, word: &str) -> std::path::PathBuf {
        context.tool(self.beside.0, self.beside.1);
        context.tool(self.file, self.text.replace("WORD", word))
    }

    fn call(&self, client: &mut Client) -> Value {
        let name = Path::new(self.file).file_stem().unwrap();
        call(client, name.to_str().unwrap())
    }
}

fn call(client: &mut Client, name: &str) -> Value {
    client.modern("tools/call", json!({"name": name, "arguments": {}}))
}

/// Waits until everything that was written before is served.
fn served(context: &TestContext, client: &mut Client, name: &str) {
    context.tool(&format!("{name}.py"), "def main(): return 1\n");
    client.hear(CHANGED);
}

fn says(word: &str, path: &Path) -> Value {
    json!([word, "beside", path])
}

fn keeps_running(program: &Program) {
    let context = machine();
    let path = program.write(&context, "good");
    let mut client = followed(&context);
    let result = program.call(&mut client);
    assert_eq!(result["structuredContent"], says("good", &path), "{result}");
    assert!(result["_meta"].is_null(), "{result}");

    context.tool(program.file, program.broken);
    // At once, and when the edit has been noticed.
    for round in ["second", "third"] {
        let result = program.call(&mut client);
        assert_eq!(result["structuredContent"], says("good", &path), "{result}");
        let note = result["_meta"]["toolroom/kept"].as_str().unwrap();
        assert!(note.contains(path.to_str().unwrap()), "{note}");
        served(&context, &mut client, round);
    }

    program.write(&context, "mended");
    let result = program.call(&mut client);
    assert_eq!(
        result["structuredContent"],
        says("mended", &path),
        "{result}"
    );
    assert!(result["_meta"].is_null(), "{result}");
    served(&context, &mut client, "fourth");
    context.tool(program.file, program.broken);
    let result = program.call(&mut client);
    assert_eq!(
        result["structuredContent"],
        says("mended", &path),
        "{result}"
    );

    fs_err::remove_file(&path).unwrap();
    client.hear(CHANGED);
    assert_eq!(names(&mut client), ["first", "fourth", "second", "third"]);
    let (_, stderr) = client.finish();
    for told in [
        "is served as it was before, until",
        "is answered by its last good version",
    ] {
        assert!(stderr.contains(told), "{stderr}");
    }
}

#[test]
fn a_broken_python_tool_is_answered_by_its_last_good_version() {
    keeps_running(&PYTHON);
}

#[test]
fn a_broken_module_is_answered_by_its_last_good_version() {
    keeps_running(&MODULE);
}

#[test]
fn a_broken_common_js_tool_is_answered_by_its_last_good_version() {
    keeps_running(&COMMON_JS);
}

#[test]
fn a_broken_ruby_tool_is_answered_by_its_last_good_version() {
    keeps_running(&RUBY);
}

#[test]
fn a_broken_shell_tool_is_answered_by_its_last_good_version() {
    keeps_running(&SHELL);
}

#[test]
fn a_broken_php_tool_is_answered_by_its_last_good_version() {
    keeps_running(&PHP);
}

/// They parse, and cannot be compiled.
#[test]
fn what_only_the_interpreter_sees_breaks_a_program_as_well() {
    let broken = "import _py_beside\ndef main(): return ['broken']\nreturn 1\n";
    keeps_running(&Program { broken, ..PYTHON });
    let broken = "const a = 1;\nconst a = 2;\nexport const main = () => ['broken'];\n";
    keeps_running(&Program { broken, ..MODULE });
}

#[cfg(unix)]
#[test]
fn no_interpreter_is_started_for_a_tool_that_nobody_has_called() {
    let context = machine();
    let started = context.project().join("started");
    context.executable(
        ".venv/bin/python3",
        format!("#!/bin/sh\ntouch '{}'\nexit 1\n", started.display()),
    );
    context.file(".venv/pyvenv.cfg", "home = /usr/bin\n");
    context.tool("ed.py", "def main(): return 'one'\n");
    let mut client = followed(&context);
    context.tool("ed.py", "def main(): return 'two'\n");
    served(&context, &mut client, "third");
    assert!(!started.exists());
    call(&mut client, "ed");
    assert!(started.exists(), "it is the interpreter of a call");
}

#[test]
fn a_program_that_was_never_good_is_not_taken_for_a_good_one() {
    let context = machine();
    let path = context.tool("ed.rb", "def main = ['one'\n");
    let mut client = followed(&context);
    assert_eq!(call(&mut client, "ed")["isError"], true);
    context.tool("ed.rb", "# Again.\ndef main = ['two'\n");
    for round in ["second", "third"] {
        let result = call(&mut client, "ed");
        assert_eq!(result["isError"], true, "{result}");
        assert!(result["_meta"]["toolroom/kept"].is_null(), "{result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        let place = format!("{}:2:", path.display());
        assert!(text.contains(&place), "{text}");
        served(&context, &mut client, round);
    }
    context.tool("ed.rb", "def main = 'good'\n");
    assert_eq!(call(&mut client, "ed")["content"][0]["text"], "good");
}

/// It is no syntax until the script has been run so far.
#[test]
fn a_script_that_makes_its_own_syntax_is_not_taken_for_a_broken_one() {
    let context = machine();
    let text = "shopt -s extglob\nfor word in WORD; do [[ $word == !(x) ]] && echo \"$word\"; done\ncase WORD in !(y)) : ;; esac\n";
    context.tool("ed.sh", text.replace("WORD", "one"));
    let mut client = followed(&context);
    for word in ["one", "two", "three"] {
        context.tool("ed.sh", text.replace("WORD", word));
        assert_eq!(call(&mut client, "ed")["content"][0]["text"], word);
        served(&context, &mut client, word);
        assert_eq!(call(&mut client, "ed")["content"][0]["text"], word);
    }
}

#[test]
fn who_waits_for_the_answer_hears_which_version_it_is_of() {
    let context = machine();
    let path = context.tool("ed.py", "def main(): return 'good'\n");
    let mut client = followed(&context);
    client.request("logging/setLevel", json!({"level": "warning"}));
    context.tool("ed.py", "def main(:\n");
    client.send_request("tools/call", json!({"name": "ed", "arguments": {}}));
    let told = client.hear("notifications/message");
    assert_eq!(told["params"]["level"], "warning", "{told}");
    let message = told["params"]["data"].as_str().unwrap();
    let start = format!(
        "ed is answered by its last good version: {}:1:10: ",
        path.display()
    );
    assert!(message.starts_with(&start), "{message}");
}

/// The program is fine; what it says of itself is not.
#[test]
fn metadata_that_an_edit_broke_is_kept_together_with_the_text() {
    let edits = [
        "__executor_id__ = 'no_such_runtime'\ndef main(n: int = 1): return 'new'\n",
        "CONFIG = make()\ndef main(n: int = 1): return 'new'\n",
        "INPUT_SCHEMA = {'type': 'object', 'properties': {'n': {'type': 7}}}\ndef main(n: int = 1): return 'new'\n",
        "INPUT_SCHEMA = {'type': 'object', 'properties': {'n': {'$ref': 'https://example.org/n'}}}\ndef main(n: int = 1): return 'new'\n",
    ];
    for (round, edit) in edits.iter().enumerate() {
        let context = machine();
        context.tool("ed.py", "\"\"\"Good.\"\"\"\ndef main(): return 'good'\n");
        let mut client = followed(&context);
        context.tool("ed.py", edit);
        for round in ["second", "third"] {
            let result = call(&mut client, "ed");
            assert_eq!(result["content"][0]["text"], "good", "{edit}: {result}");
            served(&context, &mut client, round);
            let tools = client.request("tools/list", json!({}));
            assert_eq!(tools["tools"][0]["description"], "Good.", "{round} {tools}");
        }
        context.tool("ed.py", "def main(): return 'mended'\n");
        let result = call(&mut client, "ed");
        assert_eq!(result["content"][0]["text"], "mended", "{round} {result}");
    }
}

#[test]
fn a_runtime_that_an_edit_broke_is_kept_for_its_tools() {
    let context = machine();
    let runtime = "tool_type: runtime\nexecutor_id: python_runtime\n";
    context.tool("runtimes/mine.yaml", runtime);
    let text = "__executor_id__ = 'runtimes/mine'\ndef main(): return 'WORD'\n";
    context.tool("ed.py", text.replace("WORD", "good"));
    let mut client = followed(&context);
    context.tool("runtimes/mine.yaml", "tool_type: [runtime\n");
    for round in ["second", "third"] {
        let result = call(&mut client, "ed");
        assert_eq!(result["content"][0]["text"], "good", "{result}");
        served(&context, &mut client, round);
    }
    context.tool("runtimes/mine.yaml", runtime);
    context.tool("ed.py", text.replace("WORD", "mended"));
    let result = call(&mut client, "ed");
    assert_eq!(result["content"][0]["text"], "mended", "{result}");
    assert!(result["_meta"].is_null(), "{result}");
}

#[test]
fn a_script_that_an_edit_broke_is_run_as_it_was() {
    let python = Program {
        text: "import json, sys\nimport _py_beside\nif __name__ == '__main__':\n    print(json.dumps(['WORD', _py_beside.V, sys.argv[0]]))\n",
        broken: "print('broken')\nprint(:\n",
        ..PYTHON
    };
    keeps_running(&python);
    let common_js = Program {
        text: "const v = require('./_beside.cjs');\nif (require.main === module) console.log(JSON.stringify(['WORD', v, __filename]));\n",
        broken: "console.log('broken');\nconsole.log([;\n",
        ..COMMON_JS
    };
    keeps_running(&common_js);
    let module = Program {
        text: "import { v } from './_beside.mjs';\nconsole.log(JSON.stringify(['WORD', v, process.argv[1]]));\n",
        broken: "console.log('broken');\nconsole.log([;\n",
        ..MODULE
    };
    keeps_running(&module);
}

/// Its runtime says itself where the path goes, and what comes after it.
#[test]
fn a_command_that_an_edit_broke_is_run_as_it_was() {
    let context = machine();
    let text = "__executor_id__ = 'python_script_runtime'\nimport sys\nprint(sys.argv[1:])\n";
    let path = context.tool("ed.py", text);
    let mut client = followed(&context);
    let whole = call(&mut client, "ed");
    context.tool("ed.py", "print(:\n");
    let kept = call(&mut client, "ed");
    assert_eq!(kept["content"], whole["content"], "{kept}");
    assert!(
        kept["content"].to_string().contains("'--project-path'"),
        "{kept}"
    );
    let note = kept["_meta"]["toolroom/kept"].as_str().unwrap();
    assert!(note.contains(path.to_str().unwrap()), "{note}");
}

#[test]
fn a_script_that_was_kept_gets_its_arguments_and_ends_with_its_own_status() {
    let context = machine();
    let schema = "INPUT_SCHEMA = {'type': 'object', 'properties': {'n': {'type': 'integer'}}}\n";
    let text = format!("{schema}import sys\nprint(sys.argv[1:])\nsys.exit(7)\n");
    context.tool("ed.py", &text);
    let mut client = followed(&context);
    let call = json!({"name": "ed", "arguments": {"n": 3}});
    let whole = client.modern("tools/call", call.clone());
    context.tool("ed.py", "print(:\n");
    let kept = client.modern("tools/call", call);
    assert_eq!(kept["content"], whole["content"], "{kept}");
    let outcome = &kept["_meta"]["toolroom/outcome"];
    assert_eq!(outcome["exit_code"], 7, "{kept}");
    assert!(
        kept["content"].to_string().contains("['--n', '3']"),
        "{kept}"
    );
}

/// An interpreter that is given the path in words of its own reads the file as it is now.
#[test]
fn a_command_that_names_its_file_says_where_until_that_is_put_right() {
    let context = machine();
    let runtime = "tool_type: runtime\nexecutor_id: subprocess\nconfig: {command: python3, args: [\"{tool_path}\"], call: {style: script}}\n";
    context.tool("runtimes/mine.yaml", runtime);
    let good = "\"\"\"Good.\"\"\"\n__executor_id__ = 'runtimes/mine'\nprint('WORD')\n";
    let path = context.tool("ed.py", good.replace("WORD", "good"));
    let mut client = followed(&context);
    assert_eq!(call(&mut client, "ed")["content"][0]["text"], "good");
    context.tool("ed.py", "\"\"\"Bad.\"\"\"\nprint('started')\nprint(:\n");
    served(&context, &mut client, "third");
    assert_eq!(names(&mut client), ["ed", "first", "third"]);
    let result = call(&mut client, "ed");
    assert_eq!(result["isError"], true, "{result}");
    let text = result["content"][0]["text"].as_str().unwrap();
    let place = format!("{}:3:", path.display());
    assert!(text.starts_with(&place), "{text}");
    let outcome = &result["_meta"]["toolroom/outcome"];
    assert_eq!(outcome["code"], "catalog::syntax", "{result}");
    context.tool("ed.py", good.replace("WORD", "mended"));
    assert_eq!(call(&mut client, "ed")["content"][0]["text"], "mended");
    let (_, stderr) = client.finish();
    let told = format!(
        "ed is listed as it was before; calls of it fail until {}:3 is put right",
        path.display()
    );
    assert!(stderr.contains(&told), "{stderr}");
}

#[test]
fn a_file_that_is_too_large_is_not_kept_and_its_calls_say_where() {
    let context = machine();
    let filler = "# filler\n".repeat(120_000);
    context.tool("ed.py", format!("def main(): return 'good'\n{filler}"));
    let mut client = followed(&context);
    assert_eq!(call(&mut client, "ed")["content"][0]["text"], "good");
    context.tool("ed.py", "def main(:\n");
    served(&context, &mut client, "third");
    let result = call(&mut client, "ed");
    assert_eq!(
        result["_meta"]["toolroom/outcome"]["code"],
        "catalog::syntax"
    );
}

#[test]
fn a_file_that_was_broken_from_the_start_is_no_tool() {
    let context = machine();
    context.tool("ed.py", "def main(:\n");
    let mut client = followed(&context);
    context.tool("ed.py", "def main(::\n");
    served(&context, &mut client, "third");
    assert_eq!(names(&mut client), ["first", "third"]);
    context.tool("ed.py", "def main(): return 'good'\n");
    client.hear(CHANGED);
    assert_eq!(call(&mut client, "ed")["content"][0]["text"], "good");
}

//! How a tool is called by a runtime that says nothing of it.

use serde_json::json;
use toolroom_test::TestContext;

use super::{machine, result};

/// A runtime as the seeds write it: an interpreter and a command.
const SEED: &str = "__version__ = \"2.0.0\"\n__tool_type__ = \"runtime\"\n__executor_id__ = \"subprocess\"\n__category__ = \"runtimes\"\n\nENV_CONFIG = {\n    \"interpreter\": {\"type\": \"venv_python\", \"search\": [\"project\", \"user\", \"system\"], \"var\": \"RYE_PYTHON\", \"fallback\": \"python3\"},\n    \"env\": {\"PYTHONUNBUFFERED\": \"1\", \"MINE\": \"${RYE_PYTHON}\"},\n}\n\nCONFIG = {\"command\": \"${RYE_PYTHON}\", \"args\": [], \"timeout\": 300}\n";

fn with_tool(source: &str) -> TestContext {
    let context = machine();
    context.tool("rt/mypy.py", SEED);
    context.tool("t.py", format!("__executor_id__ = \"mypy\"\n{source}"));
    context
}

#[test]
fn a_runtime_of_the_seeds_calls_the_function_of_a_file() {
    let context = with_tool(
        "import os\ndef main(name: str = \"x\"):\n    print('noise')\n    return {\"name\": name, \"mine\": bool(os.environ.get(\"MINE\"))}\n",
    );
    let found = result(&context, &["t", "--name", "Ada"]);
    assert_eq!(found, json!({"name": "Ada", "mine": true}));
    assert_eq!(result(&context, &["t"])["name"], "x");
    let chain = context.data(&["show", "t"])["chain"].clone();
    assert_eq!(chain[1]["id"], "rt/mypy", "{chain}");
}

#[test]
fn a_runtime_that_says_how_it_is_set_up_calls_functions_too() {
    let context = machine();
    let setup = "\"env_setup\": {\"type\": \"python_venv\", \"paths\": [\"lib\"]}";
    for command in ["${PYTHON_RUNTIME:-python3}", "python3"] {
        context.tool(
            "rt/first.py",
            format!("__tool_type__ = \"runtime\"\n__executor_id__ = \"subprocess\"\nCONFIG = {{\"command\": \"{command}\", {setup}}}\n"),
        );
        context.tool(
            "t.py",
            "__executor_id__ = \"first\"\ndef main(name: str): return [name]\n",
        );
        assert_eq!(
            result(&context, &["t", "--name", "Ada"]),
            json!(["Ada"]),
            "{command}"
        );
    }
}

#[test]
fn a_file_that_calls_its_function_itself_stays_a_script() {
    let guard = "import sys\ndef main(name: str = \"x\"):\n    print(sys.argv[1:])\n\nif __name__ == \"__main__\":\n    main()\n";
    let handed = "import sys\ndef run(f): f()\ndef main(name: str = \"x\"):\n    print(sys.argv[1:])\nrun(main)\n";
    for source in [guard, handed] {
        let output = with_tool(source).run(&["run", "t", "--params", "{\"name\": \"Ada\"}"]);
        assert_eq!(
            output.stdout, "['--name', 'Ada']\n",
            "{source}{}",
            output.stderr
        );
        assert_eq!(output.stderr, "", "{source}");
    }
}

#[test]
fn a_function_that_nobody_calls_is_told_of() {
    let context = machine();
    context.tool(
        "rt/scripts.yaml",
        "tool_type: runtime\nexecutor_id: subprocess\nconfig: {command: python3, call: {style: script}}\n",
    );
    context.tool(
        "t.py",
        "__executor_id__ = \"scripts\"\ndef main(): return 1\n",
    );
    let output = context.run(&["run", "t"]);
    assert_eq!(output.status, 0);
    assert_eq!(
        output.stderr,
        "note: t.py is run as a script, and nothing in it calls its main; have the script call it, or give its runtime a call of style function\n"
    );
}

//! How parameters reach a tool: flags, JSON, files, defaults, and what is refused before anything starts.

use serde_json::{Value, json};

use super::{machine, result};

#[test]
fn a_python_function_gets_its_parameters_and_gives_any_json() {
    let context = machine();
    context.tool(
        "echo.py",
        "def main(value=None):\n    print('noise {\"result\": 1}')\n    return value\n",
    );
    let cases = [
        json!(null),
        json!(0),
        json!(""),
        json!(false),
        json!([]),
        json!({}),
        json!([1, "x", null]),
        json!({"a": {"b": [true]}}),
        json!("grüße 🦀"),
        json!(1.5),
        json!(-3),
    ];
    for value in cases {
        let params = json!({"value": value}).to_string();
        assert_eq!(result(&context, &["echo", "--params", &params]), value);
    }
}

#[test]
fn flags_follow_the_signature() {
    let context = machine();
    context.tool(
        "f.py",
        "def main(name: str, count: int = 1, loud: bool = False, tags: list[str] = None, dry_run: bool = True):\n    return [name, count, loud, tags, dry_run]\n",
    );
    let args = [
        "f",
        "--name",
        "3",
        "--count",
        "-2",
        "--loud",
        "--tags",
        "a",
        "--tags",
        "b",
        "--no-dry-run",
    ];
    assert_eq!(
        result(&context, &args),
        json!(["3", -2, true, ["a", "b"], false])
    );
    assert_eq!(
        result(&context, &["f", "--name=a=b"]),
        json!(["a=b", 1, false, null, true])
    );
}

#[test]
fn parameters_come_from_json_a_file_or_standard_input() {
    let context = machine();
    context.tool("f.py", "def main(a, b=0): return [a, b]\n");
    assert_eq!(
        result(&context, &["f", "--params", "{\"a\": 1}", "--b", "2"]),
        json!([1, 2])
    );
    let file = context.file("params.json", "{\"a\": [1]}");
    assert_eq!(
        result(
            &context,
            &["f", "--params", &format!("@{}", file.display())]
        ),
        json!([[1], 0])
    );
    let mut command = context.command(&["run", "f", "--params", "-", "--json"]);
    command.stdin(std::fs::File::open(&file).unwrap());
    let output = command.output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["data"]["data"], json!([[1], 0]));
}

#[test]
fn wrong_parameters_are_named_before_anything_starts() {
    let context = machine();
    let witness = context.project().join("witness");
    context.tool(
        "f.py",
        format!(
            "open({:?}, 'w')\ndef main(n: int, s: str = ''): ...\n",
            witness.to_str().unwrap()
        ),
    );
    let output = context.run(&["run", "f", "--n", "many", "--zz", "1", "--json"]);
    assert_eq!(output.status, 2);
    let error = output.error();
    assert_eq!(error["code"], "usage::invalid_parameters");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("n: ") && message.contains("zz"),
        "{message}"
    );
    assert!(!witness.exists());
}

#[test]
fn no_digit_is_lost_however_often_a_flag_is_given() {
    let context = machine();
    context.tool(
        "f.py",
        "def main(items: list[dict] = [], tags: list[str] = []): return [items, tags]\n",
    );
    let large = "{\"id\": 123456789012345678901}";
    for given in [
        &["--items", large][..],
        &["--items", "{\"a\": 1}", "--items", large],
    ] {
        let error = context.error(&[&["run", "f"], given].concat());
        assert_eq!(error["code"], "usage::invalid_parameters");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("items: a whole number"), "{message}");
    }
    let tags = ["f", "--tags", "123456789012345678901"];
    let wanted = json!([[], ["123456789012345678901"]]);
    assert_eq!(result(&context, &tags), wanted);
}

/// Parameters are data: they override nothing and nothing in them is expanded.
#[test]
fn parameters_cannot_take_over_the_command() {
    let mut context = machine();
    context.set_env("SECRET_VALUE", "leaked");
    context.tool("f.py", "def main(**params): return params\n");
    let params = json!({
        "command": "whoami", "args": ["-x"], "cwd": "/", "env": {"A": "1"}, "timeout": 0.001,
        "HOME": "mine", "template": "${SECRET_VALUE} {project_path} $HOME `id` $(id)",
    });
    assert_eq!(
        result(&context, &["f", "--params", &params.to_string()]),
        params
    );
}

#[test]
fn large_parameters_and_results_are_no_problem() {
    let context = machine();
    context.tool(
        "f.py",
        "def main(text): return {'length': len(text), 'text': text}\n",
    );
    let params = context.file(
        "big.json",
        json!({"text": "x".repeat(1_000_000)}).to_string(),
    );
    let found = result(
        &context,
        &["f", "--params", &format!("@{}", params.display())],
    );
    assert_eq!(found["length"], 1_000_000);
}

#[test]
fn after_two_dashes_every_flag_is_the_tools() {
    let context = machine();
    context.tool(
        "k.py",
        "def main(json: str = 'x', project: str = ''): return [json, project]\n",
    );
    let output = context.run(&["run", "k", "--", "--json", "q", "--project", "zz"]);
    assert_eq!(output.stdout, "[\"q\",\"zz\"]\n");
    let output = context.run(&["run", "k", "--timeout", "9", "--", "--json", "q"]);
    assert_eq!(output.stdout, "[\"q\",\"\"]\n");
}

#[test]
fn a_flag_wins_over_params_and_a_slip_is_named() {
    let context = machine();
    context.tool(
        "k.py",
        "def main(name: str, times: int = 1): return [name, times]\n",
    );
    assert_eq!(
        result(
            &context,
            &["k", "--params", "{\"name\": \"P\"}", "--name", "Q"]
        ),
        json!(["Q", 1])
    );
    assert_eq!(
        result(&context, &["k", "--name", "a", "--times", "2.0"]),
        json!(["a", 2])
    );
    let error = context.error(&["run", "k", "--name", "a", "--tiems", "2"]);
    assert_eq!(
        error["message"],
        "there is no parameter tiems; did you mean times?"
    );
    let error = context.error(&[
        "run",
        "k",
        "--params",
        "{\"name\": \"x\", \"times\": 12345678901234567890123}",
    ]);
    assert_eq!(error["code"], "usage::bad_arguments");
    assert_eq!(context.run(&["run"]).status, 2);
}

#[test]
fn a_default_that_json_has_no_word_for_is_the_functions_own() {
    let context = machine();
    let color = "import enum\nclass C(enum.Enum):\n    RED = 'red'\n    BLUE = 'blue'\n";
    context.tool(
        "f.py",
        format!("{color}def main(c: C = C.RED): return c.value\n"),
    );
    assert_eq!(result(&context, &["f"]), json!("red"));
    assert_eq!(result(&context, &["f", "--c", "blue"]), json!("blue"));
}

#[test]
fn a_declared_default_is_filled_in_whoever_takes_it() {
    let context = machine();
    let schema = "{'type': 'object', 'properties': {'n': {'type': 'integer', 'default': 3}, 'o': {'type': 'object', 'properties': {'x': {'default': 1}}}}, 'required': ['n']}";
    for name in ["CONFIG_SCHEMA", "INPUT_SCHEMA", "PARAMETERS"] {
        context.tool(
            "named.py",
            format!("{name} = {schema}\ndef main(n=5, o=None): return [n, o]\n"),
        );
        assert_eq!(result(&context, &["named"]), json!([3, null]), "{name}");
        assert_eq!(
            result(&context, &["named", "--n", "4", "--o", "{\"y\": 2}"]),
            json!([4, {"y": 2, "x": 1}]),
            "{name}"
        );
        context.tool(
            "whole.py",
            format!("{name} = {schema}\ndef execute(params, project_path): return params\n"),
        );
        assert_eq!(result(&context, &["whole"]), json!({"n": 3}), "{name}");
    }
    context.tool(
        "script.sh",
        "# ---\n# parameters: {n: {type: integer, default: 3}}\n# ---\necho \"$*\"\n",
    );
    assert_eq!(context.run(&["run", "script"]).stdout, "--n 3\n");
}

#[test]
fn a_number_that_would_lose_digits_is_refused_before_anything_starts() {
    let context = machine();
    context.tool(
        "f.py",
        "def main(i: int = 0, o: dict | None = None, s: str = ''): return [i, s]\n",
    );
    let huge = "12345678901234567890123";
    for args in [
        &["--i", huge][..],
        &["--o", "{\"deep\": [12345678901234567890123]}"],
        &["--params", "{\"o\": 12345678901234567890123}"],
    ] {
        let output = context.run(&[&["run", "f"], args, &["--json"]].concat());
        assert_eq!(output.status, 2, "{output}");
        let message = output.error()["message"].to_string();
        assert!(message.contains("beyond 64 bits"), "{message}");
    }
    assert_eq!(result(&context, &["f", "--s", huge]), json!([0, huge]));
    assert_eq!(
        result(
            &context,
            &["f", "--params", "{\"i\": 18446744073709551615}"]
        )[0],
        json!(u64::MAX)
    );
}

#[test]
fn a_number_that_json_lacks_is_no_number() {
    let context = machine();
    context.tool("f.py", "def main(n: float): return n\n");
    for args in [
        ["--n", "NaN"],
        ["--n", "Infinity"],
        ["--params", "{\"n\": NaN}"],
        ["--params", "{\"n\": 1e999}"],
    ] {
        let output = context.run(&[&["run", "f"], &args[..], &["--json"]].concat());
        assert_eq!(output.status, 2, "{args:?}: {output}");
    }
}

#[cfg(unix)]
#[test]
fn an_argument_that_is_no_text_is_refused_with_its_cure() {
    use std::os::unix::ffi::OsStrExt as _;
    let context = machine();
    context.tool("f.py", "def main(s=''): return s\n");
    let odd = std::ffi::OsStr::from_bytes(b"a\xff");
    let args = ["run", "f", "--s"].map(std::ffi::OsStr::new);
    let output = context
        .command(&[&args[..], &[odd]].concat())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let text = context.normalise(&output.stderr);
    assert!(
        text.contains("is not UTF-8") && text.contains("--params @FILE"),
        "{text}"
    );
}

#[test]
fn call_facts_are_no_parameters() {
    let context = machine();
    context.tool(
        "r.py",
        "def execute(params, project_path): return [params, project_path]\n",
    );
    let params = json!({"params": {"a": 1}, "project_path": "/etc"});
    assert_eq!(
        result(&context, &["r", "--params", &params.to_string()]),
        json!([params, "[PROJECT]"])
    );
}

#[test]
fn a_parameter_called_like_an_option_of_run_is_shown_as_it_is_given() {
    let context = machine();
    context.tool("f.py", "def main(timeout: int = 1): return timeout\n");
    for args in [&["run", "f", "--help"][..], &["show", "f"]] {
        let shown = context.run(args).stdout;
        let line = "-- --timeout INTEGER  (after --, or in --params) [default: 1]";
        assert!(shown.contains(line), "{shown}");
    }
    let given = context.run(&["run", "f", "--", "--timeout", "5"]);
    assert_eq!(given.stdout, "5\n");
}

#[test]
fn help_shows_the_tools_own_flags() {
    let context = machine();
    context.tool("f.py", "def main(name: str, n: int = 3):\n    \"\"\"Does it.\n\n    Args:\n        name: Whom.\n    \"\"\"\n");
    insta::assert_snapshot!(context.run(&["run", "f", "--help"]), @"
    status: 0
    ----- stdout -----
    Does it.

    Usage: toolroom run f [--NAME VALUE…] [OPTIONS]

    Parameters:
      --name TEXT  Whom. (required)
      --n INTEGER  [default: 3]

    Options:
      --params JSON|@FILE|-  All parameters at once; - reads standard input
      --timeout S            End the tool after so many seconds
      --env K=V              Set a variable for the tool; may be repeated
      --frozen               Make or change no environment
      --project DIR          The project to work in
      --json                 Answer with one JSON document
      -q, --quiet            Say nothing but the answer
      -v, --verbose          Say more
      --color WHEN           auto, always or never
    ----- stderr -----
    ");
}

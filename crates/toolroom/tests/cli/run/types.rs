//! What a text on the command line becomes: by a parameter's type, its default, or neither.

use serde_json::json;

use super::{machine, result};

#[test]
fn a_default_says_the_type_where_nothing_else_does() {
    let context = machine();
    context.tool(
        "p.py",
        "def main(name='World', on=False, n=1, x=1.5, tags=[], more={}, free=None):\n    return [name, on, n, x, tags, more, free]\n",
    );
    context.tool(
        "j.mjs",
        "export const main = ({ name = \"World\", on = false, n = 1, tags = [], free = null }) => [name, on, n, tags, free];\n",
    );
    let python = [
        "p", "--name", "42", "--on", "--n", "2", "--x", "2", "--tags", "a", "--more", "{}",
        "--free", "7",
    ];
    assert_eq!(
        result(&context, &python),
        json!(["42", true, 2, 2, ["a"], {}, "7"])
    );
    for text in ["null", "{}", "true"] {
        assert_eq!(result(&context, &["p", "--name", text])[0], text);
    }
    let schema = context.data(&["show", "p"])["input_schema"]["properties"].clone();
    assert_eq!(schema["n"], json!({"type": "integer", "default": 1}));
    assert_eq!(schema["free"], json!({"default": null}));
    if toolroom_test::program("node").is_some() {
        let node = [
            "j", "--name", "42", "--on", "--n", "2.5", "--tags", "a", "--free", "7",
        ];
        assert_eq!(
            result(&context, &node),
            json!(["42", true, 2.5, ["a"], "7"])
        );
    }
}

#[test]
fn a_parameter_of_no_type_is_text_on_the_command_line_whatever_is_said_of_it() {
    let context = machine();
    context.tool("bare.py", "def main(a): return a\n");
    context.tool(
        "told.py",
        "def main(a):\n    \"\"\"Tells.\n\n    :param a: What.\n    \"\"\"\n    return a\n",
    );
    for tool in ["bare", "told"] {
        assert_eq!(result(&context, &[tool, "--a", "1"]), json!("1"), "{tool}");
        assert_eq!(result(&context, &[tool, "--a"]), json!(true), "{tool}");
        let params = result(&context, &[tool, "--params", "{\"a\": 1}"]);
        assert_eq!(params, json!(1), "{tool}");
    }
}

#[test]
fn a_value_that_is_none_of_those_allowed_is_told_which_are() {
    let context = machine();
    context.tool(
        "l.py",
        "from typing import Literal\n\ndef main(n: Literal[1, 2, 3] = 1): return n\n",
    );
    for value in ["4", "x"] {
        let error = context.error(&["run", "l", "--n", value]);
        assert_eq!(
            error["message"], "n: value is not one of 1, 2, 3",
            "{value}"
        );
    }
}

#[test]
fn a_parameter_that_may_be_none_takes_the_flags_of_its_type() {
    let context = machine();
    context.tool(
        "o.py",
        "from datetime import timedelta\nfrom typing import List, Literal, Optional, Union\n\ndef main(ids: Optional[List[int]] = None, f: Optional[bool] = None, names: Optional[List[str]] = None,\n         pick: Optional[Literal[1, 2]] = None, td: Optional[timedelta] = None, either: Union[int, List[int]] = 0):\n    return [ids, f, names, pick, td and td.total_seconds(), either]\n",
    );
    let cases = [
        (
            &["--ids", "1", "--ids", "2"][..],
            json!([[1, 2], null, null, null, null, 0]),
        ),
        (&["--ids", "1"], json!([[1], null, null, null, null, 0])),
        (
            &["--ids", "[1, 2]"],
            json!([[1, 2], null, null, null, null, 0]),
        ),
        (
            &["--ids", "null", "--f"],
            json!([null, true, null, null, null, 0]),
        ),
        (&["--no-f"], json!([null, false, null, null, null, 0])),
        (&["--f", "no"], json!([null, false, null, null, null, 0])),
        (&["--names", "1"], json!([null, null, ["1"], null, null, 0])),
        (&["--pick", "2"], json!([null, null, null, 2, null, 0])),
        (&["--td", "3"], json!([null, null, null, null, 3.0, 0])),
        (&["--either", "3"], json!([null, null, null, null, null, 3])),
        (
            &["--either", "3", "--either", "4"],
            json!([null, null, null, null, null, [3, 4]]),
        ),
    ];
    for (flags, wanted) in cases {
        let found = result(&context, &[&["o"], flags].concat());
        assert_eq!(found, wanted, "{flags:?}");
    }
}

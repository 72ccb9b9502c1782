use serde_json::json;
use toolroom_kernel::Position;

use super::{document, x};
use crate::extract::document::{Variable, Wanted};
use crate::extract::python::read;

#[test]
fn literals_become_json() {
    let cases = [
        (r#""text""#, json!("text")),
        (r#""one " 'two' """ three""""#, json!("one two three")),
        (r#""a" + "b" + "c""#, json!("abc")),
        ("('a'\n 'b')", json!("ab")),
        (r#""\u00e9\n\x41\N{BULLET}""#, json!("é\nA•")),
        (r#"r"\n""#, json!("\\n")),
        (r#"f"no {{placeholder}}""#, json!("no {placeholder}")),
        (r#""a" f"b""#, json!("ab")),
        ("0", json!(0)),
        ("-7", json!(-7)),
        ("+7", json!(7)),
        ("1_000", json!(1000)),
        ("0xff", json!(255)),
        ("0o17", json!(15)),
        ("18446744073709551615", json!(u64::MAX)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("1.5", json!(1.5)),
        ("-2.5e3", json!(-2500.0)),
        ("True", json!(true)),
        ("False", json!(false)),
        ("None", json!(null)),
        ("[]", json!([])),
        ("[1, 'a', [None]]", json!([1, "a", [null]])),
        ("(1, 2)", json!([1, 2])),
        ("1, 2", json!([1, 2])),
        ("(1,)", json!([1])),
        ("{1, 2}", json!([1, 2])),
        ("{}", json!({})),
        ("{'a': {'b': (1,)}}", json!({"a": {"b": [1]}})),
        (
            "{1: 'i', 1.5: 'f', True: 'b', None: 'n', -2: 'm'}",
            json!({"1": "i", "1.5": "f", "true": "b", "null": "n", "-2": "m"}),
        ),
        ("{'a': 1, 'a': 2}", json!({"a": 2})),
        ("60 * 5", json!(300)),
        ("10 * 1024 ** 2", json!(10_485_760)),
        ("1 << 20", json!(1_048_576)),
        ("1 / 2", json!(0.5)),
        ("7 // 2 + 7 % 2 - 1", json!(3)),
        ("2 * 1.5", json!(3.0)),
        ("[1] + [2]", json!([1, 2])),
    ];
    for (source, expected) in cases {
        assert_eq!(x(&format!("X = {source}\n")), Ok(expected), "{source}");
    }
}

#[test]
fn what_is_no_literal_says_why() {
    let cases = [
        (
            "os.environ.get('A')",
            "it calls a function (os.environ.get)",
        ),
        ("[1, {'a': load()}]", "it calls a function (load)"),
        ("f()()", "it calls a function"),
        ("os.sep", "it reads an attribute (os.sep)"),
        ("f'{a}'", "it is an f-string with placeholders"),
        ("b'bytes'", "it is bytes, not text"),
        ("18446744073709551616", "it has an integer beyond 64 bits"),
        ("-9223372036854775809", "it has an integer beyond 64 bits"),
        ("1e999", "it has a number that is not finite"),
        ("-1e999", "it has a number that is not finite"),
        ("2j", "it has a complex number"),
        ("{**BASE}", "it spreads another dictionary (**)"),
        ("[*a]", "it spreads another value (*)"),
        (
            "{(1, 2): 3}",
            "it has a key that is no string and no number",
        ),
        ("MISSING", "it uses MISSING, which is no literal further up"),
        ("a[0]", "it reads a part of another value"),
        ("1 if y else 2", "it depends on a condition"),
        ("y or 2", "it depends on a condition"),
        ("lambda: 1", "it is a function"),
        ("[i for i in y]", "it is a comprehension"),
        ("not True", "it is computed (not)"),
        ("-'a'", "it is computed (-)"),
        ("'a' + 1", "it is computed (+)"),
        ("'a' * 1000000000", "it is computed (*)"),
        ("10 ** 400", "it is computed (**)"),
        ("1 / 0", "it is computed (/)"),
        ("1 // 0", "it is computed (//)"),
        ("...", "it is left open (...)"),
    ];
    for (source, reason) in cases {
        assert_eq!(
            x(&format!("X = {source}\n")),
            Err(reason.to_owned()),
            "{source}"
        );
    }
}

#[test]
fn names_stand_for_literals_further_up() {
    let cases = [
        ("T = 30\nX = {'t': T}", Ok(json!({"t": 30}))),
        ("A = 1\nB = [A]\nX = (B, A)", Ok(json!([[1], 1]))),
        ("BASE = 'a'\nX = BASE + '/b'", Ok(json!("a/b"))),
        ("T = 1\nX = T\nT = 2", Ok(json!(1))),
        ("X = 1\nX = [X]", Ok(json!([1]))),
        (
            "X = T\nT = 30",
            Err("it uses T, which is no literal further up"),
        ),
        (
            "T = f()\nX = T",
            Err("it uses T, which is no literal further up"),
        ),
        (
            "from a import T\nX = T",
            Err("it uses T, which is no literal further up"),
        ),
        ("X = X", Err("it uses X, which is no literal further up")),
        (
            "T = [1]\nT.append(2)\nX = T",
            Err("it uses T, which is no literal further up"),
        ),
    ];
    for (source, expected) in cases {
        assert_eq!(x(source), expected.map_err(str::to_owned), "{source}");
    }
}

#[test]
fn every_kind_of_assignment_is_seen() {
    let cases = [
        ("X: dict = {'a': 1}", Ok(json!({"a": 1}))),
        ("X: Final = 3", Ok(json!(3))),
        ("X: int", Err("absent")),
        ("X = 1\nX = 2", Ok(json!(2))),
        ("X = Y = 1", Ok(json!(1))),
        ("X, Z = 1, 'z'", Ok(json!(1))),
        ("X, *Z = 1, 2", Err("it is unpacked from another value")),
        ("X, Z = pair", Err("it is unpacked from another value")),
        ("X = 1; Z = 2", Ok(json!(1))),
        ("if TYPE_CHECKING:\n    X = 1", Err("absent")),
        ("X = 1\nif a:\n    X = 2", Ok(json!(1))),
        ("try:\n    X = 1\nexcept E:\n    X = 2", Err("absent")),
        ("def f():\n    X = 1", Err("absent")),
        ("class A:\n    X = 1", Err("absent")),
        ("class X: pass", Err("absent")),
        ("from a import X", Err("it is imported from another file")),
        (
            "from a import b as X",
            Err("it is imported from another file"),
        ),
        (
            "X = []\nX += [1]",
            Err("it is changed after its assignment"),
        ),
        (
            "X = {}\nX['a'] = 1",
            Err("it is changed after its assignment"),
        ),
        (
            "X = {}\nX['a']['b'] = 1",
            Err("it is changed after its assignment"),
        ),
        (
            "X = {}\nX.update(a=1)",
            Err("it is changed after its assignment"),
        ),
        ("X = 1\ndel X", Err("it is changed after its assignment")),
        ("X = {}\nX.keys()", Ok(json!({}))),
    ];
    for (source, expected) in cases {
        assert_eq!(x(source), expected.map_err(str::to_owned), "{source}");
    }
}

#[test]
fn positions_count_lines_and_characters() {
    let found = document("# é\nX = 'é', load()\nY = {\n  'a': 1}\n");
    let Some(Variable::NotLiteral(x)) = found.variables.get("X") else {
        panic!("X is no literal");
    };
    assert_eq!(
        x.at,
        Position {
            line: 2,
            column: 10
        }
    );
    let Some(Variable::Literal(y)) = found.variables.get("Y") else {
        panic!("Y is a literal");
    };
    assert_eq!(y.at, Position { line: 3, column: 5 });
}

#[test]
fn only_wanted_names_are_read() {
    let found = read("X = 1\ndef main(): pass\n", &Wanted::default());
    assert!(found.variables.is_empty());
    assert!(found.functions.is_empty());
}

#[test]
fn long_sums_are_no_deep_nesting() {
    let source = format!("X = {}", vec!["'a'"; 500].join(" + "));
    assert_eq!(x(&source), Ok(json!("a".repeat(500))));
}

#[test]
fn deep_literals_are_refused() {
    let nested = |depth: usize| format!("X = {}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(x(&nested(60)).is_ok());
    assert_eq!(
        x(&nested(70)),
        Err("it is nested deeper than 64 levels".to_owned())
    );
}

#[test]
fn a_few_lines_cannot_stand_for_endless_values() {
    let mut source = "A0 = 'xxxxxxxxxxxxxxxx'\n".to_owned();
    for step in 1..60 {
        source += &format!("A{step} = [A{0}, A{0}]\n", step - 1);
    }
    source += "X = A59\n";
    assert_eq!(
        x(&source),
        Err("it uses A59, which is no literal further up".to_owned())
    );
    let doubled = source
        .replace("[A", "A")
        .replace(", A", " + A")
        .replace(']', "");
    assert!(x(&doubled).is_err());
}

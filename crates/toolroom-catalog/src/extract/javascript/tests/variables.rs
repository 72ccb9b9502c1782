use serde_json::json;
use toolroom_kernel::Position;

use super::*;

#[test]
fn a_wanted_variable_is_found_wherever_modules_put_it() {
    for source in [
        "export const NAME = 'x';",
        "const NAME = 'x';",
        "let NAME = 'x'",
        "var other = 1, NAME = 'x';",
        "const NAME = 'x'; export { NAME };",
        "const local = 'x'; export { local as NAME };",
        "export { local as NAME }; const local = 'x';",
        "const local = 'x'; export { local as 'NAME' };",
        "module.exports = { NAME: 'x', other() {} };",
        "module.exports = { 'NAME': 'x' };",
        "const NAME = 'x'; module.exports = { NAME };",
        "const local = 'x'; module.exports = { NAME: local };",
        "const tool = { NAME: 'x' }; module.exports = tool;",
        "module.exports = exports = { NAME: 'x' };",
        "module.exports.NAME = 'x';",
        "exports.NAME = 'x';",
        "const local = 'x'; exports.NAME = local;",
        "exports.other = exports.NAME = 'x';",
        "export default { NAME: 'x' };",
        "const tool = { NAME: 'x' }; export default tool;",
        "export default Object.freeze({ NAME: 'x' });",
        "let NAME; NAME = 'y'; NAME = 'x';\nvar NAME = 'x';",
        "let NAME = 'y'; NAME = 'x';",
    ] {
        assert_eq!(value(&js(source)), json!("x"), "{source}");
    }
}

#[test]
fn typescript_adds_its_own_ways_to_write_a_variable() {
    for source in [
        "export const NAME: string = 'x';",
        "export const NAME = 'x' as const;",
        "export const NAME = <const>'x';",
        "export const NAME = ('x' satisfies string)!;",
        "export = { NAME: 'x' };",
        "export default { NAME: 'x' } satisfies Tool;",
    ] {
        assert_eq!(value(&ts(source)), json!("x"), "{source}");
    }
    let tsx = "export const NAME = 'x' as const; const view = <b>hi</b>;";
    let document = read(tsx, Dialect::Tsx, &wanting(&["NAME"], &[]));
    assert_eq!((value(&document), document.faults), (json!("x"), vec![]));
}

#[test]
fn a_named_export_wins_over_a_property_of_the_default() {
    let source = "export const NAME = 1; export default { NAME: 2 };";
    assert_eq!(value(&js(source)), json!(1));
}

#[test]
fn unwanted_and_absent_variables_are_not_reported() {
    assert!(js("export const OTHER = 1;").variables.is_empty());
    assert!(js("").variables.is_empty());
    assert!(js("function f() { const NAME = 1; }").variables.is_empty());
}

#[test]
fn every_literal_has_its_value() {
    for (expression, expected) in [
        (r#""a\"b""#, json!("a\"b")),
        (r"'\u{1F600}\x41\n'", json!("😀A\n")),
        ("'one\\\ntwo'", json!("onetwo")),
        ("`plain\ntemplate`", json!("plain\ntemplate")),
        ("''", json!("")),
        ("0xFF", json!(255)),
        ("0o17", json!(15)),
        ("0b11", json!(3)),
        ("1_000_000", json!(1_000_000)),
        ("1.5e3", json!(1500)),
        ("-2.5", json!(-2.5)),
        ("+(3)", json!(3)),
        ("true", json!(true)),
        ("false", json!(false)),
        ("null", json!(null)),
        ("undefined", json!(null)),
        ("[1, , 'a', [], ]", json!([1, null, "a", []])),
        ("[/* none */]", json!([])),
        (
            "{ a: 1, 'b-c': 2, 3: 'x', 0x10: 'y', ['d' + 'e']: null, /* note */ f: {} }",
            json!({"a": 1, "b-c": 2, "3": "x", "16": "y", "de": null, "f": {}}),
        ),
        ("{ a: 1, a: 2 }", json!({"a": 2})),
        ("'a' + \"b\" + (`c` + 'd')", json!("abcd")),
        (
            "((Object.freeze({ a: Object.freeze([1]) })))",
            json!({"a": [1]}),
        ),
    ] {
        let document = js(&format!("export const NAME = {expression};"));
        assert_eq!(value(&document), expected, "{expression}");
        assert_eq!(document.faults, [], "{expression}");
    }
}

#[test]
fn constants_above_may_be_used() {
    let source = "
        const unit = 's', limits = { time: 30 };
        export const NAME = { unit, limits, text: 'in ' + unit, list: [unit] };";
    let expected = json!({"unit": "s", "limits": {"time": 30}, "text": "in s", "list": ["s"]});
    assert_eq!(value(&js(source)), expected);
}

#[test]
fn what_needs_running_is_named_with_its_reason() {
    for (expression, why) in [
        ("process.cwd()", "it calls a function (process.cwd)"),
        ("(() => 1)()", "it calls a function ((() => 1))"),
        ("{ a: [new Map()] }", "it makes an object (Map)"),
        ("process.env.HOME", "it reads a property (process.env.HOME)"),
        ("`a${1}`", "it is a template with a substitution"),
        ("10n", "it is a bigint, which JSON cannot hold"),
        ("-10n", "it is a bigint, which JSON cannot hold"),
        ("1e999", "it is a number too large for JSON"),
        ("{ ...base }", "it spreads another value (base)"),
        ("[...base]", "it spreads another value (base)"),
        ("1 + 2", "it computes a value (+)"),
        ("'a' + 1", "it computes a value (+)"),
        ("a || b", "it computes a value (||)"),
        ("!true", "it computes a value (!)"),
        ("a ? 1 : 2", "it depends on a condition"),
        ("/x/", "it is a regular expression"),
        ("() => 1", "it is a function"),
        ("{ run() {} }", "it contains a function (run)"),
        ("class {}", "it is a class"),
        ("await load()", "it waits for a value"),
        ("{ [key()]: 1 }", "it calls a function (key)"),
        ("{ [null]: 1 }", "it has a computed key"),
        ("(1, 2)", "it is not a literal"),
        (
            "later",
            "it refers to `later`, which is not a constant defined above",
        ),
        (
            "NAME",
            "it refers to `NAME`, which is not a constant defined above",
        ),
        (
            "changing",
            "it refers to `changing`, which is not a constant defined above",
        ),
    ] {
        let source = format!("let changing = 1; const NAME = {expression}; const later = 1;");
        assert_eq!(reason(&js(&source)), why, "{expression}");
    }
}

#[test]
fn what_comes_from_elsewhere_is_said_to_come_from_elsewhere() {
    for (source, why) in [
        (
            "export { NAME } from './x.js';",
            "it comes from another module",
        ),
        (
            "import { NAME } from './x.js'; export { NAME };",
            "it comes from another module",
        ),
        (
            "import v from './x.js'; module.exports = { NAME: v };",
            "it comes from another module",
        ),
        (
            "const { NAME } = require('./x');",
            "it is taken out of another value",
        ),
    ] {
        assert_eq!(reason(&js(source)), why, "{source}");
    }
}

#[test]
fn positions_point_at_the_value_or_at_what_hides_it() {
    let literal = js("// é\nexport const NAME = 'é';").variables;
    let Some(Variable::Literal(found)) = literal.get("NAME") else {
        panic!("{literal:?}");
    };
    assert_eq!(
        found.at,
        Position {
            line: 2,
            column: 21
        }
    );

    let hidden = js("\u{feff}const NAME = {\r\n  é: 'é', b: f(),\r\n};").variables;
    let Some(Variable::NotLiteral(found)) = hidden.get("NAME") else {
        panic!("{hidden:?}");
    };
    assert_eq!(
        found.at,
        Position {
            line: 2,
            column: 14
        }
    );
}

#[test]
fn a_value_with_a_syntax_error_has_no_value_but_its_neighbours_do() {
    let wanted = wanting(&["NAME", "GOOD"], &[]);
    let source = "export const NAME = [1, 2;\nexport const GOOD = 3;\n";
    let document = read(source, Dialect::JavaScript, &wanted);
    assert!(matches!(document.variables["GOOD"], Variable::Literal(_)));
    assert_eq!(reason(&document), "it has a syntax error");
    assert_eq!(document.faults[0].message, "missing `]`");
}

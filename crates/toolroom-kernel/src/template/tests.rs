use std::borrow::Cow;
use std::cell::Cell;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::explain::{Explain, Position};

/// The environment of the research tables, and a few call facts.
struct Example {
    params: Value,
}

impl Example {
    fn new() -> Self {
        let params =
            json!({"n": 3, "s": "a ${A} {tool_path}", "list": [1, {"k-1": true}], "nil": null});
        Self { params }
    }
}

impl Scope for Example {
    fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        let value = match name {
            "A" => "a",
            "EMPTY" => "",
            "P" => "/x (y)",
            "REF" => "${A} {tool_path} $$",
            "N" => "1",
            "SECRET" => "hunter2",
            _ => return None,
        };
        Some(Cow::Borrowed(value))
    }

    fn placeholder(&self, path: &str) -> Placeholder<'_> {
        match path.split_once('.') {
            Some(("params", rest)) => Placeholder::at(&self.params, rest),
            None if path == "tool_path" => Placeholder::text("/t/tool"),
            None if path == "params" => Placeholder::from(self.params.clone()),
            _ => Placeholder::Unknown,
        }
    }
}

fn expand(text: &str, unset: Unset) -> Result<String, TemplateError> {
    Template::parse(text)?.expand(&Example::new(), unset)
}

#[track_caller]
fn assert_expands(table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(
            expand(text, Unset::Empty).as_deref(),
            Ok(*expected),
            "{text}"
        );
    }
}

#[test]
fn variables_follow_the_contract() {
    assert_expands(&[
        ("${A}", "a"),
        ("x${A}y", "xay"),
        ("${MISSING}", ""),
        ("${EMPTY}", ""),
        ("${A:-d}", "a"),
        ("${A-d}", "a"),
        ("${MISSING:-d}", "d"),
        ("${MISSING-d}", "d"),
        ("${EMPTY:-d}", "d"),
        ("${EMPTY-d}", ""),
        ("${A:-}", "a"),
        ("${MISSING:-}", ""),
        ("${A:?err}", "a"),
        ("${EMPTY?err}", ""),
        ("${A:+alt}", "alt"),
        ("${A+alt}", "alt"),
        ("${EMPTY:+alt}", ""),
        ("${EMPTY+alt}", "alt"),
        ("${MISSING:+alt}", ""),
        ("${MISSING+alt}", ""),
        ("${P}", "/x (y)"),
        ("${A}${N}", "a1"),
        ("é${A}日", "éa日"),
        ("${MISSING:-é}", "é"),
    ]);
}

#[test]
fn what_a_text_says_itself_is_told_apart_from_what_it_is_filled_with() {
    for (text, wanted) in [
        ("plain", &["plain"][..]),
        ("a ${A} b {name}", &["a ", " b "]),
        ("${A:-x${N:-y}}", &["x", "y"]),
        ("${A:+z}${A:?message}", &["z"]),
        ("${A}", &[]),
    ] {
        let words = Template::parse(text).unwrap().own_words();
        let words: Vec<&str> = words.into_iter().map(|word| &text[word]).collect();
        assert_eq!(words, wanted, "{text}");
    }
}

#[test]
fn a_word_is_a_template_with_balanced_braces() {
    assert_expands(&[
        ("${MISSING:-${A}}", "a"),
        ("${MISSING:-x${EMPTY:-${N}}y}z", "x1yz"),
        ("${MISSING:-a:-b}", "a:-b"),
        ("${MISSING:-x}y}", "xy}"),
        ("${MISSING:-{tool_path}/bin}", "/t/tool/bin"),
        ("${MISSING:-{\"a\": {\"b\": 1}}}", "{\"a\": {\"b\": 1}}"),
        ("${MISSING:-{{name}}}", "{name}"),
        ("${MISSING:-$${A}}", "${A}"),
        ("${MISSING:-$A}", "$A"),
        ("${A:+{}}", "{}"),
    ]);
}

#[test]
fn a_dollar_stands_for_itself_unless_it_opens_a_variable() {
    assert_expands(&[
        ("$A", "$A"),
        ("$", "$"),
        ("a$", "a$"),
        ("$$", "$"),
        ("$$A", "$A"),
        ("$${A}", "${A}"),
        ("$$${A}", "$a"),
        ("$$$${A}", "$${A}"),
        ("$${A:-{tool_path}}", "${A:-/t/tool}"),
        ("\\${A}", "\\a"),
        ("$(A) $1 $-", "$(A) $1 $-"),
    ]);
}

#[test]
fn only_a_name_in_braces_is_a_placeholder() {
    assert_expands(&[
        ("{tool_path}", "/t/tool"),
        ("p-{tool_path}-q", "p-/t/tool-q"),
        ("{params.n}/{params.list.0}/{params.list.1.k-1}", "3/1/true"),
        ("<{params.list}>", "<[1,{\"k-1\":true}]>"),
        ("<{params.nil}>", "<>"),
        ("{\"q\":{params.n}}", "{\"q\":3}"),
        ("{\"a\": {\"b\": 1}}", "{\"a\": {\"b\": 1}}"),
        ("{}", "{}"),
        ("{{}}", "{{}}"),
        ("{ print }", "{ print }"),
        ("{{ name }}", "{{ name }}"),
        (
            "a{3} {a,b} {a:b} {.a} {a.} {a..b} {1a} {a-b}",
            "a{3} {a,b} {a:b} {.a} {a.} {a..b} {1a} {a-b}",
        ),
        ("{tool_path", "{tool_path"),
        ("tool_path}", "tool_path}"),
        ("}{", "}{"),
        ("{é}", "{é}"),
    ]);
}

#[test]
fn doubled_braces_keep_a_name_as_text() {
    assert_expands(&[
        ("{{tool_path}}", "{tool_path}"),
        ("{{anything.at.0}}", "{anything.at.0}"),
        ("{{{tool_path}}}", "{{tool_path}}"),
        ("{{tool_path}", "{/t/tool"),
        ("{tool_path}}", "/t/tool}"),
    ]);
}

#[test]
fn a_value_is_never_expanded_again() {
    assert_expands(&[
        ("${REF}", "${A} {tool_path} $$"),
        ("${MISSING:-${REF}}", "${A} {tool_path} $$"),
        ("<{params.s}>", "<a ${A} {tool_path}>"),
    ]);
}

#[test]
fn braces_are_text_where_only_variables_count() {
    for (text, expected) in [
        ("{tool_path} {{a}} ${A}", "{tool_path} {{a}} a"),
        ("${MISSING:-{a}}", "{a}"),
    ] {
        let template = Template::parse_with(text, Syntax::Variables).unwrap();
        assert_eq!(
            template.expand(&Example::new(), Unset::Error).unwrap(),
            expected
        );
    }
}

#[test]
fn a_mistake_is_reported_where_it_is_with_what_was_expected() {
    let after_name = "} or one of :- - :? ? :+ + after the name";
    let table = [
        ("${A:0:1}", 4, "-, ? or + after the colon", Some('0')),
        ("${A:=x}", 4, "-, ? or + after the colon", Some('=')),
        ("${A:", 4, "-, ? or + after the colon", None),
        ("${A=x}", 3, after_name, Some('=')),
        ("${A.B}", 3, after_name, Some('.')),
        ("${Aé}", 3, after_name, Some('é')),
        ("${A", 3, after_name, None),
        ("${ A }", 2, "a variable name after ${", Some(' ')),
        ("${}", 2, "a variable name after ${", Some('}')),
        ("${1A}", 2, "a variable name after ${", Some('1')),
        ("${", 2, "a variable name after ${", None),
        ("é${A:-x", 2, "a } to close this ${", None),
        ("${A:-${B}", 0, "a } to close this ${", None),
        ("${A:-{}", 0, "a } to close this ${", None),
    ];
    for (text, offset, expected, found) in table {
        let error = Template::parse(text).unwrap_err();
        assert_eq!(error.fault, Fault::Syntax { expected, found }, "{text}");
        assert_eq!(error.offset, offset, "{text}");
        assert_eq!(error.code(), "template::syntax");
    }
    let error = Template::parse("one\nté ${A:0}").unwrap_err();
    assert_eq!(error.position, Position { line: 2, column: 8 });
    let shown =
        "the template expects -, ? or + after the colon, not '0' (line 2, column 8 of the text)";
    assert_eq!(error.to_string(), shown);
}

#[test]
fn nesting_has_a_limit() {
    let nested = |depth: usize| format!("{}x{}", "${M:-".repeat(depth), "}".repeat(depth));
    assert_eq!(expand(&nested(MAX_NESTING), Unset::Empty).unwrap(), "x");
    let error = Template::parse(nested(MAX_NESTING + 1)).unwrap_err();
    assert_eq!(
        (error.code(), error.offset),
        ("template::syntax", MAX_NESTING * 5)
    );
    assert!(Template::parse("${M:-".repeat(100_000)).is_err());
    assert!(Template::parse("{".repeat(100_000)).is_ok());
}

#[test]
fn what_has_no_value_is_an_error_where_the_caller_says_so() {
    for (text, code, message) in [
        (
            "a ${MISSING}",
            "template::unset",
            "the variable MISSING is not set (column 5 of the text)",
        ),
        (
            "${MISSING:-${M2}}",
            "template::unset",
            "the variable M2 is not set (column 14 of the text)",
        ),
        (
            "x{params.none}",
            "template::unset",
            "{params.none} has no value in this call (column 3 of the text)",
        ),
        (
            "{params.none}",
            "template::unset",
            "{params.none} has no value in this call (column 2 of the text)",
        ),
    ] {
        let error = expand(text, Unset::Error).unwrap_err();
        assert_eq!((error.code(), error.to_string().as_str()), (code, message));
        assert!(expand(text, Unset::Empty).is_ok(), "{text}");
    }
    for text in ["${EMPTY}", "${MISSING+${M2}}", "${MISSING-}", "${A:-${M2}}"] {
        assert!(expand(text, Unset::Error).is_ok(), "{text}");
    }
}

#[test]
fn a_required_variable_fails_with_the_message_as_written() {
    let table = [
        (
            "${MISSING?}",
            "the variable MISSING is required but not set (column 3 of the text)",
        ),
        (
            "${EMPTY:?say why}",
            "the variable EMPTY is required but not set, or empty: say why (column 3 of the text)",
        ),
        (
            "${M:?not ${SECRET}}",
            "the variable M is required but not set, or empty: not ${SECRET} (column 3 of the text)",
        ),
    ];
    for (text, message) in table {
        let error = expand(text, Unset::Empty).unwrap_err();
        assert_eq!(
            (error.code(), error.to_string().as_str()),
            ("template::required", message)
        );
    }
}

#[test]
fn an_unknown_placeholder_is_a_mistake_that_says_how_to_keep_the_braces() {
    for text in ["x {nope}", "{nope}"] {
        let error = Template::parse(text)
            .unwrap()
            .expand_value(&Example::new(), Unset::Empty);
        let error = error.unwrap_err();
        assert_eq!(error.code(), "template::unknown_placeholder");
        assert!(error.help().unwrap().contains("{{nope}}"));
    }
}

#[test]
fn a_lone_placeholder_keeps_its_type() {
    let table = [
        ("{params.n}", Expanded::Value(json!(3))),
        ("{params.nil}", Expanded::Value(Value::Null)),
        ("{params.list}", Expanded::Value(json!([1, {"k-1": true}]))),
        ("{params.none}", Expanded::Absent),
        ("{params.list.9}", Expanded::Absent),
        (" {params.n}", Expanded::Value(json!(" 3"))),
        ("${N}", Expanded::Value(json!("1"))),
        ("", Expanded::Value(json!(""))),
    ];
    for (text, expected) in table {
        let expanded = Template::parse(text)
            .unwrap()
            .expand_value(&Example::new(), Unset::Error);
        assert_eq!(expanded, Ok(expected), "{text}");
    }
}

#[test]
fn a_document_is_expanded_string_by_string() {
    let document = json!({
        "args": ["--n", "{params.n}", "{params.none}", "x${A}"],
        "${A}": {"{tool_path}": "{tool_path}", "gone": "{params.none}"},
        "n": 1, "yes": true, "nil": null, "plain": "text",
    });
    let expanded = expand_json(&document, &Example::new(), Unset::Error).unwrap();
    let expected = json!({
        "args": ["--n", 3, "xa"],
        "${A}": {"{tool_path}": "/t/tool"},
        "n": 1, "yes": true, "nil": null, "plain": "text",
    });
    assert_eq!(expanded, expected);
    let absent = expand_json(&json!("{params.none}"), &Example::new(), Unset::Error);
    assert_eq!(absent, Ok(Value::Null));
}

#[test]
fn an_error_in_a_document_names_its_key() {
    let document = json!({"args": ["a", {"b": "${MISSING}"}]});
    let error = expand_json(&document, &Example::new(), Unset::Error).unwrap_err();
    assert_eq!(error.key.as_deref(), Some("args.1.b"));
    assert_eq!(
        error.to_string(),
        "the variable MISSING is not set (args.1.b, column 3 of the text)"
    );
}

#[test]
fn a_document_nested_too_deep_is_an_error() {
    let deep = |levels| (0..levels).fold(json!("${A}"), |inner, _| json!([inner]));
    assert!(expand_json(&deep(MAX_JSON_DEPTH), &Example::new(), Unset::Empty).is_ok());
    let error = expand_json(&deep(MAX_JSON_DEPTH + 1), &Example::new(), Unset::Empty);
    assert_eq!(error.unwrap_err().code(), "template::too_deep");
}

#[test]
fn an_expansion_cannot_grow_without_end() {
    let scope = |_: &str| Some("x".repeat(1024 * 1024));
    let template = Template::parse("${A}".repeat(17)).unwrap();
    let error = template.expand(&scope, Unset::Empty).unwrap_err();
    assert_eq!(error.code(), "template::too_large");
}

#[test]
fn a_word_that_is_not_used_is_never_looked_at() {
    let asked = Cell::new(0);
    let scope = |name: &str| {
        asked.set(asked.get() + 1);
        (name == "A").then(String::new)
    };
    let template = Template::parse("${A-${B:?no}}${B+${C:?no}}").unwrap();
    assert_eq!(template.expand(&scope, Unset::Error).unwrap(), "");
    assert_eq!(asked.get(), 2);
}

#[test]
fn the_variables_of_a_template_are_known() {
    let template = Template::parse("${B:-${A}} ${C:?${D}} $${E} {f} ${A}").unwrap();
    assert_eq!(Vec::from_iter(template.variables()), ["A", "B", "C", "D"]);
    assert!(Template::literal("${A}").variables().is_empty());
}

#[test]
fn no_error_holds_a_value() {
    for text in [
        "${SECRET}${M?x}",
        "${SECRET:+${M:?}}",
        "${SECRET}{nope}",
        "${M:?${SECRET}}",
        "${SECRET} ${M}",
    ] {
        let error = expand(text, Unset::Error).unwrap_err();
        let shown = format!("{error} {error:?} {:?}", error.help());
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

proptest! {
    #[test]
    fn parsing_never_panics(text in any::<String>()) {
        let _ = Template::parse(text);
    }

    #[test]
    fn whatever_is_made_of_syntax_parses_or_says_where_not(
        text in r#"(\$|\{|\}|:|-|\?|\+|\.|"|A|é|tool_path|params\.n| ){0,40}"#
    ) {
        match Template::parse(text.as_str()) {
            Ok(template) => drop(template.expand(&Example::new(), Unset::Empty)),
            Err(error) => {
                prop_assert!(text.is_char_boundary(error.offset));
                prop_assert_eq!(error.position, Position::at_offset(&text, error.offset));
            }
        }
    }

    #[test]
    fn what_is_escaped_comes_out_as_it_went_in(
        text in r#"(\$|\{|\}|:|-|\.|"|A|é|tool_path|params\.n| ){0,40}"#
    ) {
        prop_assert_eq!(expand(&escaped(&text), Unset::Error).unwrap(), text);
    }

    #[test]
    fn text_without_syntax_stays_as_it_is(text in r"[^${}]*") {
        prop_assert_eq!(expand(&text, Unset::Error).unwrap(), text);
    }

    #[test]
    fn doubling_every_dollar_makes_any_text_plain(text in r"[^{}]*") {
        prop_assert_eq!(expand(&text.replace('$', "$$"), Unset::Error).unwrap(), text);
    }

    #[test]
    fn any_value_comes_out_as_it_went_in(value in any::<String>()) {
        let scope = |name: &str| (name == "V").then(|| value.clone());
        for text in ["${V}", "${U:-${V}}", "${V-x}"] {
            let expanded = Template::parse(text).unwrap().expand(&scope, Unset::Empty).unwrap();
            let expected = if value.is_empty() && text.contains(":-") { "" } else { &value };
            prop_assert_eq!(expanded, expected);
        }
    }
}

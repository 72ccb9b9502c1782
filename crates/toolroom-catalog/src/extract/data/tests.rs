use proptest::prelude::*;
use serde_json::json;

use super::Format::{Json, Toml, Yaml};
use super::*;

const ALL: [Format; 3] = [Yaml, Toml, Json];

fn values(source: &str, format: Format) -> Value {
    let document = read(source, format);
    assert_eq!(document.faults, [], "{source}");
    let pairs = document.variables.into_iter().map(|(key, variable)| {
        let Variable::Literal(found) = variable else {
            panic!("{key} is not literal");
        };
        (key, found.value)
    });
    Value::Object(pairs.collect())
}

fn place(source: &str, format: Format, key: &str) -> (u32, u32) {
    match &read(source, format).variables[key] {
        Variable::Literal(found) => (found.at.line, found.at.column),
        Variable::NotLiteral(reason) => panic!("{reason:?}"),
    }
}

/// The only fault: its line, its column, what it says.
fn fault(source: &str, format: Format) -> (u32, u32, String) {
    let document = read(source, format);
    assert!(document.variables.is_empty(), "{source}");
    let [fault] = document.faults.as_slice() else {
        panic!("{format:?} {source}: {:?}", document.faults);
    };
    (fault.at.line, fault.at.column, fault.message.clone())
}

#[test]
fn the_same_content_reads_the_same_in_every_format() {
    let expected = json!({"name": "x", "list": [1, -2, 2.5, true], "env": {"A": "1"}});
    let sources = [
        (
            Yaml,
            "name: x\nlist: [1, -2, 2.5, true]\nenv:\n  A: \"1\"\n",
        ),
        (
            Toml,
            "name = 'x'\nlist = [1, -2, 2.5, true]\n[env]\nA = '1'\n",
        ),
        (
            Json,
            r#"{"name": "x", "list": [1, -2, 2.5, true], "env": {"A": "1"}}"#,
        ),
    ];
    for (format, source) in sources {
        assert_eq!(values(source, format), expected, "{format:?}");
    }
}

#[test]
fn yaml_scalars_are_those_of_yaml_1_2() {
    let table = [
        ("no", json!("no")),
        ("on", json!("on")),
        ("y", json!("y")),
        ("true", json!(true)),
        ("True", json!(true)),
        ("~", json!(null)),
        ("null", json!(null)),
        ("", json!(null)),
        ("''", json!("")),
        ("1", json!(1)),
        ("-7", json!(-7)),
        ("+7", json!(7)),
        ("017", json!(17)),
        ("-017", json!(-17)),
        ("'017'", json!("017")),
        ("0o17", json!(15)),
        ("0x1F", json!(31)),
        ("1.0", json!(1.0)),
        ("1e3", json!(1000.0)),
        ("1.2.3", json!("1.2.3")),
        ("2026-01-01", json!("2026-01-01")),
        ("12:30", json!("12:30")),
        ("18446744073709551615", json!(u64::MAX)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("\"a\\nb\"", json!("a\nb")),
        ("|\n  a\n  b\n", json!("a\nb\n")),
        (">-\n  a\n  b\n", json!("a b")),
        ("!!str 5", json!("5")),
    ];
    for (written, expected) in table {
        let source = format!("v: {written}");
        assert_eq!(values(&source, Yaml), json!({ "v": expected }), "{written}");
    }
}

#[test]
fn yaml_numbers_json_cannot_hold_are_faults() {
    for written in [
        ".inf",
        "-.inf",
        ".nan",
        "1e999",
        "123456789012345678901234567890",
    ] {
        let (line, column, message) = fault(&format!("a: 1\nv: {written}"), Yaml);
        assert_eq!((line, column), (2, 4), "{written}");
        assert!(message.contains("number"), "{message}");
    }
}

#[test]
fn yaml_keys_of_any_scalar_are_their_text() {
    assert_eq!(
        values("1: a\ntrue: b\nno: c\n2.50: d\n'q': e\n? f\n: g\n", Yaml),
        json!({"1": "a", "true": "b", "no": "c", "2.50": "d", "q": "e", "f": "g"})
    );
}

#[test]
fn yaml_merge_keys_are_applied_and_own_keys_win() {
    let source = "base: &base {a: 1, b: 2}\nown:\n  <<: *base\n  b: 3\n";
    assert_eq!(values(source, Yaml)["own"], json!({"a": 1, "b": 3}));
}

#[test]
fn an_alias_keeps_the_whole_number_behind_it() {
    let source = "a: &n 007\nb: *n\n";
    assert_eq!(values(source, Yaml), json!({"a": 7, "b": 7}));
}

#[test]
fn the_place_of_a_variable_is_that_of_its_key() {
    let table = [
        (Yaml, "# c\na: 1\n'bé': {a: 2}\nc: 3\n", "c", (4, 1)),
        (Yaml, "{é: 1, b: 2}", "b", (1, 8)),
        (Yaml, "a: &x {b: 1}\n<<: *x\nc: 2\n", "c", (3, 1)),
        (Toml, "# c\n'é' = 1\nb = 2\n", "b", (3, 1)),
        (Toml, "[z.y]\nx = 1\n[a]\n", "z", (1, 2)),
        (Toml, "[z.y]\nx = 1\n[a]\n", "a", (3, 2)),
        (
            Json,
            "{\n  \"a\": {\"b\": [\",{\"]},\n  \"b\": 1\n}",
            "b",
            (3, 3),
        ),
        (Json, "{\"é\\\"\": 1, \"b\": 2}", "b", (1, 12)),
        (Json, "\u{feff}{\"\\u0062\": 2}", "b", (1, 2)),
    ];
    for (format, source, key, expected) in table {
        assert_eq!(place(source, format, key), expected, "{source}");
    }
}

#[test]
fn a_key_that_is_there_twice_is_a_fault() {
    let table = [
        (Yaml, "a: 1\na: 2\n", 2),
        (Yaml, "x:\n  a: 1\n  a: 2\n", 3),
        (Yaml, "1: a\n'1': b\n", 2),
        (Toml, "a = 1\na = 2\n", 2),
        (Json, "{\"a\": 1,\n\"a\": 2}", 2),
        (Json, "{\"x\":\n{\"a\": 1,\n\"a\": 2}}", 3),
    ];
    for (format, source, line) in table {
        let found = fault(source, format);
        assert_eq!(found.0, line, "{found:?}");
        assert!(
            found.2.contains("twice") || found.2.contains("duplicate"),
            "{found:?}"
        );
    }
}

#[test]
fn a_root_that_is_no_mapping_is_named() {
    let table = [
        (Yaml, "\n- a\n", 2, "a list"),
        (Yaml, "hello", 1, "a text"),
        (Yaml, "5", 1, "a number"),
        (Json, "\n[1]", 2, "a list"),
        (Json, "\"x\"", 1, "a text"),
        (Json, "null", 1, "null"),
        (Json, "true", 1, "a truth value"),
    ];
    for (format, source, line, kind) in table {
        let (at, _, message) = fault(source, format);
        assert_eq!(at, line, "{source}");
        assert_eq!(message, format!("the top level is {kind}, not a mapping"));
    }
}

#[test]
fn an_empty_document_has_no_variables_and_no_fault() {
    for format in ALL {
        for source in ["", "\n", "  \n", "\u{feff}"] {
            let document = read(source, format);
            assert_eq!(document, Document::default(), "{format:?} {source:?}");
        }
    }
    assert_eq!(values("# only a comment\n", Yaml), json!({}));
    assert_eq!(values("---\n", Yaml), json!({}));
    assert_eq!(values("# only a comment\n", Toml), json!({}));
}

#[test]
fn broken_syntax_is_a_fault_with_its_line() {
    let table = [
        (Yaml, "a: 1\nb: [1, 2\n", 2),
        (Yaml, "a: 1\n b: 2\n", 2),
        (Yaml, "a: *nowhere\n", 1),
        (Toml, "a = 1\nb = \n", 2),
        (Json, "{\"a\": 1,\n\"é\": x}", 2),
        (Json, "{\"a\": 1} 2", 1),
    ];
    for (format, source, line) in table {
        let found = fault(source, format);
        assert_eq!(found.0, line, "{format:?} {source} {found:?}");
        assert!(!found.2.contains("line "), "{found:?}");
    }
    assert_eq!(fault("{\"é\": x}", Json).1, 7);
}

#[test]
fn a_second_yaml_document_is_a_fault() {
    let (line, _, message) = fault("a: 1\n---\nb: 2\n", Yaml);
    assert_eq!(
        message,
        "a second document begins here, only one is allowed"
    );
    assert!(line >= 2, "{line}");
    assert_eq!(values("---\na: 1\n...\n", Yaml), json!({"a": 1}));
}

#[test]
fn dates_in_toml_become_text() {
    assert_eq!(
        values(
            "a = 2026-01-02T03:04:05Z\nb = 2026-01-02\nc = 0xff\nd = 1_000\n",
            Toml
        ),
        json!({"a": "2026-01-02T03:04:05Z", "b": "2026-01-02", "c": 255, "d": 1000})
    );
    assert_eq!(
        fault("a = 1\nb = [nan]\n", Toml),
        (2, 6, "`nan` is not a finite number".to_owned())
    );
}

#[test]
fn nested_keys_keep_the_order_of_the_file() {
    for (format, source) in [
        (Yaml, "m: {z: 1, a: 2, m: 3}"),
        (Toml, "m = {z = 1, a = 2, m = 3}"),
        (Json, r#"{"m": {"z": 1, "a": 2, "m": 3}}"#),
    ] {
        let keys: Vec<_> = values(source, format)["m"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect();
        assert_eq!(keys, ["z", "a", "m"], "{format:?}");
    }
}

#[test]
fn nesting_is_allowed_to_64_levels_and_no_deeper() {
    let nested = |format, levels: usize| {
        let (open, close) = ("[".repeat(levels - 1), "]".repeat(levels - 1));
        match format {
            Yaml => format!("a: {open}{close}"),
            Toml => format!("a = {open}{close}"),
            Json => format!("{{\"a\": {open}{close}}}"),
        }
    };
    for format in ALL {
        assert_eq!(read(&nested(format, 64), format).faults, [], "{format:?}");
        for levels in [65, 100, 10_000] {
            let message = fault(&nested(format, levels), format).2;
            assert_eq!(
                message, "nested deeper than 64 levels",
                "{format:?} {levels}"
            );
        }
    }
}

#[test]
fn depth_made_of_aliases_is_refused_too() {
    let mut source = String::from("a0: &a0 x\n");
    for level in 1..40 {
        let inner = format!("{}*a{}{}", "[".repeat(30), level - 1, "]".repeat(30));
        source.push_str(&format!("a{level}: &a{level} {inner}\n"));
    }
    fault(&source, Yaml);
}

#[test]
fn an_alias_bomb_is_refused() {
    let mut source = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
    for level in 1..10 {
        let inner = vec![format!("*a{}", level - 1); 9].join(",");
        source.push_str(&format!("a{level}: &a{level} [{inner}]\n"));
    }
    let message = fault(&source, Yaml).2;
    assert!(message.contains("too large"), "{message}");
}

#[test]
fn a_file_too_large_to_be_metadata_is_a_fault() {
    let source = format!("a: {}", "x".repeat(MAX_BYTES));
    assert_eq!(fault(&source, Yaml).2, "larger than 1024 KiB");
}

#[test]
fn many_keys_on_one_line_are_found_in_no_time() {
    let keys: Vec<_> = (0..50_000).map(|key| format!("\"k{key}\":1")).collect();
    let source = format!("{{{}}}", keys.join(","));
    assert_eq!(read(&source, Json).variables.len(), 50_000);
}

#[test]
fn the_leading_comment_is_the_files_prose() {
    let table = [
        (
            Yaml,
            "# Runs Python.\n# In its place.\n#\n# Always.\na: 1\n# later\n",
            Some("Runs Python. In its place.\n\nAlways."),
        ),
        (
            Yaml,
            "#!/usr/bin/env x\n# rye:signed:1:2\n# yaml-language-server: $schema=x\n# Hi.\na: 1",
            Some("Hi."),
        ),
        (Yaml, "%YAML 1.2\n---\n# Hi.\na: 1", Some("Hi.")),
        (
            Toml,
            "# SPDX-License-Identifier: MIT\n\n# kiwi-mcp:validated:x\n# Hi.\n\n# Ho.\na = 1\n",
            Some("Hi."),
        ),
        (Yaml, "a: 1\n# later\n", None),
        (Json, "{}", None),
    ];
    for (format, source, expected) in table {
        let document = read(source, format);
        assert_eq!(document.faults, [], "{source}");
        let found = document.comment.map(|comment| comment.value);
        assert_eq!(found.as_deref(), expected, "{source}");
    }
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(source in "\\PC*") {
        for format in ALL {
            let _ = read(&source, format);
        }
    }

    #[test]
    fn no_text_of_the_formats_own_marks_makes_it_panic(
        source in "(a|b|: |- |\\? |\\[|\\]|\\{|\\}|,|\"|'|&a |\\*a|<<: |!!str |017|\\||>|#| = |\n|\n  |\r|\t|---|é|\u{feff}|\\\\){0,80}",
    ) {
        for format in ALL {
            let _ = read(&source, format);
        }
    }

    #[test]
    fn what_json_writes_json_and_yaml_read_alike(
        keys in proptest::collection::btree_map("[a-z]{1,8}", any::<i64>(), 0..8),
    ) {
        let source = serde_json::to_string_pretty(&keys).unwrap();
        prop_assert_eq!(values(&source, Json), values(&source, Yaml));
    }
}

use proptest::prelude::*;

use super::*;

const DIALECTS: [Dialect; 3] = [Dialect::JavaScript, Dialect::TypeScript, Dialect::Tsx];

const PROGRAM: &str = r#"#!/usr/bin/env node
/** @file Fetches a page. */
import fs from 'node:fs';
// A note.
export const NAME = { a: [1, -2.5, 'x\u{1F600}'], b: `t`, ...c } as const;
interface P { /** x */ url: string; n?: number | null; t: [string, ...P[]] }
/**
 * Does it.
 * @param {object} params
 * @param {string} [params.url="x"] - Where.
 * @returns {Promise<Array<{ok: boolean}>>}
 */
export async function main({ url, n = 3, ...rest }: P, context): Promise<string[]> { return []; }
module.exports = { main, NAME };
if (require.main === module) { main(); }
"#;

fn read_everywhere(source: &str) -> Vec<Document> {
    let wanted = wanting(&["NAME", "default"], &["main", "default"]);
    DIALECTS
        .map(|dialect| read(source, dialect, &wanted))
        .into()
}

#[test]
fn faults_say_what_is_wrong_and_where() {
    for (source, line, column, message) in [
        ("const a = 1 }", 1, 13, "unexpected `}`"),
        ("const a = [1, 2;", 1, 16, "missing `]`"),
        ("const a = ;", 1, 9, "missing value after `=`"),
        ("const a = { b: 1\n c: 2 };", 2, 2, "unexpected `c:`"),
        ("const a = 1;\nfunction f( { ", 2, 13, "`{` is never closed"),
        (
            "const s = \"abc\nconst t = 1;",
            1,
            11,
            "unterminated string",
        ),
        ("const a = 1;\n\0", 2, 1, "unexpected character U+0000"),
    ] {
        let faults = js(source).faults;
        let first = faults
            .first()
            .unwrap_or_else(|| panic!("{source:?} has no fault"));
        assert_eq!(first.message, message, "{source:?} {faults:?}");
        assert_eq!(
            (first.at.line, first.at.column),
            (line, column),
            "{source:?}"
        );
    }
    assert_eq!(js("const a = 1;").faults, []);
}

#[test]
fn only_the_first_few_faults_are_told() {
    assert_eq!(js(&"const a = 1 }\n".repeat(50)).faults.len(), 5);
}

#[test]
fn deep_nesting_is_refused_without_harm() {
    let deep = |open: &str, close: &str| {
        format!(
            "export const NAME = {}1{};",
            open.repeat(100_000),
            close.repeat(100_000)
        )
    };
    for source in [
        deep("[", "]"),
        deep("{a:", "}"),
        deep("(", ")"),
        deep("-", ""),
    ] {
        let document = js(&source);
        assert!(matches!(
            document.variables["NAME"],
            Variable::NotLiteral(_)
        ));
    }
    assert!(reason(&js(&deep("[", "]"))).contains("64 levels"));
}

#[test]
fn unclosed_and_repeated_nonsense_ends_in_faults() {
    for source in [
        "[".repeat(100_000),
        "{".repeat(100_000),
        format!("export const NAME = {}", "[{a:".repeat(10_000)),
        "@#$%^&*()_+{}|:\"<>?~`".repeat(5_000),
        "type A<T> = {a: ".repeat(5_000),
        "\0".repeat(10_000),
        "/**".to_owned() + &"* @param {".repeat(5_000),
    ] {
        for document in read_everywhere(&source) {
            assert!(!document.faults.is_empty(), "{}", &source[..20]);
        }
    }
}

#[test]
fn a_file_beyond_the_limit_is_not_parsed() {
    let document = js(&" ".repeat(3 << 20));
    assert_eq!(document.faults[0].message, "the file is longer than 2 MiB");
}

#[test]
fn constants_that_double_each_other_do_not_explode() {
    let mut source = String::from("const c0 = ['0123456789'];\n");
    for level in 1..28 {
        let below = level - 1;
        source += &format!("const c{level} = [c{below}, c{below}];\n");
    }
    source += "export const NAME = c27;";
    assert_eq!(reason(&js(&source)), "it is too large");
    let text = source
        .replace('[', "(")
        .replace(']', ")")
        .replace(", c", " + c");
    assert_eq!(reason(&js(&text)), "it is too large");
}

#[test]
fn repetition_costs_no_more_than_it_is_long() {
    let list = |item: &str| item.repeat(20_000);
    for source in [
        list("// a line\n"),
        list("/*! a block */\n") + "export function main({ a }) {}",
        list("// a line\n") + "export function main({ a }) {}",
        format!(
            "const H = [{}]; export const NAME = [{}];",
            list(","),
            list("H,")
        ),
        format!(
            "const H = [{}]; export const NAME = [{}];",
            list("/**/"),
            list("H,")
        ),
        format!(
            "export function main({{ {} }}: {{ {} }}) {{}}",
            list("a,"),
            list("a;")
        ),
        format!(
            "type U = {}; export function main({{ a }}: {{ a: [{}] }}) {{}}",
            list("|'a'"),
            list("U,")
        ),
        list("/** @typedef {string} T */\n") + "export function main({ a }) {}",
    ] {
        let start = std::time::Instant::now();
        ts(&source);
        let took = start.elapsed();
        // A quadratic step takes minutes here; an honest one well under a second.
        assert!(took.as_secs() < 20, "{took:?} for {}…", &source[..30]);
    }
}

#[test]
fn types_that_double_each_other_do_not_explode() {
    let mut record = String::from("interface T0 { a: string }\n");
    let mut both = String::from("interface T0 { a: string }\n");
    for level in 1..60 {
        let below = level - 1;
        record += &format!("interface T{level} {{ a: T{below}; b: T{below}; }}\n");
        both += &format!("type T{level} = T{below} & T{below};\n");
    }
    for declarations in [record, both] {
        let function = main_of(ts(&format!("{declarations} function main(p: T59) {{}}")));
        assert!(function.parameters.len() <= 2);
    }
}

#[test]
fn a_long_concatenation_or_union_is_not_deep() {
    let text = format!("export const NAME = 'a'{};", " + 'a'".repeat(20_000));
    assert_eq!(value(&js(&text)), "a".repeat(20_001));
    let union: String = (0..500).map(|n| format!("| 'v{n}'")).collect();
    let function = main_of(ts(&format!("function main(p: {{ v: {union} }}) {{}}")));
    assert_eq!(
        function.parameters[0].schema["enum"]
            .as_array()
            .map(Vec::len),
        Some(500)
    );
}

#[test]
fn line_ends_and_marks_make_no_difference() {
    let plain = ts(PROGRAM);
    assert_eq!(plain.faults, []);
    let dressed = ts(&format!("\u{feff}{}", PROGRAM.replace('\n', "\r\n")));
    assert_eq!(dressed, plain);
    assert!(plain.is_script && plain.docstring.is_some() && plain.comment.is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_text_is_read(source in ".{0,400}") {
        read_everywhere(&source);
    }

    #[test]
    fn any_mix_of_tokens_is_read(words in prop::collection::vec(prop::sample::select(vec![
        "export ", "const ", "NAME", " = ", "default ", "function ", "main", "(", ")", "{", "}", "[", "]",
        "module.exports", "exports.", ":", ";", ",", "?", "|", "&", "'a'", "`", "${", "...", "=>", "/**", "*/",
        "@param {", "@typedef {T} T", "//", "\n", "1", "-", "+", "as const", "interface T ", "type T = ", "enum T ",
        "extends T ", "Partial<", ">", "typeof NAME[number]", "async ", "import.meta.main", "if ", "\\u{", "é", "\0",
    ]), 0..60)) {
        read_everywhere(&words.concat());
    }

    #[test]
    fn a_damaged_program_is_read(
        cut in 0..PROGRAM.len(),
        length in 0..40_usize,
        patch in "[\\[\\](){}'\"`*/<>|&=,;:.\\\\@ a\\n\0é]{0,6}",
    ) {
        let mut bytes = PROGRAM.as_bytes().to_vec();
        let end = (cut + length).min(bytes.len());
        bytes.splice(cut..end, patch.bytes());
        read_everywhere(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn what_json_can_write_is_read_back(value in any_json()) {
        let document = js(&format!("export const NAME = {value};"));
        prop_assert_eq!(super::value(&document), value);
    }
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[^\u{2028}\u{2029}]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-z \"\\\\]{0,6}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

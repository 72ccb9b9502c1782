use proptest::prelude::*;
use serde_json::json;

use super::*;

fn script(source: &str) -> Result<Option<Located<Value>>, SyntaxFault> {
    read(source, "#", "script")
}

#[test]
fn a_block_gives_its_toml_and_its_place() {
    let source = "#!/usr/bin/env python3\n# /// script\n# requires-python = \">=3.11\"\n# dependencies = [\n#   \"httpx\",\n# ]\n# ///\nimport httpx\n";
    let block = script(source).unwrap().unwrap();
    assert_eq!(
        block.value,
        json!({"requires-python": ">=3.11", "dependencies": ["httpx"]})
    );
    assert_eq!(block.at, Position { line: 2, column: 1 });
}

#[test]
fn only_a_block_as_the_standard_draws_it_is_one() {
    let none = [
        "",
        "import x\n",
        "# /// script\n# ///\n",
        "#/// script\n# a = 1\n#///\n",
        " # /// script\n # a = 1\n # ///\n",
        "# /// script \n# a = 1\n# ///\n",
        "# /// tool\n# a = 1\n# ///\n",
        "# /// \n# a = 1\n# ///\n",
    ];
    for source in none {
        assert_eq!(script(source), Ok(None), "{source}");
    }
}

#[test]
fn a_block_runs_to_the_last_closing_line_of_its_comment() {
    let source = "# /// script\n# embedded = '''\n# ///\n# '''\n#\n# a = 1\n# ///\n# prose\n";
    assert_eq!(
        script(source).unwrap().unwrap().value,
        json!({"embedded": "///\n", "a": 1})
    );
}

#[test]
fn another_block_swallows_what_it_touches() {
    let source = "# /// other\n# x = 1\n# ///\n# /// script\n# a = 1\n# ///\n";
    assert_eq!(script(source), Ok(None));
    let apart = source.replace("# /// script", "\n# /// script");
    assert_eq!(script(&apart).unwrap().unwrap().value, json!({"a": 1}));
}

#[test]
fn a_second_block_of_the_name_is_a_fault_at_its_own_line() {
    let source = "# /// script\n# a = 1\n# ///\n\n# /// script\n# b = 1\n# ///\n";
    let fault = script(source).unwrap_err();
    assert_eq!(fault.at.line, 5);
    assert_eq!(fault.message, "`script`: this block is there twice");
}

#[test]
fn a_block_without_a_closing_line_is_a_fault() {
    for source in [
        "# /// script\n# a = 1\n",
        "# /// script\n# a = 1\nx\n# ///\n",
    ] {
        let fault = script(source).unwrap_err();
        assert_eq!(fault.at, Position::START);
        assert_eq!(fault.message, "`script`: this block has no closing line");
    }
}

#[test]
fn faulty_toml_is_reported_where_it_is_in_the_file() {
    let fault = script("\n# /// script\n# a = 1\n# é = = 2\n# ///\n").unwrap_err();
    assert_eq!(fault.at.line, 4);
    assert!(fault.at.column > 2, "{fault:?}");
}

#[test]
fn any_line_comment_and_any_line_ending_will_do() {
    let source = "// /// script\r\n// a = 1\r\n//\r\n// ///\r\n";
    let block = read(source, "//", "script").unwrap().unwrap();
    assert_eq!(block.value, json!({"a": 1}));
}

#[test]
fn a_file_of_nothing_but_opening_lines_is_read_in_no_time() {
    let source = "# /// other\n".repeat(100_000);
    assert_eq!(script(&source), Ok(None));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(source in "(# |#|///|script| |a = 1|\\PC|\n|\r\n){0,60}") {
        let _ = script(&source);
    }
}

use proptest::prelude::*;
use serde_json::json;
use toolroom_kernel::Position;

use super::{NESTING, document, x};
use crate::extract::python::nesting::MAX_DEPTH;

/// Runs on a stack smaller than any thread's of ours, so that recursion shows.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(1 << 20)
        .spawn(work)
        .expect("threads can be started")
        .join()
        .expect("the reader does not panic");
}

/// What puts one construct inside another, over and over: expressions, and statements too.
fn units() -> impl Iterator<Item = &'static str> {
    const STATEMENTS: [&str; 7] = ["with (", "match (", "a:=", "*", "@", "case [", "del ("];
    NESTING.into_iter().chain(STATEMENTS)
}

/// What ends, hides or reshapes what the units open.
const BREAKS: [&str; 24] = [
    ")", "]", "}", ",", "\n", "'", "\"", "'''", "f\"", "f'''", "rf'", "}'", "}'''", ":", "\\", "#",
    "!r", "\\N{", "{{", "}}", "if x:\n ", "\n  ", "1f'", "1if ",
];

#[test]
fn endless_nesting_is_a_fault_and_no_crash() {
    on_a_small_stack(|| {
        for unit in units() {
            for prefix in ["", "X = ", "f'''{x'''\n", "f\"{x\"\n}"] {
                let found = document(&format!("{prefix}{}", unit.repeat(50_000)));
                assert!(!found.faults.is_empty(), "{prefix:?} {unit:?}");
            }
        }
    });
}

#[test]
fn nesting_up_to_the_limit_is_read() {
    on_a_small_stack(|| {
        for unit in units() {
            let levels = (MAX_DEPTH - 10) / 3;
            document(&format!("Y = {}", unit.repeat(levels)));
        }
        let lists = format!("X = {}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
        assert!(document(&lists).faults.is_empty());
        let mut blocks = String::new();
        for level in 0..MAX_DEPTH {
            blocks += &format!("{}if x:\n", " ".repeat(level));
        }
        blocks += &format!(
            "{}{}\n",
            " ".repeat(MAX_DEPTH),
            "-".repeat(MAX_DEPTH - 1) + "1"
        );
        document(&blocks);
    });
}

#[test]
fn the_fault_of_deep_nesting_has_a_place() {
    let found = document(&format!("Y = 1\nX = {}", "[".repeat(5000)));
    assert_eq!(
        found.faults[0].message,
        "it is nested deeper than 1000 levels"
    );
    assert_eq!(found.faults[0].at.line, 2);
}

#[test]
fn a_syntax_error_leaves_the_rest_readable() {
    let found = document("X = {'a': 1}\nY = = 3\ndef main(a: int): pass\n");
    assert_eq!(found.faults[0].at, Position { line: 2, column: 5 });
    assert!(!found.faults[0].message.is_empty());
    assert!(found.variables.contains_key("X"));
    assert_eq!(found.functions["main"].parameters.len(), 1);
}

#[test]
fn a_value_cut_short_is_no_literal() {
    assert_eq!(x("X = {'a': }\n"), Err("it has a syntax error".to_owned()));
    assert_eq!(x("X = \n"), Err("it has a syntax error".to_owned()));
}

#[test]
fn only_the_first_faults_are_told() {
    let found = document(&"= ) \0 $\n".repeat(10_000));
    assert_eq!(found.faults.len(), 10);
}

#[test]
fn odd_bytes_are_borne() {
    assert_eq!(x("\x0cX = 1\n\x0c\n"), Ok(json!(1)));
    for source in [
        "\0",
        "X = \0 1",
        "\u{feff}\u{feff}X = 1",
        "\r\r\r",
        "'''",
        "f'''{",
        "\\",
        "X = '\\",
        "🦀 = 1",
        "\u{2028}",
    ] {
        document(source);
    }
}

#[test]
fn a_file_of_a_megabyte_is_read_in_time() {
    let garbage: String = (0..1_000_000_u32)
        .map(|index| char::from((index.wrapping_mul(2_654_435_761) >> 24) as u8 & 0x7f))
        .collect();
    document(&garbage);
    let table = format!("X = [\n{}]\n", "  {'a': 'b'},\n".repeat(70_000));
    assert!(x(&table).is_ok());
    let big = " ".repeat(5 << 20);
    assert_eq!(
        document(&big).faults[0].message,
        "the file is larger than 4 MiB"
    );
}

#[test]
fn classes_that_multiply_are_cut_off() {
    let mut source = String::new();
    for step in (0..40).rev() {
        source += &format!(
            "class C{step}(BaseModel):\n    a: C{0}\n    b: C{0}\n    c: Union[C{0}, list[C{0}]]\n",
            step + 1
        );
    }
    source += "def main(x: C0): pass\n";
    assert!(document(&source).functions.contains_key("main"));
}

const PROGRAM: &str = r#"#!/usr/bin/env python3
# Fetches a page.
"""Doc."""
from typing import Annotated, Literal, Optional
import os
LIMIT = 10 * 1024
X = {"a": [1, -2.5, None, (True,)], 'b': f"x{LIMIT}y{'q'!r:>{LIMIT}}", **os.environ}
class Color(Enum):
    RED = "red"
@dataclass
class Point:
    x: int = field(default=3)
    kids: "list[Point]" = None
async def main(a: Annotated[int, "An a.", Field(ge=1)], /, b: Optional[Color] = Color.RED, *, c: Literal["x", 1] = "x", **rest) -> dict[str, Point]:
    """Do it.

    Args:
        a (int): First
            line.
    """
    return [i for i in range(10) if i] or (lambda q, r: q)(1)
if __name__ == "__main__":
    with (open(x) as y, z):
        match y:
            case [1, {"k": v}] | None: pass
"#;

fn mutated() -> impl Strategy<Value = String> {
    let edit = (
        any::<prop::sample::Index>(),
        0_usize..12,
        prop_oneof![
            Just(String::new()),
            "[\\[\\](){}'\":,.=*\\\\\n\t @#f-]{1,6}",
            prop::sample::select(vec![
                "lambda ", "if ", "f'{", "'''", "\r\n", "\0", "class ", "é", "    "
            ])
            .prop_map(String::from),
        ],
    );
    prop::collection::vec(edit, 1..12).prop_map(|edits| {
        let mut letters: Vec<char> = PROGRAM.chars().collect();
        for (place, removed, added) in edits {
            let start = place.index(letters.len());
            let end = (start + removed).min(letters.len());
            letters.splice(start..end, added.chars());
        }
        letters.into_iter().collect()
    })
}

proptest! {
    #[test]
    fn any_text_is_read(source in ".{0,400}") {
        document(&source);
    }

    #[test]
    fn any_soup_of_tokens_is_read(
        units in prop::collection::vec(prop::sample::select(units().chain(BREAKS).collect::<Vec<_>>()), 1..12),
        times in prop::sample::select(vec![1, 50, 2000]),
    ) {
        let source = units.concat().repeat(times);
        on_a_small_stack(move || { document(&source); });
    }

    #[test]
    fn any_damaged_program_is_read(source in mutated()) {
        let found = document(&source);
        let lines = u32::try_from(source.split(['\n', '\r']).count()).unwrap();
        for fault in &found.faults {
            prop_assert!(fault.at.line <= lines);
        }
    }

    #[test]
    fn a_text_is_its_own_literal(text in "[^'\\\\\r\n\0]{0,40}", number in any::<i64>()) {
        prop_assert_eq!(x(&format!("X = ['{text}', {number}]")), Ok(json!([text, number])));
    }
}

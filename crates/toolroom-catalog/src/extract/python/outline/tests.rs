use proptest::prelude::*;
use ruff_python_ast::{ModModule, PySourceType};
use ruff_python_parser::{Parsed, parse_unchecked_source};
use ruff_text_size::Ranged;

/// The outline with the parameters of every function.
fn of(source: &str) -> Option<String> {
    super::of(source, |_| true)
}

/// A function with everything that is taken for plain.
const PLAIN: &str = include_str!("tests/plain.py");
/// What a parser may see another way than a recogniser does.
const SOUP: [&str; 48] = [
    " ", "\n", "\n    ", "\n     ", "\n  ", "\t", "\\\n", "#", "'", "\"", "'''", "f'", "rb\"",
    "t'", "{", "}", "(", ")", "[", "]", ",", ":", ":=", "=", "==", "!", "*", "**", "@", ".", "...",
    "->", ";", "0", "00", "1.", "1e", "é", "\0", "not ", "if ", " for ", " in ", "lambda ",
    "await ", "yield ", "match ", "*, ",
];

fn parse(source: &str) -> Parsed<ModModule> {
    parse_unchecked_source(source, PySourceType::Python)
}

/// Fails unless all that was left out of a text is without a fault, and all else stays what
/// and where it was.
fn check(source: &str) {
    for is_wanted in [true, false] {
        check_outline(source, super::of(source, |_| is_wanted));
    }
}

fn check_outline(source: &str, outline: Option<String>) {
    let Some(outline) = outline else { return };
    assert_eq!(outline.len(), source.len());
    let (short, whole) = (parse(&outline), parse(source));
    if !short.has_valid_syntax() {
        return;
    }
    assert_eq!(whole.errors(), [], "{source}");
    let statements = |parsed: &Parsed<ModModule>| -> Vec<_> {
        let body = parsed.syntax().body.iter();
        body.map(|statement| (std::mem::discriminant(statement), statement.start()))
            .collect()
    };
    assert_eq!(statements(&short), statements(&whole), "{source}");
}

/// What is left of a body, without its stand-in.
fn left(source: &str) -> String {
    let outline = of(source).unwrap_or_else(|| source.to_owned());
    let kept = outline.lines().map(|line| line.trim_end_matches('-'));
    kept.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_plain_body_is_left_out_but_for_its_docstring() {
    check(PLAIN);
    let left = left(PLAIN);
    let lines: Vec<&str> = left.lines().collect();
    assert_eq!(lines.len(), 3, "{left}");
    assert!(lines[1].contains("\"\"\"Has everything"));
    assert_eq!(lines[2], "    pass#");
}

#[test]
fn methods_and_functions_in_what_is_not_plain_are_left_out() {
    let body = "        return [1, 2, 3, 4, 5, 6, 7, 8, 9]\n";
    for before in [
        "class A:\n    x: int = 1\n    def f(self):\n",
        "class A:\n    @property\n    async def f(self) -> int:  # why\n\n",
        "def f():\n    def g(a, *, b=')'):\n",
    ] {
        let source = format!("{before}{body}X = 1\n");
        check(&source);
        assert_eq!(left(&source), format!("{before}        pass#\nX = 1"));
    }
}

#[test]
fn what_follows_a_body_stays() {
    let source =
        "def f():\n    return [1, 2, 3, 4, 5, 6, 7, 8] # why\n\n    # to it\n# next\nX = 1";
    check(source);
    let kept = "def f():\n    pass#---------------------------# why\n\n    # to it\n# next\nX = 1";
    assert_eq!(of(source).as_deref(), Some(kept));
}

#[test]
fn what_only_looks_like_a_function_stays() {
    let function = "\ndef f():\n    return [1, 2, 3, 4, 5, 6, 7, 8]\n";
    for (before, after) in [
        ("'''", "'''"),
        ("x = r\"\"\"\\\"\"\"", "\"\"\""),
        ("x = f'''{{", "}}'''"),
        ("x = (", ")"),
        ("x = 1 + \\", ""),
        ("x = [\"'''\", '''", "''']"),
    ] {
        let source = format!("{before}{function}{after}\n");
        assert_eq!(of(&source), None, "{source}");
    }
}

#[test]
fn what_is_not_well_formed_stays() {
    for statement in [
        "return return",
        "x = = 1",
        "f() = 1",
        "a + b += 1",
        "(a, b) += 1",
        "a not b",
        "[a not for a in b]",
        "[a async]",
        "f(a=1, b)",
        "f(**a, *b)",
        "f(a for a in b, c)",
        "x[]",
        "x = (*a)",
        "x = {1: 2, 3}",
        "x = {1, 2: 3}",
        "x = -not a",
        "for f() in x: pass",
        "for x in y:",
        "try: pass",
        "else: pass",
        "import a.",
        "from . import",
        "raise a, b",
        "print 'a'",
        "x = 'a' b'a'",
        "x = b'é'",
        "x = '\\x0'",
        "x = '\\N{none}'",
        "x = f'{}'",
        "x = f'}'",
        "x = f'{a!x}'",
        "x = f'{lambda: 1}'",
        "x = 012",
        "x = 1_",
        "x = a.if",
        "x = 'a",
        "x = (1]",
        "lambda = 1",
        "  x = 1",
        "None = 1",
        "x: int: int",
        "del f()",
        "with a as f(): pass",
        "def g(: pass",
        "if x := 1 := 2: pass",
    ] {
        let source = format!("def f():\n    x = 'a long enough statement'\n    {statement}\n");
        assert_eq!(of(&source), None, "{source}");
        assert!(!parse(&source).has_valid_syntax(), "{source}");
    }
}

#[test]
fn functions_that_nobody_asks_for_keep_their_names_only() {
    for header in [
        "def f():",
        "async def f(a, b: int = 1, c=[1, {2: 3}], ) -> dict[str, int] | None:  # why",
        "def f (\n    a: 'A',  # an a\n    b=')',\n):",
    ] {
        let body = "\n    \"\"\"Says it.\"\"\"\n    return [1, 2, 3]";
        let source = format!("@x\n{header}{body}\nX = 1\n");
        check(&source);
        let outline = super::of(&source, |_| false).unwrap();
        let name = header.split('(').next().unwrap();
        let length = header.len() + body.len() - name.len() - "():pass#".len();
        let left = format!("{name}():pass#{}", "-".repeat(length));
        assert_eq!(outline, format!("@x\n{left}\nX = 1\n"));
        assert_ne!(super::of(&source, |name| name == b"f"), Some(outline));
    }
}

#[test]
fn parameters_that_are_not_plain_stay() {
    let parameters = [
        "a, a",
        "a=1, b",
        "a b",
        "a:, b",
        "a=",
        "a:=1",
        "1",
        "a, , b",
        ",",
        "*",
        "None",
        "a: *b",
        "a=yield",
        "(a, b)",
        "a.b",
        "if",
        "a==1",
        "a: b := 1",
        "a=b=c",
    ];
    let mut headers = parameters.map(|inner| format!("def f({inner}):")).to_vec();
    headers.extend(
        [
            "def f:",
            "def f() ->:",
            "def f() -> a, b:",
            "def f[T]():",
            "def f()",
        ]
        .map(Into::into),
    );
    for header in headers {
        let source = format!("{header}\n    x = 'a long enough statement'\n");
        check(&source);
        assert_eq!(super::of(&source, |_| false), of(&source), "{source}");
    }
}

/// The beginnings of a text's tokens, and its end.
fn tokens(source: &str) -> Vec<usize> {
    let parsed = parse(source);
    let starts = parsed.tokens().iter().map(|token| token.start().to_usize());
    starts.chain([source.len()]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn a_damaged_body_is_left_to_the_parser(
        damages in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..4), 1..3),
        soup in prop::sample::select(&SOUP[..]),
    ) {
        let tokens = tokens(PLAIN);
        let mut source = PLAIN.to_owned();
        for (place, other, damage) in damages {
            let range = |index: prop::sample::Index| {
                let token = index.index(tokens.len() - 1);
                tokens[token]..tokens[token + 1]
            };
            let place = range(place);
            if source.get(place.clone()).is_none() {
                continue;
            }
            match damage {
                0 => source.replace_range(place, ""),
                1 => source.replace_range(place, &PLAIN[range(other)]),
                2 => source.insert_str(place.start, &PLAIN[range(other)]),
                _ => source.insert_str(place.start, soup),
            }
        }
        check(&source);
    }

    #[test]
    fn a_soup_of_tokens_is_left_to_the_parser(
        parts in prop::collection::vec(prop::sample::select(&SOUP[..]), 0..12),
        names in prop::collection::vec("[ab] ?", 12),
    ) {
        let mixed: String = parts.iter().zip(&names).flat_map(|(part, name)| [name.as_str(), part]).collect();
        check(&format!("def f():\n    x = 'a long enough statement'\n    {mixed}\nX = 1\n"));
        check(&format!("def f({mixed}):\n    x = 'a long enough statement'\n"));
        check(&format!("def f(a: {mixed}=b) -> c:\n    x = 'a long enough statement'\n"));
        check(&format!("{mixed}\ndef f():\n    x = 'a long enough statement'\n"));
    }
}

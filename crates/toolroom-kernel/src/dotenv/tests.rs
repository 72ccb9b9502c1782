use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::explain::Explain;

fn base(name: &str) -> Option<String> {
    match name {
        "HOME" => Some("/home/u".to_owned()),
        "EMPTY" => Some(String::new()),
        _ => None,
    }
}

fn read(text: &str) -> Evaluated {
    evaluate(&parse(text), &base)
}

fn pairs(evaluated: &Evaluated) -> Vec<(&str, &str)> {
    let variables = evaluated.variables.iter();
    variables
        .map(|variable| (variable.key.as_str(), variable.value.as_str()))
        .collect()
}

#[track_caller]
fn assert_values(table: &[(&str, &str)]) {
    for (text, expected) in table {
        let evaluated = read(text);
        assert_eq!(evaluated.problems, [], "{text:?}");
        assert_eq!(pairs(&evaluated), [("A", *expected)], "{text:?}");
    }
}

#[test]
fn every_form_of_the_dialect_has_its_value() {
    assert_values(&[
        ("A=1", "1"),
        ("A = 1", "1"),
        ("A=1 # c", "1"),
        ("A=1#c", "1#c"),
        ("A=\"x y\"", "x y"),
        ("A='x y'", "x y"),
        ("A=\"x\\ny\"", "x\ny"),
        ("A='x\\ny'", "x\\ny"),
        ("export A=1", "1"),
        ("A=", ""),
        ("A=${HOME}/z", "/home/u/z"),
        ("A='${HOME}'", "${HOME}"),
        ("A=\"${B:-d}\"", "d"),
        ("A=a=b", "a=b"),
        ("A=\"multi\nline\"", "multi\nline"),
        ("A=`x`", "`x`"),
        ("  A=1", "1"),
        ("A=1\r", "1"),
        ("\u{feff}A=1", "1"),
        ("A=é", "é"),
    ]);
}

#[test]
fn blanks_and_comments_do_not_count() {
    assert_values(&[
        ("\n \t\n# A=2\n  # A=3\nA=1\n", "1"),
        ("\tA\t=\t1\t", "1"),
        ("export\tA = 1", "1"),
        ("A=a b  c ", "a b  c"),
        ("A= # c", ""),
        ("A=\t#c", ""),
        ("A=#c", "#c"),
        ("A=a\t# c # d", "a"),
        ("A= 'x' # c", "x"),
        ("A='x # y'", "x # y"),
        ("A=\" x \"", " x "),
        ("A=''", ""),
    ]);
    assert_eq!(read("# c"), Evaluated::default());
    assert_eq!(read(""), Evaluated::default());
}

#[test]
fn quotes_span_lines_and_know_their_escapes() {
    assert_values(&[
        ("A='it\\'s'", "it's"),
        ("A='a\nb'", "a\nb"),
        ("A='a\\\\b\\n\\$'", "a\\\\b\\n\\$"),
        ("A=\"\\n\\r\\t\\\\\\\"\\$\"", "\n\r\t\\\"$"),
        ("A=\"a\\qb\\\nc\"", "a\\qb\\\nc"),
        ("A=\"it's\"", "it's"),
        ("A=\"a\r\nb\"\r\n", "a\nb"),
        ("A='a\r\nb'\r\n", "a\nb"),
        ("A=x\"y\" 'z'", "x\"y\" 'z'"),
        ("A=C:\\dir\\n", "C:\\dir\\n"),
        ("A=\"\\\\n\"", "\\n"),
    ]);
}

#[test]
fn dollars_follow_the_template_rules() {
    assert_values(&[
        ("A=$HOME", "$HOME"),
        ("A=$$", "$"),
        ("A=$${HOME}", "${HOME}"),
        ("A=\"\\${HOME}\"", "${HOME}"),
        ("A=\"\\\\${HOME}\"", "\\/home/u"),
        ("A=\"\\$${HOME}\"", "$/home/u"),
        ("A=\"$\\${HOME}\"", "$${HOME}"),
        ("A=\"$$\\${HOME}\"", "$${HOME}"),
        ("A=\"${NO:-\\${HOME}}\"", "${HOME}"),
        ("A=\\${HOME}", "\\/home/u"),
        (
            "A={home} {{x}} {\"a\": {\"b\": 1}}",
            "{home} {{x}} {\"a\": {\"b\": 1}}",
        ),
        ("A=${NO}", ""),
        ("A=${EMPTY:-d}${EMPTY-d}", "d"),
        ("A=\"${HOME:+a b}\"", "a b"),
        ("A=${NO:-a b} # c", "a b"),
    ]);
}

#[test]
fn a_bad_line_is_told_by_line_and_key() {
    let table = [
        ("A", None, Reason::NotAnAssignment),
        ("export A", None, Reason::NotAnAssignment),
        ("A: x", None, Reason::NotAnAssignment),
        ("=x", None, Reason::InvalidKey),
        ("1A=x", Some("1A"), Reason::InvalidKey),
        ("A.B=x", Some("A.B"), Reason::InvalidKey),
        ("A-B=x", Some("A-B"), Reason::InvalidKey),
        ("é=x", None, Reason::InvalidKey),
        ("some words = x", None, Reason::InvalidKey),
        ("A=\"un", Some("A"), Reason::UnclosedQuote),
        ("A='un\\'", Some("A"), Reason::UnclosedQuote),
        ("A=\"q\" tail", Some("A"), Reason::TextAfterQuote),
        ("A=\"q\"#c", Some("A"), Reason::TextAfterQuote),
        ("A=a\0b", Some("A"), Reason::NulCharacter),
        ("A='a\0b'", Some("A"), Reason::NulCharacter),
        (
            "A=${ B }",
            Some("A"),
            Reason::Template {
                expected: "a variable name after ${",
            },
        ),
        (
            "A=${NO:?why}",
            Some("A"),
            Reason::Required {
                name: "NO".to_owned(),
            },
        ),
    ];
    for (text, key, reason) in table {
        let evaluated = read(&format!("X=1\n{text}\nY=2"));
        let key = key.map(str::to_owned);
        assert_eq!(
            evaluated.problems,
            [DotenvProblem {
                line: 2,
                key,
                reason
            }],
            "{text:?}"
        );
        assert_eq!(pairs(&evaluated), [("X", "1"), ("Y", "2")], "{text:?}");
    }
}

#[test]
fn an_open_quote_costs_one_entry() {
    let evaluated = read("A=\"open\nB=\"x\"\nC='open\nD='y'\nE=1\n");
    assert_eq!(pairs(&evaluated), [("B", "x"), ("D", "y"), ("E", "1")]);
    let lines: Vec<_> = evaluated
        .problems
        .iter()
        .map(|problem| problem.line)
        .collect();
    assert_eq!(lines, [1, 3]);
}

#[test]
fn a_bad_value_in_good_quotes_is_skipped_whole() {
    let evaluated = read("A=\"${\nINNER=1\n\"\nB=1\n");
    assert_eq!(pairs(&evaluated), [("B", "1")]);
    assert_eq!(evaluated.problems.len(), 1);
}

#[test]
fn lines_are_counted_through_values_of_several_lines() {
    let evaluated = read("A=\"1\n2\r\n3\" # c\r\n\nB=b\nbad\n");
    let lines: Vec<_> = evaluated
        .variables
        .iter()
        .map(|variable| variable.line)
        .collect();
    assert_eq!(lines, [1, 5]);
    assert_eq!(evaluated.problems[0].line, 6);
}

#[test]
fn an_entry_sees_those_above_it_before_the_base() {
    let evaluated = read("B=${HOME}\nHOME=/h\nA=${HOME}:${LATER}\nLATER=x\n");
    let expected = [
        ("B", "/home/u"),
        ("HOME", "/h"),
        ("A", "/h:"),
        ("LATER", "x"),
    ];
    assert_eq!(pairs(&evaluated), expected);
}

#[test]
fn the_last_line_of_a_key_wins() {
    let evaluated = read("A=1\nB=${A}\nA=${A}2\n");
    assert_eq!(pairs(&evaluated), [("B", "1"), ("A", "12")]);
    assert_eq!(evaluated.variables[1].line, 3);
    assert_eq!(pairs(&read("A=1\nA=${NO?}\n")), [("A", "1")]);
}

#[test]
fn a_value_from_the_base_is_not_expanded_again() {
    let evaluated = evaluate(&parse("A=${X}\nB=${A}"), &|_: &str| {
        Some("${HOME}$$\\n".to_owned())
    });
    assert_eq!(
        pairs(&evaluated),
        [("A", "${HOME}$$\\n"), ("B", "${HOME}$$\\n")]
    );
}

#[test]
fn no_problem_and_no_debug_output_holds_a_value() {
    for text in [
        "A=\"hunter2",
        "A='hunter2' hunter2",
        "A=hunter2${",
        "A=hunter2${B:hunter2}",
        "A=${NO:?hunter2}",
        "A-B=hunter2",
        "A=hunter2\0",
        "hunter2",
        "+hunter2/=x",
        "A=hunter2",
    ] {
        let file = parse(text);
        let evaluated = evaluate(&file, &base);
        let mut shown = format!("{file:?} {evaluated:?}");
        for problem in &evaluated.problems {
            write!(shown, "{problem} {:?} {}", problem.help(), problem.code()).unwrap();
        }
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

#[test]
fn a_problem_reads_as_a_sentence() {
    let problem = &parse("\nA=\"x").problems[0];
    assert_eq!(problem.to_string(), "line 2 (A): the quote is never closed");
    assert_eq!(problem.code(), "dotenv::unclosed_quote");
}

#[test]
fn a_file_over_the_limit_is_one_problem() {
    let file = parse(&format!("A=1\n#{}", "x".repeat(MAX_BYTES)));
    assert!(file.entries.is_empty());
    assert_eq!(file.problems[0].reason, Reason::FileTooLarge);
}

#[test]
fn entries_that_repeat_each_other_cannot_fill_the_memory() {
    let mut text = "A0=0123456789abcdef\n".to_owned();
    for index in 1..64 {
        let previous = index - 1;
        writeln!(text, "A{index}=${{A{previous}}}${{A{previous}}}").unwrap();
    }
    for index in 0..20_000 {
        writeln!(text, "B{index}=${{A12}}${{A12}}").unwrap();
    }
    let evaluated = read(&text);
    let total: usize = evaluated
        .variables
        .iter()
        .map(|variable| variable.value.len())
        .sum();
    assert!(total <= 4 * 1024 * 1024, "{total}");
    assert!(
        evaluated
            .problems
            .iter()
            .any(|problem| problem.reason == Reason::ValueTooLarge)
    );
}

proptest! {
    #[test]
    fn reading_never_panics(text in any::<String>()) {
        let _ = read(&text);
    }

    #[test]
    fn whatever_is_made_of_syntax_gives_ordered_lines_in_range(
        text in r#"(A|B|=|"|'|#| |\n|\r\n|\\|\$|\{|\}|:-|export |é){0,60}"#
    ) {
        let evaluated = read(&text);
        let last = u32::try_from(text.lines().count()).unwrap();
        let lines: Vec<u32> = evaluated.variables.iter().map(|variable| variable.line).collect();
        prop_assert!(lines.is_sorted());
        let problems = evaluated.problems.iter().map(|problem| problem.line);
        prop_assert!(lines.iter().copied().chain(problems).all(|line| (1..=last).contains(&line)));
    }

    #[test]
    fn any_value_survives_double_quotes_once_it_is_escaped(value in r"[^\r\x00]*") {
        let escaped = value.replace('\\', r"\\").replace('"', "\\\"").replace('$', r"\$");
        let evaluated = read(&format!("A=\"{escaped}\"\n"));
        prop_assert_eq!(pairs(&evaluated), [("A", value.as_str())]);
    }

    #[test]
    fn a_good_line_survives_any_bad_line_without_quotes(bad in r#"[^"'\n]*"#) {
        let evaluated = read(&format!("{bad}\nGOOD=1\n"));
        prop_assert!(pairs(&evaluated).contains(&("GOOD", "1")));
    }
}

#[test]
fn bytes_that_are_no_text_cost_the_entry_they_are_in() {
    let read = |bytes: &[u8]| evaluate(&parse_bytes(bytes), &base);
    type Row<'r> = (&'r [u8], &'r [(&'r str, &'r str)], &'r [(u32, Reason)]);
    let table: [Row<'_>; 7] = [
        (b"A=\xff\nB=ok\n", &[("B", "ok")], &[(1, Reason::NotText)]),
        (
            b"A='\xe9\nx'\nB=ok\n",
            &[("B", "ok")],
            &[(1, Reason::NotText)],
        ),
        (b"# \xff\nB=ok # \xe9\n", &[("B", "ok")], &[]),
        (
            b"\xef\xbb\xbfB=ok\n\xff=1\n",
            &[("B", "ok")],
            &[(2, Reason::InvalidKey)],
        ),
        (b"\xff\xfeB\0=\x001\0", &[("B", "1")], &[]),
        (
            b"\xff\xfeA\0=\0\0\xd8\n\0B\0=\x001\0",
            &[("B", "1")],
            &[(1, Reason::NotText)],
        ),
        (b"A=\xc3\xa9", &[("A", "\u{e9}")], &[]),
    ];
    for (bytes, expected, problems) in table {
        let evaluated = read(bytes);
        assert_eq!(pairs(&evaluated), expected, "{bytes:?}");
        let found = evaluated.problems.into_iter();
        let found: Vec<_> = found
            .map(|problem| (problem.line, problem.reason))
            .collect();
        assert_eq!(found, problems, "{bytes:?}");
    }
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let evaluated = evaluate(&parse_bytes(&bytes), &base);
        prop_assert!(evaluated.variables.iter().all(|variable| !variable.value.contains('\0')));
    }
}

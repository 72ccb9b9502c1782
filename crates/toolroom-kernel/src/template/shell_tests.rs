//! The contract against the machine's own POSIX shell, where the two overlap: variables
//! and their rules. Both texts are printed from one tree, each with its own escapes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Command;

use proptest::prelude::*;

use super::{Template, Unset};

const NAMES: [&str; 5] = ["A", "B", "C", "_D", "E1"];
const RULES: [&str; 6] = [":-", "-", ":?", "?", ":+", "+"];

#[derive(Debug, Clone)]
enum Piece {
    Text(String),
    Variable(&'static str),
    Ruled(&'static str, &'static str, Vec<Piece>),
}

type Environment = BTreeMap<&'static str, String>;

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(NAMES.as_slice())
}

/// Words hold no braces and no single quotes: shells differ there.
fn word() -> impl Strategy<Value = Vec<Piece>> {
    let leaf = prop_oneof![
        "[a-z0-9 $\"\\\\`.:/?+=*~#!;&|<>()-]{1,6}".prop_map(Piece::Text),
        name().prop_map(Piece::Variable),
    ];
    let pieces = prop::collection::vec(leaf, 0..3).boxed();
    pieces.prop_recursive(4, 24, 3, |inner| {
        let ruled = (
            name(),
            prop::sample::select(RULES.as_slice()),
            inner.clone(),
        )
            .prop_map(|(name, rule, word)| vec![Piece::Ruled(name, rule, word)]);
        prop::collection::vec(prop_oneof![inner, ruled], 0..3).prop_map(|parts| parts.concat())
    })
}

fn template() -> impl Strategy<Value = Vec<Piece>> {
    let ruled = (name(), prop::sample::select(RULES.as_slice()), word())
        .prop_map(|(name, rule, word)| Piece::Ruled(name, rule, word));
    let piece = prop_oneof![
        2 => "[a-z0-9 $'\"\\\\`.:/\n]{1,8}|\\{ |\\{\"|\\}".prop_map(Piece::Text),
        1 => name().prop_map(Piece::Variable),
        4 => ruled,
    ];
    prop::collection::vec(piece, 0..5)
}

fn environment() -> impl Strategy<Value = Environment> {
    let value = prop_oneof![
        "",
        "[a-z ]{1,4}",
        Just("${A} $B $$ `x` \\ {a} '\" *\n".to_owned())
    ];
    prop::collection::btree_map(name(), value, 0..5)
}

/// Prints the tree; only the escapes of plain text differ between the two languages.
fn print(pieces: &[Piece], escape: fn(&str) -> String, out: &mut String) {
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.push_str(&escape(text)),
            Piece::Variable(name) => write!(out, "${{{name}}}").unwrap(),
            Piece::Ruled(name, rule, word) => {
                write!(out, "${{{name}{rule}").unwrap();
                print(word, escape, out);
                out.push('}');
            }
        }
    }
}

fn for_toolroom(text: &str) -> String {
    text.replace('$', "$$")
}

fn for_the_shell(text: &str) -> String {
    let escape = |char| matches!(char, '$' | '"' | '\\' | '`').then_some('\\');
    text.chars()
        .flat_map(|char| escape(char).into_iter().chain([char]))
        .collect()
}

/// Adds a subshell that prints the expansion after a `v`, or `e` if it fails.
fn script(pieces: &[Piece], env: &Environment, unset: Unset, out: &mut String) {
    out.push_str("( ");
    for (name, value) in env {
        writeln!(out, "{name}='{}'", value.replace('\'', r"'\''")).unwrap();
    }
    if unset == Unset::Error {
        out.push_str("set -u; ");
    }
    out.push_str("printf 'v%s' \"");
    print(pieces, for_the_shell, out);
    out.push_str("\" ) 2>/dev/null || printf e\nprintf '\\000'\n");
}

fn shell(script: &str) -> Vec<String> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(script.as_bytes()).unwrap();
    let output = Command::new("/bin/sh")
        .arg(file.path())
        .env_clear()
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let answers = String::from_utf8(output.stdout).unwrap();
    answers.split_terminator('\0').map(str::to_owned).collect()
}

fn toolroom(pieces: &[Piece], env: &Environment, unset: Unset) -> String {
    let mut text = String::new();
    print(pieces, for_toolroom, &mut text);
    let template = Template::parse(text).expect("the tree prints a valid template");
    let scope = |name: &str| env.get(name).cloned();
    template
        .expand(&scope, unset)
        .map_or("e".to_owned(), |expanded| format!("v{expanded}"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn templates_agree_with_the_shell(
        cases in prop::collection::vec((template(), environment()), 100)
    ) {
        let mut text = String::new();
        let mut expected = Vec::new();
        for (pieces, env) in &cases {
            for unset in [Unset::Empty, Unset::Error] {
                script(pieces, env, unset, &mut text);
                expected.push((pieces, env, unset));
            }
        }
        let answers = shell(&text);
        prop_assert_eq!(answers.len(), expected.len());
        for (answer, (pieces, env, unset)) in answers.iter().zip(expected) {
            prop_assert_eq!(&toolroom(pieces, env, unset), answer, "{:?} {:?} {:?}", pieces, env, unset);
        }
    }
}

//! For any text at all: ours goes in and out, and the rest is never touched.

use proptest::prelude::*;
use toolroom_kernel::Explain as _;
use toolroom_mcp::config::{Action, Scope};

use crate::support::{Machine, backup, read};

/// Blanks and comments as people strew them between tokens.
fn trivia() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "",
        " ",
        "\n",
        "\n  ",
        "\t",
        "\r\n",
        " // c, {\n",
        " /* } */ ",
        "\n\n    ",
    ])
    .prop_map(str::to_owned)
}

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "a",
        "b",
        "mcpServers ",
        "}",
        "//",
        "\\\"",
        "\\u00e4",
        "測",
    ])
    .prop_map(|text| format!("\"{text}\""))
}

fn jsonc() -> BoxedStrategy<String> {
    let leaf = prop_oneof![
        text(),
        Just("1".to_owned()),
        Just("-2.5e3".to_owned()),
        Just("null".to_owned()),
        Just("true".to_owned())
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![object(inner.clone(), None), list(inner)]
    })
    .boxed()
}

fn list(inner: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    (
        prop::collection::vec((inner, trivia(), trivia()), 0..4),
        any::<bool>(),
        trivia(),
    )
        .prop_map(|(items, comma, end)| {
            let texts: Vec<String> = items
                .iter()
                .map(|(item, before, after)| format!("{before}{item}{after}"))
                .collect();
            let comma = if comma && !texts.is_empty() { "," } else { "" };
            format!("[{}{comma}{end}]", texts.join(","))
        })
}

/// An object with distinct keys, and with one more of a given name.
fn object(
    inner: BoxedStrategy<String>,
    extra: Option<(&'static str, BoxedStrategy<String>)>,
) -> BoxedStrategy<String> {
    let extra: BoxedStrategy<Option<String>> = match extra {
        Some((key, value)) => {
            prop::option::of(value.prop_map(move |value| format!("\"{key}\": {value}"))).boxed()
        }
        None => Just(None).boxed(),
    };
    let fields = prop::collection::vec((inner, trivia(), trivia(), trivia(), trivia()), 0..4);
    (
        fields,
        extra,
        any::<prop::sample::Index>(),
        any::<bool>(),
        trivia(),
    )
        .prop_map(|(fields, extra, at, comma, end)| {
            let mut texts: Vec<String> = fields
                .iter()
                .enumerate()
                .map(|(index, (value, a, b, c, d))| format!("{a}\"k{index}\"{b}:{c}{value}{d}"))
                .collect();
            if let Some(extra) = extra {
                texts.insert(at.index(texts.len() + 1), extra);
            }
            let comma = if comma && !texts.is_empty() { "," } else { "" };
            format!("{{{}{comma}{end}}}", texts.join(","))
        })
        .boxed()
}

fn file() -> impl Strategy<Value = String> {
    let servers = object(jsonc(), None);
    (
        prop::option::of(Just('\u{feff}')),
        trivia(),
        object(jsonc(), Some(("mcpServers", servers))),
        trivia(),
    )
        .prop_map(|(mark, before, object, after)| {
            format!(
                "{}{before}{object}{after}",
                mark.map(String::from).unwrap_or_default()
            )
        })
}

/// What is left of a text when everything that could be ours to change is left out.
fn bones(text: &str) -> String {
    text.chars()
        .filter(|letter| !letter.is_whitespace() && *letter != ',')
        .collect()
}

#[test]
fn a_comment_in_an_empty_table_stays_when_our_entry_goes() {
    let machine = Machine::new();
    let before = "{\"mcpServers\": { // mine\n}}";
    let path = machine.file("home/.cursor/mcp.json", before);
    machine.install("cursor", Scope::User);
    fs_err::remove_file(backup(&path)).unwrap();
    machine.remove("cursor", Scope::User);
    assert!(read(&path).contains("// mine"), "{}", read(&path));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_jsonc_comes_back_as_it_was(before in file()) {
        let machine = Machine::new();
        let path = machine.file("home/.cursor/mcp.json", &before);
        prop_assert_eq!(machine.install("cursor", Scope::User), Action::Added);
        let after = read(&path);
        prop_assert_eq!(machine.install("cursor", Scope::User), Action::Unchanged);
        machine.remove("cursor", Scope::User);
        prop_assert_eq!(read(&path), before.clone());

        // Also by editing alone, without the backup's help: up to blanks and an empty table.
        machine.install("cursor", Scope::User);
        prop_assert_eq!(read(&path), after);
        fs_err::remove_file(backup(&path)).unwrap();
        machine.remove("cursor", Scope::User);
        let table = "\"mcpServers\":{}";
        let (bare, before) = match path.exists() {
            true => (bones(&read(&path)), bones(&before)),
            false => ("{}".to_owned(), bones(&before).replace('\u{feff}', "")),
        };
        let is_same = bare.replacen(table, "", 1) == before.replacen(table, "", 1);
        prop_assert!(is_same, "{}\n{}", before, bare);
    }

    #[test]
    fn no_text_makes_us_panic_or_write_what_cannot_be_read(text in "[\\[\\]{}:,\"a-c#=\n \\-&*'|>\t]{0,60}") {
        let files = [("cursor", "home/.cursor/mcp.json"), ("codex", "home/.codex/config.toml"), ("goose", "home/.config/goose/config.yaml"), ("continue", "home/.continue/config.yaml")];
        for (client, file) in files {
            let machine = Machine::new();
            let path = machine.file(file, &text);
            match machine.try_install(client, Scope::User) {
                Ok(_) => {
                    prop_assert_eq!(machine.install(client, Scope::User), Action::Unchanged);
                    machine.remove(client, Scope::User);
                    prop_assert_eq!(read(&path), text.clone());
                }
                Err(error) => {
                    prop_assert!(error.code().starts_with("mcp::config_"));
                    prop_assert_eq!(read(&path), text.clone());
                }
            }
        }
    }
}

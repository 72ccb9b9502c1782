//! What a version file says. Its text is hostile until it has passed [`fault`].

use serde_json::Value;

use super::version::Version;

const MAX_TOKEN: usize = 128;
const MAX_VERSIONS: usize = 64;

/// How a file is to be read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form<'f> {
    /// A version in the first line that is no comment; what other lines say comes after.
    Plain,
    /// A version in every line.
    List,
    /// `name version version …`; the first word is one of these.
    Line(&'f [String]),
    /// `name "range", "range"`; the first word is one of these.
    Quoted(&'f [String]),
    /// A dotted path into a JSON document, and the name an object there must have.
    Json(&'f str, Option<&'f str>),
    /// A key of a section of `key = "value"` lines.
    Section(&'f str, &'f [String]),
}

/// The versions a text asks for, in order of preference.
pub(super) fn versions(text: &str, form: Form<'_>) -> Vec<String> {
    let mut found = match form {
        Form::Plain => lines(text).filter_map(plain).collect(),
        Form::List => lines(text)
            .filter(|line| plain(line).is_some())
            .flat_map(str::split_whitespace)
            .map(str::to_owned)
            .collect(),
        Form::Line(names) => named_line(text, names),
        Form::Quoted(names) => quoted_line(text, names).into_iter().collect(),
        Form::Json(path, name) => json(text, path, name),
        Form::Section(section, keys) => in_section(text, section, keys),
    };
    found.truncate(MAX_VERSIONS);
    found
}

/// Whether a text is a JSON document, whatever it says.
pub(super) fn is_document(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Why a text can be no version, alias or range. Aliases may have one `/`.
pub(super) fn fault(token: &str) -> Option<&'static str> {
    if token.is_empty() {
        return Some("it is empty");
    }
    if token.len() > MAX_TOKEN {
        return Some("it is too long");
    }
    if token.contains("..") || token.starts_with(['/', '.']) || token.contains('\\') {
        return Some("it would leave the folder of versions");
    }
    let allowed = |next: char| next.is_alphanumeric() || " ._-+@/*^~<>=!|,".contains(next);
    if !token.chars().all(allowed) {
        return Some("it has characters no version has");
    }
    match token.split_once('/') {
        Some((folder, name)) if folder.is_empty() || name.is_empty() || name.contains('/') => {
            Some("it would leave the folder of versions")
        }
        Some((folder, _)) if Version::parse(folder).is_some() => Some("it is a path"),
        _ => None,
    }
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
}

/// The version of a line. `key=value` lines are settings, not versions.
fn plain(line: &str) -> Option<String> {
    if line.starts_with(['<', '>', '=', '^', '~', '!']) {
        return Some(line.to_owned());
    }
    let is_setting = line.split_once('=').is_some_and(|(key, _)| {
        let key = key.trim();
        !key.is_empty()
            && key
                .chars()
                .all(|next| next.is_ascii_alphanumeric() || next == '_')
    });
    if is_setting {
        None
    } else {
        line.split_whitespace().next().map(str::to_owned)
    }
}

fn named_line(text: &str, names: &[String]) -> Vec<String> {
    let mut found = lines(text).filter_map(|line| {
        let mut words = line.split_whitespace();
        let first = words.next()?;
        names
            .iter()
            .any(|name| name == first)
            .then(|| words.map(str::to_owned).collect::<Vec<_>>())
    });
    found.next().unwrap_or_default()
}

/// The bounds in quotes right after the name, as one range.
fn quoted_line(text: &str, names: &[String]) -> Option<String> {
    let after_name = |line: &'_ str| -> Option<usize> {
        let name = names.iter().find(|name| line.starts_with(name.as_str()))?;
        line[name.len()..]
            .starts_with([' ', '\t', '('])
            .then_some(name.len())
    };
    lines(text).find_map(|line| {
        let mut rest = line[after_name(line)?..].trim_start_matches([' ', '\t', '(']);
        let mut bounds = Vec::new();
        while let Some(quote) = rest
            .chars()
            .next()
            .filter(|next| ['"', '\''].contains(next))
        {
            let (bound, after) = rest[1..].split_once(quote)?;
            bounds.push(bound);
            rest = after
                .trim_start()
                .strip_prefix(',')
                .unwrap_or_default()
                .trim_start();
        }
        (!bounds.is_empty()).then(|| bounds.join(","))
    })
}

fn json(text: &str, path: &str, name: Option<&str>) -> Vec<String> {
    let Ok(document) = serde_json::from_str::<Value>(text) else {
        return Vec::new();
    };
    let found = path
        .split('.')
        .try_fold(&document, |value, key| value.get(key));
    let version = |value: &Value| match (value, name) {
        (Value::String(text), None) => Some(text.clone()),
        (Value::Object(fields), Some(name))
            if fields.get("name").and_then(Value::as_str) == Some(name) =>
        {
            fields
                .get("version")
                .and_then(Value::as_str)
                .map(str::to_owned)
        }
        _ => None,
    };
    match found {
        Some(Value::Array(items)) => items.iter().find_map(version),
        Some(value) => version(value),
        None => None,
    }
    .into_iter()
    .collect()
}

/// Reads `key = "1.2"`, `key = ["1.2", "1.1"]` and `key = {version = "1.2"}`.
fn in_section(text: &str, section: &str, keys: &[String]) -> Vec<String> {
    let mut inside = false;
    for line in lines(text) {
        if let Some(header) = line.strip_prefix('[').filter(|_| line.ends_with(']')) {
            inside = header.trim_end_matches(']').trim() == section;
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| inside) else {
            continue;
        };
        if keys
            .iter()
            .any(|wanted| wanted == key.trim().trim_matches(['"', '\'']))
        {
            let value = value.trim();
            let value = match value.strip_prefix('{') {
                Some(table) => table.split_once("version").map_or("", |(_, after)| after),
                None => value,
            };
            let quoted = value
                .split(['"', '\''])
                .skip(1)
                .step_by(2)
                .map(str::to_owned);
            return if value.starts_with('[') {
                quoted.collect()
            } else {
                quoted.take(1).collect()
            };
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn a_plain_file_gives_its_first_version() {
        let table = [
            ("20\n", "20"),
            ("v20.1.0\r\n", "v20.1.0"),
            ("# comment\n\n  long/* # trailing\n", "long/*"),
            ("setting=1\n18\n", "18"),
            ("3.2.1 extra words\n", "3.2.1"),
            (">=18 <21\n", ">=18 <21"),
        ];
        for (text, expected) in table {
            assert_eq!(versions(text, Form::Plain), [expected], "{text:?}");
        }
        assert!(versions("\n# nothing\nkey=\n", Form::Plain).is_empty());
    }

    #[test]
    fn a_list_gives_all_its_versions_in_order() {
        assert_eq!(
            versions("3.11 3.10\n# x\n3.9\n", Form::List),
            ["3.11", "3.10", "3.9"]
        );
        let tools = "other 1\nthing\t2.0 1.9 system # c\nthing 3\n";
        assert_eq!(
            versions(tools, Form::Line(&names(&["thing"]))),
            ["2.0", "1.9", "system"]
        );
        assert!(versions(tools, Form::Line(&names(&["thin"]))).is_empty());
    }

    #[test]
    fn a_document_is_asked_by_path_and_name() {
        let object = r#"{"dev": {"runtime": {"name": "thing", "version": "^20"}}}"#;
        let array = r#"{"dev": {"runtime": [{"name": "other", "version": "1"}, {"name": "thing", "version": "20"}]}}"#;
        assert_eq!(
            versions(object, Form::Json("dev.runtime", Some("thing"))),
            ["^20"]
        );
        assert_eq!(
            versions(array, Form::Json("dev.runtime", Some("thing"))),
            ["20"]
        );
        assert!(versions(array, Form::Json("dev.runtime", Some("none"))).is_empty());
        assert_eq!(
            versions(
                r#"{"pin": {"thing": "1.2"}}"#,
                Form::Json("pin.thing", None)
            ),
            ["1.2"]
        );
        assert!(versions("{broken", Form::Json("pin.thing", None)).is_empty());
    }

    #[test]
    fn a_section_is_read_line_by_line() {
        let text = "[env]\nthing = \"0\"\n[tools] # c\nthing = \"20\"\nlist = ['1.2', \"1.1\"]\n\"q\" = { version = \"3\", x = \"y\" }\n[other]\nthing = \"9\"";
        let read = |key: &str| versions(text, Form::Section("tools", &names(&[key])));
        assert_eq!(read("thing"), ["20"]);
        assert_eq!(read("list"), ["1.2", "1.1"]);
        assert_eq!(read("q"), ["3"]);
        assert!(read("none").is_empty());
    }

    #[test]
    fn what_could_leave_the_folder_of_versions_is_refused() {
        for token in [
            "",
            "../../evil",
            "..",
            "a/../b",
            "/etc/passwd",
            "./x",
            ".hidden",
            "a/b/c",
            "1.0/bin",
            "x\\y",
            "a\nb",
            "$(id)",
            "`id`",
            "a;b",
            "a\0b",
            "/",
            "long/",
            "{x}",
        ] {
            assert!(fault(token).is_some(), "{token:?} was taken");
        }
        assert!(fault(&"1".repeat(129)).is_some());
        for token in [
            "20",
            "v20.1.0",
            "long/*",
            "long/iron",
            "long/-1",
            "thing-3.2@set",
            ">=18 <21",
            "20 || 22",
            "3.13.0rc1",
        ] {
            assert_eq!(fault(token), None, "{token:?}");
        }
    }

    proptest! {
        #[test]
        fn no_file_makes_a_reader_panic(text in "\\PC{0,200}") {
            let thing = names(&["a"]);
            for form in [Form::Plain, Form::List, Form::Line(&thing), Form::Json("a.b", None), Form::Section("a", &thing)] {
                for token in versions(&text, form) {
                    let _ = fault(&token);
                }
            }
        }
    }
}

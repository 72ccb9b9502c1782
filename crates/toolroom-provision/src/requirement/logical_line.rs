//! The lines of a requirements file as its installer sees them: continuations joined,
//! comments gone, variables filled in.

use std::borrow::Cow;

use toolroom_kernel::model::Environ;

/// A line with its number in the file, counted from one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LogicalLine {
    pub number: u32,
    pub text: String,
}

/// Joins, strips and drops empty lines. A comment ends a continuation.
pub(super) fn split(content: &str) -> Vec<LogicalLine> {
    let mut lines = Vec::new();
    let mut open: Option<LogicalLine> = None;
    for (number, raw) in (1_u32..).zip(content.lines()) {
        let is_comment = raw.trim_start().starts_with('#');
        let (part, continues) = match raw.strip_suffix('\\') {
            Some(part) if !is_comment => (part, true),
            _ => (raw, false),
        };
        let line = open.get_or_insert_with(|| LogicalLine {
            number,
            text: String::new(),
        });
        if is_comment && !line.text.is_empty() {
            line.text.push(' ');
        }
        line.text.push_str(part);
        if !continues {
            lines.extend(open.take().and_then(finish));
        }
    }
    lines.extend(open.and_then(finish));
    lines
}

fn finish(mut line: LogicalLine) -> Option<LogicalLine> {
    line.text = without_comment(&line.text).trim().to_owned();
    (!line.text.is_empty()).then_some(line)
}

/// A `#` starts a comment at the beginning or after a blank; elsewhere it is a fragment.
fn without_comment(text: &str) -> &str {
    let start = text.match_indices('#').find(|(at, _)| {
        text[..*at]
            .chars()
            .next_back()
            .is_none_or(char::is_whitespace)
    });
    start.map_or(text, |(at, _)| &text[..at])
}

/// Fills in `${NAME}`; a variable that is not set stays as it is written, as pip does.
pub(super) fn expand<'a>(text: &'a str, env: &Environ) -> Cow<'a, str> {
    if !text.contains("${") {
        return Cow::Borrowed(text);
    }
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = rest.split_at(at);
        expanded.push_str(before);
        let name = after[2..].split('}').next().unwrap_or_default();
        let whole = name.len() + 3;
        let is_name = !name.is_empty()
            && name
                .bytes()
                .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
        match env.get(name).filter(|_| is_name && after.len() >= whole) {
            Some(value) => {
                expanded.push_str(value);
                rest = &after[whole..];
            }
            None => {
                expanded.push_str("${");
                rest = &after[2..];
            }
        }
    }
    expanded.push_str(rest);
    Cow::Owned(expanded)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(content: &str) -> Vec<(u32, String)> {
        split(content)
            .into_iter()
            .map(|line| (line.number, line.text))
            .collect()
    }

    #[test]
    fn continuations_join_and_keep_their_first_line() {
        let content = "a \\\n  --hash=x \\\n  --hash=y\nb\n";
        assert_eq!(
            texts(content),
            [(1, "a   --hash=x   --hash=y".into()), (4, "b".into())]
        );
    }

    #[test]
    fn comments_go_but_fragments_stay() {
        let cases = [
            ("a # note", "a"),
            ("a#b", "a#b"),
            ("git+https://h/x#egg=y  # note", "git+https://h/x#egg=y"),
            ("a \\\n# note\nb", "a"),
            ("a;x\t# note", "a;x"),
        ];
        for (content, first) in cases {
            assert_eq!(texts(content)[0].1, first, "{content}");
        }
        assert!(texts("# only\n\n   \n").is_empty());
        assert_eq!(texts("a\r\nb\r\n").len(), 2);
    }

    #[test]
    fn only_set_upper_case_variables_are_filled_in() {
        let mut env = Environ::new();
        env.set("HOST", "h");
        env.set("lower", "no");
        let cases = [
            ("https://${HOST}/x", "https://h/x"),
            ("${UNSET}", "${UNSET}"),
            ("${lower}", "${lower}"),
            ("$HOST", "$HOST"),
            ("${HOST", "${HOST"),
            ("${${HOST}}", "${h}"),
        ];
        for (text, expected) in cases {
            assert_eq!(expand(text, &env), expected);
        }
    }

    proptest! {
        #[test]
        fn no_content_panics(content in "[a-z$#{} \\\\\n\r\\PC]{0,60}") {
            let mut env = Environ::new();
            env.set("A", "${A}");
            for line in split(&content) {
                let _ = expand(&line.text, &env);
            }
        }
    }
}

//! Makes foreign text safe to show to a model and to a person: no escape sequences, no
//! characters that hide or reorder what is read. It changes nothing else.

use std::borrow::Cow;

use serde_json::Value;

/// How deep a structured result is cleaned; deeper ones are not passed on.
pub const MAX_DEPTH: usize = 128;

/// The text without what cannot be seen.
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    if text
        .bytes()
        .all(|byte| matches!(byte, b'\n' | b'\t' | b' '..=b'~'))
    {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\u{1b}' | '\u{9b}' => skip_sequence(character, &mut rest),
            '\r' if rest.peek() == Some(&'\n') => clean.push('\r'),
            // Joiners carry meaning inside scripts and emoji, and nowhere else.
            '\u{200c}' | '\u{200d}' => {
                let between = clean.chars().next_back().zip(rest.peek().copied());
                if between.is_some_and(|(before, after)| !before.is_ascii() && !after.is_ascii()) {
                    clean.push(character);
                }
            }
            hidden if is_hidden(hidden) => {}
            visible => clean.push(visible),
        }
    }
    Cow::Owned(clean)
}

/// A name that a client gave, as it can be repeated: clean, and not all of a long one.
#[must_use]
pub fn repeated(name: &str) -> String {
    const LONGEST: usize = 100;
    let end = name.floor_char_boundary(LONGEST);
    let more = if end < name.len() { "…" } else { "" };
    format!("{}{more}", clean(&name[..end]))
}

/// Every text inside a value, cleaned in place.
///
/// # Errors
/// Fails if the value is nested too deeply.
pub fn clean_value(value: &mut Value) -> Result<(), &'static str> {
    descend(value, 0)
}

fn descend(value: &mut Value, depth: usize) -> Result<(), &'static str> {
    if depth > MAX_DEPTH {
        return Err("is nested too deeply");
    }
    match value {
        Value::String(text) => {
            if let Cow::Owned(clean) = clean(text) {
                *text = clean;
            }
        }
        Value::Array(items) => items
            .iter_mut()
            .try_for_each(|item| descend(item, depth + 1))?,
        Value::Object(fields) => fields
            .values_mut()
            .try_for_each(|field| descend(field, depth + 1))?,
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
    Ok(())
}

/// Leaves out one escape sequence: CSI to its final letter, OSC and its kin to their
/// terminator, anything else with the character after the escape.
fn skip_sequence(start: char, rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    const LONGEST: usize = 4096;
    let kind = if start == '\u{9b}' {
        Some('[')
    } else {
        rest.next()
    };
    match kind {
        Some('[') => {
            for _ in 0..LONGEST {
                match rest.peek() {
                    Some('\u{20}'..='\u{3f}') => _ = rest.next(),
                    Some('\u{40}'..='\u{7e}') => {
                        rest.next();
                        return;
                    }
                    _ => return,
                }
            }
        }
        Some(']' | 'P' | 'X' | '^' | '_') => {
            for _ in 0..LONGEST {
                match rest.next() {
                    None | Some('\u{7}' | '\u{9c}') => return,
                    Some('\u{1b}') => {
                        if rest.peek() == Some(&'\\') {
                            rest.next();
                        }
                        return;
                    }
                    Some(_) => {}
                }
            }
        }
        _ => {}
    }
}

fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}' => true,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}' => true,
        other => other.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_hides_or_reorders_text_is_left_out() {
        let cases = [
            ("plain\n\ttext", "plain\n\ttext"),
            ("\x1b[1;31mred\x1b[0m", "red"),
            ("a\x1b]8;;http://x\x07link\x1b]8;;\x1b\\b", "alinkb"),
            ("\u{9b}31mx", "x"),
            ("a\u{202e}b\u{2066}c\u{200b}d\u{feff}", "abcd"),
            ("hidden\u{e0041}\u{e0042}", "hidden"),
            ("bell\x07\x00nul\x7f", "bellnul"),
            ("one\r\ntwo\rthree", "one\r\ntwothree"),
            ("a\u{200d}b", "ab"),
        ];
        for (dirty, wanted) in cases {
            assert_eq!(clean(dirty), wanted, "{dirty:?}");
        }
    }

    #[test]
    fn scripts_and_emoji_stay_whole() {
        for text in ["größe", "👩\u{200d}💻", "می\u{200c}خواهم", "日本語"] {
            assert_eq!(clean(text), text);
        }
    }

    #[test]
    fn values_are_cleaned_inside_and_bounded_in_depth() {
        let mut value = json!({"a": ["\x1b[1mx", {"b": "\u{202e}y"}], "n": 1});
        clean_value(&mut value).unwrap();
        assert_eq!(value, json!({"a": ["x", {"b": "y"}], "n": 1}));
        let mut deep = (0..MAX_DEPTH + 2).fold(json!(1), |inner, _| json!([inner]));
        assert!(clean_value(&mut deep).is_err());
    }

    proptest! {
        #[test]
        fn clean_text_stays_as_it_is(text in "\\PC*") {
            let once = clean(&text).into_owned();
            prop_assert_eq!(clean(&once).into_owned(), once);
        }
    }
}

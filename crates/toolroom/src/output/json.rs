//! JSON laid out for people, token by token: every number comes out as it went in, whatever
//! its size. Knows nothing of what the values mean.

/// How deep values are laid out; deeper ones would be all indentation.
const MAX_DEPTH: usize = 128;
const INDENT: &str = "  ";

/// A JSON text with a line for each value; nothing for one that is nested too deep.
#[must_use]
pub fn laid_out(json: &str) -> Option<String> {
    let mut out = String::with_capacity(json.len() * 2);
    let mut depth: usize = 0;
    let mut tokens = tokens(json).peekable();
    while let Some(token) = tokens.next() {
        match token {
            "{" | "[" => {
                out.push_str(token);
                match tokens.next_if(|next| matches!(*next, "}" | "]")) {
                    Some(end) => out.push_str(end),
                    None => {
                        depth += 1;
                        new_line(&mut out, depth);
                    }
                }
                if depth > MAX_DEPTH {
                    return None;
                }
            }
            "}" | "]" => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push_str(token);
            }
            "," => {
                out.push(',');
                new_line(&mut out, depth);
            }
            ":" => out.push_str(": "),
            _ => match readable(token) {
                Some(text) => out.push_str(&text),
                None => out.push_str(token),
            },
        }
    }
    Some(out)
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    for _ in 0..depth {
        out.push_str(INDENT);
    }
}

/// A text with `\u00e9` as the letter it stands for.
fn readable(token: &str) -> Option<String> {
    if !token.contains('\\') {
        return None;
    }
    let text: String = serde_json::from_str(token).ok()?;
    serde_json::to_string(&text).ok()
}

fn tokens(json: &str) -> impl Iterator<Item = &str> {
    let mut rest = json.trim_start();
    std::iter::from_fn(move || {
        let length = match rest.bytes().next()? {
            b'"' => text_length(rest),
            b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            _ => {
                let ends = |c: char| matches!(c, ',' | ':' | ']' | '}') || c.is_whitespace();
                rest.find(ends).unwrap_or(rest.len())
            }
        };
        let (token, more) = rest.split_at(length);
        rest = more.trim_start();
        Some(token)
    })
}

/// The length of the text that begins here, with its quotes.
fn text_length(json: &str) -> usize {
    let mut is_escaped = false;
    let end = json.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(json.len(), |end| end + "\"\"".len())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn it_looks_as_everybody_lays_out_json() {
        for value in [
            json!({}),
            json!([]),
            json!(null),
            json!([[], {}, [1, -2.5, true]]),
            json!({"a": {"b": [{"c": "x, {y}: [z] \"q\" \\"}]}, "é": "\n\u{1b}"}),
        ] {
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            assert_eq!(laid_out(&value.to_string()).as_ref(), Some(&pretty));
            assert_eq!(laid_out(&pretty), Some(pretty));
        }
    }

    #[test]
    fn numbers_keep_every_digit_and_letters_become_readable() {
        let json = r#"[123456789012345678901234567890, 0.10000000000000000001, 1E400, "caf\u00e9", "\ud800"]"#;
        let wanted = "[\n  123456789012345678901234567890,\n  0.10000000000000000001,\n  1E400,\n  \"café\",\n  \"\\ud800\"\n]";
        assert_eq!(laid_out(json).as_deref(), Some(wanted));
    }

    #[test]
    fn what_is_nested_without_end_is_left_alone() {
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(laid_out(&deep(MAX_DEPTH)).is_some());
        assert_eq!(laid_out(&deep(100_000)), None);
        assert_eq!(laid_out("").as_deref(), Some(""));
        for broken in ["\"", "]]]", "{\"a", ",:", "\\"] {
            let _: Option<Value> = laid_out(broken).and_then(|out| serde_json::from_str(&out).ok());
        }
    }
}

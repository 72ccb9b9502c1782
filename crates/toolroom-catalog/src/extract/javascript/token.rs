//! The value of a single token: strings with their escapes, numbers in every base.
//!
//! Works on text alone; follows the language's rules, not those of JSON.

use serde_json::{Number, Value};

const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;

/// Decodes the inside of a string or template literal.
pub(super) fn unescape(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(ch) = rest.chars().next() {
        rest = &rest[ch.len_utf8()..];
        match ch {
            '\\' => rest = escape(rest, &mut out),
            '\r' => {
                // Template strings see every line end as one line feed.
                rest = rest.strip_prefix('\n').unwrap_or(rest);
                out.push('\n');
            }
            _ => out.push(ch),
        }
    }
    out
}

/// Decodes what follows a backslash and returns what follows that.
fn escape<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let Some(ch) = rest.chars().next() else {
        return rest;
    };
    let after = &rest[ch.len_utf8()..];
    match ch {
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        'b' => out.push('\u{8}'),
        'f' => out.push('\u{c}'),
        'v' => out.push('\u{b}'),
        '\r' => return after.strip_prefix('\n').unwrap_or(after),
        '\n' | '\u{2028}' | '\u{2029}' => {}
        'x' => return hex_escape(after, 2, out),
        'u' if after.starts_with('{') => return braced_escape(after, out),
        'u' => return unit_escape(after, out),
        '0'..='7' => {
            let limit = if ch <= '3' { 3 } else { 2 };
            let digits = leading(rest, limit, |byte| matches!(byte, b'0'..=b'7'));
            push_code(u32::from_str_radix(digits, 8).ok(), out);
            return &rest[digits.len()..];
        }
        other => out.push(other),
    }
    after
}

fn leading(text: &str, limit: usize, is: impl Fn(u8) -> bool) -> &str {
    let count = text.bytes().take(limit).take_while(|b| is(*b)).count();
    &text[..count]
}

fn push_code(code: Option<u32>, out: &mut String) {
    out.push(code.and_then(char::from_u32).unwrap_or('\u{fffd}'));
}

fn hex_escape<'a>(rest: &'a str, width: usize, out: &mut String) -> &'a str {
    let digits = leading(rest, width, |byte| byte.is_ascii_hexdigit());
    push_code(u32::from_str_radix(digits, 16).ok(), out);
    &rest[digits.len()..]
}

fn braced_escape<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let (digits, after) = rest[1..].split_once('}').unwrap_or((&rest[1..], ""));
    push_code(u32::from_str_radix(digits, 16).ok(), out);
    after
}

/// `\uXXXX` counts UTF-16 units, so two of them may make one character.
fn unit_escape<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let high = leading(rest, 4, |byte| byte.is_ascii_hexdigit());
    let after = &rest[high.len()..];
    let unit = u16::from_str_radix(high, 16).unwrap_or(0xfffd);
    if (0xd800..0xdc00).contains(&unit)
        && let Some(tail) = after.strip_prefix("\\u")
    {
        let low = leading(tail, 4, |byte| byte.is_ascii_hexdigit());
        let pair = [unit, u16::from_str_radix(low, 16).unwrap_or(0)];
        if let Ok(text) = String::from_utf16(&pair) {
            out.push_str(&text);
            return &tail[low.len()..];
        }
    }
    push_code(Some(u32::from(unit)), out);
    after
}

/// The value of a number token; nothing for a bigint.
pub(super) fn number(token: &str) -> Option<f64> {
    if token.ends_with('n') {
        return None;
    }
    let digits = token.replace('_', "");
    let radix = match digits.get(..2) {
        Some("0x" | "0X") => 16,
        Some("0o" | "0O") => 8,
        Some("0b" | "0B") => 2,
        _ if is_old_octal(&digits) => return Some(in_radix(&digits[1..], 8)),
        _ => return digits.parse().ok(),
    };
    Some(in_radix(&digits[2..], radix))
}

fn is_old_octal(digits: &str) -> bool {
    digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| matches!(b, b'0'..=b'7'))
}

fn in_radix(digits: &str, radix: u32) -> f64 {
    digits.chars().fold(0.0, |sum, digit| {
        sum * f64::from(radix) + f64::from(digit.to_digit(radix).unwrap_or(0))
    })
}

/// A number as JSON has it: whole ones without a fraction, none for infinities.
pub(super) fn json_number(number: f64) -> Option<Value> {
    if number.fract() == 0.0 && number.abs() <= LARGEST_EXACT {
        // Exact within these bounds, and turns -0 into 0 as JSON.stringify does.
        #[allow(clippy::cast_possible_truncation)]
        return Some(Value::from(number as i64));
    }
    Number::from_f64(number).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_become_the_characters_they_stand_for() {
        for (raw, plain) in [
            (r"a\nb\tc\\d\'e", "a\nb\tc\\d'e"),
            (r"\x41\u0042\u{1F600}", "AB😀"),
            (r"\uD83D\uDE00", "😀"),
            (r"\uD83Dx", "\u{fffd}x"),
            (r"\u{110000}", "\u{fffd}"),
            (r"\0\101\8", "\0A8"),
            ("one\\\ntwo\\\r\nthree", "onetwothree"),
            ("one\r\ntwo\rthree", "one\ntwo\nthree"),
            (r"\q\é", "qé"),
            ("\\", ""),
        ] {
            assert_eq!(unescape(raw), plain, "{raw:?}");
        }
    }

    #[test]
    fn numbers_are_read_in_every_base() {
        for (token, value) in [
            ("42", Some(42.0)),
            ("1_000.5", Some(1000.5)),
            (".5", Some(0.5)),
            ("5.", Some(5.0)),
            ("1e3", Some(1000.0)),
            ("1E-2", Some(0.01)),
            ("0xFF_ff", Some(65535.0)),
            ("0o17", Some(15.0)),
            ("017", Some(15.0)),
            ("089", Some(89.0)),
            ("0b101", Some(5.0)),
            ("10n", None),
            ("0x1fn", None),
        ] {
            assert_eq!(number(token), value, "{token}");
        }
    }

    #[test]
    fn whole_numbers_have_no_fraction_in_json() {
        assert_eq!(json_number(1e3), Some(Value::from(1000)));
        assert_eq!(json_number(-0.0), Some(Value::from(0)));
        assert_eq!(json_number(1.5), Some(Value::from(1.5)));
        assert_eq!(json_number(f64::INFINITY), None);
    }

    proptest! {
        #[test]
        fn any_text_can_be_unescaped(raw in "(\\\\|u|x|\\{|\\}|[0-9a-fA-F]|.)*") {
            unescape(&raw);
        }

        #[test]
        fn any_text_can_be_tried_as_a_number(token in "[0-9a-fA-Fxobne_.]*|.*") {
            number(&token);
        }
    }
}

//! Finds where a part of a value is written, from the value's place and the names that lead
//! to the part. Language-free, and asked only when something is wrong with a file: a key is
//! its name, perhaps in quotes, with a colon or an equals sign behind it.

use toolroom_kernel::Position;

/// The place of the part these names lead to: its value, or its key where the value begins
/// on a further line. Names that are not written are passed over.
pub(super) fn part(source: &str, start: Position, names: &[&str]) -> Position {
    let mut place = None;
    let mut from = offset(source, start);
    for name in names {
        if let Some(key) = key_after(source, from, name) {
            from = key.end;
            place = Some(key);
        }
    }
    place.map_or(start, |key| {
        Position::at_offset(source, key.value.unwrap_or(key.start))
    })
}

/// A number as it is written at a value's place or behind its key: `1.10` is not `1.1`.
pub(super) fn number(source: &str, at: Position) -> Option<&str> {
    let rest = &source[offset(source, at)..];
    let line = rest.lines().next()?;
    let is_sign = |character: char| matches!(character, '-' | '+' | '.');
    let starts_number =
        |text: &str| text.starts_with(|first: char| first.is_ascii_digit() || is_sign(first));
    let value = if starts_number(line) {
        line
    } else {
        line[line.find([':', '='])? + 1..].trim_start()
    };
    let end = value.find(|character: char| {
        !(character.is_ascii_alphanumeric() || character == '_' || is_sign(character))
    });
    let text = &value[..end.unwrap_or(value.len())];
    starts_number(text).then_some(text)
}

struct Key {
    start: usize,
    end: usize,
    /// Where its value begins, if that is on the same line.
    value: Option<usize>,
}

fn key_after(source: &str, from: usize, name: &str) -> Option<Key> {
    let is_word = |character: char| character.is_alphanumeric() || matches!(character, '_' | '-');
    if name.is_empty() || name.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    source[from..].match_indices(name).find_map(|(at, _)| {
        let (start, end) = (from + at, from + at + name.len());
        if source[..start].ends_with(is_word) {
            return None;
        }
        let rest = &source[end..];
        let rest = rest.strip_prefix(['"', '\'', '`']).unwrap_or(rest);
        let rest = rest.trim_start_matches([' ', '\t']);
        let value = rest.strip_prefix([':', '='])?;
        if value.starts_with('=') {
            return None;
        }
        let value = value.trim_start_matches(['>', ' ', '\t']);
        let begins_here = !value.is_empty() && !value.starts_with(['\r', '\n', '#']);
        Some(Key {
            start,
            end,
            value: begins_here.then(|| source.len() - value.len()),
        })
    })
}

/// The byte offset of a place; what lies outside is the nearest that does not.
fn offset(source: &str, at: Position) -> usize {
    let mut start = 0;
    for _ in 1..at.line {
        match source[start..].find('\n') {
            Some(newline) => start += newline + 1,
            None => break,
        }
    }
    let column = usize::try_from(at.column).unwrap_or(usize::MAX);
    let line = &source[start..];
    let before = line.char_indices().nth(column.saturating_sub(1));
    before.map_or(source.len(), |(offset, _)| start + offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, column: u32) -> Position {
        Position { line, column }
    }

    #[test]
    fn a_part_is_found_in_any_notation() {
        let cases = [
            ("CONFIG = {\n  \"args\": \"x\",\n}", at(1, 10), at(2, 11)),
            ("config: {env: {}, args: x}", at(1, 1), at(1, 25)),
            ("config:\n  args:\n    - 1", at(1, 1), at(2, 3)),
            ("[config]\nargs = 'x'", at(1, 2), at(2, 8)),
            (
                "const config = { pargs: 1, args : 'x' }",
                at(1, 16),
                at(1, 35),
            ),
            ("{'x': 1, :args => 2}", at(1, 1), at(1, 19)),
        ];
        for (source, start, found) in cases {
            assert_eq!(part(source, start, &["args"]), found, "{source}");
        }
    }

    #[test]
    fn what_is_not_written_leaves_the_place_where_it_was() {
        let source = "é\nconfig: {a: {b: 1}}";
        assert_eq!(part(source, at(2, 1), &["missing"]), at(2, 1));
        assert_eq!(
            part(source, at(2, 1), &["properties", "a", "0", "b"]),
            at(2, 17)
        );
        assert_eq!(part("", at(9, 9), &["a"]), at(9, 9));
    }

    #[test]
    fn a_number_keeps_the_form_it_is_written_in() {
        let cases = [
            ("version: 1.10", Some("1.10")),
            ("version = 1.10 # x", Some("1.10")),
            ("\"version\": 1.10,", Some("1.10")),
            ("1.10\n", Some("1.10")),
            ("version: x", None),
            ("version:\n  1.10", None),
        ];
        for (source, text) in cases {
            assert_eq!(number(source, Position::START), text, "{source}");
        }
    }
}

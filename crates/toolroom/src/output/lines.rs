//! Text in lines that fit the terminal. Without a width nothing is broken, so that what is
//! piped stays one line per thing.

use unicode_width::UnicodeWidthStr as _;

/// A line is never made narrower than this.
const NARROWEST: usize = 20;

/// Breaks a text at its spaces. A word that is wider than a line has one to itself; what
/// is broken off an indented line stands below it.
#[must_use]
pub fn broken(text: &str, width: Option<usize>) -> Vec<String> {
    let Some(width) = width else {
        return text.lines().map(str::to_owned).collect();
    };
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let rest = line.trim_start_matches(' ');
        let indent = &line[..line.len() - rest.len()];
        let width = width.saturating_sub(indent.len()).max(NARROWEST);
        let mut current = String::new();
        for word in rest.split(' ') {
            if !current.is_empty() && current.width() + 1 + word.width() > width {
                lines.push(format!("{indent}{current}"));
                current.clear();
            }
            if !current.is_empty() {
                current.push(' ');
            }
            current.push_str(word);
        }
        lines.push(format!("{indent}{current}"));
    }
    lines
}

/// A text after a head, with its further lines below its first.
#[must_use]
pub fn after(head: &str, indent: usize, text: &str, width: Option<usize>) -> String {
    let room = width.map(|width| width.saturating_sub(indent));
    let lines = broken(text, room);
    let margin = format!("\n{}", " ".repeat(indent));
    format!("{head}{}\n", lines.join(&margin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_broken_at_its_spaces_and_only_for_a_width() {
        let text = "one two three four five\nsix";
        assert_eq!(
            broken(text, Some(20)),
            ["one two three four", "five", "six"]
        );
        assert_eq!(broken(text, None), ["one two three four five", "six"]);
        assert_eq!(
            broken("    one two three four five six", Some(24)),
            ["    one two three four", "    five six"]
        );
        let long = "/a/path/that/is/wider/than/any/line and more";
        assert_eq!(
            broken(long, Some(20)),
            ["/a/path/that/is/wider/than/any/line", "and more"]
        );
    }

    #[test]
    fn further_lines_stand_below_the_first() {
        let text = after("a: ", 3, "one two three four five", Some(23));
        assert_eq!(text, "a: one two three four\n   five\n");
        assert_eq!(after("a: ", 3, "one", None), "a: one\n");
    }
}

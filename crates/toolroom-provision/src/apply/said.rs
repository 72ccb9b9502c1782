//! The end of what a program said before it failed: the lines that tell why, fit to be shown.

use std::fmt;

use crate::redaction::Redaction;

/// How many lines are told, and how much of each.
const LINES: usize = 12;
const LENGTH: usize = 240;

/// The last lines of a program that failed. There is at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    lines: Vec<String>,
}

impl Said {
    /// What the first of the outputs that says anything says at its end.
    pub(super) fn of(outputs: &[&str], redaction: &Redaction) -> Option<Self> {
        let lines = outputs.iter().map(|output| last_lines(output, redaction));
        let lines = lines.into_iter().find(|lines| !lines.is_empty())?;
        Some(Self { lines })
    }
}

impl fmt::Display for Said {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("it said:")?;
        for line in &self.lines {
            write!(out, "\n  {line}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Said {}

fn last_lines(output: &str, redaction: &Redaction) -> Vec<String> {
    let lines = output.lines().rev().map(|line| {
        // What a line was before it was drawn anew is gone from a screen, too.
        let drawn = line.trim_end().rsplit('\r').next().unwrap_or_default();
        redaction.text(plain(drawn).trim_end())
    });
    let mut lines: Vec<String> = lines
        .filter(|line| !line.is_empty())
        .take(LINES)
        .map(|line| short(&line))
        .collect();
    lines.reverse();
    lines
}

fn short(line: &str) -> String {
    match line.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

/// A line without colours and anything else that speaks to a terminal.
fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line.chars();
    while let Some(character) = rest.next() {
        match character {
            '\u{1b}' => {
                if rest.next() == Some('[') {
                    // Up to the letter that ends the sequence.
                    let _ = rest.find(|c| ('@'..='~').contains(c));
                }
            }
            '\t' => plain.push(' '),
            control if control.is_control() => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(outputs: &[&str]) -> Option<String> {
        Said::of(outputs, &Redaction::default()).map(|said| said.to_string())
    }

    #[test]
    fn the_last_lines_are_told_as_they_would_be_seen() {
        let loud = "1%\r100%\n\n\u{1b}[31merror\u{1b}[0m: no\u{7} http://u:p@h/x\r\n\n";
        let wanted = "it said:\n  100%\n  error: no http://***@h/x";
        assert_eq!(said(&["", loud]).as_deref(), Some(wanted));
        assert_eq!(said(&["\n \n", ""]), None);
        assert_eq!(said(&["\u{1b}", "\u{1b}["]), None);
    }

    #[test]
    fn much_is_cut_to_what_can_be_taken_in() {
        let lines: String = (0..500)
            .map(|n| format!("{n} {}\n", "é".repeat(900)))
            .collect();
        let said = said(&[&lines]).unwrap();
        assert_eq!(said.lines().count(), 1 + LINES);
        assert!(said.lines().last().unwrap().starts_with("  499 é"));
        assert!(said.lines().all(|line| line.chars().count() <= LENGTH + 3));
    }
}

//! Reading a dotenv file into entries and problems, in one pass.

use std::fmt;

use super::problem::{DotenvProblem, Reason};
use crate::template::{Syntax, Template};

/// How large a file may be.
pub const MAX_BYTES: usize = 1024 * 1024;

/// The longest text that is repeated as a key that is no variable name.
const MAX_SHOWN_KEY: usize = 64;

const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// What a dotenv file says, in its order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DotenvFile {
    pub entries: Vec<Entry>,
    pub problems: Vec<DotenvProblem>,
}

/// One `KEY=value`, not yet expanded.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    pub key: String,
    pub value: Template<'static>,
    /// Counted from one; for a value of several lines the first.
    pub line: u32,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Entry");
        shown.field("key", &self.key).field("line", &self.line);
        shown.finish_non_exhaustive()
    }
}

/// Reads the text of a dotenv file.
#[must_use]
pub fn parse(text: &str) -> DotenvFile {
    let mut file = DotenvFile::default();
    if text.len() > MAX_BYTES {
        file.problems.push(DotenvProblem {
            line: 1,
            key: None,
            reason: Reason::FileTooLarge,
        });
        return file;
    }
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut line = 1;
    while !rest.is_empty() {
        let first = first_line(rest).trim_start_matches(BLANKS);
        let end = if first.is_empty() || first.starts_with('#') {
            first_line(rest).len()
        } else {
            file.read_entry(rest, line)
        };
        let (taken, remaining) = rest.split_at((end + 1).min(rest.len()));
        line += newlines(taken);
        rest = remaining;
    }
    file
}

impl DotenvFile {
    /// Reads the entry a text begins with, and gives the end of its last line.
    fn read_entry(&mut self, text: &str, line: u32) -> usize {
        let (key, value) = match assignment(text) {
            Ok(assignment) => assignment,
            Err((key, reason)) => {
                self.problems.push(DotenvProblem { line, key, reason });
                return first_line(text).len();
            }
        };
        let key = key.to_owned();
        match value.template {
            Ok(value) => self.entries.push(Entry { key, value, line }),
            Err(reason) => {
                let key = Some(key);
                self.problems.push(DotenvProblem { line, key, reason });
            }
        }
        value.end
    }
}

/// A value, good or bad, and where its last line ends.
struct Value {
    template: Result<Template<'static>, Reason>,
    end: usize,
}

/// Splits the assignment a text begins with.
fn assignment(text: &str) -> Result<(&str, Value), (Option<String>, Reason)> {
    // Without a `=` the line may be a piece of a value, so nothing of it is repeated.
    let Some((head, _)) = first_line(text).split_once('=') else {
        return Err((None, Reason::NotAnAssignment));
    };
    let key = without_export(head.trim_matches(BLANKS));
    if !is_variable_name(key) {
        return Err((shown_key(key), Reason::InvalidKey));
    }
    Ok((key, value(text, head.len() + 1)))
}

fn value(text: &str, start: usize) -> Value {
    let written = text[start..].trim_start_matches([' ', '\t']);
    let quote_at = text.len() - written.len();
    match written.bytes().next() {
        Some(quote @ (b'"' | b'\'')) => quoted(text, quote_at + 1, quote),
        _ => unquoted(text, start),
    }
}

fn unquoted(text: &str, start: usize) -> Value {
    let line = first_line(&text[start..]);
    let value = without_comment(line).trim_matches(BLANKS);
    Value {
        template: template(value.to_owned()),
        end: start + line.len(),
    }
}

fn quoted(text: &str, start: usize, quote: u8) -> Value {
    // The quote that seems to close this one may be meant to open another, so a value
    // that ends badly ends with its first line.
    let unfinished = |reason| Value {
        template: Err(reason),
        end: first_line(text).len(),
    };
    let Some(length) = quoted_length(&text[start..], quote) else {
        return unfinished(Reason::UnclosedQuote);
    };
    let after = start + length + 1;
    let tail = first_line(&text[after..]);
    if !without_comment(tail).trim_matches(BLANKS).is_empty() {
        return unfinished(Reason::TextAfterQuote);
    }
    let written = text[start..start + length].replace("\r\n", "\n");
    let template = match quote {
        b'"' => template(unescaped(&written)),
        _ => check_nul(&written).map(|()| Template::literal(written.replace("\\'", "'"))),
    };
    Value {
        template,
        end: after + tail.len(),
    }
}

/// How far it is to the closing quote. Single quotes know no escape but `\'`.
fn quoted_length(text: &str, quote: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        let byte = *bytes.get(at)?;
        if byte == quote {
            return Some(at);
        }
        let escapes = byte == b'\\' && (quote == b'"' || bytes.get(at + 1) == Some(&b'\''));
        at += if escapes { 2 } else { 1 };
    }
}

/// Turns the escapes of a double-quoted value into template text: `\$` becomes `$$`.
fn unescaped(written: &str) -> String {
    let mut out = String::with_capacity(written.len());
    let mut lone_dollar = false;
    let mut chars = written.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            lone_dollar = char == '$' && !lone_dollar;
            out.push(char);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some(escaped @ ('\\' | '"')) => out.push(escaped),
            // A lone `$` right before would pair up with the wrong one.
            Some('$') => out.push_str(if lone_dollar { "$$$" } else { "$$" }),
            Some(other) => out.extend(['\\', other]),
            None => out.push('\\'),
        }
        lone_dollar = false;
    }
    out
}

fn template(text: String) -> Result<Template<'static>, Reason> {
    check_nul(&text)?;
    Template::parse_with(text, Syntax::Variables).map_err(Reason::of_template)
}

fn check_nul(text: &str) -> Result<(), Reason> {
    if text.contains('\0') {
        return Err(Reason::NulCharacter);
    }
    Ok(())
}

/// The text up to a `#` that has a blank before it.
fn without_comment(line: &str) -> &str {
    let is_comment = |pair: &[u8]| matches!(pair, [b' ' | b'\t', b'#']);
    match line.as_bytes().windows(2).position(is_comment) {
        Some(blank) => &line[..blank],
        None => line,
    }
}

/// `KEY` of `export KEY`; a variable may itself be named `export`.
fn without_export(head: &str) -> &str {
    match head.strip_prefix("export") {
        Some(key) if key.starts_with([' ', '\t']) => key.trim_start_matches([' ', '\t']),
        _ => head,
    }
}

fn is_variable_name(key: &str) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !key.is_empty()
        && !key.starts_with(|first: char| first.is_ascii_digit())
        && key.bytes().all(is_name)
}

/// A key that may be repeated: anything that does not look like one could be a secret.
fn shown_key(key: &str) -> Option<String> {
    let is_key = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    let looks_like_a_key = (1..=MAX_SHOWN_KEY).contains(&key.len()) && key.bytes().all(is_key);
    looks_like_a_key.then(|| key.to_owned())
}

fn first_line(text: &str) -> &str {
    text.split_once('\n').map_or(text, |(line, _)| line)
}

fn newlines(text: &str) -> u32 {
    let count = text.bytes().filter(|byte| *byte == b'\n').count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

//! The parser: one pass over the bytes, linear in the text, nesting bounded.

use std::ops::Range;

use super::TemplateError;
use super::ast::{Part, Rule, RuleKind, Syntax};
use super::error::Fault;

/// How many `${…}` may stand within each other.
pub const MAX_NESTING: usize = 32;

pub(super) fn parse(text: &str, syntax: Syntax) -> Result<Vec<Part>, TemplateError> {
    let mut parser = Parser {
        text,
        at: 0,
        syntax,
    };
    parser.parts(0)
}

/// The template that gives a text as it is.
#[must_use]
pub fn escaped(text: &str) -> String {
    let parser = Parser {
        text,
        at: 0,
        syntax: Syntax::Full,
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['$', '{']) {
        let (before, special) = rest.split_at(at);
        let start = text.len() - special.len();
        out.push_str(before);
        let taken = if special.starts_with("${") {
            out.push_str("$${");
            2
        } else if special.starts_with('$') {
            out.push_str("$$");
            1
        } else if let Some(path) = parser.path_at(start + 1) {
            out.push_str(&format!("{{{{{}}}}}", &text[path.clone()]));
            path.len() + 2
        } else {
            out.push('{');
            1
        };
        rest = &special[taken..];
    }
    out.push_str(rest);
    out
}

struct Parser<'s> {
    text: &'s str,
    at: usize,
    syntax: Syntax,
}

/// The parts of one level, and the literal braces that are open in it.
#[derive(Default)]
struct Level {
    parts: Vec<Part>,
    open_braces: usize,
}

impl Level {
    fn push_text(&mut self, range: Range<usize>) {
        if let Some(Part::Text(last)) = self.parts.last_mut()
            && last.end == range.start
        {
            last.end = range.end;
        } else {
            self.parts.push(Part::Text(range));
        }
    }
}

impl Parser<'_> {
    /// Reads up to the end of the text or, within a word, up to the `}` that ends it.
    fn parts(&mut self, depth: usize) -> Result<Vec<Part>, TemplateError> {
        let mut level = Level::default();
        while let Some(byte) = self.peek(0) {
            match byte {
                b'$' => self.dollar(&mut level, depth)?,
                b'{' => self.brace(&mut level),
                b'}' if depth > 0 && level.open_braces == 0 => break,
                b'}' => {
                    level.open_braces = level.open_braces.saturating_sub(1);
                    self.take_text(&mut level, 1);
                }
                _ => {
                    let rest = &self.text.as_bytes()[self.at..];
                    let special = |byte: &u8| matches!(byte, b'$' | b'{' | b'}');
                    let length = rest.iter().position(special).unwrap_or(rest.len());
                    self.take_text(&mut level, length);
                }
            }
        }
        Ok(level.parts)
    }

    fn dollar(&mut self, level: &mut Level, depth: usize) -> Result<(), TemplateError> {
        match self.peek(1) {
            Some(b'{') => level.parts.push(self.variable(depth)?),
            Some(b'$') => {
                self.at += 1;
                if self.peek(1) == Some(b'{') {
                    // The brace belongs to the escape, or `$${A}` would hold a placeholder.
                    level.open_braces += 1;
                    self.take_text(level, 2);
                } else {
                    self.take_text(level, 1);
                }
            }
            _ => self.take_text(level, 1),
        }
        Ok(())
    }

    fn brace(&mut self, level: &mut Level) {
        if self.syntax == Syntax::Full {
            if let Some(path) = self.path_at(self.at + 1) {
                self.at = path.end + 1;
                level.parts.push(Part::Placeholder { path });
                return;
            }
            if let Some(path) = self.doubled_path_at(self.at) {
                self.at = path.end + 2;
                level.push_text(path.start - 1..path.end + 1);
                return;
            }
        }
        level.open_braces += 1;
        self.take_text(level, 1);
    }

    /// Reads `${…}`.
    fn variable(&mut self, depth: usize) -> Result<Part, TemplateError> {
        let opening = self.at;
        if depth == MAX_NESTING {
            return Err(self.expected(opening, "at most 32 levels of ${…}"));
        }
        self.at += 2;
        let name = self.at..self.at + name_length(&self.text.as_bytes()[self.at..]);
        if name.is_empty() {
            return Err(self.expected(name.start, "a variable name after ${"));
        }
        self.at = name.end;
        let rule = match self.peek(0) {
            Some(b'}') => None,
            _ => Some(self.rule(depth)?),
        };
        if self.peek(0).is_none() {
            let fault = Fault::Syntax {
                expected: "a } to close this ${",
                found: None,
            };
            return Err(TemplateError::new(self.text, opening, fault));
        }
        self.at += 1;
        Ok(Part::Variable { name, rule })
    }

    fn rule(&mut self, depth: usize) -> Result<Rule, TemplateError> {
        let empty_is_unset = self.peek(0) == Some(b':');
        self.at += usize::from(empty_is_unset);
        let kind = match self.peek(0) {
            Some(b'-') => RuleKind::Default,
            Some(b'?') => RuleKind::Required,
            Some(b'+') => RuleKind::Alternative,
            _ if empty_is_unset => return Err(self.expected(self.at, "-, ? or + after the colon")),
            _ => return Err(self.expected(self.at, "} or one of :- - :? ? :+ + after the name")),
        };
        self.at += 1;
        let start = self.at;
        let word = self.parts(depth + 1)?;
        Ok(Rule {
            kind,
            empty_is_unset,
            word,
            written: start..self.at,
        })
    }

    /// The path at `start`, if a `}` follows it.
    fn path_at(&self, start: usize) -> Option<Range<usize>> {
        let bytes = &self.text.as_bytes()[start..];
        let mut length = name_length(bytes);
        if length == 0 {
            return None;
        }
        while bytes.get(length) == Some(&b'.') {
            let part = &bytes[length + 1..];
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
            match part.iter().take_while(|byte| is_part(byte)).count() {
                0 => return None,
                part_length => length += 1 + part_length,
            }
        }
        (bytes.get(length) == Some(&b'}')).then(|| start..start + length)
    }

    /// The path of a `{{path}}` at `start`.
    fn doubled_path_at(&self, start: usize) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        if bytes.get(start + 1) != Some(&b'{') {
            return None;
        }
        let path = self.path_at(start + 2)?;
        (bytes.get(path.end + 1) == Some(&b'}')).then_some(path)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn take_text(&mut self, level: &mut Level, length: usize) {
        level.push_text(self.at..self.at + length);
        self.at += length;
    }

    fn expected(&self, offset: usize, expected: &'static str) -> TemplateError {
        let found = self.text[offset..].chars().next();
        TemplateError::new(self.text, offset, Fault::Syntax { expected, found })
    }
}

/// The length of the name `[A-Za-z_][A-Za-z0-9_]*` a text begins with.
fn name_length(bytes: &[u8]) -> usize {
    if bytes.first().is_none_or(u8::is_ascii_digit) {
        return 0;
    }
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    bytes.iter().take_while(|byte| is_name(byte)).count()
}

//! Statements and their blocks, as they stand in a function.

use std::ops::Range;

use super::expression::{Kind, is_keyword};
use super::string;
use super::text::Text;

/// More parameters are not usual.
const MAX_PARAMETERS: usize = 16;

impl Text<'_> {
    /// Over a function's name, parameters and result, if nothing but a body follows on lines of
    /// its own: where the parameters begin. Where there is anything else, the place stays.
    pub(super) fn parameters(&mut self) -> Option<usize> {
        let begin = *self;
        let parameters = self.plain_parameters();
        if parameters.is_none() {
            *self = begin;
        }
        parameters
    }

    fn plain_parameters(&mut self) -> Option<usize> {
        self.name()?;
        let begin = (self.peek() == b'(').then_some(self.at + 1)?;
        self.open();
        let mut names: [&[u8]; MAX_PARAMETERS] = [b""; MAX_PARAMETERS];
        let mut count = 0;
        let mut has_default = false;
        while !self.close(b')') {
            let name = self.word();
            self.name()?;
            if names[..count].contains(&name) {
                return None;
            }
            *names.get_mut(count)? = name;
            count += 1;
            if self.eat(b':') {
                self.expression()?;
            }
            let is_default = self.eat(b'=');
            if is_default {
                self.expression()?;
            } else if has_default {
                return None;
            }
            has_default = is_default;
            if !self.eat(b',') {
                self.close(b')').then_some(())?;
                break;
            }
        }
        if self.peek() == b'-' && self.ahead(1) == b'>' {
            self.step(2);
            self.expression()?;
        }
        self.expect(b':')?;
        self.end_line()?;
        Some(begin)
    }

    /// Over the body of a function whose first line is indented so far: what of it can be left
    /// out, which is all but a docstring.
    pub(super) fn body(&mut self, around: usize) -> Option<Range<usize>> {
        let indent = self.indent;
        if self.docstring()? && self.indent < indent {
            return (self.indent <= around).then_some(self.at..self.at);
        }
        let start = self.at;
        if self.indent != indent {
            return None;
        }
        self.block(indent)?;
        (self.indent <= around).then_some(start..self.line_end)
    }

    /// Over the statement here if it is a string and nothing else; whether it is.
    fn docstring(&mut self) -> Option<bool> {
        let word = self.word();
        let is_quote = matches!(self.ahead(word.len()), b'\'' | b'"');
        if !is_quote || string::prefix(word).is_none() {
            return Some(false);
        }
        let begin = *self;
        self.at += word.len();
        self.string(word)?;
        self.space();
        if self.end_line().is_some() {
            return Some(true);
        }
        *self = begin;
        Some(false)
    }

    /// Statements that are indented alike.
    fn block(&mut self, indent: usize) -> Option<()> {
        self.deeper(|text| {
            while text.indent == indent {
                text.statement(indent)?;
            }
            (text.indent < indent).then_some(())
        })
    }

    /// A colon, and a block of its own or a statement on the same line.
    fn suite(&mut self, indent: usize) -> Option<()> {
        self.expect(b':')?;
        if !matches!(self.peek(), b'\n' | b'#') {
            return self.simple();
        }
        self.end_line()?;
        if self.indent <= indent {
            return None;
        }
        self.block(self.indent)
    }

    fn statement(&mut self, indent: usize) -> Option<()> {
        let word = self.word();
        if !is_keyword(word) {
            self.assignment()?;
            return self.end_line();
        }
        match word {
            b"if" => self.conditional(b"if", indent),
            b"while" => {
                self.expect_word(b"while")?;
                self.named_expression()?;
                self.suite(indent)?;
                self.otherwise(indent)
            }
            b"for" => self.iteration(indent),
            b"with" => self.with(indent),
            b"try" => self.attempt(indent),
            b"async" => {
                self.expect_word(b"async")?;
                match self.word() {
                    b"for" => self.iteration(indent),
                    b"with" => self.with(indent),
                    _ => None,
                }
            }
            _ => self.simple(),
        }
    }

    /// Whether the statement goes on with this word, on the next line.
    fn goes_on(&mut self, word: &[u8], indent: usize) -> bool {
        self.indent == indent && self.eat_word(word)
    }

    fn conditional(&mut self, word: &[u8], indent: usize) -> Option<()> {
        self.expect_word(word)?;
        self.named_expression()?;
        self.suite(indent)?;
        while self.goes_on(b"elif", indent) {
            self.named_expression()?;
            self.suite(indent)?;
        }
        self.otherwise(indent)
    }

    fn otherwise(&mut self, indent: usize) -> Option<()> {
        if self.goes_on(b"else", indent) {
            self.suite(indent)?;
        }
        Some(())
    }

    fn iteration(&mut self, indent: usize) -> Option<()> {
        self.expect_word(b"for")?;
        self.targets()?;
        self.expect_word(b"in")?;
        self.expressions()?;
        self.suite(indent)?;
        self.otherwise(indent)
    }

    fn with(&mut self, indent: usize) -> Option<()> {
        self.expect_word(b"with")?;
        // The brackets may be around the whole list.
        if self.peek() == b'(' {
            return None;
        }
        loop {
            self.expression()?;
            if self.eat_word(b"as") && self.primary()? != Kind::Target {
                return None;
            }
            if !self.eat(b',') {
                return self.suite(indent);
            }
        }
    }

    fn attempt(&mut self, indent: usize) -> Option<()> {
        self.expect_word(b"try")?;
        self.suite(indent)?;
        let mut is_caught = false;
        let mut catches_all = false;
        while !catches_all && self.goes_on(b"except", indent) {
            is_caught = true;
            catches_all = self.peek() == b':';
            if !catches_all {
                self.expression()?;
                if self.eat_word(b"as") {
                    self.name()?;
                }
            }
            self.suite(indent)?;
        }
        if is_caught {
            self.otherwise(indent)?;
        }
        let is_finished = self.goes_on(b"finally", indent);
        if is_finished {
            self.suite(indent)?;
        }
        (is_caught || is_finished).then_some(())
    }

    /// A statement without a block, to the end of its line.
    fn simple(&mut self) -> Option<()> {
        let word = self.word();
        match word {
            b"return" => {
                self.expect_word(word)?;
                if !self.is_at_line_end() {
                    self.expressions()?;
                }
            }
            b"pass" | b"break" | b"continue" => self.expect_word(word)?,
            b"raise" => self.raise()?,
            b"assert" => {
                self.expect_word(word)?;
                self.expression()?;
                if self.eat(b',') {
                    self.expression()?;
                }
            }
            b"import" => self.import()?,
            b"from" => self.import_from()?,
            b"global" | b"nonlocal" => {
                self.expect_word(word)?;
                self.list(Self::name)?;
            }
            b"del" => {
                self.expect_word(word)?;
                self.list(|text| (text.primary()? == Kind::Target).then_some(()))?;
            }
            b"yield" => self.produce()?,
            _ => self.assignment()?,
        }
        self.end_line()
    }

    fn is_at_line_end(&self) -> bool {
        matches!(self.peek(), b'\n' | b'#') || self.is_at_end()
    }

    /// One or several, with commas between them.
    fn list(&mut self, mut one: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        one(self)?;
        while self.eat(b',') {
            one(self)?;
        }
        Some(())
    }

    fn raise(&mut self) -> Option<()> {
        self.expect_word(b"raise")?;
        if self.is_at_line_end() {
            return Some(());
        }
        self.expression()?;
        if self.eat_word(b"from") {
            self.expression()?;
        }
        Some(())
    }

    fn produce(&mut self) -> Option<()> {
        self.expect_word(b"yield")?;
        if self.eat_word(b"from") {
            self.expression()?;
        } else if !self.is_at_line_end() {
            self.expressions()?;
        }
        Some(())
    }

    fn import(&mut self) -> Option<()> {
        self.expect_word(b"import")?;
        self.list(|text| {
            text.dotted()?;
            text.renamed()
        })
    }

    fn import_from(&mut self) -> Option<()> {
        self.expect_word(b"from")?;
        let mut is_relative = false;
        while self.eat(b'.') {
            is_relative = true;
        }
        if !is_relative || self.word() != b"import" {
            self.dotted()?;
        }
        self.expect_word(b"import")?;
        let is_bracketed = self.peek() == b'(';
        if is_bracketed {
            self.open();
        }
        loop {
            self.name()?;
            self.renamed()?;
            if !self.eat(b',') || is_bracketed && self.peek() == b')' {
                break;
            }
        }
        (!is_bracketed || self.close(b')')).then_some(())
    }

    fn dotted(&mut self) -> Option<()> {
        self.name()?;
        while self.eat(b'.') {
            self.name()?;
        }
        Some(())
    }

    fn renamed(&mut self) -> Option<()> {
        if self.eat_word(b"as") {
            self.name()?;
        }
        Some(())
    }

    /// An expression, what is assigned to it, or how it is changed.
    fn assignment(&mut self) -> Option<()> {
        if self.may_be_keyword() {
            return None;
        }
        let mut kind = self.expressions()?;
        match self.peek() {
            b':' if kind == Kind::Target => {
                self.expect(b':')?;
                self.expression()?;
                if self.peek() == b'=' {
                    self.expect(b'=')?;
                    self.expression()?;
                }
            }
            b'=' => {
                while self.peek() == b'=' {
                    if kind == Kind::Value {
                        return None;
                    }
                    self.expect(b'=')?;
                    kind = self.expressions()?;
                }
            }
            byte if byte.is_ascii_punctuation() && byte != b'#' => {
                self.change(byte)?;
                if kind != Kind::Target {
                    return None;
                }
                self.expressions()?;
            }
            _ => {}
        }
        Some(())
    }

    /// Whether the statement may begin with a word that is a keyword in some places only.
    fn may_be_keyword(&self) -> bool {
        let word = self.word();
        let is_one = matches!(word, b"match" | b"case" | b"type" | b"lazy");
        let is_plain = match (self.ahead(word.len()), self.ahead(word.len() + 1)) {
            (b'.', _) => true,
            (b' ', b'=') => true,
            (b'(', _) => word == b"type",
            _ => false,
        };
        is_one && !is_plain
    }

    /// An operator with an equals sign.
    fn change(&mut self, byte: u8) -> Option<()> {
        let is_double = self.ahead(1) == byte;
        match byte {
            b'+' | b'-' | b'%' | b'@' | b'&' | b'|' | b'^' if !is_double => {}
            b'*' | b'/' => {}
            b'<' | b'>' if is_double => {}
            _ => return None,
        }
        self.at += 1 + usize::from(is_double);
        self.expect(b'=')
    }
}

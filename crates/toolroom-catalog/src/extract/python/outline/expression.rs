//! Expressions. Which operator binds closer is of no matter to whether they are well formed.

use super::string;
use super::text::Text;

/// What may be done with an expression.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    /// A name, an attribute or a part: it can be assigned to.
    Target,
    /// Several of them.
    Targets,
    Value,
}

pub(super) fn is_keyword(word: &[u8]) -> bool {
    // By length first: most words are compared with a few.
    match word.len() {
        2 => matches!(word, b"if" | b"in" | b"is" | b"or" | b"as"),
        3 => matches!(word, b"and" | b"def" | b"del" | b"for" | b"not" | b"try"),
        4 => matches!(
            word,
            b"None" | b"True" | b"elif" | b"else" | b"from" | b"pass" | b"with"
        ),
        5 => matches!(
            word,
            b"async" | b"await" | b"break" | b"class" | b"False" | b"raise" | b"while" | b"yield"
        ),
        6 => matches!(
            word,
            b"assert" | b"except" | b"global" | b"import" | b"lambda" | b"return"
        ),
        7 => word == b"finally",
        8 => matches!(word, b"continue" | b"nonlocal"),
        _ => false,
    }
}

impl Text<'_> {
    /// A name that is nobody's keyword.
    pub(super) fn name(&mut self) -> Option<()> {
        self.name_of(self.word())
    }

    /// As [`Self::name`], where the word is known.
    fn name_of(&mut self, word: &[u8]) -> Option<()> {
        let first = word.first()?;
        if first.is_ascii_digit() || is_keyword(word) {
            return None;
        }
        self.step(word.len());
        Some(())
    }

    /// One expression or several, with commas between them.
    pub(super) fn expressions(&mut self) -> Option<Kind> {
        let mut kind = self.expression()?;
        while self.eat(b',') {
            if !self.begins_expression() {
                return Some(several(kind));
            }
            let next = self.expression()?;
            kind = if next == Kind::Target {
                several(kind)
            } else {
                Kind::Value
            };
        }
        Some(kind)
    }

    /// Whether another expression follows a comma.
    fn begins_expression(&self) -> bool {
        !self.is_at_end() && !matches!(self.peek(), b'\n' | b'#' | b'=' | b')' | b']' | b'}' | b':')
    }

    /// An expression, or one that is given a name.
    pub(super) fn named_expression(&mut self) -> Option<Kind> {
        let sign = self.after_word();
        if self.ahead(sign) == b':' && self.ahead(sign + 1) == b'=' {
            self.name()?;
            self.step(2);
            self.expression()?;
            return Some(Kind::Value);
        }
        self.expression()
    }

    pub(super) fn expression(&mut self) -> Option<Kind> {
        self.deeper(|text| {
            if text.eat_word(b"lambda") {
                return text.lambda();
            }
            let kind = text.condition()?;
            if !text.eat_word(b"if") {
                return Some(kind);
            }
            text.condition()?;
            text.expect_word(b"else")?;
            text.expression()?;
            Some(Kind::Value)
        })
    }

    fn lambda(&mut self) -> Option<Kind> {
        // Its colon would end the expression.
        if self.in_interpolation() {
            return None;
        }
        while self.peek() != b':' {
            self.name()?;
            if !self.eat(b',') {
                break;
            }
        }
        self.expect(b':')?;
        self.expression()?;
        Some(Kind::Value)
    }

    /// Operands with operators between them.
    pub(super) fn condition(&mut self) -> Option<Kind> {
        let mut whole = None;
        loop {
            let mut is_plain = true;
            while self.eat_word(b"not") {
                is_plain = false;
            }
            let mut kind = self.operand()?;
            while self.operator()? {
                self.operand()?;
                kind = Kind::Value;
            }
            let is_last = !self.eat_word(b"and") && !self.eat_word(b"or");
            if is_last {
                return Some(whole.unwrap_or(if is_plain { kind } else { Kind::Value }));
            }
            whole = Some(Kind::Value);
        }
    }

    /// Over an operator between two operands, if there is one.
    fn operator(&mut self) -> Option<bool> {
        let (byte, next) = (self.peek(), self.ahead(1));
        let length = match byte {
            b'<' | b'>' | b'=' | b'!' if next == b'=' => {
                self.step(2);
                return Some(true);
            }
            b'+' | b'-' | b'%' | b'@' | b'&' | b'|' | b'^' => 1,
            b'*' | b'/' | b'<' | b'>' => 1 + usize::from(next == byte),
            b'i' | b'n' => return self.worded_operator(),
            _ => return Some(false),
        };
        // With an equals sign behind it, it changes what stands before it.
        let is_operator = self.ahead(length) != b'=';
        if is_operator {
            self.step(length);
        }
        Some(is_operator)
    }

    fn worded_operator(&mut self) -> Option<bool> {
        if self.eat_word(b"is") {
            self.eat_word(b"not");
            return Some(true);
        }
        if self.eat_word(b"not") {
            self.expect_word(b"in")?;
            return Some(true);
        }
        Some(self.eat_word(b"in"))
    }

    pub(super) fn step(&mut self, length: usize) {
        self.at += length;
        self.space();
    }

    pub(super) fn operand(&mut self) -> Option<Kind> {
        let mut is_plain = true;
        while matches!(self.peek(), b'-' | b'+' | b'~') {
            self.step(1);
            is_plain = false;
        }
        is_plain &= !self.eat_word(b"await");
        let kind = self.primary()?;
        Some(if is_plain { kind } else { Kind::Value })
    }

    /// An atom with its attributes, calls and parts.
    pub(super) fn primary(&mut self) -> Option<Kind> {
        let mut kind = self.atom()?;
        loop {
            kind = match self.peek() {
                b'.' => {
                    self.step(1);
                    self.name()?;
                    Kind::Target
                }
                b'(' => {
                    self.deeper(Self::arguments)?;
                    Kind::Value
                }
                b'[' => {
                    self.deeper(Self::parts)?;
                    Kind::Target
                }
                _ => return Some(kind),
            };
        }
    }

    fn atom(&mut self) -> Option<Kind> {
        match self.peek() {
            b'(' => self.deeper(|text| text.sequence(b')'))?,
            b'[' => self.deeper(|text| text.sequence(b']'))?,
            b'{' => self.deeper(Self::braces)?,
            b'\'' | b'"' => self.strings()?,
            b'0'..=b'9' => self.number()?,
            b'.' if self.ahead(1) == b'.' && self.ahead(2) == b'.' => self.step(3),
            _ => return self.worded(),
        }
        Some(Kind::Value)
    }

    /// A name, a constant or a string with a prefix.
    fn worded(&mut self) -> Option<Kind> {
        let word = self.word();
        if matches!(self.ahead(word.len()), b'\'' | b'"') {
            self.strings()?;
            return Some(Kind::Value);
        }
        if matches!(word, b"None" | b"True" | b"False") {
            self.step(word.len());
            return Some(Kind::Value);
        }
        self.name_of(word)?;
        Some(Kind::Target)
    }

    /// Strings side by side are one, all of bytes or all of text.
    fn strings(&mut self) -> Option<()> {
        let mut bytes = None;
        loop {
            let word = self.word();
            if !matches!(self.ahead(word.len()), b'\'' | b'"') {
                return bytes.map(|_| ());
            }
            let Some(prefix) = string::prefix(word) else {
                return bytes.map(|_| ());
            };
            if *bytes.get_or_insert(prefix.bytes) != prefix.bytes {
                return None;
            }
            self.at += word.len();
            self.string(word)?;
            self.space();
        }
    }

    /// A number in one of the usual ways.
    fn number(&mut self) -> Option<()> {
        let word = self.word();
        let is_decimal = word.iter().all(u8::is_ascii_digit);
        let is_hex = || {
            let digits = word.strip_prefix(b"0x").unwrap_or_default();
            !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit)
        };
        let is_grouped = || {
            let mut groups = word.split(|byte| *byte == b'_');
            word[0] != b'0'
                && groups.all(|group| !group.is_empty() && group.iter().all(u8::is_ascii_digit))
        };
        let is_number = if is_decimal {
            word == b"0" || word[0] != b'0'
        } else {
            is_hex() || is_grouped()
        };
        if !is_number {
            return None;
        }
        self.at += word.len();
        if is_decimal && self.peek() == b'.' {
            self.at += 1;
            let fraction = self.word();
            if !fraction.iter().all(u8::is_ascii_digit) || self.ahead(fraction.len()) == b'.' {
                return None;
            }
            self.at += fraction.len();
        }
        self.space();
        Some(())
    }
}

fn several(kind: Kind) -> Kind {
    match kind {
        Kind::Value => Kind::Value,
        Kind::Target | Kind::Targets => Kind::Targets,
    }
}

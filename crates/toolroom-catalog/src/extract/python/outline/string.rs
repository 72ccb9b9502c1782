//! Strings: where they end, and whether what is in them is well formed.

use super::text::{Text, table};

/// The letters before a string's quotes.
#[derive(Clone, Copy)]
pub(super) struct Prefix {
    raw: bool,
    pub(super) bytes: bool,
    interpolated: bool,
}

/// What the letters before a quote mean; none for a word that is no prefix.
pub(super) fn prefix(letters: &[u8]) -> Option<Prefix> {
    let has = |wanted: u8| letters.iter().any(|letter| letter | 0x20 == wanted);
    let is_prefix = match letters {
        [] => true,
        [one] => matches!(one | 0x20, b'r' | b'b' | b'f' | b'u'),
        [_, _] => has(b'r') && (has(b'b') || has(b'f')),
        _ => false,
    };
    is_prefix.then(|| Prefix {
        raw: has(b'r'),
        bytes: has(b'b'),
        interpolated: has(b'f'),
    })
}

/// A template string.
fn is_unknown(letters: &[u8]) -> bool {
    matches!(letters, [b't' | b'T'] | [b't' | b'T', _] | [_, b't' | b'T'])
}

struct Quotes {
    byte: u8,
    triple: bool,
    prefix: Prefix,
}

impl Text<'_> {
    /// Over a string from its first quote on, with the word in front of it.
    pub(super) fn string(&mut self, word: &[u8]) -> Option<()> {
        if is_unknown(word) {
            return None;
        }
        // `if"a"` is a keyword and a string.
        let prefix = prefix(word).or_else(|| prefix(b""))?;
        let byte = self.peek();
        let triple = self.ahead(1) == byte && self.ahead(2) == byte;
        self.at += if triple { 3 } else { 1 };
        let quotes = Quotes {
            byte,
            triple,
            prefix,
        };
        // Such a string may end the one around it, or not: that depends on Python's version.
        if self.quotes[quote_index(byte)] {
            return None;
        }
        while !self.ends(&quotes)? {}
        Some(())
    }

    /// Over what means nothing in any string.
    fn skip_plain(&mut self, quotes: &Quotes) {
        const IS_TELLING: [bool; 256] = telling();
        let is_plain = !quotes.prefix.interpolated && !quotes.prefix.bytes;
        if quotes.triple && is_plain {
            self.skip_blocks_without([quotes.byte, b'\\', 0, 0]);
        }
        self.skip_until(|byte| IS_TELLING[usize::from(byte)]);
    }

    /// One step within a string; whether it led out of it.
    fn ends(&mut self, quotes: &Quotes) -> Option<bool> {
        self.skip_plain(quotes);
        let byte = self.peek();
        if byte == quotes.byte {
            if !quotes.triple {
                self.at += 1;
                return Some(true);
            }
            let is_end = self.ahead(1) == byte && self.ahead(2) == byte;
            self.at += if is_end { 3 } else { 1 };
            return Some(is_end);
        }
        match byte {
            b'\\' => self.escape(quotes.prefix)?,
            b'\n' if !quotes.triple => return None,
            0 => return None,
            b'{' | b'}' if quotes.prefix.interpolated => self.brace(quotes.byte)?,
            _ if quotes.prefix.bytes && !byte.is_ascii() => return None,
            _ => self.at += 1,
        }
        Some(false)
    }

    fn escape(&mut self, prefix: Prefix) -> Option<()> {
        let escaped = self.ahead(1);
        let digits = match escaped {
            b'{' | b'}' if prefix.interpolated => return None,
            0 | 0x80.. => return None,
            _ if prefix.raw => 0,
            b'N' | b'U' | b'0'..=b'9' => return None,
            b'x' => 2,
            // Half of a pair is no character.
            b'u' if matches!(self.ahead(2), b'd' | b'D') => return None,
            b'u' => 4,
            _ => 0,
        };
        let mut is_hex = (0..digits).map(|digit| self.ahead(2 + digit).is_ascii_hexdigit());
        if !is_hex.all(|is| is) {
            return None;
        }
        self.at += 2 + digits;
        Some(())
    }

    /// A brace in an interpolated string: doubled, or around an expression.
    fn brace(&mut self, quote: u8) -> Option<()> {
        let byte = self.peek();
        if self.ahead(1) == byte {
            self.at += 2;
            return Some(());
        }
        if byte == b'}' {
            return None;
        }
        let around = self.quotes;
        self.quotes[quote_index(quote)] = true;
        self.at += 1;
        self.space();
        self.expression()?;
        self.eat(b'=');
        if self.peek() == b'!' {
            if !matches!(self.ahead(1), b'r' | b's' | b'a') {
                return None;
            }
            self.at += 2;
        }
        if self.peek() == b':' {
            self.format()?;
        }
        self.quotes = around;
        if self.peek() != b'}' {
            return None;
        }
        self.at += 1;
        Some(())
    }

    /// What follows the colon of a placeholder.
    fn format(&mut self) -> Option<()> {
        while self.peek() != b'}' {
            if matches!(self.peek(), b'{' | b'\'' | b'"' | b'\\' | b'\n' | 0) {
                return None;
            }
            self.at += 1;
        }
        Some(())
    }
}

/// What may mean something in a string, and what is not ASCII.
const fn telling() -> [bool; 256] {
    let mut is_telling = table(b"'\"\\\n{}\0");
    let mut byte = 0x80;
    while byte < is_telling.len() {
        is_telling[byte] = true;
        byte += 1;
    }
    is_telling
}

fn quote_index(quote: u8) -> usize {
    usize::from(quote == b'"')
}

//! A place in a text, and the steps that are the same in all of Python: blanks, lines, words.
//!
//! A step that returns an option gives up with `None`; the place is meaningless then.

/// Brackets, blocks and operands within each other. More are not usual.
const MAX_DEPTH: usize = 60;

#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    pub(super) at: usize,
    /// How far the line is indented on which the statement at hand begins.
    pub(super) indent: usize,
    /// Where the last line with a statement ended, before its comment and its line end.
    pub(super) line_end: usize,
    /// Open brackets: line ends mean nothing within them.
    pub(super) brackets: usize,
    /// The quotes of the interpolated strings around this place.
    pub(super) quotes: [bool; 2],
    depth: usize,
}

/// Which bytes are among these.
pub(super) const fn table(among: &[u8]) -> [bool; 256] {
    let mut is_among = [false; 256];
    let mut index = 0;
    while index < among.len() {
        is_among[among[index] as usize] = true;
        index += 1;
    }
    is_among
}

/// What is not ASCII is part of no word here, and no step takes it: such words are given up at.
pub(super) fn is_word(byte: u8) -> bool {
    const IS_WORD: [bool; 256] =
        table(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    IS_WORD[usize::from(byte)]
}

impl<'a> Text<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            at: 0,
            indent: 0,
            line_end: 0,
            brackets: 0,
            quotes: [false; 2],
            depth: 0,
        }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The byte this far ahead. Behind the end it is a zero, which no step takes.
    pub(super) fn ahead(&self, distance: usize) -> u8 {
        self.bytes.get(self.at + distance).copied().unwrap_or(0)
    }

    pub(super) fn peek(&self) -> u8 {
        self.ahead(0)
    }

    pub(super) fn in_interpolation(&self) -> bool {
        self.quotes != [false; 2]
    }

    /// Takes a step at one more level.
    pub(super) fn deeper<T>(&mut self, step: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let taken = step(self);
        self.depth -= 1;
        taken
    }

    /// To the next token: over blanks, and within brackets over lines and comments.
    #[inline]
    pub(super) fn space(&mut self) {
        if matches!(self.peek(), b' ' | b'\t' | b'\n' | b'#') {
            self.skip_space();
        }
    }

    fn skip_space(&mut self) {
        loop {
            match self.peek() {
                b' ' | b'\t' => self.at += 1,
                b'\n' if self.brackets > 0 && !self.in_interpolation() => self.at += 1,
                b'#' if self.brackets > 0 && !self.in_interpolation() => self.skip_comment(),
                _ => break,
            }
        }
    }

    fn skip_comment(&mut self) {
        self.skip_until(|byte| byte == b'\n');
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    pub(super) fn skip_until(&mut self, is_end: impl Fn(u8) -> bool) {
        let rest = self.rest();
        let length = rest.iter().position(|byte| is_end(*byte));
        self.at += length.unwrap_or(rest.len());
    }

    /// Over blocks of bytes of which none is one of these; many are looked at in one step.
    pub(super) fn skip_blocks_without(&mut self, wanted: [u8; 4]) {
        const BLOCK: usize = 16;
        let is_wanted = |byte: &u8| wanted.iter().fold(false, |is, one| is | (byte == one));
        let blocks = self.rest().chunks_exact(BLOCK);
        let without = blocks.take_while(|block| {
            let has = block.iter().fold(false, |has, byte| has | is_wanted(byte));
            !has
        });
        self.at += BLOCK * without.count();
    }

    /// The word here, empty if there is none.
    pub(super) fn word(&self) -> &'a [u8] {
        let rest = self.rest();
        let end = rest.iter().position(|byte| !is_word(*byte));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    /// The word that ends here.
    fn word_before(&self) -> &'a [u8] {
        let before = self.bytes.get(..self.at).unwrap_or_default();
        let begin = before.iter().rposition(|byte| !is_word(*byte));
        let begin = begin.map_or(0, |last| last + 1);
        before.get(begin..).unwrap_or_default()
    }

    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let is_here = self.peek() == byte;
        if is_here {
            self.at += 1;
            self.space();
        }
        is_here
    }

    pub(super) fn expect(&mut self, byte: u8) -> Option<()> {
        self.eat(byte).then_some(())
    }

    #[inline]
    pub(super) fn eat_word(&mut self, word: &[u8]) -> bool {
        if self.peek() != word[0] {
            return false;
        }
        let is_here = self.rest().starts_with(word) && !is_word(self.ahead(word.len()));
        if is_here {
            self.at += word.len();
            self.space();
        }
        is_here
    }

    pub(super) fn expect_word(&mut self, word: &[u8]) -> Option<()> {
        self.eat_word(word).then_some(())
    }

    /// Goes into a bracket.
    pub(super) fn open(&mut self) {
        self.at += 1;
        self.brackets += 1;
        self.space();
    }

    /// Whether the bracket ends here; goes out of it.
    pub(super) fn close(&mut self, bracket: u8) -> bool {
        let is_here = self.peek() == bracket;
        if is_here {
            self.at += 1;
            self.brackets -= 1;
            self.space();
        }
        is_here
    }

    /// Ends a statement with its line, and goes to the next statement.
    pub(super) fn end_line(&mut self) -> Option<()> {
        self.line_end = self.at;
        if self.peek() == b'#' {
            self.skip_comment();
        }
        match self.peek() {
            b'\n' => self.at += 1,
            _ if self.is_at_end() => {}
            _ => return None,
        }
        self.next_line()
    }

    /// From the beginning of a line to the next line with a statement.
    pub(super) fn next_line(&mut self) -> Option<()> {
        loop {
            let begin = self.at;
            self.skip_until(|byte| byte != b' ');
            match self.peek() {
                b'#' => self.skip_comment(),
                b'\n' => self.at += 1,
                // How far a tab reaches is a matter for the parser.
                b'\t' | b'\x0c' | b'\\' => return None,
                _ if self.is_at_end() => {
                    self.indent = 0;
                    return Some(());
                }
                _ => {
                    self.indent = self.at - begin;
                    return Some(());
                }
            }
        }
    }

    /// Over the rest of a statement, or of what stands before its block, to the next statement.
    pub(super) fn skip_line(&mut self) -> Option<()> {
        const IS_TELLING: [bool; 256] = table(b"\n#()[]{}'\"\\");
        loop {
            self.skip_until(|byte| IS_TELLING[usize::from(byte)]);
            match self.peek() {
                b'\n' | b'#' if self.brackets == 0 => return self.end_line(),
                b'#' => self.skip_comment(),
                b'(' | b'[' | b'{' => {
                    self.at += 1;
                    self.brackets += 1;
                }
                b')' | b']' | b'}' => {
                    self.at += 1;
                    self.brackets = self.brackets.checked_sub(1)?;
                }
                b'\'' | b'"' => self.string(self.word_before())?,
                b'\\' if self.ahead(1) == b'\n' => self.at += 2,
                b'\\' => return None,
                b'\n' => self.at += 1,
                // The end.
                _ => return self.end_line(),
            }
        }
    }
}

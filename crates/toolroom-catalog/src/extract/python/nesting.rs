//! Refuses text that nests too deep, before a parser sees it.
//!
//! A syntax tree is freed by recursion, so its depth must be bounded by what a stack holds.
//! The scan never finds less depth than the parser would build; where it loses track (a broken
//! f-string), it takes all that follows for one expression. Knows tokens, not grammar.

/// No expression nests deeper, and no line is indented further.
pub(super) const MAX_DEPTH: usize = 1000;

/// The byte offset at which the text nests deeper than [`MAX_DEPTH`], if it does.
pub(super) fn too_deep_at(source: &str) -> Option<usize> {
    if let Some(offset) = indented_too_far(source) {
        return Some(offset);
    }
    // Fewer links than the limit cannot chain beyond it: most files end here, and short ones
    // at a cheaper look.
    let bytes = source.as_bytes();
    if bytes.len() < MAX_DEPTH * 4 && count(bytes, may_link) <= MAX_DEPTH
        || count_links(bytes) <= MAX_DEPTH
    {
        return None;
    }
    Scanner::new(source.as_bytes()).run()
}

/// Each block is indented by one more character at least.
fn indented_too_far(source: &str) -> Option<usize> {
    // A line indented so far leaves half as many bytes blank, wherever they are counted from.
    let mut parts = source.as_bytes().chunks_exact(MAX_DEPTH / 2);
    if !parts.any(|part| part.iter().copied().all(is_blank)) {
        return None;
    }
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        let is_long = line.len() > MAX_DEPTH;
        if is_long && line.bytes().take(MAX_DEPTH + 1).all(is_blank) {
            return Some(start);
        }
        start += line.len();
    }
    None
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\x0c')
}

/// Brackets and operators that put one expression inside another.
fn is_link(byte: u8) -> bool {
    const LINKS: [u8; 16] = *b"([{+-*/%@&|^~<>.";
    LINKS.iter().fold(false, |is, link| is | (byte == *link))
}

/// Whether a linking keyword may stand here: `if`, `else` and `not` by their first letters,
/// `async`, `await`, `lambda` and `yield` by one that is rare.
fn is_keyword(byte: u8, next: u8) -> bool {
    let is_rare = (byte == b'y') | (byte == b'w') | (byte == b'b');
    let begins = |first: u8, second: u8| (byte == first) & (next == second);
    is_rare | begins(b'i', b'f') | begins(b'e', b'l') | begins(b'n', b'o')
}

/// Whether a byte is among some that include every link, and are told in fewer steps.
fn may_link(byte: u8) -> bool {
    let is_within = |byte: u8, first: u8, last: u8| byte.wrapping_sub(first) <= last - first;
    is_within(byte, b'%', b'/') | is_within(byte, b'<', b'@') | is_within(byte | 0x20, b'{', b'~')
}

/// An upper bound for the links in a text, in strings and comments too.
fn count_links(bytes: &[u8]) -> usize {
    count(bytes, is_link)
}

/// Counts links and linking keywords. Every file is counted: there are no branches and only
/// bytes are added, so that many are looked at in one step.
fn count(bytes: &[u8], is_link: impl Fn(u8) -> bool) -> usize {
    /// Their count fits a byte.
    const STEP: usize = 128;
    let Some(following) = bytes.get(1..) else {
        return 0;
    };
    let pairs = bytes.chunks(STEP).zip(following.chunks(STEP));
    let links: usize = pairs
        .map(|(bytes, following)| {
            let mut links = 0_u8;
            for (byte, next) in bytes.iter().zip(following) {
                links += u8::from(is_link(*byte) | is_keyword(*byte, *next));
            }
            usize::from(links)
        })
        .sum();
    // The last byte has none after it.
    links + 1
}

/// What an open construct ends with.
#[derive(Clone, Copy, PartialEq)]
enum Close {
    /// The whole text.
    File,
    Bracket(u8),
    /// A placeholder of an interpolated string.
    Placeholder,
    /// The part of a placeholder after its colon; ends with the placeholder.
    Format,
    Quote {
        byte: u8,
        triple: bool,
        raw: bool,
    },
}

struct Level {
    close: Close,
    /// Operators since the last comma.
    links: usize,
    /// Keywords whose operand a comma does not end.
    lasting: usize,
}

struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    levels: Vec<Level>,
    /// The levels, and all that is linked in each of them.
    depth: usize,
    /// Nothing is trusted to be a string, a comment or an end any more.
    lost: bool,
}

impl<'a> Scanner<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let file = Level {
            close: Close::File,
            links: 0,
            lasting: 0,
        };
        Self {
            bytes,
            at: 0,
            levels: vec![file],
            depth: 0,
            lost: false,
        }
    }

    fn run(mut self) -> Option<usize> {
        while self.at < self.bytes.len() {
            match self.close() {
                _ if self.lost => {
                    self.depth += count_links(&self.bytes[self.at..]);
                    return (self.depth > MAX_DEPTH).then_some(self.at);
                }
                Close::Quote { .. } => self.quoted(),
                Close::Format => self.format(),
                _ => self.code(),
            }
            if self.depth > MAX_DEPTH {
                return Some(self.at.min(self.bytes.len()));
            }
        }
        None
    }

    fn close(&self) -> Close {
        self.levels.last().map_or(Close::File, |level| level.close)
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn open(&mut self, close: Close) {
        self.levels.push(Level {
            close,
            links: 0,
            lasting: 0,
        });
        self.depth += 1;
    }

    /// Ends the innermost level; what it was is one link of the level around it.
    fn end(&mut self) {
        if self.levels.len() > 1
            && let Some(level) = self.levels.pop()
        {
            self.depth -= 1 + level.links + level.lasting;
            self.link();
        }
    }

    fn link(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.links += 1;
            self.depth += 1;
        }
    }

    fn in_quotes(&self) -> bool {
        self.levels
            .iter()
            .any(|level| matches!(level.close, Close::Quote { .. }))
    }

    /// One token of code.
    fn code(&mut self) {
        let Some(byte) = self.peek(0) else { return };
        match byte {
            b'#' => self.skip_to_line_end(),
            b'\'' | b'"' => self.string(b""),
            b'(' => self.bracket(b')'),
            b'[' => self.bracket(b']'),
            b'{' => self.bracket(b'}'),
            b')' | b']' | b'}' => self.closing(byte),
            b'\n' => {
                self.at += 1;
                self.line_end();
            }
            // The next line goes on with this one.
            b'\\' if self.peek(1) == Some(b'\n') => self.at += 2,
            b',' => {
                self.at += 1;
                if let Some(level) = self.levels.last_mut() {
                    self.depth -= level.links;
                    level.links = 0;
                }
            }
            b':' if self.close() == Close::Placeholder => {
                self.at += 1;
                self.open(Close::Format);
            }
            _ if is_word(byte) => self.word(),
            _ => {
                self.at += 1;
                if is_link(byte) {
                    self.link();
                }
            }
        }
    }

    fn bracket(&mut self, close: u8) {
        self.at += 1;
        self.open(Close::Bracket(close));
    }

    fn closing(&mut self, byte: u8) {
        self.at += 1;
        match self.close() {
            Close::Bracket(expected) if expected == byte => self.end(),
            Close::Placeholder if byte == b'}' => self.end(),
            _ => self.lost |= self.in_quotes(),
        }
    }

    /// A line's end ends what it holds, unless a bracket is open.
    fn line_end(&mut self) {
        if let [file] = self.levels.as_mut_slice() {
            file.links = 0;
            file.lasting = 0;
            self.depth = 0;
        }
    }

    fn skip_to_line_end(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    fn word(&mut self) {
        let start = self.at;
        while self.peek(0).is_some_and(is_word) {
            self.at += 1;
        }
        let word = &self.bytes[start..self.at];
        if matches!(self.peek(0), Some(b'\'' | b'"')) {
            if word[0].is_ascii_digit() {
                // A number and a prefix may touch (`1f""`): not worth telling apart.
                self.lost = true;
            } else {
                self.string(word);
            }
        }
        // A number may touch the keyword after it, as in `1if`.
        let is =
            |keyword: &[u8]| word == keyword || word[0].is_ascii_digit() && word.ends_with(keyword);
        if is(b"lambda") || is(b"yield") {
            if let Some(level) = self.levels.last_mut() {
                level.lasting += 1;
                self.depth += 1;
            }
        } else if [&b"not"[..], b"await", b"async", b"if", b"else"]
            .into_iter()
            .any(is)
        {
            self.link();
        }
    }

    /// A string's opening quote, and the whole string unless it has placeholders.
    fn string(&mut self, prefix: &[u8]) {
        let Some(byte) = self.peek(0) else { return };
        let triple = self.peek(1) == Some(byte) && self.peek(2) == Some(byte);
        self.at += if triple { 3 } else { 1 };
        let has = |letter: u8| {
            prefix.len() <= 2 && prefix.iter().any(|byte| byte.eq_ignore_ascii_case(&letter))
        };
        if has(b'f') || has(b't') {
            let raw = has(b'r');
            self.open(Close::Quote { byte, triple, raw });
            return;
        }
        let start = self.at;
        loop {
            match self.peek(0) {
                Some(b'\\') => self.at += 2,
                Some(b'\n') if !triple => break,
                Some(found) if found == byte && self.at_quote(byte, triple) => {
                    self.at += if triple { 3 } else { 1 };
                    return;
                }
                Some(_) => self.at += 1,
                None => break,
            }
        }
        if self.in_quotes() {
            self.lost = true;
            self.at = start;
        }
    }

    fn at_quote(&self, byte: u8, triple: bool) -> bool {
        self.peek(0) == Some(byte)
            && (!triple || self.peek(1) == Some(byte) && self.peek(2) == Some(byte))
    }

    /// One step through the text of an interpolated string.
    fn quoted(&mut self) {
        let Close::Quote { byte, triple, raw } = self.close() else {
            return;
        };
        match self.peek(0) {
            Some(b'\\') if !raw && self.peek(1) == Some(b'N') && self.peek(2) == Some(b'{') => {
                self.at += 3;
            }
            // In raw text, too, a backslash keeps a quote from closing; a brace it leaves alone.
            Some(b'\\') if matches!(self.peek(1), Some(b'{' | b'}')) => self.at += 1,
            Some(b'\\') => self.at += 2,
            Some(b'{') if self.peek(1) == Some(b'{') => self.at += 2,
            Some(b'{') => {
                self.at += 1;
                self.open(Close::Placeholder);
            }
            Some(b'\n') if !triple => self.lost = true,
            Some(_) if self.at_quote(byte, triple) => {
                self.at += if triple { 3 } else { 1 };
                self.end();
            }
            _ => self.at += 1,
        }
    }

    /// One step through a placeholder's format.
    fn format(&mut self) {
        match self.peek(0) {
            Some(b'}') => {
                self.at += 1;
                self.end();
                self.end();
            }
            Some(b'{') => {
                self.at += 1;
                self.open(Close::Placeholder);
            }
            // The string may end here, or its text go on: both have been seen.
            Some(b'\'' | b'"' | b'\\' | b'\n') => self.lost = true,
            _ => self.at += 1,
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::super::tests::NESTING;
    use super::*;

    #[test]
    fn ordinary_long_files_are_not_too_deep() {
        let cases = [
            "x = a.b(c)[d] + 1\n".repeat(5000),
            "TABLE = [\n".to_owned()
                + &"  {'a': -1, 'b': [1, 2], 'c': f(x).y},\n".repeat(5000)
                + "]\n",
            "# (((((((((((((((\n\"\"\" [[[[[[ \"\"\"\nx = '((((('\n".repeat(1000),
            "s = f\"{a[\"k\"]:>{width}} {{ {b!r:x} \\N{DASH} {c['[']}\" + rf'{x}\\{y}'\n"
                .repeat(1000),
            "t = f'''\n{a:%H:%M}\n[[[[ {{ '''\n".repeat(1000),
            "v = [x if y else z,\n".to_owned() + &"x if not y else -z,\n".repeat(2000) + "]\n",
        ];
        for source in cases {
            assert_eq!(too_deep_at(&source), None, "{}", &source[..60]);
        }
    }

    #[test]
    fn every_link_is_seen_at_the_cheaper_look() {
        for byte in 0..=u8::MAX {
            assert!(may_link(byte) || !is_link(byte), "{byte}");
        }
    }

    #[test]
    fn whatever_nests_deep_is_found() {
        for unit in NESTING {
            let source = format!("x = {}", unit.repeat(3000));
            assert!(too_deep_at(&source).is_some(), "{unit:?}");
        }
    }

    #[test]
    fn a_broken_f_string_hides_nothing() {
        let deep = "[".repeat(3000);
        for opening in [
            "f'''{x'''\n",
            "f\"{x\"\n}",
            "f\"{x:\"",
            "f'{(}'",
            "f\"{d['}\"",
            "f'\n",
            "1f'",
        ] {
            assert!(
                too_deep_at(&format!("{opening}{deep}")).is_some(),
                "{opening:?}"
            );
        }
    }

    #[test]
    fn a_stray_backslash_hides_nothing() {
        for unit in ["\\[", "\\f'{", "\\'' ["] {
            assert!(too_deep_at(&unit.repeat(3000)).is_some(), "{unit:?}");
        }
    }

    #[test]
    fn a_line_indented_too_far_is_found() {
        let source = format!("if x:\n{}pass\n", " ".repeat(MAX_DEPTH + 1));
        assert_eq!(too_deep_at(&source), Some(6));
    }
}

//! Cuts text into the words that are searched for.
//!
//! One rule for names, prose and code: lower case without accents, `snake_case`, `camelCase`
//! and `kebab-case` parted and also kept whole, plurals made singular. Scripts written
//! without spaces give pairs of neighbouring characters.

use std::collections::HashMap;

/// A longer word is not one: a hash, a key, a picture in base 64.
const MAX_LETTERS: usize = 40;

/// The most different words kept of one file.
const MAX_CONTENT_WORDS: usize = 512;

/// What is read of one file; the head of a file says what it is about.
const MAX_CONTENT_BYTES: usize = 256 * 1024;

/// One word of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    /// The words of one identifier as one: so many of the words just before.
    Joined(usize),
    /// A single character of a script without spaces.
    Character,
}

/// The words of a text in their order, identifiers also as a whole.
#[must_use]
pub fn tokens(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each(text, &mut |token| {
        if token.kind != Kind::Character {
            words.push(token.text.to_owned());
        }
    });
    words
}

/// The words of a file and how often each is there, sorted by word.
///
/// Numbers and words that every program has are left out; of too many words the most
/// frequent are kept.
#[must_use]
pub fn content_tokens(text: &str) -> Vec<(String, u32)> {
    let mut end = text.len().min(MAX_CONTENT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut counts: HashMap<String, u32> = HashMap::new();
    each(text.get(..end).unwrap_or_default(), &mut |token| {
        let is_number = token.text.bytes().all(|byte| byte.is_ascii_digit());
        if token.kind == Kind::Character || is_number || is_common(token.text) {
            return;
        }
        if let Some(count) = counts.get_mut(token.text) {
            *count = count.saturating_add(1);
        } else {
            counts.insert(token.text.to_owned(), 1);
        }
    });
    let mut words: Vec<_> = counts.into_iter().collect();
    words.sort_unstable_by(|(a, many), (b, few)| few.cmp(many).then_with(|| a.cmp(b)));
    words.truncate(MAX_CONTENT_WORDS);
    words.sort_unstable();
    words
}

/// Calls for every word of a text, without keeping any.
pub(super) fn each(text: &str, found: &mut dyn FnMut(Token<'_>)) {
    let mut cutter = Cutter {
        part: String::new(),
        whole: String::new(),
        parts: 0,
        words: 0,
        found,
    };
    let mut before: Option<char> = None;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let class = Class::of(letter);
        if class == Class::Mark {
            continue;
        }
        if class == Class::Spaceless {
            cutter.end_identifier();
            cutter.spaceless(letter, before, letters.peek().copied());
        } else if class == Class::Other {
            cutter.end_part();
            if !matches!(letter, '_' | '-') {
                cutter.end_identifier();
            }
        } else {
            if begins_part(before, class, letters.peek().copied()) {
                cutter.end_part();
            }
            fold(letter, &mut cutter.part);
        }
        before = Some(letter);
    }
    cutter.end_identifier();
}

/// Whether a new part of an identifier begins with a character of this class.
fn begins_part(before: Option<char>, class: Class, after: Option<char>) -> bool {
    let Some(before) = before.map(Class::of) else {
        return false;
    };
    match (before, class) {
        (Class::Digit, Class::Upper | Class::Lower)
        | (Class::Upper | Class::Lower, Class::Digit)
        | (Class::Lower, Class::Upper) => true,
        // The last capital of a run begins the next word: `HTTPServer`.
        (Class::Upper, Class::Upper) => after.is_some_and(|after| Class::of(after) == Class::Lower),
        _ => false,
    }
}

struct Cutter<'f> {
    part: String,
    whole: String,
    parts: usize,
    words: usize,
    found: &'f mut dyn FnMut(Token<'_>),
}

impl Cutter<'_> {
    fn end_part(&mut self) {
        if self.part.is_empty() {
            return;
        }
        self.whole.push_str(&self.part);
        self.parts += 1;
        self.words += usize::from(emit(&self.part, Kind::Word, self.found));
        self.part.clear();
    }

    fn end_identifier(&mut self) {
        self.end_part();
        if self.parts > 1 {
            let kind = match self.words {
                0 => Kind::Word,
                words => Kind::Joined(words),
            };
            emit(&self.whole, kind, self.found);
        }
        self.whole.clear();
        self.parts = 0;
        self.words = 0;
    }

    /// A character with its neighbour before it; one that has no neighbours is a word.
    fn spaceless(&mut self, letter: char, before: Option<char>, after: Option<char>) {
        let is_spaceless = |letter: char| Class::of(letter) == Class::Spaceless;
        let before = before.filter(|before| is_spaceless(*before));
        let is_alone = before.is_none() && !after.is_some_and(is_spaceless);
        let mut pair = String::with_capacity(8);
        pair.push(letter);
        let kind = if is_alone {
            Kind::Word
        } else {
            Kind::Character
        };
        (self.found)(Token { text: &pair, kind });
        if let Some(before) = before {
            pair.insert(0, before);
            (self.found)(Token {
                text: &pair,
                kind: Kind::Word,
            });
        }
    }
}

/// Hands on a word in its singular, if it is one that says something.
fn emit(word: &str, kind: Kind, found: &mut dyn FnMut(Token<'_>)) -> bool {
    let is_short = word.len() <= MAX_LETTERS || word.chars().nth(MAX_LETTERS).is_none();
    let has_length = is_short && word.chars().nth(1).is_some();
    match singular(word) {
        _ if !has_length => {}
        Some((text, "")) => found(Token { text, kind }),
        Some((stem, ending)) => found(Token {
            text: &format!("{stem}{ending}"),
            kind,
        }),
        None => found(Token { text: word, kind }),
    }
    has_length
}

/// The stem and ending of an English plural's singular.
fn singular(word: &str) -> Option<(&str, &'static str)> {
    const SINGULARS: [&str; 6] = ["alias", "canvas", "dns", "https", "redis", "series"];
    let stem = word.strip_suffix('s')?;
    if word.len() < 4 || !word.is_ascii() || SINGULARS.contains(&word) {
        return None;
    }
    if stem.ends_with(['s', 'u', 'i']) {
        return None;
    }
    match stem.strip_suffix('e') {
        Some(stem) if stem.len() > 2 && stem.ends_with('i') => Some((stem.strip_suffix('i')?, "y")),
        Some("cach") => Some((stem, "")),
        Some("alias") => Some(("alias", "")),
        Some(stem)
            if ["ss", "sh", "ch", "x"]
                .iter()
                .any(|end| stem.ends_with(end)) =>
        {
            Some((stem, ""))
        }
        _ => Some((stem, "")),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// A letter of a script that puts no spaces between words.
    Spaceless,
    /// An accent that stands on its own.
    Mark,
    Other,
}

impl Class {
    fn of(letter: char) -> Self {
        match letter {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Digit,
            '\0'..='\u{7f}' => Self::Other,
            '\u{300}'..='\u{36f}' => Self::Mark,
            // The signs of India's scripts are no letters by themselves, but part of words.
            '\u{900}'..='\u{963}' | '\u{966}'..='\u{dff}' => Self::Lower,
            '\u{e00}'..='\u{eff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{3041}'..='\u{30ff}'
            | '\u{3400}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}'
                if letter.is_alphanumeric() || is_sign(letter) =>
            {
                Self::Spaceless
            }
            _ if letter.is_numeric() => Self::Digit,
            _ if letter.is_uppercase() => Self::Upper,
            _ if letter.is_alphabetic() => Self::Lower,
            _ => Self::Other,
        }
    }
}

/// Vowel and tone signs of Thai, Lao, Burmese and Khmer.
fn is_sign(letter: char) -> bool {
    matches!(letter, '\u{e31}'..='\u{e4e}' | '\u{eb1}'..='\u{ecd}' | '\u{1000}'..='\u{103e}' | '\u{1780}'..='\u{17d3}')
}

/// Adds a letter in lower case, without the accents and widths people leave out in a search.
fn fold(letter: char, word: &mut String) {
    if letter.is_ascii() {
        word.push(letter.to_ascii_lowercase());
        return;
    }
    for letter in letter.to_lowercase() {
        match letter {
            'à'..='å' | 'ā' | 'ă' | 'ą' => word.push('a'),
            'æ' => word.push_str("ae"),
            'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => word.push('c'),
            'ď' | 'đ' => word.push('d'),
            'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => word.push('e'),
            'ё' => word.push('е'),
            'ĝ' | 'ğ' | 'ġ' | 'ģ' => word.push('g'),
            'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => word.push('i'),
            'ĺ' | 'ļ' | 'ľ' | 'ł' => word.push('l'),
            'ñ' | 'ń' | 'ņ' | 'ň' => word.push('n'),
            'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => word.push('o'),
            'œ' => word.push_str("oe"),
            'ŕ' | 'ŗ' | 'ř' => word.push('r'),
            'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => word.push('s'),
            'ß' => word.push_str("ss"),
            'ţ' | 'ť' | 'ț' => word.push('t'),
            'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => word.push('u'),
            'ý' | 'ÿ' => word.push('y'),
            'ź' | 'ż' | 'ž' => word.push('z'),
            'ς' => word.push('σ'),
            '\u{ff01}'..='\u{ff5e}' => {
                word.extend(char::from_u32(u32::from(letter) - 0xfee0));
            }
            '\u{300}'..='\u{36f}' => {}
            other => word.push(other),
        }
    }
}

/// A text's letters and digits alone, folded as the words of a search are.
pub(super) fn compact(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in text.chars() {
        if !matches!(Class::of(letter), Class::Other | Class::Mark) {
            fold(letter, &mut folded);
        }
    }
    folded
}

/// Whether a text is this, its separators aside.
pub(super) fn is_compact(text: &str, compact: &str) -> bool {
    let mut rest = compact;
    let mut folded = String::new();
    for letter in text.chars() {
        if matches!(Class::of(letter), Class::Other | Class::Mark) {
            continue;
        }
        folded.clear();
        fold(letter, &mut folded);
        match rest.strip_prefix(folded.as_str()) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    rest.is_empty()
}

/// Words that tell no file from another.
fn is_common(word: &str) -> bool {
    COMMON.binary_search(&word).is_ok()
}

/// Sorted, to be found by halving.
const COMMON: [&str; 62] = [
    "and", "are", "arg", "args", "as", "async", "await", "be", "bool", "break", "by", "case",
    "catch", "class", "const", "continue", "def", "default", "do", "echo", "elif", "else", "end",
    "except", "export", "false", "final", "fn", "for", "from", "func", "function", "if", "import",
    "in", "int", "is", "it", "let", "new", "nil", "none", "not", "null", "of", "on", "or", "pass",
    "print", "pub", "return", "self", "str", "the", "then", "this", "to", "true", "try", "var",
    "while", "with",
];

#[cfg(test)]
mod tests {
    use super::COMMON;

    #[test]
    fn the_common_words_are_sorted() {
        assert!(COMMON.is_sorted());
    }
}

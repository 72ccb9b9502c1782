//! Understands the words of a query: what must be found, and what may stand for it.

use super::tokens::{Kind, compact, each};

/// More words than this narrow nothing any more.
const MAX_WORDS: usize = 16;

const MAX_BYTES: usize = 1000;

/// A query's words, and the texts that count as finding them.
pub(super) struct Query {
    /// The words in their order, each once.
    pub(super) words: Vec<String>,
    pub(super) terms: Vec<Term>,
    /// The query as it is, for an exact id.
    pub(super) literal: String,
    /// The query without its separators, for an exact name.
    pub(super) compact: String,
}

/// A word an entry may have.
pub(super) struct Term {
    pub(super) text: String,
    /// The query's words it stands for, one bit each.
    pub(super) covers: u32,
    /// How much finding it is worth, at most 1.
    pub(super) worth: f64,
}

impl Query {
    /// `None` if there is nothing to look for.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut end = text.len().min(MAX_BYTES);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let text = text.get(..end).unwrap_or_default().trim();
        let mut words = Words::read(text, is_small);
        if words.distinct.is_empty() {
            words = Words::read(text, |_| false);
        }
        let compact = compact(text);
        if words.distinct.is_empty() && !compact.is_empty() {
            words.push(&compact);
        }
        if words.distinct.is_empty() {
            return None;
        }
        Some(Self {
            terms: words.terms(),
            words: words.distinct,
            literal: text.to_lowercase(),
            compact,
        })
    }

    /// Adds further texts that stand for a word; one that is a term already is kept as it is.
    pub(super) fn add(&mut self, terms: Vec<Term>) {
        for new in terms {
            match self.terms.iter_mut().find(|term| term.text == new.text) {
                Some(term) => term.covers |= new.covers,
                None => self.terms.push(new),
            }
        }
    }

    /// The bits of all words.
    pub(super) fn all(&self) -> u32 {
        (1_u32 << self.words.len().min(MAX_WORDS)) - 1
    }
}

#[derive(Default)]
struct Words {
    distinct: Vec<String>,
    /// Every word of the query by its index above; `None` for one that is left out.
    sequence: Vec<Option<usize>>,
    joined: Vec<(String, u32)>,
}

impl Words {
    fn read(text: &str, left_out: fn(&str) -> bool) -> Self {
        let mut words = Self::default();
        each(text, &mut |token| match token.kind {
            Kind::Word if left_out(token.text) => words.sequence.push(None),
            Kind::Word => words.push(token.text),
            Kind::Joined(count) => {
                let start = words.sequence.len().saturating_sub(count);
                let covers = bits(words.sequence.iter().skip(start));
                words.joined.push((token.text.to_owned(), covers));
            }
            Kind::Character => {}
        });
        words
    }

    fn push(&mut self, word: &str) {
        let known = self.distinct.iter().position(|other| other == word);
        let index = known.or_else(|| {
            let has_room = self.distinct.len() < MAX_WORDS;
            has_room.then(|| {
                self.distinct.push(word.to_owned());
                self.distinct.len() - 1
            })
        });
        self.sequence.push(index);
    }

    /// Each word, and what neighbours are when written as one: `web fetch` finds `webfetch`.
    fn terms(&self) -> Vec<Term> {
        let words = self.distinct.iter().enumerate();
        let words = words.map(|(index, word)| (word.clone(), 1_u32 << index));
        let pairs = self.sequence.windows(2).filter_map(|pair| {
            let [Some(first), Some(second)] = pair else {
                return None;
            };
            let text = format!(
                "{}{}",
                self.distinct.get(*first)?,
                self.distinct.get(*second)?
            );
            Some((text, bits(pair.iter())))
        });
        let mut terms: Vec<Term> = Vec::new();
        for (text, covers) in words.chain(self.joined.iter().cloned()).chain(pairs) {
            match terms.iter_mut().find(|term| term.text == text) {
                Some(term) => term.covers |= covers,
                None => terms.push(Term {
                    text,
                    covers,
                    worth: 1.0,
                }),
            }
        }
        terms
    }
}

fn bits<'a>(indices: impl Iterator<Item = &'a Option<usize>>) -> u32 {
    indices.flatten().fold(0, |bits, index| bits | 1 << index)
}

/// Words of a sentence that nobody searches for.
fn is_small(word: &str) -> bool {
    matches!(
        word,
        "an" | "and"
            | "are"
            | "can"
            | "do"
            | "for"
            | "from"
            | "how"
            | "in"
            | "is"
            | "it"
            | "me"
            | "my"
            | "of"
            | "on"
            | "or"
            | "that"
            | "the"
            | "this"
            | "to"
            | "with"
    )
}

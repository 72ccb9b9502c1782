//! One pass over the entries: where the query's terms are, and how long the fields are.

use std::collections::HashMap;

use super::bm25::{FIELDS, Field, PerField};
use super::query::{Query, Term};
use super::rank::Entry;
use super::tokens::{Kind, Token, each, is_compact};
use super::typo::Guesses;

/// What one pass found.
pub(super) struct Scan {
    pub(super) found: Vec<Found>,
    pub(super) averages: PerField<f64>,
}

/// An entry with at least one of the terms, or exactly what was asked for.
pub(super) struct Found {
    pub(super) index: usize,
    pub(super) exact: Option<Exact>,
    pub(super) lengths: PerField<u32>,
    /// The terms it has, and how often each is in each field.
    pub(super) counts: Vec<(usize, PerField<u32>)>,
    /// Words of the name that begin with one of the query's.
    pub(super) beginnings: Vec<Beginning>,
}

/// What of an entry the query is, as a whole.
pub(super) enum Exact {
    Id,
    Name,
}

pub(super) struct Beginning {
    /// Which of the query's words.
    pub(super) word: usize,
    pub(super) text: String,
    /// How much of the name's word is typed already.
    pub(super) share: f64,
}

impl Found {
    fn answers(&self) -> bool {
        self.exact.is_some() || !self.counts.is_empty() || !self.beginnings.is_empty()
    }

    /// The query's words that this entry has, one bit each.
    pub(super) fn covers(&self, terms: &[Term]) -> u32 {
        let whole = self.counts.iter().filter_map(|(term, _)| terms.get(*term));
        let whole = whole.fold(0, |bits, term| bits | term.covers);
        let beginnings = self.beginnings.iter();
        beginnings.fold(whole, |bits, beginning| bits | 1 << beginning.word)
    }
}

/// Looks for the terms in every entry.
pub(super) fn scan(entries: &[Entry<'_>], query: &Query) -> Scan {
    let terms = query.terms.iter().enumerate();
    let wanted = Wanted {
        query,
        by_text: terms
            .map(|(index, term)| (term.text.as_str(), index))
            .collect(),
        lengths: query
            .terms
            .iter()
            .fold(0, |bits, term| bits | length_bit(&term.text)),
    };
    let mut found = Vec::new();
    let mut averages = [Average::default(); FIELDS];
    for (index, entry) in entries.iter().enumerate() {
        let entry = wanted.look_in(index, entry);
        for (average, length) in averages.iter_mut().zip(entry.lengths) {
            average.add(length);
        }
        if entry.answers() {
            found.push(entry);
        }
    }
    let averages = averages.map(Average::value);
    Scan { found, averages }
}

/// The average length of a field, where there is one.
#[derive(Clone, Copy, Default)]
struct Average {
    total: u64,
    count: u64,
}

impl Average {
    fn add(&mut self, length: u32) {
        self.total += u64::from(length);
        self.count += u64::from(length > 0);
    }

    #[expect(clippy::cast_precision_loss, reason = "an average needs no last digit")]
    fn value(self) -> f64 {
        self.total as f64 / self.count.max(1) as f64
    }
}

/// Shows the words of names, categories and descriptions to each guess.
pub(super) fn guess(entries: &[Entry<'_>], guesses: &mut [Guesses<'_>]) {
    for entry in entries {
        for (_, text) in texts(entry) {
            each(text, &mut |token| {
                if token.kind != Kind::Character {
                    for guess in guesses.iter_mut() {
                        guess.consider(token.text);
                    }
                }
            });
        }
    }
}

/// The written parts of an entry. The id stands with the category: it is a path of such.
fn texts<'a>(entry: &Entry<'a>) -> impl Iterator<Item = (Field, &'a str)> {
    [
        (Field::Name, Some(entry.name)),
        (Field::Category, entry.category),
        (Field::Category, Some(entry.id)),
        (Field::Description, entry.description),
    ]
    .into_iter()
    .filter_map(|(field, text)| Some((field, text?)))
}

struct Wanted<'q> {
    query: &'q Query,
    by_text: HashMap<&'q str, usize>,
    /// The lengths of the terms, one bit each: most words of a file differ in that already.
    lengths: u64,
}

fn is_same_in_lower_case(text: &str, lower: &str) -> bool {
    text.chars().flat_map(char::to_lowercase).eq(lower.chars())
}

fn length_bit(text: &str) -> u64 {
    1 << text.len().min(63)
}

impl Wanted<'_> {
    fn look_in(&self, index: usize, entry: &Entry<'_>) -> Found {
        let mut found = Found {
            index,
            exact: self.exact(entry),
            lengths: [0; FIELDS],
            counts: Vec::new(),
            beginnings: Vec::new(),
        };
        for (field, text) in texts(entry) {
            each(text, &mut |token| {
                self.count(&mut found, field, token.text, 1);
                if field == Field::Name {
                    self.beginnings(&mut found, token);
                }
            });
        }
        for (token, count) in entry.content {
            self.count(&mut found, Field::Content, token, *count);
        }
        found
    }

    fn exact(&self, entry: &Entry<'_>) -> Option<Exact> {
        if is_same_in_lower_case(entry.id, &self.query.literal) {
            return Some(Exact::Id);
        }
        let is_name = [entry.name, entry.id]
            .iter()
            .any(|name| is_compact(name, &self.query.compact));
        is_name.then_some(Exact::Name)
    }

    fn count(&self, found: &mut Found, field: Field, token: &str, count: u32) {
        let position = field as usize;
        if let Some(length) = found.lengths.get_mut(position) {
            *length = length.saturating_add(count);
        }
        if self.lengths & length_bit(token) == 0 {
            return;
        }
        let Some(term) = self.by_text.get(token) else {
            return;
        };
        let known = found.counts.iter().position(|(known, _)| known == term);
        let known = known.unwrap_or_else(|| {
            found.counts.push((*term, [0; FIELDS]));
            found.counts.len() - 1
        });
        let counts = found.counts.get_mut(known).map(|(_, counts)| counts);
        if let Some(total) = counts.and_then(|counts| counts.get_mut(position)) {
            *total = total.saturating_add(count);
        }
    }

    fn beginnings(&self, found: &mut Found, token: Token<'_>) {
        for (word, text) in self.query.words.iter().enumerate() {
            if token.text.len() > text.len() && token.text.starts_with(text.as_str()) {
                #[expect(clippy::cast_precision_loss, reason = "words are short")]
                let share = text.len() as f64 / token.text.len() as f64;
                found.beginnings.push(Beginning {
                    word,
                    text: token.text.to_owned(),
                    share,
                });
            }
        }
    }
}

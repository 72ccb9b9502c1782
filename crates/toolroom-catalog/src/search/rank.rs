//! Orders entries by how well they answer a query.
//!
//! A score is a step and a part: 3 for the very id, 2 for the very name, 1 for all words,
//! 0 for some; the part, below 1, says how well the words are found.

use std::cmp::Ordering;

use super::bm25::{self, PerField};
use super::query::{Query, Term};
use super::scan::{Exact, Found, guess, scan};
use super::typo::Guesses;

/// Something that can be found.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    pub id: &'a str,
    pub name: &'a str,
    pub category: Option<&'a str>,
    pub description: Option<&'a str>,
    /// The words of its file and how often each is there, as `content_tokens` gives them.
    pub content: &'a [(String, u32)],
}

/// An entry that answers a query.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// Its index among the entries.
    pub index: usize,
    pub score: f64,
    /// The entry's words that were found, in the order of the query.
    pub matched: Vec<String>,
}

/// What finding the beginning of a word is worth, at most.
const BEGINNING: f64 = 0.5;

/// The entries that answer a query, best first; equal ones in the order of their ids.
#[must_use]
pub fn rank(entries: &[Entry<'_>], query: &str, limit: usize) -> Vec<Hit> {
    let Some(mut query) = Query::parse(query) else {
        return Vec::new();
    };
    let mut scanned = scan(entries, &query);
    let missing = missing(&query, &scanned.found);
    if guess_missing(&mut query, entries, missing) {
        scanned = scan(entries, &query);
    }
    let scorer = Scorer {
        query: &query,
        averages: scanned.averages,
        rarities: rarities(&query, &scanned.found, entries.len()),
    };
    let found = scanned.found.iter();
    let mut scored: Vec<Scored<'_>> = found
        .filter_map(|found| {
            Some(Scored {
                score: scorer.score(found),
                id: entries.get(found.index)?.id,
                found,
            })
        })
        .collect();
    scored.sort_by(Scored::compare);
    let best = scored.into_iter().take(limit);
    best.map(|scored| Hit {
        index: scored.found.index,
        score: scored.score,
        matched: scorer.matched(scored.found),
    })
    .collect()
}

struct Scored<'s> {
    score: f64,
    id: &'s str,
    found: &'s Found,
}

impl Scored<'_> {
    /// The better first; equal ones by id, and those of one id as they came.
    fn compare(&self, other: &Self) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        by_score.then_with(|| self.id.cmp(other.id))
    }
}

/// The words no entry has, one bit each.
fn missing(query: &Query, found: &[Found]) -> u32 {
    let covered = found
        .iter()
        .fold(0, |bits, found| bits | found.covers(&query.terms));
    query.all() & !covered
}

/// Adds what may be meant by words that are nowhere; says whether there was anything.
fn guess_missing(query: &mut Query, entries: &[Entry<'_>], missing: u32) -> bool {
    let is_missing = |index: usize| missing & (1 << index) != 0;
    let words = query.words.iter().enumerate();
    let (indices, mut guesses): (Vec<_>, Vec<_>) = words
        .filter(|(index, _)| is_missing(*index))
        .filter_map(|(index, word)| Some((index, Guesses::new(word)?)))
        .unzip();
    if guesses.is_empty() {
        return false;
    }
    guess(entries, &mut guesses);
    let guesses = indices.into_iter().zip(guesses);
    let terms: Vec<Term> = guesses
        .flat_map(|(index, guess)| {
            let (nearest, worth) = guess.nearest();
            nearest.into_iter().map(move |text| Term {
                text,
                covers: 1 << index,
                worth,
            })
        })
        .collect();
    let any = !terms.is_empty();
    query.add(terms);
    any
}

/// How much each word of the query tells entries apart.
fn rarities(query: &Query, found: &[Found], entries: usize) -> Vec<f64> {
    let mut with_word = vec![0_usize; query.words.len()];
    for entry in found {
        let covers = entry.covers(&query.terms);
        for (word, count) in with_word.iter_mut().enumerate() {
            *count += usize::from(covers & (1 << word) != 0);
        }
    }
    let counts = with_word.into_iter();
    counts.map(|count| bm25::rarity(entries, count)).collect()
}

struct Scorer<'q> {
    query: &'q Query,
    averages: PerField<f64>,
    rarities: Vec<f64>,
}

impl Scorer<'_> {
    fn score(&self, found: &Found) -> f64 {
        let mut score = 0.0;
        let mut possible = 0.0;
        for (word, rarity) in self.rarities.iter().enumerate() {
            let worth = self.best(word, found).map_or(0.0, |(worth, _)| worth);
            score += rarity * worth;
            possible += rarity;
        }
        self.step(found) + score / possible
    }

    fn matched(&self, found: &Found) -> Vec<String> {
        let mut matched: Vec<String> = Vec::new();
        for word in 0..self.query.words.len() {
            if let Some((_, text)) = self.best(word, found)
                && !matched.iter().any(|known| known == text)
            {
                matched.push(text.to_owned());
            }
        }
        matched
    }

    fn step(&self, found: &Found) -> f64 {
        match found.exact {
            Some(Exact::Id) => 3.0,
            Some(Exact::Name) => 2.0,
            None if found.covers(&self.query.terms) == self.query.all() => 1.0,
            None => 0.0,
        }
    }

    /// The best that was found for a word: what it is worth, and its text in the entry.
    fn best<'a>(&'a self, word: usize, found: &'a Found) -> Option<(f64, &'a str)> {
        let whole = found.counts.iter().filter_map(|(term, counts)| {
            let term = self.query.terms.get(*term)?;
            let covers = term.covers & (1 << word) != 0;
            covers.then(|| {
                let found = bm25::found(counts, &found.lengths, &self.averages);
                (term.worth * found, term.text.as_str())
            })
        });
        let beginnings = found.beginnings.iter();
        let beginnings = beginnings.filter(|beginning| beginning.word == word);
        let beginnings = beginnings.map(|beginning| {
            let in_name = bm25::found(&[1, 0, 0, 0], &found.lengths, &self.averages);
            let typed = f64::midpoint(1.0, beginning.share);
            (BEGINNING * typed * in_name, beginning.text.as_str())
        });
        whole
            .chain(beginnings)
            .max_by(|(worth, _), (other, _)| worth.total_cmp(other))
    }
}

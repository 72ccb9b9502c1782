//! Finds the words that are meant by one that is nowhere.

use std::collections::HashSet;

/// More guesses than this are none.
const MAX_GUESSES: usize = 8;

/// Collects the nearest words to one that may be mistyped.
pub(super) struct Guesses<'q> {
    word: &'q str,
    letters: usize,
    shape: u32,
    /// How many slips are forgiven: none in a short word, where each letter matters.
    distance: usize,
    seen: HashSet<String>,
    found: Vec<String>,
}

impl<'q> Guesses<'q> {
    /// `None` for a word that is too short, or a number.
    pub(super) fn new(word: &'q str) -> Option<Self> {
        let letters = word.chars().count();
        let distance = match letters {
            8.. => 2,
            4.. => 1,
            _ => return None,
        };
        if word.bytes().any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        Some(Self {
            word,
            letters,
            shape: shape(word),
            distance,
            seen: HashSet::new(),
            found: Vec::new(),
        })
    }

    /// Looks at one word of the vocabulary.
    pub(super) fn consider(&mut self, candidate: &str) {
        let slips = 2 * u32::try_from(self.distance).unwrap_or(u32::MAX);
        let is_unlike = (shape(candidate) ^ self.shape).count_ones() > slips
            || candidate.chars().count().abs_diff(self.letters) > self.distance;
        if is_unlike || self.seen.contains(candidate) {
            return;
        }
        self.seen.insert(candidate.to_owned());
        let distance = strsim::damerau_levenshtein(self.word, candidate);
        if distance > self.distance {
            return;
        }
        if distance < self.distance {
            self.distance = distance;
            self.found.clear();
        }
        self.found.push(candidate.to_owned());
    }

    /// The nearest words in the order of the alphabet, and what finding one is worth.
    pub(super) fn nearest(mut self) -> (Vec<String>, f64) {
        self.found.sort_unstable();
        self.found.truncate(MAX_GUESSES);
        let worth = if self.distance > 1 { 0.4 } else { 0.6 };
        (self.found, worth)
    }
}

/// Which letters a word has, one bit each; a slip changes two at most.
fn shape(word: &str) -> u32 {
    word.chars()
        .fold(0, |bits, letter| bits | 1 << (u32::from(letter) % 32))
}

//! Versions of any language, ordered by one rule.
//!
//! Numbers compare as numbers, a pre-release comes before its release, a patch level after
//! it. Any other word makes it a flavour, such as a build for debugging: never what is
//! meant where none is named.

use std::cmp::Ordering;
use std::fmt;

/// Words that make what follows the numbers a pre-release.
const PRE_RELEASE: [&str; 13] = [
    "a", "b", "c", "rc", "alpha", "beta", "pre", "preview", "dev", "nightly", "next", "canary",
    "snapshot",
];

/// Words that make it a later issue of the same.
const PATCH_LEVEL: [&str; 8] = ["p", "patch", "post", "r", "rev", "sp", "final", "ga"];

/// A version such as `3.12.1`, `v20.11.0` or `3.13.0rc2`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Version {
    release: Vec<u64>,
    suffix: Vec<Word>,
    flavour: Vec<String>,
    text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Word {
    Letters(String),
    Number(u64),
}

impl Version {
    /// Reads a version; a text that does not start with a number, after an optional `v`,
    /// is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let bare = text.strip_prefix(['v', 'V']).unwrap_or(text);
        if !bare.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        let (release, rest) = release_of(bare);
        let (rest, build) = rest.split_once('+').unwrap_or((rest, ""));
        let suffix = words_of(rest);
        Some(Self {
            release,
            flavour: flavour_of(&suffix, build),
            suffix,
            text: bare.to_owned(),
        })
    }

    /// The words that set it apart from a plain build of the same numbers.
    pub(super) fn flavour(&self) -> &[String] {
        &self.flavour
    }

    /// Whether it is what a plain version means: no pre-release, no flavour.
    pub(super) fn is_plain(&self) -> bool {
        self.flavour.is_empty() && !self.is_pre_release()
    }

    /// The numbers: `[3, 12, 1]`.
    #[must_use]
    pub fn release(&self) -> &[u64] {
        &self.release
    }

    #[must_use]
    pub fn is_pre_release(&self) -> bool {
        self.suffix.iter().any(|word| match word {
            Word::Letters(letters) => PRE_RELEASE.contains(&letters.as_str()),
            Word::Number(_) => false,
        })
    }

    pub(super) fn has_suffix(&self) -> bool {
        !self.suffix.is_empty()
    }

    /// The number at a place; numbers that are not written are zero.
    pub(super) fn number(&self, index: usize) -> u64 {
        self.release.get(index).copied().unwrap_or(0)
    }

    /// Whether the first numbers of both are the same.
    #[must_use]
    pub fn agrees(&self, other: &Self, numbers: usize) -> bool {
        let known = numbers.min(self.release.len()).min(other.release.len());
        self.release[..known] == other.release[..known]
    }

    fn rank(&self) -> i8 {
        match (self.suffix.is_empty(), self.is_pre_release()) {
            (_, true) => -1,
            (true, false) => 0,
            (false, false) => 1,
        }
    }

    /// Orders by the numbers alone.
    pub(super) fn cmp_release(&self, other: &Self) -> Ordering {
        let length = self.release.len().max(other.release.len());
        (0..length)
            .map(|index| self.number(index).cmp(&other.number(index)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cmp_release(other)
            .then_with(|| self.rank().cmp(&other.rank()))
            .then_with(|| self.suffix.cmp(&other.suffix))
            .then_with(|| self.release.len().cmp(&other.release.len()))
            .then_with(|| self.text.cmp(&other.text))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What follows a `+` counts only if it is words: numbers and sums tell builds apart, not
/// flavours.
fn flavour_of(suffix: &[Word], build: &str) -> Vec<String> {
    let mut flavour: Vec<String> = suffix
        .iter()
        .filter_map(|word| match word {
            Word::Letters(letters) => Some(letters.as_str()),
            Word::Number(_) => None,
        })
        .filter(|word| !PRE_RELEASE.contains(word) && !PATCH_LEVEL.contains(word))
        .map(str::to_owned)
        .collect();
    let words = build.split('+').filter(|word| !word.is_empty());
    if words
        .clone()
        .all(|word| word.chars().all(char::is_alphabetic))
    {
        flavour.extend(words.map(str::to_lowercase));
    }
    flavour
}

fn release_of(text: &str) -> (Vec<u64>, &str) {
    let mut release = Vec::new();
    let mut rest = text;
    loop {
        let end = rest
            .find(|next: char| !next.is_ascii_digit())
            .unwrap_or(rest.len());
        release.push(number_of(&rest[..end]));
        rest = &rest[end..];
        match rest.strip_prefix('.') {
            Some(after) if after.starts_with(|next: char| next.is_ascii_digit()) => rest = after,
            _ => return (release, rest),
        }
    }
}

fn number_of(digits: &str) -> u64 {
    digits.parse().unwrap_or(u64::MAX)
}

fn words_of(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = text.trim_start_matches(['.', '-', '_', '~']);
    while let Some(first) = rest.chars().next() {
        let digits = first.is_ascii_digit();
        let ends =
            |next: char| matches!(next, '.' | '-' | '_' | '~') || next.is_ascii_digit() != digits;
        let end = rest.find(ends).unwrap_or(rest.len());
        let word = &rest[..end];
        words.push(if digits {
            Word::Number(number_of(word))
        } else {
            Word::Letters(word.to_lowercase())
        });
        rest = rest[end..].trim_start_matches(['.', '-', '_', '~']);
    }
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn version(text: &str) -> Version {
        Version::parse(text).unwrap()
    }

    #[test]
    fn versions_are_ordered_as_people_expect() {
        let ordered = [
            "2.0.0",
            "3",
            "3.9.18",
            "3.10.0a1",
            "3.10.0rc1",
            "3.10.0-rc.2",
            "3.10",
            "3.10.0",
            "3.10.0-p1",
            "3.10.13",
            "3.11.0.dev1",
            "3.11",
            "v20.1.0",
            "v20.10.0",
            "100",
        ];
        for pair in ordered.windows(2) {
            assert!(
                version(pair[0]) < version(pair[1]),
                "{} < {}",
                pair[0],
                pair[1]
            );
        }
    }

    #[test]
    fn a_pre_release_is_told_from_a_patch_level() {
        for text in ["3.13.0rc1", "1.0-beta.2", "4.0.0-preview1", "3.12-dev"] {
            assert!(version(text).is_pre_release(), "{text}");
        }
        for text in ["2.0.0-p648", "3.13.0t", "1.2.3+build.7", "20.1.0"] {
            assert!(!version(text).is_pre_release(), "{text}");
        }
    }

    #[test]
    fn a_name_is_no_version() {
        for text in ["", "v", "latest", "other3.9", "system", "-1", ".5"] {
            assert_eq!(Version::parse(text), None, "{text}");
        }
    }

    #[test]
    fn build_metadata_does_not_order() {
        assert_eq!(
            version("1.2.3+a").cmp_release(&version("1.2.3+b")),
            Ordering::Equal
        );
        assert!(!version("1.2.3+a").has_suffix());
    }

    proptest! {
        #[test]
        fn the_order_is_total(a in "[v0-9a-z.+-]{0,12}", b in "[v0-9a-z.+-]{0,12}", c in "[v0-9a-z.+-]{0,12}") {
            let versions: Vec<_> = [a, b, c].iter().filter_map(|text| Version::parse(text)).collect();
            if let [a, b, c] = versions.as_slice() {
                prop_assert_eq!(a.cmp(b), b.cmp(a).reverse());
                if a <= b && b <= c {
                    prop_assert!(a <= c);
                }
            }
        }

        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC{0,40}") {
            let _ = Version::parse(&text);
        }
    }
}

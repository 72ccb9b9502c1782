//! "Did you mean": the few names closest to one that does not exist.

/// How many names are suggested at most.
const MOST: usize = 3;
const ALIKE: f64 = 0.8;

/// How much one whole word of a name says, where only that was written.
const WORD: f64 = 0.9;

/// A part of a name that is shorter says nothing of the whole.
const SHORTEST: usize = 3;

/// The names that could have been meant, the closest first.
#[must_use]
pub fn to<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = names
        .into_iter()
        .map(|name| (likeness(&wanted, &name.to_lowercase()), name))
        .filter(|(score, _)| *score >= ALIKE)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    scored.dedup_by(|a, b| a.1 == b.1);
    scored
        .into_iter()
        .take(MOST)
        .map(|(_, name)| name.to_owned())
        .collect()
}

/// The one name that is closest, if any is close.
#[must_use]
pub fn best<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    to(wanted, names).into_iter().next()
}

/// How alike two names are: as a whole, by their last part, or because one is a word of
/// the other.
fn likeness(wanted: &str, name: &str) -> f64 {
    let whole = strsim::normalized_damerau_levenshtein(wanted, name);
    let (wanted, name) = (last(wanted), last(name));
    if wanted.len() < SHORTEST {
        return whole;
    }
    let by_last = strsim::jaro_winkler(wanted, name) - 0.05;
    let is_word = name.split(['_', '-']).any(|word| word == wanted);
    whole.max(by_last).max(if is_word { WORD } else { 0.0 })
}

fn last(name: &str) -> &str {
    name.rsplit_once('/').map_or(name, |(_, last)| last)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = [
        "web/fetch",
        "web/post",
        "runtimes/cobol",
        "cobol_runtime",
        "hello",
    ];

    #[test]
    fn a_slip_of_the_finger_is_understood() {
        assert_eq!(to("helo", NAMES), ["hello"]);
        assert_eq!(to("fecth", NAMES), ["web/fetch"]);
        assert_eq!(
            to("cbool_runtime", NAMES).first().map(String::as_str),
            Some("cobol_runtime")
        );
    }

    #[test]
    fn a_word_of_a_name_is_enough_and_a_syllable_is_not() {
        let limits = ["memory", "open_files", "processes", "file_size"];
        assert_eq!(best("files", limits).as_deref(), Some("open_files"));
        assert_eq!(best("procs", limits).as_deref(), Some("processes"));
        assert_eq!(best("e", limits), None);
    }

    #[test]
    fn nothing_is_suggested_for_a_stranger() {
        assert!(to("zzzzzz", NAMES).is_empty());
    }
}

//! "Did you mean": the few names closest to one that does not exist.

/// How many names are suggested at most.
const MOST: usize = 3;
const ALIKE: f64 = 0.8;

/// The names that could have been meant, the closest first.
#[must_use]
pub fn to<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let wanted = wanted.to_lowercase();
    let mut scored: Vec<(f64, &str)> = names
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

/// How alike two names are, as a whole or by their last part.
fn likeness(wanted: &str, name: &str) -> f64 {
    let last = |text: &str| {
        text.rsplit_once('/')
            .map_or_else(|| text.to_owned(), |(_, last)| last.to_owned())
    };
    let whole = strsim::normalized_damerau_levenshtein(wanted, name);
    let by_last = strsim::jaro_winkler(&last(wanted), &last(name)) - 0.05;
    if last(wanted).len() < 3 {
        return whole;
    }
    whole.max(by_last)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = [
        "web/fetch",
        "web/post",
        "runtimes/python",
        "python_runtime",
        "hello",
    ];

    #[test]
    fn a_slip_of_the_finger_is_understood() {
        assert_eq!(to("helo", NAMES.into_iter()), ["hello"]);
        assert_eq!(to("fecth", NAMES.into_iter()), ["web/fetch"]);
        assert_eq!(
            to("pyhton_runtime", NAMES.into_iter())
                .first()
                .map(String::as_str),
            Some("python_runtime")
        );
    }

    #[test]
    fn nothing_is_suggested_for_a_stranger() {
        assert!(to("zzzzzz", NAMES.into_iter()).is_empty());
    }
}

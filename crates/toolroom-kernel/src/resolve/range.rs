//! Which versions will do: one grammar for the ranges of all languages.
//!
//! | written | means |
//! | --- | --- |
//! | `3.11`, `20.x`, `==3.11.*` | any version that starts so |
//! | `>=3.10,<3.13`, `>=18 <21` | all of these |
//! | `20 \|\| 22` | one of these |
//! | `^20.1`, `~20.1`, `~=3.10`, `~>3.1` | compatible with |
//! | `18 - 20` | from … up to … |
//! | `*` | any |

use std::cmp::Ordering;

use super::version::Version;

const MAX_LENGTH: usize = 256;

/// A set of versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    any_of: Vec<Vec<Bound>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Bound {
    Any,
    Prefix(Version),
    NotPrefix(Version),
    Less(Version),
    AtMost(Version),
    Greater(Version),
    AtLeast(Version),
    /// At least the version, with the first numbers unchanged.
    Compatible(Version, usize),
}

impl Range {
    /// Reads a range; a text that is none gives nothing.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_LENGTH {
            return None;
        }
        let any_of = text
            .split("||")
            .map(alternative)
            .collect::<Option<Vec<_>>>()?;
        Some(Self { any_of })
    }

    /// Whether a version is in the range. Pre-releases are only where one is named or the
    /// range is a plain beginning such as `3.13`.
    #[must_use]
    pub fn matches(&self, version: &Version) -> bool {
        self.any_of.iter().any(|bounds| holds(bounds, version))
    }

    /// Whether a version is what the range means: in it, and of a flavour only where just
    /// that is named.
    pub(super) fn means(&self, version: &Version) -> bool {
        self.any_of.iter().any(|bounds| {
            let names_flavour = |bound: &Bound| bound.flavour() == version.flavour();
            let is_meant = version.flavour().is_empty() || bounds.iter().any(names_flavour);
            is_meant && holds(bounds, version)
        })
    }
}

fn holds(bounds: &[Bound], version: &Version) -> bool {
    let asks_for_pre_release = bounds.iter().any(Bound::allows_pre_release);
    (asks_for_pre_release || !version.is_pre_release())
        && bounds.iter().all(|bound| bound.holds(version))
}

impl Bound {
    fn flavour(&self) -> &[String] {
        match self {
            Self::Any => &[],
            Self::Prefix(version)
            | Self::NotPrefix(version)
            | Self::Less(version)
            | Self::AtMost(version)
            | Self::Greater(version)
            | Self::AtLeast(version)
            | Self::Compatible(version, _) => version.flavour(),
        }
    }

    fn allows_pre_release(&self) -> bool {
        match self {
            Self::Any | Self::NotPrefix(_) => false,
            Self::Prefix(_) => true,
            Self::Less(version)
            | Self::AtMost(version)
            | Self::Greater(version)
            | Self::AtLeast(version)
            | Self::Compatible(version, _) => version.is_pre_release(),
        }
    }

    fn holds(&self, version: &Version) -> bool {
        match self {
            Self::Any => true,
            Self::Prefix(prefix) => starts_with(version, prefix),
            Self::NotPrefix(prefix) => !starts_with(version, prefix),
            Self::Less(bound) => compare(version, bound).is_lt(),
            Self::AtMost(bound) => compare(version, bound).is_le() || starts_with(version, bound),
            Self::Greater(bound) => compare(version, bound).is_gt() && !starts_with(version, bound),
            Self::AtLeast(bound) => compare(version, bound).is_ge(),
            Self::Compatible(bound, numbers) => {
                compare(version, bound).is_ge()
                    && (0..*numbers).all(|index| version.number(index) == bound.number(index))
            }
        }
    }
}

fn compare(version: &Version, bound: &Version) -> Ordering {
    version.cmp_release(bound).then_with(|| {
        if version.is_pre_release() || bound.is_pre_release() {
            version.cmp(bound)
        } else {
            Ordering::Equal
        }
    })
}

fn starts_with(version: &Version, prefix: &Version) -> bool {
    if !prefix.flavour().is_empty() {
        return version.flavour() == prefix.flavour()
            && version.release().starts_with(prefix.release());
    }
    if prefix.has_suffix() {
        return version.cmp_release(prefix).is_eq() && version.to_string() == prefix.to_string();
    }
    version.release().starts_with(prefix.release())
        || (version.release().len() < prefix.release().len()
            && !version.has_suffix()
            && version.cmp_release(prefix).is_eq())
}

fn alternative(text: &str) -> Option<Vec<Bound>> {
    let text = text.trim();
    if let Some((from, to)) = text.split_once(" - ") {
        return Some(vec![
            Bound::AtLeast(Version::parse(from.trim())?),
            Bound::AtMost(Version::parse(to.trim())?),
        ]);
    }
    let mut bounds = Vec::new();
    for part in text.split(',') {
        let mut words = part.split_whitespace();
        while let Some(word) = words.next() {
            let is_operator = word.chars().all(|next| "<>=!~^".contains(next));
            bounds.push(if is_operator {
                bound(&format!("{word}{}", words.next()?))?
            } else {
                bound(word)?
            });
        }
    }
    (!bounds.is_empty()).then_some(bounds)
}

fn bound(text: &str) -> Option<Bound> {
    let end = text.find(|next: char| !"<>=!~^".contains(next))?;
    let (operator, rest) = text.split_at(end);
    if matches!(rest, "*" | "x" | "X") {
        return matches!(operator, "" | "=" | "==" | ">=").then_some(Bound::Any);
    }
    let plain = rest
        .trim_end_matches(".*")
        .trim_end_matches(".x")
        .trim_end_matches(".X");
    let version = Version::parse(plain)?;
    let written = version.release().len();
    Some(match operator {
        "" | "=" | "==" | "===" => Bound::Prefix(version),
        "!=" => Bound::NotPrefix(version),
        "<" => Bound::Less(version),
        "<=" => Bound::AtMost(version),
        ">" => Bound::Greater(version),
        ">=" => Bound::AtLeast(version),
        "^" => {
            let zeros = (0..written.saturating_sub(1))
                .take_while(|index| version.number(*index) == 0)
                .count();
            Bound::Compatible(version, zeros + 1)
        }
        "~" => Bound::Compatible(version, written.min(2)),
        "~=" | "~>" => Bound::Compatible(version, written.saturating_sub(1).max(1)),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_range_takes_what_its_language_means_by_it() {
        let table = [
            (
                "3.11",
                &["3.11", "3.11.7", "v3.11.0"][..],
                &["3.1", "3.110.0", "3.12.0"][..],
            ),
            ("20", &["20.1.0", "20.0.0"], &["2.0.0", "200.1"]),
            ("v20.1.0", &["20.1.0"], &["20.1.1", "20.10.0"]),
            ("20.x", &["20.9.1"], &["21.0.0"]),
            ("==3.11.*", &["3.11.2"], &["3.12.1"]),
            (
                ">=3.10,<3.13",
                &["3.10.0", "3.12.9"],
                &["3.9.18", "3.13.0", "3.14.0rc1"],
            ),
            (">=18 <21", &["18.0.0", "20.19.0"], &["17.9.9", "21.0.0"]),
            (">= 18", &["18.0.0", "30.1.0"], &["17.0.0"]),
            ("^20.1", &["20.1.0", "20.99.0"], &["20.0.9", "21.0.0"]),
            ("^0.2.3", &["0.2.3", "0.2.9"], &["0.3.0", "0.2.2"]),
            ("^0.0.3", &["0.0.3"], &["0.0.4"]),
            ("~20.1", &["20.1.5"], &["20.2.0", "20.0.0"]),
            ("~20", &["20.9.0"], &["21.0.0"]),
            ("~=3.10", &["3.10.2", "3.99.0"], &["4.0.0", "3.9.0"]),
            ("~=3.10.2", &["3.10.9"], &["3.11.0", "3.10.1"]),
            ("~>3.1", &["3.4.0"], &["4.0.0"]),
            ("20 || 22", &["20.1.0", "22.3.0"], &["21.0.0"]),
            ("18 - 20", &["18.0.0", "20.9.9"], &["21.0.0", "17.0.0"]),
            ("=1.2.3", &["1.2.3"], &["1.2.4"]),
            ("!=3.11.*", &["3.12.0"], &["3.11.4"]),
            (">3.11", &["3.12.0"], &["3.11.4", "3.11"]),
            ("<=3.11", &["3.11.4", "3.10.0"], &["3.12.0"]),
            ("*", &["1.0.0", "99"], &["2.0.0rc1"]),
            ("3.13", &["3.13.0rc1"], &["3.12.0"]),
            ("3.13.0rc1", &["3.13.0rc1"], &["3.13.0", "3.13.0rc2"]),
        ];
        for (text, inside, outside) in table {
            let range = Range::parse(text).unwrap_or_else(|| panic!("{text} is a range"));
            for version in inside {
                assert!(
                    range.matches(&Version::parse(version).unwrap()),
                    "{version} in {text}"
                );
            }
            for version in outside {
                assert!(
                    !range.matches(&Version::parse(version).unwrap()),
                    "{version} not in {text}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in [
            "", " ", "latest", "long/*", ">=", "<<1", "1 ||", "../evil", "a.b",
        ] {
            assert_eq!(Range::parse(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_the_parser_panic(text in "\\PC{0,60}") {
            let _ = Range::parse(&text);
        }

        #[test]
        fn a_version_is_in_its_own_range(text in "[0-9]{1,3}(\\.[0-9]{1,3}){0,3}") {
            let version = Version::parse(&text).unwrap();
            for operator in ["", "=", ">=", "<=", "^", "~", "~="] {
                let range = format!("{operator}{text}");
                prop_assert!(Range::parse(&range).unwrap().matches(&version), "{}", range);
            }
        }
    }
}

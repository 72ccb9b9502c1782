//! Versions as ranges: whether demands can be pleased together, and how far away the
//! nearest acceptable version is.

use std::ops::Bound;

use pep440_rs::Version;
use version_ranges::Ranges;

use crate::audit::severity::Head;
use crate::requirement::PythonRequirement;
use crate::requirement::pep508::Want;

/// The versions that please every requirement. A place pleases with any version.
pub(super) fn range<'a>(
    requirements: impl Iterator<Item = &'a PythonRequirement>,
) -> Ranges<Version> {
    requirements.fold(Ranges::full(), |range, requirement| {
        range.intersection(&one(requirement))
    })
}

fn one(requirement: &PythonRequirement) -> Ranges<Version> {
    match requirement.want() {
        Want::Versions(versions) => Ranges::from(versions.clone()),
        Want::Source(_) => Ranges::full(),
    }
}

/// Whether no version pleases both.
pub(super) fn excludes(range: &Ranges<Version>, requirement: &PythonRequirement) -> bool {
    range.intersection(&one(requirement)).is_empty()
}

/// The leading numbers of a version.
pub(super) fn head(version: &Version) -> Head {
    let number = |index: usize| version.release().get(index).copied().unwrap_or_default();
    (version.epoch(), number(0), number(1))
}

/// The leading numbers of the acceptable version nearest to what is installed, upwards if
/// there is one.
pub(super) fn nearest(range: &Ranges<Version>, installed: &Version) -> Option<Head> {
    let above = range.iter().find_map(|(lower, _)| match lower {
        Bound::Included(version) | Bound::Excluded(version) if version >= installed => {
            Some(head(version))
        }
        _ => None,
    });
    let below = || {
        let upper = |(_, upper): (&Bound<Version>, &Bound<Version>)| match upper {
            Bound::Included(version) if version <= installed => Some(head(version)),
            Bound::Excluded(version) if version <= installed => Some(head_below(version)),
            _ => None,
        };
        range.iter().filter_map(upper).last()
    };
    above.or_else(below)
}

/// The leading numbers just below a version: below `2.0` lies some `1.x`.
fn head_below(version: &Version) -> Head {
    let (epoch, major, minor) = head(version);
    let is_round = version.release().iter().skip(2).all(|number| *number == 0);
    match (is_round, major, minor) {
        (false, _, _) | (true, 0, 0) => (epoch, major, minor),
        (true, _, 0) => (epoch, major - 1, u64::MAX),
        (true, _, _) => (epoch, major, minor - 1),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::str::FromStr;

    use super::*;

    fn requirement(text: &str) -> PythonRequirement {
        PythonRequirement::parse(text, Path::new("/")).unwrap()
    }

    #[test]
    fn the_nearest_version_is_found_in_both_directions() {
        let cases = [
            ("x>=8.4.0", "6.2.0", Some((0, 8, 4))),
            ("x>=7.2.2", "7.2.1", Some((0, 7, 2))),
            ("x<2", "2.1", Some((0, 1, u64::MAX))),
            ("x<2.3", "2.5", Some((0, 2, 2))),
            ("x<2.3.1", "2.5", Some((0, 2, 3))),
            ("x<=2.3", "2.5", Some((0, 2, 3))),
            ("x!=1.5.0", "1.5.0", Some((0, 1, 5))),
            ("x~=5.9", "7.2", Some((0, 5, u64::MAX))),
            ("x==1.20", "2.2.3", Some((0, 1, 20))),
            ("x>=8.4.0", "8.4.0rc1", Some((0, 8, 4))),
            ("x>=1!1", "9", Some((1, 1, 0))),
            ("x>=2,<1", "1.5", None),
        ];
        for (text, installed, expected) in cases {
            let range = range([requirement(text)].iter());
            let installed = Version::from_str(installed).unwrap();
            assert_eq!(nearest(&range, &installed), expected, "{text} {installed}");
        }
    }

    #[test]
    fn demands_that_no_version_pleases_are_seen() {
        let cases = [
            ("x==1.20", "x>=1.21.1", true),
            ("x>=2", "x<2", true),
            ("x>=2", "x<2.0.1", false),
            ("x>=2", "x", false),
            ("x~=1.4", "x==2.*", true),
        ];
        for (left, right, expected) in cases {
            let range = range([requirement(left)].iter());
            assert_eq!(
                excludes(&range, &requirement(right)),
                expected,
                "{left} {right}"
            );
        }
    }
}

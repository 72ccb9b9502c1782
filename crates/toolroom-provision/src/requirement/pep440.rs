//! Whether a version is acceptable, to the letter of PEP 440.
//!
//! The library's own test differs from `packaging` in corners (`<1.0rc1` and `1.0a1`,
//! `==1.1.*` and `1`); parsing and order are the library's, the rules are stated here.

use pep440_rs::{Operator, Version, VersionSpecifier, VersionSpecifiers};

/// Whether every specifier accepts the version. Pre-releases count like any other
/// version: the question is about what is installed, not about what to choose.
pub(crate) fn contains(specifiers: &VersionSpecifiers, version: &Version) -> bool {
    specifiers
        .iter()
        .all(|specifier| accepts(specifier, version))
}

fn accepts(specifier: &VersionSpecifier, version: &Version) -> bool {
    let wanted = specifier.version();
    let public = || version.clone().without_local();
    match specifier.operator() {
        Operator::Equal => is_equal(wanted, version),
        Operator::NotEqual => !is_equal(wanted, version),
        Operator::EqualStar => has_prefix(version, wanted, wanted.release().len()),
        Operator::NotEqualStar => !has_prefix(version, wanted, wanted.release().len()),
        Operator::ExactEqual => wanted.to_string() == version.to_string(),
        Operator::TildeEqual => {
            let prefix = wanted.release().len().saturating_sub(1);
            public() >= *wanted && has_prefix(version, wanted, prefix)
        }
        Operator::GreaterThanEqual => public() >= *wanted,
        Operator::LessThanEqual => public() <= *wanted,
        Operator::LessThan => is_below(wanted, version),
        Operator::GreaterThan => is_above(wanted, version),
    }
}

/// A pre-release of a version is not below it, unless a pre-release is named.
fn is_below(wanted: &Version, version: &Version) -> bool {
    if wanted.any_prerelease() {
        version < wanted
    } else {
        *version < wanted.clone().without_local().with_dev(Some(0))
    }
}

/// A post-release or a local build of a version is not above it; of a post-release or a
/// development release, only the next of its kind is.
fn is_above(wanted: &Version, version: &Version) -> bool {
    let public = version.clone().without_local();
    if let Some(dev) = wanted.dev() {
        return public >= wanted.clone().with_dev(Some(dev.saturating_add(1)));
    }
    if let Some(post) = wanted.post() {
        let next = wanted.clone().with_post(Some(post.saturating_add(1)));
        return public >= next.with_dev(Some(0));
    }
    let of_post = public.is_post();
    let family = public.with_post(None);
    let family = if of_post {
        family.with_dev(None)
    } else {
        family
    };
    version > wanted && family != *wanted
}

fn is_equal(wanted: &Version, version: &Version) -> bool {
    if wanted.is_local() {
        wanted == version
    } else {
        *wanted == version.clone().without_local()
    }
}

/// Whether the first `length` numbers are the same; a number that is not there is zero.
fn has_prefix(version: &Version, wanted: &Version, length: usize) -> bool {
    let number =
        |version: &Version, index: usize| version.release().get(index).copied().unwrap_or_default();
    version.epoch() == wanted.epoch()
        && (0..length).all(|index| number(version, index) == number(wanted, index))
}

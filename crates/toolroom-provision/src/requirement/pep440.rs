//! Whether a version is acceptable, to the letter of PEP 440.
//!
//! The library's own test differs from `packaging` in corners (`<1.0rc1` and `1.0a1`,
//! `==1.1.*` and `1`); parsing and order are the library's, the rules are stated here.

use pep440_rs::{Operator, Version, VersionSpecifier, VersionSpecifiers};

/// Whether every specifier accepts the version. Pre-releases count like any other
/// version: the question is about what is installed, not about what to choose.
pub(crate) fn contains(specifiers: &VersionSpecifiers, version: &Version) -> bool {
    specifiers.iter().all(|specifier| accepts(specifier, version))
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
        // A pre-release of the version itself is not below it, unless a pre-release is named.
        Operator::LessThan => {
            let own = !wanted.any_prerelease() && version.any_prerelease();
            version < wanted && !(own && is_same_release(wanted, version))
        }
        // Nor is a post-release or a local build of the version itself above it.
        Operator::GreaterThan => {
            let own = (!wanted.is_post() && version.is_post()) || version.is_local();
            version > wanted && !(own && is_same_release(wanted, version))
        }
    }
}

fn is_equal(wanted: &Version, version: &Version) -> bool {
    if wanted.is_local() {
        wanted == version
    } else {
        *wanted == version.clone().without_local()
    }
}

fn is_same_release(a: &Version, b: &Version) -> bool {
    let length = a.release().len().max(b.release().len());
    has_prefix(a, b, length)
}

/// Whether the first `length` numbers are the same; a number that is not there is zero.
fn has_prefix(version: &Version, wanted: &Version, length: usize) -> bool {
    let number = |version: &Version, index: usize| {
        version.release().get(index).copied().unwrap_or_default()
    };
    version.epoch() == wanted.epoch()
        && (0..length).all(|index| number(version, index) == number(wanted, index))
}

//! How much a conflict matters: rules as data, with sane defaults.

use serde::Deserialize;

use super::report::Severity;
use crate::requirement::pep508::normalize;

/// What makes a conflict major. Everything else is minor.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SeverityRules {
    /// Packages whose every conflict is major, as people write their names.
    pub major: Vec<String>,
    /// A step of the first number of the version.
    pub major_step: bool,
    /// A step of the second number while the first is zero.
    pub zero_minor_step: bool,
}

impl Default for SeverityRules {
    fn default() -> Self {
        Self {
            major: Vec::new(),
            major_step: true,
            zero_minor_step: true,
        }
    }
}

/// The leading numbers of a version: epoch, major, minor.
pub(crate) type Head = (u64, u64, u64);

impl SeverityRules {
    /// Judges a step from what is installed to the nearest acceptable version; `None`
    /// means that no version is known that would do.
    pub(crate) fn judge(&self, package: &str, installed: Head, nearest: Option<Head>) -> Severity {
        let Some(nearest) = nearest else {
            return Severity::Major;
        };
        let major = (installed.0, installed.1) != (nearest.0, nearest.1);
        let zero_minor = !major && installed.1 == 0 && installed.2 != nearest.2;
        let mut names = self.major.iter();
        let named = names.any(|name| name == package || normalize(name) == package);
        if named || (major && self.major_step) || (zero_minor && self.zero_minor_step) {
            Severity::Major
        } else {
            Severity::Minor
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_major_step_or_a_named_package_is_major() {
        let rules = SeverityRules {
            major: vec!["PyTest".to_owned()],
            ..SeverityRules::default()
        };
        let cases = [
            ("x", (0, 6, 2), Some((0, 8, 4)), Severity::Major),
            ("x", (0, 7, 2), Some((0, 7, 9)), Severity::Minor),
            ("x", (0, 0, 19), Some((0, 0, 20)), Severity::Major),
            ("x", (0, 0, 19), Some((0, 0, 19)), Severity::Minor),
            ("x", (0, 7, 2), Some((1, 7, 2)), Severity::Major),
            ("pytest", (0, 7, 2), Some((0, 7, 3)), Severity::Major),
            ("x", (0, 7, 2), None, Severity::Major),
        ];
        for (package, installed, nearest, expected) in cases {
            assert_eq!(
                rules.judge(package, installed, nearest),
                expected,
                "{package} {installed:?}"
            );
        }
    }
}

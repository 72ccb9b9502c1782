//! What a Node manifest may ask of a package: a range, another package's range, or a place.

use std::fmt;

use nodejs_semver::{Range, Version};

const MAX_LENGTH: usize = 1 << 10;
/// The parser works on each alternative in turn; real manifests have a handful.
const MAX_ALTERNATIVES: usize = 64;

/// The value of a dependency in `package.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeSpec {
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Any,
    Range(Box<Range>),
    /// `npm:other@range`: installed under this name, but it is another package.
    Alias {
        package: String,
        range: Option<Box<Range>>,
    },
    /// A member of the same workspace.
    Workspace(Option<Box<Range>>),
    /// A tag, URL, repository, path or catalog entry: presence is all that can be judged.
    Presence,
}

impl NodeSpec {
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let text = text.trim();
        let kind = if let Some(alias) = text.strip_prefix("npm:") {
            alias_of(alias)
        } else if let Some(range) = text.strip_prefix("workspace:") {
            Kind::Workspace(range_of(range))
        } else if text.is_empty() || text == "*" || text == "latest" {
            Kind::Any
        } else {
            range_of(text).map_or(Kind::Presence, Kind::Range)
        };
        Self { kind }
    }

    /// The package expected in the folder, where that is not the folder's name.
    #[must_use]
    pub fn alias(&self) -> Option<&str> {
        match &self.kind {
            Kind::Alias { package, .. } => Some(package),
            _ => None,
        }
    }

    /// Whether an installed version is acceptable; `None` if the version cannot be read.
    #[must_use]
    pub fn allows(&self, version: &str) -> Option<bool> {
        let range = match &self.kind {
            Kind::Any | Kind::Presence => return Some(true),
            Kind::Workspace(range) | Kind::Alias { range, .. } => match range {
                Some(range) => range,
                None => return Some(true),
            },
            Kind::Range(range) => range,
        };
        Some(range.satisfies(&parse_version(version)?))
    }

    /// The lowest version that would do, as `(major, minor)`.
    pub(crate) fn lowest(&self) -> Option<(u64, u64)> {
        let range = match &self.kind {
            Kind::Range(range) => range,
            Kind::Alias { range, .. } | Kind::Workspace(range) => range.as_ref()?,
            Kind::Any | Kind::Presence => return None,
        };
        range.min_version().map(|v| (v.major(), v.minor()))
    }
}

/// Reads a version; over-long text is no version.
pub(crate) fn parse_version(text: &str) -> Option<Version> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    Version::parse(text.trim()).ok()
}

fn range_of(text: &str) -> Option<Box<Range>> {
    let text = text.trim();
    if text.is_empty() || text.len() > MAX_LENGTH || text.matches("||").count() > MAX_ALTERNATIVES {
        return None;
    }
    // `workspace:^` means whatever version the member has.
    if matches!(text, "*" | "^" | "~") {
        return None;
    }
    Range::parse(text).ok().map(Box::new)
}

fn alias_of(text: &str) -> Kind {
    let at = text.char_indices().skip(1).find(|(_, c)| *c == '@');
    let (package, range) = match at {
        Some((at, _)) => (&text[..at], &text[at + 1..]),
        None => (text, ""),
    };
    Kind::Alias {
        package: package.to_owned(),
        range: range_of(range),
    }
}

impl fmt::Display for NodeSpec {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Any | Kind::Presence => out.write_str("*"),
            Kind::Range(range) => write!(out, "{range}"),
            Kind::Workspace(_) => out.write_str("workspace:*"),
            Kind::Alias { package, .. } => write!(out, "npm:{package}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ranges_are_judged_as_npm_judges_them() {
        let cases = [
            ("^1.2.3", "1.9.0", true),
            ("^1.2.3", "2.0.0", false),
            ("^0.2.3", "0.3.0", false),
            ("~1.2.3", "1.3.0", false),
            ("1.x || >=2.5.0 <3", "2.6.0", true),
            ("1.2.3 - 2.3.4", "2.3.5", false),
            (">=1.0.0", "2.0.0-rc.1", false),
            (">=2.0.0-beta", "2.0.0-rc.1", true),
            ("*", "9.9.9", true),
            ("", "9.9.9", true),
            ("latest", "0.0.1", true),
            ("next", "0.0.1", true),
            ("npm:other@^1", "1.5.0", true),
            ("npm:@s/other@^1", "2.0.0", false),
            ("npm:other", "2.0.0", true),
            ("workspace:*", "0.0.0", true),
            ("workspace:^", "0.0.0", true),
            ("workspace:^1", "2.0.0", false),
            ("file:../x", "0.0.1", true),
            ("link:../x", "0.0.1", true),
            ("github:a/b#semver:^1", "0.0.1", true),
            ("a/b", "0.0.1", true),
            ("git+ssh://git@h/a.git#v1", "0.0.1", true),
            ("https://h/x.tgz", "0.0.1", true),
            ("catalog:", "0.0.1", true),
        ];
        for (spec, version, expected) in cases {
            assert_eq!(
                NodeSpec::parse(spec).allows(version),
                Some(expected),
                "{spec} {version}"
            );
        }
    }

    #[test]
    fn an_unreadable_version_is_not_judged() {
        assert_eq!(NodeSpec::parse("^1").allows("one"), None);
        assert_eq!(NodeSpec::parse("npm:@s/a@^1").alias(), Some("@s/a"));
    }

    proptest! {
        #[test]
        fn no_text_panics(spec in "\\PC{0,40}", near in "[0-9.x*^~<>=| a-z-]{0,40}", version in "[0-9.a-z+-]{0,30}") {
            let _ = NodeSpec::parse(&spec).allows(&version);
            let near = NodeSpec::parse(&near);
            let _ = near.allows(&version);
            let _ = near.lowest();
        }
    }
}

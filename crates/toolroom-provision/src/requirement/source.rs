//! Where a package is to come from when it is not an index: a version control URL, an
//! archive, a file or a directory.
//!
//! Reduces the many spellings to one form that can be compared with what an installer
//! recorded. Credentials take no part in it.

use std::path::{Component, Path, PathBuf};

/// A normalised source. Two sources that are equal install the same thing.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceUrl {
    Vcs {
        system: String,
        url: String,
        revision: Option<String>,
        subdirectory: Option<String>,
    },
    Archive {
        url: String,
        /// `algorithm=hexdigest`, if the fragment pins one.
        hash: Option<String>,
        subdirectory: Option<String>,
    },
    Local {
        path: PathBuf,
    },
}

const VCS: [&str; 4] = ["git", "hg", "svn", "bzr"];

impl SourceUrl {
    /// Reads a URL or path as it stands in a requirement.
    #[must_use]
    pub fn parse(text: &str, base: &Path) -> Self {
        let (body, fragment) = text.split_once('#').unwrap_or((text, ""));
        if let Some((system, rest)) = body.split_once('+')
            && VCS.contains(&system)
        {
            return Self::vcs(system, rest, fragment);
        }
        match local_path(body, base) {
            Some(path) => Self::Local { path },
            None => Self::Archive {
                url: without_user(body),
                hash: hash_of(fragment),
                subdirectory: fragment_value(fragment, "subdirectory"),
            },
        }
    }

    fn vcs(system: &str, rest: &str, fragment: &str) -> Self {
        let url = without_user(rest);
        let path_start = url.find("://").map_or(0, |at| at + 3);
        let path_start = url[path_start..]
            .find('/')
            .map_or(path_start, |at| path_start + at);
        let (url, revision) = match url[path_start..].rfind('@') {
            Some(at) => {
                let (url, revision) = url.split_at(path_start + at);
                (url.to_owned(), Some(revision[1..].to_owned()))
            }
            None => (url, None),
        };
        Self::Vcs {
            system: system.to_owned(),
            url: repository(&url),
            revision: revision.filter(|revision| !revision.is_empty()),
            subdirectory: fragment_value(fragment, "subdirectory"),
        }
    }

    /// The local file or directory it names, if it is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Local { path } => Some(path),
            Self::Vcs { .. } | Self::Archive { .. } => None,
        }
    }
}

/// `…/x.git/` and `…/x` are the same repository to every server people use.
#[must_use]
pub fn repository(url: &str) -> String {
    let url = url.trim_end_matches('/');
    url.strip_suffix(".git").unwrap_or(url).to_owned()
}

/// The value of `key=value` in a URL fragment.
#[must_use]
pub fn fragment_value(fragment: &str, key: &str) -> Option<String> {
    fragment
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .find(|(name, _)| *name == key)
        .map(|(_, value)| value.to_owned())
}

fn hash_of(fragment: &str) -> Option<String> {
    ["sha256", "sha512", "sha384", "sha1", "md5"]
        .into_iter()
        .find_map(|name| fragment_value(fragment, name).map(|value| format!("{name}={value}")))
}

/// The URL without the user and password in it.
#[must_use]
pub fn without_user(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://{}", &rest[at + 1..]),
        None => url.to_owned(),
    }
}

/// Reads `file:` URLs and plain paths; `None` for anything with another scheme.
fn local_path(text: &str, base: &Path) -> Option<PathBuf> {
    let lower = text.get(..5).map(str::to_ascii_lowercase);
    let path = if lower.as_deref() == Some("file:") {
        let rest = text.get(5..).unwrap_or_default();
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        let rest = rest.strip_prefix("localhost").unwrap_or(rest);
        decode_percent(windows_drive(rest))
    } else if text.contains("://") {
        return None;
    } else {
        text.to_owned()
    };
    Some(tidy(&base.join(path)))
}

/// `/C:/x` in a URL is `C:/x` on disk.
fn windows_drive(path: &str) -> &str {
    match path.as_bytes() {
        [b'/', letter, b':' | b'|', ..] if letter.is_ascii_alphabetic() => &path[1..],
        _ => path,
    }
}

fn decode_percent(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = tail
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|pair| std::str::from_utf8(pair).ok())
            .and_then(|pair| u8::from_str_radix(pair, 16).ok());
        match hex {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Removes `.` and resolves `..` by name only; links are left to the caller.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                tidy.pop();
            }
            other => tidy.push(other),
        }
    }
    tidy
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> SourceUrl {
        SourceUrl::parse(text, Path::new("/work/project"))
    }

    #[test]
    fn spellings_of_one_source_are_equal() {
        let cases = [
            (
                "git+https://host/a/b.git@v1",
                "git+https://user:pw@host/a/b@v1",
            ),
            ("./lib", "file:///work/project/lib"),
            ("../project/./lib", "file:/work/project/lib"),
            ("file:///work/a%20b", "/work/a b"),
            ("https://t@host/x.whl", "https://host/x.whl"),
        ];
        for (left, right) in cases {
            assert_eq!(parse(left), parse(right), "{left}");
        }
    }

    #[test]
    fn different_sources_differ() {
        let cases = [
            ("git+https://host/a@v1", "git+https://host/a@v2"),
            ("git+https://host/a", "git+https://host/a#subdirectory=x"),
            ("https://host/a.whl", "https://host/b.whl"),
            ("./a", "./b"),
        ];
        for (left, right) in cases {
            assert_ne!(parse(left), parse(right), "{left}");
        }
    }

    #[test]
    fn a_revision_is_not_a_user() {
        let SourceUrl::Vcs { url, revision, .. } = parse("git+ssh://git@host/a/b.git@main") else {
            panic!("not version control")
        };
        assert_eq!(url, "ssh://host/a/b");
        assert_eq!(revision.as_deref(), Some("main"));
    }
}

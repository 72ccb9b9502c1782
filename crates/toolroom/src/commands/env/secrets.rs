//! Which variables hold secrets, by their names. Their values are never shown.

use std::borrow::Cow;
use std::ffi::OsStr;

use serde_json::Value;
use toolroom_catalog::core_data;

/// What stands for a secret.
const HIDDEN: &str = "***";

/// The words by which a secret is known, from core's data.
#[derive(Debug, Default)]
pub struct Secrets {
    words: Vec<String>,
}

impl Secrets {
    pub fn of_core() -> Self {
        let data: Value = core_data::text("environment.yaml")
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default();
        let words = data["secret_words"].as_array().into_iter().flatten();
        Self {
            words: words.filter_map(Value::as_str).map(str::to_owned).collect(),
        }
    }

    /// A variable's value as it may be shown.
    pub fn shown<'v>(&self, name: &OsStr, value: &'v OsStr) -> Cow<'v, str> {
        if self.is_secret(name) && !value.is_empty() {
            return HIDDEN.into();
        }
        let value = value.to_string_lossy();
        match without_password(&value) {
            Some(shown) => shown.into(),
            None => value,
        }
    }

    /// Whether one of the name's words, or several in a row, say that it is a secret.
    fn is_secret(&self, name: &OsStr) -> bool {
        let name = format!("_{}_", name.to_string_lossy().to_uppercase());
        self.words
            .iter()
            .any(|word| name.contains(&format!("_{word}_")))
    }
}

/// A value with what stands before the `@` of an address hidden, if that has a password
/// or may be a token.
fn without_password(value: &str) -> Option<String> {
    let (scheme, rest) = match value.find("://") {
        Some(end) => value.split_at(end + 3),
        None => ("", value),
    };
    let end = rest.find(['/', '?', '#', ' ']).unwrap_or(rest.len());
    let (user, host) = rest[..end].rsplit_once('@')?;
    let is_secret = user.contains(':') || scheme.starts_with("http");
    (is_secret && !host.is_empty()).then(|| format!("{scheme}{HIDDEN}@{host}{}", &rest[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_in_an_address_is_hidden() {
        let secrets = Secrets::of_core();
        let shown = |value| {
            secrets
                .shown(OsStr::new("X"), OsStr::new(value))
                .into_owned()
        };
        for (value, expected) in [
            ("http://me:hunter2@proxy:8080/x", "http://***@proxy:8080/x"),
            ("postgres://me:p@ss@db/x?a=b@c", "postgres://***@db/x?a=b@c"),
            ("https://ghp_token@host/x", "https://***@host/x"),
            ("me:hunter2@proxy:1080", "***@proxy:1080"),
        ] {
            assert_eq!(shown(value), expected);
        }
        for value in [
            "ssh://git@host/x",
            "ada@example.org",
            "http://host/a@b",
            "a:b",
            "/a:/b@c",
        ] {
            assert_eq!(shown(value), value);
        }
    }

    #[test]
    fn secrets_are_known_by_whole_words() {
        let secrets = Secrets::of_core();
        for name in [
            "API_KEY",
            "GITHUB_TOKEN",
            "DB_PASSWORD",
            "aws_secret_access_key",
            "SECRET",
        ] {
            assert_eq!(
                secrets.shown(OsStr::new(name), OsStr::new("x")),
                "***",
                "{name}"
            );
        }
        for name in [
            "PATH",
            "KEYBOARD",
            "TOKENIZERS_PARALLELISM",
            "MONKEY",
            "SECRETARY",
        ] {
            assert_eq!(
                secrets.shown(OsStr::new(name), OsStr::new("x")),
                "x",
                "{name}"
            );
        }
    }
}

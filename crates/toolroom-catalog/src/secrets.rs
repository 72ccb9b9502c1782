//! Keeps secrets out of what is shown, told and logged. One is known by its variable's
//! name, as core's data says, or as the password in an address.

use std::borrow::Cow;
use std::ffi::OsStr;

use serde_json::Value;

use crate::core_data;

/// What stands for a secret.
pub const HIDDEN: &str = "***";
/// Shorter values are too likely to stand in a text by chance.
const SHORTEST: usize = 8;

/// What must not be given away, longest first.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    hidden: Vec<Hidden>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Hidden {
    text: String,
    shown: String,
}

impl Secrets {
    /// The secrets of an environment: values of variables that are called so, and the
    /// passwords of addresses.
    pub fn of<'e>(variables: impl Iterator<Item = (&'e OsStr, &'e OsStr)>) -> Self {
        let mut hidden = Vec::new();
        for (name, value) in variables {
            let Some(value) = value.to_str() else {
                continue;
            };
            if is_secret(name) {
                hidden.extend(Hidden::value(value));
            } else if let Some(Credentials { user, host, .. }) = Credentials::of(value) {
                let password = user.split_once(':').map_or(user, |(_, password)| password);
                hidden.extend(Hidden::value(password));
                hidden.push(Hidden {
                    text: format!("{user}@{host}"),
                    shown: format!("{HIDDEN}@{host}"),
                });
            }
        }
        let escaped: Vec<Hidden> = hidden.iter().filter_map(Hidden::escaped).collect();
        hidden.extend(escaped);
        hidden.sort_by(|a, b| b.text.len().cmp(&a.text.len()).then_with(|| a.cmp(b)));
        hidden.dedup();
        Self { hidden }
    }

    /// A text without any secret, be it plain or inside JSON.
    #[must_use]
    pub fn hidden<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for Hidden {
            text: secret,
            shown,
        } in &self.hidden
        {
            if text.contains(secret.as_str()) {
                text = Cow::Owned(text.replace(secret.as_str(), shown));
            }
        }
        text
    }
}

impl Hidden {
    fn value(value: &str) -> Option<Self> {
        (value.len() >= SHORTEST).then(|| Self {
            text: value.to_owned(),
            shown: HIDDEN.to_owned(),
        })
    }

    /// As it stands inside a JSON text, if that is another form.
    fn escaped(&self) -> Option<Self> {
        let text = escaped(&self.text);
        let shown = escaped(&self.shown);
        (text != self.text).then_some(Self { text, shown })
    }
}

/// A variable's value as it may be shown.
#[must_use]
pub fn shown<'v>(name: &OsStr, value: &'v OsStr) -> Cow<'v, str> {
    if is_secret(name) && !value.is_empty() {
        return HIDDEN.into();
    }
    let value = value.to_string_lossy();
    let Some(Credentials {
        before,
        host,
        after,
        ..
    }) = Credentials::of(&value)
    else {
        return value;
    };
    format!("{before}{HIDDEN}@{host}{after}").into()
}

/// An address whose user has a password, or may be a token.
struct Credentials<'a> {
    before: &'a str,
    user: &'a str,
    host: &'a str,
    after: &'a str,
}

impl<'a> Credentials<'a> {
    fn of(value: &'a str) -> Option<Self> {
        let (before, rest) = match value.find("://") {
            Some(end) => value.split_at(end + 3),
            None => ("", value),
        };
        let end = rest.find(['/', '?', '#', ' ']).unwrap_or(rest.len());
        let (authority, after) = rest.split_at(end);
        let (user, host) = authority.rsplit_once('@')?;
        let is_secret = user.contains(':') || before.starts_with("http");
        (is_secret && !host.is_empty()).then_some(Self {
            before,
            user,
            host,
            after,
        })
    }
}

/// Whether one of a name's words, or several in a row, say that it is a secret.
#[must_use]
pub fn is_secret(name: &OsStr) -> bool {
    let name = format!("_{}_", name.to_string_lossy().to_uppercase());
    let mut words = core_data::secret_words().iter();
    words.any(|word| name.contains(word))
}

/// As the value stands inside a JSON text.
fn escaped(value: &str) -> String {
    let text = Value::from(value).to_string();
    text[1..text.len() - 1].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets() -> Secrets {
        let variables = [
            ("API_KEY", "s3cr\"et-value"),
            ("PATH", "/usr/bin:/bin"),
            ("DB_PASSWORD", "short"),
        ];
        Secrets::of(
            variables
                .iter()
                .map(|(name, value)| (OsStr::new(name), OsStr::new(value))),
        )
    }

    #[test]
    fn the_value_of_a_secret_is_in_no_text() {
        assert_eq!(secrets().hidden("it is s3cr\"et-value."), "it is ***.");
        assert_eq!(
            secrets().hidden(r#"{"key":"s3cr\"et-value"}"#),
            r#"{"key":"***"}"#
        );
    }

    #[test]
    fn what_is_no_secret_stays() {
        assert_eq!(
            secrets().hidden("/usr/bin:/bin is short"),
            "/usr/bin:/bin is short"
        );
    }

    #[test]
    fn a_password_in_an_address_is_in_no_text() {
        let table = [
            ("http://me:hunter2@proxy:8080/x", "http://***@proxy:8080/x"),
            ("postgres://me:p@ss@db/x?a=b@c", "postgres://***@db/x?a=b@c"),
            ("https://ghp_token@host/x", "https://***@host/x"),
            ("me:hunter2@proxy:1080", "***@proxy:1080"),
            ("ssh://git@host/x", "ssh://git@host/x"),
            ("ada@example.org", "ada@example.org"),
            ("http://host/a@b", "http://host/a@b"),
            ("a:b", "a:b"),
            ("/a:/b@c", "/a:/b@c"),
        ];
        for (value, wanted) in table {
            let (name, value) = (OsStr::new("X"), OsStr::new(value));
            assert_eq!(shown(name, value), wanted);
            let secrets = Secrets::of([(name, value)].into_iter());
            assert_eq!(secrets.hidden(value.to_str().unwrap()), wanted);
        }
        let value = OsStr::new("http://me:correct-horse@proxy");
        let secrets = Secrets::of([(OsStr::new("http_proxy"), value)].into_iter());
        assert_eq!(secrets.hidden("it is correct-horse"), "it is ***");
    }

    #[test]
    fn secrets_are_known_by_whole_words() {
        for name in [
            "API_KEY",
            "GITHUB_TOKEN",
            "DB_PASSWORD",
            "aws_secret_access_key",
            "SECRET",
        ] {
            assert_eq!(shown(OsStr::new(name), OsStr::new("x")), HIDDEN, "{name}");
        }
        for name in [
            "PATH",
            "KEYBOARD",
            "TOKENIZERS_PARALLELISM",
            "MONKEY",
            "SECRETARY",
        ] {
            assert_eq!(shown(OsStr::new(name), OsStr::new("x")), "x", "{name}");
        }
    }
}

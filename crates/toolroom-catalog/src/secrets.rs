//! Keeps secrets out of what is shown, told and logged. One is known by its variable's
//! name, as core's data says, or as the password in an address; its value is one wherever
//! else it stands. Only who shows something asks: a call itself costs nothing here.

mod address;
pub mod declared;

use std::borrow::Cow;
use std::ffi::OsStr;

use serde_json::Value;
use toolroom_kernel::World;
use toolroom_kernel::resolve::Resolution;

use self::address::Credentials;
use crate::core_data;

/// What stands for a secret.
pub const HIDDEN: &str = "***";
/// Shorter values are too likely to stand in a text by chance.
const SHORTEST: usize = 8;
/// The same for the value of a variable, which is seldom more than one thing.
const SHORTEST_IN_VARIABLE: usize = 6;

/// What must not be given away, longest first.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    hidden: Vec<Hidden>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Hidden {
    text: String,
    shown: String,
    /// Too short to be looked for in any text.
    in_variables_only: bool,
}

impl Secrets {
    /// The secrets of an environment: values of variables that are called so, and the
    /// passwords of addresses.
    pub fn of<'e>(variables: impl Iterator<Item = (&'e OsStr, &'e OsStr)>) -> Self {
        let mut secrets = Self::default();
        for (name, value) in variables {
            let value = value.to_string_lossy();
            if is_secret(name) {
                secrets.hidden.extend(Hidden::value(&value));
            } else if let Some(Credentials { user, host, .. }) = Credentials::of(&value) {
                let password = user.split_once(':').map_or(user, |(_, password)| password);
                secrets.hidden.extend(Hidden::value(password));
                secrets.hidden.push(Hidden {
                    text: format!("{user}@{host}"),
                    shown: format!("{HIDDEN}@{host}"),
                    in_variables_only: false,
                });
            }
        }
        secrets.in_order()
    }

    /// The secrets of a resolved environment. What lay below it counts as well: a variable
    /// may be filled in from another that was set anew later, or is not passed on.
    #[must_use]
    pub fn of_resolution(world: &World, resolution: &Resolution) -> Self {
        let env = resolution.env.values();
        let is_left_out = |(name, value): &(&OsStr, &OsStr)| env.get_os(name) != Some(value);
        let below = world.env.iter().filter(is_left_out);
        Self::of(below.chain(resolution.env.covered()).chain(env.iter()))
    }

    /// These secrets, and values that are known to be some.
    #[must_use]
    pub fn and<'v>(mut self, values: impl IntoIterator<Item = &'v str>) -> Self {
        let values = values.into_iter().filter_map(Hidden::value);
        self.hidden.extend(values);
        self.in_order()
    }

    fn in_order(mut self) -> Self {
        let escaped: Vec<Hidden> = self.hidden.iter().filter_map(Hidden::escaped).collect();
        self.hidden.extend(escaped);
        self.hidden
            .sort_by(|a, b| b.text.len().cmp(&a.text.len()).then_with(|| a.cmp(b)));
        self.hidden.dedup();
        self
    }

    /// A text without any secret, be it plain or inside JSON.
    #[must_use]
    pub fn hidden<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let in_any_text = |hidden: &&Hidden| !hidden.in_variables_only;
        without(text.into(), self.hidden.iter().filter(in_any_text))
    }

    /// A variable's value as it may be shown.
    #[must_use]
    pub fn shown<'v>(&self, name: &OsStr, value: &'v OsStr) -> Cow<'v, str> {
        if is_secret(name) && !value.is_empty() {
            return HIDDEN.into();
        }
        let value = address::without_credentials(value.to_string_lossy());
        without(value, self.hidden.iter())
    }

    /// Hides secrets in every text of a value.
    pub fn hide(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Cow::Owned(hidden) = self.hidden(text) {
                    *text = hidden;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.hide(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

fn without<'t, 'h>(
    mut text: Cow<'t, str>,
    hidden: impl Iterator<Item = &'h Hidden>,
) -> Cow<'t, str> {
    for secret in hidden {
        if text.contains(secret.text.as_str()) {
            text = Cow::Owned(text.replace(secret.text.as_str(), &secret.shown));
        }
    }
    text
}

impl Hidden {
    fn value(value: &str) -> Option<Self> {
        (value.len() >= SHORTEST_IN_VARIABLE).then(|| Self {
            text: value.to_owned(),
            shown: HIDDEN.to_owned(),
            in_variables_only: value.len() < SHORTEST,
        })
    }

    /// As it stands inside a JSON text, if that is another form.
    fn escaped(&self) -> Option<Self> {
        let text = escaped(&self.text);
        let shown = escaped(&self.shown);
        (text != self.text).then_some(Self {
            text,
            shown,
            in_variables_only: self.in_variables_only,
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

    fn shown(name: &str, value: &str) -> String {
        let secrets = secrets().and(["hunter2"]);
        secrets.shown(name.as_ref(), value.as_ref()).into_owned()
    }

    #[test]
    fn a_variable_shows_no_other_ones_secret() {
        assert_eq!(shown("OTHER", "s3cr\"et-value"), "***");
        assert_eq!(
            shown("URL", "http://h/?k=s3cr\"et-value&x"),
            "http://h/?k=***&x"
        );
        assert_eq!(shown("OTHER", "is hunter2"), "is ***");
        assert_eq!(shown("OTHER", "is short"), "is short");
        assert_eq!(secrets().and(["hunter2"]).hidden("hunter2"), "hunter2");
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
            assert_eq!(Secrets::default().shown(name, value), wanted);
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
            assert_eq!(shown(name, "x"), HIDDEN, "{name}");
        }
        for name in [
            "PATH",
            "KEYBOARD",
            "TOKENIZERS_PARALLELISM",
            "MONKEY",
            "SECRETARY",
        ] {
            assert_eq!(shown(name, "x"), "x", "{name}");
        }
    }
}

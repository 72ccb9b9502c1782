//! Keeps the values of secrets out of what is told and logged. A secret is known by its
//! variable's name, as core's data says.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::sync::LazyLock;

use serde_json::Value;

use crate::core_data;

/// What stands for a secret.
pub const HIDDEN: &str = "***";
/// Shorter values are too likely to stand in a text by chance.
const SHORTEST: usize = 8;

/// The values that must not be given away, longest first.
#[derive(Debug, Clone, Default)]
pub struct Secrets {
    values: Vec<String>,
}

impl Secrets {
    /// The secrets of an environment.
    pub fn of<'e>(variables: impl Iterator<Item = (&'e OsStr, &'e OsStr)>) -> Self {
        let mut values: Vec<String> = variables
            .filter(|(name, _)| is_secret(name))
            .filter_map(|(_, value)| value.to_str())
            .filter(|value| value.len() >= SHORTEST)
            .flat_map(|value| [value.to_owned(), escaped(value)])
            .collect();
        values.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        values.dedup();
        Self { values }
    }

    /// A text without the value of any secret, be it plain or inside JSON.
    #[must_use]
    pub fn hidden<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for value in &self.values {
            if text.contains(value.as_str()) {
                text = Cow::Owned(text.replace(value.as_str(), HIDDEN));
            }
        }
        text
    }
}

static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let data: Value = core_data::text("environment.yaml")
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    let words = data["secret_words"].as_array().into_iter().flatten();
    words
        .filter_map(Value::as_str)
        .map(|word| format!("_{word}_"))
        .collect()
});

/// Whether one of a name's words, or several in a row, say that it is a secret.
#[must_use]
pub fn is_secret(name: &OsStr) -> bool {
    let name = format!("_{}_", name.to_string_lossy().to_uppercase());
    WORDS.iter().any(|word| name.contains(word.as_str()))
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
}

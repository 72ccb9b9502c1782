//! A tool's id: its path below `tools/`, without the extension.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::explain::Explain;

const MAX_LENGTH: usize = 255;

/// A validated id such as `web/fetch`: relative, no `..`, no control characters, so that
/// joining it to a space's directory can never leave that space.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ToolId(String);

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{text:?} is not a tool id: {reason}")]
pub struct InvalidId {
    pub text: String,
    pub reason: &'static str,
}

impl Explain for InvalidId {
    fn code(&self) -> &'static str {
        "catalog::invalid_id"
    }

    fn help(&self) -> Option<String> {
        Some(
            "an id is the tool's path below tools/ without its extension, such as web/fetch".into(),
        )
    }
}

impl ToolId {
    /// Checks a text and takes it as an id.
    ///
    /// # Errors
    /// Fails for anything that could name a file outside its space.
    pub fn parse(text: &str) -> Result<Self, InvalidId> {
        Self::try_from(text.to_owned())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last part: `fetch` of `web/fetch`.
    #[must_use]
    pub fn name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }

    /// What stands before the name: `web` of `web/fetch`, nothing of `fetch`.
    #[must_use]
    pub fn category(&self) -> Option<&str> {
        self.0.rsplit_once('/').map(|(category, _)| category)
    }
}

/// Whether a text is an id by its characters alone, as most are.
fn is_plain(text: &str) -> bool {
    let mut begins = true;
    for byte in text.bytes() {
        let is_word = byte.is_ascii_alphanumeric() || byte == b'_';
        if !is_word && (begins || !matches!(byte, b'/' | b'.' | b'-')) {
            return false;
        }
        begins = byte == b'/';
    }
    !begins && text.len() <= MAX_LENGTH
}

fn fault(text: &str) -> Option<&'static str> {
    if is_plain(text) {
        return None;
    }
    if text.is_empty() {
        return Some("it is empty");
    }
    if text.len() > MAX_LENGTH {
        return Some("it is longer than 255 bytes");
    }
    if text.chars().any(char::is_control) {
        return Some("it has control characters");
    }
    if text.contains('\\') {
        return Some("it has a backslash; parts are separated by /");
    }
    if text.starts_with('/') {
        return Some("it is an absolute path");
    }
    let has_drive = text.as_bytes().get(1) == Some(&b':');
    if has_drive {
        return Some("it begins like a drive");
    }
    for part in text.split('/') {
        match part {
            "" => return Some("it has an empty part"),
            "." | ".." => return Some("it would leave its space"),
            _ => {}
        }
    }
    None
}

impl fmt::Display for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for ToolId {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<Self, InvalidId> {
        match fault(&text) {
            None => Ok(Self(text)),
            Some(reason) => Err(InvalidId {
                text: text.chars().take(80).collect(),
                reason,
            }),
        }
    }
}

impl From<ToolId> for String {
    fn from(id: ToolId) -> Self {
        id.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_knows_its_name_and_category() {
        let id = ToolId::parse("web/http/fetch").unwrap();
        assert_eq!(id.name(), "fetch");
        assert_eq!(id.category(), Some("web/http"));
        assert_eq!(ToolId::parse("fetch").unwrap().category(), None);
    }

    #[test]
    fn whatever_could_leave_the_space_is_no_id() {
        for text in [
            "",
            "/etc/passwd",
            "../up",
            "a/../b",
            "a/./b",
            "a//b",
            "a/",
            "C:/x",
            "a\\b",
            "a\nb",
            "a\u{7f}b",
            "a\0b",
        ] {
            assert!(ToolId::parse(text).is_err(), "{text:?} was taken as an id");
        }
        assert!(ToolId::parse(&"x".repeat(256)).is_err());
    }

    #[test]
    fn spaces_dots_and_other_scripts_are_fine_in_an_id() {
        for text in ["my tool", "v1.2/run", "größe/測試", "a-b_c"] {
            assert!(ToolId::parse(text).is_ok(), "{text:?} was refused");
        }
    }
}

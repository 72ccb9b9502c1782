//! What may be shown or logged of texts that come from a project or a program: all but
//! credentials. Plans, the journal, progress and errors go through here; only commands that
//! are run see the texts themselves.

use std::ffi::OsStr;

use toolroom_catalog::secrets::{HIDDEN, Secrets, is_secret};
use toolroom_kernel::World;

/// Hides the credentials in addresses, and what the world's variables hold of secrets.
#[derive(Debug, Clone, Default)]
pub(crate) struct Redaction {
    secrets: Secrets,
}

impl Redaction {
    pub(crate) fn of(world: &World) -> Self {
        Self {
            secrets: Secrets::of(world.env.iter()),
        }
    }

    pub(crate) fn text(&self, text: &str) -> String {
        self.secrets.hidden(&redacted(text)).into_owned()
    }

    /// A command, also without what a flag that says so gives away.
    pub(crate) fn argv(&self, argv: &[String]) -> Vec<String> {
        let mut is_value = false;
        let shown = argv.iter().map(|word| {
            let was_asked_for = std::mem::take(&mut is_value) && !word.starts_with('-');
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word.as_str(), None),
            };
            let tells = name.starts_with('-') && names_secret(name);
            is_value = tells && value.is_none();
            match value {
                _ if was_asked_for => HIDDEN.to_owned(),
                Some(_) if tells => format!("{name}={HIDDEN}"),
                _ => self.text(word),
            }
        });
        shown.collect()
    }
}

/// A text with the credentials of every address in it hidden.
#[must_use]
pub(crate) fn redacted(text: &str) -> String {
    without_tokens(&without_users(text))
}

fn without_users(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        shown.push_str(before);
        rest = match user_end(after) {
            Some(user) if !after[..user].starts_with("${") || after[..user].contains(':') => {
                shown.push_str(HIDDEN);
                &after[user..]
            }
            _ => after,
        };
    }
    shown.push_str(rest);
    shown
}

/// Where the user and password before a host end, if there are any.
fn user_end(address: &str) -> Option<usize> {
    let address = address.split(char::is_whitespace).next()?;
    let authority = address.split(['/', '?', '#']).next()?;
    if let Some(at) = authority.rfind('@') {
        return Some(at);
    }
    // `user:pass/word@host` is against the rules, and written all the same.
    let (_, port) = authority.split_once(':')?;
    let is_host = authority.starts_with('[') || port.chars().all(|c| c.is_ascii_digit());
    address.rfind('@').filter(|_| !is_host)
}

/// `?token=…` and its like.
fn without_tokens(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['?', '&']) {
        let (before, after) = rest.split_at(at + 1);
        shown.push_str(before);
        rest = after;
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let Some((name, value)) = after.split_once('=') else {
            continue;
        };
        if name.chars().all(is_name) && names_secret(name) {
            let ends = |c: char| c.is_whitespace() || matches!(c, '&' | '#' | '"' | '\'');
            let end = value.find(ends).unwrap_or(value.len());
            shown.push_str(name);
            shown.push('=');
            shown.push_str(HIDDEN);
            rest = &value[end..];
        }
    }
    shown.push_str(rest);
    shown
}

fn names_secret(name: &str) -> bool {
    is_secret(OsStr::new(&name.replace(['-', '.'], "_")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Room;

    #[test]
    fn the_credentials_of_an_address_are_never_shown() {
        let table = [
            (
                "x @ https://user:hunter2@host/x.whl",
                "x @ https://***@host/x.whl",
            ),
            ("git+https://token@host/a@v1", "git+https://***@host/a@v1"),
            ("https://me:p@ss@host/x", "https://***@host/x"),
            ("https://me:pa/ss?#@host/x", "https://***@host/x"),
            (
                "a http://u:p@one b http://u:p@two c",
                "a http://***@one b http://***@two c",
            ),
            ("https://${USER}:${WORD}@h/x", "https://***@h/x"),
            (
                "https://h/x?access-token=abc&v=1#sha256=0",
                "https://h/x?access-token=***&v=1#sha256=0",
            ),
            ("https://h/?v=1&api_key=abc", "https://h/?v=1&api_key=***"),
        ];
        for (text, wanted) in table {
            assert_eq!(redacted(text), wanted);
        }
    }

    #[test]
    fn what_is_no_credential_stays() {
        for text in [
            "x>=1",
            "https://${TOKEN}@h/x",
            "https://h:8080/@scope/x@1",
            "http://[::1]:80/x@1",
            "what? tokens & keys = 3",
            "https://h/x?v=1",
            "://",
        ] {
            assert_eq!(redacted(text), text);
        }
    }

    #[test]
    fn a_command_shows_neither_secret_variables_nor_what_flags_call_secret() {
        let mut room = Room::new();
        room.world.env.set("ACORN_TOKEN", "correct-horse");
        let argv = [
            "get",
            "--for=correct-horse",
            "--password",
            "pw",
            "--auth-key=pw",
            "--token",
            "--all",
        ];
        assert_eq!(
            Redaction::of(&room.world).argv(&argv.map(str::to_owned)),
            [
                "get",
                "--for=***",
                "--password",
                "***",
                "--auth-key=***",
                "--token",
                "--all"
            ]
        );
    }
}

//! The user and password in an address, which are a secret whatever the variable is called.

use std::borrow::Cow;

use super::HIDDEN;

/// A value with its user and password hidden, if it is an address that has them.
pub(super) fn without_credentials(value: Cow<'_, str>) -> Cow<'_, str> {
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
pub(super) struct Credentials<'a> {
    before: &'a str,
    pub(super) user: &'a str,
    pub(super) host: &'a str,
    after: &'a str,
}

impl<'a> Credentials<'a> {
    pub(super) fn of(value: &'a str) -> Option<Self> {
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

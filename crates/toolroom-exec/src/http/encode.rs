//! Percent-encoding, and addresses as errors may show them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Url;

/// Everything but the characters that never mean anything in an address.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A text as one path segment, query name or query value.
#[must_use]
pub fn component(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).to_string()
}

/// An address without what may be secret in it: credentials, query and fragment.
#[must_use]
pub(super) fn shown(url: &Url) -> String {
    let mut shown = url.clone();
    let has_query = shown.query().is_some();
    shown.set_query(None);
    shown.set_fragment(None);
    // These fail only for addresses that can hold no credentials.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    format!("{shown}{}", if has_query { "?…" } else { "" })
}

/// The same for an address that was not read yet.
#[must_use]
pub fn shown_address(written: &str) -> String {
    Url::parse(written).map_or_else(|_| shown_text(written), |url| shown(&url))
}

/// The same for a text that is no address, of which little can be said.
#[must_use]
pub(super) fn shown_text(text: &str) -> String {
    const LONGEST: usize = 100;
    let end = text.find(['?', '#']).unwrap_or(text.len());
    let text = &text[..end];
    let host = text.rfind('@').map_or(0, |at| at + 1);
    text[host..].chars().take(LONGEST).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_holds_nothing_that_could_end_it() {
        assert_eq!(
            component("a b/../c?x=1&y#z%"),
            "a%20b%2F..%2Fc%3Fx%3D1%26y%23z%25"
        );
        assert_eq!(component("grüß-_.~"), "gr%C3%BC%C3%9F-_.~");
    }

    #[test]
    fn what_may_be_secret_is_not_shown() {
        let url = Url::parse("https://me:pass@host:8443/a/b?token=t#f").unwrap();
        assert_eq!(shown(&url), "https://host:8443/a/b?…");
        assert_eq!(shown_text("http//me:pass@host/?t=1"), "host/");
    }
}

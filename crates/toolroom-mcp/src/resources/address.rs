//! Addresses as clients write them: some send back what they were shown, others escape it
//! anew, or less.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// What may not stand in the path of an address as it is.
const ESCAPED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A path as part of an address.
#[must_use]
pub fn escaped(path: &str) -> String {
    utf8_percent_encode(path, ESCAPED).to_string()
}

/// What an address, or part of one, stands for; none if that is no text.
#[must_use]
pub fn plain(address: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(address).decode_utf8().ok()
}

/// Whether two addresses stand for the same.
#[must_use]
pub fn are_same(one: &str, other: &str) -> bool {
    one == other || plain(one).is_some_and(|one| plain(other) == Some(one))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_address_is_the_same_however_it_is_escaped() {
        let shown = escaped("sub/b c%20(é).txt");
        assert_eq!(shown, "sub/b%20c%2520(%C3%A9).txt");
        for same in [
            "sub/b%20c%2520(%c3%a9).txt",
            "sub/b c%2520%28é%29.txt",
            "s%75b/b%20c%2520(%C3%A9).txt",
        ] {
            assert!(are_same(&shown, same), "{same}");
        }
        for other in [
            "sub/b%20c%20(%C3%A9).txt",
            "sub/b+c%2520(%C3%A9).txt",
            "%ff",
        ] {
            assert!(!are_same(&shown, other), "{other}");
        }
    }

    proptest! {
        #[test]
        fn every_path_comes_back(path in ".{0,40}") {
            let escaped = escaped(&path);
            prop_assert_eq!(plain(&escaped).unwrap(), path);
        }
    }
}

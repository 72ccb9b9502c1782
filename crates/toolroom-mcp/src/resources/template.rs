//! Matches addresses against templates: `{name}` is one part, `{+name}` may hold `/`.

use super::address;

const LONGEST: usize = 4096;

/// What each name stands for, if the address fits.
#[must_use]
pub fn matched(template: &str, uri: &str) -> Option<Vec<(String, String)>> {
    if uri.len() > LONGEST {
        return None;
    }
    let mut values = Vec::new();
    let (mut pattern, mut rest) = (template, uri);
    loop {
        let Some(open) = pattern.find('{') else {
            return (pattern == rest).then_some(values);
        };
        rest = rest.strip_prefix(&pattern[..open])?;
        let close = pattern[open..].find('}')? + open;
        let name = &pattern[open + 1..close];
        let (name, may_hold_slash) = match name.strip_prefix('+') {
            Some(name) => (name, true),
            None => (name, false),
        };
        pattern = &pattern[close + 1..];
        // The text up to the next name decides where this one ends.
        let next = &pattern[..pattern.find('{').unwrap_or(pattern.len())];
        let end = if next.is_empty() {
            rest.len()
        } else {
            rest.find(next)?
        };
        let value = address::plain(&rest[..end])?;
        if value.is_empty() || (!may_hold_slash && value.contains('/')) {
            return None;
        }
        values.push((name.to_owned(), value.into_owned()));
        rest = &rest[end..];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Case<'c> = (&'c str, &'c str, Option<&'c [(&'c str, &'c str)]>);

    #[test]
    fn names_stand_for_parts_of_the_address() {
        let cases: &[Case<'_>] = &[
            (
                "test://t/{id}/data",
                "test://t/123/data",
                Some(&[("id", "123")]),
            ),
            ("test://t/{id}/data", "test://t//data", None),
            ("test://t/{id}", "test://t/a/b", None),
            ("test://t/{+path}", "test://t/a/b", Some(&[("path", "a/b")])),
            ("x://{a}-{b}", "x://1-2", Some(&[("a", "1"), ("b", "2")])),
            ("x://{a", "x://1", None),
            ("x://{a}", "x://b%20%C3%A9", Some(&[("a", "b é")])),
            ("x://{a}", "x://..%2fb", None),
            ("x://{+a}", "x://c%2fb", Some(&[("a", "c/b")])),
            ("x://{a}", "x://%ff", None),
        ];
        for (template, uri, wanted) in cases {
            let wanted = wanted.map(|pairs| {
                pairs
                    .iter()
                    .map(|(a, b)| ((*a).to_owned(), (*b).to_owned()))
                    .collect::<Vec<_>>()
            });
            assert_eq!(matched(template, uri), wanted, "{template} {uri}");
        }
    }

    proptest! {
        #[test]
        fn nothing_makes_it_panic(template in ".{0,40}", uri in ".{0,40}") {
            let _ = matched(&template, &uri);
        }
    }
}

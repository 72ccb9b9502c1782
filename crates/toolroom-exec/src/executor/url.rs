//! Fills in an address: every parameter is encoded for the place it stands in.
//!
//! A `${VAR}` is the operator's word and stays as it is. A parameter is the caller's: in
//! the path it is one segment, in the query one value, in the host it may only be a host.
//! No parameter can leave its place. One that begins the address is the address.

use std::ops::Range;

use percent_encoding::percent_decode_str;
use serde_json::Value;
use std::borrow::Cow;
use toolroom_kernel::template::{Placeholder, Scope, Template, TemplateError, Unset};

use crate::http::component;

/// Stands around the name of a placeholder until its place is known. No variable can hold
/// it, and no address may.
const MARK: char = '\0';

/// Why an address cannot be filled in.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub(super) enum UrlFault {
    #[error(transparent)]
    Template(#[from] TemplateError),
    #[error("{0}")]
    Place(String),
}

/// Where in an address a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Position {
    Scheme,
    Host,
    Path,
    Later,
}

/// Fills in the address of a request.
pub(super) fn fill(text: &str, scope: &dyn Scope) -> Result<String, UrlFault> {
    if text.contains(MARK) {
        return Err(UrlFault::Place("it has NUL in it".to_owned()));
    }
    let marked = Template::parse(text)?.expand(&Marking(scope), Unset::Error)?;
    let mut out = String::with_capacity(marked.len());
    let mut segments = Vec::new();
    let mut pieces = marked.split(MARK).peekable();
    // Plain text and placeholders take turns, and plain text comes first and last.
    while let Some(plain) = pieces.next() {
        out.push_str(plain);
        let Some(path) = pieces.next() else { break };
        let value = value_of(path, scope);
        let is_whole = out.is_empty() && !pieces.peek().is_some_and(|next| next.starts_with(':'));
        let start = out.len();
        match place(&out) {
            _ if is_whole => out.push_str(&value),
            Position::Path => {
                out.push_str(&component(&value));
                segments.push((path, start..out.len()));
            }
            Position::Later => out.push_str(&component(&value)),
            Position::Scheme | Position::Host => {
                if !is_host(&value) {
                    let reason = format!("{{{path}}} is not the name of a host");
                    return Err(UrlFault::Place(reason));
                }
                out.push_str(&value);
            }
        }
    }
    for (path, range) in segments {
        check_segment(path, range, &out)?;
    }
    Ok(out)
}

/// Gives every placeholder its own name, marked, in place of its value.
struct Marking<'s>(&'s dyn Scope);

impl Scope for Marking<'_> {
    fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        self.0.variable(name)
    }

    fn placeholder(&self, path: &str) -> Placeholder<'_> {
        match self.0.placeholder(path) {
            Placeholder::Value(_) => Placeholder::text(format!("{MARK}{path}{MARK}")),
            other => other,
        }
    }
}

fn value_of(path: &str, scope: &dyn Scope) -> String {
    match scope.placeholder(path) {
        Placeholder::Value(value) => match value.as_ref() {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        },
        Placeholder::Absent | Placeholder::NotText | Placeholder::Unknown => String::new(),
    }
}

fn place(before: &str) -> Position {
    let Some((_, rest)) = before.split_once("://") else {
        return Position::Scheme;
    };
    match rest.find(['/', '?', '#']) {
        None => Position::Host,
        Some(_) if rest.contains(['?', '#']) => Position::Later,
        Some(_) => Position::Path,
    }
}

fn is_host(value: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':' | '[' | ']');
    !value.is_empty() && value.chars().all(is_part)
}

/// A segment that a parameter has a part in must be one: nothing and dots would lead to
/// another resource, however they are encoded.
fn check_segment(path: &str, value: Range<usize>, url: &str) -> Result<(), UrlFault> {
    let start = url[..value.start].rfind('/').map_or(0, |slash| slash + 1);
    let end = url[value.end..]
        .find(['/', '?', '#'])
        .map_or(url.len(), |at| value.end + at);
    let segment = percent_decode_str(&url[start..end]).decode_utf8_lossy();
    if matches!(&*segment, "" | "." | "..") {
        let reason = format!("{{{path}}} is {segment:?}, which is not a part of a path");
        return Err(UrlFault::Place(reason));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    struct Params(Value);

    impl Scope for Params {
        fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
            (name == "BASE").then_some(Cow::Borrowed("https://me@h:1/api?v=1"))
        }

        fn placeholder(&self, path: &str) -> Placeholder<'_> {
            Placeholder::at(&self.0, path)
        }
    }

    fn filled(text: &str, x: impl Into<Value>) -> Result<String, UrlFault> {
        fill(
            text,
            &Params(json!({"x": x.into(), "y": "..", "null": null})),
        )
    }

    #[test]
    fn a_parameter_is_encoded_for_its_place() {
        let cases = [
            (
                "http://h/u/{x}",
                "a b/../c?x=1",
                "http://h/u/a%20b%2F..%2Fc%3Fx%3D1",
            ),
            ("http://h/u/{x}/z", "ü#", "http://h/u/%C3%BC%23/z"),
            ("http://h/a.{x}", ".", "http://h/a.."),
            (
                "http://h/?q={x}&r=1",
                "a&b=c +",
                "http://h/?q=a%26b%3Dc%20%2B&r=1",
            ),
            ("http://h?q={x}", "/", "http://h?q=%2F"),
            ("http://h/#{x}", "a b", "http://h/#a%20b"),
            ("http://{x}/p", "h:80", "http://h:80/p"),
            ("{x}", "http://h/a?b#c", "http://h/a?b#c"),
            ("{x}/items/{y}z", "http://h", "http://h/items/..z"),
            ("{x}://h/", "https", "https://h/"),
            ("${BASE}&q={x}", "a/b", "https://me@h:1/api?v=1&q=a%2Fb"),
            ("http://h/{{x}}/$$", "no", "http://h/{x}/$"),
        ];
        for (text, x, wanted) in cases {
            assert_eq!(filled(text, x).as_deref(), Ok(wanted), "{text}");
        }
        assert_eq!(filled("http://h/{x}", 7).unwrap(), "http://h/7");
        assert_eq!(
            filled("http://h/?q={x}", json!([1])).unwrap(),
            "http://h/?q=%5B1%5D"
        );
    }

    #[test]
    fn a_parameter_cannot_leave_its_place() {
        let cases = [
            ("http://h/u/{x}", ".."),
            ("http://h/u/{x}/z", "."),
            ("http://h/u/{x}/z", ""),
            ("http://h/.{x}/z", "."),
            ("http://h/%2e{x}?q", "."),
            ("http://h/{x}{x}", "."),
            ("http://{x}/", "evil/path"),
            ("http://{x}.example.org/", "evil.org/?"),
            ("http://{x}/", "user@evil"),
            ("http://{x}/", ""),
            ("{x}://h/", "http://evil/?"),
        ];
        for (text, x) in cases {
            let fault = filled(text, x).unwrap_err();
            assert!(fault.to_string().starts_with("{x} is"), "{text}: {fault}");
        }
    }

    #[test]
    fn what_is_missing_is_named() {
        let message = |text| filled(text, "").unwrap_err().to_string();
        assert!(message("http://${HOST}/").contains("the variable HOST is not set"));
        assert!(message("http://h/{nothing}").contains("{nothing} has no value"));
    }

    proptest! {
        #[test]
        fn no_value_changes_the_rest_of_the_address(x in any::<String>()) {
            if let Ok(url) = filled("http://h/a/{x}/b?q={x}#f", x.as_str()) {
                let url = reqwest::Url::parse(&url).unwrap();
                prop_assert_eq!(url.host_str(), Some("h"));
                prop_assert_eq!(url.path_segments().unwrap().count(), 3);
                prop_assert_eq!(url.query_pairs().count(), 1);
                let decoded = url.query_pairs().next().unwrap().1.into_owned();
                prop_assert_eq!(decoded, x);
                prop_assert_eq!(url.fragment(), Some("f"));
            }
        }
    }
}

//! Checks a request before anything is opened: method, address, headers.

use percent_encoding::percent_decode_str;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};

use super::auth::Auth;
use super::body::Body;
use super::encode::{component, shown};
use super::error::HttpError;
use super::redirect::Hop;
use super::request::Request;

/// Headers that belong to the connection; a wrong one would break the message apart.
const OURS: [&str; 3] = ["content-length", "transfer-encoding", "connection"];

/// The first request of a call.
pub(super) fn plan(request: &Request) -> Result<Hop, HttpError> {
    let mut url = address(&request.url)?;
    let in_url = credentials(&mut url);
    let auth = request.auth.as_ref().or(in_url.as_ref());
    let bad = |reason: String| HttpError::BadRequest {
        url: shown(&url),
        reason,
    };
    let method = method(&request.method).map_err(bad)?;
    let headers = headers(request, auth).map_err(bad)?;
    add_query(&mut url, request, auth);
    Ok(Hop {
        method,
        url,
        headers,
        has_body: request.body != Body::None,
    })
}

fn address(written: &str) -> Result<Url, HttpError> {
    let bad = |reason: String| HttpError::bad_url(written, reason);
    if written.trim().is_empty() {
        return Err(bad("it is empty".to_owned()));
    }
    let mut url = Url::parse(written.trim()).map_err(|error| bad(error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad(format!("{} is neither http nor https", url.scheme())));
    }
    url.set_fragment(None);
    Ok(url)
}

/// Takes the credentials out of an address, so that they are sent but not shown.
fn credentials(url: &mut Url) -> Option<Auth> {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let username = decoded(url.username());
    let password = url.password().map(decoded);
    if username.is_empty() && password.is_none() {
        return None;
    }
    let _ = url.set_username("");
    let _ = url.set_password(None);
    Some(Auth::Basic {
        username,
        password: password.unwrap_or_default(),
    })
}

fn method(written: &str) -> Result<Method, String> {
    let method = Method::from_bytes(written.to_ascii_uppercase().as_bytes())
        .ok()
        .filter(|method| method != Method::CONNECT);
    method.ok_or_else(|| format!("{written:?} is not a method"))
}

fn add_query(url: &mut Url, request: &Request, auth: Option<&Auth>) {
    let declared = request
        .query
        .iter()
        .map(|(name, value)| (&**name, &**value));
    let mut query = url.query().unwrap_or_default().to_owned();
    for (name, value) in declared.chain(auth.and_then(Auth::query)) {
        if !query.is_empty() {
            query.push('&');
        }
        query.push_str(&format!("{}={}", component(name), component(value)));
    }
    if !query.is_empty() {
        url.set_query(Some(&query));
    }
}

fn headers(request: &Request, auth: Option<&Auth>) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in &request.headers {
        let (name, value) = header(name, value)?;
        headers.append(name, value);
    }
    match request.body.content_type() {
        Some(kind) if !headers.contains_key(CONTENT_TYPE) => {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        }
        Some(_) => {}
        None if matches!(request.body, Body::Multipart(_)) => {
            headers.remove(CONTENT_TYPE);
        }
        None => {}
    }
    if let Some((name, value)) = auth.and_then(Auth::header) {
        let (name, mut value) = header(name, &value)?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// A header, unless it could break out of its line.
fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let parsed = HeaderName::from_bytes(name.trim().as_bytes())
        .map_err(|_| format!("{name:?} is not the name of a header"))?;
    if OURS.contains(&parsed.as_str()) {
        return Err(format!("the header {parsed} is not for a tool to set"));
    }
    let value = HeaderValue::from_bytes(value.trim_matches([' ', '\t']).as_bytes())
        .map_err(|_| format!("the header {parsed} has a line break or control character in it"))?;
    Ok((parsed, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolroom_kernel::Explain as _;

    #[test]
    fn a_header_cannot_break_out_of_its_line() {
        let cases = [
            ("x", "a\r\nEvil: 1", "the header x has a line break"),
            ("x", "a\nb", "the header x has a line break"),
            ("x", "a\0", "the header x has a line break"),
            ("x\r\ny", "1", "is not the name of a header"),
            ("", "1", "is not the name of a header"),
            ("Content-Length", "1", "is not for a tool to set"),
        ];
        for (name, value, wanted) in cases {
            let mut request = Request::get("http://h/");
            request.headers.push((name.to_owned(), value.to_owned()));
            let error = plan(&request).unwrap_err().to_string();
            assert!(error.contains(wanted), "{error}");
        }
        let mut request = Request::get("http://h/");
        request.headers.push(("x".to_owned(), "grüß".to_owned()));
        assert!(plan(&request).is_ok());
    }

    #[test]
    fn credentials_leave_the_address_and_arrive_as_a_header() {
        let hop = plan(&Request::get("https://me:p%40ss@h/p?x=1#f")).unwrap();
        assert_eq!(hop.url.as_str(), "https://h/p?x=1");
        assert_eq!(hop.headers["authorization"], "Basic bWU6cEBzcw==");
    }

    #[test]
    fn the_query_is_joined_and_encoded() {
        let mut request = Request::get("http://h/p?a=%20");
        request.query = vec![("b c".into(), "d&e=f".into()), ("b c".into(), "ü".into())];
        request.auth = Some(Auth::Query {
            name: "key".into(),
            value: "k/1".into(),
        });
        let hop = plan(&request).unwrap();
        let wanted = "http://h/p?a=%20&b%20c=d%26e%3Df&b%20c=%C3%BC&key=k%2F1";
        assert_eq!(hop.url.as_str(), wanted);
    }

    #[test]
    fn an_address_that_is_none_is_named_without_its_secrets() {
        for (url, wanted) in [
            ("", "\"\" is not an address: it is empty"),
            ("me:secret@host/?t=secret", "\"host/\" is not an address"),
            ("ftp://h/", "ftp is neither http nor https"),
            ("http://", "\"http://\" is not an address: empty host"),
            ("/relative", "\"/relative\" is not an address"),
        ] {
            let error = plan(&Request::get(url)).unwrap_err();
            assert_eq!(error.code(), "http::bad_url");
            assert!(error.to_string().contains(wanted), "{error}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}

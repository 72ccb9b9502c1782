//! Where a redirect leads, and what may go there.

use reqwest::header::{
    ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, HeaderMap, HeaderName, LOCATION, USER_AGENT,
};
use reqwest::{Method, StatusCode, Url};

use super::encode::{shown, shown_text};
use super::error::HttpError;

/// What another origin is told. Any other header may hold credentials.
const FOR_STRANGERS: [HeaderName; 4] = [ACCEPT, ACCEPT_LANGUAGE, CONTENT_TYPE, USER_AGENT];

/// One request on the way to an answer.
#[derive(Debug, Clone)]
pub(super) struct Hop {
    pub(super) method: Method,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) has_body: bool,
}

impl Hop {
    /// The next request, if the answer to this one is a redirect.
    pub(super) fn next(
        &self,
        status: StatusCode,
        answer: &HeaderMap,
    ) -> Result<Option<Self>, HttpError> {
        let is_redirect = matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308);
        let Some(location) = answer.get(LOCATION).filter(|_| is_redirect) else {
            return Ok(None);
        };
        let mut next = self.clone();
        next.url = self.target(location.as_bytes())?;
        if becomes_get(status, &self.method) {
            next.method = Method::GET;
            next.has_body = false;
            next.headers.remove(CONTENT_TYPE);
        }
        if next.url.origin() != self.url.origin() {
            next.headers = FOR_STRANGERS
                .into_iter()
                .filter_map(|name| Some((name.clone(), next.headers.get(name)?.clone())))
                .collect();
        }
        Ok(Some(next))
    }

    fn target(&self, location: &[u8]) -> Result<Url, HttpError> {
        let bad = |reason: String| HttpError::BadRedirect {
            url: shown(&self.url),
            reason,
        };
        let text = std::str::from_utf8(location).map_err(|_| bad("it is not text".into()))?;
        let mut target = self
            .url
            .join(text)
            .map_err(|error| bad(format!("{:?}: {error}", shown_text(text))))?;
        if !matches!(target.scheme(), "http" | "https") {
            return Err(bad(format!("{} is not HTTP", target.scheme())));
        }
        // A server does not choose the credentials we show to the next one.
        let _ = target.set_username("");
        let _ = target.set_password(None);
        target.set_fragment(None);
        Ok(target)
    }
}

fn becomes_get(status: StatusCode, method: &Method) -> bool {
    match status.as_u16() {
        303 => method != Method::HEAD,
        301 | 302 => method == Method::POST,
        _ => false,
    }
}

/// The addresses a call has come through.
#[derive(Debug, Default)]
pub(super) struct Trail(Vec<(Method, Url)>);

impl Trail {
    /// Notes a step; an address that was there before makes a circle.
    pub(super) fn step(&mut self, hop: &Hop, limit: u32) -> Result<(), HttpError> {
        let place = (hop.method.clone(), hop.url.clone());
        if self.0.contains(&place) {
            return Err(HttpError::RedirectCircle {
                url: shown(&hop.url),
            });
        }
        if self.0.len() > limit as usize {
            return Err(HttpError::TooManyRedirects {
                url: shown(&hop.url),
                limit,
            });
        }
        self.0.push(place);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hop(method: Method) -> Hop {
        let headers = [
            ("authorization", "Bearer t"),
            ("x-api-key", "k"),
            ("cookie", "c"),
            ("accept", "text/html"),
            ("content-type", "application/json"),
        ];
        Hop {
            method,
            url: Url::parse("https://a.example/x/y?q=1").unwrap(),
            headers: headers
                .into_iter()
                .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
                .collect(),
            has_body: true,
        }
    }

    fn next(from: &Hop, status: u16, location: &str) -> Result<Option<Hop>, HttpError> {
        let answer = [(LOCATION, location.parse().unwrap())]
            .into_iter()
            .collect();
        from.next(StatusCode::from_u16(status).unwrap(), &answer)
    }

    #[test]
    fn methods_change_as_browsers_change_them() {
        let cases = [
            (301, Method::POST, Method::GET),
            (302, Method::POST, Method::GET),
            (302, Method::PUT, Method::PUT),
            (303, Method::PUT, Method::GET),
            (303, Method::HEAD, Method::HEAD),
            (307, Method::POST, Method::POST),
            (308, Method::PATCH, Method::PATCH),
        ];
        for (status, from, to) in cases {
            let next = next(&hop(from.clone()), status, "/z").unwrap().unwrap();
            assert_eq!(next.method, to, "{status} {from}");
            assert_eq!(next.has_body, from == to, "{status} {from}");
            assert_eq!(next.url.as_str(), "https://a.example/z");
        }
        assert!(next(&hop(Method::GET), 304, "/z").unwrap().is_none());
    }

    #[test]
    fn another_origin_sees_no_credentials() {
        let same = next(&hop(Method::GET), 307, "other").unwrap().unwrap();
        assert!(same.headers.contains_key("authorization"));
        for location in [
            "https://b.example/",
            "http://a.example/",
            "https://a.example:444/",
            "//b.example/",
        ] {
            let other = next(&hop(Method::GET), 307, location).unwrap().unwrap();
            let names: Vec<_> = other.headers.keys().map(HeaderName::as_str).collect();
            assert_eq!(names, ["accept", "content-type"], "{location}");
        }
        let named = next(&hop(Method::GET), 302, "https://u:p@b.example/");
        assert_eq!(named.unwrap().unwrap().url.as_str(), "https://b.example/");
    }

    #[test]
    fn a_redirect_leads_to_http_or_nowhere() {
        for location in [
            "file:///etc/passwd",
            "ftp://b.example/",
            "http://",
            "data:,x",
        ] {
            let error = next(&hop(Method::GET), 302, location).unwrap_err();
            assert!(matches!(error, HttpError::BadRedirect { .. }), "{location}");
        }
    }
}

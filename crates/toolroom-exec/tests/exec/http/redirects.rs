//! Where redirects lead, and what they may not.

use toolroom_exec::http::{Auth, Body};
use toolroom_test::Server;

use super::*;

/// A server whose paths name where they lead: `/302/next` and so on.
fn signposts(target: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Server {
    Server::start(move |request, connection| match target(&request.target) {
        Some(location) => connection.answer("307 Over there", &[("Location", &location)], ""),
        None => connection.json(format!("\"{}\"", request.target)),
    })
}

#[test]
fn a_redirect_is_followed_to_its_end() {
    let server = signposts(|path| match path {
        "/a/b" => Some("../c?x=1".to_owned()),
        "/c?x=1" => Some("/d".to_owned()),
        _ => None,
    });
    assert_eq!(data(&get(&server.url("/a/b"))), "/d");
}

#[test]
fn a_circle_ends() {
    let server = signposts(|path| Some(if path == "/a" { "/b" } else { "/a" }.to_owned()));
    let (code, text) = error(&get(&server.url("/a")));
    assert_eq!(code, "http::redirect_circle", "{text}");
    assert_eq!(server.received().len(), 2);
}

#[test]
fn a_way_without_end_ends() {
    let server = signposts(|path| Some(format!("{path}x")));
    let mut request = get(&server.url("/"));
    request.redirects = 3;
    let (code, text) = error(&request);
    assert_eq!(code, "http::too_many_redirects", "{text}");
    assert_eq!(server.received().len(), 4);
}

#[test]
fn with_no_redirects_allowed_one_is_the_answer() {
    let server = signposts(|_| Some("/elsewhere".to_owned()));
    let mut request = get(&server.url("/"));
    request.redirects = 0;
    let found = answer(&request);
    assert_eq!(found.status, 307);
    assert!(
        found
            .headers
            .contains(&("location".to_owned(), "/elsewhere".to_owned()))
    );
}

#[test]
fn another_origin_gets_the_request_but_no_credentials() {
    let other = Server::start(|_, connection| connection.json("1"));
    let there = other.url("/there");
    let server = signposts(move |path| (path == "/").then(|| there.clone()));
    let mut request = method("POST", &server.url("/"));
    request.body = Body::Json("{}".into());
    request.auth = Some(Auth::Header {
        name: "X-Own-Key".into(),
        value: "k".into(),
    });
    for (name, value) in [("Cookie", "c"), ("Authorization", "a"), ("Accept", "x/y")] {
        request.headers.push((name.into(), value.into()));
    }
    assert_eq!(answer(&request).status, 200);
    assert_eq!(server.received()[0].header("x-own-key"), Some("k"));
    let seen = other.received().pop().unwrap();
    assert_eq!((seen.method.as_str(), seen.text().as_str()), ("POST", "{}"));
    assert_eq!(seen.header("accept"), Some("x/y"));
    for name in ["x-own-key", "cookie", "authorization"] {
        assert_eq!(seen.header(name), None);
    }
}

#[test]
fn a_redirect_does_not_lead_to_a_refused_address() {
    for location in [
        "http://169.254.169.254/latest/meta-data",
        "http://[fd00:ec2::254]/",
        "http://metadata.google.internal/",
        "//2852039166/",
    ] {
        let server = signposts(move |_| Some(location.to_owned()));
        let (code, text) = error(&get(&server.url("/")));
        assert_eq!(code, "http::refused_address", "{text}");
    }
    let server = signposts(|_| Some("file:///etc/passwd".to_owned()));
    assert_eq!(error(&get(&server.url("/"))).0, "http::bad_redirect");
}

#[test]
fn a_redirect_says_whether_the_body_goes_along() {
    for (status, method_then, body_then) in [
        ("307 Same", "POST", "{\"a\":1}"),
        ("308 Same", "POST", "{\"a\":1}"),
        ("303 Look", "GET", ""),
        ("302 Found", "GET", ""),
    ] {
        let server = Server::start(move |request, connection| match request.target.as_str() {
            "/" => connection.answer(status, &[("Location", "/next")], ""),
            _ => connection.json("1"),
        });
        let mut request = method("POST", &server.url("/"));
        request.body = Body::Json("{\"a\":1}".into());
        assert_eq!(data(&request), 1);
        let last = server.received().pop().unwrap();
        assert_eq!(
            (last.method.as_str(), last.text().as_str()),
            (method_then, body_then)
        );
        let kind = (method_then == "POST").then_some("application/json");
        assert_eq!(last.header("content-type"), kind, "{status}");
    }
}

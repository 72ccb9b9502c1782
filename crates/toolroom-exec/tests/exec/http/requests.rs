//! What arrives at a server.

use toolroom_exec::http::{Auth, Body, Content, Part};
use toolroom_test::{Received, Server};

use super::*;

fn echo() -> Server {
    Server::start(|_, connection| connection.json("{}"))
}

fn received(server: &Server, request: &Request) -> Received {
    assert_eq!(answer(request).status, 200);
    server.received().pop().unwrap()
}

#[test]
fn every_method_arrives_as_it_is_named() {
    let server = echo();
    for name in [
        "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "get",
    ] {
        let seen = received(&server, &method(name, &server.url("/")));
        assert_eq!(seen.method, name.to_ascii_uppercase());
    }
    let server = Server::start(|_, connection| {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n");
    });
    assert_eq!(data(&method("HEAD", &server.url("/"))), Value::Null);
    assert_eq!(
        error(&method("CONNECT", &server.url("/"))).0,
        "http::bad_request"
    );
    assert_eq!(
        error(&method("A B", &server.url("/"))).0,
        "http::bad_request"
    );
}

#[test]
fn a_body_has_the_content_type_of_its_kind() {
    let server = echo();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let cases = [
        (
            Body::Json("{\"a\":1}".into()),
            "application/json",
            "{\"a\":1}",
        ),
        (Body::Text("ü\n".into()), "text/plain; charset=utf-8", "ü\n"),
        (
            Body::Form(vec![pair("a b", "c&d"), pair("e", "ü")]),
            "application/x-www-form-urlencoded",
            "a%20b=c%26d&e=%C3%BC",
        ),
    ];
    for (body, kind, text) in cases {
        for name in ["POST", "DELETE", "GET"] {
            let mut request = method(name, &server.url("/"));
            request.body = body.clone();
            let seen = received(&server, &request);
            assert_eq!(seen.header("content-type"), Some(kind));
            assert_eq!(seen.text(), text, "{name}");
        }
    }
    let seen = received(&server, &method("POST", &server.url("/")));
    assert_eq!((seen.header("content-type"), seen.body.len()), (None, 0));
}

#[test]
fn a_declared_content_type_wins() {
    let server = echo();
    let mut request = method("POST", &server.url("/"));
    request.body = Body::Json("{}".into());
    request
        .headers
        .push(("content-type".into(), "application/vnd.api+json".into()));
    let seen = received(&server, &request);
    assert_eq!(
        seen.header("content-type"),
        Some("application/vnd.api+json")
    );
}

#[test]
fn parts_carry_texts_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("note.txt");
    fs_err::write(&file, "from a file").unwrap();
    let part = |name: &str, content| Part {
        name: name.to_owned(),
        content,
        file_name: None,
        content_type: None,
    };
    let server = echo();
    let mut request = method("POST", &server.url("/"));
    // A type from elsewhere would lack the boundary.
    request
        .headers
        .push(("Content-Type".into(), "application/json".into()));
    request.body = Body::Multipart(vec![
        part("title", Content::Text("t".into())),
        part("upload", Content::File(file.clone())),
        Part {
            file_name: Some("x\"y.bin".into()),
            content_type: Some("application/x-own".into()),
            ..part("own", Content::File(file))
        },
    ]);
    let seen = received(&server, &request);
    let kind = seen.header("content-type").unwrap();
    assert!(kind.starts_with("multipart/form-data; boundary="), "{kind}");
    let text = seen.text();
    for wanted in [
        "name=\"title\"",
        "name=\"upload\"; filename=\"note.txt\"",
        "Content-Type: text/plain",
        "Content-Type: application/x-own",
        "from a file",
    ] {
        assert!(text.contains(wanted), "{wanted} is not in {text}");
    }
    assert!(!text.contains("x\"y"), "{text}");
    request.body = Body::Multipart(vec![part("f", Content::File("/no/such".into()))]);
    let error = send(&request).unwrap_err();
    assert_eq!(error.code(), "http::unreadable_file");
}

#[test]
fn credentials_arrive_where_they_are_declared() {
    let server = echo();
    let key = |name: &str| (name.to_owned(), "k e&y".to_owned());
    let ((header, in_header), (query, in_query)) = (key("X-Key"), key("api key"));
    let header = Auth::Header {
        name: header,
        value: in_header,
    };
    let query = Auth::Query {
        name: query,
        value: in_query,
    };
    let basic = Auth::Basic {
        username: "ada".into(),
        password: "pä:ss".into(),
    };
    let cases = [
        (
            Auth::Bearer("t".into()),
            "authorization",
            Some("Bearer t"),
            "/",
        ),
        (basic, "authorization", Some("Basic YWRhOnDDpDpzcw=="), "/"),
        (header, "x-key", Some("k e&y"), "/"),
        (query, "authorization", None, "/?api%20key=k%20e%26y"),
    ];
    for (auth, name, value, target) in cases {
        let mut request = get(&server.url("/"));
        request.auth = Some(auth);
        let seen = received(&server, &request);
        assert_eq!((seen.header(name), seen.target.as_str()), (value, target));
    }
    let with_user = server.url("/").replace("http://", "http://ada:x@");
    let seen = received(&server, &get(&with_user));
    assert_eq!(seen.header("authorization"), Some("Basic YWRhOng="));
}

#[test]
fn a_header_with_a_line_break_never_leaves() {
    let server = echo();
    let mut request = get(&server.url("/"));
    request.headers.push(("X".into(), "a\r\nX-Evil: 1".into()));
    assert_eq!(error(&request).0, "http::bad_request");
    request.headers.clear();
    request.auth = Some(Auth::Bearer("a\nb".into()));
    let (code, text) = error(&request);
    assert_eq!(code, "http::bad_request");
    assert!(!text.contains("a\nb"), "{text}");
    assert_eq!(server.connections(), 0);
}

#[test]
fn calls_of_one_runtime_share_a_connection() {
    let server = echo();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        for _ in 0..5 {
            let request = get(&server.url("/"));
            toolroom_exec::http::send(&request, None, &Cancel::new())
                .await
                .unwrap();
        }
    });
    assert_eq!((server.received().len(), server.connections()), (5, 1));
}

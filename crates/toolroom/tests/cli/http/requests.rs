//! What is sent: every place of a request filled in, and what a runtime gives.

use serde_json::{Value, json};

use super::{echo, received, tool};
use crate::context;

#[test]
fn every_place_of_a_request_is_filled_in_and_encoded() {
    let context = context();
    let server = echo();
    context.file(".env", "TOKEN=t0\nUNUSED=x\n");
    tool(
        &context,
        &format!(
            r#"method: POST
url: {}?in={{params.q}}
params: {{q: "{{params.q}}", n: "{{params.n}}", list: [a, "b c"]}}
headers: {{X-Q: "v {{params.q}}", X-List: [a, b]}}
auth: {{type: bearer, token: "${{TOKEN}}"}}
body: {{id: "{{params.id}}", n: "{{params.n}}", text: "n={{params.n}}"}}"#,
            server.url("/u/{params.id}/x")
        ),
    );
    let seen = received(
        &server,
        &context,
        &["--id", "a b/../c?x=1", "--q", "ä&${TOKEN}"],
    );
    let value = "%C3%A4%26%24%7BTOKEN%7D";
    let target = format!("/u/a%20b%2F..%2Fc%3Fx%3D1/x?in={value}&q={value}&n=3&list=a&list=b%20c");
    assert_eq!(seen.target, target);
    assert_eq!(seen.header("x-q"), Some("v ä&${TOKEN}"));
    assert_eq!(seen.header("authorization"), Some("Bearer t0"));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    let body: Value = serde_json::from_str(&seen.text()).unwrap();
    assert_eq!(body, json!({"id": "a b/../c?x=1", "n": 3, "text": "n=3"}));
}

#[test]
fn what_is_not_given_is_left_out() {
    let context = context();
    let server = echo();
    let config = r#"params: {q: "{params.q}"}
headers: {X-Q: "{params.q}"}
body: "{params.q}""#;
    tool(&context, &format!("url: {}\n{config}", server.url("/")));
    let seen = received(&server, &context, &[]);
    assert_eq!((seen.target.as_str(), seen.header("x-q")), ("/", None));
    assert!(seen.body.is_empty());
    let seen = received(&server, &context, &["--params", r#"{"q": ""}"#]);
    assert_eq!(
        (seen.target.as_str(), seen.header("x-q")),
        ("/?q=", Some(""))
    );
}

#[test]
fn a_parameter_cannot_leave_its_place_in_the_address() {
    let context = context();
    let server = echo();
    tool(&context, &format!("url: {}", server.url("/u/{params.id}")));
    for id in ["..", ".", ""] {
        let error = context.error(&["run", "ask", "--params", &json!({"id": id}).to_string()]);
        assert_eq!(error["code"], "http::bad_url", "{error}");
    }
    tool(
        &context,
        &format!(
            "url: {}\nheaders: {{X: \"{{params.id}}\"}}",
            server.url("/")
        ),
    );
    let params = json!({"id": "a\r\nEvil: 1"}).to_string();
    assert_eq!(
        context.error(&["run", "ask", "--params", &params])["code"],
        "http::bad_request"
    );
    assert_eq!(server.connections(), 0);
}

#[test]
fn a_variable_that_is_not_set_is_named() {
    let context = context();
    for config in [
        "url: \"${MISSING_ENDPOINT}/x\"",
        "url: http://127.0.0.1:1/\nheaders: {A: \"${MISSING_ENDPOINT}\"}",
        "url: http://127.0.0.1:1/\nauth: {type: bearer, token: \"${MISSING_ENDPOINT}\"}",
    ] {
        tool(&context, config);
        let output = context.run(&["run", "ask", "--json"]);
        assert_eq!(output.status, 125);
        let error = output.error();
        assert_eq!(error["code"], "template::unset");
        assert!(
            error["message"]
                .as_str()
                .unwrap()
                .contains("MISSING_ENDPOINT"),
            "{error}"
        );
    }
}

/// A runtime as seed 001 writes it, under a name of its own.
const RUNTIME: &str = r#"
__version__ = "1.0.0"
__tool_type__ = "runtime"
__executor_id__ = "http_client"
__category__ = "runtimes"

ENV_CONFIG = {
    "http_client": {
        "type": "http_config",
        "timeout": 30,
        "retries": 3,
        "headers": {
            "Content-Type": "application/json",
            "User-Agent": "RYE/1.0",
        },
    },
}

CONFIG = {
    "method": "POST",
    "url": "${MCP_ENDPOINT}",
    "headers": "${MCP_HEADERS}",
    "timeout": 30,
}
"#;

#[test]
fn a_runtime_gives_defaults_and_a_variable_may_hold_all_headers() {
    let mut context = context();
    let server = echo();
    context.tool("runtimes/service.py", RUNTIME);
    context.tool(
        "ask.yaml",
        "tool_type: http\nexecutor_id: runtimes/service\nconfig: {body: \"{params}\"}\n",
    );
    context.set_env("MCP_ENDPOINT", server.url("/mcp"));
    let seen = received(&server, &context, &["--a", "1"]);
    assert_eq!(
        (seen.method.as_str(), seen.target.as_str()),
        ("POST", "/mcp")
    );
    assert_eq!(seen.header("user-agent"), Some("RYE/1.0"));
    assert_eq!(seen.header("content-type"), Some("application/json"));
    context.set_env("MCP_HEADERS", r#"{"X-One": "1", "user-agent": "Own/2"}"#);
    let seen = received(&server, &context, &[]);
    assert_eq!(seen.header("x-one"), Some("1"));
    assert_eq!(seen.header("user-agent"), Some("Own/2"));
    context.set_env("MCP_HEADERS", "Bearer secret");
    let error = context.error(&["run", "ask"]);
    assert_eq!(error["code"], "exec::bad_config");
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[test]
fn a_config_that_cannot_be_is_named_by_its_key() {
    let context = context();
    for (config, key) in [
        ("method: GET", "config.url"),
        ("url: http://h/\nretry: {attempts: 0}", "config.retry"),
        ("url: http://h/\nbody: 1\nform: {}", "config.form"),
        ("url: http://h/\nauth: {type: magic}", "config.auth"),
        (
            "url: http://h/\nauth: {type: bearer, token: \"\"}",
            "config.auth",
        ),
        ("url: http://h/\nredirects: many", "config.redirects"),
        ("url: http://h/\nstream: 1", "config.stream"),
        ("url: http://h/\nproxy: true", "config.proxy"),
        ("url: http://h/\nmax_response: big", "config.max_response"),
        (
            "url: http://h/\nconnect_timeout: 0",
            "config.connect_timeout",
        ),
        ("url: http://h/\nparams: [1]", "config.params"),
    ] {
        tool(&context, config);
        let error = context.error(&["run", "ask"]);
        assert_eq!(error["code"], "exec::bad_config", "{error}");
        assert!(
            error["message"].as_str().unwrap().starts_with(key),
            "{error}"
        );
    }
}

#[test]
fn files_of_the_project_are_sent_as_parts() {
    let context = context();
    let server = echo();
    context.file("note.txt", "from the project");
    tool(
        &context,
        &format!(
            "method: POST\nurl: {}\nmultipart: {{note: {{file: note.txt}}, n: \"{{params.n}}\"}}",
            server.url("/")
        ),
    );
    let text = received(&server, &context, &[]).text();
    assert!(
        text.contains("filename=\"note.txt\"") && text.contains("from the project"),
        "{text}"
    );
}

#[test]
fn a_body_of_every_kind_is_filled_in_and_has_its_type() {
    let context = context();
    let server = echo();
    let cases = [
        (
            "body: {q: \"{params.q}\"}",
            "application/json",
            "{\"q\":\"a&b=ü\\n\"}",
        ),
        (
            "body: \"<{params.q}>\"",
            "text/plain; charset=utf-8",
            "<a&b=ü\n>",
        ),
        ("text: \"{params.n}\"", "text/plain; charset=utf-8", "3"),
        (
            "form: {q: \"{params.q}\", n: \"{params.n}\"}",
            "application/x-www-form-urlencoded",
            "q=a%26b%3D%C3%BC%0A&n=3",
        ),
        (
            "body: <a/>\nheaders: {Content-Type: text/xml}",
            "text/xml",
            "<a/>",
        ),
    ];
    let params = json!({"q": "a&b=ü\n"}).to_string();
    for (config, kind, wanted) in cases {
        for method in ["POST", "PUT", "PATCH", "DELETE"] {
            tool(
                &context,
                &format!("method: {method}\nurl: {}\n{config}", server.url("/")),
            );
            let seen = received(&server, &context, &["--params", &params]);
            assert_eq!(seen.method, method, "{config}");
            assert_eq!(seen.header("content-type"), Some(kind), "{config}");
            assert_eq!(seen.text(), wanted, "{config}");
        }
    }
    tool(
        &context,
        &format!(
            "method: POST\nurl: {}\nmultipart: {{q: \"{{params.q}}\"}}",
            server.url("/")
        ),
    );
    let seen = received(&server, &context, &["--params", &params]);
    let kind = seen.header("content-type").unwrap();
    assert!(kind.starts_with("multipart/form-data; boundary="), "{kind}");
    assert!(
        seen.text().contains("\r\n\r\na&b=ü\n\r\n"),
        "{}",
        seen.text()
    );
}

#[test]
fn credentials_of_every_kind_come_from_the_config() {
    let context = context();
    let server = echo();
    context.file(".env", "SECRET=s3 cret\n");
    let cases = [
        (
            "{type: bearer, token: \"${SECRET}\"}",
            "authorization",
            "Bearer s3 cret",
        ),
        (
            "{type: basic, username: me, password: \"${SECRET}\"}",
            "authorization",
            "Basic bWU6czMgY3JldA==",
        ),
        (
            "{type: api_key, key: \"${SECRET}\"}",
            "x-api-key",
            "s3 cret",
        ),
        (
            "{type: api_key, key: \"${SECRET}\", header: X-Mine}",
            "x-mine",
            "s3 cret",
        ),
        (
            "{type: header, header: X-Other, value: \"T ${SECRET}\"}",
            "x-other",
            "T s3 cret",
        ),
    ];
    for (auth, header, wanted) in cases {
        tool(&context, &format!("url: {}\nauth: {auth}", server.url("/")));
        let seen = received(&server, &context, &[]);
        assert_eq!(seen.header(header), Some(wanted), "{auth}");
    }
    tool(
        &context,
        &format!(
            "url: {}\nauth: {{type: api_key, key: \"${{SECRET}}\", query: key}}",
            server.url("/p?a=1")
        ),
    );
    assert_eq!(
        received(&server, &context, &[]).target,
        "/p?a=1&key=s3%20cret"
    );
}

//! HTTP tools, from their file to the answer, against servers on the loopback.

use std::time::Duration;

use serde_json::{Value, json};
use toolroom_test::{Received, Server, TestContext};

use crate::context;

/// A tool with this config, and a parameter for everything it may name.
fn tool(context: &TestContext, config: &str) {
    let config = config.replace('\n', "\n  ");
    let text = format!(
        "tool_type: http\nexecutor_id: http_runtime\ndescription: Asks a server.\ninput_schema:\n  type: object\n  properties: {{id: {{type: string}}, q: {{}}, n: {{type: integer, default: 3}}}}\nconfig:\n  {config}\n"
    );
    context.tool("ask.yaml", text);
}

fn echo() -> Server {
    Server::start(|_, connection| connection.json("{\"a\": [1]}"))
}

/// Runs the tool and gives what the server received.
fn received(server: &Server, context: &TestContext, args: &[&str]) -> Received {
    let output = context.run(&[&["run", "ask"], args].concat());
    assert_eq!(output.status, 0, "{output}");
    server.received().pop().unwrap()
}

#[test]
fn the_outcome_tells_what_was_answered() {
    let context = context();
    let server = Server::start(|_, connection| {
        let headers = [
            ("Content-Type", "application/json"),
            ("X-A", "1"),
            ("X-A", "2"),
        ];
        connection.answer("200 OK", &headers, "{\"a\": [1]}");
    });
    tool(&context, &format!("url: {}", server.url("/")));
    let data = context.data(&["run", "ask"]);
    assert_eq!(data["status"], "success");
    assert_eq!(data["data"], json!({"a": [1]}));
    assert_eq!(data["http"]["status"], 200);
    assert_eq!(data["http"]["attempts"], 1);
    assert_eq!(data["http"]["headers"]["x-a"], json!(["1", "2"]));
    assert_eq!(data["http"]["headers"]["content-type"], "application/json");
    assert_eq!(data["exit_code"], Value::Null);
    assert_eq!(data["chain"].as_array().unwrap().len(), 3);
    assert_eq!(context.run(&["run", "ask"]).stdout, "{\"a\":[1]}\n");
}

#[test]
fn a_bad_status_fails_the_tool_and_keeps_the_body() {
    let context = context();
    let server =
        Server::start(|_, connection| connection.answer("404 Not Found", &[], "no such thing"));
    tool(&context, &format!("url: {}?key=secret", server.url("/x")));
    let output = context.run(&["run", "ask"]);
    assert_eq!(
        (output.status, output.stdout.as_str()),
        (1, "no such thing\n")
    );
    assert!(output.stderr.contains("error[http::status]"), "{output}");
    assert!(
        output.stderr.contains("/x?… answered 404 Not Found"),
        "{output}"
    );
    assert!(!output.stderr.contains("secret"), "{output}");
    let data = context.data(&["run", "ask"]);
    assert_eq!(
        (&data["status"], &data["data"]),
        (&json!("error"), &json!("no such thing"))
    );
    assert_eq!(data["error"]["code"], "http::status");
}

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
fn retries_of_the_runtime_count_unless_the_tool_says_otherwise() {
    let context = context();
    let server =
        Server::start(|_, connection| connection.answer("503 Busy", &[("Retry-After", "0")], ""));
    let url = format!("url: {}", server.url("/"));
    for (more, attempts) in [
        ("", 4),
        ("\nretries: 1", 2),
        ("\nretry: {attempts: 3}", 3),
        ("\nretry: {max_attempts: 2, backoff: exponential}", 2),
        ("\nretry: {attempts: 3, statuses: [500]}", 1),
        ("\nmethod: POST", 1),
        ("\nmethod: POST\nretry: {idempotent: true}", 4),
        ("\nmethod: POST\nheaders: {Idempotency-Key: k}", 4),
    ] {
        tool(&context, &format!("{url}{more}"));
        let data = context.data(&["run", "ask"]);
        assert_eq!(data["http"]["attempts"], attempts, "{more}");
        assert_eq!(data["http"]["status"], 503);
    }
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
fn what_opens_the_metadata_service_is_not_a_parameter() {
    let context = context();
    tool(
        &context,
        "url: \"{params.id}\"\nallow_link_local: \"{params.q}\"",
    );
    let run = [
        "run",
        "ask",
        "--id",
        "http://169.254.169.254/",
        "--q",
        "true",
    ];
    assert_eq!(context.error(&run)["code"], "exec::bad_config");
    tool(&context, "url: \"{params.id}\"");
    let error = context.error(&run);
    assert_eq!(error["code"], "http::refused_address");
    assert!(error["help"].as_str().unwrap().contains("allow_link_local"));
}

#[test]
fn proxies_come_from_the_resolved_environment() {
    let context = context();
    let proxy =
        Server::start(|request, connection| connection.json(format!("\"{}\"", request.target)));
    context.file(
        ".env",
        format!("http_proxy={}\nno_proxy=127.0.0.1\n", proxy.url("")),
    );
    tool(&context, "url: http://server.invalid/x");
    assert_eq!(
        context.data(&["run", "ask"])["data"],
        "http://server.invalid/x"
    );
    let server = echo();
    tool(&context, &format!("url: {}", server.url("/")));
    assert_eq!(context.data(&["run", "ask"])["data"], json!({"a": [1]}));
    let direct = Server::start(|_, connection| connection.json("1"));
    context.file(".env", format!("http_proxy={}\n", proxy.url("")));
    tool(&context, &format!("url: {}\nproxy: false", direct.url("/")));
    assert_eq!(context.data(&["run", "ask"])["data"], 1);
}

#[test]
fn authorities_come_from_the_resolved_environment_and_the_config() {
    let context = context();
    for (dotenv, config, file) in [
        ("SSL_CERT_FILE=/no/such/own.pem\n", "", "/no/such/own.pem"),
        ("", "\nca: certs/own.pem", "[PROJECT]/certs/own.pem"),
    ] {
        context.file(".env", dotenv);
        tool(&context, &format!("url: https://127.0.0.1:1/{config}"));
        let error = context.error(&["run", "ask"]);
        assert_eq!(error["code"], "http::bad_client");
        assert!(error["message"].as_str().unwrap().contains(file), "{error}");
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
fn a_part_that_is_not_there_fails_with_the_whole_answer() {
    let context = context();
    let server = echo();
    tool(&context, &format!("url: {}\nresult: /a/0", server.url("/")));
    assert_eq!(context.data(&["run", "ask"])["data"], 1);
    tool(&context, &format!("url: {}\nresult: a.b", server.url("/")));
    let output = context.run(&["run", "ask", "--json"]);
    assert_eq!(output.status, 1);
    let data = output.data();
    assert_eq!(data["error"]["code"], "http::no_result");
    assert_eq!(data["data"], json!({"a": [1]}));
}

#[test]
fn events_are_printed_as_they_come() {
    let context = context();
    let server = Server::start(|_, connection| {
        connection.write(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n",
        );
        connection.write("data: one\n\ndata: {\"two\": 2}\n\n");
        connection.close();
    });
    tool(&context, &format!("url: {}\nstream: true", server.url("/")));
    assert_eq!(context.run(&["run", "ask"]).stdout, "one\n{\"two\": 2}\n");
    let data = context.data(&["run", "ask"]);
    assert_eq!(data["data"], json!([{"data": "one"}, {"data": {"two": 2}}]));
    let plain = echo();
    tool(&context, &format!("url: {}\nstream: true", plain.url("/")));
    assert_eq!(context.run(&["run", "ask"]).stdout, "{\"a\":[1]}\n");
}

#[test]
fn a_tool_that_takes_too_long_ends_with_124() {
    let context = context();
    let server = Server::start(|_, connection| connection.hang());
    tool(&context, &format!("url: {}", server.url("/slow")));
    let output = context.run(&["run", "ask", "--timeout", "0.4"]);
    assert_eq!(output.status, 124, "{output}");
    assert!(
        output.stderr.contains("/slow did not answer in time"),
        "{output}"
    );
    let output = context.run(&["run", "ask", "--timeout", "0.4", "--json"]);
    assert_eq!(output.status, 124);
    let data = output.data();
    assert_eq!(
        (&data["status"], &data["timed_out"]),
        (&json!("timeout"), &json!(true))
    );
    assert_eq!(
        data["http"],
        json!({"status": null, "headers": {}, "attempts": 1})
    );
    assert_eq!(data["error"]["code"], "http::timeout");
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_call_with_130() {
    let context = context();
    let server = Server::start(|_, connection| connection.hang());
    tool(&context, &format!("url: {}", server.url("/")));
    let mut command = context.command(&["run", "ask"]);
    let mut child = command.stderr(std::process::Stdio::null()).spawn().unwrap();
    while server.received().is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    let interrupt = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn nobody_at_the_address_is_toolrooms_failure_to_do_it() {
    let context = context();
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", free.local_addr().unwrap());
    drop(free);
    tool(&context, &format!("url: {url}\nretries: 0"));
    let output = context.run(&["run", "ask", "--json"]);
    assert_eq!(output.status, 125);
    assert_eq!(output.error()["code"], "http::connect");
}

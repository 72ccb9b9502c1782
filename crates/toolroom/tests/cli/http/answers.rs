//! What comes back, and how a call ends.

use std::time::Duration;

use serde_json::{Value, json};
use toolroom_test::Server;

use super::{echo, tool};
use crate::context;

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

#[test]
fn how_far_redirects_are_followed_is_the_configs_word() {
    let context = context();
    let server = Server::start(|request, connection| match request.target.as_str() {
        "/end" => connection.json("1"),
        _ => connection.answer("302 Found", &[("Location", "/end")], ""),
    });
    tool(&context, &format!("url: {}", server.url("/")));
    assert_eq!(context.data(&["run", "ask"])["data"], 1);
    tool(&context, &format!("url: {}\nredirects: 0", server.url("/")));
    assert_eq!(context.data(&["run", "ask"])["http"]["status"], 302);
    let circle = Server::start(|_, connection| {
        connection.answer("302 Found", &[("Location", "/")], "");
    });
    tool(&context, &format!("url: {}", circle.url("/")));
    let output = context.run(&["run", "ask", "--json"]);
    assert_eq!(output.status, 125);
    assert_eq!(output.error()["code"], "http::redirect_circle");
}

/// Whatever a server does, the call ends with words and a status of Toolroom's own.
#[test]
fn a_server_that_misbehaves_is_named() {
    let context = context();
    type Answer = fn(&mut toolroom_test::Connection);
    let cases: [(&str, Answer, &str); 4] = [
        ("it resets", |connection| connection.close(), "http::broken"),
        (
            "it lies",
            |connection| {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort");
                connection.close();
            },
            "http::broken",
        ),
        (
            "it speaks something else",
            |connection| {
                connection.write("SSH-2.0-OpenSSH\r\n");
                connection.close();
            },
            "http::broken",
        ),
        (
            "it never stops",
            |connection| {
                connection.write("HTTP/1.1 200 OK\r\n\r\n");
                while connection.write([b'x'; 4096]) {}
            },
            "http::too_large",
        ),
    ];
    for (what, answer, code) in cases {
        let server = Server::start(move |_, connection| answer(connection));
        tool(
            &context,
            &format!("url: {}\nretries: 0\nmax_response: 64KiB", server.url("/")),
        );
        let output = context.run(&["run", "ask", "--json"]);
        assert_eq!(output.status, 125, "{what}: {output}");
        let error = output.error();
        assert_eq!(error["code"], code, "{what}: {error}");
        assert!(
            error["message"].as_str().unwrap().contains("127.0.0.1"),
            "{error}"
        );
    }
}

#[test]
fn an_answer_that_trickles_ends_in_time() {
    let context = context();
    let server = Server::start(|_, connection| {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n");
        while connection.write("x") {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    tool(&context, &format!("url: {}", server.url("/")));
    let output = context.run(&["run", "ask", "--timeout", "0.5", "--json"]);
    assert_eq!(output.status, 124, "{output}");
    assert_eq!(output.data()["error"]["code"], "http::timeout");
}

#[test]
fn an_answer_that_is_no_text_comes_back_whole() {
    let context = context();
    let server = Server::start(|_, connection| {
        connection.answer("200 OK", &[("Content-Type", "image/png")], [0xff, 0, 1]);
    });
    tool(&context, &format!("url: {}", server.url("/")));
    assert_eq!(
        context.data(&["run", "ask"])["data"],
        json!({"content_type": "image/png", "bytes": 3, "base64": "/wAB"})
    );
}

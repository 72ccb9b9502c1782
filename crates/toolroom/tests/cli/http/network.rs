//! How servers are reached: refused addresses, proxies, authorities.

use serde_json::json;
use toolroom_test::Server;

use super::{echo, tool};
use crate::context;

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
fn a_server_is_reached_by_a_name_of_the_systems_files() {
    let context = context();
    let server = echo();
    let by_name = server.url("/").replace("127.0.0.1", "localhost");
    tool(&context, &format!("url: {by_name}"));
    assert_eq!(context.data(&["run", "ask"])["data"], json!({"a": [1]}));
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

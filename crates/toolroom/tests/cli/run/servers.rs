//! Tools of other MCP servers that fail: each says which server, what happened and what to
//! do, in words and as a code.

use std::path::Path;

use serde_json::{Value, json};
use toolroom_test::{Connection, Received, Server, TestContext};

use super::machine;

fn over_http(context: &TestContext, url: &str) {
    let config = json!({"url": url, "tool": "look", "timeout": 5});
    context.tool("far.yaml", format!("tool_type: mcp\nexecutor_id: mcp_http_runtime\ndescription: Elsewhere.\nconfig: {config}\n"));
}

/// What a call of a server that answers so comes to, for people.
fn told(answer: impl Fn(&Received, &mut Connection) + Send + Sync + 'static) -> String {
    let context = machine();
    let server = Server::start(answer);
    over_http(&context, &server.url("/mcp"));
    let output = context.run(&["run", "far"]);
    let data = context.data(&["run", "far"]);
    let error = &data["error"];
    assert!(
        output
            .stderr
            .contains(&format!("error[{}]", error["code"].as_str().unwrap())),
        "{output}\n{data}"
    );
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let message = words(error["message"].as_str().unwrap());
    assert!(words(&output.stderr).contains(&message), "{output}\n{data}");
    // Whether the tool failed, or was never called.
    let status = match error["code"].as_str() {
        Some("mcp::server_unauthorized" | "mcp::wrong_address") => 125,
        _ => 1,
    };
    assert_eq!(output.status, status, "{output}");
    output
        .stderr
        .replace(&server.address().to_string(), "[SERVER]")
}

fn with_status(status: &'static str) -> String {
    told(move |_, connection| connection.answer(status, &[], "{}"))
}

/// A server that can be greeted, and answers calls so.
fn greeted(call: impl Fn(&Value, &mut Connection) + Send + Sync + 'static) -> String {
    told(move |received, connection| {
        let Ok(request) = serde_json::from_str::<Value>(&received.text()) else {
            return connection.answer("405 Method Not Allowed", &[], "");
        };
        let answer = |part: Value| {
            let mut whole = json!({"jsonrpc": "2.0", "id": request["id"]});
            whole
                .as_object_mut()
                .unwrap()
                .extend(part.as_object().unwrap().clone());
            whole.to_string()
        };
        match request["method"].as_str().unwrap_or_default() {
            "server/discover" => connection.json(answer(
                json!({"error": {"code": -32601, "message": "Method not found"}}),
            )),
            "initialize" => connection.json(answer(json!({"result": {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "other", "version": "1"},
            }}))),
            "tools/call" => call(&request, connection),
            _ => connection.answer("202 Accepted", &[], ""),
        }
    })
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let context = machine();
    over_http(&context, "http://me:secret@127.0.0.1:1/mcp?key=secret");
    insta::assert_snapshot!(context.run(&["run", "far"]), @"
    status: 125
    ----- stdout -----
    ----- stderr -----
    error[mcp::server_unreachable]: http://127.0.0.1:1/mcp?… cannot be reached:
                                    Connection refused (os error 111)
     │
     ╰ help: see that the server runs, and that config.url and the proxy
             variables are right
    ");
}

#[test]
fn a_server_that_answers_with_a_status_is_told_by_it() {
    insta::assert_snapshot!(with_status("401 Unauthorized"), @"
    error[mcp::server_unauthorized]: http://[SERVER]/mcp answered 401
                                     Unauthorized
     │
     ╰ help: give it credentials that it takes, in config.headers or in
             MCP_HEADERS
    ");
    insta::assert_snapshot!(with_status("404 Not Found"), @"
    error[mcp::wrong_address]: http://[SERVER]/mcp answered 404 Not Found
     │
     ╰ help: see that config.url has the path where the server speaks MCP, often
             /mcp
    ");
    insta::assert_snapshot!(with_status("500 Internal Server Error"), @"
    error[mcp::server_fault]: http://[SERVER]/mcp answered 500 Internal
                              Server Error
     │
     ╰ help: the fault is the server's: its own log says more
    ");
}

#[test]
fn a_server_that_speaks_no_mcp_is_told_by_what_it_sent() {
    let page = told(|_, connection| {
        connection.answer("200 OK", &[("Content-Type", "text/html")], "<html></html>");
    });
    insta::assert_snapshot!(page, @"
    error[mcp::not_a_server]: http://[SERVER]/mcp does not answer as an MCP
                              server: it sent text/html
     │
     ╰ help: see that config.url or config.command means an MCP server
    ");
    let other = told(|_, connection| connection.json(r#"{"hello": 1}"#));
    insta::assert_snapshot!(other, @"
    error[mcp::not_a_server]: http://[SERVER]/mcp does not answer as an MCP
                              server: it sent what is no message of the protocol
     │
     ╰ help: see that config.url or config.command means an MCP server
    ");
}

#[test]
fn a_call_that_the_server_refuses_fails_or_loses_is_told_in_its_words() {
    let refused = greeted(|request, connection| {
        let error = json!({"code": -32602, "message": "Unknown tool: look"});
        connection.json(json!({"jsonrpc": "2.0", "id": request["id"], "error": error}).to_string());
    });
    insta::assert_snapshot!(refused, @"
    error[mcp::call_refused]: http://[SERVER]/mcp refused the call of look:
                              Unknown tool: look (-32602)
     │
     ╰ help: config.tool must name one of the server's tools, and the parameters
             fit it: toolroom new --from-mcp reads them anew
    ");
    let failed = greeted(|request, connection| {
        let result = json!({"isError": true, "content": [{"type": "text", "text": "the disk is full\nfree some"}]});
        connection
            .json(json!({"jsonrpc": "2.0", "id": request["id"], "result": result}).to_string());
    });
    insta::assert_snapshot!(failed, @"
    error[mcp::tool_failed]: look of http://[SERVER]/mcp failed: the disk is
                             full
                             free some
    ");
    let unauthorized = greeted(|_, connection| connection.answer("401 Unauthorized", &[], "{}"));
    insta::assert_snapshot!(unauthorized, @"
    error[mcp::server_unauthorized]: http://[SERVER]/mcp answered 401
                                     Unauthorized
     │
     ╰ help: give it credentials that it takes, in config.headers or in
             MCP_HEADERS
    ");
    let lost = greeted(|_, connection| connection.close());
    insta::assert_snapshot!(lost, @"
    error[mcp::call_lost]: http://[SERVER]/mcp was lost before it answered:
                           connection closed before message completed
     │
     ╰ help: whether the call was carried out is not known: look before it is
             made again
    ");
}

/// A server that is started, and does this when its tool is called.
fn started(context: &TestContext, python: &Path, first: &str, called: &str) {
    let script = context.file(
        "server.py",
        format!(
            "import json, os, sys, time\n{first}\nfor line in sys.stdin:\n\
             \x20   asked = json.loads(line)\n\
             \x20   def answer(**part): print(json.dumps(dict(jsonrpc='2.0', id=asked['id'], **part)), flush=True)\n\
             \x20   if asked['method'] == 'server/discover': answer(error={{'code': -32601, 'message': 'no'}})\n\
             \x20   if asked['method'] == 'initialize': answer(result={{'protocolVersion': '2025-06-18', 'capabilities': {{}}, 'serverInfo': {{'name': 'x', 'version': '1'}}}})\n\
             \x20   if asked['method'] == 'tools/call':\n        {called}\n"
        ),
    );
    let shell = context.executable(
        "other-server",
        format!(
            "#!/bin/sh\nexec '{}' '{}'\n",
            python.display(),
            script.display()
        ),
    );
    let config = json!({"command": shell, "tool": "look"});
    context.tool("near.yaml", format!("tool_type: mcp\nexecutor_id: mcp_stdio_runtime\ndescription: Elsewhere.\nconfig: {config}\n"));
}

#[test]
fn a_server_that_is_started_tells_how_it_ended() {
    let mut context = machine();
    // The length of the server's path decides nothing here.
    context.set_env("COLUMNS", "300");
    let Some(python) = toolroom_test::program("python3") else {
        return;
    };
    started(&context, &python, "sys.exit('no config.json')", "pass");
    insta::assert_snapshot!(context.run(&["run", "near"]), @"
    status: 125
    ----- stdout -----
    ----- stderr -----
    no config.json
    error[mcp::server_not_started]: [PROJECT]/other-server cannot be started: it ended with status 1 before it was asked anything
     │
     ╰ help: see that config.command and config.args are right: the server must start by itself, and what it needs be in its environment
    ");
    started(
        &context,
        &python,
        "",
        "sys.stderr.write('out of memory\\n'); os._exit(7)",
    );
    insta::assert_snapshot!(context.run(&["run", "near"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    out of memory
    error[mcp::server_ended]: [PROJECT]/other-server ended with status 7 before it answered
     │
     ╰ help: its standard error may say why; whether the call was carried out is not known
    ");
    let data = context.data(&["run", "near"]);
    assert_eq!(data["error"]["code"], "mcp::server_ended");
    assert_eq!(data["stderr"], "out of memory\n");
    started(&context, &python, "", "os.kill(os.getpid(), 9)");
    insta::assert_snapshot!(context.run(&["run", "near"]), @"
    status: 1
    ----- stdout -----
    ----- stderr -----
    error[mcp::server_ended]: [PROJECT]/other-server ended by signal 9 before it answered
     │
     ╰ help: its standard error may say why; whether the call was carried out is not known
    ");
}

#[test]
fn a_server_that_never_answers_is_told_from_a_tool_that_takes_long() {
    let mut context = machine();
    // The length of the server's path decides nothing here.
    context.set_env("COLUMNS", "300");
    let Some(python) = toolroom_test::program("python3") else {
        return;
    };
    started(&context, &python, "", "time.sleep(60)");
    let output = context.run(&["run", "near", "--timeout", "1"]);
    insta::assert_snapshot!(output, @"
    status: 124
    ----- stdout -----
    ----- stderr -----
    error[mcp::timeout]: [PROJECT]/other-server did not answer in time
     │
     ╰ help: --timeout S, or config.timeout, gives it more time; one that never answers may be no MCP server
    ");
    let data = context.data(&["run", "near", "--timeout", "1"]);
    assert_eq!(data["status"], "timeout");
    assert_eq!(data["error"]["code"], "mcp::timeout");
}

#[test]
fn a_program_that_is_not_there_is_no_server() {
    let context = machine();
    context.tool("near.yaml", "tool_type: mcp\nexecutor_id: mcp_stdio_runtime\ndescription: Elsewhere.\nconfig: {command: /no/such/server, tool: look}\n");
    insta::assert_snapshot!(context.run(&["run", "near"]), @"
    status: 125
    ----- stdout -----
    ----- stderr -----
    error[mcp::server_not_started]: /no/such/server cannot be started: No such file
                                    or directory (os error 2)
     │
     ╰ help: see that config.command and config.args are right: the server must
             start by itself, and what it needs be in its environment
    ");
}

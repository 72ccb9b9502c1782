//! HTTP tools, from their file to the answer, against servers on the loopback.

mod answers;
mod network;
mod requests;

use toolroom_test::{Received, Server, TestContext};

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

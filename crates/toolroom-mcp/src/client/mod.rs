//! Our own binary as a client of another MCP server: reads one call on standard input,
//! makes it, and writes what a launcher would on standard output.
//!
//! The guard around it ends the server it started together with it, so nothing here has to
//! outlive a call.

mod connect;
mod frames;

use std::io::Read as _;
use std::process::ExitCode;

use rmcp::model::{CallToolRequestParams, CallToolResponse, InputResponses, JsonObject};
use serde::Deserialize;
use serde_json::Value;

use self::connect::{Connection, Server};
use crate::tools::ask::{ANSWERS_VARIABLE, STATE_VARIABLE};

const LARGEST_REQUEST: u64 = 64 << 20;

/// One call, as the executor writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    server: Server,
    tool: String,
    arguments: JsonObject,
}

/// A tool of another server, as it describes itself.
#[derive(Debug, Clone)]
pub struct Foreign {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub input_schema: Value,
    pub output_schema: Option<Value>,
    pub annotations: Option<Value>,
}

/// Where another server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Url(String),
    Command { program: String, args: Vec<String> },
}

/// What kept a server's tools from being listed.
#[derive(Debug, thiserror::Error)]
#[error("{server} does not answer: {reason}")]
pub struct ClientError {
    pub server: String,
    pub reason: String,
}

impl toolroom_kernel::Explain for ClientError {
    fn code(&self) -> &'static str {
        "mcp::server_unreachable"
    }

    fn help(&self) -> Option<String> {
        Some("see that the server runs by itself, and that its address or command is right".into())
    }
}

/// The tools of another server.
///
/// # Errors
/// Fails if it cannot be reached or does not speak the protocol.
pub fn tools(source: &Source) -> Result<Vec<Foreign>, ClientError> {
    let (name, server) = match source {
        Source::Url(url) => (url.clone(), Server::at(url)),
        Source::Command { program, args } => (program.clone(), Server::of(program, args)),
    };
    let listed = runtime().and_then(|runtime| {
        runtime.block_on(async {
            let connection = Connection::open(&server).await?;
            connection.tools().await
        })
    });
    listed.map_err(|reason| ClientError {
        server: name,
        reason,
    })
}

/// Makes the call that standard input holds.
#[must_use]
pub fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            frames::error("McpError", &reason);
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut text = Vec::new();
    let input = std::io::stdin().lock().take(LARGEST_REQUEST);
    { input }
        .read_to_end(&mut text)
        .map_err(|error| error.to_string())?;
    let request: Request = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    let mut params = CallToolRequestParams::new(request.tool).with_arguments(request.arguments);
    // A question the server asked before, answered: the executor passes it on like this.
    if let Ok(text) = std::env::var(ANSWERS_VARIABLE) {
        let answers: InputResponses =
            serde_json::from_str(&text).map_err(|error| error.to_string())?;
        params = params.with_input_responses(answers);
    }
    if let Ok(state) = std::env::var(STATE_VARIABLE) {
        params = params.with_request_state(state);
    }
    runtime()?.block_on(async {
        let connection = Connection::open(&request.server).await?;
        match connection.call(params).await? {
            CallToolResponse::Complete(result) => frames::result(&result),
            CallToolResponse::InputRequired(asks) => {
                frames::value(&serde_json::to_value(asks).map_err(|error| error.to_string())?);
            }
            _ => return Err("the server answered with a task, which was not asked for".into()),
        }
        connection.close().await;
        Ok(())
    })
}

fn runtime() -> Result<tokio::runtime::Runtime, String> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder
        .enable_all()
        .build()
        .map_err(|error| error.to_string())
}

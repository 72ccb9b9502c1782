//! Tools of other MCP servers: called over connections that are kept, where the caller
//! lives long, and else by our own binary, started as the client of one call.
//!
//! The guard around such a client ends the server it started together with it, so nothing
//! of it has to outlive the call.

mod connect;
mod frames;
mod kept;
mod pool;

use std::io::Read as _;
use std::process::{ExitCode, Stdio};

use rmcp::model::{CallToolRequestParams, InputResponses, JsonObject};
use serde::Deserialize;
use serde_json::Value;
use tokio::process::{Child, Command};

use self::connect::{Listener, Server, Service, over_http, over_pipes};
use self::frames::{Fault, of_response};
pub use self::pool::{Pool, PoolLimits};
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
            let nobody = Listener::new(|_, _| {});
            let (service, _child) = open(&server, nobody).await?;
            let listed = service.list_all_tools().await;
            listed.map_err(|error| error.to_string())
        })
    });
    let listed = listed.map_err(|reason| ClientError {
        server: name,
        reason,
    })?;
    Ok(listed.into_iter().map(Foreign::of).collect())
}

impl Foreign {
    fn of(tool: rmcp::model::Tool) -> Self {
        Self {
            name: tool.name.into_owned(),
            title: tool.title,
            description: tool.description.map(std::borrow::Cow::into_owned),
            input_schema: tool.input_schema.as_ref().clone().into(),
            output_schema: tool
                .output_schema
                .map(|schema| schema.as_ref().clone().into()),
            annotations: tool
                .annotations
                .and_then(|hints| serde_json::to_value(hints).ok()),
        }
    }
}

/// Makes the call that standard input holds.
#[must_use]
pub fn main() -> ExitCode {
    let reply = run();
    frames::reply(&reply);
    match reply {
        Ok(_) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn run() -> Result<Value, Fault> {
    let (server, params) = asked().map_err(Fault::of_protocol)?;
    let runtime = runtime().map_err(Fault::of_protocol)?;
    runtime.block_on(async {
        let listener = Listener::new(|_, event| frames::event(&event));
        let (service, _child) = open(&server, listener)
            .await
            .map_err(|reason| Fault::of_protocol(format!("{}: {reason}", server.name())))?;
        let answer = service.call_tool_once(params).await;
        let answer = answer.map_err(|error| Fault::of_protocol(error.to_string()))?;
        let _ = service.cancel().await;
        of_response(answer)
    })
}

fn asked() -> Result<(Server, CallToolRequestParams), String> {
    let mut text = Vec::new();
    let input = std::io::stdin().lock().take(LARGEST_REQUEST);
    { input }
        .read_to_end(&mut text)
        .map_err(|error| error.to_string())?;
    let request: Request = serde_json::from_slice(&text).map_err(|error| error.to_string())?;
    let params = CallToolRequestParams::new(request.tool).with_arguments(request.arguments);
    let given = std::env::var(ANSWERS_VARIABLE).ok();
    let state = std::env::var(STATE_VARIABLE).ok();
    Ok((request.server, answers(params, given.as_deref(), state)?))
}

/// A call with the answers to what the server asked before, as the executor passes them on.
fn answers(
    mut params: CallToolRequestParams,
    given: Option<&str>,
    state: Option<String>,
) -> Result<CallToolRequestParams, String> {
    if let Some(text) = given {
        let given: InputResponses =
            serde_json::from_str(text).map_err(|error| error.to_string())?;
        params = params.with_input_responses(given);
    }
    if let Some(state) = state {
        params = params.with_request_state(state);
    }
    Ok(params)
}

/// Greets a server for one call. One that is started is killed with what this gives; what
/// it says on standard error is ours to say.
async fn open(server: &Server, listener: Listener) -> Result<(Service, Option<Child>), String> {
    let Some(program) = &server.program else {
        let variable = |name: &str| std::env::var(name).ok();
        return Ok((over_http(server, variable, &listener).await?, None));
    };
    let mut command = Command::new(program);
    command
        .args(&server.args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .kill_on_drop(true);
    let mut child = command
        .spawn()
        .map_err(|error| format!("it cannot be started: {error}"))?;
    let (Some(stdout), Some(stdin)) = (child.stdout.take(), child.stdin.take()) else {
        return Err("it has no pipes".to_owned());
    };
    Ok((over_pipes(stdout, stdin, listener).await?, Some(child)))
}

fn runtime() -> Result<tokio::runtime::Runtime, String> {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder
        .enable_all()
        .build()
        .map_err(|error| error.to_string())
}

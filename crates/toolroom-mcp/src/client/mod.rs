//! Tools of other MCP servers: called over connections that are kept, where the caller
//! lives long, and else by our own binary, started as the client of one call.
//!
//! The guard around such a client ends the server it started together with it, so nothing
//! of it has to outlive the call.

mod connect;
mod fault;
mod frames;
mod kept;
mod listing;
mod pool;

use std::io::Read as _;
use std::process::{ExitCode, Stdio};
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, InputResponses, JsonObject};
use rmcp::service::ServiceError;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::process::{Child, Command};
use toolroom_exec::executor::Trouble;
use toolroom_exec::subprocess::Exit;

use self::connect::{Listener, Server, Service, over_http, over_pipes};
use self::fault::Fault;
use self::frames::of_response;
pub use self::listing::{ClientError, Foreign, Source, tools};
pub use self::pool::{Pool, PoolLimits};
use crate::tools::ask::{ANSWERS_VARIABLE, STATE_VARIABLE};

const LARGEST_REQUEST: u64 = 64 << 20;
/// How long a server that closed its output may take to end.
const LAST_MOMENT: Duration = Duration::from_secs(1);

/// One call, as the executor writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    server: Server,
    tool: String,
    arguments: JsonObject,
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

fn run() -> Result<Box<RawValue>, (Trouble, String)> {
    let (server, params) = asked().map_err(|reason| (Trouble::Refused, reason))?;
    let tool = params.name.to_string();
    let answered = runtime().and_then(|runtime| {
        runtime.block_on(async {
            let listener = Listener::new(|_, event| frames::event(&event));
            let (service, child) = open(&server, listener).await?;
            let answer = match (service.call_tool_once(params).await, child) {
                (Err(ServiceError::TransportClosed), Some(child)) => {
                    return Err(Fault::new(Trouble::Ended, ended(child).await));
                }
                (answer, _) => answer.map_err(|error| Fault::of_call(&error))?,
            };
            let _ = service.cancel().await;
            of_response(answer)
        })
    });
    answered.map_err(|fault| (fault.trouble, fault.told(&server.name(), &tool)))
}

/// How a server that we started has ended, as far as that can be known soon.
async fn ended(mut child: Child) -> String {
    let status = tokio::time::timeout(LAST_MOMENT, child.wait()).await;
    how_ended(status.ok().and_then(Result::ok).and_then(exit))
}

#[cfg(unix)]
fn exit(status: std::process::ExitStatus) -> Option<Exit> {
    use std::os::unix::process::ExitStatusExt as _;
    let signal = status.signal().map(Exit::Signal);
    signal.or_else(|| status.code().map(Exit::Code))
}

#[cfg(not(unix))]
fn exit(status: std::process::ExitStatus) -> Option<Exit> {
    status.code().map(Exit::Code)
}

fn how_ended(exit: Option<Exit>) -> String {
    match exit {
        Some(Exit::Code(code)) => format!("ended with status {code}"),
        Some(Exit::Signal(signal)) => format!("ended by signal {signal}"),
        None => "ended".to_owned(),
    }
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
async fn open(server: &Server, listener: Listener) -> Result<(Service, Option<Child>), Fault> {
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
        .map_err(|error| Fault::new(Trouble::NotStarted, error.to_string()))?;
    let (Some(stdout), Some(stdin)) = (child.stdout.take(), child.stdin.take()) else {
        return Err(Fault::new(Trouble::NotStarted, "it has no pipes"));
    };
    match over_pipes(stdout, stdin, listener).await {
        Ok(service) => Ok((service, Some(child))),
        Err(fault) if fault.trouble == Trouble::NotStarted => {
            let reason = format!("it {} before it was asked anything", ended(child).await);
            Err(Fault::new(Trouble::NotStarted, reason))
        }
        Err(fault) => Err(fault),
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, Fault> {
    toolroom_exec::runtime().map_err(|error| Fault::new(Trouble::Unreachable, error.to_string()))
}

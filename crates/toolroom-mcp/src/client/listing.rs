//! Asks another server for its tools, once: in a guarded tree, for a bounded time, and for
//! a bounded number of them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;
use toolroom_exec::executor::Trouble;
use toolroom_exec::subprocess::Guard;
use toolroom_kernel::World;

use super::connect::Server;
use super::fault::Fault;
use super::kept::Kept;
use super::runtime;

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
#[error("{message}")]
pub struct ClientError {
    trouble: Trouble,
    message: String,
}

impl toolroom_kernel::Explain for ClientError {
    fn code(&self) -> &'static str {
        self.trouble.code()
    }

    fn help(&self) -> Option<String> {
        match self.trouble {
            // Nothing was called, and there is no file yet whose config could be wrong.
            Trouble::Failed => None,
            Trouble::Unauthorized => Some(
                "give a token that it takes before --from-mcp, as --header 'Authorization: Bearer \
                 TOKEN', or as JSON in MCP_HEADERS"
                    .into(),
            ),
            Trouble::TimedOut => Some(
                "see that the server runs by itself; --timeout S gives it longer to begin".into(),
            ),
            _ => Some(
                "see that the server runs by itself, and that its address or command is right"
                    .into(),
            ),
        }
    }
}

/// The tools of another server, which is sent `headers` where it has an address.
///
/// # Errors
/// Fails if it cannot be reached, does not speak the protocol or takes too long.
pub fn tools(
    source: &Source,
    headers: BTreeMap<String, String>,
    world: &World,
    guard: &Guard,
    patience: Duration,
) -> Result<Vec<Foreign>, ClientError> {
    let server = match source {
        Source::Url(url) => Server::at(url, headers),
        Source::Command { program, args } => Server::of(program, args),
    };
    let listed = runtime().and_then(|runtime| {
        runtime.block_on(async {
            let asked = async {
                let kept = Kept::open(&server, &world.env, &world.cwd, guard).await?;
                let tools = kept.tools().await;
                Ok((kept, tools))
            };
            let in_time = tokio::time::timeout(patience, asked).await;
            let (kept, tools) = in_time.unwrap_or_else(|_| Err(too_slow(patience)))?;
            kept.close().await;
            tools
        })
    });
    let listed = listed.map_err(|fault| ClientError {
        trouble: fault.trouble,
        message: fault.told(&server.name(), "tools/list"),
    })?;
    Ok(listed.into_iter().map(Foreign::of).collect())
}

fn too_slow(patience: Duration) -> Fault {
    let seconds = patience.as_secs_f64();
    let reason = format!("it did not list its tools within {seconds} seconds");
    Fault::new(Trouble::TimedOut, reason)
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

//! The MCP server: one house of tools, any number of connections.

mod batches;
mod call;
mod changes;
mod claims;
mod complete;
mod ending;
mod envelope;
mod handler;
mod house;
pub mod http;
mod level;
mod lines;
mod linked;
mod log;
mod meta;
mod misread;
pub mod outputs;
mod progress;
mod rounds;
mod session;
mod sessions;
mod setup;
mod skim;
pub mod stdio;
mod talk;

use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::RequestContext;
use thiserror::Error;
use toolroom_kernel::Explain;

pub use house::{House, Options};
pub use rounds::Subject;
pub use session::Session;
pub use talk::Talk;

pub use crate::tools::result::Finished;

/// Which of the protocol's two forms a request is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// A handshake first, and a session after it.
    Legacy,
    /// Every request says everything itself.
    Modern,
}

impl Era {
    fn of(context: &RequestContext<RoleServer>) -> Self {
        match context.protocol_version() {
            Some(version) if version.as_str() >= ProtocolVersion::V_2026_07_28.as_str() => {
                Self::Modern
            }
            _ => Self::Legacy,
        }
    }
}

/// Why nothing is served.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ServeError {
    #[error("the system gives no random numbers: {0}")]
    NoRandomness(String),
    #[error("no connection can be waited for on {address}: {source}")]
    CannotListen {
        address: String,
        #[source]
        source: std::io::Error,
    },
    #[error("{address} can be reached from other machines, and anyone there could run tools")]
    OpenToAll { address: String },
    #[error("the server cannot be started: {0}")]
    NoRuntime(#[source] std::io::Error),
    #[error("the system starts no threads for the server: {0}")]
    NoThreads(#[source] std::io::Error),
}

impl Explain for ServeError {
    fn code(&self) -> &'static str {
        match self {
            Self::NoRandomness(_) => "mcp::no_randomness",
            Self::CannotListen { .. } => "mcp::cannot_listen",
            Self::OpenToAll { .. } => "mcp::open_to_all",
            Self::NoRuntime(_) => "mcp::no_runtime",
            Self::NoThreads(_) => "mcp::no_threads",
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::CannotListen { .. } => Some("name another port, or 0 for any free one".into()),
            Self::OpenToAll { .. } => Some("leave out --no-auth, or listen on 127.0.0.1".into()),
            Self::NoRandomness(_) => Some(
                "let this process read /dev/urandom and call getrandom, which a sandbox may deny"
                    .into(),
            ),
            Self::NoRuntime(error) => toolroom_exec::scarcity::cure(error).map(str::to_owned),
            Self::NoThreads(_) => Some(
                "raise the limit of processes (ulimit -u, pids.max of a container), or end some"
                    .into(),
            ),
        }
    }
}

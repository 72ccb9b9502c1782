//! A call of a tool that another MCP server has: our own binary is started as that
//! server's client, in a tree of its own like any tool.
//!
//! This only says what the client is told; the protocol is not spoken here.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value, json};
use toolroom_kernel::model::Environ;
use toolroom_kernel::template::Unset;

use super::error::ExecError;
use super::prepare::{Build, Work};
use super::settings;
use crate::call::text;
use crate::http::shown_address;
use crate::subprocess::{Channel, Command, Guard, Stdin};

/// The hidden command by which our own binary is a client of another server.
pub const CLIENT: &str = "__mcp_client";

/// The style of call that needs a client.
const STYLE: &str = "mcp";

/// What the client is told, and where it runs.
#[derive(Debug)]
pub struct Bridge {
    /// What people call the server.
    pub server: String,
    pub request: Vec<u8>,
    pub env: Environ,
    pub cwd: PathBuf,
}

impl Bridge {
    /// The client as a command; `guard` names our own binary.
    #[must_use]
    pub fn command(&self, guard: &Guard) -> Command {
        let mut command = Command::new(guard.program(), self.cwd.clone());
        command.args.push(CLIENT.into());
        command.env.clone_from(&self.env);
        command.stdin = Stdin::Pipe;
        command.channel = Channel::Output;
        command
    }
}

/// Whether a chain's config asks for a client.
pub(super) fn is_meant(config: &Map<String, Value>) -> bool {
    let style = config.get("call").and_then(|call| call.get("style"));
    style.is_some_and(|style| style == STYLE)
}

impl Build<'_> {
    pub(super) fn bridge(
        &self,
        config: &Map<String, Value>,
    ) -> Result<(Work, Option<Duration>), ExecError> {
        let (name, server) = if config.contains_key("command") {
            let program = self.program(config)?;
            let filled = self.filled(config, "args", Unset::Error)?;
            let args =
                settings::arguments(&filled, "args").map_err(|reason| self.bad("args", reason))?;
            let program = text(&program)?;
            (
                program.to_owned(),
                json!({"program": program, "args": args}),
            )
        } else {
            let is_near = config.get("allow_link_local") == Some(&Value::Bool(true));
            let url = self.server_url(config)?;
            let headers = self.server_headers(config)?;
            (
                shown_address(&url),
                json!({"url": url, "headers": headers, "allow_link_local": is_near}),
            )
        };
        let named = self.filled(config, "tool", Unset::Error)?;
        let tool = match named.get("tool") {
            Some(Value::String(name)) if !name.is_empty() => name.clone(),
            None | Some(Value::Null) => self.tool.id.name().to_owned(),
            Some(_) => return Err(self.bad("tool", "is not the name of a tool".into())),
        };
        let timeout = self.filled(config, "timeout", Unset::Error)?;
        let timeout =
            settings::seconds(&timeout, "timeout").map_err(|reason| self.bad("timeout", reason))?;
        let request = json!({"server": server, "tool": tool, "arguments": self.params});
        let bridge = Bridge {
            server: name,
            request: request.to_string().into_bytes(),
            env: self.resolution.env.values().clone(),
            cwd: self.cwd(config)?,
        };
        Ok((
            Work::Bridge(Box::new(bridge)),
            self.request.timeout.or(timeout),
        ))
    }

    fn server_url(&self, config: &Map<String, Value>) -> Result<String, ExecError> {
        let filled = self.filled(config, "url", Unset::Error)?;
        match filled.get("url") {
            Some(Value::String(url))
                if url.starts_with("http://") || url.starts_with("https://") =>
            {
                Ok(url.clone())
            }
            Some(_) => Err(self.bad("url", "is not an address of a server".into())),
            None => Err(self.bad("url", "is missing, and so is command".into())),
        }
    }

    /// Headers as a mapping, or as the JSON text of one, which a variable may hold.
    fn server_headers(&self, config: &Map<String, Value>) -> Result<Map<String, Value>, ExecError> {
        let filled = self.filled(config, "headers", Unset::Empty)?;
        let fault = || self.bad("headers", "is not a mapping of texts".into());
        let written = match filled.get("headers") {
            None | Some(Value::Null) => return Ok(Map::new()),
            Some(Value::String(text)) if text.trim().is_empty() => return Ok(Map::new()),
            Some(Value::String(text)) => serde_json::from_str(text).map_err(|_| fault())?,
            Some(other) => other.clone(),
        };
        match written {
            Value::Object(headers) if headers.values().all(Value::is_string) => Ok(headers),
            _ => Err(fault()),
        }
    }
}

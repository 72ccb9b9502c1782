//! A connection to another server, in whichever form of the protocol it speaks.

#![expect(deprecated, reason = "servers of every revision are called")]

use std::collections::{BTreeMap, HashMap};
use std::process::Stdio;
use std::sync::Once;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientCapabilities, ClientConfig,
    ElicitationCapability, Implementation, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProtocolVersion,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, NotificationContext,
    RunningService,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, RoleClient};
use serde::Deserialize;
use tokio::process::{Child, Command};

use super::{Foreign, frames};

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LAST_PAUSE: Duration = Duration::from_millis(400);

/// Where the server is: a program to start, or an address.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    program: Option<String>,
    args: Vec<String>,
    url: Option<String>,
    headers: BTreeMap<String, String>,
}

impl Server {
    pub fn at(url: &str) -> Self {
        Self {
            url: Some(url.to_owned()),
            ..Self::default()
        }
    }

    pub fn of(program: &str, args: &[String]) -> Self {
        Self {
            program: Some(program.to_owned()),
            args: args.to_vec(),
            ..Self::default()
        }
    }
}

/// A server that has been greeted.
pub struct Connection {
    service: RunningService<RoleClient, Listener>,
    /// Killed with us; kept so that it lives as long.
    _child: Option<Child>,
}

impl Connection {
    pub async fn open(server: &Server) -> Result<Self, String> {
        let lifecycle = ClientLifecycleMode::Auto {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            legacy_version: None,
        };
        if let Some(program) = &server.program {
            let (child, transport) = start(program, &server.args)?;
            let service = Listener.serve_with_lifecycle(transport, lifecycle).await;
            return Ok(Self {
                service: service.map_err(|error| format!("{program}: {}", plain(error)))?,
                _child: Some(child),
            });
        }
        let url = server
            .url
            .as_deref()
            .ok_or("neither a program nor an address")?;
        let mut config = StreamableHttpClientTransportConfig::with_uri(url);
        config.custom_headers = headers(&server.headers)?;
        let client = client()?;
        let mut pause = FIRST_PAUSE;
        loop {
            let transport =
                StreamableHttpClientTransport::with_client(client.clone(), config.clone());
            // Nothing has been asked for yet, so that trying again does no harm.
            match Listener
                .serve_with_lifecycle(transport, lifecycle.clone())
                .await
            {
                Ok(service) => {
                    return Ok(Self {
                        service,
                        _child: None,
                    });
                }
                Err(ClientInitializeError::TransportError { .. }) if pause <= LAST_PAUSE => {
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                }
                Err(error) => return Err(format!("{url}: {}", plain(error))),
            }
        }
    }

    pub async fn call(&self, params: CallToolRequestParams) -> Result<CallToolResponse, String> {
        self.service
            .call_tool_once(params)
            .await
            .map_err(|error| error.to_string())
    }

    pub async fn tools(&self) -> Result<Vec<Foreign>, String> {
        let tools = self
            .service
            .list_all_tools()
            .await
            .map_err(|error| error.to_string())?;
        Ok(tools
            .into_iter()
            .map(|tool| Foreign {
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
            })
            .collect())
    }

    pub async fn close(self) {
        let _ = self.service.cancel().await;
    }
}

/// What went wrong, without the names of types.
fn plain(error: ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => error.error.to_string(),
        other => other.to_string(),
    }
}

type Pipes = AsyncRwTransport<RoleClient, tokio::process::ChildStdout, tokio::process::ChildStdin>;

/// The server as a child; what it says on standard error is ours to say.
fn start(program: &str, args: &[String]) -> Result<(Child, Pipes), String> {
    let mut command = Command::new(program);
    command
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .kill_on_drop(true);
    let mut child = command
        .spawn()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    let (Some(stdout), Some(stdin)) = (child.stdout.take(), child.stdin.take()) else {
        return Err(format!("{program} has no pipes"));
    };
    Ok((child, AsyncRwTransport::new_client(stdout, stdin)))
}

fn headers(written: &BTreeMap<String, String>) -> Result<HashMap<HeaderName, HeaderValue>, String> {
    let one = |(name, value): (&String, &String)| {
        let name: HeaderName = name.parse().map_err(|_| format!("{name:?} is no header"))?;
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| format!("the header {name} has a value that cannot be sent"))?;
        value.set_sensitive(true);
        Ok((name, value))
    };
    // What the transport writes itself.
    let own = ["content-type", "accept"];
    written
        .iter()
        .filter(|(name, _)| !own.contains(&name.to_ascii_lowercase().as_str()))
        .map(one)
        .collect()
}

fn client() -> Result<reqwest::Client, String> {
    static PROVIDER: Once = Once::new();
    PROVIDER.call_once(|| {
        // One that is there already is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
    let builder = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    builder.build().map_err(|error| error.to_string())
}

/// Passes on what the server says while it works.
#[derive(Debug, Clone, Copy)]
pub struct Listener;

impl ClientHandler for Listener {
    fn get_info(&self) -> ClientConfig {
        let mut able = ClientCapabilities::default();
        able.elicitation = Some(ElicitationCapability::default());
        ClientConfig::new(
            able,
            Implementation::new("toolroom", env!("CARGO_PKG_VERSION")),
        )
    }

    async fn on_progress(
        &self,
        told: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        frames::progress(told.progress, told.total, told.message.as_deref());
    }

    async fn on_logging_message(
        &self,
        told: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let level = serde_json::to_value(told.level).ok();
        let message = match told.data {
            serde_json::Value::String(text) => text,
            other => other.to_string(),
        };
        frames::log(
            level
                .as_ref()
                .and_then(|level| level.as_str())
                .unwrap_or("info"),
            &message,
        );
    }
}

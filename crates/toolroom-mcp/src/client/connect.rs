//! Reaching another server and greeting it, in whichever form of the protocol it speaks.
//! What it says while it works goes to a [`Listener`]; who hears that is not known here.

#![expect(deprecated, reason = "servers of every revision are called")]

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
    ElicitationCapability, Implementation, LoggingMessageNotificationParam,
    ProgressNotificationParam, ProgressToken, ProtocolVersion,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, NotificationContext, RunningService,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, RoleClient};
use serde::Deserialize;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use toolroom_exec::executor::Trouble;
use toolroom_exec::http::{Network, reach, shown_address};
use toolroom_exec::subprocess::Event;

use super::fault::Fault;

const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LAST_PAUSE: Duration = Duration::from_millis(400);
/// The longest answer that is read.
const LONGEST_LINE: usize = 64 << 20;

/// Where the server is: a program to start, or an address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Server {
    pub program: Option<String>,
    pub args: Vec<String>,
    pub url: Option<String>,
    headers: BTreeMap<String, String>,
    allow_link_local: bool,
}

impl Server {
    pub fn at(url: &str, headers: BTreeMap<String, String>) -> Self {
        Self {
            url: Some(url.to_owned()),
            headers,
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

    /// What people call it: nothing that may be secret.
    pub fn name(&self) -> String {
        let address = || self.url.as_deref().map(shown_address);
        let named = self.program.clone().or_else(address);
        named.unwrap_or_else(|| "a server without a program or an address".to_owned())
    }
}

/// A server that has been greeted.
pub type Service = RunningService<RoleClient, Listener>;

/// Greets a server at the other end of two pipes.
///
/// # Errors
/// Says what it answered instead, or that it did not.
pub async fn over_pipes(
    output: impl AsyncRead + Send + Unpin + 'static,
    input: impl AsyncWrite + Send + Unpin + 'static,
    listener: Listener,
) -> Result<Service, Fault> {
    let transport = AsyncRwTransport::new_client(output, input).with_max_line_length(LONGEST_LINE);
    let greeted = listener.serve_with_lifecycle(transport, lifecycle()).await;
    greeted.map_err(|error| Fault::of_greeting(&error))
}

/// Greets a server at an address, several times if it is not there or not able to: nothing
/// has been asked for yet, so that trying again does no harm.
///
/// # Errors
/// Says what was answered instead, or why there is no connection.
pub async fn over_http(
    server: &Server,
    variable: impl Fn(&str) -> Option<String>,
    listener: &Listener,
) -> Result<Service, Fault> {
    let unreachable = |reason: String| Fault::new(Trouble::Unreachable, reason);
    let url = server.url.as_deref().unwrap_or_default();
    let mut config = StreamableHttpClientTransportConfig::with_uri(url);
    config.custom_headers = headers(&server.headers).map_err(unreachable)?;
    let mut network = Network::default();
    network.proxied_by(&variable);
    network.authorities = variable("SSL_CERT_FILE")
        .filter(|file| !file.is_empty())
        .map(PathBuf::from);
    network.allow_link_local = server.allow_link_local;
    let client = reach(&network, url).await;
    let client = client.map_err(|error| unreachable(error.to_string()))?;
    let mut pause = FIRST_PAUSE;
    loop {
        let transport = StreamableHttpClientTransport::with_client(client.clone(), config.clone());
        let greeted = listener
            .clone()
            .serve_with_lifecycle(transport, lifecycle())
            .await;
        let fault = match greeted {
            Ok(service) => return Ok(service),
            Err(error) => Fault::of_greeting(&error),
        };
        let may_pass = matches!(
            fault.trouble,
            Trouble::Unreachable | Trouble::Lost | Trouble::ServerFault
        );
        if !may_pass || pause > LAST_PAUSE {
            return Err(fault);
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
}

/// A call of a tool, as it is sent.
pub fn request(params: CallToolRequestParams) -> ClientRequest {
    ClientRequest::CallToolRequest(CallToolRequest::new(params))
}

fn lifecycle() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    }
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

type Hear = dyn Fn(Option<&ProgressToken>, Event) + Send + Sync;

/// Passes on what the server says while it works, and for which call as far as it says.
#[derive(Clone)]
pub struct Listener(Arc<Hear>);

impl Listener {
    pub fn new(hear: impl Fn(Option<&ProgressToken>, Event) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Listener")
    }
}

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
        let event = Event::Progress {
            done: told.progress,
            total: told.total,
            message: told.message,
        };
        (self.0)(Some(&told.progress_token), event);
    }

    async fn on_logging_message(
        &self,
        told: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let level = serde_json::to_value(told.level).ok();
        let level = level.as_ref().and_then(Value::as_str).unwrap_or("info");
        let message = match told.data {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let level = level.to_owned();
        (self.0)(None, Event::Log { level, message });
    }
}

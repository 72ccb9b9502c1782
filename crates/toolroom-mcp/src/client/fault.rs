//! Why another server gave no result, read from what the library that speaks the protocol
//! says; none of its own words that name types get through.

use std::error::Error;

use http::StatusCode;
use rmcp::model::{ErrorData, ProtocolVersion};
use rmcp::service::{ClientInitializeError, ServiceError};
use rmcp::transport::streamable_http_client::StreamableHttpError;
use toolroom_exec::executor::Trouble;

/// The most that is told of an answer that nobody understands.
const LONGEST: usize = 200;

/// A kind of failure, and what is to be said of it besides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub trouble: Trouble,
    pub reason: String,
}

impl Fault {
    pub fn new(trouble: Trouble, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { trouble, reason }
    }

    /// The whole sentence.
    pub fn told(&self, server: &str, tool: &str) -> String {
        let reason = &self.reason;
        match self.trouble {
            Trouble::NotStarted => format!("{server} cannot be started: {reason}"),
            Trouble::Unreachable => format!("{server} cannot be reached: {reason}"),
            Trouble::Unauthorized | Trouble::WrongAddress | Trouble::ServerFault => {
                format!("{server} answered {reason}")
            }
            Trouble::NotMcp => format!("{server} does not answer as an MCP server: {reason}"),
            Trouble::Ended => format!("{server} {reason} before it answered"),
            Trouble::Lost => format!("{server} was lost before it answered: {reason}"),
            Trouble::Refused => format!("{server} refused the call of {tool}: {reason}"),
            Trouble::Failed if reason.is_empty() => {
                format!("{tool} of {server} failed, and did not say why")
            }
            Trouble::Failed => format!("{tool} of {server} failed: {reason}"),
            _ => format!("{server}: {reason}"),
        }
    }

    /// A server that could not be greeted.
    pub fn of_greeting(error: &ClientInitializeError) -> Self {
        match error {
            ClientInitializeError::TransportError { error, .. } => of_transport(&*error.error),
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
                Self::of_greeting(fallback)
            }
            ClientInitializeError::ConnectionClosed(_) => {
                Self::new(Trouble::NotStarted, "it ended before it was asked anything")
            }
            ClientInitializeError::JsonRpcError(error) => {
                Self::new(Trouble::NotMcp, answered(error))
            }
            ClientInitializeError::NoCompatibleProtocolVersion {
                server_supported, ..
            } => {
                let known = server_supported.iter().map(ProtocolVersion::as_str);
                let known: Vec<&str> = known.collect();
                let known = known.join(", ");
                Self::new(
                    Trouble::NotMcp,
                    format!("it knows only the revisions {known}"),
                )
            }
            other => Self::new(Trouble::NotMcp, shortened(&other.to_string())),
        }
    }

    /// A call without an answer.
    pub fn of_call(error: &ServiceError) -> Self {
        match error {
            ServiceError::McpError(error) => Self::new(Trouble::Refused, answered(error)),
            ServiceError::TransportSend(error) => of_transport(&*error.error),
            ServiceError::TransportClosed => Self::new(Trouble::Lost, "the connection was closed"),
            ServiceError::UnexpectedResponse => {
                Self::new(Trouble::NotMcp, "it answered something else than was asked")
            }
            other => Self::new(Trouble::Lost, shortened(&other.to_string())),
        }
    }
}

fn answered(error: &ErrorData) -> String {
    format!("{} ({})", shortened(&error.message), error.code.0)
}

fn of_transport(error: &(dyn Error + Send + Sync + 'static)) -> Fault {
    use StreamableHttpError as Http;
    match error.downcast_ref::<Http<reqwest::Error>>() {
        Some(Http::Client(error)) if error.is_connect() => {
            Fault::new(Trouble::Unreachable, root(error))
        }
        Some(Http::Client(error)) => Fault::new(Trouble::Lost, root(error)),
        Some(Http::HttpStatus(error)) => of_status(error.status),
        Some(Http::AuthRequired(_)) => of_status(401),
        Some(Http::InsufficientScope(_)) => of_status(403),
        Some(Http::SessionExpired) => Fault::new(Trouble::Lost, "it has ended the session"),
        Some(Http::UnexpectedContentType(kind)) => {
            let kind = kind.as_deref().unwrap_or("something without a type");
            Fault::new(Trouble::NotMcp, format!("it sent {}", shortened(kind)))
        }
        Some(Http::UnexpectedServerResponse(text)) => status_in(text).map_or_else(
            || {
                Fault::new(
                    Trouble::NotMcp,
                    "it sent what is no message of the protocol",
                )
            },
            of_status,
        ),
        Some(other) => Fault::new(Trouble::Lost, shortened(&other.to_string())),
        None => Fault::new(Trouble::Lost, shortened(&error.to_string())),
    }
}

/// The status in `HTTP 404 Not Found: …`, which the library tells in words alone.
fn status_in(text: &str) -> Option<u16> {
    text.strip_prefix("HTTP ")?.get(..3)?.parse().ok()
}

fn of_status(status: u16) -> Fault {
    let trouble = match status {
        401 | 403 | 407 => Trouble::Unauthorized,
        300..=499 if !matches!(status, 408 | 425 | 429) => Trouble::WrongAddress,
        _ => Trouble::ServerFault,
    };
    let known = StatusCode::from_u16(status).ok();
    let reason = known.and_then(|status| status.canonical_reason());
    Fault::new(
        trouble,
        format!("{status} {}", reason.unwrap_or_default()).trim_end(),
    )
}

/// What lies at the bottom of an error.
fn root(error: &dyn Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    shortened(&last.to_string())
}

fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

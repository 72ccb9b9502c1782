//! Why a request got no answer. An answer with a bad status is an outcome, not an error.
//!
//! Every text names the address without credentials and query, and is never empty.

use std::path::PathBuf;

use thiserror::Error;
use toolroom_kernel::{Explain, Place};

use super::encode::shown_text;

/// A request that could not be made, or whose answer could not be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum HttpError {
    #[error("{url:?} is not an address: {reason}")]
    BadUrl { url: String, reason: String },
    #[error("the request to {url} cannot be written: {reason}")]
    BadRequest { url: String, reason: String },
    #[error("the file {} cannot be sent", path.display())]
    UnreadableFile {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{url} leads to {address}, which tools may not reach")]
    RefusedAddress { url: String, address: String },
    #[error("no connection to {url}{}: {reason}", after(*.attempts))]
    Connect {
        url: String,
        attempts: u32,
        reason: String,
    },
    #[error("no connection to {url} in time{}", after(*.attempts))]
    ConnectTimeout { url: String, attempts: u32 },
    #[error("{url} cannot be trusted: {reason}")]
    Tls { url: String, reason: String },
    #[error("{url} broke off{}: {reason}", after(*.attempts))]
    Broken {
        url: String,
        attempts: u32,
        reason: String,
    },
    #[error("the answer of {url} cannot be decoded: {reason}")]
    BadEncoding { url: String, reason: String },
    #[error("the answer of {url} is larger than {limit} bytes")]
    TooLarge { url: String, limit: u64 },
    #[error("{url} redirects in a circle")]
    RedirectCircle { url: String },
    #[error("{url} is one redirect more than the {limit} that are followed")]
    TooManyRedirects { url: String, limit: u32 },
    #[error("{url} redirects to no address: {reason}")]
    BadRedirect { url: String, reason: String },
    #[error("{what} cannot be used: {reason}")]
    BadClient { what: String, reason: String },
}

fn after(attempts: u32) -> String {
    if attempts > 1 {
        format!(" after {attempts} attempts")
    } else {
        String::new()
    }
}

impl HttpError {
    /// An address that is none, by its text without what may be secret in it.
    pub(crate) fn bad_url(written: &str, reason: impl Into<String>) -> Self {
        Self::BadUrl {
            url: shown_text(written),
            reason: reason.into(),
        }
    }

    /// The same error, told after so many attempts.
    pub(super) fn after(mut self, count: u32) -> Self {
        if let Self::Connect { attempts, .. }
        | Self::ConnectTimeout { attempts, .. }
        | Self::Broken { attempts, .. } = &mut self
        {
            *attempts = count;
        }
        self
    }
}

impl Explain for HttpError {
    fn code(&self) -> &'static str {
        match self {
            Self::BadUrl { .. } => "http::bad_url",
            Self::BadRequest { .. } => "http::bad_request",
            Self::UnreadableFile { .. } => "http::unreadable_file",
            Self::RefusedAddress { .. } => "http::refused_address",
            Self::Connect { .. } => "http::connect",
            Self::ConnectTimeout { .. } => "http::timeout",
            Self::Tls { .. } => "http::tls",
            Self::Broken { .. } => "http::broken",
            Self::BadEncoding { .. } => "http::bad_encoding",
            Self::TooLarge { .. } => "http::too_large",
            Self::RedirectCircle { .. } => "http::redirect_circle",
            Self::TooManyRedirects { .. } => "http::too_many_redirects",
            Self::BadRedirect { .. } => "http::bad_redirect",
            Self::BadClient { .. } => "http::bad_client",
        }
    }

    fn help(&self) -> Option<String> {
        let text = match self {
            Self::BadUrl { .. } => "write config.url as http://… or https://…",
            Self::RefusedAddress { .. } => {
                "if the tool is meant to reach it, its config says allow_link_local: true"
            }
            Self::Connect { .. } | Self::ConnectTimeout { .. } => {
                "see that the server runs, and that the address and the proxy variables are right"
            }
            Self::Tls { .. } => {
                "if the certificate is your own, name its authority: config.ca or SSL_CERT_FILE"
            }
            Self::TooLarge { .. } => "ask for less, or raise config.max_response",
            Self::TooManyRedirects { .. } => "raise config.redirects, or ask the last address",
            Self::Broken { .. } => {
                "try again; if it goes on, see what the server's log says, or set config.retries"
            }
            Self::BadEncoding { .. } => {
                "ask for it as it is: config.headers with accept-encoding: identity"
            }
            Self::RedirectCircle { .. } => {
                "see whether the server wants a login or a cookie, or ask another address"
            }
            Self::BadRedirect { .. } => {
                "ask the address that is meant, or set config.redirects: 0 to see the answer"
            }
            Self::BadRequest { .. } | Self::UnreadableFile { .. } | Self::BadClient { .. } => {
                return None;
            }
        };
        Some(text.to_owned())
    }

    fn place(&self) -> Option<Place> {
        match self {
            Self::UnreadableFile { path, .. } => Some(Place::file(path)),
            _ => None,
        }
    }
}

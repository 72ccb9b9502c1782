//! How a request proves who it is from.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

/// Credentials, and where in the request they go.
#[derive(Clone, PartialEq, Eq)]
pub enum Auth {
    Bearer(String),
    Basic {
        username: String,
        password: String,
    },
    /// A header of any name.
    Header {
        name: String,
        value: String,
    },
    /// A parameter of the query.
    Query {
        name: String,
        value: String,
    },
}

/// Tells the kind alone: what proves identity is shown nowhere.
impl std::fmt::Debug for Auth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Bearer(_) => "Bearer",
            Self::Basic { .. } => "Basic",
            Self::Header { .. } => "Header",
            Self::Query { .. } => "Query",
        })
    }
}

impl Auth {
    /// The header this is sent as.
    pub(super) fn header(&self) -> Option<(&str, String)> {
        match self {
            Self::Bearer(token) => Some(("authorization", format!("Bearer {token}"))),
            Self::Basic { username, password } => {
                Some(("authorization", basic(username, password)))
            }
            Self::Header { name, value } => Some((name, value.clone())),
            Self::Query { .. } => None,
        }
    }

    /// The query parameter this is sent as.
    pub(super) fn query(&self) -> Option<(&str, &str)> {
        match self {
            Self::Query { name, value } => Some((name, value)),
            _ => None,
        }
    }
}

fn basic(username: &str, password: &str) -> String {
    let pair = BASE64_STANDARD.encode(format!("{username}:{password}"));
    format!("Basic {pair}")
}

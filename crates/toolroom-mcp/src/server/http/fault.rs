//! What is wrong with what was posted, in the protocol's own words.

use http::{HeaderValue, StatusCode, header};
use rmcp::model::{ErrorCode, RequestId};
use serde_json::json;

use super::{Answer, JSON, refused};
use crate::server::envelope::Misread;

/// An error that answers a request, or all that was posted.
#[derive(Debug)]
pub struct Fault {
    pub id: Option<RequestId>,
    pub code: ErrorCode,
    pub reason: String,
}

impl From<Misread> for Fault {
    fn from(Misread { id, code, reason }: Misread) -> Self {
        Self { id, code, reason }
    }
}

impl Fault {
    /// For what is no request.
    pub fn invalid(id: Option<RequestId>, reason: impl Into<String>) -> Self {
        Self {
            id,
            code: ErrorCode::INVALID_REQUEST,
            reason: reason.into(),
        }
    }

    /// For a request that could not be answered, by no fault of its own.
    pub fn internal(id: RequestId, reason: String) -> Self {
        Self {
            id: Some(id),
            code: ErrorCode::INTERNAL_ERROR,
            reason,
        }
    }

    /// The error as it is sent; JSON-RPC wants an id that nobody knows to be null.
    pub fn message(&self) -> String {
        let error = json!({"code": self.code, "message": self.reason});
        json!({"jsonrpc": "2.0", "id": self.id, "error": error}).to_string()
    }

    /// The error as an answer of its own.
    pub fn answer(&self) -> Answer {
        let mut answer = refused(StatusCode::BAD_REQUEST, self.message());
        let kind = HeaderValue::from_static(JSON);
        answer.headers_mut().insert(header::CONTENT_TYPE, kind);
        answer
    }
}

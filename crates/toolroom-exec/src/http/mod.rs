//! The `http_client` primitive: sends exactly the request it is told to, and gives back
//! what was answered.
//!
//! It gets a finished [`Request`] and resolves, expands and looks up nothing, the proxies
//! and authorities of the machine included. Time, size, redirects and attempts are bounded;
//! an answer of any status is an outcome, and an error is only what got no answer.
//!
//! ```no_run
//! use toolroom_exec::http::{Request, send_blocking};
//! use toolroom_exec::subprocess::Cancel;
//!
//! let request = Request::get("http://127.0.0.1:8080/status");
//! let outcome = send_blocking(&request, None, &Cancel::new())?;
//! assert_eq!(outcome.answer.map(|answer| answer.status), Some(200));
//! # Ok::<(), toolroom_exec::http::HttpError>(())
//! ```

mod address;
mod auth;
mod body;
mod client;
mod encode;
mod error;
mod exchange;
mod outcome;
mod plan;
mod pointer;
mod redirect;
mod request;
mod response;
mod retry;
mod send;
mod sse;

pub use crate::end::End;
pub use auth::Auth;
pub use body::{Body, Content, Part};
pub(crate) use client::forget;
pub use client::reach;
pub use encode::{component, shown_address};
pub use error::HttpError;
pub use outcome::{Answer, Outcome};
pub use pointer::Pointer;
pub use request::{MAX_RESPONSE, Network, REDIRECTS, Request};
pub use retry::{Backoff, Retry};
pub use send::{send, send_blocking};

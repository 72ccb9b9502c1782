//! The `http_client` primitive against real servers on the loopback.

mod answers;
mod faults;
mod network;
mod redirects;
mod requests;
mod retries;

use std::time::Duration;

use serde_json::Value;
use toolroom_exec::http::{Answer, End, HttpError, Outcome, Request, send_blocking};
use toolroom_exec::subprocess::Cancel;
use toolroom_kernel::Explain as _;

/// A request that may take long enough for any machine, but not for ever.
fn get(url: &str) -> Request {
    let mut request = Request::get(url);
    request.timeout = Some(Duration::from_secs(60));
    request
}

fn method(method: &str, url: &str) -> Request {
    let mut request = get(url);
    request.method = method.to_owned();
    request
}

fn send(request: &Request) -> Result<Outcome, HttpError> {
    send_blocking(request, None, &Cancel::new())
}

fn outcome(request: &Request) -> Outcome {
    send(request).unwrap()
}

fn answer(request: &Request) -> Answer {
    let outcome = outcome(request);
    assert_eq!(outcome.end, End::Itself);
    outcome.answer.unwrap()
}

fn data(request: &Request) -> Value {
    let answer = answer(request);
    answer.data.map_or(Value::Null, |data| {
        serde_json::from_str(data.get()).unwrap()
    })
}

/// The code and the words of a failure. It always has words, and they name the address.
fn error(request: &Request) -> (&'static str, String) {
    let error = send(request).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("http"), "{text}");
    assert!(!text.trim_end().ends_with(':'), "{text}");
    let has_no_next_step = matches!(error.code(), "http::bad_request" | "http::bad_client");
    assert!(has_no_next_step || error.help().is_some(), "{text}");
    (error.code(), text)
}

/// Attempts that do not wait long for each other.
fn attempts(request: &mut Request, attempts: u32) {
    request.retry.attempts = attempts;
    request.retry.backoff = toolroom_exec::http::Backoff::Fixed(Duration::from_millis(5));
}

//! A call from its first attempt to its end: in time, and ended when asked to.

use std::time::{Duration, Instant, SystemTime};

use super::encode::shown;
use super::error::HttpError;
use super::exchange::{exchange, listen, read};
use super::outcome::{Answer, Outcome};
use super::plan::plan;
use super::redirect::Hop;
use super::request::Request;
use super::response::Head;
use super::retry::{asked, is_worth};
use super::sse::Collected;
use crate::blocking::see_through;
use crate::end::End;
use crate::subprocess::{Cancel, Listener};

/// Sends a request and reads its answer. Dropping the future ends the call.
///
/// # Errors
/// Fails if there is no answer, or none that can be used.
pub async fn send(
    request: &Request,
    live: Option<&Listener>,
    cancel: &Cancel,
) -> Result<Outcome, HttpError> {
    let begun = Instant::now();
    let first = plan(request)?;
    let mut call = Call {
        request,
        first: &first,
        live,
        deadline: request
            .timeout
            .and_then(|timeout| begun.checked_add(timeout)),
        attempts: 0,
        partial: None,
    };
    let (end, answer) = tokio::select! {
        biased;
        () = cancel.requested() => (End::Cancelled, None),
        () = passed(request.timeout) => (End::TimedOut, None),
        answer = call.run() => match answer {
            Ok(answer) => (End::Itself, Some(answer)),
            Err(HttpError::ConnectTimeout { .. }) => (End::TimedOut, None),
            Err(error) => return Err(error.after(call.attempts)),
        },
    };
    let partial = call.partial.take();
    let answer = answer.or_else(|| partial.map(|(head, events)| Answer::streamed(head, &events)));
    Ok(Outcome {
        end,
        url: shown(&first.url),
        attempts: call.attempts,
        answer: answer.map(|answer| answer.pick(request.result.as_ref())),
        duration: begun.elapsed(),
    })
}

/// `send` for callers without a runtime of their own: the command line. Interrupts of our
/// process cancel the call.
///
/// # Errors
/// As [`send`].
pub fn send_blocking(
    request: &Request,
    live: Option<&Listener>,
    cancel: &Cancel,
) -> Result<Outcome, HttpError> {
    let sent = see_through(cancel, send(request, live, cancel));
    sent.unwrap_or_else(|error| {
        Err(HttpError::BadClient {
            what: "the system's event queue".to_owned(),
            reason: error.to_string(),
        })
    })
}

async fn passed(timeout: Option<Duration>) {
    match timeout {
        Some(timeout) => tokio::time::sleep(timeout).await,
        None => std::future::pending().await,
    }
}

/// The state of a call; what has come so far outlives the future that waits for more.
struct Call<'c> {
    request: &'c Request,
    first: &'c Hop,
    live: Option<&'c Listener>,
    deadline: Option<Instant>,
    attempts: u32,
    /// A stream of events that has begun. It is never asked for again: what was passed on
    /// cannot be taken back.
    partial: Option<(Head, Collected)>,
}

/// What one attempt came to.
enum Attempt {
    Done(Answer),
    Again(Duration),
}

impl Call<'_> {
    async fn run(&mut self) -> Result<Answer, HttpError> {
        loop {
            self.attempts += 1;
            let wait = match self.attempt().await {
                Ok(Attempt::Done(answer)) => return Ok(answer),
                Ok(Attempt::Again(wait)) => wait,
                Err(error) => self.forgive(&error).ok_or(error)?,
            };
            tokio::time::sleep(wait).await;
        }
    }

    async fn attempt(&mut self) -> Result<Attempt, HttpError> {
        let request = self.request;
        let response = exchange(self.first, request).await?;
        if let Some(wait) = self.wait_after(&response) {
            return Ok(Attempt::Again(wait));
        }
        let head = Head::of(&response);
        if request.stream && head.status < 400 && head.kind.is_events() {
            let (_, events) = self.partial.insert((head.clone(), Collected::default()));
            listen(response, request.max_response, events, self.live).await?;
            return Ok(Attempt::Done(Answer::streamed(head, events)));
        }
        let bytes = read(response, request.max_response).await?;
        let data = head.kind.data(&bytes);
        Ok(Attempt::Done(Answer::whole(head, data)))
    }

    /// The wait before an answer is asked for again, if it is.
    fn wait_after(&self, response: &reqwest::Response) -> Option<Duration> {
        let retry = &self.request.retry;
        if !retry.wants(response.status().as_u16(), &self.first.method) {
            return None;
        }
        let wait = asked(response.headers(), SystemTime::now());
        self.worth(wait.unwrap_or_else(|| retry.wait(self.attempts)))
    }

    /// The wait before a failed request is sent again, if it is.
    fn forgive(&self, error: &HttpError) -> Option<Duration> {
        let retry = &self.request.retry;
        if self.partial.is_some() || !retry.forgives(error, &self.first.method) {
            return None;
        }
        self.worth(retry.wait(self.attempts))
    }

    fn worth(&self, wait: Duration) -> Option<Duration> {
        let left = self
            .deadline
            .map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let is_last = self.attempts >= self.request.retry.attempts;
        (!is_last && is_worth(wait, left)).then_some(wait)
    }
}

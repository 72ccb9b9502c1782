//! One attempt: a request, the redirects it leads through, the answer's body.

use std::error::Error as StdError;
use std::io;

use futures_util::StreamExt as _;
use reqwest::{Response, Url};

use super::address::{self, Refused};
use super::client::{client, deepest};
use super::encode::shown;
use super::error::HttpError;
use super::redirect::{Hop, Trail};
use super::request::Request;
use super::sse::{Collected, Reader, TooLong};
use crate::subprocess::{Happening, Listener, Stream};

/// Sends a request and follows where it leads.
pub(super) async fn exchange(first: &Hop, request: &Request) -> Result<Response, HttpError> {
    let mut hop = first.clone();
    let mut trail = Trail::default();
    loop {
        trail.step(&hop, request.redirects)?;
        let response = send(&hop, request).await?;
        if request.redirects == 0 {
            return Ok(response);
        }
        match hop.next(response.status(), response.headers())? {
            Some(next) => hop = next,
            None => return Ok(response),
        }
    }
}

async fn send(hop: &Hop, request: &Request) -> Result<Response, HttpError> {
    if !request.network.allow_link_local {
        address::check(&hop.url).map_err(|refused| refusal(&refused, &hop.url))?;
    }
    let client = client(&request.network, &hop.url).await?;
    let mut builder = client
        .request(hop.method.clone(), hop.url.clone())
        .headers(hop.headers.clone());
    if hop.has_body {
        builder = request.body.attach(builder).await?;
    }
    builder
        .send()
        .await
        .map_err(|error| failure(&error, &hop.url))
}

/// Reads a body that is to be kept whole.
pub(super) async fn read(response: Response, limit: u64) -> Result<Vec<u8>, HttpError> {
    let url = response.url().clone();
    let too_large = || HttpError::TooLarge {
        url: shown(&url),
        limit,
    };
    if response
        .content_length()
        .is_some_and(|length| length > limit)
    {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| failure(&error, &url))?;
        if bytes.len() as u64 + chunk.len() as u64 > limit {
            return Err(too_large());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}

/// Reads events and passes them on while they come, a line each.
pub(super) async fn listen(
    response: Response,
    limit: u64,
    collected: &mut Collected,
    live: Option<&Listener>,
) -> Result<(), HttpError> {
    let url = response.url().clone();
    let mut reader = Reader::new(limit);
    let mut chunks = response.bytes_stream();
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| failure(&error, &url))?;
        let heard = reader.push(&chunk, |event| {
            if let Some(live) = live {
                let line = format!("{}\n", event.data);
                live.hear(Happening::Output(Stream::Stdout, line.as_bytes()));
            }
            collected.keep(&event, limit);
        });
        heard.map_err(|TooLong| HttpError::TooLarge {
            url: shown(&url),
            limit,
        })?;
    }
    Ok(())
}

fn refusal(refused: &Refused, url: &Url) -> HttpError {
    HttpError::RefusedAddress {
        url: shown(url),
        address: refused.0.clone(),
    }
}

/// Says what went wrong in our own terms, with the innermost cause as the reason.
fn failure(error: &reqwest::Error, url: &Url) -> HttpError {
    if let Some(refused) = cause::<Refused>(error) {
        return refusal(refused, url);
    }
    let url = shown(url);
    if let Some(tls) = cause::<rustls::Error>(error) {
        let reason = tls.to_string();
        return HttpError::Tls { url, reason };
    }
    let reason = deepest(error);
    if error.is_connect() {
        return if error.is_timeout() {
            HttpError::ConnectTimeout { url, attempts: 1 }
        } else {
            HttpError::Connect {
                url,
                attempts: 1,
                reason,
            }
        };
    }
    let is_garbage = |error: &io::Error| {
        matches!(
            error.kind(),
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
        )
    };
    if error.is_decode() && cause::<io::Error>(error).is_some_and(is_garbage) {
        return HttpError::BadEncoding { url, reason };
    }
    HttpError::Broken {
        url,
        attempts: 1,
        reason,
    }
}

/// Finds a cause of a type, also one that stands inside of an I/O error.
fn cause<'e, E: StdError + 'static>(error: &'e (dyn StdError + 'static)) -> Option<&'e E> {
    let mut at = Some(error);
    while let Some(error) = at {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        let inner = error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        at = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use reqwest::dns::{Name, Resolve, Resolving};

    use super::*;

    #[derive(Debug)]
    struct Leading(fn() -> Box<dyn StdError + Send + Sync>);

    impl Resolve for Leading {
        fn resolve(&self, _: Name) -> Resolving {
            let error = self.0();
            Box::pin(async { Err(error) })
        }
    }

    fn failure_of(resolver: Leading) -> HttpError {
        super::super::client::prepare();
        let url = Url::parse("http://name.example/?key=k").unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let sent = runtime.unwrap().block_on(async {
            let client = reqwest::Client::builder()
                .no_proxy()
                .tls_certs_only([])
                .dns_resolver(Arc::new(resolver))
                .build();
            client.unwrap().get(url.clone()).send().await
        });
        failure(&sent.unwrap_err(), &url)
    }

    #[test]
    fn a_name_that_leads_to_a_refused_address_is_refused_as_such() {
        let error = failure_of(Leading(|| Refused("169.254.169.254".into()).into()));
        assert_eq!(
            error.to_string(),
            "http://name.example/?… leads to 169.254.169.254, which tools may not reach"
        );
    }

    #[test]
    fn a_name_that_leads_nowhere_is_no_connection() {
        let error = failure_of(Leading(|| "nobody knows it".into()));
        assert_eq!(
            error.to_string(),
            "no connection to http://name.example/?…: nobody knows it"
        );
    }
}

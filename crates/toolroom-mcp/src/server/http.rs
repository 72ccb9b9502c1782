//! Serves any number of clients over Streamable HTTP: on this machine unless told
//! otherwise, to whoever has the token, and to no page of a browser.

mod batch;
mod fault;
mod merge;
mod post;

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

pub use http::uri::Authority;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::SessionManager as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tokio::net::{TcpListener, TcpStream};
use toolroom_exec::scarcity::room_for_files;

use super::ServeError;
use super::ending::told_to_end;
use super::handler::Handler;
use super::house::House;
use super::session::Session;
use super::sessions::{Sessions, Stay};
use crate::live;
use crate::threads;

/// The path clients connect to.
pub const PATH: &str = "/mcp";
const JSON: &str = "application/json";
const LARGEST_BODY: usize = 16 << 20;
const SLOWEST_HEADERS: Duration = Duration::from_secs(10);
const SLOWEST_BODY: Duration = Duration::from_secs(30);
const MOST_CONNECTIONS: usize = 1024;
/// Those that read and watch files, besides one for each core.
const MORE_THREADS: usize = 2;

/// Where and to whom.
#[derive(Debug, Clone)]
pub struct Http {
    pub address: SocketAddr,
    /// What a client has to show; none for everyone on this machine.
    pub token: Option<String>,
    /// Other names by which clients may call this machine, with a port or without.
    pub names: Vec<Authority>,
}

impl Http {
    /// The names this machine may be called by; on an address that others reach, its own.
    #[must_use]
    pub fn hosts(&self) -> Vec<String> {
        let own = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
        let mut hosts = own.to_vec();
        let ip = self.address.ip();
        if !ip.is_loopback() && !ip.is_unspecified() {
            hosts.push(ip.to_string());
        }
        hosts.extend(self.names.iter().map(ToString::to_string));
        hosts
    }

    /// The pages that may ask us: our own, by each of our names.
    fn origins(&self, port: u16) -> Vec<String> {
        let authority = |host: &String| match host.parse::<IpAddr>() {
            Ok(IpAddr::V6(ip)) => format!("[{ip}]:{port}"),
            Ok(IpAddr::V4(ip)) => format!("{ip}:{port}"),
            Err(_)
                if host
                    .parse()
                    .is_ok_and(|name: Authority| name.port().is_some()) =>
            {
                host.clone()
            }
            Err(_) => format!("{host}:{port}"),
        };
        let hosts = self.hosts();
        hosts
            .iter()
            .map(|host| format!("http://{}", authority(host)))
            .collect()
    }
}

/// A token nobody can guess.
///
/// # Errors
/// Fails if the system gives no random numbers.
pub fn token() -> Result<String, ServeError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| ServeError::NoRandomness(error.to_string()))?;
    Ok(toolroom_kernel::hex(&bytes))
}

/// Serves until the process is told to end. `ready` is told the address once it listens.
///
/// # Errors
/// Fails if the address cannot be listened on, or would be open to all.
pub fn serve(
    house: &Arc<House>,
    how: &Http,
    ready: impl FnOnce(SocketAddr),
) -> Result<(), ServeError> {
    if how.token.is_none() && !how.address.ip().is_loopback() {
        return Err(ServeError::OpenToAll {
            address: how.address.to_string(),
        });
    }
    room_for_files().map_err(ServeError::NoRuntime)?;
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    threads::try_some(cores + MORE_THREADS).map_err(ServeError::NoThreads)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(cores)
        .enable_all()
        .build()
        .map_err(ServeError::NoRuntime)?;
    let served = runtime.block_on(async {
        let fault = |source| ServeError::CannotListen {
            address: how.address.to_string(),
            source,
        };
        let listener = TcpListener::bind(how.address).await.map_err(fault)?;
        let bound = listener.local_addr().map_err(fault)?;
        ready(bound);
        tokio::spawn(live::follow(house.clone()));
        let door = Arc::new(Door::new(house, how, bound));
        tokio::select! {
            () = accept(listener, door) => {}
            () = told_to_end() => {}
        }
        Ok(())
    });
    house.gone.cancel();
    house.tasks.0.shutdown();
    runtime.shutdown_timeout(Duration::from_millis(500));
    served
}

async fn accept(listener: TcpListener, door: Arc<Door>) {
    let places = Arc::new(tokio::sync::Semaphore::new(MOST_CONNECTIONS));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((stream, _)) => {
                let door = door.clone();
                tokio::spawn(async move {
                    connection(stream, door).await;
                    drop(place);
                });
            }
            // Out of descriptors, most likely: some come free.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn connection(stream: TcpStream, door: Arc<Door>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let door = door.clone();
        async move { Ok::<_, Infallible>(door.answer(request).await) }
    });
    let mut server = hyper::server::conn::http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(SLOWEST_HEADERS)
        .max_buf_size(64 << 10);
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}

/// Who may come in.
struct Door {
    token: Option<[u8; 32]>,
    sessions: Arc<Sessions>,
    service: Service,
}

type Service = StreamableHttpService<Handler, LocalSessionManager>;
type Answer = Response<BoxBody<Bytes, Infallible>>;

impl Door {
    fn new(house: &Arc<House>, how: &Http, bound: SocketAddr) -> Self {
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(how.hosts())
            .with_allowed_origins(how.origins(bound.port()))
            .enforce_origin_validation()
            .with_max_request_body_bytes(LARGEST_BODY)
            .with_cancellation_token(house.gone.clone());
        let house = house.clone();
        let made = move || {
            Ok(Handler {
                session: Arc::new(Session::new(house.clone())),
            })
        };
        let sessions = Arc::<Sessions>::default();
        Self {
            token: how.token.as_deref().map(digest),
            service: StreamableHttpService::new(made, sessions.manager.clone(), config),
            sessions,
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Answer {
        if request.uri().path() != PATH {
            return refused(StatusCode::NOT_FOUND, "there is only /mcp");
        }
        if !self.admits(request.headers().get(header::AUTHORIZATION)) {
            let mut answer = refused(StatusCode::UNAUTHORIZED, "a bearer token is needed");
            answer
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return answer;
        }
        let (head, body) = request.into_parts();
        match received(body, SLOWEST_BODY).await {
            Ok(body) => self.visited(Request::from_parts(head, body)).await,
            Err(answer) => *answer,
        }
    }

    /// Answers in the session that the request names, or in the one that it begins.
    async fn visited(&self, mut request: Request<Bytes>) -> Answer {
        let named = session_of(request.headers());
        let mut stay = Arc::<Stay>::default();
        let mut visit = match &named {
            Some(id) => self.sessions.visit(id, &stay).await,
            None => None,
        };
        if let Some(visit) = &visit {
            stay = visit.stay.clone();
        }
        request.extensions_mut().insert(stay.clone());
        let is_farewell = request.method() == Method::DELETE;
        let answer = self.handled(request, &stay).await;
        if is_farewell && answer.status().is_success() {
            // The SDK takes leave of whoever was never there.
            if visit.is_none() {
                return refused(StatusCode::NOT_FOUND, "there is no such session");
            }
            stay.end();
        }
        if named.is_none()
            && let Some(begun) = session_of(answer.headers())
        {
            visit = self.sessions.visit(&begun, &stay).await;
            if !self.sessions.make_room().await {
                let _ = self.sessions.manager.close_session(&begun.into()).await;
                return refused(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "too many sessions are busy",
                );
            }
        }
        match visit {
            Some(visit) => answer.map(|body| held(body, visit)),
            None => answer,
        }
    }

    /// Compares digests, so that neither time nor length tells anything.
    fn admits(&self, shown: Option<&HeaderValue>) -> bool {
        let Some(wanted) = &self.token else {
            return true;
        };
        let shown = shown
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.split_once(' '));
        shown.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case("bearer") && digest(token.trim()).ct_eq(wanted).into()
        })
    }
}

/// A whole body, so that one that never comes to its end holds no connection for ever.
async fn received<B>(body: B, patience: Duration) -> Result<Bytes, Box<Answer>>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let whole = Limited::new(body, LARGEST_BODY).collect();
    let (status, reason) = match tokio::time::timeout(patience, whole).await {
        Ok(Ok(whole)) => return Ok(whole.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => (
            StatusCode::PAYLOAD_TOO_LARGE,
            "a request may be 16 MiB long",
        ),
        Ok(Err(_)) => (StatusCode::BAD_REQUEST, "the request broke off"),
        Err(_) => (
            StatusCode::REQUEST_TIMEOUT,
            "the request took too long to come",
        ),
    };
    Err(Box::new(refused(status, reason)))
}

/// A body that keeps something, such as its session, until it has come to its end.
fn held(
    body: BoxBody<Bytes, Infallible>,
    kept: impl Send + Sync + 'static,
) -> BoxBody<Bytes, Infallible> {
    let body = body.map_frame(move |frame| {
        let _held = &kept;
        frame
    });
    body.boxed()
}

fn session_of(headers: &HeaderMap) -> Option<String> {
    let id = headers.get("mcp-session-id")?.to_str().ok()?;
    Some(id.to_owned())
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

fn is_of(headers: &HeaderMap, kind: &str) -> bool {
    let found = headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    found.is_some_and(|found| found.starts_with(kind.as_bytes()))
}

fn refused(status: StatusCode, reason: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Full::new(reason.into()).boxed());
    *answer.status_mut() = status;
    answer
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use hyper::body::Frame;

    use super::*;

    /// The beginning of a body, and then silence.
    struct Silent(Option<Bytes>);

    impl Body for Silent {
        type Data = Bytes;
        type Error = std::io::Error;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
            match self.0.take() {
                Some(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
                None => Poll::Pending,
            }
        }
    }

    #[tokio::test]
    async fn a_body_that_never_ends_is_not_waited_for() {
        let body = Silent(Some(Bytes::from_static(b"{")));
        let answer = received(body, Duration::from_millis(10)).await.unwrap_err();
        assert_eq!(answer.status(), StatusCode::REQUEST_TIMEOUT);
        let whole = Full::new(Bytes::from_static(b"{}"));
        let whole = received(whole, Duration::from_secs(10)).await.unwrap();
        assert_eq!(whole, "{}");
    }
}

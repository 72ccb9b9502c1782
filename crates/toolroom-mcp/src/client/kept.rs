//! A connection that is kept between calls, any number of which may be on their way at
//! once. A program that was started for it lives in a guarded tree of its own and ends
//! when nobody holds the connection any more.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelledNotificationParam, PaginatedRequestParams,
    ProgressToken, RequestId, ServerResult, Tool,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use rmcp::transport::DynamicTransportError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use rmcp::{Peer, RoleClient};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use toolroom_exec::executor::Trouble;
use toolroom_exec::subprocess::{
    Command, Dialogue, Event, Exit, Guard, Happening, Listener as Live, Partner,
};
use toolroom_kernel::model::Environ;

use super::connect::{Listener, Server, Service, over_http, over_pipes, request};
use super::fault::Fault;
use super::how_ended;

/// How long a server may take to end once its input has, and again once it was asked.
const GRACE: Duration = Duration::from_secs(1);
/// How long we wait to hear the last words of a server that has ended.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// How much of a server's standard error is remembered.
const MOST_WORDS: usize = 16 << 10;

/// How long a list of tools may be, and in how many pieces it may come.
const MOST_TOOLS: usize = 10_000;
const MOST_PAGES: usize = 1_000;

/// Why a call has no answer.
#[derive(Debug)]
pub enum Unanswered {
    /// It never reached the server, which can be asked again.
    Unsent(Fault),
    /// It may have reached it; nobody knows what came of it.
    Lost(Fault),
    /// The server said so.
    Refused(Fault),
}

/// A server that has been greeted, for as many calls as come.
#[derive(Debug)]
pub struct Kept {
    /// None once it is being closed.
    service: Option<Service>,
    peer: Peer<RoleClient>,
    child: Option<Child>,
    calls: Arc<Calls>,
    is_retired: AtomicBool,
    used: Mutex<Instant>,
}

impl Kept {
    /// Starts or reaches a server, and greets it.
    ///
    /// # Errors
    /// Says why it cannot be talked to, with its last words where it was started.
    pub async fn open(
        server: &Server,
        env: &Environ,
        cwd: &Path,
        guard: &Guard,
    ) -> Result<Self, Fault> {
        let calls = Arc::<Calls>::default();
        let hearing = calls.clone();
        let listener = Listener::new(move |token, event| hearing.hear(token, &event));
        let (service, child) = match &server.program {
            Some(program) => {
                let mut command = Command::new(program, cwd);
                command.args = server.args.iter().map(Into::into).collect();
                command.env.clone_from(env);
                let (service, child) = start(&command, guard, listener).await?;
                (service, Some(child))
            }
            None => {
                let variable = |name: &str| env.get(name).map(str::to_owned);
                (over_http(server, variable, &listener).await?, None)
            }
        };
        Ok(Self {
            peer: service.peer().clone(),
            service: Some(service),
            child,
            calls,
            is_retired: AtomicBool::new(false),
            used: Mutex::new(Instant::now()),
        })
    }

    /// Whether the next call may use it.
    pub fn is_good(&self) -> bool {
        !self.is_retired.load(Ordering::Acquire) && !self.peer.is_transport_closed()
    }

    /// Keeps it from being used by a call that is yet to come.
    pub fn retire(&self) {
        self.is_retired.store(true, Ordering::Release);
    }

    /// How long nobody has used it.
    pub fn idle(&self) -> Duration {
        lock(&self.used).elapsed()
    }

    /// What a started server has said on standard error lately.
    pub async fn last_words(&self) -> Vec<u8> {
        match &self.child {
            Some(child) => child.last_words().await,
            None => Vec::new(),
        }
    }

    /// Every tool that the server lists.
    ///
    /// # Errors
    /// Says why they cannot be listed, or that there is no end to them.
    pub async fn tools(&self) -> Result<Vec<Tool>, Fault> {
        let mut tools = Vec::new();
        let mut cursor = None;
        for _ in 0..MOST_PAGES {
            let page = PaginatedRequestParams::default().with_cursor(cursor);
            let page = match self.peer.list_tools(Some(page)).await {
                Ok(page) => page,
                Err(ServiceError::TransportClosed) => {
                    let lost = Fault::of_call(&ServiceError::TransportClosed);
                    return Err(self.end(lost).await);
                }
                Err(error) => return Err(Fault::of_call(&error)),
            };
            tools.extend(page.tools);
            cursor = page.next_cursor;
            match cursor {
                None => return Ok(tools),
                Some(_) if tools.len() > MOST_TOOLS => break,
                Some(_) => {}
            }
        }
        let reason = format!(
            "its list of tools goes on after {} of them; at most {MOST_TOOLS} on {MOST_PAGES} pages are read",
            tools.len()
        );
        Err(Fault::new(Trouble::NotMcp, reason))
    }

    /// Lets the server end by itself, and sees to it that it does.
    pub async fn close(mut self) {
        closed(self.service.take(), self.child.take()).await;
    }

    /// Makes one call. Giving up on it tells the server; one that we started is then not
    /// used for later calls, since nobody knows whether it heeds that.
    ///
    /// # Errors
    /// Says why there is no answer, and whether the call can be made again.
    pub async fn call(
        &self,
        params: CallToolRequestParams,
        live: Option<Live>,
    ) -> Result<CallToolResponse, Unanswered> {
        let sent = self
            .peer
            .send_request_with_option(request(params), PeerRequestOptions::no_options())
            .await;
        let mut sent = sent.map_err(|error| Unanswered::Unsent(Fault::of_call(&error)))?;
        let _heard = self.calls.listen(sent.progress_token.clone(), live);
        let mut abandoned = Abandoned {
            kept: self,
            id: Some(sent.id.clone()),
        };
        let answer = (&mut sent.rx).await;
        abandoned.id = None;
        *lock(&self.used) = Instant::now();
        match answer.unwrap_or(Err(ServiceError::TransportClosed)) {
            Ok(ServerResult::CallToolResult(result)) => Ok(CallToolResponse::Complete(result)),
            Ok(ServerResult::InputRequiredResult(asks)) => {
                Ok(CallToolResponse::InputRequired(asks))
            }
            Ok(ServerResult::CreateTaskResult(task)) => Ok(CallToolResponse::Task(task)),
            Ok(_) => {
                let error = ServiceError::UnexpectedResponse;
                Err(Unanswered::Refused(Fault::of_call(&error)))
            }
            Err(error) => {
                let fault = Fault::of_call(&error);
                Err(match error {
                    ServiceError::TransportSend(error) if self.never_left(&error) => {
                        Unanswered::Unsent(fault)
                    }
                    ServiceError::TransportClosed => Unanswered::Lost(self.end(fault).await),
                    ServiceError::TransportSend(_) => Unanswered::Lost(fault),
                    _ => Unanswered::Refused(fault),
                })
            }
        }
    }

    /// Whether what failed to be sent cannot have arrived: a line without its end, or a
    /// request without a connection.
    fn never_left(&self, error: &DynamicTransportError) -> bool {
        let sent = error
            .error
            .downcast_ref::<StreamableHttpError<reqwest::Error>>();
        match sent {
            Some(StreamableHttpError::Client(error)) => error.is_connect(),
            Some(_) => false,
            None => self.child.is_some(),
        }
    }

    /// How a server that we started has ended; of any other only what is known already.
    async fn end(&self, known: Fault) -> Fault {
        match &self.child {
            Some(child) => Fault::new(Trouble::Ended, how_ended(child.exit().await)),
            None => known,
        }
    }
}

impl Drop for Kept {
    /// Lets a started server end by itself first. Without a runtime there is no time for
    /// that: what we leave, the guard kills.
    fn drop(&mut self) {
        let (service, child) = (self.service.take(), self.child.take());
        if let (Ok(runtime), Some(_)) = (tokio::runtime::Handle::try_current(), &service) {
            runtime.spawn(closed(service, child));
        }
    }
}

async fn closed(service: Option<Service>, child: Option<Child>) {
    if let Some(service) = service {
        let _ = service.cancel().await;
    }
    if let Some(child) = child {
        child.leave().await;
    }
}

/// Tells the server that nobody waits for a call any more.
struct Abandoned<'k> {
    kept: &'k Kept,
    id: Option<RequestId>,
}

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        if self.kept.child.is_some() {
            self.kept.retire();
        }
        let peer = self.kept.peer.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let told = CancelledNotificationParam::new(Some(id), None);
                let _ = peer.notify_cancelled(told).await;
            });
        }
    }
}

/// The calls on their way, by the token under which the server reports on them.
#[derive(Debug, Default)]
struct Calls(Mutex<HashMap<ProgressToken, Option<Live>>>);

impl Calls {
    fn listen(self: &Arc<Self>, token: ProgressToken, live: Option<Live>) -> Heard {
        lock(&self.0).insert(token.clone(), live);
        Heard {
            calls: self.clone(),
            token,
        }
    }

    /// Progress says which call it is of. A log line does not: it is passed on where there
    /// is but one call that it can be of.
    fn hear(&self, token: Option<&ProgressToken>, event: &Event) {
        let calls = lock(&self.0);
        let live = match token {
            Some(token) => calls.get(token),
            None if calls.len() == 1 => calls.values().next(),
            None => None,
        };
        if let Some(Some(live)) = live {
            live.hear(Happening::Event(event));
        }
    }
}

struct Heard {
    calls: Arc<Calls>,
    token: ProgressToken,
}

impl Drop for Heard {
    fn drop(&mut self) {
        lock(&self.calls.0).remove(&self.token);
    }
}

/// A server that we started.
#[derive(Debug)]
struct Child {
    partner: tokio::sync::Mutex<Option<Partner>>,
    words: Arc<Mutex<Vec<u8>>>,
    reading: tokio::sync::Mutex<Option<tokio::task::JoinHandle<()>>>,
}

async fn start(
    command: &Command,
    guard: &Guard,
    listener: Listener,
) -> Result<(Service, Child), Fault> {
    let started = Dialogue::start(command, guard).await;
    let dialogue = started.map_err(|error| Fault::new(Trouble::NotStarted, error.to_string()))?;
    let words = Arc::<Mutex<Vec<u8>>>::default();
    let reading = tokio::spawn(remember(dialogue.errors, words.clone()));
    let child = Child {
        partner: tokio::sync::Mutex::new(Some(dialogue.partner)),
        words,
        reading: tokio::sync::Mutex::new(Some(reading)),
    };
    match over_pipes(dialogue.output, dialogue.input, listener).await {
        Ok(service) => Ok((service, child)),
        Err(mut fault) => {
            let words = child.last_words().await;
            let words = String::from_utf8_lossy(&words);
            if !words.trim().is_empty() {
                let _ = write!(fault.reason, "; it said: {}", words.trim());
            }
            Err(fault)
        }
    }
}

async fn remember(mut errors: impl AsyncRead + Unpin, words: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = vec![0; 8 << 10];
    while let Ok(count @ 1..) = errors.read(&mut buffer).await {
        let mut words = lock(&words);
        words.extend_from_slice(&buffer[..count]);
        let surplus = words.len().saturating_sub(MOST_WORDS);
        words.drain(..surplus);
    }
}

impl Child {
    async fn last_words(&self) -> Vec<u8> {
        if let Some(reading) = self.reading.lock().await.as_mut() {
            let _ = tokio::time::timeout(LAST_WORDS, reading).await;
        }
        lock(&self.words).clone()
    }

    /// Sees the server end, whoever else is waiting for that.
    async fn exit(&self) -> Option<Exit> {
        let partner = self.partner.lock().await.take()?;
        partner.leave(GRACE).await
    }

    async fn leave(self) {
        self.exit().await;
    }
}

/// What a panicking thread left is still what it was.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

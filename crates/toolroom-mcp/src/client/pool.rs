//! Connections to other servers, for callers that live long: opened by the first call,
//! shared by all that come while it lasts, closed when nobody has called for a while.
//!
//! A connection is known by all that it was made from: program or address, arguments,
//! headers, environment and directory. One that was made from something else is never
//! used. A server that died is started again by the next call; a call that may have
//! reached a server is never made again.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use rmcp::model::CallToolRequestParams;
use serde_json::value::RawValue;
use toolroom_exec::executor::{Bridge, Report, Trouble};
use toolroom_exec::subprocess::{End, Failure, Guard, Listener as Live, Outcome, Reply};
use toolroom_kernel::model::Environ;

use super::connect::Server;
use super::fault::Fault;
use super::frames::of_response;
use super::kept::{Kept, Unanswered};
use super::{Request, answers};
use crate::tools::ask::{ANSWERS_VARIABLE, STATE_VARIABLE};

/// How many connections there may be, and for how long without a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PoolLimits {
    pub total: usize,
    /// None are kept if this is zero.
    pub idle: Duration,
}

impl Default for PoolLimits {
    fn default() -> Self {
        Self {
            total: 16,
            idle: Duration::from_secs(300),
        }
    }
}

/// What a connection is made from.
#[derive(Debug, PartialEq, Eq)]
struct Origin {
    server: Server,
    env: Environ,
    cwd: PathBuf,
}

/// The place of one connection. Whoever opens it holds the lock, so that others who need
/// it at the same time wait and share it.
#[derive(Debug)]
struct Slot {
    origin: Origin,
    kept: tokio::sync::Mutex<Option<Arc<Kept>>>,
}

impl Slot {
    fn new(origin: Origin) -> Arc<Self> {
        Arc::new(Self {
            origin,
            kept: tokio::sync::Mutex::default(),
        })
    }

    /// A good connection: the one there is, or a new one.
    async fn open(&self, guard: &Guard) -> Result<Arc<Kept>, Fault> {
        let mut kept = self.kept.lock().await;
        if let Some(good) = kept.as_ref().filter(|kept| kept.is_good()) {
            return Ok(good.clone());
        }
        let Origin { server, env, cwd } = &self.origin;
        // The old one goes first: two of them might want the same file or port.
        *kept = None;
        let opened = Arc::new(Kept::open(server, env, cwd, guard).await?);
        Ok(kept.insert(opened).clone())
    }

    /// Lets go of a connection that is of no more use.
    fn forget_bad(&self) {
        if let Ok(mut kept) = self.kept.try_lock()
            && kept.as_ref().is_some_and(|kept| !kept.is_good())
        {
            *kept = None;
        }
    }

    /// How long nobody has used it; none while somebody does.
    fn idle(&self) -> Option<Duration> {
        let kept = self.kept.try_lock().ok()?;
        match kept.as_ref() {
            Some(kept) => (Arc::strong_count(kept) == 1).then(|| kept.idle()),
            None => Some(Duration::MAX),
        }
    }
}

type Slots = Mutex<Vec<Arc<Slot>>>;

/// The connections of one process. Dropping this closes them all.
#[derive(Debug)]
pub struct Pool {
    slots: Arc<Slots>,
    limits: PoolLimits,
    guard: Guard,
}

/// Tells a slot, whenever a call ends in whichever way, to look at what it holds.
struct Done(Arc<Slot>);

impl Drop for Done {
    fn drop(&mut self) {
        self.0.forget_bad();
    }
}

impl Pool {
    #[must_use]
    pub fn new(limits: PoolLimits, guard: Guard) -> Self {
        Self {
            slots: Arc::default(),
            limits,
            guard,
        }
    }

    /// Makes a call, and reports on it as if a process of its own had. Dropping the future
    /// gives the call up.
    pub async fn call(
        &self,
        bridge: &Bridge,
        timeout: Option<Duration>,
        cancelled: impl Future<Output = ()>,
        live: Option<Live>,
    ) -> Report {
        let begun = Instant::now();
        let mut outcome = Outcome::default();
        let time_is_up = async {
            match timeout {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            answered = self.answered(bridge, live) => {
                outcome.stderr.length = answered.words.len() as u64;
                outcome.stderr.head = answered.words;
                outcome.reply = Some(match answered.reply {
                    Ok(value) => Reply::Result(value),
                    Err((trouble, message)) => Reply::Failure(Failure::new(trouble.code(), message)),
                });
            }
            () = time_is_up => outcome.end = End::TimedOut,
            () = cancelled => outcome.end = End::Cancelled,
        }
        outcome.duration = begun.elapsed();
        Report::of_bridge(outcome, bridge)
    }

    async fn answered(&self, bridge: &Bridge, live: Option<Live>) -> Answered {
        let (origin, params) = match asked(bridge) {
            Ok(asked) => asked,
            Err(reason) => return Answered::without(Trouble::Refused, reason),
        };
        let (name, tool) = (origin.server.name(), params.name.to_string());
        let without = |fault: &Fault| Answered::without(fault.trouble, fault.told(&name, &tool));
        let slot = self.slot(origin);
        // Runs last, when the call no longer holds the connection.
        let done = Done(slot);
        let mut is_first = true;
        loop {
            let kept = match done.0.open(&self.guard).await {
                Ok(kept) => kept,
                Err(fault) => return without(&fault),
            };
            match kept.call(params.clone(), live.clone()).await {
                Ok(response) => {
                    return Answered {
                        reply: of_response(response)
                            .map_err(|fault| (fault.trouble, fault.told(&name, &tool))),
                        words: Vec::new(),
                    };
                }
                Err(Unanswered::Unsent(_)) if is_first => is_first = false,
                Err(Unanswered::Refused(fault)) => return without(&fault),
                Err(Unanswered::Unsent(fault) | Unanswered::Lost(fault)) => {
                    return Answered {
                        words: kept.last_words().await,
                        ..without(&fault)
                    };
                }
            }
            kept.retire();
        }
    }

    /// The place of a connection. Where there is room for no more, one of the call's own,
    /// which is closed with it.
    fn slot(&self, origin: Origin) -> Arc<Slot> {
        let mut slots = lock(&self.slots);
        if let Some(slot) = slots.iter().find(|slot| slot.origin == origin) {
            return slot.clone();
        }
        let slot = Slot::new(origin);
        if self.limits.idle.is_zero() {
            return slot;
        }
        let is_swept = !slots.is_empty();
        if slots.len() >= self.limits.total {
            let idle = slots.iter().enumerate();
            let longest = idle
                .filter_map(|(at, slot)| Some((slot.idle()?, at)))
                .max()
                .map(|(_, at)| at);
            match longest {
                Some(at) => _ = slots.swap_remove(at),
                None => return slot,
            }
        }
        if !is_swept {
            tokio::spawn(sweep(Arc::downgrade(&self.slots), self.limits.idle));
        }
        slots.push(slot.clone());
        slot
    }
}

/// Closes what nobody has used for too long, until there is nothing left to close.
async fn sweep(slots: Weak<Slots>, idle: Duration) {
    loop {
        tokio::time::sleep(idle / 4).await;
        let Some(slots) = slots.upgrade() else { return };
        let mut slots = lock(&slots);
        slots.retain(|slot| {
            slot.forget_bad();
            slot.idle().is_none_or(|unused| unused < idle)
        });
        if slots.is_empty() {
            return;
        }
    }
}

struct Answered {
    reply: Result<Box<RawValue>, (Trouble, String)>,
    /// What a server that failed said last on standard error.
    words: Vec<u8>,
}

impl Answered {
    const fn without(trouble: Trouble, message: String) -> Self {
        Self {
            reply: Err((trouble, message)),
            words: Vec::new(),
        }
    }
}

/// What to ask whom. Answers to the server's own questions are part of the call, and of no
/// connection.
fn asked(bridge: &Bridge) -> Result<(Origin, CallToolRequestParams), String> {
    let request: Request =
        serde_json::from_slice(&bridge.request).map_err(|error| error.to_string())?;
    let mut env = bridge.env.clone();
    let text = |value: Option<std::ffi::OsString>| value.and_then(|value| value.into_string().ok());
    let given = text(env.remove(ANSWERS_VARIABLE));
    let state = text(env.remove(STATE_VARIABLE));
    let params = CallToolRequestParams::new(request.tool).with_arguments(request.arguments);
    let params = answers(params, given.as_deref(), state)?;
    let origin = Origin {
        server: request.server,
        env,
        cwd: bridge.cwd.clone(),
    };
    Ok((origin, params))
}

fn lock(slots: &Slots) -> std::sync::MutexGuard<'_, Vec<Arc<Slot>>> {
    slots.lock().unwrap_or_else(PoisonError::into_inner)
}

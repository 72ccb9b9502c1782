//! What belongs to one connection: the log level it asked for, and what it is told of
//! changes. Modern clients carry all of this in their requests.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{ErrorData, RequestId};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use tokio_util::sync::CancellationToken;

use super::Era;
use super::changes::Ear;
use super::house::House;
use super::level::Level;
use super::progress::Audience;

/// One connection.
#[derive(Debug)]
pub struct Session {
    pub house: Arc<House>,
    level: AtomicU8,
    /// Resources an older client has subscribed to.
    subscribed: Mutex<HashSet<String>>,
    /// Requests that are not answered yet, and how to end each; none once it is over.
    open: Mutex<Option<Open>>,
}

type Open = HashMap<RequestId, CancellationToken>;

const MOST_SUBSCRIBED: usize = 1000;

impl Session {
    #[must_use]
    pub fn new(house: Arc<House>) -> Self {
        Self {
            house,
            level: AtomicU8::new(Level::Info as u8),
            subscribed: Mutex::default(),
            open: Mutex::new(Some(Open::new())),
        }
    }

    /// Counts a request in until its answer.
    ///
    /// # Errors
    /// Fails for an id that another request has. Only one of them could be answered or
    /// cancelled by it, so the other is ended, and no tool is left that nobody can reach.
    /// Fails as well if the session is over.
    pub fn begin<'s>(
        &'s self,
        context: &RequestContext<RoleServer>,
    ) -> Result<Begun<'s>, ErrorData> {
        let mut open = self.open();
        let Some(open) = open.as_mut() else {
            return Err(ErrorData::invalid_request("the session is over", None));
        };
        match open.entry(context.id.clone()) {
            Entry::Vacant(free) => {
                free.insert(context.ct.clone());
                Ok(Begun {
                    session: self,
                    id: context.id.clone(),
                })
            }
            Entry::Occupied(other) => {
                other.get().cancel();
                let message = format!(
                    "the id {} is that of a request not answered yet",
                    context.id
                );
                Err(ErrorData::invalid_request(message, None))
            }
        }
    }

    /// Whether a request of this id is counted in.
    pub fn answers(&self, id: &RequestId) -> bool {
        let open = self.open();
        open.as_ref().is_some_and(|open| open.contains_key(id))
    }

    /// Cancels all that runs, and lets nothing begin any more.
    pub fn end(&self) {
        let open = self.open().take().unwrap_or_default();
        for token in open.into_values() {
            token.cancel();
        }
    }

    fn open(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn set_level(&self, level: Level) {
        self.level.store(level as u8, Ordering::Relaxed);
    }

    fn level(&self) -> Level {
        const LEVELS: [Level; 8] = [
            Level::Debug,
            Level::Info,
            Level::Notice,
            Level::Warning,
            Level::Error,
            Level::Critical,
            Level::Alert,
            Level::Emergency,
        ];
        LEVELS
            .get(usize::from(self.level.load(Ordering::Relaxed)))
            .copied()
            .unwrap_or(Level::Info)
    }

    /// Whom to tell of a request's progress: an older client hears the log from the level
    /// it has set, a newer one only what its request asks for.
    pub fn audience(&self, context: &RequestContext<RoleServer>) -> Audience {
        let level = match Era::of(context) {
            Era::Legacy => Some(self.level()),
            Era::Modern => context.meta.log_level().map(Level::from),
        };
        Audience {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token(),
            level,
        }
    }

    /// Remembers that a client wants to hear of a resource; says whether there was room.
    pub fn subscribe(&self, uri: &str) -> bool {
        self.subscribed.lock().is_ok_and(|mut subscribed| {
            let has_room = subscribed.len() < MOST_SUBSCRIBED;
            if has_room {
                subscribed.insert(uri.to_owned());
            }
            has_room
        })
    }

    pub fn unsubscribe(&self, uri: &str) {
        if let Ok(mut subscribed) = self.subscribed.lock() {
            subscribed.remove(uri);
        }
    }

    pub fn subscribed(&self) -> Vec<String> {
        self.subscribed
            .lock()
            .map(|subscribed| subscribed.iter().cloned().collect())
            .unwrap_or_default()
    }

    /// Tells an older client of every change until it is gone.
    pub async fn announce(self: Arc<Self>, peer: Peer<RoleServer>) {
        self.house.tell_changes(&Ear::Session(&self, peer)).await;
    }
}

/// A request that is counted until this is dropped.
#[derive(Debug)]
pub struct Begun<'s> {
    session: &'s Session,
    id: RequestId,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if let Some(open) = self.session.open().as_mut() {
            open.remove(&self.id);
        }
    }
}

//! Bounds the sessions that older clients open over HTTP. Each costs memory for as long as
//! it lasts, and few clients close theirs: the one that nobody has used for longest makes
//! room, and its client, should it come back, is told to begin anew.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Instant;

use http::request::Parts;
use rmcp::model::{Extensions, ProtocolVersion, RequestId};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::session::{SessionId, SessionManager as _};

use super::claims::Claims;
use super::session::Session;

/// How many there may be at once.
const MOST: usize = 512;

#[derive(Debug, Default)]
pub struct Sessions {
    pub manager: Arc<LocalSessionManager>,
    /// Sessions that are gone may still stand here, for a while.
    uses: Mutex<HashMap<SessionId, Use>>,
}

#[derive(Debug)]
struct Use {
    /// Requests that are not answered to their end.
    open: usize,
    last: Instant,
    stay: Arc<Stay>,
}

/// What the door and a session's handler tell each other. Every HTTP request carries that
/// of its session, or the one of the session that it begins.
#[derive(Debug, Default)]
pub struct Stay {
    /// Known once hands are shaken.
    agreed: OnceLock<(ProtocolVersion, Weak<Session>)>,
    pub claims: Claims,
}

impl Stay {
    pub fn agree(&self, revision: ProtocolVersion, session: &Arc<Session>) {
        let _ = self.agreed.set((revision, Arc::downgrade(session)));
    }

    /// The revision that was agreed on.
    pub fn revision(&self) -> Option<&ProtocolVersion> {
        self.agreed.get().map(|(revision, _)| revision)
    }

    /// Ends what runs in a session that is closed; the SDK would wait for it first.
    pub fn end(&self) {
        if let Some(session) = self.session() {
            session.end();
        }
    }

    /// Whether the session is at work on a request of this id.
    pub fn answers(&self, id: &RequestId) -> bool {
        self.session().is_some_and(|session| session.answers(id))
    }

    fn session(&self) -> Option<Arc<Session>> {
        self.agreed.get().and_then(|(_, session)| session.upgrade())
    }

    /// The one that a message came with; none over standard input.
    pub fn of(extensions: &Extensions) -> Option<&Arc<Self>> {
        extensions.get::<Parts>()?.extensions.get()
    }
}

impl Sessions {
    /// Keeps a session that exists from being closed until this is dropped. `stay` is what
    /// it began with, if it began just now.
    pub async fn visit(self: &Arc<Self>, id: &str, stay: &Arc<Stay>) -> Option<Visit> {
        let known = self.manager.sessions.read().await;
        let (id, _) = known.get_key_value(id)?;
        let mut uses = self.uses();
        let used = uses.entry(id.clone()).or_insert_with(|| Use {
            open: 0,
            last: Instant::now(),
            stay: stay.clone(),
        });
        used.open += 1;
        Some(Visit {
            sessions: self.clone(),
            id: id.clone(),
            stay: used.stay.clone(),
        })
    }

    /// Closes as many idle sessions as there are too many; says whether that was enough.
    pub async fn make_room(&self) -> bool {
        let idle = self.surplus().await;
        for id in idle {
            let _ = self.manager.close_session(&id).await;
            let used = self.uses().remove(&id);
            if let Some(used) = used {
                used.stay.end();
            }
        }
        self.manager.sessions.read().await.len() <= MOST
    }

    /// The sessions that have to go, idle for longest first.
    async fn surplus(&self) -> Vec<SessionId> {
        let known = self.manager.sessions.read().await;
        let mut uses = self.uses();
        if uses.len() > MOST {
            uses.retain(|id, _| known.contains_key(id));
        }
        let count = known.len().saturating_sub(MOST);
        if count == 0 {
            return Vec::new();
        }
        // One that was never used is one that was never begun.
        let mut idle: Vec<(Option<Instant>, &SessionId)> = known
            .keys()
            .map(|id| (uses.get(id), id))
            .filter(|(used, _)| used.is_none_or(|used| used.open == 0))
            .map(|(used, id)| (used.map(|used| used.last), id))
            .collect();
        idle.sort_unstable();
        let first = idle.into_iter().take(count);
        first.map(|(_, id)| id.clone()).collect()
    }

    fn uses(&self) -> MutexGuard<'_, HashMap<SessionId, Use>> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that a session is used for.
#[derive(Debug)]
pub struct Visit {
    sessions: Arc<Sessions>,
    id: SessionId,
    pub stay: Arc<Stay>,
}

impl Drop for Visit {
    fn drop(&mut self) {
        if let Some(used) = self.sessions.uses().get_mut(&self.id) {
            used.open -= 1;
            used.last = Instant::now();
        }
    }
}

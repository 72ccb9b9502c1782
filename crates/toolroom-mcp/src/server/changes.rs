//! Tells clients of every change: newer ones, which listen by a request, and older ones,
//! which hear everything of their session.

use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{ServiceError, SubscriptionContext, SubscriptionSendError};
use rmcp::{Peer, RoleServer};

use super::house::House;
use super::session::Session;
use crate::live::Revision;

/// Who is told.
#[derive(Debug)]
pub enum Ear<'e> {
    /// What it did not ask for is refused by its sink.
    Request(&'e SubscriptionContext),
    Session(&'e Session, Peer<RoleServer>),
}

/// What has changed.
#[derive(Debug, Clone, Copy)]
enum Change {
    Tools,
    Prompts,
    Resources,
    Contents,
}

impl House {
    /// Tells one client until it stops listening or everything is over.
    pub async fn tell_changes(&self, ear: &Ear<'_>) {
        let mut editions = self.edition.subscribe();
        let mut told = editions.borrow_and_update().revision;
        loop {
            tokio::select! {
                changed = editions.changed() => if changed.is_err() { return },
                () = ear.stops() => return,
                () = self.gone.cancelled() => return,
            }
            if ear.is_gone() {
                return;
            }
            let now = editions.borrow_and_update().revision;
            for change in changes(told, now) {
                ear.hear(change).await;
            }
            told = now;
        }
    }
}

fn changes(told: Revision, now: Revision) -> impl Iterator<Item = Change> {
    let all = [
        (Change::Tools, told.tools != now.tools),
        (Change::Prompts, told.prompts != now.prompts),
        (Change::Resources, told.resources != now.resources),
        (Change::Contents, told.contents != now.contents),
    ];
    let changed = all.into_iter().filter(|(_, has_changed)| *has_changed);
    changed.map(|(change, _)| change)
}

impl Ear<'_> {
    async fn stops(&self) {
        match self {
            Self::Request(listener) => listener.cancelled().await,
            // Its connection does not say; it is asked when there is something to tell.
            Self::Session(..) => std::future::pending().await,
        }
    }

    fn is_gone(&self) -> bool {
        match self {
            Self::Request(_) => false,
            Self::Session(_, peer) => peer.is_transport_closed(),
        }
    }

    /// One that cannot be told is gone, or did not ask.
    async fn hear(&self, change: Change) {
        match self {
            Self::Request(listener) => _ = by_request(listener, change).await,
            Self::Session(session, peer) => _ = by_session(session, peer, change).await,
        }
    }
}

async fn by_request(
    listener: &SubscriptionContext,
    change: Change,
) -> Result<(), SubscriptionSendError> {
    let sink = listener.sink();
    match change {
        Change::Tools => sink.notify_tool_list_changed().await,
        Change::Prompts => sink.notify_prompt_list_changed().await,
        Change::Resources => sink.notify_resource_list_changed().await,
        Change::Contents => {
            for uri in sink.accepted().resource_subscriptions.iter().flatten() {
                sink.notify_resource_updated(uri.clone()).await?;
            }
            Ok(())
        }
    }
}

async fn by_session(
    session: &Session,
    peer: &Peer<RoleServer>,
    change: Change,
) -> Result<(), ServiceError> {
    match change {
        Change::Tools => peer.notify_tool_list_changed().await,
        Change::Prompts => peer.notify_prompt_list_changed().await,
        Change::Resources => peer.notify_resource_list_changed().await,
        Change::Contents => {
            for uri in session.subscribed() {
                let told = ResourceUpdatedNotificationParam::new(uri);
                peer.notify_resource_updated(told).await?;
            }
            Ok(())
        }
    }
}

//! A handle by which a run is ended from outside.

use tokio::sync::watch;

/// How urgently a run is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Urgency {
    None,
    Stop,
    Kill,
}

/// Ends the runs it was given to. Clones are the same handle.
///
/// ```
/// let cancel = toolroom_exec::subprocess::Cancel::new();
/// let from_elsewhere = cancel.clone();
/// from_elsewhere.stop();
/// assert!(cancel.is_requested());
/// ```
#[derive(Debug, Clone)]
pub struct Cancel {
    sender: watch::Sender<Urgency>,
}

impl Default for Cancel {
    fn default() -> Self {
        Self::new()
    }
}

impl Cancel {
    #[must_use]
    pub fn new() -> Self {
        let (sender, _) = watch::channel(Urgency::None);
        Self { sender }
    }

    /// Asks the tool to end and kills it after its grace.
    pub fn stop(&self) {
        self.raise(Urgency::Stop);
    }

    /// Kills the tool at once.
    pub fn kill(&self) {
        self.raise(Urgency::Kill);
    }

    #[must_use]
    pub fn is_requested(&self) -> bool {
        *self.sender.borrow() > Urgency::None
    }

    fn raise(&self, urgency: Urgency) {
        self.sender.send_if_modified(|current| {
            let higher = urgency > *current;
            if higher {
                *current = urgency;
            }
            higher
        });
    }

    /// Waits until the run is to end, however urgently.
    pub async fn requested(&self) {
        self.reached(Urgency::Stop).await;
    }

    /// Waits until at least this much urgency is asked for; for ever, if it never is.
    pub(super) async fn reached(&self, urgency: Urgency) {
        let mut receiver = self.sender.subscribe();
        if receiver
            .wait_for(|current| *current >= urgency)
            .await
            .is_err()
        {
            std::future::pending::<()>().await;
        }
    }
}

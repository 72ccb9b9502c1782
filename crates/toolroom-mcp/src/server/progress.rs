//! What a client hears while a call runs: progress and log lines of the tool, and a
//! heartbeat when it is silent, so that no client gives up on work that goes on.

#![expect(deprecated, reason = "clients of every revision are served")]

use std::sync::OnceLock;
use std::time::Duration;

use rmcp::model::{LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken};
use rmcp::{Peer, RoleServer};
use tokio::sync::mpsc;
use tokio::time::{Instant, interval_at};
use toolroom_catalog::secrets::Secrets;
use toolroom_exec::subprocess::{Event, Happening, Listener};

use super::level::Level;
use crate::tools::text::clean;

/// Clients give up after sixty seconds without a sign; some count from the first.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Events that wait for a slow client; what comes on top is not told.
const WAITING: usize = 256;
/// What is told of work that cannot be measured.
pub const SMALLEST_STEP: f64 = 1e-6;

/// Whom to tell, and what they asked to be told.
#[derive(Debug, Clone)]
pub struct Audience {
    pub peer: Peer<RoleServer>,
    pub token: Option<ProgressToken>,
    /// The least serious log line that is told; none if none are.
    pub level: Option<Level>,
}

/// The end at which events arrive.
#[derive(Debug)]
pub struct Ear {
    events: mpsc::Receiver<Event>,
}

impl Audience {
    /// A listener for a run, and the ear that hears it.
    #[must_use]
    pub fn listen(&self) -> (Option<Listener>, Ear) {
        let (sender, events) = mpsc::channel(WAITING);
        let wants_any = self.token.is_some() || self.level.is_some();
        let listener = wants_any.then(|| {
            Listener::new(move |happening| {
                if let Happening::Event(event) = happening {
                    let _ = sender.try_send(event.clone());
                }
            })
        });
        (listener, Ear { events })
    }

    /// Tells what is heard until the run has ended and all of it is told.
    pub async fn tell(&self, mut ear: Ear, secrets: &OnceLock<Secrets>) {
        let mut progress = Progress::default();
        let mut heartbeat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
        let mut is_open = true;
        while is_open {
            tokio::select! {
                event = ear.events.recv() => match event {
                    Some(event) => {
                        self.one(&event, &mut progress, secrets.get()).await;
                        heartbeat.reset();
                    }
                    None => is_open = false,
                },
                _ = heartbeat.tick(), if self.token.is_some() => self.beat(&mut progress).await,
            }
        }
    }

    async fn one(&self, event: &Event, progress: &mut Progress, secrets: Option<&Secrets>) {
        let plain = |text: &str| {
            let text = clean(text);
            secrets.map_or_else(
                || text.to_string(),
                |secrets| secrets.hidden(&text).into_owned(),
            )
        };
        match event {
            Event::Progress {
                done,
                total,
                message,
            } => {
                let (Some(token), Some(done)) = (&self.token, progress.next(*done)) else {
                    return;
                };
                let mut told = ProgressNotificationParam::new(token.clone(), done);
                told.total = total.filter(|total| total.is_finite());
                told.message = message.as_deref().map(plain);
                progress.total = told.total;
                let _ = self.peer.notify_progress(told).await;
            }
            Event::Log { level, message } => self.log(Level::of(level), plain(message)).await,
            _ => {}
        }
    }

    async fn log(&self, level: Level, message: String) {
        if self.level.is_some_and(|least| level >= least) {
            let told = LoggingMessageNotificationParam::new(level.wire(), message.into());
            let _ = self.peer.notify_logging_message(told).await;
        }
    }

    async fn beat(&self, progress: &mut Progress) {
        let Some(token) = &self.token else { return };
        let seconds = progress.begun.elapsed().as_secs();
        let mut told = ProgressNotificationParam::new(token.clone(), progress.little_more());
        told.total = progress.total;
        told.message = Some(format!("still running after {seconds} s"));
        let _ = self.peer.notify_progress(told).await;
    }
}

/// Progress as the protocol wants it: it only ever grows.
#[derive(Debug)]
struct Progress {
    last: Option<f64>,
    total: Option<f64>,
    begun: Instant,
}

impl Default for Progress {
    fn default() -> Self {
        Self {
            last: None,
            total: None,
            begun: Instant::now(),
        }
    }
}

impl Progress {
    fn next(&mut self, done: f64) -> Option<f64> {
        let grows = done.is_finite() && self.last.is_none_or(|last| done > last);
        grows.then(|| *self.last.insert(done))
    }

    /// A sign of life that says no more than that.
    fn little_more(&mut self) -> f64 {
        let last = self.last.unwrap_or(0.0);
        *self.last.insert(last + SMALLEST_STEP * last.abs().max(1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn progress_only_ever_grows() {
        let mut progress = Progress::default();
        let told: Vec<_> = [0.0, 0.0, 1.0, f64::NAN, 0.5, 2.0]
            .into_iter()
            .filter_map(|done| progress.next(done))
            .collect();
        assert_eq!(told, [0.0, 1.0, 2.0]);
        let beat = progress.little_more();
        assert!(beat > 2.0 && beat < 2.1);
        assert!(progress.next(3.0).is_some());
    }
}

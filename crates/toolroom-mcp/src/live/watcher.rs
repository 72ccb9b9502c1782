//! Follows the files of the spaces: what is added, changed or removed is served within a
//! second, and what was broken by an edit stays as it was until it is mended.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;

use super::Edition;
use super::edition::{folders, spaces};
use crate::server::House;

/// A start is not slowed down by what can wait.
const FIRST_LOOK: Duration = Duration::from_millis(150);
/// Editors write in several steps.
const QUIET: Duration = Duration::from_millis(50);
/// Where the system gives no notice, or loses one.
const FALLBACK: Duration = Duration::from_secs(2);
const RARELY: Duration = Duration::from_secs(30);

/// Follows the files until the client is gone, and says what is wrong with them.
pub async fn follow(house: Arc<House>) {
    tokio::time::sleep(FIRST_LOOK).await;
    let changed = Arc::new(Notify::new());
    let bell = changed.clone();
    let mut watched = Watched::start(move || bell.notify_one());
    watched.cover(&house);
    let pause = if watched.watcher.is_some() {
        RARELY
    } else {
        FALLBACK
    };
    loop {
        renew(&house).await;
        watched.cover(&house);
        tokio::select! {
            () = changed.notified() => settle(&changed).await,
            () = tokio::time::sleep(pause) => {}
            () = house.gone.cancelled() => return,
        }
    }
}

/// Waits until nothing has happened for a moment, but not for ever.
async fn settle(changed: &Notify) {
    const MOST: usize = 5;
    for _ in 0..MOST {
        if tokio::time::timeout(QUIET, changed.notified())
            .await
            .is_err()
        {
            return;
        }
    }
}

/// Reads everything again if a file has changed.
async fn renew(house: &Arc<House>) {
    let reader = house.clone();
    let before = house.now();
    let old = before.clone();
    let read = tokio::task::spawn_blocking(move || {
        (!old.is_current(&reader.world))
            .then(|| Edition::read(&reader.world, &reader.options, reader.clock(), Some(&old)))
    });
    let Ok(Some(edition)) = read.await else {
        return;
    };
    let known: HashSet<&str> = before.remarks().collect();
    for remark in edition.remarks().filter(|remark| !known.contains(remark)) {
        house.talk.say(remark);
    }
    house.edition.send_replace(Arc::new(edition));
}

struct Watched {
    watcher: Option<RecommendedWatcher>,
    covered: HashSet<PathBuf>,
}

impl Watched {
    fn start(ring: impl Fn() + Send + 'static) -> Self {
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let is_reading = matches!(&event, Ok(event) if event.kind.is_access());
            if !is_reading {
                ring();
            }
        });
        Self {
            watcher: watcher.ok(),
            covered: HashSet::new(),
        }
    }

    /// Watches folders that have appeared: spaces themselves only for new folders, since
    /// an environment may lie in them.
    fn cover(&mut self, house: &House) {
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        let deep = folders(&house.world)
            .into_iter()
            .map(|folder| (folder, RecursiveMode::Recursive));
        let flat = spaces(&house.world)
            .into_iter()
            .map(|space| (space, RecursiveMode::NonRecursive));
        for (folder, mode) in flat.chain(deep) {
            if !folder.is_dir() {
                self.covered.remove(&folder);
            } else if !self.covered.contains(&folder) && watcher.watch(&folder, mode).is_ok() {
                self.covered.insert(folder);
            }
        }
    }
}

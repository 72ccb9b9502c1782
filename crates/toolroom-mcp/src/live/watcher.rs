//! Follows the files of the spaces: what is added, changed or removed is served within a
//! second, and what was broken by an edit stays listed until it is mended. Settings are
//! read at the start alone; that they are broken now is said.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;
use toolroom_catalog::space::PROJECT_SPACE;

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

/// The file of a project's settings, and the folder of its space.
const OF_PROJECT: [&str; 2] = ["toolroom.toml", PROJECT_SPACE];

/// Follows the files until the client is gone, and says what is wrong.
pub async fn follow(house: Arc<House>) {
    tokio::time::sleep(FIRST_LOOK).await;
    let changed = Arc::new(Notify::new());
    let bell = changed.clone();
    let mut watched = Watched::start(house.world.project.clone(), move || bell.notify_one());
    let mut fault = None;
    watched.cover(&house);
    let pause = if watched.watcher.is_some() {
        RARELY
    } else {
        FALLBACK
    };
    loop {
        renew(&house, &mut fault).await;
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

/// Reads everything again if a file has changed. `fault` is what was wrong with the settings.
async fn renew(house: &Arc<House>, fault: &mut Option<String>) {
    let reader = house.clone();
    let before = house.now();
    let old = before.clone();
    let read = tokio::task::spawn_blocking(move || {
        let edition = (!old.is_current(&reader.world))
            .then(|| Edition::read(&reader.world, &reader.options, reader.clock(), Some(&old)));
        (edition, reader.talk.settings_fault())
    });
    let Ok((edition, now)) = read.await else {
        return;
    };
    if let Some(now) = now.as_ref().filter(|now| fault.as_ref() != Some(now)) {
        house
            .talk
            .say(&format!("{now}; what was read at the start still holds"));
    }
    *fault = now;
    let Some(edition) = edition else { return };
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
    /// Of what lies in the project itself, little is ours.
    fn start(project: Option<PathBuf>, ring: impl Fn() + Send + 'static) -> Self {
        let is_ours = move |path: &PathBuf| {
            let is_of_project = path.parent() == project.as_deref();
            !is_of_project || OF_PROJECT.iter().any(|name| path.ends_with(name))
        };
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let is_nothing = matches!(&event, Ok(event) if event.kind.is_access()
                || !event.paths.is_empty() && !event.paths.iter().any(&is_ours));
            if !is_nothing {
                ring();
            }
        });
        Self {
            watcher: watcher.ok(),
            covered: HashSet::new(),
        }
    }

    /// Watches folders that have appeared: spaces and the project themselves only for what
    /// lies right in them, since an environment may lie further down.
    fn cover(&mut self, house: &House) {
        let Some(watcher) = &mut self.watcher else {
            return;
        };
        let deep = folders(&house.world)
            .into_iter()
            .map(|folder| (folder, RecursiveMode::Recursive));
        let flat = spaces(&house.world)
            .into_iter()
            .chain(house.world.project.clone())
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

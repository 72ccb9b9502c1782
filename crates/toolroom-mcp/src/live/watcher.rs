//! Follows the files of the spaces: what is added, changed or removed is served within a
//! second, and what was broken by an edit stays as it was until it is mended. Settings are
//! read at the start alone; that they are broken now is said.

use std::cell::OnceCell;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};
use toolroom_catalog::Catalog;
use toolroom_catalog::space::PROJECT_SPACE;
use toolroom_kernel::model::Tool;

use super::Edition;
use super::edition::{folders, spaces};
use crate::server::House;
use crate::threads;

/// A start is not slowed down by what can wait.
const FIRST_LOOK: Duration = Duration::from_millis(150);
/// Editors write in several steps.
const QUIET: Duration = Duration::from_millis(50);
/// For how long interpreters are asked about files that were edited at once.
const LONGEST_CHECK: Duration = Duration::from_millis(500);
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
    let mut said = Said::default();
    watched.cover(&house);
    let pause = if watched.watcher.is_some() {
        RARELY
    } else {
        FALLBACK
    };
    loop {
        renew(&house, &mut said).await;
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

/// What was wrong when it was last looked at.
#[derive(Default)]
struct Said {
    settings: Option<String>,
    is_stuck: bool,
}

/// Reads everything again if a file has changed.
async fn renew(house: &Arc<House>, said: &mut Said) {
    let reader = house.clone();
    let before = house.now();
    let old = before.clone();
    let (answer, read) = oneshot::channel();
    let runtime = Handle::current();
    let work = move || {
        old.keep(&reader.world);
        let edition = (!old.is_current(&reader.world)).then(|| renewed(&reader, &old, &runtime));
        let _ = answer.send((edition, reader.talk.settings_fault()));
    };
    // The runtime would panic where there is no thread to be had.
    let started = std::thread::Builder::new().spawn(work);
    let was_stuck = std::mem::replace(&mut said.is_stuck, started.is_err());
    if let Err(error) = started {
        if !was_stuck {
            house.talk.say(&format!(
                "changes of files are not followed for now: {error}"
            ));
        }
        return;
    }
    let Ok((edition, fault)) = read.await else {
        return;
    };
    if let Some(fault) = fault
        .as_ref()
        .filter(|fault| said.settings.as_ref() != Some(fault))
    {
        house
            .talk
            .say(&format!("{fault}; what was read at the start still holds"));
    }
    said.settings = fault;
    let Some(edition) = edition else { return };
    let known: HashSet<&str> = before.remarks().collect();
    for remark in edition.remarks().filter(|remark| !known.contains(remark)) {
        house.talk.say(remark);
    }
    house.edition.send_replace(Arc::new(edition));
}

/// What is served from now on. Interpreters are asked about edited files for a while, so that
/// a change of very many is told in time.
fn renewed(house: &Arc<House>, before: &Edition, runtime: &Handle) -> Edition {
    let catalog = OnceCell::new();
    let begun = Instant::now();
    let check = |tool: &Tool, old: &Tool| {
        let text = before.kept()?.text(old)?.clone();
        let catalog = catalog.get_or_init(|| Arc::new(Catalog::open(&house.world)));
        let asked = (house.clone(), catalog.clone(), tool.clone(), old.clone());
        let (answer, said) = oneshot::channel();
        if begun.elapsed() < LONGEST_CHECK {
            // A runtime that ends drops this, and then nobody answers.
            runtime.spawn(async move {
                let (house, catalog, tool, old) = asked;
                let _ = answer.send(house.worse(&catalog, &tool, &old, &text).await);
            });
            return said.blocking_recv().ok().flatten();
        }
        None
    };
    before.renewed(&house.world, &house.options, house.clock(), &check)
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
        let hear = move |event: notify::Result<notify::Event>| {
            let is_nothing = matches!(&event, Ok(event) if event.kind.is_access()
                || !event.paths.is_empty() && !event.paths.iter().any(&is_ours));
            if !is_nothing {
                ring();
            }
        };
        // One whose own thread does not start would panic when it is used.
        let watcher = threads::try_some(1)
            .ok()
            .and_then(|()| notify::recommended_watcher(hear).ok());
        Self {
            watcher,
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

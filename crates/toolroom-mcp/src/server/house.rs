//! What all connections of one process share: the tools, the places to run them in, the
//! long outputs, and the word that everything is over.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use rmcp::model::RequestStateCodec;
use rmcp::task_manager::TaskManager;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use toolroom_exec::spare::{SpareLimits, Spares};
use toolroom_exec::subprocess::Guard;
use toolroom_kernel::World;
use toolroom_provision::decision::Policy;
use toolroom_provision::plan::Selected;

use super::ServeError;
use super::outputs::Outputs;
use super::talk::Talk;
use crate::client::{Pool, PoolLimits};
use crate::live::{Checks, Edition};
use crate::tools::book::Choice;

/// Calls that may wait for a place; more are refused.
const MOST_WAITING: usize = 20_000;

/// How tools are served.
#[derive(Debug, Clone)]
pub struct Options {
    pub choice: Choice,
    /// Four tools to find and run all others, in their place.
    pub meta: bool,
    /// How many calls may run at once.
    pub concurrency: usize,
    /// Loader variables the project lets its dotenv files set.
    pub dotenv_allow: Vec<String>,
    /// How environments are chosen and made.
    pub policy: Policy,
    /// Packages whose every conflict is major.
    pub major_packages: Vec<String>,
    /// Parts of the project's manifest that are asked for by name.
    pub selected: Selected,
    /// How long another server that a tool needs is kept without a call.
    pub keep_servers: Duration,
    /// The folder of the log of runs; none if none is to be kept.
    pub runs: Option<PathBuf>,
    /// Our own binary, told to guard a tree of processes.
    pub guard: Guard,
    /// What the server says its version is.
    pub version: String,
}

/// The shared state of a server.
#[derive(Debug)]
pub struct House {
    pub world: World,
    pub options: Options,
    pub talk: Talk,
    /// What is served now; replaced whole.
    pub edition: watch::Sender<Arc<Edition>>,
    pub outputs: Outputs,
    pub tasks: Tasks,
    pub seal: RequestStateCodec,
    /// Set when the client is gone: everything still running is killed.
    pub gone: CancellationToken,
    pub places: Arc<Semaphore>,
    /// Launchers that wait for the next call.
    pub spares: Spares,
    /// Connections to the servers whose tools are tools here.
    pub servers: Pool,
    /// What interpreters said of files that were edited.
    pub checks: Checks,
    waiting: AtomicUsize,
    begun: Instant,
}

/// The task manager, which has no debug form of its own.
#[derive(Clone, Default)]
pub struct Tasks(pub TaskManager);

impl std::fmt::Debug for Tasks {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Tasks")
    }
}

impl House {
    /// Reads everything there is to serve.
    ///
    /// # Errors
    /// Fails if the system gives no random numbers.
    pub fn open(world: World, options: Options, talk: Talk) -> Result<Arc<Self>, ServeError> {
        let mut key = [0_u8; 32];
        getrandom::fill(&mut key).map_err(|error| ServeError::NoRandomness(error.to_string()))?;
        let seal = RequestStateCodec::try_new(key)
            .map_err(|error| ServeError::NoRandomness(error.to_string()))?;
        let edition = Edition::read(&world, &options);
        let folder = world
            .directories
            .as_ref()
            .map(|directories| directories.cache.join("output"));
        Ok(Arc::new(Self {
            spares: Spares::new(SpareLimits::default(), options.guard.clone()),
            servers: Pool::new(
                PoolLimits {
                    idle: options.keep_servers,
                    ..PoolLimits::default()
                },
                options.guard.clone(),
            ),
            places: Arc::new(Semaphore::new(options.concurrency.max(1))),
            edition: watch::Sender::new(Arc::new(edition)),
            outputs: Outputs::new(folder),
            tasks: Tasks::default(),
            seal,
            gone: CancellationToken::new(),
            checks: Checks::default(),
            waiting: AtomicUsize::new(0),
            begun: Instant::now(),
            world,
            options,
            talk,
        }))
    }

    /// What is wrong with the files, a line each.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        self.now().remarks().map(str::to_owned).collect()
    }

    /// What is served now.
    #[must_use]
    pub fn now(&self) -> Arc<Edition> {
        self.edition.borrow().clone()
    }

    /// The time of day, by the clock the world was given and the time that has gone since.
    #[must_use]
    pub fn clock(&self) -> SystemTime {
        self.world.now + self.begun.elapsed()
    }

    /// Counts one call in; none if too many wait already.
    pub fn enter(self: &Arc<Self>) -> Option<Entered> {
        let before = self.waiting.fetch_add(1, Ordering::Relaxed);
        let entered = Entered(self.clone());
        (before < MOST_WAITING).then_some(entered)
    }
}

/// A call that is counted until this is dropped.
#[derive(Debug)]
pub struct Entered(Arc<House>);

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

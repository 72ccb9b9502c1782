//! Calls a tool many times in one process, for `scripts/bench run`: throughput against a
//! bare spawn loop, what is left behind, and what a waiting launcher saves.
//!
//! `many TOOLROOM PROJECT TOOL COUNT AT_ONCE`

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a measurement says what it found and stops where it cannot go on"
)]

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use serde_json::Map;
use tokio::sync::Semaphore;
use toolroom_catalog::Catalog;
use toolroom_exec::executor::{
    Prepared, Request, Watch, Work, prepare, run_async, run_with_spares,
};
use toolroom_exec::spare::{SpareLimits, Spares};
use toolroom_exec::subprocess::{Cancel, Guard};
use toolroom_kernel::{Directories, Os, World};

/// How often the two loops take turns.
const TURNS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, toolroom, project, tool, count, at_once] = arguments.as_slice() else {
        panic!("many TOOLROOM PROJECT TOOL COUNT AT_ONCE");
    };
    let (count, at_once): (usize, usize) = (count.parse().unwrap(), at_once.parse().unwrap());
    let guard = Guard::new(toolroom, ["__guard".into()]);
    // As a server's: made while there is one thread.
    let garrisoned = guard.clone().garrisoned();
    let world = world(PathBuf::from(project));
    let catalog = Catalog::open(&world);
    let chain = catalog.link(catalog.find(tool).unwrap()).unwrap();
    let prepared = Arc::new(
        prepare(&Request {
            world: &world,
            catalog: &catalog,
            chain: &chain,
            source: None,
            params: &Map::new(),
            env: &[],
            timeout: None,
            dotenv_allow: &[],
            preferred: &[],
            setup: None,
        })
        .unwrap(),
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let descriptors = open_descriptors();
        let (mut bare, mut ours) = (Duration::ZERO, Duration::ZERO);
        // By turns: a machine may be slower for a while, and that is nobody's merit.
        for _ in 0..TURNS {
            bare += bare_loop(&prepared, count / TURNS, at_once).await;
            ours += our_loop(&prepared, &garrisoned, count / TURNS, at_once).await;
        }
        drop(garrisoned);
        println!("bare_seconds {}", bare.as_secs_f64());
        println!("our_seconds {}", ours.as_secs_f64());
        println!(
            "descriptors_left {}",
            open_descriptors().saturating_sub(descriptors)
        );
        println!("children_left {}", children());
        let (bare_spawn, warm) = prewarmed(&prepared, &guard).await;
        println!("bare_spawn_median_ms {}", bare_spawn.as_secs_f64() * 1000.0);
        println!("prewarmed_median_ms {}", warm.as_secs_f64() * 1000.0);
    });
}

fn world(project: PathBuf) -> World {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap());
    World {
        env: std::env::vars_os().collect(),
        cwd: project.clone(),
        user_space: Some(home.join(".ai")),
        project: Some(project),
        directories: Some(Directories {
            config: home.join(".config/toolroom"),
            cache: home.join(".cache/toolroom"),
            state: home.join(".local/state/toolroom"),
        }),
        home: Some(home),
        os: Os::current(),
        now: SystemTime::now(),
    }
}

/// The same interpreter with the same launcher and input, started by hand.
async fn bare_call(prepared: &Prepared) {
    use tokio::io::AsyncWriteExt as _;
    let Work::Process(call) = &prepared.work else {
        panic!("a process");
    };
    let mut child = tokio::process::Command::new(&call.command.program)
        .args(&call.command.args)
        .env_clear()
        .envs(call.command.env.iter())
        .current_dir(&call.command.cwd)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&call.input).await.unwrap();
    drop(stdin);
    assert!(child.wait_with_output().await.unwrap().status.success());
}

async fn our_call(prepared: &Prepared, guard: &Guard) {
    let cancel = Cancel::new();
    let watch = Watch {
        guard,
        cancel: &cancel,
        live: None,
        spill: None,
    };
    let report = run_async(prepared, &watch).await.unwrap();
    assert!(report.failure.is_none());
}

async fn bare_loop(prepared: &Arc<Prepared>, count: usize, at_once: usize) -> Duration {
    let prepared = Arc::clone(prepared);
    timed(count, at_once, move || {
        let prepared = Arc::clone(&prepared);
        async move { bare_call(&prepared).await }
    })
    .await
}

async fn our_loop(
    prepared: &Arc<Prepared>,
    guard: &Guard,
    count: usize,
    at_once: usize,
) -> Duration {
    let (prepared, guard) = (Arc::clone(prepared), guard.clone());
    timed(count, at_once, move || {
        let (prepared, guard) = (Arc::clone(&prepared), guard.clone());
        async move { our_call(&prepared, &guard).await }
    })
    .await
}

async fn timed<F: Future<Output = ()> + Send + 'static>(
    count: usize,
    at_once: usize,
    call: impl Fn() -> F,
) -> Duration {
    let places = Arc::new(Semaphore::new(at_once));
    let begun = Instant::now();
    let mut calls = Vec::new();
    for _ in 0..count {
        let place = Arc::clone(&places).acquire_owned().await.unwrap();
        let work = call();
        calls.push(tokio::spawn(async move {
            work.await;
            drop(place);
        }));
    }
    for call in calls {
        call.await.unwrap();
    }
    begun.elapsed()
}

/// Medians of a bare call and of one that found a launcher waiting.
async fn prewarmed(prepared: &Arc<Prepared>, guard: &Guard) -> (Duration, Duration) {
    const ROUNDS: usize = 40;
    let Work::Process(call) = &prepared.work else {
        panic!("a process");
    };
    let spares = Spares::new(SpareLimits::default(), guard.clone());
    let (mut bare, mut warm) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        bare_call(prepared).await;
        bare.push(begun.elapsed());
        spares.keep(&call.command, 1);
        while spares.waiting() < 1 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        // A launcher waits once its interpreter has started.
        tokio::time::sleep(Duration::from_millis(120)).await;
        let cancel = Cancel::new();
        let watch = Watch {
            guard,
            cancel: &cancel,
            live: None,
            spill: None,
        };
        let begun = Instant::now();
        run_with_spares(prepared, &watch, &spares).await.unwrap();
        warm.push(begun.elapsed());
    }
    (median(bare), median(warm))
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn open_descriptors() -> usize {
    fs_err::read_dir("/proc/self/fd").map_or(0, Iterator::count)
}

fn children() -> usize {
    let path = format!("/proc/self/task/{}/children", std::process::id());
    let text = fs_err::read_to_string(path).unwrap_or_default();
    text.split_whitespace().count()
}

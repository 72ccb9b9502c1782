//! Spare processes: started ahead, taken once, never mixed up, never left behind.

use std::time::{Duration, Instant};

use toolroom_exec::spare::{SpareLimits, Spares};
use toolroom_exec::subprocess::{Cancel, Command, End, Outcome, Process, Stdin, Supervision};

use super::support::{guard, is_alive, shell, text};

fn waiting_shell() -> Command {
    let mut command = shell("echo started $$ >&2; read line; echo got $line from $$");
    command.stdin = Stdin::Pipe;
    command
}

fn limits(total: usize) -> SpareLimits {
    SpareLimits {
        total,
        idle: Duration::from_secs(60),
    }
}

fn with_runtime<T>(work: impl AsyncFnOnce() -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work())
}

async fn settled(spares: &Spares, count: usize) {
    for _ in 0..500 {
        if spares.waiting() == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} spares wait, not {count}", spares.waiting());
}

fn input(line: &str) -> Supervision {
    let mut how = Supervision::new();
    how.input = format!("{line}\n").into_bytes();
    how
}

#[test]
fn each_call_gets_a_process_of_its_own_that_was_started_before() {
    with_runtime(async || {
        let spares = Spares::new(limits(4), guard());
        let command = waiting_shell();
        assert!(spares.take(&command).is_none());
        spares.keep(&command, 2);
        settled(&spares, 2).await;
        let mut seen = Vec::new();
        for line in ["one", "two"] {
            let process = spares.take(&command).unwrap();
            let outcome = process.finish(&input(line), &Cancel::new()).await.unwrap();
            let printed = text(&outcome.stdout);
            assert!(
                printed.starts_with(&format!("got {line} from ")),
                "{printed}"
            );
            seen.push(printed.split_whitespace().last().unwrap().to_owned());
        }
        assert_ne!(seen[0], seen[1]);
        assert!(spares.take(&command).is_none());
    });
}

#[test]
fn a_spare_is_never_taken_for_another_command() {
    with_runtime(async || {
        let spares = Spares::new(limits(4), guard());
        let command = waiting_shell();
        spares.keep(&command, 1);
        settled(&spares, 1).await;
        let mut other_env = command.clone();
        other_env.env.set("CHANGED", "1");
        let mut other_place = command.clone();
        other_place.cwd = "/".into();
        assert!(spares.take(&other_env).is_none());
        assert!(spares.take(&other_place).is_none());
        assert!(spares.take(&command).is_some());
    });
}

#[test]
fn there_are_never_more_than_allowed() {
    with_runtime(async || {
        let spares = Spares::new(limits(3), guard());
        let command = waiting_shell();
        for _ in 0..5 {
            spares.keep(&command, 10);
        }
        settled(&spares, 3).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(spares.waiting(), 3);
    });
}

#[test]
fn an_idle_or_ended_spare_is_gone() {
    with_runtime(async || {
        let brief = SpareLimits {
            total: 4,
            idle: Duration::from_millis(300),
        };
        let spares = Spares::new(brief, guard());
        spares.keep(&waiting_shell(), 1);
        settled(&spares, 1).await;
        settled(&spares, 0).await;
        let spares = Spares::new(limits(4), guard());
        spares.keep(&shell("exit 0"), 1);
        tokio::time::sleep(Duration::from_millis(300)).await;
        settled(&spares, 0).await;
    });
}

#[test]
fn nothing_is_left_when_the_pool_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    with_runtime(async || {
        let spares = Spares::new(limits(4), guard());
        let mut command = shell(&format!("echo $$ > '{}'; read line", file.display()));
        command.stdin = Stdin::Pipe;
        spares.keep(&command, 1);
        settled(&spares, 1).await;
        super::support::pids_in(&file, 1);
    });
    let pid = super::support::pids_in(&file, 1)[0];
    for _ in 0..300 {
        if !is_alive(pid) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{pid} is still running");
}

#[test]
fn a_spare_process_waits_for_its_one_call() {
    let mut command = shell("read line; echo \"got $line\"");
    command.stdin = Stdin::Pipe;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut process = Process::start(&command, &guard()).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert!(process.is_running());
        let mut how = Supervision::new();
        how.input = b"work\n".to_vec();
        let outcome = process.finish(&how, &Cancel::new()).await.unwrap();
        assert_eq!(text(&outcome.stdout), "got work\n");
    });
}

#[test]
fn a_spare_process_that_ended_is_known_to_have() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let mut process = Process::start(&shell("exit 3"), &guard()).await.unwrap();
        let deadline = Instant::now() + Duration::from_secs(10);
        while process.is_running() && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert!(!process.is_running());
        let outcome = process
            .finish(&Supervision::new(), &Cancel::new())
            .await
            .unwrap();
        assert_eq!(outcome.exit_code(), Some(3));
    });
}

/// Takes a spare that waits, ends it, and only then gives it its order.
async fn order_to_a_dead_spare(script: &str, how: &Supervision) -> Option<Outcome> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let mut command = shell(&format!("echo $$ > '{}'; {script}", file.display()));
    command.stdin = Stdin::Pipe;
    let spares = Spares::new(limits(1), guard());
    spares.keep(&command, 1);
    settled(&spares, 1).await;
    let pid = super::support::pids_in(&file, 1)[0];
    let process = spares.take(&command).unwrap();
    kill(pid, "KILL");
    // Until it is gone it may still take what comes, even though it can do nothing with it.
    assert!(super::support::all_gone(&[pid]));
    process.finish_if_taken(how, &Cancel::new()).await.unwrap()
}

fn kill(pid: u32, signal: &str) {
    let sent = std::process::Command::new("kill")
        .args([format!("-{signal}"), pid.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_spare_that_dies_before_its_order_has_not_begun_whatever_the_size_of_that() {
    with_runtime(async || {
        for size in [1, 1 << 20] {
            let mut how = Supervision::new();
            how.input = vec![b'x'; size];
            let finished = order_to_a_dead_spare("read line", &how).await;
            assert!(finished.is_none(), "{finished:?}");
        }
    });
}

#[test]
fn an_order_of_which_one_byte_was_read_may_have_begun() {
    with_runtime(async || {
        for text in ["order", "oo"] {
            let mut command = shell("head -c 1 >/dev/null; kill -KILL $$");
            command.stdin = Stdin::Pipe;
            let process = Process::start_ahead(&command, &guard()).await.unwrap();
            let finished = process.finish_if_taken(&input(text), &Cancel::new()).await;
            let outcome = finished.unwrap().expect("it has begun");
            assert_eq!(outcome.signal(), Some(9), "{text}");
        }
    });
}

#[test]
fn a_call_that_was_given_up_is_over_whether_its_order_was_read_or_not() {
    with_runtime(async || {
        let mut command = shell("sleep 60");
        command.stdin = Stdin::Pipe;
        let process = Process::start_ahead(&command, &guard()).await.unwrap();
        let mut how = super::support::within(0.2, 0.0);
        how.input = b"order".to_vec();
        let finished = process.finish_if_taken(&how, &Cancel::new()).await;
        let finished = finished.unwrap().expect("it is over");
        assert_eq!(finished.end, End::TimedOut);
    });
}

//! Guards that were started before they are needed.

use std::time::{Duration, Instant};

use toolroom_exec::subprocess::{Cancel, Guard, Supervision, run};

use crate::support::*;

/// The guards that wait below this process, by the program of their own that they are.
fn waiting(program: &std::path::Path) -> Vec<u32> {
    let processes = fs_err::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|entry| fs_err::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == program))
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

fn until_waiting(program: &std::path::Path) -> Vec<u32> {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        let found = waiting(program);
        if !found.is_empty() {
            return found;
        }
        assert!(Instant::now() < deadline, "no guard waits");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn the_next_guard_waits_and_one_that_died_is_replaced() {
    let place = tempfile::tempdir().unwrap();
    let program = place.path().join("own-guard");
    fs_err::copy(PROBE, &program).unwrap();
    let guard = Guard::new(&program, ["guard".into()]).kept_ready();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let call = || {
        let (command, how) = (shell("echo hi"), Supervision::new());
        let outcome = runtime.block_on(run(&command, &how, &guard, &Cancel::new()));
        assert_eq!(text(&outcome.unwrap().stdout), "hi\n");
    };
    assert!(waiting(&program).is_empty());
    call();
    let first = until_waiting(&program);
    assert_eq!(first.len(), 1);
    call();
    assert!(all_gone(&first));
    let killed = until_waiting(&program);
    for pid in &killed {
        let pid = rustix::process::Pid::from_raw((*pid).try_into().unwrap()).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    }
    assert!(all_gone(&killed));
    call();
    let last = until_waiting(&program);
    drop(guard);
    assert!(all_gone(&last));
}

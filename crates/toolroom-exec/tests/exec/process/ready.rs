//! Guards that were started before they are needed, and who makes them.

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
    // It is there a moment before it is known to be.
    let is_used = (0..3).any(|_| {
        call();
        all_gone(&first)
    });
    assert!(is_used);
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

/// Calls a script three times in a process that has a garrison, and gives what they print.
fn garrisoned(script: &str) -> Vec<String> {
    let called = std::process::Command::new(PROBE)
        .args(["garrison", "/bin/sh", "-c", script])
        .output()
        .unwrap();
    assert!(called.status.success(), "{called:?}");
    let printed = String::from_utf8(called.stdout).unwrap();
    printed.lines().map(str::to_owned).collect()
}

/// The parent of the guard, which is the script's own parent.
const WHO_MADE_IT: &str = "cut -d' ' -f4 /proc/$PPID/stat";

#[test]
fn a_garrison_makes_every_guard_and_ends_with_its_process() {
    let makers = garrisoned(WHO_MADE_IT);
    assert_eq!(makers.len(), 3);
    assert!(makers.iter().all(|maker| *maker == makers[0]), "{makers:?}");
    assert!(all_gone(&[makers[0].parse().unwrap()]));
}

#[test]
fn a_garrison_keeps_no_ended_guard() {
    let states = garrisoned(&format!(
        "maker=$({WHO_MADE_IT}); sleep 0.2
         for child in $(cat /proc/$maker/task/$maker/children); do
           cut -d' ' -f3 /proc/$child/stat
         done | grep -c Z || true"
    ));
    assert_eq!(states, ["0", "0", "0"]);
}

#[test]
fn guards_are_had_otherwise_once_the_garrison_was_killed() {
    let place = tempfile::tempdir().unwrap();
    let mark = place.path().join("mark");
    let makers = garrisoned(&format!(
        "maker=$({WHO_MADE_IT}); echo $maker
         [ -e {mark} ] || {{ touch {mark}; kill -9 $maker; sleep 0.1; }}",
        mark = mark.display()
    ));
    assert_eq!(makers.len(), 3);
    assert_ne!(makers[0], makers[1]);
    assert_eq!(makers[1], makers[2]);
}

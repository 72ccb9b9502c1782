//! How a process tree ends: by itself, by time, by its caller's wish or death. Nothing of it is left.

use std::path::Path;
use std::time::{Duration, Instant};

use toolroom_exec::subprocess::{Cancel, End, Error, Process, Supervision};

use crate::support::*;

#[test]
fn a_timeout_asks_first_and_keeps_what_was_said() {
    let script = "trap 'echo ending; exit 3' TERM; echo begun; while :; do sleep 0.05; done";
    let outcome = run(&shell(script), &within(0.5, 10.0)).unwrap();
    assert_eq!(outcome.end, End::TimedOut);
    assert_eq!(outcome.exit_code(), Some(3));
    assert_eq!(text(&outcome.stdout), "begun\nending\n");
}

#[test]
fn a_tool_that_ignores_the_request_is_killed_on_time() {
    let begun = Instant::now();
    let script = "trap '' TERM; echo begun; while :; do sleep 0.05; done";
    let outcome = run(&shell(script), &within(0.5, 0.3)).unwrap();
    assert_eq!(outcome.end, End::TimedOut);
    assert_eq!(outcome.signal(), Some(9));
    assert_eq!(text(&outcome.stdout), "begun\n");
    assert!(begun.elapsed() < Duration::from_secs(5));
}

#[test]
fn grandchildren_that_hold_the_pipes_do_not_hold_us() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("pids");
    let script = format!(
        "sleep 60 & echo $! >> {0}; setsid sleep 60 & echo $! >> {0}; echo hi; wait",
        file.display()
    );
    let begun = Instant::now();
    let outcome = run(&shell(&script), &within(1.0, 0.2)).unwrap();
    assert_eq!(outcome.end, End::TimedOut);
    assert_eq!(text(&outcome.stdout), "hi\n");
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(all_gone(&pids_in(&file, 2)));
}

#[test]
fn what_a_finished_tool_leaves_behind_is_ended() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("pids");
    // A daemon by the book: two forks and a session of its own, deaf to TERM.
    let script = format!(
        "setsid sh -c '(trap \"\" TERM; echo $$ >> {0}; sh -c \"echo \\$PPID >> {0}; exec sleep 60\") & ' & \
         sleep 60 & echo $! >> {0}; while [ \"$(wc -l < {0})\" -lt 3 ]; do sleep 0.02; done; echo done",
        file.display()
    );
    let begun = Instant::now();
    let outcome = outcome_of(&script);
    assert!(outcome.success(), "{}", text(&outcome.stderr));
    assert_eq!(text(&outcome.stdout), "done\n");
    assert!(begun.elapsed() < Duration::from_secs(10));
    assert!(all_gone(&pids_in(&file, 3)));
}

/// Starts a tool with a child and a daemon, and gives the three of them.
fn tree_of(file: &Path) -> String {
    format!(
        "echo $$ >> {0}; sleep 61 & echo $! >> {0}; setsid sh -c 'echo $$ >> {0}; exec sleep 62' & wait",
        file.display()
    )
}

#[test]
fn nothing_survives_the_sudden_death_of_the_caller() {
    for how in ["run", "fork", "garrison"] {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("pids");
        let mut caller = std::process::Command::new(PROBE)
            .args([how, "/bin/sh", "-c", &tree_of(&file)])
            .spawn()
            .unwrap();
        let pids = pids_in(&file, 3);
        assert!(pids.iter().all(|pid| is_alive(*pid)));
        caller.kill().unwrap();
        caller.wait().unwrap();
        assert!(all_gone(&pids), "{how}");
    }
}

#[test]
fn an_interrupt_of_the_caller_ends_the_tree_in_order() {
    for how in ["run", "fork", "garrison"] {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("pids");
        let mark = place.path().join("mark");
        let script = format!(
            "trap 'echo ended > {1}; exit 0' TERM; sleep 60 & echo $$ $! >> {0}; wait",
            file.display(),
            mark.display()
        );
        let mut caller = std::process::Command::new(PROBE)
            .args([how, "/bin/sh", "-c", &script])
            .spawn()
            .unwrap();
        let pids = pids_in(&file, 2);
        let pid = caller.id().to_string();
        assert!(
            std::process::Command::new("kill")
                .args(["-INT", &pid])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(caller.wait().unwrap().code(), Some(1), "{how}");
        assert!(all_gone(&pids), "{how}");
        assert_eq!(fs_err::read_to_string(mark).unwrap(), "ended\n", "{how}");
    }
}

#[test]
fn a_signal_that_the_caller_was_told_to_ignore_ends_nothing() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("pids");
    let script = format!("echo $$ >> {}; sleep 0.5; exit 0", file.display());
    let mut caller = std::process::Command::new("/bin/sh")
        .args(["-c", "trap '' HUP INT; exec \"$@\"", "sh", PROBE, "run"])
        .args(["/bin/sh", "-c", &script])
        .spawn()
        .unwrap();
    pids_in(&file, 1);
    for signal in ["-HUP", "-INT"] {
        let pid = caller.id().to_string();
        let mut kill = std::process::Command::new("kill");
        assert!(kill.args([signal, &pid]).status().unwrap().success());
    }
    assert_eq!(caller.wait().unwrap().code(), Some(0));
}

#[test]
fn a_dropped_process_is_killed() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("pids");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let process = Process::start(&shell(&tree_of(&file)), &guard())
            .await
            .unwrap();
        let pids = pids_in(&file, 3);
        drop(process);
        assert!(all_gone(&pids));
    });
}

#[test]
fn the_death_of_the_guard_is_told_and_leaves_no_group() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("pids");
    let script = format!(
        "echo $$ >> {0}; sleep 0.3; kill -KILL $PPID; sleep 60",
        file.display()
    );
    let error = run(&shell(&script), &Supervision::new()).unwrap_err();
    assert!(matches!(error, Error::GuardLost { .. }), "{error}");
    assert!(all_gone(&pids_in(&file, 1)));
}

/// A daemon has left the tool's group and session, and knows its guard no more.
#[cfg(target_os = "linux")]
#[test]
fn a_daemon_does_not_survive_the_guard_its_tool_killed() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("pids");
    let script = format!(
        "env -i setsid sh -c 'trap \"\" TERM; echo $$ >> {0}; sleep 787 & echo $! >> {0}; wait' & \
         while [ \"$(wc -l < {0})\" -lt 2 ]; do sleep 0.02; done; kill -KILL $PPID; sleep 60",
        file.display()
    );
    fs_err::write(&file, "").unwrap();
    // What others run at the same time is none of its business.
    let other = std::thread::spawn(|| outcome_of("setsid sh -c 'sleep 1.5; echo whole'"));
    let mut stranger = std::process::Command::new("setsid")
        .args(["sleep", "60"])
        .spawn()
        .unwrap();
    let error = run(&shell(&script), &Supervision::new()).unwrap_err();
    assert!(matches!(error, Error::GuardLost { .. }), "{error}");
    assert!(all_gone(&pids_in(&file, 2)));
    assert_eq!(text(&other.join().unwrap().stdout), "whole\n");
    assert!(is_alive(stranger.id()));
    stranger.kill().unwrap();
    stranger.wait().unwrap();
}

/// A daemon that says who it and the guard are, and heeds no request to end.
#[cfg(target_os = "linux")]
fn daemon_in(file: &Path) -> String {
    fs_err::write(file, "").unwrap();
    format!(
        "echo $PPID >> {0}; setsid sh -c 'trap \"\" TERM; echo $$ >> {0}; exec sleep 787' & \
         while [ \"$(wc -l < {0})\" -lt 2 ]; do sleep 0.02; done",
        file.display()
    )
}

/// A stopped process hears no request and sees no socket close; only a kill reaches it.
#[cfg(target_os = "linux")]
#[test]
fn a_tool_that_stops_its_guard_is_ended_on_time_with_all_it_started() {
    for stopped in [
        "kill -STOP $PPID; sleep 60",
        "while kill -STOP $PPID; do :; done",
    ] {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("pids");
        let script = format!("{}; {stopped}", daemon_in(&file));
        let begun = Instant::now();
        let outcome = run(&shell(&script), &within(0.8, 0.2)).unwrap();
        assert_eq!(outcome.end, End::TimedOut);
        assert!(begun.elapsed() < Duration::from_secs(5));
        assert!(all_gone(&pids_in(&file, 2)), "{stopped}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_dropped_process_is_killed_though_it_stopped_its_guard() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("pids");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let script = format!(
            "{}; (while kill -STOP $PPID; do echo stopped >&2; done) & sleep 60",
            daemon_in(&file)
        );
        let process = Process::start(&shell(&script), &guard()).await.unwrap();
        let pids = pids_in(&file, 2);
        tokio::time::sleep(Duration::from_millis(100)).await;
        drop(process);
        assert!(all_gone(&pids));
    });
}

/// That a tool's end was told does not say that its guard came to its own.
#[cfg(target_os = "linux")]
#[test]
fn a_daemon_that_kills_the_guard_after_its_tool_has_ended_is_ended_too() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("pids");
    fs_err::write(&file, "").unwrap();
    let script = format!(
        "guard=$PPID; setsid sh -c 'trap \"\" TERM; echo $$ >> {0}; \
         while kill -0 '$$' 2>/dev/null; do :; done; kill -KILL '$guard'; exec sleep 787' & \
         while [ ! -s {0} ]; do sleep 0.02; done; exit 3",
        file.display()
    );
    let outcome = run(&shell(&script), &Supervision::new()).unwrap();
    assert_eq!(outcome.exit_code(), Some(3));
    assert!(all_gone(&pids_in(&file, 1)));
}

#[test]
fn the_grace_is_short_where_the_time_is() {
    for (timeout, grace) in [(None, 2000), (Some(60_000), 2000), (Some(1000), 500)] {
        let timeout = timeout.map(Duration::from_millis);
        assert_eq!(
            Supervision::usual_grace(timeout),
            Duration::from_millis(grace)
        );
    }
}

#[test]
fn cancelling_ends_the_tree_and_says_so() {
    let cancel = Cancel::new();
    let from_elsewhere = cancel.clone();
    let thread = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        from_elsewhere.stop();
        std::thread::sleep(Duration::from_millis(200));
        from_elsewhere.kill();
    });
    let mut how = Supervision::new();
    how.grace = Duration::from_secs(60);
    let deaf = shell("trap '' TERM; echo begun; while :; do sleep 0.05; done");
    let outcome = toolroom_exec::subprocess::run_blocking(&deaf, &how, &guard(), &cancel).unwrap();
    thread.join().unwrap();
    assert_eq!(outcome.end, End::Cancelled);
    assert_eq!(outcome.signal(), Some(9));
    assert_eq!(text(&outcome.stdout), "begun\n");
}

#[test]
fn a_fork_bomb_ends_with_its_call() {
    let place = tempfile::tempdir().unwrap();
    let mark = format!("bomb{}", std::process::id());
    let script = place.path().join(&mark);
    // Bounded by depth as well, since root is not bound by the limit on processes.
    fs_err::write(
        &script,
        "[ $1 -gt 6 ] && exec sleep 60\nsh $0 $(($1 + 1)) & sh $0 $(($1 + 1)) & wait\n",
    )
    .unwrap();
    let mut command = command("/bin/sh", &[script.to_str().unwrap(), "1"]);
    command.limits.processes = Some(300);
    let begun = Instant::now();
    let outcome = run(&command, &within(2.0, 0.1)).unwrap();
    assert_eq!(outcome.end, End::TimedOut);
    assert!(begun.elapsed() < Duration::from_secs(15));
    assert!(!anything_runs(&mark));
}

/// The limit counts a user's processes and does not bind root, in whose place another user
/// is taken.
#[cfg(target_os = "linux")]
#[test]
fn a_fork_bomb_without_end_is_held_by_the_process_limit() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let user = fs_err::metadata("/proc/self").unwrap().uid();
    let place = tempfile::tempdir().unwrap();
    fs_err::set_permissions(place.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mark = format!("endless{}", std::process::id());
    let script = place.path().join(&mark);
    fs_err::write(&script, "while :; do sh $0 & done 2>/dev/null\n").unwrap();
    let script = script.to_str().unwrap();
    let mut command = match user {
        0 => command(
            "setpriv",
            &["--reuid=61234", "--clear-groups", "sh", script],
        ),
        _ => command("/bin/sh", &[script]),
    };
    command.limits.processes = Some(40 + if user == 0 { 0 } else { tasks_of(user) });
    let outcome = run(&command, &within(1.0, 0.1)).unwrap();
    assert!(!outcome.success());
    let since = Instant::now();
    while anything_runs(&mark) {
        assert!(
            since.elapsed() < Duration::from_secs(10),
            "the bomb goes on"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// How many threads a user has now.
#[cfg(target_os = "linux")]
fn tasks_of(user: u32) -> u64 {
    use std::os::unix::fs::MetadataExt as _;
    let entries = fs_err::read_dir("/proc").unwrap().flatten();
    let own = entries.filter(|entry| entry.metadata().is_ok_and(|found| found.uid() == user));
    let tasks = own.filter_map(|entry| fs_err::read_dir(entry.path().join("task")).ok());
    tasks.map(|tasks| tasks.count() as u64).sum()
}

fn anything_runs(mark: &str) -> bool {
    let entries = fs_err::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| fs_err::read(entry.path().join("cmdline")).ok());
    lines
        .filter(|line| !line.is_empty())
        .any(|line| String::from_utf8_lossy(&line).contains(&format!("/{mark}\0")))
}

#[test]
fn many_runs_at_once_leave_no_descriptor_and_no_process() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let open_files = || fs_err::read_dir("/proc/self/fd").unwrap().count();
    runtime.block_on(async {
        let one = async || {
            let how = Supervision::new();
            toolroom_exec::subprocess::run(&shell("echo x"), &how, &guard(), &Cancel::new()).await
        };
        one().await.unwrap();
        let before = open_files();
        for _ in 0..4 {
            let runs: Vec<_> = (0..20).map(|_| tokio::spawn(one())).collect();
            for run in runs {
                assert!(run.await.unwrap().unwrap().success());
            }
        }
        // Other tests run in this process too; a leak would be in the hundreds.
        assert!(
            open_files() < before + 60,
            "{} then {}",
            before,
            open_files()
        );
    });
}

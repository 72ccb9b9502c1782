//! The primitive by itself: ends, limits, capture, trees.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use toolroom_exec::subprocess::{
    Cancel, Command, Error, Happening, Listener, Process, Stdin, Stream, Supervision,
};
use toolroom_kernel::Explain;

use crate::support::*;

#[test]
fn a_program_gets_its_arguments_and_nothing_else() {
    let mut command = command("/usr/bin/env", &[]);
    command.env = [("ONLY", "this one")].into_iter().collect();
    let outcome = run(&command, &Supervision::new()).unwrap();
    assert!(outcome.success());
    assert_eq!(text(&outcome.stdout), "ONLY=this one\n");
}

#[test]
fn both_outputs_and_the_exit_code_are_reported() {
    let outcome = outcome_of("echo out; echo err >&2; exit 7");
    assert_eq!(text(&outcome.stdout), "out\n");
    assert_eq!(text(&outcome.stderr), "err\n");
    assert_eq!((outcome.exit_code, outcome.signal), (Some(7), None));
    assert!(!outcome.success());
}

#[test]
fn a_signal_is_reported_as_one() {
    let outcome = outcome_of("kill -SEGV $$");
    assert_eq!((outcome.exit_code, outcome.signal), (None, Some(11)));
}

#[test]
fn standard_input_is_null_or_what_it_is_fed() {
    assert_eq!(
        text(&outcome_of("cat; readlink /proc/self/fd/0").stdout),
        "/dev/null\n"
    );
    let mut command = shell("cat");
    command.stdin = Stdin::Pipe;
    let mut how = Supervision::new();
    for input in [Vec::new(), b"hello".to_vec(), vec![b'x'; 3 << 20]] {
        how.input = input;
        let outcome = run(&command, &how).unwrap();
        assert_eq!(outcome.stdout.length, how.input.len() as u64);
    }
}

#[test]
fn a_tool_that_does_not_read_its_input_ends_all_the_same() {
    let mut command = shell("exec 0<&-; echo done");
    command.stdin = Stdin::Pipe;
    let mut how = Supervision::new();
    how.input = vec![b'x'; 8 << 20];
    let outcome = run(&command, &how).unwrap();
    assert_eq!(text(&outcome.stdout), "done\n");
}

#[test]
fn what_cannot_start_says_why() {
    let place = tempfile::tempdir().unwrap();
    let file = |name: &str, content: &str, mode: u32| {
        let path = place.path().join(name);
        fs_err::write(&path, content).unwrap();
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let shebang = file("shebang", "#!/no/such/interpreter\n", 0o755);
    let plain = file("plain", "#!/bin/sh\n", 0o644);
    let garbage = file("garbage", "\0\x01\x02", 0o755);
    let mut nowhere = shell("true");
    nowhere.cwd = "/no/such/directory".into();
    let mut nul = shell("true");
    nul.args.push(OsString::from_vec(b"a\0b".to_vec()));
    let mut long = shell("true");
    long.args.push("x".repeat(4 << 20).into());
    let cases = [
        (command("/no/such/program", &[]), "exec::not_found"),
        (command("no-such-program", &[]), "exec::not_found"),
        (command("/etc/passwd/x", &[]), "exec::not_found"),
        (command(shebang, &[]), "exec::not_found"),
        (command(plain, &[]), "exec::not_executable"),
        (command(garbage, &[]), "exec::not_executable"),
        (command(place.path(), &[]), "exec::not_executable"),
        (nowhere, "exec::missing_cwd"),
        (nul, "exec::invalid_argument"),
        (long, "exec::spawn_failed"),
    ];
    for (command, code) in cases {
        let error = run(&command, &Supervision::new()).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.help().is_some(), "{error}");
    }
}

#[test]
fn a_guard_that_is_none_is_told_as_such() {
    let guard = toolroom_exec::subprocess::Guard {
        program: "/bin/true".into(),
        args: Vec::new(),
    };
    let error = toolroom_exec::subprocess::run_blocking(
        &shell("true"),
        &Supervision::new(),
        &guard,
        &Cancel::new(),
    )
    .unwrap_err();
    assert_eq!(error.code(), "exec::guard_failed");
}

#[test]
fn bytes_that_are_no_text_pass_both_ways() {
    let odd = OsString::from_vec(b"\xff\xfe x".to_vec());
    let mut command = shell("printf '%s|%s' \"$1\" \"$VALUE\"");
    command.args.extend(["sh".into(), odd.clone()]);
    command.env.set("VALUE", odd);
    let outcome = run(&command, &Supervision::new()).unwrap();
    assert_eq!(&*outcome.stdout.bytes(), b"\xff\xfe x|\xff\xfe x");
    assert!(outcome.stdout.text().lossy);
}

#[test]
fn a_timeout_asks_first_and_keeps_what_was_said() {
    let script = "trap 'echo ending; exit 3' TERM; echo begun; while :; do sleep 0.05; done";
    let outcome = run(&shell(script), &within(0.5, 10.0)).unwrap();
    assert!(outcome.timed_out);
    assert_eq!(outcome.exit_code, Some(3));
    assert_eq!(text(&outcome.stdout), "begun\nending\n");
}

#[test]
fn a_tool_that_ignores_the_request_is_killed_on_time() {
    let begun = Instant::now();
    let script = "trap '' TERM; echo begun; while :; do sleep 0.05; done";
    let outcome = run(&shell(script), &within(0.5, 0.3)).unwrap();
    assert!(outcome.timed_out);
    assert_eq!(outcome.signal, Some(9));
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
    assert!(outcome.timed_out);
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
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("pids");
    let mut caller = std::process::Command::new(PROBE)
        .args(["run", "/bin/sh", "-c", &tree_of(&file)])
        .spawn()
        .unwrap();
    let pids = pids_in(&file, 3);
    assert!(pids.iter().all(|pid| is_alive(*pid)));
    caller.kill().unwrap();
    caller.wait().unwrap();
    assert!(all_gone(&pids));
}

#[test]
fn an_interrupt_of_the_caller_ends_the_tree_in_order() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("pids");
    let mark = place.path().join("mark");
    let script = format!(
        "trap 'echo ended > {1}; exit 0' TERM; sleep 60 & echo $$ $! >> {0}; wait",
        file.display(),
        mark.display()
    );
    let mut caller = std::process::Command::new(PROBE)
        .args(["run", "/bin/sh", "-c", &script])
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
    assert_eq!(caller.wait().unwrap().code(), Some(1));
    assert!(all_gone(&pids));
    assert_eq!(fs_err::read_to_string(mark).unwrap(), "ended\n");
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
    assert!(outcome.cancelled && !outcome.timed_out);
    assert_eq!(outcome.signal, Some(9));
    assert_eq!(text(&outcome.stdout), "begun\n");
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
        assert_eq!(outcome.exit_code, Some(3));
    });
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

#[test]
fn a_flood_is_bounded_in_memory_and_whole_on_disk() {
    let place = tempfile::tempdir().unwrap();
    let mut how = Supervision::new();
    how.capture.head = 1000;
    how.capture.tail = 1000;
    how.capture.spill = Some(place.path().join("spill"));
    let script = "printf begin; head -c 100000000 /dev/zero; printf end";
    let before = peak_memory();
    let outcome = run(&shell(script), &how).unwrap();
    assert!(
        peak_memory() - before < 32 << 20,
        "{} bytes more",
        peak_memory() - before
    );
    assert_eq!(outcome.stdout.length, 100_000_008);
    assert!(outcome.stdout.head.starts_with(b"begin\0"));
    assert!(outcome.stdout.tail.ends_with(b"\0end"));
    let spill = outcome.stdout.spill.unwrap();
    let metadata = fs_err::metadata(&spill).unwrap();
    assert_eq!(metadata.len(), 100_000_008);
    assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
}

fn peak_memory() -> u64 {
    let status = fs_err::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kilobytes << 10
}

#[test]
fn a_full_disk_costs_the_spill_and_not_the_run() {
    let place = tempfile::tempdir().unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(place.path())
        .status();
    let spill = if mounted.is_ok_and(|status| status.success()) {
        place.path().to_path_buf()
    } else {
        eprintln!("skipped: no small disk can be mounted, a file stands in its way");
        "/dev/null/spill".into()
    };
    let mut how = Supervision::new();
    how.capture.head = 10;
    how.capture.tail = 10;
    how.capture.spill = Some(spill);
    let outcome = run(&shell("head -c 3000000 /dev/zero; echo end"), &how).unwrap();
    let left = fs_err::read_dir(place.path())
        .map(Iterator::count)
        .unwrap_or_default();
    let _ = std::process::Command::new("umount")
        .arg(place.path())
        .status();
    assert!(outcome.success());
    assert_eq!(outcome.stdout.length, 3_000_004);
    assert!(outcome.stdout.tail.ends_with(b"end\n"));
    assert!(outcome.stdout.spill.is_none());
    assert!(outcome.stdout.spill_error.is_some());
    assert_eq!(left, 0);
}

#[test]
fn output_is_heard_while_the_tool_runs() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ours = Arc::clone(&heard);
    let mut how = Supervision::new();
    how.live = Some(Listener::new(move |happening| {
        if let Happening::Output(stream, bytes) = happening {
            ours.lock()
                .unwrap()
                .push((stream, bytes.to_vec(), Instant::now()));
        }
    }));
    run(&shell("echo one; sleep 0.5; echo two >&2; sleep 0.5"), &how).unwrap();
    let end = Instant::now();
    let heard = heard.lock().unwrap();
    assert_eq!(heard[0].0, Stream::Stdout);
    assert_eq!(heard[0].1, b"one\n");
    assert_eq!(heard[1].0, Stream::Stderr);
    assert!(end.duration_since(heard[0].2) > Duration::from_millis(800));
}

fn limited(script: &str, limit: impl Fn(&mut Command)) -> toolroom_exec::subprocess::Outcome {
    let mut command = shell(script);
    limit(&mut command);
    run(&command, &within(20.0, 0.1)).unwrap()
}

#[test]
fn limits_hold_for_the_tool() {
    let outcome = limited("umask; nice; ulimit -n; ulimit -d; ulimit -f", |command| {
        command.limits.umask = Some(0o027);
        command.limits.nice = Some(3);
        command.limits.open_files = Some(64);
        command.limits.memory = Some(512 << 20);
        command.limits.file_size = Some(1 << 20);
    });
    assert_eq!(text(&outcome.stdout), "0027\n3\n64\n524288\n2048\n");
    let busy = limited("while :; do :; done", |command| {
        command.limits.cpu_seconds = Some(1);
    });
    assert!(busy.signal.is_some() && !busy.timed_out);
}

#[test]
fn memory_over_the_limit_fails_the_tool_alone() {
    let Some(python) = interpreter("python3") else {
        return;
    };
    let mut command = command(python, &["-c", "x = bytearray(400 << 20)"]);
    command.limits.memory = Some(200 << 20);
    let outcome = run(&command, &within(20.0, 0.1)).unwrap();
    assert!(text(&outcome.stderr).contains("MemoryError"));
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
    assert!(outcome.timed_out);
    assert!(begun.elapsed() < Duration::from_secs(15));
    assert!(!anything_runs(&mark));
}

fn anything_runs(mark: &str) -> bool {
    let entries = fs_err::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| fs_err::read(entry.path().join("cmdline")).ok());
    lines
        .filter(|line| !line.is_empty())
        .any(|line| String::from_utf8_lossy(&line).contains(&format!("/{mark}\0")))
}

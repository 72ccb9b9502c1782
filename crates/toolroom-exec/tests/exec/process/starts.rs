//! What a process is started with: arguments, input, directory, bytes of any kind, limits.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;

use toolroom_exec::subprocess::{Cancel, Command, End, Stdin, Supervision};
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
#[cfg(target_os = "linux")]
fn no_signal_is_held_back_from_a_tool() {
    // The shell itself: what it starts it gives none to hold back.
    let outcome = outcome_of("while read name set; do echo $name $set; done < /proc/$$/status");
    let said = text(&outcome.stdout);
    assert!(said.contains("\nSigBlk: 0000000000000000\n"), "{said}");
}

#[test]
fn signals_that_the_caller_holds_back_are_heard() {
    let blocked = "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, \
                   [signal.SIGCHLD, signal.SIGTERM]); os.execv(sys.argv[1], sys.argv[1:])";
    for how in ["run", "fork", "garrison"] {
        let caller = std::process::Command::new("python3")
            .args(["-c", blocked, PROBE, how, "/bin/sh", "-c", "exit 0"])
            .output()
            .unwrap();
        assert!(caller.status.success(), "{how}: {caller:?}");
    }
}

#[test]
fn an_order_may_be_larger_than_a_socket_holds() {
    let mut command = shell("echo $# ${#1}");
    command.args.push("sh".into());
    let long = "x".repeat(100_000);
    command.args.extend((0..12).map(|_| long.clone().into()));
    assert_eq!(
        text(&run(&command, &Supervision::new()).unwrap().stdout),
        "12 100000\n"
    );
}

#[test]
fn both_outputs_and_the_exit_code_are_reported() {
    let outcome = outcome_of("echo out; echo err >&2; exit 7");
    assert_eq!(text(&outcome.stdout), "out\n");
    assert_eq!(text(&outcome.stderr), "err\n");
    assert_eq!((outcome.exit_code(), outcome.signal()), (Some(7), None));
    assert!(!outcome.success());
}

#[test]
fn a_signal_is_reported_as_one() {
    let outcome = outcome_of("kill -SEGV $$");
    assert_eq!((outcome.exit_code(), outcome.signal()), (None, Some(11)));
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
    let guard = toolroom_exec::subprocess::Guard::new("/bin/true", []);
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
    let own = limited("nice", |_| {});
    let nice: u32 = text(&own.stdout).trim().parse().unwrap();
    let expected = format!("0027\n{}\n64\n524288\n2048\n", (nice + 3).min(19));
    assert_eq!(text(&outcome.stdout), expected);
    let busy = limited("while :; do :; done", |command| {
        command.limits.cpu_seconds = Some(1);
    });
    assert!(busy.signal().is_some() && busy.end == End::Itself);
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

//! What is kept of a process's output: bounded in memory, whole on disk, heard while it comes.

use std::os::unix::fs::PermissionsExt;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use toolroom_exec::subprocess::{Happening, Listener, Stream, Supervision};

use crate::support::*;

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

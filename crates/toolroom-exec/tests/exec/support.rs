//! What every test here needs: a guard, commands, and a look at what is still running.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use toolroom_exec::subprocess::{
    Cancel, Command, Error, Guard, Outcome, Supervision, run_blocking,
};

pub use toolroom_test::program as interpreter;

pub const PROBE: &str = env!("CARGO_BIN_EXE_exec-probe");

pub fn guard() -> Guard {
    Guard::new(PROBE, ["guard".into()])
}

pub fn command(program: impl Into<PathBuf>, args: &[&str]) -> Command {
    let mut command = Command::new(program, std::env::temp_dir());
    command.args = args.iter().map(Into::into).collect();
    command.env.set("PATH", std::env::var_os("PATH").unwrap());
    command
}

pub fn shell(script: &str) -> Command {
    command("/bin/sh", &["-c", script])
}

pub fn run(command: &Command, how: &Supervision) -> Result<Outcome, Error> {
    run_blocking(command, how, &guard(), &Cancel::new())
}

pub fn outcome_of(script: &str) -> Outcome {
    run(&shell(script), &Supervision::new()).unwrap()
}

pub fn within(seconds: f64, grace: f64) -> Supervision {
    let mut how = Supervision::new();
    how.timeout = Some(Duration::from_secs_f64(seconds));
    how.grace = Duration::from_secs_f64(grace);
    how
}

pub fn text(captured: &toolroom_exec::subprocess::Captured) -> String {
    captured.text().text
}

/// Whether a process of this number runs; one that nobody has reaped yet does not.
pub fn is_alive(pid: u32) -> bool {
    let Ok(stat) = fs_err::read_to_string(format!("/proc/{pid}/stat")) else {
        return false;
    };
    !stat.contains(") Z ")
}

/// The numbers that a tool wrote to a file, once there are so many.
pub fn pids_in(file: &Path, count: usize) -> Vec<u32> {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let text = fs_err::read_to_string(file).unwrap_or_default();
        let pids: Vec<u32> = text
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        if pids.len() >= count && text.ends_with('\n') {
            return pids;
        }
        assert!(
            Instant::now() < deadline,
            "only {text:?} in {}",
            file.display()
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until none of them is left.
pub fn all_gone(pids: &[u32]) -> bool {
    let deadline = Instant::now() + Duration::from_secs(10);
    while pids.iter().any(|pid| is_alive(*pid)) {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    true
}

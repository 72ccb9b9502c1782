//! The log of runs: what ran, when, who called it, how it ended. JSON Lines, append-only,
//! rotated, only for its owner to read, and written by any number of processes at once.
//!
//! It holds the names of arguments and never their values, so that no secret gets in.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use toolroom_kernel::chain::Chain;

use crate::executor::{Report, Status};

const FILE: &str = "runs.jsonl";
/// The log before the last rotation.
const OLDER: &str = "runs.1.jsonl";
/// Held by whoever rotates.
const LOCK: &str = "runs.lock";
const ROTATED_AT: u64 = 1 << 20;
/// More of a log than this is not read back.
const MOST_READ: u64 = 4 << 20;
/// Of a call with more arguments, or longer names, the rest is left out: whoever may call
/// a tool is not to fill the log by it.
const MOST_ARGUMENTS: usize = 100;
const LONGEST_NAME: usize = 100;

/// One run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Milliseconds since 1970.
    pub started_ms: u64,
    pub tool: String,
    #[serde(default)]
    pub caller: Caller,
    pub status: String,
    pub duration_ms: u64,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    /// Bytes printed.
    pub stdout_bytes: u64,
    pub stderr_bytes: u64,
    /// The names of the parameters that were given.
    pub arguments: Vec<String>,
    /// `id@sha256` of every link.
    pub chain: Vec<String>,
}

/// By which way a tool was called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Caller {
    /// A person or a program, at the command line.
    #[default]
    Cli,
    /// A client of the MCP server.
    Mcp,
}

impl Run {
    /// A run that has begun. As long as nobody says how it ended, it was given up.
    #[must_use]
    pub fn begin<'n>(
        caller: Caller,
        started: SystemTime,
        chain: &Chain,
        arguments: impl Iterator<Item = &'n str>,
    ) -> Self {
        Self {
            started_ms: started.duration_since(UNIX_EPOCH).map_or(0, millis),
            tool: chain.tool().id.to_string(),
            caller,
            status: Status::Cancelled.name().to_owned(),
            duration_ms: 0,
            exit_code: None,
            signal: None,
            stdout_bytes: 0,
            stderr_bytes: 0,
            arguments: arguments
                .take(MOST_ARGUMENTS)
                .map(|name| name[..name.floor_char_boundary(LONGEST_NAME)].to_owned())
                .collect(),
            chain: chain
                .links()
                .iter()
                .map(|link| format!("{}@sha256:{}", link.id, link.digest))
                .collect(),
        }
    }

    /// How it ended.
    #[must_use]
    pub fn ended(self, report: &Report) -> Self {
        let outcome = &report.outcome;
        Self {
            status: report.status.name().to_owned(),
            exit_code: outcome.exit_code(),
            signal: outcome.signal(),
            stdout_bytes: outcome.stdout.length,
            stderr_bytes: outcome.stderr.length,
            ..self.after(outcome.duration)
        }
    }

    /// How long it took.
    #[must_use]
    pub fn after(self, duration: Duration) -> Self {
        Self {
            duration_ms: millis(duration),
            ..self
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Appends a run. One write of one line, so that processes never mix theirs; beside it
/// the file is opened and looked at once, and nothing is waited for.
///
/// # Errors
/// Fails if the log cannot be written; a caller may well go on without.
pub fn append(state: &Path, run: &Run) -> std::io::Result<()> {
    let file = state.join(FILE);
    let mut line = serde_json::to_vec(run)?;
    line.push(b'\n');
    let mut log = match open(&file) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fs_err::create_dir_all(state)?;
            open(&file)?
        }
        opened => opened?,
    };
    let metadata = log.metadata()?;
    if !metadata.is_file() {
        return Err(ErrorKind::InvalidInput.into());
    }
    if metadata.len() >= ROTATED_AT && rotated(state, &file)? {
        log = open(&file)?;
    }
    log.write_all(&line)
}

/// Whether there was no room for a line, which passes and is worth a word. A place that is
/// not ours to write to is as it is meant to be.
#[must_use]
pub fn is_short_of_room(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
    )
}

/// Puts a full log aside; not if another process is about to, or has just done so.
fn rotated(state: &Path, file: &Path) -> std::io::Result<bool> {
    let lock = open(&state.join(LOCK))?;
    // Where there are no locks, one process alone is the rule.
    if let Err(TryLockError::WouldBlock) = lock.try_lock() {
        return Ok(false);
    }
    if fs_err::metadata(file).is_ok_and(|metadata| metadata.len() >= ROTATED_AT) {
        fs_err::rename(file, state.join(OLDER))?;
    }
    Ok(true)
}

fn open(file: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        // A pipe in its place is refused and not waited for.
        let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        options.mode(0o600).custom_flags(flags);
    }
    options.open(file)
}

/// The last runs, the newest first. Lines that cannot be read are passed over.
#[must_use]
pub fn last(state: &Path, count: usize) -> Vec<Run> {
    let files: [PathBuf; 2] = [state.join(FILE), state.join(OLDER)];
    let mut runs = Vec::new();
    for file in files {
        if runs.len() >= count
            || !file
                .metadata()
                .is_ok_and(|metadata| metadata.is_file() && metadata.len() <= MOST_READ)
        {
            continue;
        }
        let text = fs_err::read_to_string(file).unwrap_or_default();
        runs.extend(
            text.lines()
                .rev()
                .filter_map(|line| serde_json::from_str::<Run>(line).ok())
                .take(count - runs.len()),
        );
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(tool: &str) -> Run {
        Run {
            started_ms: 1,
            tool: tool.into(),
            caller: Caller::Mcp,
            status: "success".into(),
            duration_ms: 2,
            exit_code: Some(0),
            signal: None,
            stdout_bytes: 0,
            stderr_bytes: 0,
            arguments: vec!["x".repeat(200)],
            chain: Vec::new(),
        }
    }

    #[test]
    fn the_newest_run_comes_first_also_across_a_rotation() {
        let state = tempfile::tempdir().unwrap();
        for n in 0..4000 {
            append(state.path(), &run(&n.to_string())).unwrap();
        }
        assert!(state.path().join(OLDER).exists(), "it was rotated");
        let last = last(state.path(), 3500);
        assert_eq!(last.len(), 3500);
        assert_eq!(last[0].tool, "3999");
        assert_eq!(last[3499].tool, "500");
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt as _;
        let state = tempfile::tempdir().unwrap();
        append(state.path(), &run("t")).unwrap();
        let mode = state
            .path()
            .join(FILE)
            .metadata()
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_damaged_line_is_passed_over() {
        let state = tempfile::tempdir().unwrap();
        append(state.path(), &run("a")).unwrap();
        let file = state.path().join(FILE);
        let text = fs_err::read_to_string(&file).unwrap() + "{\"half\n";
        fs_err::write(&file, text).unwrap();
        append(state.path(), &run("b")).unwrap();
        let tools: Vec<String> = last(state.path(), 9)
            .into_iter()
            .map(|run| run.tool)
            .collect();
        assert_eq!(tools, ["b", "a"]);
    }

    #[test]
    fn a_line_of_before_callers_were_named_was_written_by_the_command_line() {
        let state = tempfile::tempdir().unwrap();
        let mut line = serde_json::to_value(run("old")).unwrap();
        line.as_object_mut().unwrap().remove("caller");
        fs_err::write(state.path().join(FILE), format!("{line}\n")).unwrap();
        assert_eq!(last(state.path(), 1)[0].caller, Caller::Cli);
    }

    /// Writers that find the log full at the same moment put it aside once: a second time
    /// would lose all of it.
    #[test]
    fn no_run_is_lost_when_many_write_across_a_rotation() {
        const WRITERS: usize = 8;
        const EACH: usize = 500;
        let state = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..WRITERS {
                let state = state.path();
                scope.spawn(move || {
                    for n in 0..EACH {
                        append(state, &run(&format!("{writer}/{n}"))).unwrap();
                    }
                });
            }
        });
        assert!(state.path().join(OLDER).exists(), "it was rotated");
        let mut tools: Vec<_> = last(state.path(), 2 * WRITERS * EACH)
            .into_iter()
            .map(|run| run.tool)
            .collect();
        tools.sort_unstable();
        tools.dedup();
        assert_eq!(tools.len(), WRITERS * EACH);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_its_place_is_not_waited_for() {
        let state = tempfile::tempdir().unwrap();
        let pipe = state.path().join(FILE);
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert!(append(state.path(), &run("t")).is_err());
        assert_eq!(last(state.path(), 1), []);
    }
}

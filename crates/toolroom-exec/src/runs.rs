//! The log of runs: what ran, when, how it ended. JSON Lines, append-only, rotated, only
//! for its owner to read.
//!
//! It holds the names of arguments and never their values, so that no secret gets in.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use toolroom_kernel::chain::Chain;

use crate::executor::Report;

const FILE: &str = "runs.jsonl";
/// The log before the last rotation.
const OLDER: &str = "runs.1.jsonl";
const ROTATED_AT: u64 = 1 << 20;
/// More of a log than this is not read back.
const MOST_READ: u64 = 4 << 20;

/// One run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Milliseconds since 1970.
    pub started_ms: u64,
    pub tool: String,
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

impl Run {
    /// What is remembered of a call.
    #[must_use]
    pub fn of<'n>(
        started: SystemTime,
        chain: &Chain,
        arguments: impl Iterator<Item = &'n str>,
        report: &Report,
    ) -> Self {
        let outcome = &report.outcome;
        let millis =
            |duration: std::time::Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self {
            started_ms: started.duration_since(UNIX_EPOCH).map_or(0, millis),
            tool: chain.tool().id.to_string(),
            status: report.status.name().to_owned(),
            duration_ms: millis(outcome.duration),
            exit_code: outcome.exit_code,
            signal: outcome.signal,
            stdout_bytes: outcome.stdout.length,
            stderr_bytes: outcome.stderr.length,
            arguments: arguments.map(str::to_owned).collect(),
            chain: chain
                .links()
                .iter()
                .map(|link| format!("{}@sha256:{}", link.id, link.digest))
                .collect(),
        }
    }
}

/// Appends a run. One write of one line, so that processes never mix theirs.
///
/// # Errors
/// Fails if the log cannot be written; a caller may well go on without.
pub fn append(state: &Path, run: &Run) -> std::io::Result<()> {
    fs_err::create_dir_all(state)?;
    let file = state.join(FILE);
    if file
        .metadata()
        .is_ok_and(|metadata| metadata.len() >= ROTATED_AT)
    {
        fs_err::rename(&file, state.join(OLDER))?;
    }
    let mut line = serde_json::to_vec(run)?;
    line.push(b'\n');
    open(&file)?.write_all(&line)
}

fn open(file: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
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
                .is_ok_and(|metadata| metadata.len() <= MOST_READ)
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
}

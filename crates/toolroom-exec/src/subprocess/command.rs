//! What the primitive is told to start, and how it is to look after it.
//!
//! Both are finished values: nothing here is searched for, expanded or defaulted from the
//! machine. `Command` alone decides what is started, so equal commands may share a spare
//! process; `Supervision` belongs to one call.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toolroom_kernel::model::Environ;

use super::channel::Event;

/// A program with everything it starts with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Command {
    /// A path; a bare name is looked up in the `PATH` of `env` by the system.
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// The whole environment: nothing is inherited.
    pub env: Environ,
    pub cwd: PathBuf,
    pub stdin: Stdin,
    pub limits: Limits,
    pub channel: Channel,
}

impl Command {
    /// A program without arguments, variables, limits or channel.
    ///
    /// ```
    /// use toolroom_exec::subprocess::Command;
    ///
    /// let mut command = Command::new("/bin/echo", "/tmp");
    /// command.args.push("hello".into());
    /// command.env.set("LANG", "C.UTF-8");
    /// ```
    pub fn new(program: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Environ::new(),
            cwd: cwd.into(),
            stdin: Stdin::Null,
            limits: Limits::default(),
            channel: Channel::None,
        }
    }
}

/// Where a called function's events and result come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Channel {
    /// The program is not a launcher.
    #[default]
    None,
    /// A pipe of its own, whose descriptor the launcher finds in `TOOLROOM_CHANNEL`.
    /// Where descriptors cannot be passed this is the same as `Output`.
    Private,
    /// Standard output is the channel, and what the tool prints goes to standard error:
    /// for launchers that run behind a container, a cluster or another machine.
    Output,
}

/// The variable that names the private channel's descriptor to a launcher.
pub const CHANNEL_VARIABLE: &str = "TOOLROOM_CHANNEL";

/// What a process may use. Except for `processes`, which counts the whole user, each
/// limit holds for every process of the tree by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Bytes of writable memory. Reserved address space does not count.
    pub memory: Option<u64>,
    pub cpu_seconds: Option<u64>,
    /// Descriptors; fewer than sixteen are taken as sixteen.
    pub open_files: Option<u64>,
    /// Processes and threads of the user. The system does not bind root to it.
    pub processes: Option<u64>,
    /// Bytes of any one file that is written.
    pub file_size: Option<u64>,
    pub umask: Option<u32>,
    pub nice: Option<i32>,
}

/// A limit that the system may refuse to set, by its name in a config.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    Memory,
    CpuSeconds,
    OpenFiles,
    Processes,
    FileSize,
    Nice,
}

impl Limit {
    pub(super) const ALL: [Self; 6] = [
        Self::Memory,
        Self::CpuSeconds,
        Self::OpenFiles,
        Self::Processes,
        Self::FileSize,
        Self::Nice,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::CpuSeconds => "cpu_seconds",
            Self::OpenFiles => "open_files",
            Self::Processes => "processes",
            Self::FileSize => "file_size",
            Self::Nice => "nice",
        }
    }
}

/// What standard input is. It is never our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stdin {
    /// The null device, which programs can tell from a pipe that is meant to be read.
    #[default]
    Null,
    /// A pipe that holds the call's `input` and then ends.
    Pipe,
}

/// How one run is fed, watched, bounded and remembered.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Supervision {
    /// What a piped standard input holds.
    pub input: Vec<u8>,
    pub timeout: Option<Duration>,
    /// The time between the request to end and the kill.
    pub grace: Duration,
    pub capture: CaptureLimits,
    pub live: Option<Listener>,
}

impl Supervision {
    /// The longest a tool may take to end in order, unless it is given more.
    const LONGEST_GRACE: Duration = Duration::from_secs(2);

    /// The usual grace and capture, no time limit, no input.
    #[must_use]
    pub fn new() -> Self {
        Self {
            grace: Self::usual_grace(None),
            ..Self::default()
        }
    }

    /// The grace of a run with such a time limit: whoever asks for a short run does not
    /// mean one that takes many times as long.
    #[must_use]
    pub fn usual_grace(timeout: Option<Duration>) -> Duration {
        timeout.map_or(Self::LONGEST_GRACE, |limit| {
            Self::LONGEST_GRACE.min(limit / 2)
        })
    }
}

/// How much output is kept in memory, and where the whole goes if it is more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureLimits {
    pub head: usize,
    pub tail: usize,
    /// The directory for the whole of an output that did not fit. Made if it is missing.
    pub spill: Option<PathBuf>,
    /// The most of one output that is written there.
    pub spill_most: u64,
    /// The largest frame, hence result, that is taken from the channel.
    pub frame: usize,
}

impl Default for CaptureLimits {
    fn default() -> Self {
        Self {
            head: 512 << 10,
            tail: 512 << 10,
            spill: None,
            spill_most: 1 << 30,
            frame: 64 << 20,
        }
    }
}

/// One of the two outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// Something that happened while the tool ran.
#[derive(Debug, Clone, Copy)]
pub enum Happening<'a> {
    /// Bytes as they came; they may end in the middle of a line or a character.
    Output(Stream, &'a [u8]),
    Event(&'a Event),
}

/// Hears what happens while it happens. It is called from the supervising task, so a
/// listener that blocks holds up the tool's output and its timeout.
#[derive(Clone)]
pub struct Listener(Arc<dyn Fn(Happening<'_>) + Send + Sync>);

impl Listener {
    pub fn new(hear: impl Fn(Happening<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hear))
    }

    /// Tells the listener.
    pub fn hear(&self, happening: Happening<'_>) {
        (self.0)(happening);
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Listener")
    }
}

/// The program that guards a tree of processes: our own binary, told to be a guard.
/// Its `main` must do nothing but call [`super::guard::main`].
#[derive(Debug, Clone)]
pub struct Guard {
    pub(super) program: PathBuf,
    pub(super) args: Vec<OsString>,
    #[cfg(unix)]
    pub(super) sentries: super::sentry::Sentries,
}

impl Guard {
    #[must_use]
    pub fn new(program: impl Into<PathBuf>, args: impl IntoIterator<Item = OsString>) -> Self {
        Self {
            program: program.into(),
            args: args.into_iter().collect(),
            #[cfg(unix)]
            sentries: super::sentry::Sentries::default(),
        }
    }

    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// From the first command on, has the guard of the next one wait already. For callers
    /// that live long.
    #[cfg(unix)]
    #[must_use]
    pub fn kept_ready(mut self) -> Self {
        self.sentries.wanted = 1;
        self
    }

    /// Makes the first command's guard by copying this process, now. That is cheapest when
    /// it has done nothing yet, and not done at all if it has several threads.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn forked(self) -> Self {
        if let Ok(Some((control, pid))) = super::guard::fork::guard() {
            self.sentries.add(super::sentry::Sentry {
                control,
                process: super::sentry::Keeper::Forked(pid),
            });
        }
        self
    }

    /// Makes guards from now on by copying this process as it is now. For callers that
    /// live long and will have several threads; of no effect if there are some already.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn garrisoned(mut self) -> Self {
        self.sentries.garrison = super::sentry::Garrison::make();
        self
    }

    #[cfg(not(target_os = "linux"))]
    #[must_use]
    pub fn forked(self) -> Self {
        self
    }

    #[cfg(not(target_os = "linux"))]
    #[must_use]
    pub fn garrisoned(self) -> Self {
        self
    }

    #[cfg(not(unix))]
    #[must_use]
    pub fn kept_ready(self) -> Self {
        self
    }
}

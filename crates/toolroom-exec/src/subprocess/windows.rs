//! Starting in a job object, which ends with us: no guard is needed. There is no gentle
//! end to ask for, limits are not applied, and a private channel is standard output.

use std::io;
use std::process::Stdio;

use process_wrap::tokio::{ChildWrapper, CommandWrap, JobObject, KillOnDrop};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};

use super::command::{Command, Guard, Stdin};
use super::error::Error;
use crate::end::Exit;

pub(super) type Input = ChildStdin;

/// A started tool: its pipes and its job.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) stdin: Option<Input>,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
    pub(super) channel: Option<ChildStdout>,
    pub(super) recall: Option<Recall>,
    pub(super) tree: Tree,
}

/// Here nobody can tell how much of its input a tool has read.
#[derive(Debug)]
pub(super) enum Recall {}

impl Recall {
    pub(super) fn take(self) -> io::Result<u64> {
        match self {}
    }
}

/// Whether a private channel is a pipe of its own here.
pub(super) const HAS_PRIVATE_CHANNEL: bool = false;

/// Starts a command in a job of its own.
pub(super) async fn start(command: &Command, _: &Guard) -> Result<Started, Error> {
    let program = || command.program.clone();
    if !command.cwd.is_dir() {
        return Err(Error::MissingCwd {
            cwd: command.cwd.clone(),
            source: io::ErrorKind::NotFound.into(),
        });
    }
    let mut child = spawn(command).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => Error::NotFound { program: program() },
        io::ErrorKind::PermissionDenied => Error::NotExecutable {
            program: program(),
            source,
        },
        io::ErrorKind::InvalidInput => Error::InvalidArgument {
            program: program(),
            what: "an argument or variable".to_owned(),
        },
        _ => Error::SpawnFailed {
            program: program(),
            source,
        },
    })?;
    let (stdin, stdout, stderr) = (
        child.stdin().take(),
        child.stdout().take(),
        child.stderr().take(),
    );
    let (Some(stdout), Some(stderr)) = (stdout, stderr) else {
        return Err(Error::SpawnFailed {
            program: program(),
            source: io::ErrorKind::BrokenPipe.into(),
        });
    };
    Ok(Started {
        stdin,
        stdout,
        stderr,
        channel: None,
        recall: None,
        tree: Tree { child, exit: None },
    })
}

fn spawn(command: &Command) -> io::Result<Box<dyn ChildWrapper>> {
    let stdin = match command.stdin {
        Stdin::Null => Stdio::null(),
        Stdin::Pipe => Stdio::piped(),
    };
    let mut wrap = CommandWrap::with_new(&command.program, |child| {
        child
            .args(&command.args)
            .env_clear()
            .envs(command.env.iter())
            .current_dir(&command.cwd)
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    });
    wrap.wrap(KillOnDrop).wrap(JobObject).spawn()
}

/// The processes of one job.
#[derive(Debug)]
pub(super) struct Tree {
    child: Box<dyn ChildWrapper>,
    exit: Option<Exit>,
}

impl Tree {
    pub(super) fn terminate(&mut self) {
        self.kill();
    }

    /// Kills everything.
    pub(super) fn kill(&mut self) {
        let _ = self.child.start_kill();
    }

    /// Waits until the leader has ended, then ends what it left. May be called again.
    pub(super) async fn ended(&mut self) {
        if let Ok(status) = self.child.wait().await {
            self.exit = status.code().map(Exit::Code);
        }
        self.kill();
    }

    pub(super) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Nobody stands between us and the tree here, so there is nothing to take over.
    #[expect(
        clippy::unused_async,
        reason = "elsewhere there is something to wait for"
    )]
    #[expect(clippy::unused_self, reason = "elsewhere there is a guard")]
    pub(super) async fn take_over(&mut self) {}

    /// How the leader ended, as far as that was told.
    pub(super) fn exit(&self) -> Option<Exit> {
        self.exit
    }
}

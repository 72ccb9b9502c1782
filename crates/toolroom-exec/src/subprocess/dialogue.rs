//! A process that is talked to for as long as both sides want: its pipes are the caller's
//! to read and write, its tree is guarded like any other.

use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::command::{Channel, Command, Guard, Stdin};
use super::error::Error;
use super::platform::{self, Tree};
use crate::end::Exit;

/// How long a killed tree may take to be gone.
const PATIENCE: Duration = Duration::from_secs(2);

/// A started process and the three ways between us. Every output has to be read, or the
/// process stands still once it is full.
pub struct Dialogue {
    pub input: Box<dyn AsyncWrite + Send + Unpin>,
    pub output: Box<dyn AsyncRead + Send + Unpin>,
    pub errors: Box<dyn AsyncRead + Send + Unpin>,
    pub partner: Partner,
}

impl std::fmt::Debug for Dialogue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Dialogue")
            .field("partner", &self.partner)
            .finish_non_exhaustive()
    }
}

/// The processes on the other side. Dropping this kills them all.
#[derive(Debug)]
pub struct Partner {
    tree: Tree,
}

impl Dialogue {
    /// Starts a command to talk to; its standard input is a pipe whatever it says.
    ///
    /// # Errors
    /// Fails if it cannot be started.
    pub async fn start(command: &Command, guard: &Guard) -> Result<Self, Error> {
        let mut command = command.clone();
        command.stdin = Stdin::Pipe;
        command.channel = Channel::None;
        let started = platform::start(&command, guard).await?;
        let Some(input) = started.stdin else {
            return Err(Error::SpawnFailed {
                program: command.program,
                source: std::io::ErrorKind::BrokenPipe.into(),
            });
        };
        Ok(Self {
            input: Box::new(input),
            output: Box::new(started.stdout),
            errors: Box::new(started.stderr),
            partner: Partner { tree: started.tree },
        })
    }
}

impl Partner {
    /// Whether the leader is there, as far as is known.
    pub fn is_running(&mut self) -> bool {
        self.tree.is_running()
    }

    /// Waits until nothing of the tree is left: first by itself, then asked to, then
    /// killed. Says how the leader ended, as far as that was told.
    pub async fn leave(mut self, grace: Duration) -> Option<Exit> {
        if timeout(grace, self.tree.ended()).await.is_err() {
            self.tree.terminate();
            if timeout(grace, self.tree.ended()).await.is_err() {
                self.tree.kill();
                let _ = timeout(PATIENCE, self.tree.ended()).await;
            }
        }
        self.tree.exit()
    }
}

//! Guards that are there before they are needed.
//!
//! Starting a guard takes a millisecond, so it may be done ahead: the command line forks
//! one before it has done anything else; a server forks a garrison, which makes them at a
//! third of the price, and keeps one waiting. A guard without an order does nothing, and
//! ends when its socket closes, as every guard does.

use std::io::{self, IoSlice, Read as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use tokio::process::Child;

use super::command::Guard;

/// A guard that has no order yet, and our end of its socket.
#[derive(Debug)]
pub(super) struct Sentry {
    pub(super) control: UnixStream,
    pub(super) process: Keeper,
}

/// The guard's process.
#[derive(Debug)]
pub(super) enum Keeper {
    Started(Child),
    Forked(Pid),
    /// A child of the garrison, which lets it go.
    Garrisoned,
}

impl Keeper {
    /// Kills a guard of our own. One of the garrison's is known by its mark alone, since
    /// its number may have become another's.
    pub(super) fn kill(&mut self) {
        match self {
            Self::Started(child) => {
                let _ = child.start_kill();
            }
            Self::Forked(pid) => {
                let _ = kill_process(*pid, Signal::KILL);
            }
            Self::Garrisoned => {}
        }
    }

    /// Waits for a guard that is about to end.
    pub(super) async fn ended(&mut self) {
        match self {
            Self::Started(child) => {
                let _ = child.wait().await;
            }
            Self::Forked(pid) => {
                let _ = waitpid(Some(*pid), WaitOptions::empty());
            }
            Self::Garrisoned => {}
        }
    }
}

/// The guards that wait, and how many of them there shall always be.
#[derive(Debug, Clone, Default)]
pub(super) struct Sentries {
    waiting: Arc<Mutex<Vec<Sentry>>>,
    pub(super) wanted: usize,
    pub(super) garrison: Option<Arc<Garrison>>,
}

impl Sentries {
    pub(super) fn add(&self, sentry: Sentry) {
        self.locked().push(sentry);
    }

    /// One that waits and is alive.
    fn take(&self) -> Option<Sentry> {
        let mut waiting = self.locked();
        while let Some(sentry) = waiting.pop() {
            if sentry.is_waiting() {
                return Some(sentry);
            }
        }
        None
    }

    fn garrisoned(&self) -> Option<Sentry> {
        self.garrison.as_ref()?.guard().ok()
    }

    fn is_full(&self) -> bool {
        self.locked().len() >= self.wanted
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Vec<Sentry>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sentry {
    /// The guard says nothing before it has its order: anything to read is its end.
    fn is_waiting(&self) -> bool {
        let read = (&self.control).read(&mut [0]);
        read.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock)
    }
}

/// A process that makes guards by copying itself.
#[derive(Debug)]
pub(super) struct Garrison {
    orders: UnixStream,
    process: Pid,
}

impl Garrison {
    #[cfg(target_os = "linux")]
    pub(super) fn make() -> Option<Arc<Self>> {
        let made = super::guard::fork::garrison().ok().flatten();
        made.map(|(orders, process)| Arc::new(Self { orders, process }))
    }

    fn guard(&self) -> io::Result<Sentry> {
        let (control, theirs) = UnixStream::pair()?;
        control.set_nonblocking(true)?;
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        let descriptors = [theirs.as_fd()];
        ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
        let order = [IoSlice::new(&[0])];
        sendmsg(&self.orders, &order, &mut ancillary, SendFlags::empty())?;
        Ok(Sentry {
            control,
            process: Keeper::Garrisoned,
        })
    }
}

impl Drop for Garrison {
    fn drop(&mut self) {
        // It may have been stopped, and has nothing of its own to finish.
        let _ = kill_process(self.process, Signal::KILL);
        let _ = waitpid(Some(self.process), WaitOptions::empty());
    }
}

/// A guard for one command: one that waits, or else a new one.
pub(super) fn call(guard: &Guard) -> io::Result<Sentry> {
    guard.sentries.take().map_or_else(|| start(guard), Ok)
}

/// Puts a new guard in the place of one that has its order now, at nobody's expense.
pub(super) fn replace(guard: &Guard) {
    if guard.sentries.is_full() {
        return;
    }
    if let Some(sentry) = guard.sentries.garrisoned() {
        guard.sentries.add(sentry);
    } else {
        let guard = guard.clone();
        tokio::task::spawn_blocking(move || {
            if let Ok(sentry) = start(&guard) {
                guard.sentries.add(sentry);
            }
        });
    }
}

fn start(guard: &Guard) -> io::Result<Sentry> {
    if let Some(sentry) = guard.sentries.garrisoned() {
        return Ok(sentry);
    }
    let (control, theirs) = UnixStream::pair()?;
    control.set_nonblocking(true)?;
    let mut command = tokio::process::Command::new(&guard.program);
    command
        .args(&guard.args)
        .env_clear()
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    Ok(Sentry {
        control,
        process: Keeper::Started(command.spawn()?),
    })
}

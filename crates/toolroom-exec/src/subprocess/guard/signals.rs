//! Signals as something to wait for beside the socket: each is a byte to read.

use std::io::{self, PipeReader, Read as _};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use libc::{SIGCHLD, SIGHUP, SIGINT, SIGTERM};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::system;

pub(super) struct Signals(PipeReader);

/// What ended a sleep.
pub(super) struct Woken {
    /// A signal asks us to end.
    pub(super) end: bool,
    /// The socket has a request, or has closed.
    pub(super) control: bool,
}

impl Signals {
    pub(super) fn new() -> io::Result<Self> {
        system::hear(&[SIGCHLD, SIGTERM, SIGINT, SIGHUP]).map(Self)
    }

    /// Sleeps until a child has ended, a signal asks us to end, or the socket has something.
    pub(super) fn wait(
        &mut self,
        control: Option<&UnixStream>,
        timeout: Option<Duration>,
    ) -> io::Result<Woken> {
        let timeout = timeout.and_then(|time| Timespec::try_from(time).ok());
        let count = 1 + usize::from(control.is_some());
        let sources = [self.0.as_fd(), control.map_or(self.0.as_fd(), AsFd::as_fd)];
        let mut ready = sources.map(|source| PollFd::from_borrowed_fd(source, PollFlags::IN));
        match poll(&mut ready[..count], timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [signals, control] = ready.map(|source| !source.revents().is_empty());
        Ok(Woken {
            end: signals && self.end_was_asked(),
            control,
        })
    }

    /// Takes the signals that have come, and says whether one is not of a child.
    fn end_was_asked(&mut self) -> bool {
        let mut place = [0; 64];
        let count = self.0.read(&mut place).unwrap_or(0);
        let come = &place[..count];
        come.iter().any(|signal| i32::from(*signal) != SIGCHLD)
    }
}

//! Guards that are copies of this process.
//!
//! A copy costs a third of a program's start. It is made only while there is one thread,
//! so nothing in it can be locked, or half done, by a thread that the copy does not have.
//! A process that will have several makes a garrison first: a copy that stays as it is,
//! and makes guards of itself for as long as they are asked for.

use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;

use rustix::process::Pid;

use super::start::receive;
use super::wire::Notice;
use crate::system::{Side, end, forget_children, fork};

/// Makes a guard that waits at the other end of the socket; none where there are other
/// threads, or where that cannot be told.
pub(in crate::subprocess) fn guard() -> io::Result<Option<(UnixStream, Pid)>> {
    alone(super::watch)
}

/// Makes a garrison, which takes the sockets of guards to be. None as for a guard.
pub(in crate::subprocess) fn garrison() -> io::Result<Option<(UnixStream, Pid)>> {
    alone(man)
}

fn alone(duty: fn(UnixStream) -> io::Result<()>) -> io::Result<Option<(UnixStream, Pid)>> {
    if !is_alone() {
        return Ok(None);
    }
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    match fork()? {
        Side::Original(pid) => Ok(Some((ours, pid))),
        Side::Copy => {
            drop(ours);
            end(&leave_streams().and_then(|()| duty(theirs)))
        }
    }
}

/// Holds nothing of ours open: whoever reads our output waits for all who may write to it.
fn leave_streams() -> io::Result<()> {
    let nothing = fs_err::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}

/// Makes a guard for every socket that comes, until no more can.
fn man(orders: UnixStream) -> io::Result<()> {
    // The terminal's signals are not for us.
    let _ = rustix::process::setsid();
    // A guard asks to hear of its own, and so waits for them again.
    forget_children();
    while let Some(control) = next(&orders)? {
        match fork() {
            Ok(Side::Original(_)) => {}
            Ok(Side::Copy) => {
                drop(orders);
                end(&super::watch(control));
            }
            Err(error) => {
                let errno = error.raw_os_error().unwrap_or(libc::EAGAIN);
                let notice = Notice::NotStarted { errno };
                let _ = (&control).write_all(notice.line().as_bytes());
            }
        }
    }
    Ok(())
}

/// The socket of the next guard; none once there is nobody left to ask for one.
fn next(orders: &UnixStream) -> io::Result<Option<UnixStream>> {
    let (length, mut passed) = receive(orders, &mut [0])?;
    Ok(passed.pop().filter(|_| length == 1).map(UnixStream::from))
}

/// The system counts a process's threads as folders in this one, beside itself and the one
/// above it.
fn is_alone() -> bool {
    fs_err::metadata("/proc/self/task").is_ok_and(|threads| threads.nlink() == 3)
}

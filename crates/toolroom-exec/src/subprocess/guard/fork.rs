//! A guard that is a copy of this process: the one place with `unsafe` in it.
//!
//! A copy costs a third of a program's start. It is made only while there is one thread,
//! so nothing in it can be locked, or half done, by a thread that the copy does not have.
#![allow(unsafe_code)]

use std::io;
use std::os::unix::net::UnixStream;

use rustix::process::Pid;

/// Makes a guard that waits at the other end of the socket; none where there are other
/// threads, or where that cannot be told.
pub(in crate::subprocess) fn fork() -> io::Result<Option<(UnixStream, Pid)>> {
    if !is_alone() {
        return Ok(None);
    }
    let (ours, theirs) = UnixStream::pair()?;
    ours.set_nonblocking(true)?;
    // SAFETY: this process has one thread, so its copy is whole. It shares no memory with
    // us, and it never returns into our caller: it ends here, past every destructor.
    match unsafe { libc::fork() } {
        0 => {
            drop(ours);
            let status = i32::from(become_guard(theirs).is_err());
            unsafe { libc::_exit(status) }
        }
        -1 => Err(io::Error::last_os_error()),
        pid => Ok(Pid::from_raw(pid).map(|pid| (ours, pid))),
    }
}

/// Holds nothing of ours open: whoever reads our output waits for all who may write to it.
fn become_guard(control: UnixStream) -> io::Result<()> {
    let nothing = fs_err::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    drop(nothing);
    super::watch(control)
}

fn is_alone() -> bool {
    fs_err::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}

//! Takes the order and the descriptors, and starts the tool.

use std::io::{self, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, recvmsg};
use rustix::process::{Pid, getpid};

use super::limits;
use super::tree::Tree;
use super::wire::{self, Notice, Order};
use crate::subprocess::command::CHANNEL_VARIABLE;

/// The tool's descriptors: standard input, output and error, and the channel if any.
pub(in crate::subprocess) const MOST_DESCRIPTORS: usize = 4;

/// Starts what the socket orders; none if that failed, which is then reported.
pub(super) fn start(control: &UnixStream) -> io::Result<Option<Tree>> {
    let (order, descriptors) = order(control)?;
    let notice = match rustix::process::chdir(&order.cwd) {
        Err(error) => Err(Notice::NoCwd {
            errno: error.raw_os_error(),
        }),
        Ok(()) => limited(&order).and_then(|()| {
            spawn(&order, descriptors).map_err(|error| Notice::NotStarted {
                errno: error.raw_os_error().unwrap_or(Errno::INVAL.raw_os_error()),
            })
        }),
    };
    let (leader, notice) = match notice {
        Ok(pid) => (
            Some(pid),
            Notice::Started {
                pid: pid.as_raw_nonzero().get(),
                guard: getpid().as_raw_nonzero().get(),
            },
        ),
        Err(notice) => (None, notice),
    };
    // Nobody may be listening any more; the closed socket then ends the tree.
    let _ = (&*control).write_all(notice.line().as_bytes());
    Ok(leader.map(Tree::new))
}

/// Limits and the mark hold for us first, and for the tool because it is started by us.
fn limited(order: &Order) -> Result<(), Notice> {
    limits::apply(&order.limits).map_err(|refused| Notice::NoLimit {
        limit: refused.limit,
        errno: refused.errno.raw_os_error(),
    })?;
    order.mark.put_on();
    Ok(())
}

fn spawn(order: &Order, descriptors: Vec<OwnedFd>) -> io::Result<Pid> {
    let mut descriptors = descriptors.into_iter();
    let mut next = || descriptors.next().ok_or(io::ErrorKind::InvalidData);
    let mut command = Command::new(&order.program);
    command
        .args(&order.args)
        .env_clear()
        .envs(order.env.iter().map(|(name, value)| (name, value)))
        .process_group(0)
        .stdin(Stdio::from(next()?))
        .stdout(Stdio::from(next()?))
        .stderr(Stdio::from(next()?));
    let channel = if order.channel { Some(next()?) } else { None };
    if let Some(channel) = &channel {
        fcntl_setfd(channel, FdFlags::empty())?;
        command.env(CHANNEL_VARIABLE, channel.as_raw_fd().to_string());
    }
    let child = command.spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    pid.ok_or_else(|| io::ErrorKind::InvalidData.into())
}

fn order(control: &UnixStream) -> io::Result<(Order, Vec<OwnedFd>)> {
    let mut prefix = [0; wire::PREFIX];
    let (length, descriptors) = receive(control, &mut prefix)?;
    let length = wire::length(prefix).filter(|_| length == prefix.len());
    let mut body = vec![0; length.ok_or(io::ErrorKind::InvalidData)?];
    (&*control).read_exact(&mut body)?;
    let order = wire::decode(&body).ok_or(io::ErrorKind::InvalidData)?;
    Ok((order, descriptors))
}

/// What comes first of a message, as much as there is place for, and the descriptors that
/// came with it.
pub(super) fn receive(socket: &UnixStream, place: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let place = &mut [IoSliceMut::new(place)];
    let message = recvmsg(socket, place, &mut ancillary, close_on_exec())?;
    let mut descriptors = Vec::new();
    for part in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(passed) = part {
            descriptors.extend(passed);
        }
    }
    if message.flags.contains(ReturnFlags::CTRUNC) {
        return Err(io::ErrorKind::InvalidData.into());
    }
    for descriptor in &descriptors {
        fcntl_setfd(descriptor, FdFlags::CLOEXEC)?;
    }
    Ok((message.bytes, descriptors))
}

/// A guard starts one process only, so the flag may as well be set a moment later
/// where the system cannot set it at once.
#[cfg(target_os = "linux")]
fn close_on_exec() -> RecvFlags {
    RecvFlags::CMSG_CLOEXEC
}

#[cfg(not(target_os = "linux"))]
fn close_on_exec() -> RecvFlags {
    RecvFlags::empty()
}

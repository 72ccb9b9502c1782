//! Starting through a guard, and talking to it. Linux and macOS differ only inside the
//! guard.

use std::fs::File;
use std::io::{self, IoSlice, PipeReader, PipeWriter, Read as _, Write as _, pipe};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    SendAncillaryBuffer, SendAncillaryMessage, SendFlags, Shutdown, sendmsg, shutdown,
};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use tokio::io::AsyncWriteExt as _;
use tokio::io::unix::AsyncFd;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::time::timeout;

use super::command::{Channel, Command, Guard, Stdin};
use super::error::Error;
use super::guard::MOST_DESCRIPTORS;
use super::guard::wire::{self, Notice};
use super::orphans::Mark;
use super::sentry::{self, Keeper};
use crate::end::Exit;
use crate::scarcity;

/// How long a guard may take to start the tool.
const ANSWER: Duration = Duration::from_secs(20);
/// How long a guard may take for what a tool leaves behind: longer than it gives itself.
const OVERTIME: Duration = Duration::from_secs(6);
/// How long a guard may take to kill a tree that is given up. It takes a few milliseconds.
const FAREWELL: Duration = Duration::from_millis(300);
/// Room for a burst of output, so that a busy tool waits for us less often.
#[cfg(target_os = "linux")]
const PIPE_SIZE: usize = 256 << 10;

pub(super) type Input = Sender;
pub(super) type Output = Receiver;

/// A started tool: its pipes and its guard.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) stdin: Option<Input>,
    pub(super) stdout: Output,
    pub(super) stderr: Output,
    pub(super) channel: Option<Output>,
    pub(super) recall: Option<Recall>,
    pub(super) tree: Tree,
}

/// A second hold on the end from which the tool reads its input. A byte in a pipe goes to
/// one reader only: what is got back here nobody else has got, or ever will.
#[derive(Debug)]
pub(super) struct Recall(File);

impl Recall {
    /// Takes back what nobody has read, and says how much it was. Ours must be the last
    /// word: the end that writes has to be closed by now.
    pub(super) fn take(mut self) -> io::Result<u64> {
        io::copy(&mut self.0, &mut io::sink())
    }
}

/// Whether a private channel is a pipe of its own here.
pub(super) const HAS_PRIVATE_CHANNEL: bool = true;

/// The tool's ends of the pipes, in the order the guard expects them.
struct Ends(Vec<OwnedFd>);

/// Starts a command under a guard and waits until it runs.
pub(super) async fn start(command: &Command, guard: &Guard) -> Result<Started, Error> {
    let mark = Mark::new();
    let order = wire::encode(command, mark).map_err(|unpassable| Error::InvalidArgument {
        program: command.program.clone(),
        what: unpassable.0,
    })?;
    let failed = |source| unguarded(command, guard, source);
    let (mut started, ends) = connect(command, guard, mark).map_err(failed)?;
    let tree = &mut started.tree;
    tree.is_over = false;
    tree.give(&order, &ends).await.map_err(failed)?;
    drop(ends);
    sentry::replace(guard);
    let answer = timeout(ANSWER, tree.notice()).await;
    let answer = answer
        .unwrap_or(Err(io::ErrorKind::TimedOut.into()))
        .map_err(failed)?;
    tree.is_over = !matches!(answer, None | Some(Notice::Started { .. }));
    match answer {
        Some(Notice::Started { pid, guard }) => {
            tree.leader = Pid::from_raw(pid);
            tree.guard_pid = Pid::from_raw(guard);
            Ok(started)
        }
        Some(Notice::NoCwd { errno }) => Err(Error::MissingCwd {
            cwd: command.cwd.clone(),
            source: io::Error::from_raw_os_error(errno),
        }),
        Some(Notice::NoLimit { limit, errno }) => Err(Error::LimitRefused {
            program: command.program.clone(),
            limit,
            source: io::Error::from_raw_os_error(errno),
        }),
        Some(Notice::NotStarted { errno }) => Err(not_started(command, errno)),
        _ => Err(failed(io::ErrorKind::UnexpectedEof.into())),
    }
}

/// Why there is no guard: the system's fault is not to be taken for ours.
fn unguarded(command: &Command, guard: &Guard, source: io::Error) -> Error {
    if scarcity::cure(&source).is_some() {
        return Error::Exhausted {
            program: command.program.clone(),
            source,
        };
    }
    Error::GuardFailed {
        guard: guard.program.clone(),
        source,
    }
}

fn connect(command: &Command, guard: &Guard, mark: Mark) -> io::Result<(Started, Ends)> {
    let (tool_stdin, stdin) = input(command.stdin)?;
    let held = stdin.as_ref().map(|_| tool_stdin.try_clone()).transpose()?;
    let (stdout, tool_stdout) = output()?;
    let (stderr, tool_stderr) = output()?;
    let mut ends = vec![tool_stdin, tool_stdout.into(), tool_stderr.into()];
    let mut channel = None;
    if command.channel == Channel::Private {
        let (source, tool_end) = output()?;
        channel = Some(source);
        ends.push(tool_end.into());
    }
    let sentry = sentry::call(guard)?;
    let tree = Tree {
        mark,
        control: crate::system::readable(sentry.control)?,
        unread: Vec::new(),
        guard: sentry.process,
        guard_pid: None,
        leader: None,
        exit: None,
        is_over: true,
    };
    let started = Started {
        stdin,
        stdout,
        stderr,
        channel,
        recall: held.map(|end| Recall(end.into())),
        tree,
    };
    Ok((started, Ends(ends)))
}

fn input(kind: Stdin) -> io::Result<(OwnedFd, Option<Input>)> {
    match kind {
        Stdin::Null => Ok((File::open("/dev/null")?.into(), None)),
        Stdin::Pipe => {
            let (reader, writer) = pipe()?;
            let writer: OwnedFd = PipeWriter::into(writer);
            Ok((reader.into(), Some(Sender::from_owned_fd(writer)?)))
        }
    }
}

fn output() -> io::Result<(Output, PipeWriter)> {
    let (reader, writer) = pipe()?;
    widen(&reader);
    Ok((Receiver::from_owned_fd(reader.into())?, writer))
}

/// A wish only: the system grants each user so much room and no more.
#[cfg(target_os = "linux")]
fn widen(pipe: &PipeReader) {
    let _ = rustix::pipe::fcntl_setpipe_size(pipe, PIPE_SIZE);
}

#[cfg(not(target_os = "linux"))]
fn widen(_: &PipeReader) {}

fn not_started(command: &Command, errno: i32) -> Error {
    let program = command.program.clone();
    let source = io::Error::from_raw_os_error(errno);
    match Errno::from_raw_os_error(errno) {
        Errno::NOENT if is_named_file(&command.cwd, &program) => {
            Error::MissingInterpreter { program }
        }
        Errno::NOENT | Errno::NOTDIR => Error::NotFound { program },
        Errno::ACCESS | Errno::NOEXEC => Error::NotExecutable { program, source },
        _ => Error::SpawnFailed { program, source },
    }
}

/// Whether the program is a path, not a name to look up, and there is such a file.
fn is_named_file(cwd: &Path, program: &Path) -> bool {
    program.components().count() > 1 && cwd.join(program).is_file()
}

/// The guarded processes, as seen through their guard. When this is dropped the guard
/// sees its socket close, and kills them. A tool may kill its guard, or stop it, so what
/// the guard does not say it did is done here.
#[derive(Debug)]
pub(super) struct Tree {
    mark: Mark,
    /// Waited for when it has something to say alone: that the guard has read what we said
    /// would wake us for nothing.
    control: AsyncFd<UnixStream>,
    unread: Vec<u8>,
    guard: Keeper,
    /// Once it has started the tool.
    guard_pid: Option<Pid>,
    leader: Option<Pid>,
    exit: Option<Exit>,
    /// Nothing is there to end: it was not begun, or the guard said so, or we saw to it.
    is_over: bool,
}

impl Tree {
    /// Asks the leader's group to end.
    pub(super) fn terminate(&mut self) {
        let _ = self.control.get_ref().write(&[wire::TERMINATE]);
        self.wake_guard();
    }

    /// Kills everything.
    pub(super) fn kill(&mut self) {
        let _ = self.control.get_ref().write(&[wire::KILL]);
        self.wake_guard();
    }

    /// A guard that was stopped hears no request.
    fn wake_guard(&self) {
        if let Some(guard) = self.guard_pid {
            let _ = kill_process(guard, Signal::CONT);
        }
    }

    /// Waits until nothing of the tree is left. May be dropped and called again.
    pub(super) async fn ended(&mut self) {
        while let Some(notice) = self.next_in_time().await {
            match notice {
                Notice::Exited { code } => self.exit = Some(Exit::Code(code)),
                Notice::Signalled { signal } => self.exit = Some(Exit::Signal(signal)),
                Notice::Over => self.is_over = true,
                Notice::Started { .. }
                | Notice::NoCwd { .. }
                | Notice::NoLimit { .. }
                | Notice::NotStarted { .. } => {}
            }
        }
        self.take_over().await;
    }

    /// The next notice. Once the tool has ended, the guard has so much time for the rest.
    async fn next_in_time(&mut self) -> Option<Notice> {
        let notice = match self.exit {
            Some(_) => timeout(OVERTIME, self.notice()).await.ok()?,
            None => self.notice().await,
        };
        notice.ok().flatten()
    }

    /// Ends the guard, and whatever it has left.
    pub(super) async fn take_over(&mut self) {
        if !self.is_over {
            self.is_over = true;
            self.guard.kill();
            self.end_group();
            let mark = self.mark;
            // It goes through all processes, and more than once: nobody else is to wait for that.
            let _ = tokio::task::spawn_blocking(move || mark.sweep()).await;
        }
        self.guard.ended().await;
    }

    /// Kills the leader's group, as long as its number cannot have become another's.
    fn end_group(&self) {
        if let (Some(leader), None) = (self.leader, self.exit) {
            let _ = kill_process_group(leader, Signal::KILL);
        }
    }

    /// Whether the leader is, as far as is known, still there. Says nothing for sure: it
    /// may end the next moment.
    pub(super) fn is_running(&mut self) -> bool {
        match take(self.control.get_ref(), &mut self.unread) {
            Ok(_) => false,
            Err(error) => error.kind() == io::ErrorKind::WouldBlock && self.unread.is_empty(),
        }
    }

    /// How the leader ended, as far as that was told.
    pub(super) fn exit(&self) -> Option<Exit> {
        self.exit
    }

    /// Closes the socket and sees the guard go.
    fn sees_guard_off(&self) -> bool {
        let _ = shutdown(&self.control, Shutdown::Write);
        self.wake_guard();
        let deadline = Instant::now() + FAREWELL;
        let said_over = |said: &[u8]| said.ends_with(b"over\n");
        let mut place = [0; 256];
        if said_over(&self.unread) {
            return true;
        }
        while let Ok(left) = Timespec::try_from(deadline.saturating_duration_since(Instant::now()))
        {
            let mut gone = [PollFd::new(&self.control, PollFlags::IN)];
            match poll(&mut gone, Some(&left)) {
                Ok(0) => return false,
                Ok(_) | Err(Errno::INTR) => {}
                Err(_) => return false,
            }
            match rustix::io::read(&self.control, &mut place) {
                Ok(0) => return false,
                Ok(count) if said_over(&place[..count]) => return true,
                Ok(_) | Err(Errno::INTR | Errno::AGAIN) => {}
                Err(_) => return false,
            }
        }
        false
    }

    async fn give(&mut self, order: &[u8], ends: &Ends) -> io::Result<()> {
        let descriptors: Vec<_> = ends.0.iter().map(AsFd::as_fd).collect();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST_DESCRIPTORS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
        // Nothing was sent before, so there is room for most orders.
        let sent = sendmsg(
            &self.control,
            &[IoSlice::new(order)],
            &mut ancillary,
            SendFlags::empty(),
        )?;
        let rest = &order[sent..];
        if rest.is_empty() {
            return Ok(());
        }
        let control = self.control.get_ref().try_clone()?;
        tokio::net::UnixStream::from_std(control)?
            .write_all(rest)
            .await
    }

    /// The next notice; none once the guard is gone. May be dropped and called again.
    async fn notice(&mut self) -> io::Result<Option<Notice>> {
        loop {
            if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                let line = std::str::from_utf8(&line).unwrap_or_default();
                return Notice::parse(line)
                    .map(Some)
                    .ok_or_else(|| io::ErrorKind::InvalidData.into());
            }
            let mut ready = self.control.readable().await?;
            match ready.try_io(|control| take(control.get_ref(), &mut self.unread)) {
                Ok(Ok(0)) => return Ok(None),
                Ok(Err(error)) => return Err(error),
                Ok(Ok(_)) | Err(_) => {}
            }
        }
    }
}

/// Reads what has come, and says how much; nothing is left to come if that is nothing.
fn take(mut control: &UnixStream, unread: &mut Vec<u8>) -> io::Result<usize> {
    let mut place = [0; 256];
    let count = control.read(&mut place)?;
    unread.extend_from_slice(&place[..count]);
    Ok(count)
}

impl Drop for Tree {
    fn drop(&mut self) {
        if !self.is_over && !self.sees_guard_off() {
            self.guard.kill();
            self.end_group();
            self.mark.sweep();
        }
    }
}

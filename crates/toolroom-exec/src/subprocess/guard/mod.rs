//! The guard: a small process of our own between us and a tool, which no descendant of
//! the tool outlives.
//!
//! It is our binary started again. It takes one order and the tool's descriptors from
//! the socket that is its standard input, puts limits on itself, starts the tool, and
//! then waits for three things: a child's end, a request, and the end of the socket,
//! which is our death. It holds none of the tool's pipes and relays nothing.
//!
//! It leads a session of its own, so neither the terminal's signals nor a prompt reach
//! the tree. It is the parent's life, told by the socket, that it follows, and not the
//! kernel's parent-death signal: that one follows the life of a thread.

#[cfg(target_os = "linux")]
pub(super) mod descendants;
#[cfg(target_os = "linux")]
pub(super) mod fork;
mod limits;
mod signals;
mod start;
mod tree;
pub(super) mod wire;

use std::io::{self, Read, Write};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use signals::Signals;
pub(super) use start::MOST_DESCRIPTORS;
use tree::Tree;
use wire::Notice;

/// How long what a finished tool left behind has to end in an orderly way.
const LINGER: Duration = Duration::from_millis(100);
/// How often the tree is looked at while it is being ended.
const TICK: Duration = Duration::from_millis(10);
/// When a process that not even a kill ends is left to the system.
const LONGEST: Duration = Duration::from_secs(5);

/// Is a guard, until its tree has ended.
#[must_use]
pub fn main() -> ExitCode {
    let control = io::stdin().as_fd().try_clone_to_owned();
    match control.and_then(|control| watch(control.into())) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn watch(control: UnixStream) -> io::Result<()> {
    let _ = rustix::process::setsid();
    become_reaper();
    let signals = Signals::new()?;
    let Some(tree) = start::start(&control)? else {
        return Ok(());
    };
    Watch {
        control,
        signals,
        tree,
        listening: true,
        ending: None,
    }
    .until_empty()
}

#[cfg(target_os = "linux")]
fn become_reaper() {
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

#[cfg(not(target_os = "linux"))]
fn become_reaper() {}

/// The tree is being ended: when it began, and when it turns to killing.
#[derive(Clone, Copy)]
struct Ending {
    since: Instant,
    kill_at: Instant,
}

struct Watch {
    control: UnixStream,
    signals: Signals,
    tree: Tree,
    /// Whether requests are still waited for; after a kill there is none to come.
    listening: bool,
    ending: Option<Ending>,
}

impl Watch {
    fn until_empty(mut self) -> io::Result<()> {
        loop {
            self.tell();
            let is_over = !self.tree.reap();
            // It may have ended since, and been reaped just now.
            self.tell();
            if is_over {
                // Our end alone does not say so: the tool may have brought it about.
                return self.control.write_all(Notice::Over.line().as_bytes());
            }
            if self.overdue() {
                return Ok(());
            }
            if self
                .ending
                .is_some_and(|ending| Instant::now() >= ending.kill_at)
            {
                self.tree.signal_all(Signal::KILL);
            }
            self.wait()?;
        }
    }

    /// Says how the leader ended, once it has; if it can be, before the leader is reaped,
    /// since then its end shows, and what it left behind may do away with us.
    fn tell(&mut self) {
        if let Some(notice) = self.tree.leader_end() {
            let _ = self.control.write_all(notice.line().as_bytes());
            self.leader_ended();
        }
    }

    /// What is left behind is asked to end, and soon killed.
    fn leader_ended(&mut self) {
        if self.tree.reap() {
            self.tree.signal_all(Signal::TERM);
        }
        self.end_by(Instant::now() + LINGER);
    }

    fn end_by(&mut self, kill_at: Instant) {
        let ending = self.ending.get_or_insert(Ending {
            since: kill_at,
            kill_at,
        });
        ending.kill_at = ending.kill_at.min(kill_at);
    }

    fn overdue(&self) -> bool {
        self.ending
            .is_some_and(|ending| ending.since.elapsed() > LONGEST)
    }

    /// Sleeps until something happens, and does what it asks for.
    fn wait(&mut self) -> io::Result<()> {
        let timeout = self.ending.map(|_| TICK);
        let control = self.listening.then_some(&self.control);
        let woken = self.signals.wait(control, timeout)?;
        if self.listening && (woken.end || (woken.control && !self.goes_on())) {
            self.listening = false;
            self.end_by(Instant::now());
        }
        Ok(())
    }

    /// Follows a request; false if it is to kill, as our caller's death is.
    fn goes_on(&mut self) -> bool {
        let mut request = [0];
        match (&self.control).read(&mut request) {
            Ok(1) if request == [wire::TERMINATE] => {
                self.tree.signal_group(Signal::TERM);
                true
            }
            Err(error) => error.kind() == io::ErrorKind::Interrupted,
            Ok(_) => false,
        }
    }
}

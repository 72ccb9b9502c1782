//! The processes a guard answers for: the leader and whatever came from it.
//!
//! On Linux the guard is the subreaper, so every descendant whose parent has died is its
//! own child, daemons included, and none is left exactly when it has no child left.
//! Elsewhere the tree is the leader's process group.

#[cfg(target_os = "linux")]
use std::collections::HashSet;

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process_group, wait, waitid,
};
#[cfg(target_os = "linux")]
use rustix::process::{getpgid, getpgrp, getpid, kill_process};

use super::wire::Notice;

pub(super) struct Tree {
    leader: Pid,
    /// Until it is reaped its number, hence its group's, cannot be another's.
    leader_reaped: bool,
    /// Whether it was said how the leader ended.
    told: bool,
    /// How it ended, if it was reaped before that was said.
    unsaid: Option<Notice>,
}

impl Tree {
    pub(super) fn new(leader: Pid) -> Self {
        Self {
            leader,
            leader_reaped: false,
            told: false,
            unsaid: None,
        }
    }

    /// How the leader ended, if it has and was not told before.
    pub(super) fn leader_end(&mut self) -> Option<Notice> {
        let end = self.unsaid.take().or_else(|| self.leader_ending());
        self.told |= end.is_some();
        end
    }

    /// How the leader ended, if it has and is not reaped, which it is not by this.
    fn leader_ending(&self) -> Option<Notice> {
        if self.leader_reaped || self.told {
            return None;
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let status = waitid(WaitId::Pid(self.leader), options).ok()??;
        notice(status.exit_status(), status.terminating_signal())
    }

    /// Signals the leader's group.
    pub(super) fn signal_group(&self, signal: Signal) {
        if !self.leader_reaped {
            let _ = kill_process_group(self.leader, signal);
        }
    }

    /// Signals every process of the tree, group first: that is one step for the system,
    /// which nothing in the group can outrun by forking.
    pub(super) fn signal_all(&self, signal: Signal) {
        self.signal_group(signal);
        self.signal_strays(signal);
    }

    /// Reaps whatever has ended, and says whether anything is left.
    pub(super) fn reap(&mut self) -> bool {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.leader => {
                    self.leader_reaped = true;
                    if !self.told {
                        self.unsaid = notice(status.exit_status(), status.terminating_signal());
                    }
                }
                Ok(Some(_)) => {}
                Ok(None) => return true,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return self.has_strays(),
            }
        }
    }
}

fn notice(code: Option<i32>, signal: Option<i32>) -> Option<Notice> {
    let exited = code.map(|code| Notice::Exited { code });
    exited.or_else(|| signal.map(|signal| Notice::Signalled { signal }))
}

#[cfg(target_os = "linux")]
impl Tree {
    /// Whole groups are signalled where that reaches the tree alone. It does: a group
    /// lies within one session, and only the guard's own group holds more than the tree.
    fn signal_strays(&self, signal: Signal) {
        let own_group = getpgrp();
        let mut groups = HashSet::new();
        for pid in super::descendants::of(getpid()) {
            match getpgid(Some(pid)) {
                Ok(group) if group == own_group => {
                    let _ = kill_process(pid, signal);
                }
                Ok(group) => {
                    groups.insert(group);
                }
                Err(_) => {}
            }
        }
        for group in groups {
            let _ = kill_process_group(group, signal);
        }
    }

    #[expect(clippy::unused_self, reason = "elsewhere the group is asked")]
    fn has_strays(&self) -> bool {
        false
    }
}

#[cfg(not(target_os = "linux"))]
impl Tree {
    fn signal_strays(&self, signal: Signal) {
        if self.leader_reaped {
            let _ = kill_process_group(self.leader, signal);
        }
    }

    fn has_strays(&self) -> bool {
        rustix::process::test_kill_process_group(self.leader).is_ok()
    }
}

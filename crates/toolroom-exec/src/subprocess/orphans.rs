//! What a tool leaves running if it kills its own guard.
//!
//! Every process of a call carries a mark, which its children inherit whatever they do to
//! their session, their group or their environment: the soft limit on the time of real-time
//! processes, far above any that is ever reached. A process with a call's mark belongs to
//! that call and to no other. Nothing is looked for unless a guard was lost, and only on
//! Linux; elsewhere the leader's group is all that is known.

/// Tells the processes of one call from all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark(pub(super) u64);

impl Mark {
    const LEAST: u64 = 1 << 61;

    pub(super) fn new() -> Self {
        Self(fastrand::u64(Self::LEAST..Self::LEAST << 1))
    }

    /// Puts the mark on this process, for all it starts to inherit. A system that has no
    /// such limit leaves its processes without one.
    #[cfg(target_os = "linux")]
    pub(super) fn put_on(self) {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let maximum = getrlimit(Resource::Rttime).maximum;
        if maximum.is_none_or(|most| most >= self.0) {
            let current = Some(self.0);
            let _ = setrlimit(Resource::Rttime, Rlimit { current, maximum });
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn put_on(self) {}

    /// Kills every process that carries the mark.
    #[cfg(target_os = "linux")]
    pub(super) fn sweep(self) {
        linux::sweep(self);
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn sweep(self) {}
}

#[cfg(target_os = "linux")]
mod linux {
    use std::time::Duration;

    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    use super::Mark;

    /// How often a tree that forks while it is killed is gone through again.
    const ROUNDS: usize = 20;
    const PAUSE: Duration = Duration::from_millis(5);

    pub(super) fn sweep(mark: Mark) {
        for _ in 0..ROUNDS {
            let killed = pids().filter(|pid| kill_if_marked(*pid, mark)).count();
            if killed == 0 {
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }

    fn pids() -> impl Iterator<Item = Pid> {
        let entries = fs_err::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
    }

    /// Takes hold of the process first, so that the number cannot have become another's by
    /// the time it is killed.
    fn kill_if_marked(pid: Pid, mark: Mark) -> bool {
        let Ok(held) = pidfd_open(pid, PidfdFlags::empty()) else {
            return false;
        };
        let text = |file: &str| {
            fs_err::read(format!("/proc/{}/{file}", pid.as_raw_nonzero())).unwrap_or_default()
        };
        carries(&text("limits"), mark)
            && !has_ended(&text("stat"))
            && pidfd_send_signal(&held, Signal::KILL).is_ok()
    }

    pub(super) fn carries(limits: &[u8], mark: Mark) -> bool {
        let limits = String::from_utf8_lossy(limits);
        let mut lines = limits.lines();
        let line = lines.find_map(|line| line.strip_prefix("Max realtime timeout"));
        let soft = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        soft == Some(mark.0)
    }

    /// Whether only its parent's look at it is missing.
    fn has_ended(stat: &[u8]) -> bool {
        let name_end = stat.iter().rposition(|byte| *byte == b')');
        name_end.is_some_and(|end| matches!(stat.get(end + 2), Some(b'Z' | b'X')))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_read_from_the_line_of_its_limit_alone() {
        let mark = Mark::new();
        let line = |soft: u64| {
            format!(
                "Max cpu time  {0}  {0}  seconds\nMax realtime timeout  {soft}  unlimited  us\n",
                mark.0
            )
        };
        assert!(linux::carries(line(mark.0).as_bytes(), mark));
        assert!(!linux::carries(line(mark.0 + 1).as_bytes(), mark));
        assert!(!linux::carries(
            b"Max realtime timeout unlimited unlimited us",
            mark
        ));
        assert!(!linux::carries(b"", mark));
    }
}

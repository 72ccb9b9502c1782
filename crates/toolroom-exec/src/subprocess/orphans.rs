//! What a tool leaves to us if it kills its own guard.
//!
//! On Linux we are the next reaper above our guards, so whatever a lost guard answered for
//! becomes our own child, daemons included. A process of ours that is neither in our own
//! session nor a guard can be nothing else. Elsewhere only the leader's group is known.

use std::io;

use tokio::process::{Child, Command};

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashSet;
    use std::sync::{Mutex, PoisonError};
    use std::time::Duration;

    use rustix::process::{
        Pid, Signal, WaitOptions, getpid, getsid, kill_process, set_child_subreaper, waitpid,
    };

    use super::super::guard::descendants;
    use super::{Child, Command, io};

    /// The guards that are at work. Held while one is started, so that none is ever seen
    /// before it is known.
    static GUARDS: Mutex<Option<HashSet<Pid>>> = Mutex::new(None);

    /// How often a tree that forks while it is killed is gone through again.
    const ROUNDS: usize = 20;
    const PAUSE: Duration = Duration::from_millis(5);

    /// A guard that is known to be one, as long as this lives.
    #[derive(Debug)]
    pub(in crate::subprocess) struct Watched(Option<Pid>);

    impl Watched {
        pub(in crate::subprocess) fn spawn(command: &mut Command) -> io::Result<(Child, Self)> {
            let mut guards = GUARDS.lock().unwrap_or_else(PoisonError::into_inner);
            let guards = guards.get_or_insert_with(|| {
                let _ = set_child_subreaper(Some(getpid()));
                HashSet::new()
            });
            let child = command.spawn()?;
            let pid = child
                .id()
                .and_then(|id| i32::try_from(id).ok())
                .and_then(Pid::from_raw);
            guards.extend(pid);
            Ok((child, Self(pid)))
        }

        /// Kills and reaps what lost guards left to us.
        pub(in crate::subprocess) fn sweep(&self) {
            for _ in 0..ROUNDS {
                let left = orphans();
                if left.is_empty() {
                    return;
                }
                for pid in &left {
                    let _ = kill_process(*pid, Signal::KILL);
                }
                std::thread::sleep(PAUSE);
                for pid in left {
                    let _ = waitpid(Some(pid), WaitOptions::NOHANG);
                }
            }
        }
    }

    impl Drop for Watched {
        fn drop(&mut self) {
            let mut guards = GUARDS.lock().unwrap_or_else(PoisonError::into_inner);
            if let (Some(guards), Some(pid)) = (guards.as_mut(), self.0) {
                guards.remove(&pid);
            }
        }
    }

    fn orphans() -> Vec<Pid> {
        let guards = GUARDS.lock().unwrap_or_else(PoisonError::into_inner);
        let is_guard = |pid: Pid| guards.as_ref().is_some_and(|guards| guards.contains(&pid));
        let Ok(own) = getsid(None) else {
            return Vec::new();
        };
        descendants::of_children(getpid(), |pid| {
            !is_guard(pid) && getsid(Some(pid)).is_ok_and(|session| session != own)
        })
    }
}

#[cfg(target_os = "linux")]
pub(super) use linux::Watched;

#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub(super) struct Watched;

#[cfg(not(target_os = "linux"))]
impl Watched {
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Child, Self)> {
        Ok((command.spawn()?, Self))
    }

    #[expect(clippy::unused_self, reason = "there is nothing to be found here")]
    pub(super) fn sweep(&self) {}
}

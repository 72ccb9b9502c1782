//! The signals by which a person or a system ends a program, and how they become a
//! cancelled run.

use super::cancel::Cancel;

/// Cancels on the first interrupt and kills on the second. Never ends by itself; while
/// it runs, and after, the signals do not end our own process.
pub(crate) async fn heed<Never>(cancel: &Cancel) -> Never {
    let Ok(mut signals) = Interrupts::new() else {
        return std::future::pending().await;
    };
    signals.next().await;
    cancel.stop();
    loop {
        signals.next().await;
        cancel.kill();
    }
}

/// Requests to end that come from outside. One that is ignored is none: who started us so,
/// as `nohup` does, wants us to go on.
#[cfg(unix)]
#[derive(Debug)]
pub struct Interrupts {
    interrupt: Option<tokio::signal::unix::Signal>,
    terminate: Option<tokio::signal::unix::Signal>,
    hang_up: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Interrupts {
    /// From now on they do not end this process by themselves.
    ///
    /// # Errors
    /// Fails if the system does not let us hear of them.
    pub fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let heeded = |kind: SignalKind| match crate::system::is_ignored(kind.as_raw_value()) {
            true => Ok(None),
            false => signal(kind).map(Some),
        };
        Ok(Self {
            interrupt: heeded(SignalKind::interrupt())?,
            terminate: heeded(SignalKind::terminate())?,
            hang_up: heeded(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        tokio::select! {
            () = come(&mut self.interrupt) => {}
            () = come(&mut self.terminate) => {}
            () = come(&mut self.hang_up) => {}
        }
    }
}

#[cfg(unix)]
async fn come(signal: &mut Option<tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

#[cfg(windows)]
#[derive(Debug)]
pub struct Interrupts(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Interrupts {
    /// From now on they do not end this process by themselves.
    ///
    /// # Errors
    /// Fails if the system does not let us hear of them.
    pub fn new() -> std::io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    /// Waits for the next one.
    pub async fn next(&mut self) {
        self.0.recv().await;
    }
}

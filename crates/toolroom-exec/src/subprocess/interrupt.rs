//! Turns the signals by which a person or a system ends a program into a cancelled run.

use super::cancel::Cancel;

/// Cancels on the first interrupt and kills on the second. Never ends by itself; while
/// it runs, and after, the signals do not end our own process.
pub(crate) async fn heed<Never>(cancel: &Cancel) -> Never {
    let Ok(mut signals) = Signals::new() else {
        return std::future::pending().await;
    };
    signals.next().await;
    cancel.stop();
    loop {
        signals.next().await;
        cancel.kill();
    }
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            hang_up: signal(SignalKind::hangup())?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            _ = self.hang_up.recv() => {}
        }
    }
}

#[cfg(windows)]
struct Signals(tokio::signal::windows::CtrlC);

#[cfg(windows)]
impl Signals {
    fn new() -> std::io::Result<Self> {
        tokio::signal::windows::ctrl_c().map(Self)
    }

    async fn next(&mut self) {
        self.0.recv().await;
    }
}

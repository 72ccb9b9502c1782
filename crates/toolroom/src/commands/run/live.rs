//! What a person sees while a tool runs: its output, its log, how far it is.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex, OnceLock};

use toolroom_exec::executor::Returns;
use toolroom_exec::subprocess::{Cancel, Event, Happening, Listener, Stream};

use crate::printer::{Printer, Volume};

/// Why the answer could not be written while it came, if it could not.
pub type Unwritten = Arc<OnceLock<io::Error>>;

/// Passes on what happens. A script's output is the answer: once it cannot be written the
/// tool works for nobody, and is ended. What a function prints is talk beside its result.
pub fn listener(returns: Returns, printer: &Printer, cancel: &Cancel) -> (Listener, Unwritten) {
    let unwritten = Unwritten::default();
    let (failed, cancel) = (unwritten.clone(), cancel.clone());
    let is_quiet = printer.volume == Volume::Quiet;
    let shows_progress = !is_quiet && std::io::stderr().is_terminal();
    let bar = Mutex::new(Bar::default());
    let listener = Listener::new(move |happening| {
        let Ok(mut bar) = bar.lock() else { return };
        match happening {
            Happening::Output(Stream::Stdout, bytes) if returns == Returns::Output => {
                bar.clear();
                let mut out = std::io::stdout().lock();
                if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
                    let _ = failed.set(error);
                    cancel.stop();
                }
            }
            Happening::Output(_, bytes) => {
                bar.clear();
                let _ = std::io::stderr().lock().write_all(bytes);
            }
            Happening::Event(Event::Log { level, message }) if !is_quiet => {
                bar.clear();
                let _ = writeln!(std::io::stderr().lock(), "{level}: {message}");
            }
            Happening::Event(Event::Progress {
                done,
                total,
                message,
            }) if shows_progress => {
                bar.draw(*done, *total, message.as_deref().unwrap_or_default());
            }
            Happening::Event(_) => {}
        }
    });
    (listener, unwritten)
}

/// One line on the terminal that is drawn over itself.
#[derive(Debug, Default)]
struct Bar {
    is_drawn: bool,
}

impl Bar {
    fn draw(&mut self, done: f64, total: Option<f64>, message: &str) {
        const WIDTH: usize = 24;
        let mut err = std::io::stderr().lock();
        let message: String = message
            .chars()
            .filter(|c| !c.is_control())
            .take(40)
            .collect();
        let _ = match total.filter(|total| *total > 0.0) {
            Some(total) => {
                let share = (done / total).clamp(0.0, 1.0);
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a share of WIDTH"
                )]
                let filled = (share * WIDTH as f64) as usize;
                let (full, empty) = ("█".repeat(filled), "░".repeat(WIDTH - filled));
                write!(
                    err,
                    "\r\x1b[2K{full}{empty} {:3.0}% {message}",
                    share * 100.0
                )
            }
            None => write!(err, "\r\x1b[2K{done} {message}"),
        };
        let _ = err.flush();
        self.is_drawn = true;
    }

    fn clear(&mut self) {
        if self.is_drawn {
            let _ = write!(std::io::stderr().lock(), "\r\x1b[2K");
            self.is_drawn = false;
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.clear();
    }
}

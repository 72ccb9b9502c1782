//! Passes on what a command prints while it runs, line by line.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a command printed and nobody has been told yet.
pub type Heard = Arc<Mutex<Vec<u8>>>;

/// How often lines are passed on.
const EVERY: Duration = Duration::from_millis(50);

/// Runs something that fills a buffer, and tells its lines meanwhile and at the end. Calls
/// `beat` for as long as it runs.
pub fn listening<T>(
    tell: &(dyn Fn(&str) + Sync),
    beat: &(dyn Fn() + Sync),
    run: impl FnOnce(&Heard) -> T,
) -> T {
    let heard = Heard::default();
    let over = AtomicBool::new(false);
    let outcome = std::thread::scope(|scope| {
        let listener = scope.spawn(|| {
            while !over.load(Ordering::Acquire) {
                std::thread::park_timeout(EVERY);
                beat();
                let mut bytes = super::lock(&heard);
                let whole = bytes.iter().rposition(|byte| *byte == b'\n');
                let lines: Vec<u8> =
                    whole.map_or_else(Vec::new, |end| bytes.drain(..=end).collect());
                drop(bytes);
                tell_lines(&lines, tell);
            }
        });
        let _over = Over(&over, listener.thread());
        run(&heard)
    });
    tell_lines(&super::lock(&heard), tell);
    outcome
}

/// Lets the listener end when what it listens to is over, also by a panic: the listener would
/// be waited for without end, and the locks of whoever waits be held.
struct Over<'o>(&'o AtomicBool, &'o std::thread::Thread);

impl Drop for Over<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
        self.1.unpark();
    }
}

fn tell_lines(bytes: &[u8], tell: &(dyn Fn(&str) + Sync)) {
    let text = String::from_utf8_lossy(bytes);
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .for_each(tell);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_what_is_listened_to_is_not_waited_for() {
        let run = || listening(&|_| {}, &|| {}, |_| panic!("no more descriptors"));
        assert!(std::panic::catch_unwind(run).is_err());
    }

    #[test]
    fn lines_are_told_whole_and_none_is_lost() {
        let told = Mutex::new(Vec::new());
        let tell = |line: &str| told.lock().unwrap().push(line.to_owned());
        listening(&tell, &|| {}, |heard| {
            for piece in ["Resol", "ved 2\n\nPrep", "ared 2\nno end"] {
                heard.lock().unwrap().extend_from_slice(piece.as_bytes());
                std::thread::sleep(Duration::from_millis(60));
            }
        });
        assert_eq!(
            told.into_inner().unwrap(),
            ["Resolved 2", "Prepared 2", "no end"]
        );
    }
}

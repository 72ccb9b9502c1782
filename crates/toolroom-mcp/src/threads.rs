//! Whether threads can be started. Libraries panic where the system refuses one, and a
//! server that has panicked leaves its clients waiting.

use std::io;
use std::sync::mpsc;
use std::thread::Builder;

/// Tries whether so many more threads can run at once.
///
/// # Errors
/// Fails with the system's reason.
pub fn try_some(count: usize) -> io::Result<()> {
    let mut begun = Vec::with_capacity(count);
    for _ in 0..count {
        let (end, ended) = mpsc::channel::<()>();
        let thread = Builder::new().spawn(move || {
            let _ = ended.recv();
        })?;
        begun.push((end, thread));
    }
    for (end, thread) in begun {
        drop(end);
        let _ = thread.join();
    }
    Ok(())
}

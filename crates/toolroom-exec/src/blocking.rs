//! Calls for those without a runtime of their own: the command line. One runtime on the
//! caller's thread, in which an interrupt of our process cancels the call.

use std::future::Future;
use std::io;

use tokio::runtime::{Builder, Runtime};

use crate::http;
use crate::scarcity::room_for_files;
use crate::subprocess::{Cancel, heed_interrupts};

/// A runtime on the caller's thread.
///
/// # Errors
/// Fails if the system has no event queue for it, or lets too few files be open.
pub fn runtime() -> io::Result<Runtime> {
    room_for_files()?;
    Builder::new_current_thread().enable_all().build()
}

/// Sees a call through. The first interrupt cancels it, a second one kills what it runs.
pub(crate) fn see_through<T>(cancel: &Cancel, call: impl Future<Output = T>) -> io::Result<T> {
    let runtime = runtime()?;
    let outcome = runtime.block_on(async {
        tokio::select! {
            outcome = call => outcome,
            outcome = heed_interrupts(cancel) => outcome,
        }
    });
    http::forget(runtime.handle().id());
    // A name that is still looked up, or a disk that still writes, would hold up the end.
    runtime.shutdown_background();
    Ok(outcome)
}

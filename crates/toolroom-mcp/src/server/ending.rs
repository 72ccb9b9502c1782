//! The signals by which a person or a system ends a server.

use toolroom_exec::subprocess::Interrupts;

/// Waits for the first of them; for ever where there is none to wait for.
pub async fn told_to_end() {
    match Interrupts::new() {
        Ok(mut interrupts) => interrupts.next().await,
        Err(_) => std::future::pending().await,
    }
}

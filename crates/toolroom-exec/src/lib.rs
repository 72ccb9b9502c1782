//! Runs tools: the primitives, and what stands between a resolved chain and an outcome.
//!
//! Asynchronous at this edge only; what it runs it was handed as finished values.

mod blocking;
pub mod call;
mod end;
pub mod executor;
pub mod http;
pub mod runs;
pub mod scarcity;
pub mod spare;
pub mod subprocess;
mod system;

pub use blocking::runtime;

/// From now on a write past the limit on a file's size (`ulimit -f`) fails as on a full
/// disk, and does not end this process. What it starts is not affected.
pub fn outlive_file_limit() {
    system::outlive_file_limit();
}

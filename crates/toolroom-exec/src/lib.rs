//! Runs tools: the primitives, and what stands between a resolved chain and an outcome.
//!
//! Asynchronous at this edge only; what it runs it was handed as finished values.

mod blocking;
pub mod call;
mod end;
pub mod executor;
pub mod http;
pub mod runs;
pub mod spare;
pub mod subprocess;
mod system;

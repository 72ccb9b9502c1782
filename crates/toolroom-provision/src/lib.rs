//! Provisioning: makes the environment a tool needs; reuses when safe, isolates when
//! necessary.
//!
//! Reading comes first and changes nothing: what is required, what is installed, what to
//! do about the difference. Acting is a plan applied under a lock, with a journal. This is
//! the only crate that changes a machine, and it does so with commands from data alone.

pub mod apply;
pub mod audit;
pub mod decision;
mod error;
pub mod journal;
pub mod lock;
pub mod manager;
pub mod plan;
pub mod preset;
pub mod ready;
mod redaction;
pub mod requirement;
pub mod store;
#[cfg(test)]
mod testing;

pub use error::{ProvisionError, StateFault};

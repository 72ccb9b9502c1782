//! Resolution against real directories and the real data of `core/`.
//!
//! Fake interpreters are small files that would leave a trace if anything ran them;
//! the context checks on drop that nothing did.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod conda;
mod data;
mod environments;
mod fallbacks;
mod layers;
mod managers;
mod manifests;
mod new_language;
mod preferred;
mod seeds;
mod shims;
mod support;
mod version_files;
mod which;
mod windows;

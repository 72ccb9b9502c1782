//! What is served at one moment, and how it follows the files.

mod edition;
mod memory;
mod watcher;

pub use edition::{Edition, Revision, spaces};
pub use watcher::follow;

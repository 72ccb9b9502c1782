//! What is served at one moment, and how it follows the files.

mod edition;
mod watcher;

pub use edition::Edition;
pub use watcher::follow;

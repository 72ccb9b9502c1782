//! What is served at one moment, and how it follows the files.

mod checks;
mod edition;
mod kept;
mod memory;
mod watcher;

pub use checks::Checks;
pub use edition::{Edition, Revision, spaces};
pub use kept::{Kept, Remembering};
pub use watcher::follow;

//! The words of the product as types.

mod environ;
mod id;
mod tool;

pub use environ::Environ;
pub use id::{InvalidId, ToolId};
pub use tool::{Role, Space, Tool, field};

//! The words of the product as types.

mod env_map;
mod id;
mod tool;

pub use env_map::EnvMap;
pub use id::{InvalidId, ToolId};
pub use tool::{Role, Space, Tool, field};

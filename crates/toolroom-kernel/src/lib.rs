//! The kernel: what a tool is, how its texts are filled in, how its chain is linked
//! and how its environment is found.
//!
//! Everything here is a function of its arguments: it reads files, and never creates,
//! installs, runs or connects to anything. It knows no language by name; languages
//! reach it as data.

pub mod chain;
pub mod dotenv;
pub mod explain;
mod hex;
pub mod model;
pub mod near;
pub mod plain;
pub mod resolve;
pub mod shape;
pub mod template;
pub mod world;

pub use explain::{Explain, Place, Position, causes};
pub use hex::hex;
pub use world::{Directories, Os, World};

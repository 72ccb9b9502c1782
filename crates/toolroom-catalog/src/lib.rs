//! The catalog: finds tools in their spaces and reads them without running them.
//!
//! It knows files, ids and formats; it never starts a process, and nothing in it decides
//! which interpreter a tool gets.

mod bystander;
mod catalog;
pub mod core_data;
pub mod environment;
pub mod extract;
pub mod fingerprint;
mod folder;
mod index;
pub mod listing;
mod parallel;
pub mod problem;
pub mod read;
pub mod resolvers;
pub mod search;
pub mod secrets;
pub mod seen;
pub mod space;
pub mod summary;
pub mod walk;

pub use catalog::{Catalog, CatalogError};
use toolroom_kernel::near;

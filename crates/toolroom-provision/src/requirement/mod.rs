//! What is required: requirements read from the files that state them, each with its origin.
//!
//! A line that cannot be understood is a problem with its place, never a failure of the
//! whole file. Reads files only; knows nothing of what is installed.

pub mod gemfile;
pub mod go_mod;
pub mod node_spec;
pub mod package_json;
pub mod pep508;
pub mod pyproject;
pub mod requirements_txt;
pub mod source;
pub mod tool;
pub mod uv_lock;

mod format;
mod lines;
mod local_project;
mod logical_line;
mod model;
pub(crate) mod pep440;
mod problem;
mod text;

pub use format::Format;
pub use model::{
    Context, InstallerOption, InterpreterLimit, Origin, Parsed, Requirement, Requirements, Role,
    Selection,
};
pub use node_spec::NodeSpec;
pub use pep508::PythonRequirement;
pub use problem::{Problem, ProblemKind};
pub use source::SourceUrl;

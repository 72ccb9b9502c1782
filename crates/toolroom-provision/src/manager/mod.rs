//! Managers: data that says how an environment is made, checked and brought up to date.
//!
//! A manager comes from `core/managers/` or from a space's `tools/managers/`, in the same
//! format. It gives argument lists, never shell text. This module reads and fills in; it
//! starts nothing and knows no language.

mod choose;
mod fill;
mod load;
mod members;
mod pattern;
mod report;
mod spec;

pub use choose::{Choice, choose, choose_usual};
pub use fill::{Argv, Facts, fill_commands, fill_text};
pub use load::{load, load_all};
pub use members::{Claim, claims, members};
pub use report::{Amount, Report};
pub use spec::{
    Activation, Commands, EnvironmentSpec, Manager, ManagerTool, Members, Offline, Phase, Select,
    SharedSpec,
};

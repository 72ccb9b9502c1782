//! Presets: parts of a project's setup that can be checked and applied, in the order of
//! what they require.
//!
//! A preset is data (`core/presets/`, or a space's `tools/presets/`); the provider it names
//! does the work. Providers know nothing of each other: what one decided reaches those
//! that require it through the shared context.

mod definition;
mod environment;
mod lines;
mod orchestrator;
mod order;
mod program;
mod told;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, Value};

pub use definition::{Definition, load_all};
pub use environment::EnvironmentProvider;
pub use lines::LinesProvider;
pub use orchestrator::{Outcome, PresetOrchestrator, Registry, Status};
pub use order::{PresetError, order};
pub use program::ProgramProvider;

/// How a preset stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Health {
    Healthy,
    Missing,
    /// There, but not as it should be.
    Drifted,
    /// There, and of no use.
    Broken,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Check {
    pub health: Health,
    pub details: Vec<String>,
    /// What later presets may want to know.
    pub values: Map<String, Value>,
}

impl Check {
    #[must_use]
    pub fn new(health: Health, detail: impl Into<String>) -> Self {
        Self {
            health,
            details: vec![detail.into()],
            values: Map::new(),
        }
    }
}

/// How applying ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Applied {
    Success,
    /// The provider can tell, but not change it.
    DetectionOnly,
    Failed,
}

/// What applying came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Apply {
    pub applied: Applied,
    pub details: Vec<String>,
    pub values: Map<String, Value>,
}

impl Apply {
    #[must_use]
    pub fn new(applied: Applied, detail: impl Into<String>) -> Self {
        Self {
            applied,
            details: vec![detail.into()],
            values: Map::new(),
        }
    }
}

/// What a preset is given.
#[derive(Debug, Clone, Default)]
pub struct Context {
    pub root: PathBuf,
    /// The preset's own settings: the definition's, with the project's on top.
    pub config: Map<String, Value>,
    /// What earlier presets told, by their names: `values["python_environment"]["environment_path"]`.
    pub values: BTreeMap<String, Map<String, Value>>,
}

/// Does the work of presets.
pub trait PresetProvider: Sync {
    /// The name presets give it by.
    fn id(&self) -> &'static str;

    /// Says how things stand. Changes nothing.
    fn check(&self, context: &Context) -> Check;

    /// Makes things as they should be.
    fn apply(&self, context: &Context) -> Apply;
}

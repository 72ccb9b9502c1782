//! The data of a preset.

use serde_json::{Map, Value};
use toolroom_catalog::Catalog;
use toolroom_kernel::model::{Role, Tool};

use super::order::PresetError;

/// A preset as its file describes it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Definition {
    pub name: String,
    pub description: String,
    pub provider: String,
    /// The presets that come before it.
    pub requires: Vec<String>,
    /// A project is better off with it, and does without.
    pub recommended: bool,
    pub config: Map<String, Value>,
}

impl Definition {
    fn of(tool: &Tool) -> Result<Self, PresetError> {
        let name = tool.id.name().to_owned();
        let bad = |reason: &str| PresetError::Bad {
            name: name.clone(),
            path: tool.path.clone(),
            reason: reason.to_owned(),
        };
        let provider = tool
            .text("provider")
            .ok_or_else(|| bad("it names no provider"))?;
        let requires = match tool
            .metadata
            .get("requires")
            .map(|requires| requires.get("presets").unwrap_or(requires))
        {
            None => Vec::new(),
            Some(Value::Array(names)) => {
                let names: Option<Vec<String>> = names
                    .iter()
                    .map(|name| name.as_str().map(str::to_owned))
                    .collect();
                names.ok_or_else(|| bad("requires.presets is not a list of names"))?
            }
            Some(_) => return Err(bad("requires.presets is not a list of names")),
        };
        let recommended = match tool.metadata.get("recommended") {
            None => false,
            Some(Value::Bool(recommended)) => *recommended,
            Some(_) => return Err(bad("recommended is neither true nor false")),
        };
        Ok(Self {
            recommended,
            provider: provider.to_owned(),
            description: tool.description().unwrap_or_default().to_owned(),
            config: tool.config().cloned().unwrap_or_default(),
            requires,
            name,
        })
    }
}

/// Every preset of the spaces and of core.
///
/// # Errors
/// Fails if one cannot be understood.
pub fn load_all(catalog: &Catalog) -> Result<Vec<Definition>, PresetError> {
    let rows = catalog
        .list()
        .rows
        .into_iter()
        .filter(|row| row.role() == Role::Preset);
    let tools = rows.filter_map(|row| catalog.find(row.id.as_str()).ok());
    tools.map(|tool| Definition::of(&tool)).collect()
}

//! A tool as the catalog understood it: where it lives, what it says of itself.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::ToolId;
use crate::explain::Position;

/// Where tools live. The order is the precedence: an earlier space hides a later one,
/// except that nothing hides what is core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Space {
    Project,
    User,
    Core,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Core => "core",
        })
    }
}

/// What part a file plays. Everything that is not machinery is a tool to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Role {
    Tool,
    Runtime,
    Primitive,
    Resolver,
    Manager,
    Extractor,
    Preset,
    Client,
}

impl Role {
    /// Reads the part from a declared `tool_type`; unknown types are ordinary tools.
    #[must_use]
    pub fn of_type(tool_type: &str) -> Self {
        match tool_type {
            "runtime" => Self::Runtime,
            "primitive" => Self::Primitive,
            "resolver" => Self::Resolver,
            "manager" => Self::Manager,
            "extractor" => Self::Extractor,
            "preset" => Self::Preset,
            "client" => Self::Client,
            _ => Self::Tool,
        }
    }
}

/// The metadata names the product itself understands, written once.
pub mod field {
    pub const NAME: &str = "name";
    pub const VERSION: &str = "version";
    pub const TOOL_TYPE: &str = "tool_type";
    pub const EXECUTOR_ID: &str = "executor_id";
    pub const CATEGORY: &str = "category";
    pub const DESCRIPTION: &str = "description";
    pub const CONFIG: &str = "config";
    pub const ENV_CONFIG: &str = "env_config";
    pub const CONFIG_SCHEMA: &str = "config_schema";
    pub const PARAMETERS: &str = "parameters";
    pub const INPUT_SCHEMA: &str = "input_schema";
    pub const OUTPUT_SCHEMA: &str = "output_schema";
    pub const ENTRY: &str = "entry";
    pub const ORDER: &str = "order";
}

/// A tool, runtime, primitive or piece of language data, read from one file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    pub id: ToolId,
    pub space: Space,
    /// The file; for core tools `core:` and the path inside the binary.
    pub path: PathBuf,
    /// Everything the file says, under the names of the data format.
    pub metadata: Map<String, Value>,
    /// Where each of those names is written.
    pub positions: BTreeMap<String, Position>,
    /// SHA-256 of the file's bytes, in hexadecimal.
    pub digest: String,
}

impl Tool {
    #[must_use]
    pub fn text(&self, field: &str) -> Option<&str> {
        self.metadata.get(field).and_then(Value::as_str)
    }

    #[must_use]
    pub fn object(&self, field: &str) -> Option<&Map<String, Value>> {
        self.metadata.get(field).and_then(Value::as_object)
    }

    #[must_use]
    pub fn tool_type(&self) -> &str {
        self.text(field::TOOL_TYPE).unwrap_or("tool")
    }

    /// Its type as a sentence names it: `a runtime`, `an extractor`.
    #[must_use]
    pub fn type_in_words(&self) -> String {
        let kind = self.tool_type();
        let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) {
            "an"
        } else {
            "a"
        };
        format!("{article} {kind}")
    }

    #[must_use]
    pub fn role(&self) -> Role {
        Role::of_type(self.tool_type())
    }

    /// The executor as written: an id, an alias or a bare name. Primitives have none.
    #[must_use]
    pub fn executor(&self) -> Option<&str> {
        self.text(field::EXECUTOR_ID)
    }

    #[must_use]
    pub fn config(&self) -> Option<&Map<String, Value>> {
        self.object(field::CONFIG)
    }

    #[must_use]
    pub fn env_config(&self) -> Option<&Map<String, Value>> {
        self.object(field::ENV_CONFIG)
    }

    #[must_use]
    pub fn description(&self) -> Option<&str> {
        self.text(field::DESCRIPTION)
    }
}

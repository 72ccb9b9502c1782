//! Settings, from lowest to highest: built in, the user's file, the project's file, and
//! variables. Flags come on top where a command has them.

mod variables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toolroom_kernel::{Place, Position, World};
use toolroom_provision::decision;

use crate::failure::Failure;
use crate::input;

/// The largest file that can be meant as settings.
const LARGEST: u64 = 1 << 20;

const CORRECT: &str = "correct it, or take it out: what is not said there is as it is built in";

/// The whole of `toolroom.toml`. Sections that later commands read are checked here all
/// the same, so that a slip of the finger is told at once.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    pub dotenv: Dotenv,
    pub runs: Runs,
    pub python_environment: PythonEnvironment,
    pub presets: Presets,
    pub mcp: Mcp,
}

/// The log of runs.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Runs {
    pub log: bool,
}

impl Default for Runs {
    fn default() -> Self {
        Self { log: true }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Dotenv {
    /// Loader variables a dotenv file may set.
    pub allow: Vec<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PythonEnvironment {
    force_isolation: Option<bool>,
    allow_global_python: Option<bool>,
    conflict_tolerance: Option<Tolerance>,
    /// Packages whose every conflict is major.
    pub major_packages: Vec<String>,
    /// Optional dependencies and dependency groups of the project's manifest.
    pub extras: Vec<String>,
    pub groups: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Tolerance {
    Strict,
    Lenient,
}

#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Presets {
    /// The presets of this project.
    pub r#use: Vec<String>,
    /// Settings of single presets, by their names.
    #[serde(flatten)]
    pub of: BTreeMap<String, toml::Table>,
}

impl PythonEnvironment {
    /// What the user allows, as provisioning understands it.
    #[must_use]
    pub fn policy(&self) -> decision::Policy {
        decision::Policy {
            force_isolation: self.force_isolation.unwrap_or(false),
            allow_global: self.allow_global_python.unwrap_or(false),
            tolerance: match self.conflict_tolerance {
                Some(Tolerance::Lenient) => decision::Tolerance::Lenient,
                Some(Tolerance::Strict) | None => decision::Tolerance::Strict,
            },
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Mcp {
    /// Patterns over the ids of the tools that are served.
    pub tools: Option<Vec<String>>,
    /// How many calls may run at once.
    pub concurrency: Option<usize>,
    /// For how many seconds without a call another server is kept.
    pub keep_servers: Option<u64>,
}

/// Reads the settings that hold in a world.
///
/// # Errors
/// Names the file and the line, or the variable, that cannot be understood.
pub fn load(world: &World) -> Result<Settings, Failure> {
    let user = world
        .directories
        .as_ref()
        .map(|directories| directories.config.join("config.toml"));
    let project = world
        .project
        .as_ref()
        .map(|project| project.join("toolroom.toml"));
    let mut merged = toml::Table::new();
    for file in user.into_iter().chain(project) {
        if let Some(table) = read(&file)? {
            join(&mut merged, table);
        }
    }
    join(&mut merged, variables::read(world)?);
    if merged.is_empty() {
        return Ok(Settings::default());
    }
    Settings::deserialize(merged)
        .map_err(|error| Failure::new("settings::invalid", error.message()).help(CORRECT))
}

fn read(file: &Path) -> Result<Option<toml::Table>, Failure> {
    let text = match input::found(file, LARGEST) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unreadable(file, &error)),
    };
    // Once as settings, for errors with their place; once as a table, to be merged.
    let checked: Result<Settings, toml::de::Error> = toml::from_str(&text);
    let table = checked.and_then(|_| toml::from_str(&text));
    table
        .map(Some)
        .map_err(|error| invalid(file, &text, &error))
}

fn unreadable(file: &Path, error: &std::io::Error) -> Failure {
    let message = format!("the settings cannot be read: {error}");
    let help = "see that it is a file of text that may be read, or remove it";
    let mut failure = Failure::new("settings::unreadable", message).help(help);
    failure.place = Some(Place {
        path: PathBuf::from(file),
        position: None,
    });
    failure
}

fn invalid(file: &Path, text: &str, error: &toml::de::Error) -> Failure {
    let mut failure = Failure::new("settings::invalid", error.message().to_owned()).help(CORRECT);
    failure.place = Some(Place {
        path: PathBuf::from(file),
        position: error
            .span()
            .map(|span| Position::at_offset(text, span.start)),
    });
    failure
}

fn join(below: &mut toml::Table, above: toml::Table) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(toml::Value::Table(lower)), toml::Value::Table(upper)) => join(lower, upper),
            (_, value) => {
                below.insert(key, value);
            }
        }
    }
}

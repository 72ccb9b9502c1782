//! What holds for every environment, whatever the language: data, not code.

use serde::Deserialize;

/// Which dotenv files count, what they may not set, and what a minimal environment keeps.
/// Names are whole names, or prefixes that end in `*`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct EnvironmentRules {
    /// Templates of paths; a later file wins.
    pub dotenv_files: Vec<String>,
    /// Variables that change what a process loads or runs.
    pub loader_variables: Vec<String>,
    /// What `env_policy: minimal` keeps of the process environment.
    pub minimal: Vec<String>,
    /// Of these it keeps the address, but not the user and password in it.
    pub without_credentials: Vec<String>,
}

/// How much of the process environment a tool sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EnvPolicy {
    #[default]
    Inherit,
    Minimal,
}

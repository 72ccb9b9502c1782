//! What holds for every environment, whatever the language: data, not code.

use serde::Deserialize;

/// Which dotenv files count, what they may not set, and what a minimal environment keeps.
/// Names are whole names, or prefixes that end in `*`. They may be part of the program: few
/// calls ask for more than the files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvironmentRules<'t> {
    /// Templates of paths; a later file wins.
    pub dotenv_files: &'t [&'t str],
    /// Variables that change what a process loads or runs.
    pub loader_variables: &'t [&'t str],
    /// What `env_policy: minimal` keeps of the process environment.
    pub minimal: &'t [&'t str],
    /// Of these it keeps the address, but not the user and password in it.
    pub without_credentials: &'t [&'t str],
}

/// How much of the process environment a tool sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EnvPolicy {
    #[default]
    Inherit,
    Minimal,
}

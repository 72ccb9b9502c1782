//! What would be done: targets, what they need, what is there, and the commands that make
//! up the difference. Planning reads files; it changes nothing and starts no program.

mod active;
mod candidates;
mod commands;
mod environment;
mod finish;
mod folder;
mod given;
mod machine;
mod needs;
mod parents;
mod planner;
mod survey;
mod target;
mod workspace;

use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};

use crate::decision::{Conflict, Decision};
use crate::journal::Packages;
use crate::manager::{Argv, Choice, Manager};

pub(crate) use finish::constraints_file;
pub use machine::{Interpreter, Lacking, Machine};
pub use needs::{Needs, Selected};
pub(crate) use planner::manifest;
pub use planner::{Options, Planner};
pub use target::{EnvSetup, Subject, Target, declares_packages, env_setup};
pub(crate) use workspace::manifest_at;
pub use workspace::{Membership, Workspace};

/// A decision about one target, with the commands that carry it out.
#[derive(Debug, Clone)]
pub struct Plan {
    pub target: Target,
    pub decision: Decision,
    pub choice: Option<Choice>,
    pub steps: Vec<Step>,
    pub needs: Needs,
    /// What is installed there now; held, unless it is to be changed.
    pub installed: Packages,
    /// The interpreter an environment is made from.
    pub base: Option<Interpreter>,
    pub applied: bool,
    /// Over everything the packages follow from.
    pub inputs: String,
    /// The file that holds what is installed, where a command reads it. It is written when
    /// the plan is applied, and not before.
    pub constraints: Option<PathBuf>,
    /// What a user should agree to first, since it reaches beyond the project.
    pub needs_consent: Option<String>,
}

/// One command of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What it does, for people: `create`, `install 3 packages`.
    pub what: String,
    pub(crate) argv: Argv,
    /// The command as it may be shown and logged.
    pub shown: Argv,
    /// Whether it may ask the network.
    pub asks_network: bool,
}

impl Step {
    /// Whether a word of the command names a file.
    fn reads(&self, file: &Path) -> bool {
        let name = file.to_string_lossy();
        self.argv.iter().any(|word| word.ends_with(&*name))
    }
}

impl Plan {
    /// What is locked while it is carried out.
    #[must_use]
    pub fn place(&self) -> PathBuf {
        self.decision
            .environment
            .clone()
            .unwrap_or_else(|| self.target.site().to_path_buf())
    }

    /// The manager, and how it was chosen to work.
    #[must_use]
    pub fn manager(&self) -> &Manager {
        &self.target.manager
    }
}

/// The plan as `--json` shows it.
#[derive(Serialize)]
struct Shown<'p> {
    target: String,
    manager: &'p str,
    action: &'static str,
    reasons: &'p [String],
    missing: &'p [String],
    conflicts: &'p [Conflict],
    commands: Vec<&'p Argv>,
    environment: Option<&'p PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    workspace: Option<&'p PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraints: Option<&'p PathBuf>,
    applied: bool,
    warnings: &'p [String],
    fix: Option<&'p str>,
}

impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Shown {
            target: self.target.name(),
            manager: &self.target.manager.name,
            action: self.decision.action.name(),
            reasons: &self.decision.reasons,
            missing: &self.decision.missing,
            conflicts: &self.decision.conflicts,
            commands: self.steps.iter().map(|step| &step.shown).collect(),
            environment: self.decision.environment.as_ref(),
            workspace: self.target.workspace().map(|found| &found.root),
            constraints: self.constraints.as_ref(),
            applied: self.applied,
            warnings: &self.decision.warnings,
            fix: self.decision.fix.as_deref(),
        }
        .serialize(serializer)
    }
}

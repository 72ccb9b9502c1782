//! The commands that carry a decision out, from a manager's data.

use std::path::{Path, PathBuf};

use toolroom_kernel::World;

use super::Step;
use super::machine::Interpreter;
use super::needs::Selected;
use super::target::Target;
use super::workspace::Membership;
use crate::decision::{Action, Decision, count};
use crate::error::ProvisionError;
use crate::manager::{Choice, Facts, Phase, fill_commands, fill_text};
use crate::redaction::Redaction;

/// What a command that installs requirements by name has among its words; without any there
/// is nothing for it to do.
const ARGUMENTS: &str = "{requirements...}";

static NOTHING: Selected = Selected {
    extras: Vec::new(),
    groups: Vec::new(),
};

/// What commands are made from.
#[derive(Debug)]
pub struct Making<'p> {
    pub world: &'p World,
    pub target: &'p Target,
    pub choice: &'p Choice,
    /// The program's name in commands, and its path.
    pub program: Option<(String, PathBuf)>,
    pub base: Option<&'p Interpreter>,
    /// The interpreter of the environment as it is.
    pub inner: Option<&'p Interpreter>,
    /// A version to fetch, where no interpreter on the machine will do.
    pub fetch: Option<&'p str>,
    pub arguments: &'p [String],
    pub selected: &'p Selected,
    /// Where the versions of what is installed will be written.
    pub constraints: Option<PathBuf>,
}

impl<'p> Making<'p> {
    /// Commands that speak of nothing but the target; the rest is added by name.
    pub fn new(world: &'p World, target: &'p Target, choice: &'p Choice) -> Self {
        Self {
            world,
            target,
            choice,
            program: None,
            base: None,
            inner: None,
            fetch: None,
            arguments: &[],
            selected: &NOTHING,
            constraints: None,
        }
    }

    /// The steps of a decision.
    ///
    /// # Errors
    /// Fails if the manager's data does not fit.
    pub fn steps(&self, decision: &Decision) -> Result<Vec<Step>, ProvisionError> {
        let environment = decision.environment.as_deref();
        let is_own = self.target.manager.environment.is_some();
        let remakes = matches!(decision.action, Action::Create | Action::Repair);
        let mut steps = Vec::new();
        match decision.action {
            Action::None | Action::Reuse | Action::Refuse => {}
            _ if !is_own => {
                let phase = match (self.target.has_own_directory(), remakes) {
                    (true, _) => Phase::Shared,
                    (false, true) => Phase::Create,
                    (false, false) => Phase::Install,
                };
                self.add(phase, &self.what(decision), environment, &mut steps)?;
            }
            Action::Create | Action::Repair => {
                if let Some(version) = self.fetch {
                    let what = format!("fetch an interpreter {version}");
                    self.add(Phase::Interpreter, &what, environment, &mut steps)?;
                }
                self.add(Phase::Create, "create", environment, &mut steps)?;
                self.add(
                    Phase::Install,
                    &self.what(decision),
                    environment,
                    &mut steps,
                )?;
            }
            Action::InstallMissing | Action::Upgrade => {
                self.add(
                    Phase::Install,
                    &self.what(decision),
                    environment,
                    &mut steps,
                )?;
            }
        }
        Ok(steps)
    }

    fn what(&self, decision: &Decision) -> String {
        let wanted = decision.missing.len() + decision.conflicts.len();
        match decision.action {
            Action::InstallMissing | Action::Upgrade if wanted > 0 => {
                format!("install {}", count(wanted, "package"))
            }
            _ => "install".to_owned(),
        }
    }

    fn add(
        &self,
        phase: Phase,
        what: &str,
        environment: Option<&Path>,
        steps: &mut Vec<Step>,
    ) -> Result<(), ProvisionError> {
        let Some(commands) = self.choice.commands.commands(phase) else {
            return Ok(());
        };
        let facts = self.facts(environment)?;
        let program = self
            .program
            .as_ref()
            .map(|(name, path)| (name.as_str(), path));
        let locked = self.choice.lockfile.is_some();
        let filled = fill_commands(commands.get(locked), &facts, program)
            .map_err(|error| self.bad(&error.to_string()))?;
        let is_idle = |command: &[String]| {
            self.arguments.is_empty() && command.iter().any(|word| word == ARGUMENTS)
        };
        let filled = commands
            .get(locked)
            .iter()
            .zip(filled)
            .filter(|(command, _)| !is_idle(command));
        let redaction = Redaction::of(self.world);
        let alone = match self.target.membership {
            Membership::PassedOver => self.choice.commands.alone.as_slice(),
            _ => &[],
        };
        for (_, mut argv) in filled {
            argv.extend(alone.iter().cloned());
            steps.push(Step {
                what: what.to_owned(),
                shown: redaction.argv(&argv),
                argv,
                // A new environment is empty; packages come with the next step.
                asks_network: phase != Phase::Create || self.target.manager.environment.is_none(),
            });
        }
        Ok(())
    }

    fn facts(&self, environment: Option<&Path>) -> Result<Facts<'_>, ProvisionError> {
        let mut facts = Facts::new(self.world, self.target.site());
        if let Some(manifest) = self.target.site_manifest() {
            facts.path("manifest", &manifest);
        }
        if let Some(environment) = environment {
            facts.path("environment", environment);
            if let Some(interpreter) = self.interpreter_of(environment) {
                facts.path("own_interpreter", &interpreter);
            }
        }
        match (self.fetch, self.base) {
            (Some(version), _) => {
                facts.text("interpreter", version).text("version", version);
            }
            (None, Some(base)) => {
                facts.path("interpreter", &base.path);
            }
            (None, None) => {}
        }
        facts.list("requirements", self.arguments.to_vec());
        facts.list("selected", self.chosen_parts()?);
        let mut held = Vec::new();
        if let Some(file) = &self.constraints {
            facts.path("constraints", file);
            for text in &self.choice.commands.constraints {
                held.push(fill_text(text, &facts).map_err(|error| self.bad(&error.to_string()))?);
            }
        }
        facts.list("constraints", held);
        Ok(facts)
    }

    /// The arguments that name the parts of the manifest that are asked for.
    fn chosen_parts(&self) -> Result<Vec<String>, ProvisionError> {
        let select = &self.choice.commands.select;
        let extras = self
            .selected
            .extras
            .iter()
            .map(|name| (name, &select.extra));
        let groups = self
            .selected
            .groups
            .iter()
            .map(|name| (name, &select.group));
        let mut arguments = Vec::new();
        let mut facts = Facts::new(self.world, self.target.site());
        for (name, texts) in extras.chain(groups) {
            facts.text("name", name.as_str());
            for text in texts {
                let filled = fill_text(text, &facts);
                arguments.push(filled.map_err(|error| self.bad(&error.to_string()))?);
            }
        }
        Ok(arguments)
    }

    /// The interpreter in an environment: where it is, or where it will be.
    fn interpreter_of(&self, environment: &Path) -> Option<PathBuf> {
        if let Some(inner) = self.inner {
            return Some(inner.path.clone());
        }
        let places = &self.target.manager.environment.as_ref()?.interpreter;
        Some(environment.join(places.get(self.world.os.family())?))
    }

    fn bad(&self, reason: &str) -> ProvisionError {
        ProvisionError::BadManager {
            name: self.target.manager.name.clone(),
            path: PathBuf::from(&self.target.manager.name),
            reason: reason.to_owned(),
        }
    }
}

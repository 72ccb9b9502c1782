//! From a decision to a plan: the program that is chosen, and its commands.

use std::path::{Path, PathBuf};

use toolroom_kernel::World;

use super::candidates::Seen;
use super::commands::Making;
use super::machine::Interpreter;
use super::needs::Needs;
use super::planner::Planner;
use super::target::Target;
use super::{Plan, Step};
use crate::decision::{Action, Decision};
use crate::error::ProvisionError;
use crate::journal::key;
use crate::manager::{self, Choice, choose};

impl Planner<'_> {
    pub(super) fn finish(
        &self,
        target: &Target,
        needs: Needs,
        mut decision: Decision,
        base: Option<Interpreter>,
        chosen: Option<Seen>,
    ) -> Result<Plan, ProvisionError> {
        let machine = self.machine();
        let manifest = target.manifests.first();
        let is_there = |tool: &manager::ManagerTool| {
            tool.program.0.is_empty() || machine.program(tool, &target.root).is_some()
        };
        let choice = choose(
            &target.manager,
            &target.root,
            manifest.unwrap_or(&target.root),
            &is_there,
        )?;
        let program = machine.program(&choice.commands, &target.root);
        let fetch = match (&base, needs.interpreter()) {
            (None, range) if choice.commands.interpreter.is_some() && program.is_some() => {
                Some(range.unwrap_or_else(|| "3".to_owned()))
            }
            _ => None,
        };
        if fetch.is_some() && decision.action == Action::Refuse && decision.environment.is_none() {
            decision = self.fetching(target, &needs, decision);
        }
        if decision.action.changes() && program.is_none() && !choice.commands.program.0.is_empty() {
            let programs = choice
                .commands
                .program
                .0
                .first()
                .cloned()
                .into_iter()
                .collect();
            return Err(ProvisionError::NoProgram {
                manager: target.manager.name.clone(),
                programs,
            });
        }
        decision.warnings.extend(choice.notes.iter().cloned());
        let installed = chosen
            .as_ref()
            .map(|seen| seen.installed.clone())
            .unwrap_or_default();
        let remakes = matches!(decision.action, Action::Create | Action::Repair);
        let holds = matches!(decision.action, Action::InstallMissing | Action::Upgrade)
            && target.manager.environment.is_some();
        let making = Making {
            world: self.world,
            manager: &target.manager,
            choice: &choice,
            program,
            root: &target.root,
            manifest,
            base: base.as_ref(),
            inner: chosen
                .as_ref()
                .filter(|_| !remakes)
                .and_then(|seen| seen.inner.as_ref()),
            fetch: fetch.as_deref(),
            arguments: &needs.arguments,
            constraints: decision
                .environment
                .as_deref()
                .filter(|_| holds)
                .and_then(|place| constraints_file(self.world, place)),
            again: chosen
                .as_ref()
                .filter(|_| holds)
                .map_or(&[], |seen| &seen.suspect),
        };
        let steps = making.steps(&decision)?;
        let lockfile: Vec<PathBuf> = choice.lockfile.iter().cloned().collect();
        Ok(Plan {
            inputs: needs.inputs(&lockfile),
            target: target.clone(),
            needs_consent: fetch.is_some() && decision.action.changes(),
            decision,
            choice: Some(choice),
            steps,
            needs,
            installed,
            base,
            applied: false,
        })
    }

    /// The commands that take back what was added and bring back what was replaced.
    pub(crate) fn undo_steps(
        &self,
        plan: &Plan,
        choice: &Choice,
        place: &Path,
        added: &[String],
        replaced: &[String],
    ) -> Vec<Step> {
        let making = Making {
            world: self.world,
            manager: &plan.target.manager,
            program: self.machine().program(&choice.commands, &plan.target.root),
            choice,
            root: &plan.target.root,
            manifest: plan.target.manifests.first(),
            base: plan.base.as_ref(),
            inner: None,
            fetch: None,
            arguments: replaced,
            constraints: None,
            again: &[],
        };
        let mut steps = Vec::new();
        if !added.is_empty() {
            steps.extend(making.removal(place, added.to_vec()).unwrap_or_default());
        }
        if !replaced.is_empty() {
            let upgrade = Decision {
                action: Action::Upgrade,
                ..Decision::create(place.to_path_buf())
            };
            steps.extend(making.steps(&upgrade).unwrap_or_default());
        }
        steps
    }
}

/// Where the versions to hold are written when the plan is applied.
pub(crate) fn constraints_file(world: &World, environment: &Path) -> Option<PathBuf> {
    let state = &world.directories.as_ref()?.state;
    Some(
        state
            .join("constraints")
            .join(format!("{}.txt", key(environment))),
    )
}

//! A program's own check of what is installed. It may run code of the project, so it is asked
//! when a plan is carried out and never to make one.

use super::Applying;
use super::runner::Runner;
use crate::decision::{Action, Checked};
use crate::error::ProvisionError;
use crate::manager::{Facts, fill_commands};
use crate::plan::{Plan, Target};

/// The plan for a target as things are now, with what the program's own check says of them.
pub(super) fn planned(target: &Target, how: &Applying<'_>) -> Result<Plan, ProvisionError> {
    asked(how.planner.plan(target)?, how)
}

/// The plan once the program's own check was asked, where it has one.
pub(super) fn asked(plan: Plan, how: &Applying<'_>) -> Result<Plan, ProvisionError> {
    match checked(&plan, how) {
        None => Ok(plan),
        checked => how.planner.plan_with(&plan.target, checked),
    }
}

fn checked(plan: &Plan, how: &Applying<'_>) -> Option<Checked> {
    let choice = plan.choice.as_ref()?;
    let commands = &choice.commands;
    if commands.check.is_empty() || plan.decision.action == Action::Repair {
        return None;
    }
    let Plan { target, .. } = plan;
    let (name, path) = how.planner.program(commands, target)?;
    let manifest = target.site_manifest();
    let mut facts = Facts::new(how.planner.world, target.site());
    if let Some(manifest) = &manifest {
        facts.path("manifest", manifest);
    }
    let filled = fill_commands(&commands.check, &facts, Some((&name, &path))).ok()?;
    let runner = Runner {
        world: how.planner.world,
        guard: how.guard,
        cancel: how.cancel,
        choice,
        root: target.site(),
        environment: target.site(),
        manifest: manifest.as_ref(),
        interpreter: None,
        offline: true,
    };
    Some(match filled.iter().all(|argv| runner.succeeds(argv)) {
        true => Checked::NothingMissing,
        false => Checked::SomethingMissing,
    })
}

//! From a decision to a plan: the program that is chosen, and its commands.

use std::path::{Path, PathBuf};

use toolroom_kernel::World;

use super::Plan;
use super::candidates::Seen;
use super::commands::Making;
use super::machine::{Interpreter, Lacking};
use super::needs::Needs;
use super::planner::{Options, Planner};
use super::target::{Subject, Target};
use super::workspace::choose_for;
use crate::decision::{Action, Decision, Origin};
use crate::error::ProvisionError;
use crate::journal::key;
use crate::manager::{Choice, ManagerTool, choose, choose_usual};

/// What was seen and decided, on its way to a plan.
#[derive(Debug)]
pub(super) struct Decided {
    pub(super) decision: Decision,
    /// The interpreter new environments are made from, or what is lacking.
    pub(super) base: Result<Interpreter, Lacking>,
    /// The environment that was decided for, where it is there already.
    pub(super) chosen: Option<Seen>,
}

impl Decided {
    /// A decision for one of the environments that were seen, or for a new one.
    pub(super) fn among(
        seen: impl IntoIterator<Item = Seen>,
        decision: Decision,
        base: Result<Interpreter, Lacking>,
    ) -> Self {
        let is_chosen = |seen: &Seen| decision.environment.as_ref() == Some(&seen.candidate.path);
        Self {
            chosen: seen.into_iter().find(is_chosen),
            decision,
            base,
        }
    }

    /// A decision about packages that need no interpreter to be installed.
    pub(super) const fn beside(decision: Decision) -> Self {
        Self {
            decision,
            base: Err(Lacking { version: None }),
            chosen: None,
        }
    }
}

impl Planner<'_> {
    /// The manager's program for a target.
    pub(super) fn choice(&self, target: &Target) -> Result<Choice, ProvisionError> {
        let is_there = |name: &str, tool: &ManagerTool| {
            let is_there = tool.program.0.is_empty() || self.program(tool, target).is_some();
            is_there && self.options.passed_over != Some(name)
        };
        if let Subject::Tool(_) = target.subject {
            return Ok(choose_usual(&target.manager, &is_there));
        }
        if let Some(workspace) = target.workspace() {
            let site = &workspace.root;
            return choose_for(&target.manager, site, &target.root, &is_there);
        }
        let manifest = target.manifests.first().unwrap_or(&target.root);
        choose(&target.manager, &target.root, manifest, &is_there)
    }

    /// The plan with the next of the manager's usual programs, where one failed to do what
    /// another can do as well.
    pub(crate) fn without(&self, plan: &Plan) -> Option<Plan> {
        let failed = plan.choice.as_ref()?;
        if failed.lockfile.is_some() || self.options.passed_over.is_some() {
            return None;
        }
        let options = Options {
            passed_over: Some(&failed.tool),
            ..self.options
        };
        let other = Planner { options, ..*self }.plan(&plan.target).ok()?;
        let is_other = other
            .choice
            .as_ref()
            .is_some_and(|choice| choice.tool != failed.tool);
        (is_other && other.place() == plan.place()).then_some(other)
    }

    /// A program beside what the tool runs with, or on PATH.
    pub(crate) fn program(&self, tool: &ManagerTool, target: &Target) -> Option<(String, PathBuf)> {
        let beside = target
            .interpreter
            .as_ref()
            .and_then(|found| found.path.parent());
        self.machine().program(tool, target.site(), beside)
    }

    pub(super) fn finish(
        &self,
        target: &Target,
        needs: Needs,
        decided: Decided,
    ) -> Result<Plan, ProvisionError> {
        let choice = self.choice(target)?;
        let program = self.program(&choice.commands, target);
        let Decided {
            decision,
            base,
            chosen,
        } = decided;
        let (mut decision, fetch) = match &base {
            Err(lacking) if program.is_some() && choice.commands.interpreter.is_some() => {
                self.fetching(target, lacking, decision)
            }
            _ => (decision, None),
        };
        let is_named = !choice.commands.program.0.is_empty();
        if decision.action.changes() && program.is_none() && is_named {
            return Err(ProvisionError::NoProgram {
                manager: target.manager.name.clone(),
                programs: choice.commands.program.0.into_iter().take(1).collect(),
            });
        }
        decision.warnings.extend(choice.notes.iter().cloned());
        let chosen = chosen.as_ref();
        let holds = matches!(decision.action, Action::InstallMissing | Action::Upgrade)
            && target.manager.environment.is_some();
        let held = decision.environment.as_deref().filter(|_| holds);
        let base = base.ok();
        let constraints = held.and_then(|place| constraints_file(self.world, place));
        let steps = Making {
            program,
            base: base.as_ref(),
            inner: chosen
                .filter(|_| holds)
                .and_then(|seen| seen.inner.as_ref()),
            fetch: fetch.as_deref(),
            arguments: &needs.arguments,
            selected: &needs.selected,
            constraints: constraints.clone(),
            ..Making::new(self.world, target, &choice)
        }
        .steps(&decision)?;
        let lockfile: Vec<PathBuf> = choice.lockfile.iter().cloned().collect();
        Ok(Plan {
            inputs: needs.inputs(&lockfile),
            target: target.clone(),
            needs_consent: match &fetch {
                Some(_) => Some("an interpreter that would be fetched".to_owned()),
                None => chosen.and_then(|seen| reaches_out(seen, &decision)),
            },
            constraints: constraints.filter(|file| steps.iter().any(|step| step.reads(file))),
            decision,
            choice: Some(choice),
            steps,
            needs,
            installed: chosen
                .map(|seen| seen.installed.clone())
                .unwrap_or_default(),
            base,
            applied: false,
        })
    }

    /// No interpreter on the machine will do, but one can be fetched: where that was the
    /// only obstacle, the environment is made with it. Gives the version to fetch.
    fn fetching(
        &self,
        target: &Target,
        lacking: &Lacking,
        refused: Decision,
    ) -> (Decision, Option<String>) {
        let Some(spec) = &target.manager.environment else {
            return (refused, None);
        };
        let is_obstacle = refused.action == Action::Refuse && refused.environment.is_none();
        let version = lacking.version.as_ref().unwrap_or(&spec.any_version);
        let mut places = self.own_places(target, spec).into_iter();
        match (&target.subject, places.find(|place| place.free)) {
            (Subject::Project, Some(place)) if is_obstacle => {
                let mut decision = Decision::create(place.path);
                decision.reasons = refused.reasons;
                let reason = format!("{} {version} is fetched for it", spec.language);
                decision.reasons.push(reason);
                decision.warnings = refused.warnings;
                decision.conflicts = refused.conflicts;
                (decision, Some(version.clone()))
            }
            _ => (refused, None),
        }
    }
}

/// What is said of a change to an environment that is not the project's.
fn reaches_out(chosen: &Seen, decision: &Decision) -> Option<String> {
    let is_elsewhere = matches!(chosen.candidate.origin, Origin::Elsewhere { .. });
    let place = chosen.candidate.path.display();
    (is_elsewhere && decision.action.changes()).then(|| {
        format!("packages that would be installed into {place}, which is not the project's")
    })
}

/// Where the versions to hold are written when the plan is applied.
pub(crate) fn constraints_file(world: &World, environment: &Path) -> Option<PathBuf> {
    let state = &world.directories.as_ref()?.state;
    let name = format!("{}.txt", key(environment));
    Some(state.join("constraints").join(name))
}

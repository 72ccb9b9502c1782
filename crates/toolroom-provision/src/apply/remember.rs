//! Keeps a decision, so that resolution honours it and the next run need not look again.

use super::Applying;
use crate::decision::Action;
use crate::error::ProvisionError;
use crate::journal::{Record, Recorded, seconds};
use crate::plan::{Plan, Subject};

/// Nothing is to be changed; the decision itself is worth remembering.
pub(super) fn settled(plan: Plan, how: &Applying<'_>) -> Result<Plan, ProvisionError> {
    if plan.decision.action == Action::Reuse {
        record(&plan, how)?;
    }
    Ok(plan)
}

/// Remembers the decision, where it is about the project.
pub(super) fn record(plan: &Plan, how: &Applying<'_>) -> Result<(), ProvisionError> {
    let world = how.planner.world;
    let (Subject::Project, Some(project)) = (&plan.target.subject, &world.project) else {
        return Ok(());
    };
    let recorded = Recorded {
        environment: plan.decision.environment.clone(),
        // What resolution finds by itself needs no record, and may be replaced by hand.
        resolver: how.planner.resolver_to_tell(plan),
        action: plan.decision.action.name().to_owned(),
        // An install may have written the lockfile.
        inputs: how.planner.inputs(&plan.target).ok(),
        time: seconds(world.now),
    };
    let key = plan.target.key(project);
    let known = Record::of(world, project)?.decisions.remove(&key);
    let same = |known: &Recorded| {
        (&known.environment, &known.resolver, &known.inputs)
            == (&recorded.environment, &recorded.resolver, &recorded.inputs)
    };
    if known.as_ref().is_some_and(same) {
        return Ok(());
    }
    Record::change(world, project, |record| {
        record.decisions.insert(key, recorded);
    })
}

//! One plan, from its lock to the record of what was decided.

use std::path::{Path, PathBuf};

use super::check::{asked, planned};
use super::kept::Kept;
use super::recover::{put_back, recover, settle_above};
use super::remember::{record, settled};
use super::work::{carried_out, interrupted, kept};
use super::{Applying, News};
use crate::error::ProvisionError;
use crate::lock::Lock;
use crate::plan::Plan;

/// How often a plan may find its place changed.
const MOST_TRIES: usize = 5;

/// Carries a plan out. Where another process did the work meanwhile, finds it done.
///
/// # Errors
/// Fails if a step fails; then what was there before is there again.
pub fn apply(mut plan: Plan, how: &Applying<'_>) -> Result<Plan, ProvisionError> {
    let world = how.planner.world;
    let state = world
        .directories
        .as_ref()
        .ok_or(ProvisionError::NoState)?
        .state
        .clone();
    if recover(world, &state)? | recover_above(&plan, how, &state)? {
        plan = how.planner.plan(&plan.target)?;
    }
    if !plan.decision.action.changes() {
        plan = asked(plan, how)?;
    }
    if !plan.decision.action.changes() {
        return settled(plan, how);
    }
    let (plan, place, _lock) = match locked(plan, how, &state)? {
        Locked::Settled(plan) => return settled(plan, how),
        Locked::ToDo(plan, place, lock) => (plan, place, lock),
    };
    let (plan, outcome) = match carried_out(&plan, how, &state, &place) {
        // A program that cannot even make an empty environment is not the only one.
        Err(fault) if !fault.reached_packages => match how.planner.without(&plan) {
            Some(other) => {
                let outcome = carried_out(&other, how, &state, &place);
                (other, outcome)
            }
            None => (plan, Err(fault)),
        },
        outcome => (plan, outcome),
    };
    let failed = outcome.is_err();
    how.progress.hear(&plan, News::End { failed });
    outcome.map_err(|fault| fault.error)?;
    record(&plan, how)?;
    Ok(Plan {
        applied: true,
        ..plan
    })
}

/// Sees to it that an install in a workspace above, which changes the project's folder, too, is
/// over, though nothing may have to be done here. Says whether there was one.
fn recover_above(plan: &Plan, how: &Applying<'_>, state: &Path) -> Result<bool, ProvisionError> {
    let is_project = !plan.target.has_own_directory();
    let folder = plan.target.audited_folder().filter(|_| is_project);
    let Some(folder) = folder.filter(|folder| Kept::of(folder).above().is_some()) else {
        return Ok(false);
    };
    let waiting = |holder: &str| how.progress.hear(plan, News::Waiting { holder });
    settle_above(how, state, &folder, &waiting)?;
    Ok(true)
}

/// A plan once nobody else can change what it is about.
enum Locked {
    /// Whoever held the lock did the work.
    Settled(Plan),
    ToDo(Plan, PathBuf, Lock),
}

/// Locks a plan's place and plans again: whoever held the lock may have done the work, or
/// changed what is to be done, even where. Then the other place is locked instead.
fn locked(mut plan: Plan, how: &Applying<'_>, state: &Path) -> Result<Locked, ProvisionError> {
    for _ in 0..MOST_TRIES {
        let place = plan.place();
        let waiting = |holder: &str| how.progress.hear(&plan, News::Waiting { holder });
        if kept(&plan).is_some() && !settle_above(how, state, &place, &waiting)? {
            continue;
        }
        let given_up = || how.cancel.is_requested();
        let lock = Lock::acquire_unless(state, &place, &waiting, &given_up)?
            .ok_or_else(|| interrupted(&place))?;
        if kept(&plan).is_some() {
            put_back(how.planner.world, state, &place)?;
        }
        plan = planned(&plan.target, how)?;
        if !plan.decision.action.changes() {
            return Ok(Locked::Settled(plan));
        }
        if plan.place() == place {
            return Ok(Locked::ToDo(plan, place, lock));
        }
    }
    Err(ProvisionError::Refused {
        target: plan.target.name(),
        reason: "what is there keeps changing while it is planned".to_owned(),
        fix: Some("run toolroom setup again".to_owned()),
    })
}

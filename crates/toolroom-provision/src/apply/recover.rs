//! Puts back what a change that was broken off left, before anything else is planned.

use std::path::Path;

use toolroom_kernel::World;

use super::found::{is_of_others, is_over, is_there};
use super::kept::Kept;
use super::work::interrupted;
use super::{Applying, mark};
use crate::error::ProvisionError;
use crate::journal::{Entry, Event, Journal, Pending, seconds};
use crate::lock::Lock;

/// Makes every environment of the project what it was before a change to it that is noted
/// and that nobody is at; says whether there was any. What such a change was making, and was
/// not there before, is for a plan to make anew.
///
/// # Errors
/// Fails if one cannot be put back.
pub(super) fn recover(world: &World, state: &Path) -> Result<bool, ProvisionError> {
    let mut any = false;
    for pending in Pending::within(state, world.root()) {
        any |= recover_one(world, state, &pending.environment)?;
    }
    Ok(any)
}

/// Whether a change to an environment did not come to its end, and nobody is at it.
pub(crate) fn is_broken_off(state: &Path, environment: &Path) -> Result<bool, ProvisionError> {
    let is_begun = || Kept::of(environment).before().is_some();
    // Looked at again once it is locked: one that was under way may have ended.
    Ok(is_begun() && Lock::acquire_free(state, environment)?.is_some() && is_begun())
}

fn recover_one(world: &World, state: &Path, place: &Path) -> Result<bool, ProvisionError> {
    let Some(_lock) = Lock::acquire_free(state, place)? else {
        return Ok(false);
    };
    // Whoever had the lock until now may have come to the end.
    let Some(pending) = Pending::of(state, place) else {
        return Ok(false);
    };
    let is_changed = put_back(world, state, place)?;
    if pending.was_there || mark::is_ready(place) || !is_there(place) {
        pending.end(state);
    }
    Ok(is_changed)
}

/// Waits for an install above a place that changes it, too, and makes all of it what it was
/// if that did not come to its end. Says whether nothing of it is left.
pub(super) fn settle_above(
    how: &Applying<'_>,
    state: &Path,
    place: &Path,
    waiting: &dyn Fn(&str),
) -> Result<bool, ProvisionError> {
    let Some(above) = Kept::of(place).above() else {
        return Ok(true);
    };
    let given_up = || how.cancel.is_requested();
    let _lock = Lock::acquire_unless(state, &above, waiting, &given_up)?
        .ok_or_else(|| interrupted(place))?;
    put_back(how.planner.world, state, &above)?;
    let kept = Kept::of(place);
    if kept.above() == Some(above) {
        kept.put_back_alone()
            .map_err(|source| not_put_back(place, source))?;
    }
    Ok(kept.above().is_none())
}

/// Waits until nobody is at the folder of a member, and locks it.
pub(super) fn alone_at(
    how: &Applying<'_>,
    state: &Path,
    member: &Path,
    waiting: &dyn Fn(&str),
) -> Result<Option<Lock>, ProvisionError> {
    // Who is at it has left a note before it changes anything.
    if Pending::of(state, member).is_none() && !Kept::of(member).has_room() {
        return Ok(None);
    }
    let given_up = || how.cancel.is_requested();
    let lock = Lock::acquire_unless(state, member, waiting, &given_up)?;
    lock.map(Some).ok_or_else(|| interrupted(member))
}

fn not_put_back(place: &Path, source: std::io::Error) -> ProvisionError {
    let doing = format!("{} cannot be made what it was before", place.display());
    ProvisionError::io(doing, source)
}

/// Makes a place that is locked what it was before a change that was broken off; not where
/// an install came to its end since. Says whether anything is other than it seemed.
pub(super) fn put_back(world: &World, state: &Path, place: &Path) -> Result<bool, ProvisionError> {
    let kept = Kept::of(place);
    if let Some(pending) = Pending::of(state, place) {
        if is_over(state, &pending) {
            kept.let_go()
                .map_err(|source| not_put_back(place, source))?;
            pending.end(state);
            return Ok(true);
        }
        let is_others = |file: &Path| is_of_others(state, &pending, file);
        kept.put_files_back(&is_others)
            .map_err(|source| not_put_back(place, source))?;
    }
    let is_changed = kept
        .put_back()
        .map_err(|source| not_put_back(place, source))?;
    if is_changed {
        Journal::open(state).write(&Entry {
            time: seconds(world.now),
            process: std::process::id(),
            event: Event::Undone,
            target: "project".to_owned(),
            manager: String::new(),
            environment: place.to_path_buf(),
            detail: Vec::new(),
            member: None,
        })?;
    }
    Ok(is_changed)
}

//! Puts back what a change that was broken off left, before anything else is planned.

use std::path::Path;

use toolroom_kernel::World;

use super::kept::Kept;
use super::mark;
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
    let is_begun = || Kept::of(environment).is_whole();
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
    if pending.was_there || mark::is_ready(place) {
        pending.end(state);
    }
    Ok(is_changed)
}

/// Makes a place that is locked what it was before a change that was broken off.
pub(super) fn put_back(world: &World, state: &Path, place: &Path) -> Result<bool, ProvisionError> {
    let is_changed = Kept::of(place).put_back().map_err(|source| {
        let doing = format!("{} cannot be made what it was before", place.display());
        ProvisionError::io(doing, source)
    })?;
    if is_changed {
        Journal::open(state).write(&Entry {
            time: seconds(world.now),
            process: std::process::id(),
            event: Event::Undone,
            target: "project".to_owned(),
            manager: String::new(),
            environment: place.to_path_buf(),
            detail: Vec::new(),
        })?;
    }
    Ok(is_changed)
}

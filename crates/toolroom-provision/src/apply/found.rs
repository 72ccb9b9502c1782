//! What is found in the place of a folder of packages that an install was broken off in:
//! ours still, or by now somebody else's.
//!
//! Whoever finds a setup killed installs by hand, and what comes of that is not ours to
//! delete, though we began with nothing in its place. The note of a change bears the time of
//! our last sign of life, so what a program marks as whole after it is not of our making.

use std::path::Path;
use std::time::{Duration, SystemTime};

use super::kept::Kept;
use crate::error::ProvisionError;
use crate::journal::Pending;
use crate::lock::Lock;

/// How long what we had started may have gone on after our last sign of life.
/// Signs of life are 50 milliseconds apart, and the guard ends all of it at once; nobody's
/// install by hand is done sooner.
const LAST_GASP: Duration = Duration::from_millis(500);

/// Whether there is nothing to put back or to make anew: nothing had been changed, nothing is
/// there, or an install came to its end since. Holds only where nobody is at the place.
pub(crate) fn is_over(state: &Path, pending: &Pending) -> bool {
    let place = &pending.environment;
    let kept = Kept::of(place);
    let (Some(marks), Some(alive)) = (&pending.marks, pending.last_alive(state)) else {
        return false;
    };
    let is_unchanged = pending.was_there && kept.before().is_none();
    if is_unchanged || (!is_there(place) && !kept.has_room()) {
        return true;
    }
    if marks.is_empty() {
        // Such a program does not say when it is done. Whoever changed the folder since then
        // has had it in hand, and what was not there before cannot be lost by leaving it.
        return !pending.was_there && is_touched(place, alive);
    }
    marks.iter().any(|mark| is_later(mark, alive + LAST_GASP))
}

/// Whether a change is under way in a place, or was broken off and is not over.
pub(crate) fn is_unsettled(state: &Path, place: &Path) -> Result<bool, ProvisionError> {
    let is_over = || Pending::of(state, place).is_none_or(|pending| is_over(state, &pending));
    if Pending::of(state, place).is_none() {
        return Ok(false);
    }
    Ok(!is_over() || Lock::acquire_free(state, place)?.is_none() || !is_over())
}

/// Whether what a broken-off install left holds anything that is not of its making.
pub(super) fn is_mixed(state: &Path, pending: &Pending) -> bool {
    let alive = pending.last_alive(state);
    pending.was_there
        || pending.is_mixed
        || alive.is_none_or(|alive| is_touched(&pending.environment, alive))
}

/// Whether somebody else wrote a file since a change was broken off.
pub(super) fn is_of_others(state: &Path, pending: &Pending, file: &Path) -> bool {
    let alive = pending.last_alive(state);
    alive.is_none_or(|alive| is_later(file, alive + LAST_GASP))
}

pub(super) fn is_there(place: &Path) -> bool {
    fs_err::symlink_metadata(place).is_ok()
}

fn is_later(file: &Path, time: SystemTime) -> bool {
    let written = fs_err::symlink_metadata(file).and_then(|found| found.modified());
    written.is_ok_and(|written| written > time)
}

/// Whether anything in a folder was changed after we were gone.
fn is_touched(folder: &Path, alive: SystemTime) -> bool {
    let gone = alive + LAST_GASP;
    let mut left = vec![folder.to_path_buf()];
    while let Some(path) = left.pop() {
        if is_later(&path, gone) {
            return true;
        }
        let is_folder = fs_err::symlink_metadata(&path).is_ok_and(|found| found.is_dir());
        let entries = is_folder.then(|| fs_err::read_dir(&path));
        let entries = entries.into_iter().flatten().flatten().flatten();
        left.extend(entries.map(|entry| entry.path()));
    }
    false
}

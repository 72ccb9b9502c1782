//! Takes back what setup made for a project: our own environments, and the record.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toolroom_kernel::World;

use super::found::is_mixed;
use super::kept::{Kept, delete};
use super::lockfiles::digest_of;
use super::mark;
use super::recover::{put_back, recover};
use crate::error::ProvisionError;
use crate::journal::{Entry, Event, Journal, Pending, Record, seconds};
use crate::lock::Lock;

/// Deletes the environments that were made for the project, and forgets its decisions.
/// What was there before is left alone.
///
/// # Errors
/// Fails if one cannot be deleted.
pub fn undo(world: &World) -> Result<Vec<PathBuf>, ProvisionError> {
    let state = &world
        .directories
        .as_ref()
        .ok_or(ProvisionError::NoState)?
        .state;
    recover(world, state)?;
    let project = world.root();
    let mut environments: Vec<PathBuf> = Record::of(world, project)?
        .decisions
        .into_values()
        .filter_map(|decision| decision.environment)
        .filter(|environment| environment.starts_with(project))
        .collect();
    let journal = Journal::open(state);
    let entries = about(journal.entries()?, project);
    sweep(world, state, &entries)?;
    let made = entries.iter().filter(|entry| entry.event == Event::Made);
    environments.extend(made.map(|entry| entry.environment.clone()));
    environments.sort();
    environments.dedup();
    let mut undone = Vec::new();
    for environment in environments {
        let _lock = Lock::acquire(state, &environment, &|_| {})?;
        if !mark::is_ours(&environment) {
            continue;
        }
        mark::delete(&environment).map_err(|source| not_removed(&environment, source))?;
        journal.write(&undone_entry(world, &environment))?;
        undone.push(environment);
    }
    undone.extend(undo_begun(world, state)?);
    undone.extend(undo_lockfiles(world, state, &entries)?);
    Record::change(world, project, |record| record.decisions.clear())?;
    Ok(undone)
}

/// What the journal says of a project: of what lies in it, and of what was made for it in a
/// workspace above, unless another project's setup made that anew since.
fn about(entries: Vec<Entry>, project: &Path) -> Vec<Entry> {
    let mut makers = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.event == Event::Made) {
        makers.insert(entry.environment.clone(), entry.is_about(project));
    }
    let is_its_own = |entry: &Entry| makers.get(&entry.environment) == Some(&true);
    let is_meant = |entry: &Entry| match entry.event {
        Event::Made => entry.environment.starts_with(project) || is_its_own(entry),
        _ => entry.is_about(project) || is_its_own(entry),
    };
    entries.into_iter().filter(is_meant).collect()
}

/// Removes what is left beside environments that setup was ever at.
fn sweep(world: &World, state: &Path, entries: &[Entry]) -> Result<(), ProvisionError> {
    let places: BTreeSet<&Path> = entries.iter().map(|entry| &*entry.environment).collect();
    for place in places {
        if Kept::of(place).has_room() && Kept::of(place).above().is_none() {
            let _lock = Lock::acquire(state, place, &|_| {})?;
            put_back(world, state, place)?;
        }
    }
    Ok(())
}

/// Deletes the folders of packages that an install was broken off in and that nobody else has
/// changed since, and forgets all that was begun: what is left is not ours any more.
fn undo_begun(world: &World, state: &Path) -> Result<Vec<PathBuf>, ProvisionError> {
    let mut undone = Vec::new();
    for Pending { environment, .. } in Pending::within(state, world.root()) {
        let _lock = Lock::acquire(state, &environment, &|_| {})?;
        let Some(pending) = Pending::of(state, &environment) else {
            continue;
        };
        if pending.marks.is_some() && !is_mixed(state, &pending) {
            delete(&environment).map_err(|source| not_removed(&environment, source))?;
            Journal::open(state).write(&undone_entry(world, &environment))?;
            undone.push(environment);
        }
        pending.end(state);
    }
    Ok(undone)
}

/// Deletes the lockfiles that an install wrote where there were none, unless they are others
/// by now.
fn undo_lockfiles(
    world: &World,
    state: &Path,
    entries: &[Entry],
) -> Result<Vec<PathBuf>, ProvisionError> {
    let mut files = BTreeMap::new();
    for entry in entries {
        match (entry.event, entry.detail.first()) {
            (Event::Made, Some(digest)) => files.insert(&*entry.environment, digest),
            // What is there since then is not what was made.
            (Event::Undone, _) => files.remove(&*entry.environment),
            _ => None,
        };
    }
    let mut undone = Vec::new();
    for (file, digest) in files {
        if digest_of(file).as_ref() == Some(digest) {
            delete(file).map_err(|source| not_removed(file, source))?;
            Journal::open(state).write(&undone_entry(world, file))?;
            undone.push(file.to_path_buf());
        }
    }
    Ok(undone)
}

fn not_removed(environment: &Path, source: std::io::Error) -> ProvisionError {
    let doing = format!("{} cannot be removed", environment.display());
    ProvisionError::io(doing, source)
}

fn undone_entry(world: &World, environment: &Path) -> Entry {
    Entry {
        time: seconds(world.now),
        process: std::process::id(),
        event: Event::Undone,
        target: "project".to_owned(),
        manager: String::new(),
        environment: environment.to_path_buf(),
        detail: Vec::new(),
        member: None,
    }
}

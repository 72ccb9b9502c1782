//! Takes back what setup made for a project: our own environments, and the record.

use std::path::PathBuf;

use toolroom_kernel::World;

use super::mark;
use super::recover::recover;
use crate::error::ProvisionError;
use crate::journal::{Entry, Event, Journal, Record, seconds};
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
        .collect();
    let journal = Journal::open(state);
    let made = journal
        .entries()?
        .into_iter()
        .filter(|entry| entry.event == Event::Made && entry.environment.starts_with(project));
    environments.extend(made.map(|entry| entry.environment));
    environments.sort();
    environments.dedup();
    let mut undone = Vec::new();
    for environment in environments {
        let _lock = Lock::acquire(state, &environment, &|_| {})?;
        if !environment.starts_with(project) || !mark::is_ours(&environment) {
            continue;
        }
        mark::delete(&environment).map_err(|source| {
            ProvisionError::io(
                format!("{} cannot be removed", environment.display()),
                source,
            )
        })?;
        journal.write(&Entry {
            time: seconds(world.now),
            process: std::process::id(),
            event: Event::Undone,
            target: "project".to_owned(),
            manager: String::new(),
            environment: environment.clone(),
            detail: Vec::new(),
        })?;
        undone.push(environment);
    }
    Record::change(world, project, |record| record.decisions.clear())?;
    Ok(undone)
}

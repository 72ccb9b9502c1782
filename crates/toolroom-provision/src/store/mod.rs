//! Shared environments of tools with dependencies of their own.
//!
//! The name of one follows from what is required, the interpreter and the machine, so all
//! tools that ask for the same share it. They live in the cache directory and can be
//! deleted at any time; the time of last use is that of the ready mark.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use toolroom_kernel::World;
use toolroom_kernel::resolve::Preferred;

use crate::apply::mark;
use crate::error::ProvisionError;
use crate::journal::digest;
use crate::lock::Lock;
use crate::plan::{Interpreter, Needs};

/// How long an environment may lie unused before it is pruned.
pub const UNUSED: Duration = Duration::from_secs(30 * 24 * 3600);

/// Uses within this time of the last are not written down again.
const GRAIN: Duration = Duration::from_secs(3600);

/// The directory of the shared environment for these needs.
#[must_use]
pub fn place(
    world: &World,
    manager: &str,
    needs: &Needs,
    root: &Path,
    base: &Interpreter,
) -> Option<PathBuf> {
    let folder = folder(world)?;
    let requirements = needs.digest(root);
    let name = digest([
        requirements.as_bytes(),
        base.path.as_os_str().as_encoded_bytes(),
        base.version.as_deref().unwrap_or_default().as_bytes(),
        std::env::consts::OS.as_bytes(),
        std::env::consts::ARCH.as_bytes(),
    ]);
    Some(folder.join(manager).join(name))
}

fn folder(world: &World) -> Option<PathBuf> {
    Some(world.directories.as_ref()?.cache.join("environments"))
}

/// Whether a shared environment is there and whole.
#[must_use]
pub fn is_ready(environment: &Path) -> bool {
    mark::is_ready(environment)
}

/// Notes that an environment is in use. That it cannot be noted keeps nobody from it.
pub fn touch(environment: &Path, now: SystemTime) {
    let file = mark::file(environment);
    let last = fs_err::metadata(&file).and_then(|metadata| metadata.modified());
    if last.is_ok_and(|last| now.duration_since(last).is_ok_and(|since| since > GRAIN))
        && let Ok(file) = std::fs::File::options().append(true).open(&file)
    {
        let _ = file.set_modified(now);
    }
}

/// The environment as resolution is to prefer it.
#[must_use]
pub fn preferred(resolver: &str, environment: &Path) -> Preferred {
    Preferred {
        resolver: resolver.to_owned(),
        environment: environment.to_path_buf(),
        place: "shared".to_owned(),
        reason: "it holds the tool's own dependencies".to_owned(),
        only_where: None,
    }
}

/// Deletes shared environments that were not used for so long, and what was left
/// unfinished. Gives what was deleted.
///
/// # Errors
/// Fails if one cannot be deleted.
pub fn prune(world: &World, unused: Duration) -> Result<Vec<PathBuf>, ProvisionError> {
    let mut pruned = Vec::new();
    let state = &world
        .directories
        .as_ref()
        .ok_or(ProvisionError::NoState)?
        .state;
    let Some(folder) = folder(world) else {
        return Ok(pruned);
    };
    for manager in entries(&folder) {
        for environment in entries(&manager) {
            let _lock = Lock::acquire(state, &environment, &|_| {})?;
            if mark::is_ours(&environment)
                && (!is_ready(&environment) || is_unused(&environment, world.now, unused))
            {
                mark::delete(&environment).map_err(|source| {
                    ProvisionError::io(
                        format!("{} cannot be pruned", environment.display()),
                        source,
                    )
                })?;
                pruned.push(environment);
            }
        }
    }
    Ok(pruned)
}

fn is_unused(environment: &Path, now: SystemTime, unused: Duration) -> bool {
    let last = fs_err::metadata(mark::file(environment)).and_then(|metadata| metadata.modified());
    last.is_ok_and(|last| now.duration_since(last).is_ok_and(|since| since >= unused))
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = match fs_err::read_dir(folder) {
        Ok(entries) => entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| path.is_dir())
            .collect(),
        Err(_) => Vec::new(),
    };
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Room;

    #[test]
    fn what_was_not_used_for_long_is_pruned_and_the_rest_stays() {
        let room = Room::new();
        let folder = folder(&room.world).unwrap().join("python_venv");
        let make = |name: &str, age: u64| {
            let environment = folder.join(name);
            mark::begin(&environment).unwrap();
            mark::finish(
                &environment,
                &mark::Ready::new("python_venv", "r", room.world.now),
            )
            .unwrap();
            let file = std::fs::File::options()
                .append(true)
                .open(mark::file(&environment))
                .unwrap();
            file.set_modified(room.world.now - Duration::from_secs(age))
                .unwrap();
            environment
        };
        let (old, fresh) = (make("old", 40 * 24 * 3600), make("fresh", 60));
        let half = folder.join("half");
        mark::begin(&half).unwrap();
        let foreign = folder.join("foreign");
        fs_err::create_dir_all(&foreign).unwrap();
        assert_eq!(prune(&room.world, UNUSED).unwrap(), [half, old.clone()]);
        assert!(!old.exists() && fresh.exists() && foreign.exists());
    }
}

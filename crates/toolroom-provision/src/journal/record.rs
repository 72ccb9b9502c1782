//! What was decided for a project, so that resolution honours it from then on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolroom_kernel::World;
use toolroom_kernel::resolve::Preferred;

use super::{key, write_whole};
use crate::error::{ProvisionError, StateFault};

/// The place recorded environments are shown under.
const PLACE: &str = "recorded";
/// Only what searches the project's own places takes the project's decision.
const WHERE: &str = "project";

/// The decisions for one project.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    version: u32,
    project: PathBuf,
    /// By the name of the manager, or manager and manifest.
    #[serde(default)]
    pub decisions: BTreeMap<String, Recorded>,
}

/// One decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    pub environment: Option<PathBuf>,
    /// The resolver that is to prefer it.
    pub resolver: Option<String>,
    pub action: String,
    /// Over manifest and lockfile as they were installed.
    #[serde(default)]
    pub inputs: Option<String>,
    pub time: u64,
}

const VERSION: u32 = 1;

/// The largest record that is read.
const MAX_BYTES: u64 = 4 << 20;

impl Record {
    /// What was decided here.
    ///
    /// # Errors
    /// Fails if that is not known: where packages would be looked for is no guess.
    pub fn of(world: &World, project: &Path) -> Result<Self, ProvisionError> {
        let read = match &world.directories {
            Some(directories) => read(&file(&directories.state, project), project)?,
            None => None,
        };
        Ok(read.unwrap_or_else(|| Self {
            version: VERSION,
            project: project.to_path_buf(),
            decisions: BTreeMap::new(),
        }))
    }

    /// Changes the record of a project under its lock, so that no decision is lost.
    ///
    /// # Errors
    /// Fails if it cannot be written, or what is there must not be lost.
    pub fn change(
        world: &World,
        project: &Path,
        change: impl FnOnce(&mut Self),
    ) -> Result<(), ProvisionError> {
        let state = &world
            .directories
            .as_ref()
            .ok_or(ProvisionError::NoState)?
            .state;
        let path = file(state, project);
        let _lock = crate::lock::Lock::acquire(state, &path, &|_| {})?;
        let mut record = Self::of(world, project)?;
        change(&mut record);
        let failed = |source| ProvisionError::io("the decision cannot be recorded", source);
        let bytes = serde_json::to_vec_pretty(&record).map_err(|error| failed(error.into()))?;
        write_whole(&path, &bytes).map_err(failed)
    }

    /// What resolution is to prefer in this project.
    ///
    /// # Errors
    /// Fails if the record cannot be read.
    pub fn preferred(world: &World) -> Result<Vec<Preferred>, ProvisionError> {
        let Some(project) = &world.project else {
            return Ok(Vec::new());
        };
        let decisions = Self::of(world, project)?.decisions.into_values();
        let preferred = decisions
            .filter_map(|decision| {
                Some(Preferred {
                    resolver: decision.resolver?,
                    environment: decision.environment?,
                    place: PLACE.to_owned(),
                    reason: "recorded by toolroom setup".to_owned(),
                    only_where: Some(WHERE.to_owned()),
                })
            })
            .collect();
        Ok(preferred)
    }
}

/// The record in a file, if there is one.
fn read(path: &Path, project: &Path) -> Result<Option<Record>, ProvisionError> {
    let bad = |fault| ProvisionError::BadState {
        path: path.to_path_buf(),
        fault,
    };
    let damaged = |reason: String| bad(StateFault::Damaged(reason));
    let Some(bytes) = super::read(path, MAX_BYTES).map_err(bad)? else {
        return Ok(None);
    };
    let document: Value =
        serde_json::from_slice(&bytes).map_err(|error| damaged(error.to_string()))?;
    if let Some(found) = document["version"]
        .as_u64()
        .filter(|found| *found > VERSION.into())
    {
        let known = VERSION;
        return Err(bad(StateFault::Newer { found, known }));
    }
    let record: Record =
        serde_json::from_value(document).map_err(|error| damaged(error.to_string()))?;
    if record.version != VERSION {
        return Err(damaged(format!("there is no form {}", record.version)));
    }
    if record.project != project {
        let reason = format!("it is about {}", record.project.display());
        return Err(damaged(reason));
    }
    Ok(Some(record))
}

fn file(state: &Path, project: &Path) -> PathBuf {
    state
        .join("environments")
        .join(format!("{}.json", key(project)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Room;

    #[test]
    fn a_decision_is_what_resolution_prefers_and_only_in_its_project() {
        let room = Room::new();
        let project = room.project();
        Record::change(&room.world, &project, |record| {
            record.decisions.insert(
                "python_venv".into(),
                Recorded {
                    environment: Some(project.join(".ai/scripts/.venv")),
                    resolver: Some("venv_python".into()),
                    ..Recorded::default()
                },
            );
        })
        .unwrap();
        let preferred = Record::preferred(&room.world).unwrap();
        assert_eq!(preferred.len(), 1);
        assert!(preferred[0].environment.ends_with(".ai/scripts/.venv"));
        let mut elsewhere = room.world.clone();
        elsewhere.project = Some("/elsewhere".into());
        assert_eq!(Record::preferred(&elsewhere).unwrap(), []);
    }
}

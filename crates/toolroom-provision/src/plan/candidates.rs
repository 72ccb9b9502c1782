//! What is there already: environments of the project and of those it is embedded in, and
//! the interpreter new ones are made from.

use std::path::{Path, PathBuf};

use super::machine::{Interpreter, Look};
use super::needs::Needs;
use super::planner::Planner;
use super::target::Target;
use super::{parents, survey};
use crate::apply::{Before, Kept, mark};
use crate::decision::{Base, Candidate, Findings, Origin, Place, State};
use crate::error::ProvisionError;
use crate::journal::{Packages, Record};
use crate::manager::{EnvironmentSpec, Facts, fill_text};
use crate::requirement::Requirements;

/// An environment that was looked at.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) candidate: Candidate,
    pub(super) inner: Option<Interpreter>,
    pub(super) installed: Packages,
}

impl Seen {
    /// Whether it can be used as it is.
    pub(super) fn has_all(&self) -> bool {
        match &self.candidate.state {
            State::Sound { findings, .. } => findings.as_ref().is_ok_and(Findings::satisfied),
            State::Unfinished | State::Broken(_) => false,
        }
    }
}

impl Planner<'_> {
    /// The environments that are there, in order of preference.
    pub(super) fn candidates(
        &self,
        target: &Target,
        spec: &EnvironmentSpec,
        needs: &Needs,
    ) -> Result<Vec<Seen>, ProvisionError> {
        let root = &target.root;
        let mut places: Vec<(PathBuf, Origin)> = Vec::new();
        let record = Record::of(self.world, root)?;
        if let Some(recorded) = record
            .decisions
            .get(&target.manager.name)
            .and_then(|decision| decision.environment.clone())
        {
            let origin = self.origin_of_recorded(target, spec, &recorded);
            places.push((recorded, origin));
        }
        for text in spec.existing.iter().chain(&spec.own) {
            places.extend(
                self.filled(text, root, None)
                    .map(|place| (place, Origin::Project)),
            );
        }
        let mut seen = self.look_at(target, spec, places, needs);
        if seen.is_empty() {
            for (parent, places) in self.of_parents(target, spec) {
                let places = places
                    .into_iter()
                    .map(|place| (place, Origin::Parent(parent.clone())))
                    .collect();
                seen.extend(self.look_at(target, spec, places, needs));
                if !seen.is_empty() {
                    break;
                }
            }
        }
        Ok(seen)
    }

    /// The parent projects, nearest first, and where their environments may be.
    pub(super) fn of_parents(
        &self,
        target: &Target,
        spec: &EnvironmentSpec,
    ) -> Vec<(PathBuf, Vec<PathBuf>)> {
        let root = &target.root;
        let parents = parents::above(root, self.world.home.as_deref());
        let with_places = |parent: PathBuf| {
            let texts = spec.parent.iter();
            let places = texts.filter_map(|text| self.filled(text, root, Some(&parent)));
            (parent.clone(), places.collect())
        };
        parents.into_iter().map(with_places).collect()
    }

    pub(super) fn look_at(
        &self,
        target: &Target,
        spec: &EnvironmentSpec,
        places: Vec<(PathBuf, Origin)>,
        needs: &Needs,
    ) -> Vec<Seen> {
        let mut seen: Vec<Seen> = Vec::new();
        for (place, origin) in places {
            let known = seen.iter().any(|seen| seen.candidate.path == place);
            if !known && !mark::is_free(&place) {
                seen.push(self.seen(target, spec, &place, origin, needs));
            }
        }
        seen
    }

    pub(super) fn seen(
        &self,
        target: &Target,
        spec: &EnvironmentSpec,
        place: &Path,
        origin: Origin,
        needs: &Needs,
    ) -> Seen {
        let mut inner = None;
        let mut installed = Packages::new();
        let state = if mark::is_unfinished(place) {
            State::Unfinished
        } else {
            match self.machine().look(&spec.resolver, place) {
                Look::Absent => State::Broken("it is gone".to_owned()),
                Look::Broken(reason) => State::Broken(reason),
                Look::Sound(found) => {
                    // What a broken-off change left is put back before anything else is done.
                    let before = match Kept::of(place).before() {
                        Some(Before::Folder(before)) => Some(before),
                        Some(Before::Absent) | None => None,
                    };
                    let own = found.environment.as_deref().unwrap_or(place);
                    let directory = before.as_deref().unwrap_or(own);
                    let auditor = target.manager.audit.as_deref().unwrap_or_default();
                    let mut findings = self.audited(target, auditor, directory, needs);
                    if let Ok(findings) = &mut findings {
                        findings.broken_off = before.is_some();
                        if !findings.satisfied() {
                            installed = survey::installed(auditor, directory);
                        }
                    }
                    let version = found.version.clone();
                    inner = Some(found);
                    State::Sound { version, findings }
                }
            }
        };
        Seen {
            candidate: Candidate {
                // One that lies elsewhere may be ours, and is another project's all the same.
                ours: mark::is_ours(place) && !matches!(origin, Origin::Elsewhere { .. }),
                path: place.to_path_buf(),
                origin,
                state,
            },
            inner,
            installed,
        }
    }

    /// What is missing or in the way. Where something is, the lockfile counts too: an install
    /// would be bound to it.
    fn audited(
        &self,
        target: &Target,
        auditor: &str,
        directory: &Path,
        needs: &Needs,
    ) -> Result<Findings, String> {
        let audit =
            |required: &Requirements| survey::audit(auditor, directory, required, &self.rules());
        let findings = audit(&needs.requirements)?;
        if findings.satisfied() {
            return Ok(findings);
        }
        needs
            .locked(target, self.world)
            .map_or(Ok(findings), |bound| audit(&bound))
    }

    pub(super) fn own_places(&self, target: &Target, spec: &EnvironmentSpec) -> Vec<Place> {
        let places = spec
            .own
            .iter()
            .filter_map(|text| self.filled(text, &target.root, None));
        places
            .map(|path| Place {
                // One that another process began a moment ago is its place too: whoever comes
                // second waits for its lock.
                free: mark::is_free(&path) || mark::is_unfinished(&path),
                path,
            })
            .collect()
    }

    pub(super) fn base_of(
        &self,
        base: &Interpreter,
        spec: &EnvironmentSpec,
        target: &Target,
        needs: &Needs,
    ) -> Base {
        let prefix = base.path.parent().and_then(Path::parent);
        let findings = || {
            Some(survey::audit(
                target.manager.audit.as_deref()?,
                prefix?,
                &needs.requirements,
                &self.rules(),
            ))
        };
        Base {
            guarded: spec
                .global_guard
                .as_deref()
                .is_some_and(|guard| is_guarded(prefix, base, guard)),
            findings: if self.options.policy.allow_global {
                findings()
            } else {
                None
            },
            path: base.path.clone(),
            version: base.version.clone(),
        }
    }

    pub(super) fn filled(&self, text: &str, root: &Path, parent: Option<&Path>) -> Option<PathBuf> {
        let mut facts = Facts::new(self.world, root);
        if let Some(parent) = parent {
            facts.path("parent", parent);
        }
        fill_text(text, &facts).ok().map(PathBuf::from)
    }
}

/// Whether a version directory of the interpreter's library has the guard.
fn is_guarded(prefix: Option<&Path>, base: &Interpreter, guard: &str) -> bool {
    let libraries = prefix.map(|prefix| prefix.join("lib"));
    let version = base.version.as_deref().unwrap_or_default();
    let minor: Vec<&str> = version.split('.').take(2).collect();
    let Some(Ok(entries)) = libraries.map(fs_err::read_dir) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let is_meant = minor.is_empty() || name.to_string_lossy().ends_with(&minor.join("."));
        is_meant && entry.path().join(guard).is_file()
    })
}

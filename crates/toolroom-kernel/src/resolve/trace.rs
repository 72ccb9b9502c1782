//! What a search saw on its way, and where it stands.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};

use super::candidate::{Candidate, Verdict};
use super::files::Spot;
use super::note::Note;
use super::spec::ActivateSpec;
use super::version::Version;

/// The record of a search.
#[derive(Debug, Default)]
pub(super) struct Trace {
    pub(super) tried: Vec<Candidate>,
    pub(super) notes: Vec<Note>,
    /// Versions that are there but not asked for.
    pub(super) installed: Vec<String>,
    /// A file that was named as the one to run, and cannot be.
    pub(super) unfit: Option<(PathBuf, Spot)>,
}

impl Trace {
    pub(super) fn push(
        &mut self,
        place: &str,
        path: impl Display,
        verdict: Verdict,
        reason: impl Into<String>,
    ) {
        self.tried.push(Candidate {
            place: place.to_owned(),
            path: path.to_string(),
            verdict,
            reason: reason.into(),
            version: None,
            stands_for: None,
            fix: None,
            is_left_to_system: false,
        });
    }

    /// A file that cannot be run, and what to do about it.
    pub(super) fn unfit(&mut self, place: &str, path: &Path, spot: Spot) -> Step {
        self.rejected(place, path.display(), spot.fault(path));
        self.fix(spot.cure(path));
        Step::Next
    }

    /// Remembers a file that is there under the very path that was named, and cannot be run.
    pub(super) fn named_unfit(&mut self, path: &Path) {
        let spot = Spot::of(path);
        if matches!(spot, Spot::NotExecutable | Spot::Directory) {
            self.unfit.get_or_insert_with(|| (path.to_path_buf(), spot));
        }
    }

    /// Says how the last candidate could be mended.
    pub(super) fn fix(&mut self, fix: impl Into<Option<String>>) {
        if let Some(candidate) = self.tried.last_mut() {
            candidate.fix = fix.into();
        }
    }

    /// A candidate in whose place another file is taken.
    pub(super) fn stands_for(&mut self, place: &str, path: impl Display, real: &Path, why: String) {
        self.rejected(place, path, why);
        if let Some(candidate) = self.tried.last_mut() {
            candidate.stands_for = Some(real.to_path_buf());
        }
    }

    pub(super) fn absent(
        &mut self,
        place: &str,
        path: impl Display,
        reason: impl Into<String>,
    ) -> Step {
        self.push(place, path, Verdict::Absent, reason);
        Step::Next
    }

    pub(super) fn rejected(
        &mut self,
        place: &str,
        path: impl Display,
        reason: impl Into<String>,
    ) -> Step {
        self.push(place, path, Verdict::Rejected, reason);
        Step::Next
    }

    pub(super) fn broken(&mut self, place: &str, path: PathBuf, reason: String) -> Step {
        self.push(place, path.display(), Verdict::Broken, reason.clone());
        let place = place.to_owned();
        Step::Broken {
            place,
            path,
            reason,
        }
    }

    pub(super) fn chosen(&mut self, found: Found, reason: impl Into<String>) -> Step {
        self.push(&found.place, found.path.display(), Verdict::Chosen, reason);
        if let Some(candidate) = self.tried.last_mut() {
            candidate.version = found.version.as_ref().map(ToString::to_string);
        }
        Step::Found(found)
    }

    /// Says that the last candidate lost by nobody's fault: it is left to the system.
    pub(super) fn left_to_system(&mut self) -> Step {
        if let Some(candidate) = self.tried.last_mut() {
            candidate.is_left_to_system = true;
        }
        Step::Next
    }

    /// A version that is there but not asked for, each told once.
    pub(super) fn instead(&mut self, version: String) {
        if !self.installed.contains(&version) {
            self.installed.push(version);
        }
    }

    pub(super) fn note(&mut self, note: Note) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

/// An interpreter, and what its resolver knows of it.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) place: String,
    pub(super) path: PathBuf,
    pub(super) environment: Option<PathBuf>,
    pub(super) version: Option<Version>,
    /// PATH leads to it by its name already.
    pub(super) on_path: bool,
    /// What other resolvers that had a part in finding it want to be set.
    pub(super) activations: Vec<(ActivateSpec, BTreeMap<String, String>)>,
}

impl Found {
    /// A file found in a place, of which nothing else is known.
    pub(super) fn at(place: &str, path: &Path) -> Self {
        Self {
            place: place.to_owned(),
            path: path.to_path_buf(),
            environment: None,
            version: None,
            on_path: false,
            activations: Vec::new(),
        }
    }
}

/// Where a search stands after a move.
#[derive(Debug)]
pub(super) enum Step {
    Next,
    Found(Found),
    Broken {
        place: String,
        path: PathBuf,
        reason: String,
    },
}

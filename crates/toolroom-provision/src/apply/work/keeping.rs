//! What was there while a plan changes it: kept, put back, let go, or marked as made.

use std::path::{Path, PathBuf};

use super::super::News;
use super::super::found::is_mixed;
use super::super::kept::{Along, Kept, delete};
use super::super::lockfiles::Lockfiles;
use super::super::mark::{self, Ready};
use super::super::recover::alone_at;
use super::{Work, interrupted};
use crate::error::ProvisionError;
use crate::journal::{Event, Pending};
use crate::manager::members;
use crate::plan::Plan;

impl Work<'_> {
    /// Notes that the change begins.
    pub(super) fn begin(&self) -> Result<Pending, ProvisionError> {
        let mut pending = Pending::new(self.state, self.place, self.marks());
        let earlier = Pending::of(self.state, self.place);
        pending.member = self.member();
        pending.is_mixed = earlier.is_some_and(|earlier| is_mixed(self.state, &earlier));
        pending.begin(self.state)?;
        Ok(pending)
    }

    /// What says that an install in a folder of packages came to its end. The folder itself
    /// does not, nor what is outside it.
    fn marks(&self) -> Option<Vec<PathBuf>> {
        let target = &self.plan.target;
        if target.has_own_directory() || target.manager.folder.is_none() {
            return None;
        }
        let marks = self.choice.commands.marks.iter();
        let marks = marks.map(|mark| target.site().join(mark));
        let is_within = |mark: &PathBuf| mark != self.place && mark.starts_with(self.place);
        Some(marks.filter(is_within).collect())
    }

    /// Whether a folder of packages is made where there was none.
    pub(super) fn makes_folder(&self, pending: &Pending) -> bool {
        let manager = &self.plan.target.manager;
        manager.environment.is_none() && manager.folder.is_some() && !pending.was_there
    }

    /// Keeps what is there, in the members of a project as well.
    pub(super) fn keep(&self, lockfiles: &Lockfiles) -> Result<(), ProvisionError> {
        let Some(kept) = kept(self.plan) else {
            return Ok(());
        };
        let Plan { target, .. } = self.plan;
        let members = match target.has_own_directory() {
            true => Vec::new(),
            false => members(&target.manager, target.site())?,
        };
        let waiting = |holder: &str| self.how.progress.hear(self.plan, News::Waiting { holder });
        let alone = |member: &Path| {
            alone_at(self.how, self.state, member, &waiting).map_err(std::io::Error::other)
        };
        let along = Along {
            members: &members,
            rewritten: &target.manager.rewritten,
            files: lockfiles.before(),
        };
        kept.keep(along, alone)
            .map_err(|source| match self.how.cancel.is_requested() {
                true => interrupted(self.place),
                false => self.not_kept(source),
            })
    }

    fn not_kept(&self, source: std::io::Error) -> ProvisionError {
        let doing = format!("{} cannot be kept as it is", self.place.display());
        let Some(workspace) = self.plan.target.workspace() else {
            return ProvisionError::io(doing, source);
        };
        let root = workspace.root.display();
        ProvisionError::Refused {
            target: self.plan.target.name(),
            reason: format!(
                "{doing}, and it is installed there as a member of the workspace {root}: {source}"
            ),
            fix: Some(format!("see to it that {root} can be written to")),
        }
    }

    /// Makes a place that was changed what it was; says whether it is. What was found in the
    /// place of a folder that is made was kept, or not touched.
    pub(super) fn put_back(&self, pending: &Pending, is_found: bool) -> bool {
        let is_made = self.makes_folder(pending) && !is_found;
        // What is left beside the place is found again by the note.
        let is_put_back = |kept: Kept| kept.put_back().is_ok() && !kept.has_room();
        let is_back =
            kept(self.plan).is_none_or(is_put_back) && (!is_made || delete(self.place).is_ok());
        if is_back {
            let _ = self.note(Event::Undone, &[]);
        }
        is_back
    }

    /// What was there before is not needed any more.
    pub(super) fn let_go(&self) -> Result<(), ProvisionError> {
        let Some(kept) = kept(self.plan).filter(|_| !self.makes()) else {
            return Ok(());
        };
        kept.let_go().map_err(|source| {
            let doing = format!("what {} was cannot be removed", self.place.display());
            ProvisionError::io(doing, source)
        })
    }

    /// Marks what was made where there was nothing as ours, which `undo` removes.
    pub(super) fn mark_made(&self) -> Result<(), ProvisionError> {
        let world = self.how.planner.world;
        let ready = Ready::new(&self.plan.target.manager.name, &self.plan.inputs, world.now);
        let members = kept(self.plan).map(|kept| kept.new_members()).transpose();
        let failed = |folder: &Path, source| {
            let doing = format!("{} cannot be marked as ready", folder.display());
            ProvisionError::io(doing, source)
        };
        let members = members.map_err(|source| failed(self.place, source))?;
        for member in members.iter().flatten() {
            self.note_at(member, Event::Made, &[])?;
            mark::finish(member, &ready).map_err(|source| failed(member, source))?;
        }
        mark::finish(self.place, &ready).map_err(|source| failed(self.place, source))
    }
}

/// Where a plan's environment is kept while it is changed. Where packages have no folder of
/// their own there is none.
pub(in crate::apply) fn kept(plan: &Plan) -> Option<Kept> {
    let manager = &plan.target.manager;
    let has_place = manager.environment.is_some() || manager.folder.is_some();
    let place = plan.decision.environment.as_deref();
    place.filter(|_| has_place).map(Kept::of)
}

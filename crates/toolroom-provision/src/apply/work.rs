//! The work of one plan: journal, steps, verification, ready mark, and the way back.

mod keeping;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::found::is_there;
use super::kept::delete;
use super::listen::listening;
use super::lockfiles::Lockfiles;
use super::mark::{self, Ready};
use super::runner::Runner;
use super::{Applying, News};
use crate::decision::Action;
use crate::error::ProvisionError;
use crate::journal::{Entry, Event, Journal, Pending, seconds, write_whole};
use crate::manager::{Amount, Choice};
use crate::plan::{Plan, Step};
use crate::redaction::Redaction;

pub(super) use keeping::kept;

/// Why a plan failed, and how far it came.
pub(super) struct Fault {
    pub(super) error: ProvisionError,
    /// Whether packages were asked for, not only a place made for them.
    pub(super) reached_packages: bool,
}

/// Carries a plan out in a place that is locked.
pub(super) fn carried_out(
    plan: &Plan,
    how: &Applying<'_>,
    state: &Path,
    place: &Path,
) -> Result<(), Fault> {
    let Some(choice) = &plan.choice else {
        return Ok(());
    };
    let work = Work {
        journal: Journal::open(state),
        redaction: Redaction::of(how.planner.world),
        reached_packages: AtomicBool::new(false),
        plan,
        choice,
        how,
        state,
        place,
    };
    work.run().map_err(|error| {
        let is_of_a_command = matches!(error, ProvisionError::Failed { .. });
        let reached = work.reached_packages.load(Ordering::Relaxed);
        Fault {
            reached_packages: reached || !is_of_a_command || !work.makes(),
            error,
        }
    })
}

/// A plan that is being carried out.
struct Work<'w> {
    journal: Journal,
    redaction: Redaction,
    /// Whether a step began that may ask the network.
    reached_packages: AtomicBool,
    plan: &'w Plan,
    choice: &'w Choice,
    how: &'w Applying<'w>,
    state: &'w Path,
    place: &'w Path,
}

impl Work<'_> {
    fn run(&self) -> Result<(), ProvisionError> {
        let pending = self.begin()?;
        let is_found = self.makes_folder(&pending) && is_there(self.place);
        self.note(Event::Begun, &[self.plan.decision.action.name().to_owned()])?;
        let lockfiles = Lockfiles::of(&self.plan.target);
        let outcome = match self.makes() {
            true => self.make(&pending),
            false => self.change(&pending, &lockfiles),
        };
        let Err(error) = outcome else {
            for (file, digest) in lockfiles.made() {
                self.note_at(file, Event::Made, &[digest])?;
            }
            self.note(Event::Done, &[])?;
            self.let_go()?;
            pending.end(self.state);
            return Ok(());
        };
        let _ = self.note(Event::Failed, &[error.to_string()]);
        // What is put back is of our making, too, if that is broken off.
        pending.show_life(self.state);
        let is_as_before = match self.makes() {
            true => self.unmake(),
            false => lockfiles.put_back().is_ok() && self.put_back(&pending, is_found),
        };
        // What could not be put back is for the next run to repair, as is what was found.
        match is_as_before && !is_found {
            true => pending.end(self.state),
            false => pending.show_life(self.state),
        }
        Err(error)
    }

    /// Whether an environment is made, not only changed.
    fn makes(&self) -> bool {
        let remakes = matches!(self.plan.decision.action, Action::Create | Action::Repair);
        remakes && self.plan.target.has_own_directory()
    }

    fn make(&self, pending: &Pending) -> Result<(), ProvisionError> {
        self.clear()?;
        let failed = |doing: &str, source| {
            ProvisionError::io(
                format!("{} cannot be {doing}", self.place.display()),
                source,
            )
        };
        mark::begin(self.place).map_err(|source| failed("made", source))?;
        self.note(Event::Made, &[])?;
        let shared = self.plan.target.manager.shared.as_ref();
        for (name, text) in shared.iter().flat_map(|shared| &shared.files) {
            write_whole(&self.place.join(name), text.as_bytes())
                .map_err(|source| failed("made", source))?;
        }
        self.steps(&self.plan.steps, pending)?;
        self.verify()?;
        let world = self.how.planner.world;
        let manager = &self.plan.target.manager.name;
        let ready = Ready::new(manager, &self.plan.inputs, world.now);
        mark::finish(self.place, &ready).map_err(|source| failed("marked as ready", source))
    }

    /// Frees the place: what is ours goes, what is not is moved aside.
    fn clear(&self) -> Result<(), ProvisionError> {
        if mark::is_free(self.place) {
            return Ok(());
        }
        let failed = |source| {
            ProvisionError::io(
                format!("{} cannot be replaced", self.place.display()),
                source,
            )
        };
        if self.plan.decision.move_aside {
            let aside = free_name(self.place);
            fs_err::rename(self.place, &aside).map_err(failed)?;
            return self.note(Event::MovedAside, &[aside.display().to_string()]);
        }
        mark::delete(self.place).map_err(failed)
    }

    /// Deletes what was made; says whether nothing is left of it.
    fn unmake(&self) -> bool {
        if mark::delete(self.place).is_ok() {
            let _ = self.note(Event::Undone, &[]);
        }
        !mark::is_unfinished(self.place)
    }

    /// Changes what is there.
    fn change(&self, pending: &Pending, lockfiles: &Lockfiles) -> Result<(), ProvisionError> {
        self.write_constraints()?;
        let failed = |doing: &str, source| {
            ProvisionError::io(
                format!("{} cannot be {doing}", self.place.display()),
                source,
            )
        };
        self.keep(lockfiles)?;
        if self.makes_folder(pending) {
            // What a broken-off install left is kept by now, as others may have added to it.
            delete(self.place).map_err(|source| failed("cleared", source))?;
            self.note(Event::Made, &[])?;
        }
        self.steps(&self.plan.steps, pending)?;
        self.verify()?;
        match self.makes_folder(pending) && self.place.is_dir() {
            true => self.mark_made(),
            false => Ok(()),
        }
    }

    /// The versions of what is installed and not to be changed.
    fn write_constraints(&self) -> Result<(), ProvisionError> {
        if self.plan.target.manager.environment.is_none() {
            return Ok(());
        }
        let Some(file) = crate::plan::constraints_file(self.how.planner.world, self.place) else {
            return Ok(());
        };
        let conflicts = &self.plan.decision.conflicts;
        let text: String = self
            .plan
            .installed
            .iter()
            .map(|(name, version)| {
                if !conflicts.iter().any(|conflict| conflict.package == *name) {
                    return format!("{name}=={version}\n");
                }
                // A minor conflict is no leave for a major step in an environment of theirs.
                let bound = next_major(version).filter(|_| !mark::is_ours(self.place));
                bound.map_or_else(String::new, |bound| format!("{name}<{bound}\n"))
            })
            .collect();
        write_whole(&file, text.as_bytes())
            .map_err(|source| ProvisionError::io("the constraints cannot be written", source))
    }

    fn steps(&self, steps: &[Step], pending: &Pending) -> Result<(), ProvisionError> {
        let cancel = self.how.cancel;
        let manifest = self.plan.target.site_manifest();
        let runner = Runner {
            world: self.how.planner.world,
            guard: self.how.guard,
            cancel,
            choice: self.choice,
            root: self.plan.target.site(),
            environment: self.place,
            manifest: manifest.as_ref(),
            interpreter: self.plan.target.interpreter.as_ref(),
            offline: self.how.offline,
        };
        for step in steps {
            if cancel.is_requested() {
                return Err(interrupted(self.place));
            }
            self.reached_packages
                .fetch_or(step.asks_network, Ordering::Relaxed);
            self.note(Event::Command, &step.shown)?;
            self.how
                .progress
                .hear(self.plan, News::Begin { what: &step.what });
            let amount = std::sync::Mutex::new(Amount::default());
            let tell = |line: &str| self.tell(line, &mut super::lock(&amount));
            let beat = || pending.show_life(self.state);
            let outcome = listening(&tell, &beat, |heard| runner.run(step, heard));
            // Whatever the command did until its end is of our making.
            beat();
            outcome?;
        }
        Ok(())
    }

    /// Passes a line on, and what it says of how far the command is.
    fn tell(&self, line: &str, amount: &mut Amount) {
        let progress = self.how.progress;
        progress.hear(self.plan, News::Line(&self.redaction.text(line)));
        let mut reports = self.choice.commands.reports.iter();
        if reports.any(|report| report.read(line, amount)) {
            progress.hear(self.plan, News::Amount(*amount));
        }
    }

    /// The same audit that planned it must now find nothing.
    fn verify(&self) -> Result<(), ProvisionError> {
        let Some(auditor) = &self.plan.target.manager.audit else {
            return Ok(());
        };
        let target = &self.plan.target;
        let folder = target.manager.folder.as_deref();
        let place = match target.has_own_directory() {
            true => folder.map(|folder| self.place.join(folder)),
            false => target.audited_folder(),
        };
        let place = place.as_deref().unwrap_or(self.place);
        match self.how.planner.verify(self.plan, auditor, place) {
            // What cannot be judged was left to the installer, and that was content.
            Err(_) => Ok(()),
            Ok(findings) if findings.satisfied() => Ok(()),
            Ok(findings) => {
                let conflicts = findings.conflicts.iter().map(|found| &found.required);
                let lacking = findings.missing.iter().chain(conflicts);
                Err(ProvisionError::NotVerified {
                    environment: self.place.to_path_buf(),
                    lacking: lacking.map(|text| self.redaction.text(text)).collect(),
                })
            }
        }
    }

    /// The project, where its packages are installed in a workspace above.
    fn member(&self) -> Option<PathBuf> {
        let workspace = self.plan.target.workspace();
        workspace.map(|_| self.how.planner.world.root().to_path_buf())
    }

    fn note(&self, event: Event, detail: &[String]) -> Result<(), ProvisionError> {
        self.note_at(self.place, event, detail)
    }

    fn note_at(
        &self,
        environment: &Path,
        event: Event,
        detail: &[String],
    ) -> Result<(), ProvisionError> {
        self.journal.write(&Entry {
            time: seconds(self.how.planner.world.now),
            process: std::process::id(),
            event,
            target: self.plan.target.name(),
            manager: self.plan.target.manager.name.clone(),
            environment: environment.to_path_buf(),
            detail: self.redaction.argv(detail),
            member: self.member(),
        })
    }
}

/// The version at which everything may be different: `2` for 1.4, `0.5` for 0.4.
fn next_major(version: &str) -> Option<String> {
    let mut numbers = version.split('.').map(|part| part.parse::<u64>().ok());
    match (numbers.next()??, numbers.next().flatten()) {
        (0, Some(minor)) => Some(format!("0.{}", minor.checked_add(1)?)),
        (major, _) => Some(major.checked_add(1)?.to_string()),
    }
}

pub(super) fn interrupted(environment: &Path) -> ProvisionError {
    ProvisionError::Interrupted {
        environment: environment.to_path_buf(),
    }
}

/// A name beside a path that nothing has.
fn free_name(path: &Path) -> PathBuf {
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let names = (1..).map(|number| path.with_file_name(format!("{name}.broken-{number}")));
    names
        .take(10_000)
        .find(|path| fs_err::symlink_metadata(path).is_err())
        .unwrap_or_else(|| path.with_file_name(format!("{name}.broken")))
}

#[cfg(test)]
mod tests {
    use super::next_major;

    #[test]
    fn a_major_step_is_the_first_number_or_the_second_where_that_is_zero() {
        let table = [
            ("24.0", Some("25")),
            ("1", Some("2")),
            ("0.4.9", Some("0.5")),
            ("0", Some("1")),
            ("1!2.0", None),
            ("x", None),
        ];
        for (version, wanted) in table {
            assert_eq!(next_major(version).as_deref(), wanted, "{version}");
        }
    }
}

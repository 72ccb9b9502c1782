//! One plan, from its lock to its ready mark.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::mark::{self, Ready};
use super::remember::{record, settled};
use super::runner::Runner;
use super::{Applying, News};
use crate::decision::Action;
use crate::error::ProvisionError;
use crate::journal::{Entry, Event, Journal, Packages, Pending, seconds, write_whole};
use crate::lock::Lock;
use crate::manager::Choice;
use crate::plan::{Plan, Step, clear_half_installed, installed};

/// How often a plan may find its place changed.
const MOST_TRIES: usize = 5;

/// Carries a plan out. Where another process did the work meanwhile, finds it done.
///
/// # Errors
/// Fails if a step fails; then what was there before is there again.
pub fn apply(plan: Plan, how: &Applying<'_>) -> Result<Plan, ProvisionError> {
    let world = how.planner.world;
    let state = world
        .directories
        .as_ref()
        .ok_or(ProvisionError::NoState)?
        .state
        .clone();
    if !plan.decision.action.changes() {
        return settled(plan, how);
    }
    let (plan, place, _lock) = match locked(plan, how, &state)? {
        Locked::Settled(plan) => return settled(plan, how),
        Locked::ToDo(plan, place, lock) => (plan, place, lock),
    };
    let Some(choice) = plan.choice.clone() else {
        return settled(plan, how);
    };
    let work = Work {
        journal: Journal::open(&state),
        plan: &plan,
        choice: &choice,
        how,
        state: &state,
        place: &place,
    };
    let outcome = work.run();
    how.progress.hear(
        &plan,
        News::End {
            failed: outcome.is_err(),
        },
    );
    outcome?;
    record(&plan, how)?;
    Ok(Plan {
        applied: true,
        ..plan
    })
}

/// A plan once nobody else can change what it is about.
enum Locked {
    /// Whoever held the lock did the work.
    Settled(Plan),
    ToDo(Plan, PathBuf, Lock),
}

/// Locks a plan's place and plans again: whoever held the lock may have done the work, or
/// changed what is to be done, even where. Then the other place is locked instead.
fn locked(mut plan: Plan, how: &Applying<'_>, state: &Path) -> Result<Locked, ProvisionError> {
    for _ in 0..MOST_TRIES {
        let place = plan.place();
        let lock = Lock::acquire(state, &place, &|holder| {
            how.progress.hear(&plan, News::Waiting { holder });
        })?;
        plan = how.planner.plan(&plan.target)?;
        if !plan.decision.action.changes() {
            return Ok(Locked::Settled(plan));
        }
        if plan.place() == place {
            return Ok(Locked::ToDo(plan, place, lock));
        }
    }
    Err(ProvisionError::Refused {
        target: plan.target.name(),
        reason: "what is there keeps changing while it is planned".to_owned(),
        fix: Some("run toolroom setup again".to_owned()),
    })
}

/// A plan that is being carried out.
struct Work<'w> {
    journal: Journal,
    plan: &'w Plan,
    choice: &'w Choice,
    how: &'w Applying<'w>,
    state: &'w Path,
    place: &'w Path,
}

impl Work<'_> {
    fn run(&self) -> Result<(), ProvisionError> {
        let before = self.plan.installed.clone();
        let pending = Pending::begin(self.state, self.place, before)?;
        self.note(
            Event::Begun,
            vec![self.plan.decision.action.name().to_owned()],
        )?;
        let outcome = if self.makes() {
            self.make()
        } else {
            self.change()
        };
        match &outcome {
            Ok(()) => self.note(Event::Done, Vec::new())?,
            Err(error) => {
                let _ = self.note(Event::Failed, vec![error.to_string()]);
            }
        }
        pending.end(self.state);
        outcome
    }

    /// Whether an environment is made, not only changed.
    fn makes(&self) -> bool {
        let remakes = matches!(self.plan.decision.action, Action::Create | Action::Repair);
        remakes && self.plan.target.manager.environment.is_some()
    }

    fn make(&self) -> Result<(), ProvisionError> {
        self.clear()?;
        let made = mark::begin(self.place);
        if let Err(source) = made {
            self.unmake();
            return Err(ProvisionError::io(
                format!("{} cannot be made", self.place.display()),
                source,
            ));
        }
        self.note(Event::Made, Vec::new())?;
        let outcome = self
            .steps(&self.plan.steps)
            .and_then(|()| self.verify())
            .and_then(|_| {
                let ready = Ready::new(
                    &self.plan.target.manager.name,
                    &self.plan.inputs,
                    self.how.planner.world.now,
                );
                mark::finish(self.place, &ready).map_err(|source| {
                    ProvisionError::io(
                        format!("{} cannot be marked as ready", self.place.display()),
                        source,
                    )
                })
            });
        if outcome.is_err() {
            self.unmake();
        }
        outcome
    }

    /// Frees the place: what is ours goes, what is not is moved aside.
    fn clear(&self) -> Result<(), ProvisionError> {
        if fs_err::symlink_metadata(self.place).is_err() {
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
            return self.note(Event::MovedAside, vec![aside.display().to_string()]);
        }
        mark::delete(self.place).map_err(failed)
    }

    fn unmake(&self) {
        if mark::delete(self.place).is_ok() {
            let _ = self.note(Event::Undone, Vec::new());
        }
    }

    /// Changes what is there, and puts it back if that fails.
    fn change(&self) -> Result<(), ProvisionError> {
        self.write_constraints()?;
        clear_half_installed(self.place, &self.plan.suspect).map_err(|source| {
            let doing = format!("{} cannot be cleared", self.place.display());
            ProvisionError::io(doing, source)
        })?;
        let outcome = self.steps(&self.plan.steps).and_then(|()| self.verify());
        match outcome {
            Ok(_) => Ok(()),
            Err(error) => {
                self.put_back();
                Err(error)
            }
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

    /// Removes what was added and brings back what was replaced.
    fn put_back(&self) {
        if self.plan.target.manager.environment.is_none() {
            return;
        }
        let now: Packages = installed(self.place);
        let before = &self.plan.installed;
        let added: Vec<String> = now
            .keys()
            .filter(|name| !before.contains_key(*name))
            .cloned()
            .collect();
        let replaced: Vec<String> = before
            .iter()
            .filter(|(name, version)| now.get(*name) != Some(version))
            .map(|(name, version)| format!("{name}=={version}"))
            .collect();
        let undo =
            self.how
                .planner
                .undo_steps(self.plan, self.choice, self.place, &added, &replaced);
        if !undo.is_empty() && self.steps(&undo).is_ok() {
            let _ = self.note(Event::Undone, added);
        }
    }

    fn steps(&self, steps: &[Step]) -> Result<(), ProvisionError> {
        let runner = Runner {
            world: self.how.planner.world,
            guard: self.how.guard,
            cancel: self.how.cancel,
            choice: self.choice,
            root: &self.plan.target.root,
            environment: self.place,
            manifest: self.plan.target.manifests.first(),
            offline: self.how.offline,
        };
        for step in steps {
            self.note(Event::Command, step.argv.clone())?;
            self.how
                .progress
                .hear(self.plan, News::Begin { what: &step.what });
            self.listening(|heard| runner.run(step, heard))?;
        }
        Ok(())
    }

    /// Passes on the lines of a command while it runs.
    fn listening(
        &self,
        run: impl FnOnce(&Arc<Mutex<Vec<u8>>>) -> Result<(), ProvisionError>,
    ) -> Result<(), ProvisionError> {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let over = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let listener = scope.spawn(|| {
                while !over.load(std::sync::atomic::Ordering::Acquire) {
                    std::thread::park_timeout(Duration::from_millis(50));
                    self.pass_on(&heard);
                }
            });
            let outcome = run(&heard);
            over.store(true, std::sync::atomic::Ordering::Release);
            listener.thread().unpark();
            outcome
        })
    }

    fn pass_on(&self, heard: &Mutex<Vec<u8>>) {
        let bytes = std::mem::take(&mut *super::lock(heard));
        for line in String::from_utf8_lossy(&bytes)
            .lines()
            .filter(|line| !line.trim().is_empty())
        {
            self.how.progress.hear(self.plan, News::Line(line));
        }
    }

    /// The same audit that planned it must now find nothing.
    fn verify(&self) -> Result<(), ProvisionError> {
        let Some(auditor) = &self.plan.target.manager.audit else {
            return Ok(());
        };
        match self.how.planner.verify(self.plan, auditor, self.place) {
            // What cannot be judged was left to the installer, and that was content.
            Err(_) => Ok(()),
            Ok(findings) if findings.satisfied() => Ok(()),
            Ok(findings) => {
                let conflicts = findings
                    .conflicts
                    .iter()
                    .map(|conflict| conflict.required.clone());
                Err(ProvisionError::NotVerified {
                    environment: self.place.to_path_buf(),
                    lacking: findings.missing.iter().cloned().chain(conflicts).collect(),
                })
            }
        }
    }

    fn note(&self, event: Event, detail: Vec<String>) -> Result<(), ProvisionError> {
        self.journal.write(&Entry {
            time: seconds(self.how.planner.world.now),
            process: std::process::id(),
            event,
            target: self.plan.target.name(),
            manager: self.plan.target.manager.name.clone(),
            environment: self.place.to_path_buf(),
            detail,
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

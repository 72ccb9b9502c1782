//! Packages in a folder beside their manifest.

use std::path::{Path, PathBuf};

use toolroom_exec::subprocess::Cancel;

use super::finish::Decided;
use super::needs::Needs;
use super::planner::Planner;
use super::target::Target;
use super::{Plan, survey};
use crate::apply::Runner;
use crate::decision::{Decision, FolderSituation, decide_folder};
use crate::error::ProvisionError;
use crate::journal::{Pending, Record};
use crate::manager::{Choice, Facts, fill_commands};

impl Planner<'_> {
    /// Packages beside their manifest.
    pub(super) fn folder(&self, target: &Target, needs: Needs) -> Result<Plan, ProvisionError> {
        if needs.count() == 0 && target.manager.notation.is_some() {
            return Ok(self.bare(target, needs, Decision::none()));
        }
        let choice = self.choice(target)?;
        let decision = decide_folder(&self.folder_situation(target, &needs, &choice));
        self.finish(target, needs, Decided::beside(decision))
    }

    fn folder_situation(&self, target: &Target, needs: &Needs, choice: &Choice) -> FolderSituation {
        let root = &target.root;
        let folder = target.manager.folder.as_ref().map(|name| root.join(name));
        let place = folder.as_deref().unwrap_or(root);
        let auditor = target.manager.audit.as_deref();
        let audited = auditor
            .filter(|_| !uses_plug(choice, root))
            .map(|auditor| survey::audit(auditor, place, needs, &self.rules()));
        let marked = choice
            .commands
            .marks
            .iter()
            .any(|mark| root.join(mark).exists());
        let lockfile: Vec<PathBuf> = choice.lockfile.iter().cloned().collect();
        let mut record = Record::of(self.world, self.world.root());
        let recorded = record.decisions.remove(&target.key(self.world.root()));
        let inputs = recorded.and_then(|recorded| recorded.inputs);
        let pending = self.state().and_then(|state| Pending::of(state, place));
        let manifest = target.manifests.first().and_then(|file| file.file_name());
        FolderSituation {
            marked,
            folder_exists: marked || place.exists(),
            findings: audited,
            checked: self.checked(choice, target),
            unchanged: inputs == Some(needs.inputs(&lockfile)),
            unfinished: pending.is_some(),
            manifest: manifest.unwrap_or_default().display().to_string(),
            folder,
        }
    }

    /// What the program's own check says, where it has one and may be started.
    pub(super) fn checked(&self, choice: &Choice, target: &Target) -> Option<bool> {
        let guard = self.options.guard?;
        let (name, path) = self.machine().program(&choice.commands, &target.root)?;
        let commands = &choice.commands.check;
        let facts = Facts::new(self.world, &target.root);
        let filled = fill_commands(commands, &facts, Some((&name, &path))).ok()?;
        if filled.is_empty() {
            return None;
        }
        let runner = Runner {
            world: self.world,
            guard,
            cancel: &Cancel::new(),
            choice,
            root: &target.root,
            environment: &target.root,
            manifest: target.manifests.first(),
            offline: true,
        };
        Some(filled.iter().all(|argv| runner.succeeds(argv)))
    }

    /// A tool's packages where there are no environments of their own: the project's will
    /// do, or it is said what to add.
    pub(super) fn beside(&self, target: &Target, needs: Needs) -> Plan {
        let folder = target
            .root
            .join(target.manager.folder.as_deref().unwrap_or_default());
        let audited = target
            .manager
            .audit
            .as_deref()
            .map(|auditor| survey::audit(auditor, &folder, &needs, &self.rules()));
        let decision = match audited {
            Some(Ok(found)) if found.satisfied() => {
                Decision::reuse(folder, "the project has what the tool requires")
            }
            Some(Ok(found)) => {
                let mut decision = Decision::refuse("the project lacks what the tool requires");
                decision.fix = Some(format!("add to the project: {}", needs.arguments.join(" ")));
                decision.missing = found.missing;
                decision.conflicts = found.conflicts;
                decision
            }
            Some(Err(reason)) => Decision::refuse(&reason),
            None => Decision::none(),
        };
        self.bare(target, needs, decision)
    }
}

fn uses_plug(choice: &Choice, root: &Path) -> bool {
    choice
        .commands
        .plug
        .as_ref()
        .is_some_and(|plug| root.join(&plug.when).is_file())
}

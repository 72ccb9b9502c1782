//! Packages in a folder beside their manifest.

use std::path::{Path, PathBuf};

use super::environment::{OWN_PACKAGES, SHARED_IS_THERE};
use super::finish::Decided;
use super::needs::Needs;
use super::planner::Planner;
use super::target::{Subject, Target};
use super::workspace::{Membership, Workspace};
use super::{Plan, survey};
use crate::apply::{Before, Kept, is_over, mark};
use crate::decision::{
    Action, BrokenOff, Checked, Decision, Findings, FolderSituation, LastInstall, OwnCheck,
    decide_folder,
};
use crate::error::ProvisionError;
use crate::journal::{Pending, Record};
use crate::manager::{Choice, Claim, members};
use crate::store;

impl Planner<'_> {
    /// Packages beside their manifest.
    pub(super) fn folder(
        &self,
        target: &Target,
        needs: Needs,
        checked: Option<Checked>,
    ) -> Result<Plan, ProvisionError> {
        if needs.count() == 0 && target.manager.notation.is_some() {
            return Ok(self.bare(target, needs, Decision::none()));
        }
        let choice = self.choice(target)?;
        let situation = self.folder_situation(target, &needs, &choice, checked)?;
        let decision = decide_folder(&situation);
        match &target.membership {
            Membership::Of(workspace) if decision.action.changes() => {
                let reason = format!(
                    "it is a member of {}, which is installed as a whole, from its root",
                    workspace.told()
                );
                let decision = decision.because(reason);
                self.finish(target, needs, Decided::beside(decision))
            }
            Membership::Barred { of, why } if decision.action.changes() => {
                Ok(self.bare(target, needs, barred(decision, of, why)))
            }
            _ => self.finish(target, needs, Decided::beside(decision)),
        }
    }

    fn folder_situation(
        &self,
        target: &Target,
        needs: &Needs,
        choice: &Choice,
        checked: Option<Checked>,
    ) -> Result<FolderSituation, ProvisionError> {
        let root = target.site();
        let folder = target.manager.folder.as_ref().map(|name| root.join(name));
        let place = folder.as_deref().unwrap_or(root);
        let audited = match uses_plug(choice, root) {
            true => None,
            false => {
                let own = target.audited_folder();
                self.audited_folder(target, needs, own.as_deref().unwrap_or(&target.root))
            }
        };
        let marked = choice
            .commands
            .marks
            .iter()
            .any(|mark| root.join(mark).exists());
        let lockfile: Vec<PathBuf> = choice.lockfile.iter().cloned().collect();
        let mut record = Record::of(self.world, self.world.root())?;
        let recorded = record.decisions.remove(&target.key(self.world.root()));
        let now = needs.inputs(&lockfile);
        let last = match recorded.and_then(|recorded| recorded.inputs) {
            None => LastInstall::Never,
            Some(inputs) if inputs == now => LastInstall::OfTheSame,
            Some(_) => LastInstall::OfOthers,
        };
        let pending = self.state().and_then(|state| Pending::of(state, place));
        let is_over = |pending: &Pending| self.state().is_some_and(|state| is_over(state, pending));
        let broken_off = match pending {
            Some(pending) if is_over(&pending) => None,
            Some(pending) if !pending.was_there => Some(BrokenOff::Making),
            Some(_) => Some(BrokenOff::Changing),
            None => folder.as_deref().and_then(|place| unnoted(target, place)),
        };
        let manifest = target.manifests.first().and_then(|file| file.file_name());
        Ok(FolderSituation {
            marked,
            folder_exists: marked || place.exists(),
            findings: audited,
            check: own_check(choice, checked),
            last,
            broken_off,
            manifest: manifest.unwrap_or_default().display().to_string(),
            folder,
        })
    }

    /// A tool's own packages where a project keeps its packages in a folder: the project's
    /// will do if the tool finds them there, else they are kept apart, or it is said what to
    /// add.
    pub(super) fn beside(&self, target: &Target, needs: Needs) -> Result<Plan, ProvisionError> {
        let folder = target.manager.folder.as_deref().unwrap_or_default();
        let folder = target.root.join(folder);
        let audited = self.audited_folder(target, &needs, &folder);
        let is_inside =
            matches!(&target.subject, Subject::Tool(tool) if tool.path.starts_with(&target.root));
        let decision = match audited {
            Some(Ok(found)) if found.satisfied() && is_inside => {
                Decision::reuse(folder, "the project has what the tool requires")
            }
            _ if target.manager.shared.is_some() => return self.kept_apart(target, needs),
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
        Ok(self.bare(target, needs, decision))
    }

    /// A directory in the cache that all tools share that require the same.
    fn kept_apart(&self, target: &Target, needs: Needs) -> Result<Plan, ProvisionError> {
        let place = target.interpreter.as_ref().and_then(|base| {
            store::place(self.world, &target.manager.name, &needs, &target.root, base)
        });
        let Some(place) = place else {
            let decision = Decision::refuse("there is nothing it could run with");
            return Ok(self.bare(target, needs, decision));
        };
        let folder = target.manager.folder.as_deref().unwrap_or_default();
        let has_all = || {
            let audited = self.audited_folder(target, &needs, &place.join(folder));
            audited.is_none_or(|found| found.is_ok_and(|found| found.satisfied()))
        };
        let decision = if store::is_ready(&place) && has_all() {
            Decision::reuse(place, SHARED_IS_THERE)
        } else if mark::is_ours(&place) {
            Decision::new(Action::Repair, Some(place))
                .because("it was left unfinished or is damaged")
        } else if mark::is_free(&place) {
            Decision::new(Action::Create, Some(place)).because(OWN_PACKAGES)
        } else {
            let reason = format!("{} was not made by Toolroom", place.display());
            return Ok(self.bare(target, needs, Decision::refuse(&reason)));
        };
        self.finish(target, needs, Decided::beside(decision))
    }

    fn audited_folder(
        &self,
        target: &Target,
        needs: &Needs,
        folder: &Path,
    ) -> Option<Result<Findings, String>> {
        let auditor = target.manager.audit.as_deref()?;
        Some(survey::audit(
            auditor,
            folder,
            &needs.requirements,
            &self.rules(),
        ))
    }
}

/// An install that was broken off, by what it left in the project.
fn unnoted(target: &Target, place: &Path) -> Option<BrokenOff> {
    let kept = Kept::of(place);
    match kept.before() {
        Some(Before::Folder(_)) => Some(BrokenOff::Changing),
        Some(Before::Absent) => Some(BrokenOff::Making),
        None => {
            // Whoever cannot be told now is named by the install that needs to know.
            let members = members(&target.manager, target.site()).unwrap_or_default();
            kept.is_begun_in(&members).then_some(BrokenOff::Changing)
        }
    }
}

/// What would be done, if it could be done where it has to be.
fn barred(decision: Decision, of: &Workspace, why: &str) -> Decision {
    let Claim { file, field } = &of.claim;
    let root = of.root.display();
    Decision {
        action: Action::Refuse,
        environment: None,
        fix: Some(format!(
            "install in {root} by hand, or take the project out of `{field}` of its {file}"
        )),
        ..decision.because(format!(
            "it is a member of {}, which is not changed: {why}",
            of.told()
        ))
    }
}

fn uses_plug(choice: &Choice, root: &Path) -> bool {
    choice.commands.plug_in(root).is_some()
}

fn own_check(choice: &Choice, checked: Option<Checked>) -> OwnCheck {
    match checked {
        _ if choice.commands.check.is_empty() => OwnCheck::Absent,
        None => OwnCheck::NotAsked {
            program: choice.tool.clone(),
        },
        Some(checked) => OwnCheck::Asked(checked),
    }
}

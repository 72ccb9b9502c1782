//! Packages in a folder beside their manifest: the lockfile decides what goes there, and
//! the folder is made from it again at any time.

use std::path::PathBuf;

use super::{Action, Decision, Findings, count};

/// Our last install, and what manifest and lockfile are to it now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastInstall {
    Never,
    OfTheSame,
    OfOthers,
}

/// An install of ours that did not come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrokenOff {
    /// The folder was made by it, and is made anew.
    Making,
    /// The folder was there, and is put back.
    Changing,
}

/// What a program's own check found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Checked {
    NothingMissing,
    SomethingMissing,
}

/// The check a program has of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnCheck {
    /// It has none.
    Absent,
    /// It may run the project's code, which is never done to make a plan.
    NotAsked {
        program: String,
    },
    Asked(Checked),
}

/// Everything the decision depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderSituation {
    /// Where packages go, if there is one folder for them.
    pub folder: Option<PathBuf>,
    /// Whether an install came to its end there, by the marks it leaves.
    pub marked: bool,
    pub folder_exists: bool,
    /// What the audit found, where there is an auditor.
    pub findings: Option<Result<Findings, String>>,
    pub check: OwnCheck,
    pub last: LastInstall,
    pub broken_off: Option<BrokenOff>,
    pub manifest: String,
}

/// Decides: an install that was broken off comes first, then whoever can judge what is
/// there, in the order of how much they see of it.
#[must_use]
pub fn decide_folder(situation: &FolderSituation) -> Decision {
    situation
        .of_broken_off()
        .or_else(|| situation.of_nothing_there())
        .or_else(|| situation.of_audit())
        .or_else(|| situation.of_check())
        .unwrap_or_else(|| situation.of_record())
}

impl FolderSituation {
    fn at(&self, action: Action) -> Decision {
        Decision::new(action, self.folder.clone())
    }

    fn of_broken_off(&self) -> Option<Decision> {
        Some(match self.broken_off? {
            BrokenOff::Making => self
                .at(Action::Repair)
                .because("the last install did not come to its end"),
            BrokenOff::Changing => self.at(Action::InstallMissing).because(
                "the last install did not come to its end: what was there is put back first",
            ),
        })
    }

    fn of_nothing_there(&self) -> Option<Decision> {
        if self.folder.is_none() || self.folder_exists || self.is_satisfied() {
            return None;
        }
        let reason = format!("nothing of {} is installed yet", self.manifest);
        let decision = self.at(Action::Create).because(reason);
        Some(match &self.findings {
            Some(Ok(findings)) => decision.with(findings),
            _ => self.unless_asked(decision),
        })
    }

    fn is_satisfied(&self) -> bool {
        matches!(&self.findings, Some(Ok(findings)) if findings.satisfied())
            || (self.check == OwnCheck::Asked(Checked::NothingMissing)
                && self.last != LastInstall::OfOthers)
    }

    fn of_audit(&self) -> Option<Decision> {
        let Some(Ok(findings)) = &self.findings else {
            return None;
        };
        let manifest = &self.manifest;
        let of = |number: usize| (count(number, "package"), are(number));
        let decision = if findings.satisfied() {
            self.at(Action::Reuse)
                .because(format!("everything {manifest} asks for is installed"))
        } else if findings.conflicts.is_empty() {
            let (packages, are) = of(findings.missing.len());
            self.at(Action::InstallMissing).because(format!(
                "{manifest} asks for {packages} that {are} not installed"
            ))
        } else {
            let (packages, are) = of(findings.conflicts.len());
            self.at(Action::Upgrade)
                .because(format!("{packages} {are} not what {manifest} asks for"))
        };
        Some(decision.with(findings))
    }

    fn of_check(&self) -> Option<Decision> {
        let OwnCheck::Asked(checked) = self.check else {
            return None;
        };
        Some(match (checked, self.last) {
            // It may look at the lockfile alone, and not see what the manifest asks for since.
            (Checked::NothingMissing, LastInstall::OfOthers) => {
                self.at(Action::InstallMissing).because(format!(
                    "{} has changed since the last install",
                    self.manifest
                ))
            }
            (Checked::NothingMissing, _) => self
                .at(Action::Reuse)
                .because("its own check finds nothing missing"),
            (Checked::SomethingMissing, _) => self
                .at(Action::InstallMissing)
                .because("its own check finds something missing"),
        })
    }

    fn of_record(&self) -> Decision {
        let manifest = &self.manifest;
        let is_there = self.marked || self.folder.is_none();
        if self.last == LastInstall::OfTheSame && is_there {
            let reason = format!("{manifest} has not changed since the last install");
            return self.unless_asked(self.at(Action::Reuse).because(reason));
        }
        if let Some(Err(reason)) = &self.findings {
            let mut decision = self
                .at(Action::InstallMissing)
                .because("what is installed could not be analysed");
            decision.warnings.push(reason.clone());
            return decision;
        }
        let why = match (self.marked, self.last) {
            (true, LastInstall::OfOthers) => "has changed since the last install",
            (true, _) => "has changed, or was not installed by Toolroom",
            (false, _) => "is not installed yet",
        };
        let action = match self.folder_exists {
            true => Action::InstallMissing,
            false => Action::Create,
        };
        let mut decision = self.at(action).because(format!("{manifest} {why}"));
        decision.is_unseen = self.last == LastInstall::Never;
        self.unless_asked(decision)
    }

    /// Says of a decision that it was made without the check that knows best.
    fn unless_asked(&self, decision: Decision) -> Decision {
        let OwnCheck::NotAsked { program } = &self.check else {
            return decision;
        };
        decision.because(format!(
            "not checked: {program}'s own check may run the project's code, so only setup asks it"
        ))
    }
}

const fn are(number: usize) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn situation() -> FolderSituation {
        FolderSituation {
            folder: Some("/p/node_modules".into()),
            marked: true,
            folder_exists: true,
            findings: None,
            check: OwnCheck::Absent,
            last: LastInstall::Never,
            broken_off: None,
            manifest: "package.json".into(),
        }
    }

    #[test]
    fn the_audit_decides_then_the_check_then_our_own_record() {
        let lacking = Findings {
            missing: vec!["left-pad".into()],
            ..Findings::default()
        };
        let table: Vec<(&str, FolderSituation, Action)> = vec![
            (
                "audited",
                FolderSituation {
                    findings: Some(Ok(Findings::default())),
                    ..situation()
                },
                Action::Reuse,
            ),
            (
                "lacking",
                FolderSituation {
                    findings: Some(Ok(lacking.clone())),
                    ..situation()
                },
                Action::InstallMissing,
            ),
            (
                "no folder",
                FolderSituation {
                    findings: Some(Ok(lacking)),
                    folder_exists: false,
                    ..situation()
                },
                Action::Create,
            ),
            (
                "checked",
                FolderSituation {
                    check: OwnCheck::Asked(Checked::NothingMissing),
                    ..situation()
                },
                Action::Reuse,
            ),
            (
                "checked, but changed",
                FolderSituation {
                    check: OwnCheck::Asked(Checked::NothingMissing),
                    last: LastInstall::OfOthers,
                    ..situation()
                },
                Action::InstallMissing,
            ),
            (
                "check fails",
                FolderSituation {
                    check: OwnCheck::Asked(Checked::SomethingMissing),
                    ..situation()
                },
                Action::InstallMissing,
            ),
            (
                "unchanged",
                FolderSituation {
                    last: LastInstall::OfTheSame,
                    ..situation()
                },
                Action::Reuse,
            ),
            ("changed", situation(), Action::InstallMissing),
            (
                "broken off while it was made",
                FolderSituation {
                    broken_off: Some(BrokenOff::Making),
                    last: LastInstall::OfTheSame,
                    ..situation()
                },
                Action::Repair,
            ),
            (
                "broken off in a folder that was there",
                FolderSituation {
                    broken_off: Some(BrokenOff::Changing),
                    last: LastInstall::OfTheSame,
                    ..situation()
                },
                Action::InstallMissing,
            ),
            (
                "no folder at all, new",
                FolderSituation {
                    folder: None,
                    folder_exists: false,
                    ..situation()
                },
                Action::Create,
            ),
            (
                "no folder at all, done",
                FolderSituation {
                    folder: None,
                    folder_exists: false,
                    last: LastInstall::OfTheSame,
                    ..situation()
                },
                Action::Reuse,
            ),
        ];
        for (case, situation, action) in table {
            assert_eq!(decide_folder(&situation).action, action, "{case}");
        }
    }
}

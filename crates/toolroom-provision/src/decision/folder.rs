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
    /// What the program's own check said, where it has one.
    pub checked: Option<bool>,
    pub last: LastInstall,
    pub broken_off: Option<BrokenOff>,
    pub manifest: String,
}

/// Decides.
#[must_use]
pub fn decide_folder(situation: &FolderSituation) -> Decision {
    let at = |action| Decision::new(action, situation.folder.clone());
    match situation.broken_off {
        Some(BrokenOff::Making) => {
            return at(Action::Repair).because("the last install did not come to its end");
        }
        Some(BrokenOff::Changing) => {
            return at(Action::InstallMissing).because(
                "the last install did not come to its end: what was there is put back first",
            );
        }
        None => {}
    }
    if situation.folder.is_some() && !situation.folder_exists && !satisfied(situation) {
        let decision = at(Action::Create).because(format!(
            "nothing of {} is installed yet",
            situation.manifest
        ));
        return match &situation.findings {
            Some(Ok(findings)) => decision.with(findings),
            _ => decision,
        };
    }
    match (&situation.findings, situation.checked) {
        (Some(Ok(findings)), _) if findings.satisfied() => at(Action::Reuse).because(format!(
            "everything {} asks for is installed",
            situation.manifest
        )),
        (Some(Ok(findings)), _) if findings.conflicts.is_empty() => at(Action::InstallMissing)
            .because(format!(
                "{} asks for {} that {} not installed",
                situation.manifest,
                count(findings.missing.len(), "package"),
                are(findings.missing.len())
            ))
            .with(findings),
        (Some(Ok(findings)), _) => at(Action::Upgrade)
            .because(format!(
                "{} {} not what {} asks for",
                count(findings.conflicts.len(), "package"),
                are(findings.conflicts.len()),
                situation.manifest
            ))
            .with(findings),
        // A check may look at the lockfile alone, and not see what the manifest asks for since.
        (_, Some(true)) if situation.last == LastInstall::OfOthers => at(Action::InstallMissing)
            .because(format!(
                "{} has changed since the last install",
                situation.manifest
            )),
        (_, Some(true)) => at(Action::Reuse).because("its own check finds nothing missing"),
        (_, Some(false)) => {
            at(Action::InstallMissing).because("its own check finds something missing")
        }
        _ if situation.last == LastInstall::OfTheSame
            && (situation.marked || situation.folder.is_none()) =>
        {
            at(Action::Reuse).because(format!(
                "{} has not changed since the last install",
                situation.manifest
            ))
        }
        (Some(Err(reason)), None) => {
            let mut decision =
                at(Action::InstallMissing).because("what is installed could not be analysed");
            decision.warnings.push(reason.clone());
            decision
        }
        (None, None) => {
            let why = if situation.marked {
                "has changed, or was not installed by Toolroom"
            } else {
                "is not installed yet"
            };
            let action = if situation.folder_exists {
                Action::InstallMissing
            } else {
                Action::Create
            };
            at(action).because(format!("{} {why}", situation.manifest))
        }
    }
}

const fn are(number: usize) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

fn satisfied(situation: &FolderSituation) -> bool {
    matches!(&situation.findings, Some(Ok(findings)) if findings.satisfied())
        || (situation.checked == Some(true) && situation.last != LastInstall::OfOthers)
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
            checked: None,
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
                    checked: Some(true),
                    ..situation()
                },
                Action::Reuse,
            ),
            (
                "checked, but changed",
                FolderSituation {
                    checked: Some(true),
                    last: LastInstall::OfOthers,
                    ..situation()
                },
                Action::InstallMissing,
            ),
            (
                "check fails",
                FolderSituation {
                    checked: Some(false),
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

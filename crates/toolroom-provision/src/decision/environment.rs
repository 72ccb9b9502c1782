//! Reuse when safe, isolate when necessary: the six scenarios as one function.
//!
//! | what is there | what is done |
//! | --- | --- |
//! | only a global interpreter | an own environment |
//! | an environment that has all | reused, untouched |
//! | one that lacks packages | the missing are added, what is there is held |
//! | one with conflicts | an own environment beside it; minor ones are upgraded if allowed |
//! | a parent project's that has all | reused |
//! | a parent project's with conflicts | an own environment |

use std::path::{Path, PathBuf};

use super::{Action, Conflict, Decision, Findings, Policy, Severity, Tolerance, count};

/// Where an environment was come across.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// An earlier decision chose it.
    Recorded {
        /// The project it belongs to, where that is one that this one is embedded in.
        parent: Option<PathBuf>,
    },
    Project,
    /// The project at this path, which this one is embedded in.
    Parent(PathBuf),
    /// No project here has it: it is active, or was when it was chosen.
    Elsewhere {
        is_active: bool,
        /// The project that it lies in.
        owner: Option<PathBuf>,
    },
}

impl Origin {
    /// The project around this one whose environment it is, whoever chose it.
    fn parent(&self) -> Option<&Path> {
        match self {
            Self::Parent(root) => Some(root),
            Self::Recorded { parent } => parent.as_deref(),
            Self::Project | Self::Elsewhere { .. } => None,
        }
    }
}

/// What shape an environment is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    Sound {
        version: Option<String>,
        /// What the audit found, or why there could be none.
        findings: Result<Findings, String>,
    },
    /// We began to make it and did not come to the end.
    Unfinished,
    Broken(String),
}

/// An environment that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub path: PathBuf,
    pub origin: Origin,
    /// Whether we made it.
    pub ours: bool,
    pub state: State,
}

/// A place an own environment may be made in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub path: PathBuf,
    pub free: bool,
}

/// The interpreter environments are made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    pub path: PathBuf,
    pub version: Option<String>,
    /// The system owns its packages and forbids to install into it.
    pub guarded: bool,
    /// What its own packages come to; looked at only if a global one may be used.
    pub findings: Option<Result<Findings, String>>,
}

/// Everything the decision depends on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Situation {
    /// The language's name for people.
    pub what: String,
    /// Programs that can bring an interpreter.
    pub bringers: Vec<String>,
    /// How many packages are required.
    pub required: usize,
    /// In order of preference.
    pub candidates: Vec<Candidate>,
    pub own: Vec<Place>,
    pub base: Option<Base>,
    pub policy: Policy,
    /// The user asked for repairs.
    pub repair: bool,
}

/// Decides.
#[must_use]
pub fn decide_environment(situation: &Situation) -> Decision {
    if situation.required == 0 {
        return Decision::new(Action::None, None).because("nothing is required");
    }
    let mut passed = Passed::default();
    for candidate in &situation.candidates {
        if situation.policy.force_isolation && !candidate.ours {
            passed.reasons.push(format!(
                "{} is passed over: force_isolation is set",
                name(candidate)
            ));
            continue;
        }
        if let Some(decision) = consider(situation, candidate, &mut passed) {
            return passed.add_to(decision);
        }
    }
    passed.add_to(isolate(situation, &passed))
}

/// Why what is there was not taken.
#[derive(Debug, Default)]
struct Passed {
    reasons: Vec<String>,
    warnings: Vec<String>,
    /// The first conflicts met; they are why there will be two environments.
    conflicts: Vec<Conflict>,
    missing: Vec<String>,
}

impl Passed {
    fn left_alone(&mut self, candidate: &Candidate, why: &str) {
        let reason = format!("{} {why}, so it is left alone", name(candidate));
        self.reasons.push(reason);
    }

    fn add_to(&self, mut decision: Decision) -> Decision {
        decision.reasons.splice(0..0, self.reasons.iter().cloned());
        decision
            .warnings
            .splice(0..0, self.warnings.iter().cloned());
        let is_apart = matches!(decision.action, Action::Create | Action::Refuse);
        if is_apart && decision.conflicts.is_empty() {
            decision.conflicts.clone_from(&self.conflicts);
            decision.missing.clone_from(&self.missing);
        }
        decision
    }
}

fn consider(situation: &Situation, candidate: &Candidate, passed: &mut Passed) -> Option<Decision> {
    let place = || Some(candidate.path.clone());
    let is_elsewhere = matches!(candidate.origin, Origin::Elsewhere { .. });
    let findings = match &candidate.state {
        // Whose it is may mend it.
        State::Unfinished | State::Broken(_) if is_elsewhere => {
            passed.left_alone(candidate, "does not work");
            return None;
        }
        State::Unfinished => {
            return Some(
                Decision::new(Action::Repair, place())
                    .because(format!("{} was left unfinished", name(candidate))),
            );
        }
        State::Broken(reason) => return Some(broken(situation, candidate, reason)),
        State::Sound {
            findings: Err(reason),
            ..
        } => {
            passed.warnings.push(format!(
                "{} could not be analysed: {reason}",
                name(candidate)
            ));
            passed.left_alone(candidate, "could not be analysed");
            return None;
        }
        State::Sound {
            findings: Ok(findings),
            ..
        } => findings,
    };
    if findings.satisfied() {
        let reason = format!("{} has {}", name(candidate), all_of(situation.required));
        return Some(Decision::new(Action::Reuse, place()).because(reason));
    }
    if findings.conflicts.is_empty() {
        let lacking = count(findings.missing.len(), "package");
        if let Some(owner) = owner(candidate) {
            let belongs = format!("lacks {lacking} and belongs to {}", owner.display());
            passed.left_alone(candidate, &belongs);
            return None;
        }
        let reason = if findings.broken_off {
            format!(
                "an install into {} was broken off; it is put back, and {lacking} installed again",
                name(candidate)
            )
        } else {
            format!(
                "{} lacks {lacking}; what is installed stays as it is",
                name(candidate)
            )
        };
        let mut decision = Decision::new(Action::InstallMissing, place())
            .because(reason)
            .with(findings);
        decision.fix = is_elsewhere.then(|| {
            "force_isolation = true makes an own environment instead, and so does setup where none is active".to_owned()
        });
        return Some(decision);
    }
    conflicting(situation, candidate, findings, passed)
}

fn conflicting(
    situation: &Situation,
    candidate: &Candidate,
    findings: &Findings,
    passed: &mut Passed,
) -> Option<Decision> {
    let upgrade = |reason: String| {
        Some(
            Decision::new(Action::Upgrade, Some(candidate.path.clone()))
                .because(reason)
                .with(findings),
        )
    };
    if candidate.ours {
        let conflicts = count(findings.conflicts.len(), "conflict");
        return upgrade(format!(
            "{} is Toolroom's own, so its {conflicts} can be resolved in place",
            name(candidate)
        ));
    }
    let all_minor = findings.conflicts.iter().all(is_minor)
        && !matches!(candidate.origin, Origin::Elsewhere { .. });
    if all_minor && situation.policy.tolerance == Tolerance::Lenient {
        return upgrade(format!(
            "{} has minor conflicts only, and conflict_tolerance is lenient",
            name(candidate)
        ));
    }
    passed
        .reasons
        .extend(findings.conflicts.iter().map(|conflict| {
            let Conflict {
                package,
                installed,
                required,
                ..
            } = conflict;
            format!(
                "{} has {package} {installed}, but {required} is required",
                name(candidate)
            )
        }));
    if all_minor {
        passed.warnings.push(
            "the conflicts are minor: conflict_tolerance = \"lenient\" would upgrade them in place"
                .to_owned(),
        );
    }
    if passed.conflicts.is_empty() {
        passed.conflicts.clone_from(&findings.conflicts);
        passed.missing.clone_from(&findings.missing);
    }
    None
}

/// Minor, and nothing of theirs would break.
fn is_minor(conflict: &Conflict) -> bool {
    conflict.severity == Severity::Minor && conflict.breaks.is_empty()
}

fn broken(situation: &Situation, candidate: &Candidate, reason: &str) -> Decision {
    let place = Some(candidate.path.clone());
    let reason = format!("{} is broken: {reason}", name(candidate));
    let is_parent = candidate.origin.parent().is_some();
    if candidate.ours && !is_parent {
        return Decision::new(Action::Repair, place).because(reason);
    }
    if situation.repair && !is_parent {
        let mut decision = Decision::new(Action::Repair, place)
            .because(reason)
            .because("it is not Toolroom's, so it is moved aside, not deleted");
        decision.move_aside = true;
        return decision;
    }
    let mut decision = Decision::new(Action::Refuse, place).because(reason);
    decision.fix = Some(if is_parent {
        "repair the parent project's environment, or set force_isolation = true".to_owned()
    } else {
        "toolroom setup --repair moves it aside and makes a new one".to_owned()
    });
    decision
}

/// No candidate will do: an own environment, or the global interpreter if that is allowed.
fn isolate(situation: &Situation, passed: &Passed) -> Decision {
    let Some(base) = &situation.base else {
        let mut decision = Decision::new(Action::Refuse, None).because(format!(
            "there is no {} interpreter that would do",
            situation.what
        ));
        decision.fix = Some(match situation.bringers.as_slice() {
            [] => format!("install {}", situation.what),
            bringers => format!(
                "install {}, or {}, which can bring one",
                situation.what,
                bringers.join(" or ")
            ),
        });
        return decision;
    };
    let nothing_there = passed.reasons.is_empty();
    if situation.policy.allow_global
        && !situation.policy.force_isolation
        && nothing_there
        && let Some(Ok(findings)) = &base.findings
        && findings.satisfied()
    {
        return Decision::new(Action::Reuse, None).because(format!(
            "the global {} has {}, and allow_global_python is set",
            described(situation, base),
            all_of(situation.required)
        ));
    }
    let Some(place) = situation.own.iter().find(|place| place.free) else {
        let taken: Vec<String> = situation
            .own
            .iter()
            .map(|place| place.path.display().to_string())
            .collect();
        let mut decision = Decision::new(Action::Refuse, None).because(format!(
            "there is no free place for an own environment: {} are taken",
            taken.join(" and ")
        ));
        decision.fix = Some("remove one of them, or change what is required".to_owned());
        return decision;
    };
    let mut decision = Decision::new(Action::Create, Some(place.path.clone()));
    if nothing_there {
        let guard = if base.guarded {
            ", and the system guards its packages"
        } else {
            ""
        };
        decision = decision.because(format!(
            "there is only the global {}, which is never installed into{guard}",
            described(situation, base)
        ));
    }
    decision.because(format!(
        "an own environment is made in {}",
        shown(&place.path)
    ))
}

fn described(situation: &Situation, base: &Base) -> String {
    let version = base
        .version
        .as_deref()
        .map(|version| format!(" {version}"))
        .unwrap_or_default();
    format!("{}{version} at {}", situation.what, base.path.display())
}

fn all_of(required: usize) -> String {
    match required {
        1 => "the one package that is required".to_owned(),
        number => format!("all {number} packages that are required"),
    }
}

/// The other project that an environment belongs to.
fn owner(candidate: &Candidate) -> Option<&Path> {
    match &candidate.origin {
        Origin::Elsewhere { owner, .. } => owner.as_deref(),
        Origin::Recorded { .. } | Origin::Project | Origin::Parent(_) => None,
    }
}

fn name(candidate: &Candidate) -> String {
    if let Origin::Elsewhere { is_active, .. } = &candidate.origin {
        let active = if *is_active { "active " } else { "" };
        return format!("the {active}environment {}", candidate.path.display());
    }
    let own = shown(&candidate.path);
    match candidate.origin.parent() {
        Some(root) => {
            let project = root.file_name().unwrap_or(root.as_os_str()).display();
            format!("the parent project {project}'s {own}")
        }
        None => own,
    }
}

/// The last part of a path that says which one is meant.
fn shown(path: &Path) -> String {
    let parts: Vec<_> = path.components().rev().take(3).collect();
    let is_tools_own = parts.get(2).is_some_and(|part| part.as_os_str() == ".ai");
    let keep = if is_tools_own { 3 } else { 1 };
    let mut kept: Vec<_> = parts.into_iter().take(keep).collect();
    kept.reverse();
    kept.into_iter().collect::<PathBuf>().display().to_string()
}

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;

//! The six scenarios and their edges, as tables.

use super::*;
use crate::audit::Break;

fn conflict(severity: Severity, breaks: &[&str]) -> Conflict {
    Conflict {
        package: "pytest".into(),
        installed: "6.2.0".into(),
        required: "pytest>=8.4.0".into(),
        severity,
        breaks: breaks.iter().copied().map(broken).collect(),
    }
}

fn broken(package: &str) -> Break {
    Break {
        package: package.to_owned(),
        version: "1".to_owned(),
        requires: "pytest<7".to_owned(),
    }
}

fn sound(findings: Findings) -> State {
    State::Sound {
        version: Some("3.11.7".into()),
        findings: Ok(findings),
    }
}

fn missing() -> Findings {
    Findings {
        missing: vec!["watchdog>=6.0.0".into()],
        ..Findings::default()
    }
}

fn conflicts(severity: Severity) -> Findings {
    Findings {
        conflicts: vec![conflict(severity, &[])],
        ..Findings::default()
    }
}

fn at(path: &str, origin: Origin, state: State) -> Candidate {
    Candidate {
        path: path.into(),
        origin,
        ours: false,
        state,
    }
}

fn parent(state: State) -> Candidate {
    at("/canvas/.venv", Origin::Parent("/canvas".into()), state)
}

fn situation(candidates: Vec<Candidate>) -> Situation {
    let taken = |path: &str| {
        candidates
            .iter()
            .any(|candidate| candidate.path == Path::new(path))
    };
    Situation {
        what: "Python".into(),
        bringers: vec!["uv".into()],
        required: 2,
        own: ["/canvas/cortex/.venv", "/canvas/cortex/.ai/scripts/.venv"]
            .map(|path| Place {
                path: path.into(),
                free: !taken(path),
            })
            .to_vec(),
        candidates,
        base: Some(Base {
            path: "/usr/bin/python3".into(),
            version: Some("3.11.2".into()),
            guarded: true,
            findings: None,
        }),
        policy: Policy::default(),
        repair: false,
    }
}

fn project(state: State) -> Candidate {
    at("/canvas/cortex/.venv", Origin::Project, state)
}

#[test]
fn the_six_scenarios_come_to_their_six_actions() {
    let own = "/canvas/cortex/.venv";
    let tools = "/canvas/cortex/.ai/scripts/.venv";
    let table = [
        ("1 global", vec![], Action::Create, own),
        (
            "2 compatible",
            vec![project(sound(Findings::default()))],
            Action::Reuse,
            own,
        ),
        (
            "3 missing",
            vec![project(sound(missing()))],
            Action::InstallMissing,
            own,
        ),
        (
            "4 conflicts",
            vec![project(sound(conflicts(Severity::Major)))],
            Action::Create,
            tools,
        ),
        (
            "5 parent",
            vec![parent(sound(Findings::default()))],
            Action::Reuse,
            "/canvas/.venv",
        ),
        (
            "5 parent lacks",
            vec![parent(sound(missing()))],
            Action::InstallMissing,
            "/canvas/.venv",
        ),
        (
            "6 parent conflicts",
            vec![parent(sound(conflicts(Severity::Major)))],
            Action::Create,
            own,
        ),
    ];
    for (scenario, candidates, action, environment) in table {
        let decision = decide_environment(&situation(candidates));
        assert_eq!(decision.action, action, "{scenario}: {decision:?}");
        assert_eq!(
            decision.environment.as_deref(),
            Some(Path::new(environment)),
            "{scenario}"
        );
        assert!(!decision.reasons.is_empty(), "{scenario}");
    }
}

#[test]
fn minor_conflicts_are_upgraded_only_where_that_is_allowed_and_breaks_nothing() {
    let mut breaking = conflicts(Severity::Minor);
    breaking.conflicts[0].breaks = vec![broken("requests")];
    let table = [
        (
            Tolerance::Strict,
            conflicts(Severity::Minor),
            Action::Create,
        ),
        (
            Tolerance::Lenient,
            conflicts(Severity::Minor),
            Action::Upgrade,
        ),
        (
            Tolerance::Lenient,
            conflicts(Severity::Major),
            Action::Create,
        ),
        (Tolerance::Lenient, breaking, Action::Create),
    ];
    for (tolerance, findings, action) in table {
        for candidate in [
            project(sound(findings.clone())),
            parent(sound(findings.clone())),
        ] {
            let mut situation = situation(vec![candidate]);
            situation.policy.tolerance = tolerance;
            assert_eq!(
                decide_environment(&situation).action,
                action,
                "{tolerance:?} {findings:?}"
            );
        }
    }
}

#[test]
fn our_own_environment_is_upgraded_whatever_the_tolerance() {
    let mut candidate = project(sound(conflicts(Severity::Major)));
    candidate.ours = true;
    assert_eq!(
        decide_environment(&situation(vec![candidate])).action,
        Action::Upgrade
    );
}

#[test]
fn an_earlier_isolated_environment_is_used_again_after_a_conflict() {
    let mut isolated = at(
        "/canvas/cortex/.ai/scripts/.venv",
        Origin::Project,
        sound(Findings::default()),
    );
    isolated.ours = true;
    let decision = decide_environment(&situation(vec![
        project(sound(conflicts(Severity::Major))),
        isolated,
    ]));
    assert_eq!(decision.action, Action::Reuse);
    assert!(decision.environment.unwrap().ends_with(".ai/scripts/.venv"));
}

#[test]
fn forced_isolation_passes_over_what_is_not_ours() {
    let mut forced = situation(vec![project(sound(Findings::default()))]);
    forced.policy.force_isolation = true;
    let decision = decide_environment(&forced);
    assert_eq!(decision.action, Action::Create);
    assert!(decision.environment.unwrap().ends_with(".ai/scripts/.venv"));
    forced.candidates[0].ours = true;
    assert_eq!(decide_environment(&forced).action, Action::Reuse);
}

#[test]
fn a_global_interpreter_is_reused_only_if_allowed_and_never_installed_into() {
    let with = |allow_global, findings: Findings| {
        let mut situation = situation(vec![]);
        situation.policy.allow_global = allow_global;
        situation.base.as_mut().unwrap().findings = Some(Ok(findings));
        decide_environment(&situation).action
    };
    assert_eq!(with(true, Findings::default()), Action::Reuse);
    assert_eq!(with(false, Findings::default()), Action::Create);
    assert_eq!(with(true, missing()), Action::Create);
}

#[test]
fn an_analysis_that_fails_isolates_with_a_warning() {
    let failed = State::Sound {
        version: None,
        findings: Err("METADATA is not text".into()),
    };
    let decision = decide_environment(&situation(vec![project(failed)]));
    assert_eq!(decision.action, Action::Create);
    assert_eq!(
        decision.warnings,
        [".venv could not be analysed: METADATA is not text"]
    );
}

#[test]
fn a_broken_environment_that_is_not_ours_is_refused_and_moved_aside_on_demand() {
    let mut situation = situation(vec![project(State::Broken(
        "its base /opt/x is gone".into(),
    ))]);
    let refused = decide_environment(&situation);
    assert_eq!(refused.action, Action::Refuse);
    assert!(refused.fix.unwrap().contains("--repair"));
    situation.repair = true;
    let repair = decide_environment(&situation);
    assert_eq!((repair.action, repair.move_aside), (Action::Repair, true));
    situation.candidates[0].ours = true;
    let ours = decide_environment(&situation);
    assert_eq!((ours.action, ours.move_aside), (Action::Repair, false));
}

#[test]
fn what_was_left_unfinished_is_repaired() {
    let mut candidate = project(State::Unfinished);
    candidate.ours = true;
    assert_eq!(
        decide_environment(&situation(vec![candidate])).action,
        Action::Repair
    );
}

#[test]
fn without_requirements_nothing_is_done() {
    let mut situation = situation(vec![project(State::Broken("x".into()))]);
    situation.required = 0;
    assert_eq!(decide_environment(&situation).action, Action::None);
}

#[test]
fn no_free_place_and_no_interpreter_are_refused() {
    let mut full = situation(vec![project(sound(conflicts(Severity::Major)))]);
    full.own.iter_mut().for_each(|place| place.free = false);
    assert_eq!(decide_environment(&full).action, Action::Refuse);
    let mut bare = situation(vec![]);
    bare.base = None;
    assert_eq!(decide_environment(&bare).action, Action::Refuse);
}

fn elsewhere(owner: Option<&str>, state: State) -> Candidate {
    let origin = Origin::Elsewhere {
        is_active: true,
        owner: owner.map(PathBuf::from),
    };
    at("/other/.venv", origin, state)
}

#[test]
fn an_active_environment_lends_what_it_has_and_is_changed_only_if_it_is_nobodys() {
    let own = "/canvas/cortex/.venv";
    let theirs = "/other/.venv";
    let all = || sound(Findings::default());
    let minor = || sound(conflicts(Severity::Minor));
    let broken = || State::Broken("its base is gone".into());
    let table = [
        (None, all(), Action::Reuse, theirs),
        (Some("/other"), all(), Action::Reuse, theirs),
        (None, sound(missing()), Action::InstallMissing, theirs),
        (Some("/other"), sound(missing()), Action::Create, own),
        (None, minor(), Action::Create, own),
        (None, broken(), Action::Create, own),
        (None, State::Unfinished, Action::Create, own),
    ];
    for (owner, state, action, place) in table {
        let mut situation = situation(vec![elsewhere(owner, state)]);
        situation.policy.tolerance = Tolerance::Lenient;
        situation.repair = true;
        let decision = decide_environment(&situation);
        assert_eq!(decision.action, action, "{decision:?}");
        assert_eq!(decision.environment, Some(place.into()), "{decision:?}");
        let said = &decision.reasons[0];
        assert!(
            said.starts_with("the active environment /other/.venv "),
            "{said}"
        );
    }
}

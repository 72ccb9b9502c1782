//! Environments that were decided on come first, and say so.

use serde_json::json;
use toolroom_kernel::Explain;
use toolroom_kernel::resolve::{Preferred, Verdict};

use crate::support::{Context, chosen, code, failure, verdict};

fn preferring(context: &mut Context, environment: &str) {
    context.preferred = vec![Preferred {
        resolver: "venv_python".into(),
        environment: context.path(environment),
        place: "recorded".into(),
        reason: "recorded by toolroom setup".into(),
        only_where: Some("project".into()),
    }];
}

#[test]
fn a_recorded_environment_comes_before_the_projects_own() {
    let mut context = Context::new();
    context.venv("project/.venv", "3.11.4");
    context.venv("project/.ai/scripts/.venv", "3.11.4");
    preferring(&mut context, "project/.ai/scripts/.venv");
    let resolution = context.python().unwrap();
    let interpreter = resolution.interpreter().unwrap();
    assert_eq!(interpreter.place, "recorded");
    let (found, reason) = verdict(&resolution.tried, "scripts/.venv/bin/python3").unwrap();
    assert_eq!(found, Verdict::Chosen);
    assert_eq!(reason, "recorded by toolroom setup");
    let versions: Vec<_> = resolution
        .tried
        .iter()
        .filter_map(|candidate| candidate.version.as_deref())
        .collect();
    assert_eq!(versions, ["3.11.4"]);
    assert!(chosen(context.python()).starts_with(context.path("project/.ai/scripts/.venv")));
}

#[test]
fn one_that_is_gone_is_noted_and_the_search_goes_on() {
    let mut context = Context::new();
    context.venv("project/.venv", "3.11.4");
    preferring(&mut context, "project/.ai/scripts/.venv");
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().place, "project");
    assert!(
        resolution.notes[0]
            .text
            .contains("recorded by toolroom setup"),
        "{:?}",
        resolution.notes
    );
}

#[test]
fn one_that_is_broken_is_an_error() {
    let mut context = Context::new();
    context.venv("project/.venv", "3.11.4");
    context.file("project/broken/pyvenv.cfg", "home = /nowhere\n");
    preferring(&mut context, "project/broken");
    assert_eq!(
        failure(context.python()).code(),
        "resolve::broken_environment"
    );
}

#[test]
fn only_what_searches_the_project_takes_the_projects_decision() {
    let mut context = Context::new();
    let system = context.executable("bin/python3");
    context.venv("project/.venv", "3.11.4");
    preferring(&mut context, "project/.venv");
    let found = context.find(json!({"type": "venv_python", "search": ["system"]}));
    assert_eq!(chosen(found), system);
}

#[test]
fn an_environment_that_is_being_made_is_not_taken_for_whole() {
    let context = Context::new();
    context.executable("bin/python3");
    context.venv("project/.venv", "3.11.4");
    context.file("project/.venv/.toolroom-unfinished", "");
    assert_eq!(code(context.python()), "resolve::broken_environment");
}

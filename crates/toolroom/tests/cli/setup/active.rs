//! An environment that is active where `setup` is called, and is not the project's.

use std::path::PathBuf;

use toolroom_test::TestContext;

use super::{WHERE, bytes_of, frozen, plan, runs_in, venv, with_uv};

/// A project that requires something, and an active environment elsewhere.
fn with_active(required: &str, packages: &[&str]) -> Option<(TestContext, PathBuf)> {
    let mut context = with_uv()?;
    context.file("requirements.txt", required);
    context.tool("where.py", WHERE);
    let place = context.root().join("elsewhere/.venv");
    let theirs = venv(&context, place.to_str()?, packages);
    context.set_env("VIRTUAL_ENV", &theirs);
    Some((context, theirs))
}

fn own(context: &TestContext) -> PathBuf {
    context.project().join(".venv")
}

#[test]
fn one_that_has_all_is_reused_and_tools_run_there_from_then_on() {
    let Some((mut context, theirs)) = with_active("six\n", &["six"]) else {
        return;
    };
    let before = bytes_of(&theirs);
    let planned = plan(&context, &["--plan"]);
    assert_eq!(planned["action"], "reuse", "{planned:#}");
    let reason = planned["reasons"][0].as_str().unwrap();
    assert!(reason.starts_with("the active environment "), "{reason}");
    plan(&context, &[]);
    assert_eq!(bytes_of(&theirs), before);
    assert!(!own(&context).exists());
    context.remove_env("VIRTUAL_ENV");
    assert_eq!(runs_in(&context, "where"), theirs);
    assert_eq!(plan(&context, &[])["action"], "reuse");
}

#[test]
fn one_that_lacks_packages_gets_them_only_with_consent() {
    let Some((mut context, theirs)) = with_active("idna>=3\n", &["six==1.16.0"]) else {
        return;
    };
    let before = bytes_of(&theirs);
    let planned = plan(&context, &["--plan"]);
    assert_eq!(planned["action"], "install-missing", "{planned:#}");
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "provision::needs_consent", "{error:#}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("which is not the project's"), "{message}");
    assert!(planned["fix"].as_str().unwrap().contains("force_isolation"));
    assert_eq!(bytes_of(&theirs), before);
    plan(&context, &["--yes"]);
    let packages = frozen(&context, &theirs);
    assert!(packages.contains(&"six==1.16.0".into()), "{packages:?}");
    assert_eq!(packages.len(), 2);
    // What it may have later is for a person to decide, too.
    context.remove_env("VIRTUAL_ENV");
    context.file("requirements.txt", "idna>=3\npackaging\n");
    let creates = WHERE.replace(
        "\n\n\ndef",
        "\nCONFIG = {\"env_setup\": {\"create\": True}}\n\n\ndef",
    );
    context.tool("where.py", creates);
    let error = context.error(&["run", "where"]);
    assert_eq!(error["code"], "provision::not_prepared", "{error:#}");
    assert_eq!(frozen(&context, &theirs), packages);
}

#[test]
fn one_that_belongs_to_another_project_is_not_installed_into() {
    let Some((context, theirs)) = with_active("idna>=3\n", &["six"]) else {
        return;
    };
    let other = context.root().join("elsewhere");
    context.file(other.join("pyproject.toml"), "[project]\nname = \"y\"\n");
    let before = bytes_of(&theirs);
    let done = plan(&context, &["--yes"]);
    assert_eq!(done["environment"], "[PROJECT]/.venv", "{done:#}");
    let said = done["reasons"][0].as_str().unwrap();
    assert!(said.contains("belongs to"), "{said}");
    assert_eq!(bytes_of(&theirs), before);
    assert_eq!(runs_in(&context, "where"), own(&context));
}

#[test]
fn one_with_conflicts_is_left_alone_whatever_is_tolerated() {
    let Some((context, theirs)) = with_active("packaging>=24.1\n", &["packaging==24.0"]) else {
        return;
    };
    context.file(
        "toolroom.toml",
        "[python_environment]\nconflict_tolerance = \"lenient\"\n",
    );
    let before = bytes_of(&theirs);
    let done = plan(&context, &["--yes"]);
    assert_eq!(done["environment"], "[PROJECT]/.venv", "{done:#}");
    assert_eq!(done["conflicts"][0]["package"], "packaging");
    assert_eq!(bytes_of(&theirs), before);
}

#[test]
fn what_is_no_environment_is_told_and_not_used() {
    let Some(mut context) = with_uv() else { return };
    context.file("requirements.txt", "six\n");
    for junk in ["/usr", "/nowhere/at/all", "relative/.venv"] {
        context.set_env("VIRTUAL_ENV", junk);
        let planned = plan(&context, &["--plan"]);
        assert_eq!(planned["action"], "create", "{planned:#}");
        let warning = planned["warnings"][0].as_str().unwrap_or_default();
        let said = format!("{junk} is not used, though VIRTUAL_ENV names it: ");
        assert!(warning.starts_with(&said), "{planned:#}");
    }
}

#[test]
fn a_project_with_an_environment_of_its_own_keeps_to_it() {
    let Some((context, theirs)) = with_active("idna>=3\n", &["idna"]) else {
        return;
    };
    let before = bytes_of(&theirs);
    venv(&context, ".venv", &[]);
    let done = plan(&context, &[]);
    assert_eq!(done["action"], "install-missing", "{done:#}");
    assert_eq!(done["environment"], "[PROJECT]/.venv");
    assert_eq!(bytes_of(&theirs), before);
}

#[test]
fn what_is_made_on_the_way_to_a_call_is_the_projects_own_in_every_shell() {
    let Some((context, theirs)) = with_active("idna>=3\n", &["idna"]) else {
        return;
    };
    let before = bytes_of(&theirs);
    let creates = WHERE.replace(
        "\n\n\ndef",
        "\nCONFIG = {\"env_setup\": {\"create\": True}}\n\n\ndef",
    );
    context.tool("where.py", creates);
    assert_eq!(runs_in(&context, "where"), own(&context));
    assert_eq!(bytes_of(&theirs), before);
}

//! The six scenarios of reuse and isolation, end to end.

use super::{WHERE, bytes_of, frozen, plan, runs_in, uv, venv, with_uv};

#[test]
fn one_a_global_python_gives_an_environment_of_its_own() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "six>=1.16\n");
    context.tool("where.py", WHERE);
    let planned = plan(&context, &["--plan"]);
    assert_eq!(
        (planned["action"].as_str(), planned["applied"].as_bool()),
        (Some("create"), Some(false))
    );
    assert_eq!(planned["missing"], serde_json::json!(["six>=1.16"]));
    assert!(
        !context.project().join(".venv").exists(),
        "a plan changes nothing"
    );
    let done = plan(&context, &[]);
    assert_eq!(done["applied"], true, "{done:#}");
    let environment = context.project().join(".venv");
    assert_eq!(frozen(&context, &environment).len(), 1);
    assert_eq!(
        fs_err::read_to_string(environment.join(".gitignore"))
            .unwrap()
            .trim(),
        "*"
    );
    assert_eq!(runs_in(&context, "where"), environment);
    assert_eq!(plan(&context, &[])["action"], "reuse");
}

#[test]
fn two_an_environment_that_has_all_is_reused_untouched() {
    let Some(context) = with_uv() else { return };
    context.file(
        "pyproject.toml",
        "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"six>=1.16\"]\n",
    );
    context.tool("where.py", WHERE);
    let environment = venv(&context, ".venv", &["six"]);
    let before = bytes_of(&environment);
    let done = plan(&context, &[]);
    assert_eq!(done["action"], "reuse", "{done:#}");
    assert_eq!(bytes_of(&environment), before);
    assert_eq!(runs_in(&context, "where"), environment);
}

#[test]
fn three_missing_packages_are_added_and_what_is_there_is_held() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "six>=1.15\nidna>=3\n");
    let environment = venv(&context, ".venv", &["six==1.16.0", "packaging==24.0"]);
    let done = plan(&context, &[]);
    assert_eq!(done["action"], "install-missing", "{done:#}");
    assert_eq!(done["missing"], serde_json::json!(["idna>=3"]));
    let packages = frozen(&context, &environment);
    assert!(
        packages.contains(&"six==1.16.0".to_owned())
            && packages.contains(&"packaging==24.0".to_owned())
    );
    assert!(
        packages
            .iter()
            .any(|package| package.starts_with("idna==3")),
        "{packages:?}"
    );
}

#[test]
fn four_a_conflict_isolates_and_tools_really_run_there() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "pluggy>=1.5\n");
    context.tool("where.py", WHERE);
    let theirs = venv(&context, ".venv", &["pluggy==0.13.1"]);
    let before = bytes_of(&theirs);
    assert_eq!(runs_in(&context, "where"), theirs);
    let done = plan(&context, &[]);
    assert_eq!(done["action"], "create", "{done:#}");
    assert_eq!(done["conflicts"][0]["severity"], "major");
    assert_eq!(bytes_of(&theirs), before);
    assert_eq!(
        runs_in(&context, "where"),
        context.project().join(".ai/scripts/.venv")
    );
    let env = context.data(&["env", "python"]);
    assert_eq!(env["interpreter"]["place"], "recorded");
    assert!(
        env["tried"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("recorded by toolroom setup")
    );
    assert_eq!(plan(&context, &[])["action"], "reuse");
}

#[test]
fn four_lenient_upgrades_a_minor_conflict_without_a_major_step() {
    let Some(context) = with_uv() else { return };
    context.file(
        "toolroom.toml",
        "[python_environment]\nconflict_tolerance = \"lenient\"\n",
    );
    context.file("requirements.txt", "packaging>=24.1\n");
    let environment = venv(&context, ".venv", &["packaging==24.0", "six==1.16.0"]);
    let done = plan(&context, &[]);
    assert_eq!(done["action"], "upgrade", "{done:#}");
    assert_eq!(
        frozen(&context, &environment),
        ["packaging==24.2", "six==1.16.0"]
    );
}

#[test]
fn five_a_parent_projects_environment_is_reused_if_it_has_all() {
    let Some(mut context) = with_uv() else { return };
    fs_err::create_dir(context.project().join(".git")).unwrap();
    let parent = venv(&context, ".venv", &["six"]);
    context.enter("embedded");
    context.file("embedded/requirements.txt", "six\n");
    context.file("embedded/.ai/tools/where.py", WHERE);
    let done = plan(&context, &[]);
    assert_eq!(
        (done["action"].as_str(), done["environment"].as_str()),
        (Some("reuse"), Some("[PROJECT]/.venv")),
        "{done:#}"
    );
    assert_eq!(runs_in(&context, "where"), parent);
}

#[test]
fn six_a_parent_projects_conflict_isolates_and_protects_both() {
    let Some(mut context) = with_uv() else { return };
    fs_err::create_dir(context.project().join(".git")).unwrap();
    let parent = venv(&context, ".venv", &["pluggy==0.13.1"]);
    let before = bytes_of(&parent);
    context.enter("embedded");
    context.file("embedded/requirements.txt", "pluggy>=1.5\n");
    context.file("embedded/.ai/tools/where.py", WHERE);
    let done = plan(&context, &[]);
    assert_eq!(done["action"], "create", "{done:#}");
    assert_eq!(bytes_of(&parent), before);
    assert_eq!(
        runs_in(&context, "where"),
        context.project().join("embedded/.venv")
    );
}

#[test]
fn a_parents_environment_stays_the_parents_once_it_was_chosen() {
    let Some(mut context) = with_uv() else { return };
    fs_err::create_dir(context.project().join(".git")).unwrap();
    let parent = venv(&context, ".venv", &["packaging==24.0"]);
    context.enter("embedded");
    fs_err::create_dir_all(context.project().join("embedded/.ai/tools")).unwrap();
    context.file("embedded/requirements.txt", "packaging>=25\n");
    let unrecorded = plan(&context, &["--plan"]);
    context.file("embedded/requirements.txt", "packaging>=24\n");
    assert_eq!(plan(&context, &[])["action"], "reuse");
    context.file("embedded/requirements.txt", "packaging>=25\n");
    let recorded = plan(&context, &["--plan"]);
    assert_eq!(recorded, unrecorded);
    assert_eq!(
        recorded["reasons"][0],
        "the parent project project's .venv has packaging 24.0, but packaging>=25 is required"
    );
    let python = parent.join("bin/python");
    fs_err::remove_file(&python).unwrap();
    fs_err::os::unix::fs::symlink("/nowhere/python3", &python).unwrap();
    let before = bytes_of(&parent);
    let error = context.error(&["setup", "--repair"]);
    assert_eq!(
        error["help"],
        "repair the parent project's environment, or set force_isolation = true"
    );
    assert_eq!(bytes_of(&parent), before);
}

#[test]
fn forced_isolation_leaves_a_sound_environment_alone() {
    let Some(context) = with_uv() else { return };
    context.file(
        "toolroom.toml",
        "[python_environment]\nforce_isolation = true\n",
    );
    context.file("requirements.txt", "six\n");
    venv(&context, ".venv", &["six"]);
    let done = plan(&context, &[]);
    assert_eq!(
        done["environment"], "[PROJECT]/.ai/scripts/.venv",
        "{done:#}"
    );
    assert_eq!(plan(&context, &[])["action"], "reuse");
}

#[test]
fn an_install_that_would_break_an_installed_package_isolates() {
    let Some(context) = with_uv() else { return };
    context.file(
        "toolroom.toml",
        "[python_environment]\nconflict_tolerance = \"lenient\"\n",
    );
    let theirs = venv(&context, ".venv", &["requests==2.31.0", "urllib3==1.26.18"]);
    // requests 2.31 needs urllib3 from 1.21.1 on.
    context.file("requirements.txt", "urllib3<1.21\n");
    let done = plan(&context, &["--plan"]);
    assert_eq!(done["action"], "create", "{done:#}");
    let breaks = done["conflicts"][0]["breaks"][0]
        .as_str()
        .unwrap_or_default();
    assert!(breaks.contains("requests"), "{done:#}");
    assert!(
        uv(
            &context,
            &[
                "pip",
                "check",
                "--python",
                theirs.join("bin/python").to_str().unwrap()
            ]
        )
        .is_empty()
    );
}

#[test]
fn undo_removes_what_setup_made_and_nothing_else() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "pluggy>=1.5\n");
    let theirs = venv(&context, ".venv", &["pluggy==0.13.1"]);
    let before = bytes_of(&theirs);
    plan(&context, &[]);
    assert!(context.project().join(".ai/scripts/.venv").exists());
    context.data(&["setup", "--undo"]);
    assert!(!context.project().join(".ai/scripts/.venv").exists());
    assert_eq!(bytes_of(&theirs), before);
    assert_eq!(
        context.data(&["env", "python"])["interpreter"]["place"],
        "project"
    );
}

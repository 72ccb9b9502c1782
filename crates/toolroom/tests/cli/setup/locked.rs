//! Python projects with a lockfile: what is installed is what is locked.

use std::path::PathBuf;

use toolroom_test::TestContext;

use super::{WHERE, bytes_of, frozen, plan, python, runs_in, uv, venv, with_uv};

/// A project that is locked to an older six than the newest.
fn project(dependencies: &str) -> Option<TestContext> {
    let context = with_uv()?;
    let head = "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.9\"\n";
    let groups = "\n[project.optional-dependencies]\nlong = [\"idna\"]\n\n[dependency-groups]\ndev = [\"pluggy\"]\n";
    context.file(
        "pyproject.toml",
        format!("{head}dependencies = [\"six==1.16.0\"]\n{groups}"),
    );
    uv(&context, &["lock", "-q", "--python", &python()]);
    context.file(
        "pyproject.toml",
        format!("{head}dependencies = [{dependencies}]\n{groups}"),
    );
    Some(context)
}

fn environment(context: &TestContext) -> PathBuf {
    context.project().join(".venv")
}

#[test]
fn a_locked_project_is_installed_as_it_is_locked() {
    let Some(context) = project("\"six\"") else {
        return;
    };
    context.tool("where.py", WHERE);
    let lock = fs_err::read(context.project().join("uv.lock")).unwrap();
    let done = plan(&context, &[]);
    assert_eq!(done["applied"], true, "{done:#}");
    let words = done["commands"][1].as_array().unwrap();
    for word in ["sync", "--frozen"] {
        assert!(words.iter().any(|other| other == word), "{done:#}");
    }
    assert_eq!(frozen(&context, &environment(&context)), ["six==1.16.0"]);
    assert_eq!(
        fs_err::read(context.project().join("uv.lock")).unwrap(),
        lock
    );
    assert_eq!(runs_in(&context, "where"), environment(&context));
    assert_eq!(plan(&context, &[])["action"], "reuse");
}

#[test]
fn what_the_manifest_asks_for_and_the_lock_does_not_know_is_a_failure() {
    let Some(context) = project("\"six\", \"packaging\"") else {
        return;
    };
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "provision::not_verified", "{error:#}");
    assert!(
        error["message"].as_str().unwrap().contains("packaging"),
        "{error:#}"
    );
    assert!(!environment(&context).exists());
}

#[test]
fn an_environment_that_has_all_is_reused_whatever_is_locked() {
    let Some(context) = project("\"six\"") else {
        return;
    };
    let theirs = venv(&context, ".venv", &["six==1.17.0"]);
    let before = bytes_of(&theirs);
    assert_eq!(plan(&context, &[])["action"], "reuse");
    assert_eq!(bytes_of(&theirs), before);
}

#[test]
fn an_install_never_replaces_what_a_users_environment_has_by_what_is_locked() {
    let Some(context) = with_uv() else { return };
    let text = "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.9\"\ndependencies = [\"python-dateutil==2.8.2\", \"idna==3.7\"]\n";
    context.file("pyproject.toml", text);
    uv(&context, &["lock", "-q", "--python", &python()]);
    // python-dateutil needs six, which the lock has in another version than they have.
    let theirs = venv(&context, ".venv", &["idna==3.7", "six==1.15.0"]);
    let before = bytes_of(&theirs);
    let done = plan(&context, &[]);
    assert_eq!(done["action"], "create", "{done:#}");
    assert_eq!(done["conflicts"][0]["package"], "six", "{done:#}");
    assert_eq!(bytes_of(&theirs), before);
    let own = context.project().join(".ai/scripts/.venv");
    assert_eq!(frozen(&context, &own).len(), 3);
}

#[test]
fn what_is_missing_is_added_from_the_lock() {
    let Some(context) = project("\"six\"") else {
        return;
    };
    let theirs = venv(&context, ".venv", &["idna==3.7"]);
    let done = plan(&context, &[]);
    assert_eq!(done["action"], "install-missing", "{done:#}");
    assert_eq!(frozen(&context, &theirs), ["idna==3.7", "six==1.16.0"]);
}

#[test]
fn extras_and_groups_are_installed_where_the_settings_name_them() {
    let settings = "[python_environment]\nextras = [\"long\"]\ngroups = [\"dev\"]\n";
    let names = |context: &TestContext| -> Vec<String> {
        let packages = frozen(context, &environment(context)).into_iter();
        packages
            .filter_map(|package| Some(package.split_once("==")?.0.to_owned()))
            .collect()
    };
    let Some(context) = project("\"six\"") else {
        return;
    };
    context.file("toolroom.toml", settings);
    plan(&context, &[]);
    assert_eq!(names(&context), ["idna", "pluggy", "six"]);
    let Some(context) = project("\"six\"") else {
        return;
    };
    fs_err::remove_file(context.project().join("uv.lock")).unwrap();
    context.file("toolroom.toml", settings);
    plan(&context, &[]);
    assert_eq!(names(&context), ["idna", "pluggy", "six"]);
}

#[test]
fn a_requirements_file_beside_a_locked_project_is_installed_too() {
    let Some(context) = project("\"six\"") else {
        return;
    };
    context.file("requirements.txt", "idna==3.7\n");
    plan(&context, &[]);
    let installed = frozen(&context, &environment(&context));
    assert_eq!(installed, ["idna==3.7", "six==1.16.0"]);
}

#[test]
fn without_uv_a_locked_project_is_not_installed_from_anything_else() {
    let Some(mut context) = project("\"six\"") else {
        return;
    };
    context.set_env("PATH", toolroom_test::usual_path(&[]));
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "provision::no_program", "{error:#}");
}

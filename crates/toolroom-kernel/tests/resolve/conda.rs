//! Conda: a base is what is everywhere, a child is what was chosen, and neither follows a
//! call into another environment.

use serde_json::json;

use crate::support::{Context, code};

#[test]
fn a_conda_child_wins_and_the_base_comes_last() {
    let mut context = Context::new();
    context.folder("conda/conda-meta");
    let base = context.executable("conda/bin/python3");
    context.folder("conda/envs/child/conda-meta");
    let child = context.executable("conda/envs/child/bin/python3");
    let conda = |context: &Context| {
        context
            .find(json!({"type": "conda_env"}))
            .unwrap()
            .interpreter()
            .unwrap()
            .clone()
    };

    let (base_prefix, child_prefix) = (context.text("conda"), context.text("conda/envs/child"));
    context.set("CONDA_PREFIX", &base_prefix);
    context.set("CONDA_DEFAULT_ENV", "base");
    assert_eq!(
        (conda(&context).path, conda(&context).place.as_str()),
        (base.clone(), "system")
    );
    context.folder("project/.conda/conda-meta");
    let project = context.executable("project/.conda/bin/python3");
    assert_eq!(conda(&context).path, project);
    fs_err::remove_dir_all(context.path("project/.conda")).unwrap();

    context.set("CONDA_PREFIX", &child_prefix);
    context.set("CONDA_DEFAULT_ENV", "child");
    assert_eq!(
        (conda(&context).path, conda(&context).place.as_str()),
        (child.clone(), "project")
    );
    context.set("CONDA_DEFAULT_ENV", &child_prefix);
    assert_eq!(conda(&context).place, "project");
    context.set("_CONDA_ROOT", &child_prefix);
    assert_eq!(conda(&context).place, "system");
    context.file("conda/envs/child/conda-meta/pixi", "");
    assert_eq!(conda(&context).place, "project");
}

#[test]
fn a_conda_environment_that_is_asked_for_by_name_is_not_replaced_by_another() {
    let mut context = Context::new();
    context.folder("conda/conda-meta");
    context.executable("conda/bin/python3");
    let prefix = context.text("conda");
    context.set("CONDA_PREFIX", prefix);
    assert_eq!(
        code(context.find(json!({"type": "conda_env", "env_name": "none"}))),
        "resolve::interpreter_not_found"
    );
}

#[test]
fn an_active_conda_environment_is_left_for_the_projects_own() {
    let mut context = Context::new();
    context.venv("project/.venv", "3.11.4");
    context.folder("conda/conda-meta");
    let prefix = context.text("conda");
    for (name, value) in [
        ("CONDA_PREFIX", prefix.as_str()),
        ("CONDA_DEFAULT_ENV", "base"),
        ("CONDA_PROMPT_MODIFIER", "(base)"),
        ("CONDA_EXE", "/opt/conda/bin/conda"),
    ] {
        context.set(name, value);
    }
    let env = context.python().unwrap().env;
    let unset: Vec<_> = env.unset().collect();
    assert_eq!(
        unset,
        ["CONDA_DEFAULT_ENV", "CONDA_PREFIX", "CONDA_PROMPT_MODIFIER"]
    );
    assert_eq!(env.get("CONDA_EXE"), Some("/opt/conda/bin/conda"));
}

#[test]
fn an_interpreter_without_an_environment_keeps_the_conda_that_path_leads_to() {
    let mut context = Context::new();
    context.folder("conda/conda-meta");
    let python = context.executable("conda/bin/python3");
    context.prepend_path("conda/bin");
    let prefix = context.text("conda");
    context.set("CONDA_PREFIX", &prefix);
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, python);
    assert_eq!(resolution.env.get("CONDA_PREFIX"), Some(prefix.as_str()));
}

#[test]
fn a_conda_environment_leaves_the_virtual_one_that_was_active() {
    let mut context = Context::new();
    context.folder("home/miniforge3/envs/web/conda-meta");
    context.executable("home/miniforge3/envs/web/bin/python");
    context.venv("other/.venv", "3.11.4");
    context.prepend_path("other/.venv/bin");
    let other = context.text("other/.venv");
    context.set("VIRTUAL_ENV", other);
    let found = context
        .find(json!({"type": "conda_env", "env_name": "web"}))
        .unwrap();
    assert_eq!(found.env.get("VIRTUAL_ENV"), None);
    assert_eq!(found.env.get("CONDA_DEFAULT_ENV"), Some("web"));
    let path = format!(
        "{}:{}",
        context.text("home/miniforge3/envs/web/bin"),
        context.text("bin")
    );
    assert_eq!(found.env.get("PATH"), Some(path.as_str()));
}

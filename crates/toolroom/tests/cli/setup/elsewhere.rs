//! What is known to go wrong in other programs that prepare environments.

use super::{bytes_of, frozen, plan, python, real, runs_in, venv, with_uv};

#[test]
fn a_package_is_known_by_its_metadata_and_not_by_what_is_imported() {
    let Some(context) = with_uv() else { return };
    let packages = ["PyYAML", "PyPDF2==3.0.1", "python-dateutil", "PyGithub"];
    let theirs = venv(&context, ".venv", &packages);
    let before = bytes_of(&theirs);
    let text = "pyyaml>=5\nPyPDF2>=3\nPython_DateUtil>=2\npygithub>=2\n";
    context.file("requirements.txt", text);
    let done = plan(&context, &[]);
    assert_eq!(done["action"], "reuse", "{done:#}");
    assert_eq!(bytes_of(&theirs), before);
}

#[test]
fn requirements_are_arguments_and_never_shell_text() {
    let Some(context) = with_uv() else { return };
    let source = "\"\"\"Needs packages.\"\"\"\n__requires__ = [\"six>=1.15,<1.17\", \"idna>=3; python_version < '4'\", \"tomli>=99; python_version < '3'\"]\n\n\ndef main() -> str:\n    import sys\n    return sys.prefix\n";
    context.tool("a.py", source);
    let before = bytes_of(&context.project());
    plan(&context, &["a"]);
    assert_eq!(
        bytes_of(&context.project()),
        before,
        "no file called =1.15 is left"
    );
    let installed = frozen(&context, &runs_in(&context, "a"));
    assert_eq!(installed.len(), 2, "{installed:?}");
    assert!(
        installed.contains(&"six==1.16.0".to_owned()),
        "{installed:?}"
    );
}

#[test]
fn what_is_missing_is_installed_in_the_version_that_is_asked_for() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "six\nidna<3.7\n");
    let theirs = venv(&context, ".venv", &["six==1.16.0"]);
    plan(&context, &[]);
    assert_eq!(frozen(&context, &theirs), ["idna==3.6", "six==1.16.0"]);
}

#[test]
fn every_form_of_a_python_range_is_understood() {
    let Some(context) = with_uv() else { return };
    for range in ["~=3.7", "==3.*", "!=3.5.*", ">=3", ">=3.7,<4", "!=3.0rc1"] {
        let text = format!(
            "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \"{range}\"\ndependencies = [\"six\"]\n"
        );
        context.file("pyproject.toml", text);
        let planned = plan(&context, &["--plan"]);
        assert_eq!(planned["action"], "create", "{range}: {planned:#}");
    }
}

#[test]
fn an_environment_of_another_python_than_is_asked_for_is_a_conflict() {
    let Some(context) = with_uv() else { return };
    context.file("pyproject.toml", "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \"<3\"\ndependencies = [\"six\"]\n");
    venv(&context, ".venv", &["six"]);
    let planned = plan(&context, &["--plan"]);
    assert_eq!(
        planned["conflicts"][0]["package"], "interpreter",
        "{planned:#}"
    );
    assert_ne!(planned["action"], "reuse");
}

#[test]
fn a_file_that_only_looks_like_a_python_is_no_environment() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "six\n");
    context.executable(".venv/bin/python", "fake");
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "provision::refused", "{error:#}");
    let check = context.run(&["preset", "check", "python_environment", "--json"]);
    let answer = check.json().to_string();
    assert!(answer.contains("\"broken\""), "{answer}");
}

#[test]
fn without_uv_an_environment_that_has_all_is_reused() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "six\n");
    venv(&context, ".venv", &["six"]);
    let mut bare = context;
    bare.set_env("PATH", toolroom_test::usual_path(&[]));
    assert_eq!(plan(&bare, &[])["action"], "reuse");
    let check = bare.data(&["preset", "check", "python_environment"]);
    assert!(check.to_string().contains("\"healthy\""), "{check:#}");
}

#[test]
fn nothing_is_written_where_the_command_is_started_from() {
    let Some(mut context) = with_uv() else { return };
    context.file("requirements.txt", "six\n");
    let project = context.project();
    let elsewhere = context.root().join("elsewhere");
    fs_err::create_dir(&elsewhere).unwrap();
    context.enter(&elsewhere);
    plan(&context, &["--project", project.to_str().unwrap()]);
    assert_eq!(fs_err::read_dir(&elsewhere).unwrap().count(), 0);
    assert!(project.join(".venv/pyvenv.cfg").is_file());
}

#[test]
fn the_global_python_is_never_installed_into() {
    let Some(context) = with_uv() else { return };
    let everything = || super::uv(&context, &["pip", "freeze", "--python", &python()]);
    let before = everything();
    context.file("requirements.txt", "six\nidna\n");
    plan(&context, &[]);
    assert_eq!(everything(), before);
}

/// An interpreter of its own prefix, whose packages are the machine's.
fn with_global(packages: &str) -> Option<toolroom_test::TestContext> {
    let context = with_uv()?;
    let prefix = context.root().join("global");
    let version = super::uv(
        &context,
        &[
            "run",
            "--no-project",
            "--python",
            &python(),
            "python",
            "-c",
            "import sys; print('%d.%d' % sys.version_info[:2])",
        ],
    );
    let library = prefix.join(format!("lib/python{}/site-packages", version.trim()));
    fs_err::create_dir_all(prefix.join("bin")).unwrap();
    fs_err::os::unix::fs::symlink(python(), prefix.join("bin/python3")).unwrap();
    super::uv(
        &context,
        &[
            "pip",
            "install",
            "-q",
            "--python",
            &python(),
            "--target",
            library.to_str()?,
            packages,
        ],
    );
    let uv = toolroom_test::tool("uv/bin/uv")?;
    let mut context = context;
    let folders = [prefix.join("bin"), uv.parent()?.to_path_buf()];
    context.set_env("PATH", toolroom_test::usual_path(&folders));
    Some(context)
}

#[test]
fn a_global_python_that_has_all_is_used_only_where_that_is_allowed() {
    let Some(context) = with_global("six") else {
        return;
    };
    context.file("requirements.txt", "six\n");
    let planned = plan(&context, &["--plan"]);
    assert_eq!(planned["action"], "create", "{planned:#}");
    context.file(
        "toolroom.toml",
        "[python_environment]\nallow_global_python = true\n",
    );
    let global = context.root().join("global");
    let before = bytes_of(&global);
    let done = plan(&context, &[]);
    assert_eq!(
        (done["action"].as_str(), &done["environment"]),
        (Some("reuse"), &serde_json::Value::Null),
        "{done:#}"
    );
    context.file("requirements.txt", "six\nidna\n");
    assert_eq!(plan(&context, &[])["action"], "create");
    assert_eq!(bytes_of(&global), before);
}

#[test]
fn a_python_that_the_system_guards_is_named_as_such() {
    let Some(context) = with_global("six") else {
        return;
    };
    context.file("requirements.txt", "idna\n");
    let library = fs_err::read_dir(context.root().join("global/lib"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    context.file(
        library.path().join("EXTERNALLY-MANAGED"),
        "[externally-managed]\n",
    );
    let planned = plan(&context, &["--plan"]);
    assert!(
        planned["reasons"]
            .to_string()
            .contains("the system guards its packages"),
        "{planned:#}"
    );
}

#[test]
fn an_environment_that_cannot_be_analysed_is_left_alone_with_a_warning() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "six\n");
    let theirs = venv(&context, ".venv", &["six==1.16.0"]);
    let library = fs_err::read_dir(theirs.join("lib"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let metadata = library.join("site-packages/six-1.16.0.dist-info/METADATA");
    // It is a link into the cache, which is everybody's.
    fs_err::remove_file(&metadata).unwrap();
    context.file(
        metadata,
        "Metadata-Version: 2.1\nName: six\nVersion: not a version\n",
    );
    let before = bytes_of(&theirs);
    let done = plan(&context, &[]);
    assert_eq!(done["action"], "create", "{done:#}");
    assert!(
        done["warnings"]
            .to_string()
            .contains("could not be analysed"),
        "{done:#}"
    );
    assert_eq!(bytes_of(&theirs), before);
    assert!(context.project().join(".ai/scripts/.venv").exists());
}

#[test]
fn a_fetched_interpreter_needs_a_word_from_the_user_for_presets_too() {
    let Some(context) = with_uv() else { return };
    context.file("pyproject.toml", "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.99\"\ndependencies = [\"six\"]\n");
    let run = context.run(&["preset", "apply", "python_environment"]);
    assert_eq!(run.status, 125, "{run}");
    assert!(run.to_string().contains("setup --yes"), "{run}");
    assert!(!context.project().join(".venv").exists());
}

#[test]
fn without_uv_a_python_that_nobody_has_is_not_looked_for_elsewhere() {
    let context = real(&[]);
    context.file(
        "pyproject.toml",
        "[project]\nname = \"x\"\nversion = \"1\"\nrequires-python = \">=3.99\"\ndependencies = [\"six\"]\n",
    );
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "provision::refused", "{error:#}");
    assert_eq!(error["help"], "install Python, or uv, which can bring one");
}

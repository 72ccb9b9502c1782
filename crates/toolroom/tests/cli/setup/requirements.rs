//! What is required, in all the ways it is written, installed for real.

use toolroom_test::TestContext;

use super::{bytes_of, frozen, plan, real, runs_in, venv, with_uv};

/// A package of the project's own.
fn library(context: &TestContext) {
    let text = "[project]\nname = \"own-library\"\nversion = \"1.0\"\ndependencies = [\"idna\"]\n\n[build-system]\nrequires = [\"setuptools\"]\nbuild-backend = \"setuptools.build_meta\"\n\n[tool.setuptools]\npy-modules = [\"own_library\"]\n";
    context.file("library/pyproject.toml", text);
    context.file("library/own_library.py", "VALUE = 1\n");
}

#[test]
fn a_requirements_file_is_installed_with_all_it_includes() {
    let Some(context) = with_uv() else { return };
    library(&context);
    let text = "-r more/base.txt\n-c limits.txt\n-e ./library  # ours\nrequests[socks]>=2 ; python_version >= \"3\"\ntomli>=99; python_version < \"3\"\n";
    context.file("requirements.txt", text);
    context.file("more/base.txt", "six>=1.15\n");
    context.file("limits.txt", "six<1.17\nidna==3.7\n");
    let done = plan(&context, &[]);
    assert_eq!(done["applied"], true, "{done:#}");
    let installed = frozen(&context, &context.project().join(".venv"));
    for package in ["six==1.16.0", "idna==3.7"] {
        assert!(installed.contains(&package.to_owned()), "{installed:?}");
    }
    let has = |start: &str| {
        installed
            .iter()
            .any(|package| package.to_lowercase().starts_with(start))
    };
    assert!(
        has("pysocks") && has("-e file://") && !has("tomli"),
        "{installed:?}"
    );
    assert_eq!(plan(&context, &[])["action"], "reuse");
    context.file("limits.txt", "six<1.16\nidna==3.7\n");
    assert_ne!(plan(&context, &["--plan"])["action"], "reuse");
}

#[test]
fn a_new_environment_is_given_all_that_counts_here_and_named_as_an_audit_names_it() {
    let Some(context) = super::with_uv() else {
        return;
    };
    context.file("limits.txt", "idna<4\nabsent<1\n");
    context.file(
        "requirements.txt",
        "six>=1.15\nSix<2\nidna\nnever; sys_platform == 'nowhere'\n-c limits.txt\n",
    );
    let missing = serde_json::json!(["idna<4", "six<2,>=1.15"]);
    let new = plan(&context, &["--plan"]);
    assert_eq!(
        (&new["action"], &new["missing"]),
        (&"create".into(), &missing)
    );
    super::venv(&context, ".venv", &[]);
    let lacking = plan(&context, &["--plan"]);
    assert_eq!(lacking["action"], "install-missing");
    assert_eq!(lacking["missing"], missing);
    let python = context.project().join(".venv/bin/python");
    fs_err::remove_file(&python).unwrap();
    fs_err::os::unix::fs::symlink("/nowhere/python3", &python).unwrap();
    let anew = plan(&context, &["--plan", "--repair"]);
    assert_eq!(
        (&anew["action"], &anew["missing"]),
        (&"repair".into(), &missing)
    );
}

#[test]
fn hashes_are_the_installers_to_check() {
    let Some(context) = with_uv() else { return };
    let right = "8abb2f1d86890a2dfb989f9a77cfcfd3e47c2a354b01111771326f8aa26e0254";
    context.file(
        "requirements.txt",
        format!("six==1.16.0 --hash=sha256:{}\n", "0".repeat(64)),
    );
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "provision::failed", "{error:#}");
    assert!(!context.project().join(".venv").exists());
    context.file(
        "requirements.txt",
        format!("six==1.16.0 \\\n    --hash=sha256:{right}\n"),
    );
    assert_eq!(plan(&context, &[])["applied"], true);
    assert_eq!(plan(&context, &[])["action"], "reuse");
}

#[test]
fn a_url_is_met_by_what_came_from_it() {
    let Some(context) = with_uv() else { return };
    library(&context);
    let place = context.project().join("library");
    context.file(
        "requirements.txt",
        format!("own-library @ file://{}\n", place.display()),
    );
    assert_eq!(plan(&context, &[])["applied"], true);
    assert_eq!(plan(&context, &[])["action"], "reuse");
    let theirs = context.project().join(".venv");
    context.file("requirements.txt", "own-library @ file:///elsewhere\n");
    let planned = plan(&context, &["--plan"]);
    assert_ne!(planned["action"], "reuse", "{planned:#}");
    assert!(theirs.exists());
}

#[test]
fn without_ids_setup_is_about_the_project_and_every_tool() {
    let Some(context) = with_uv() else { return };
    context.file("requirements.txt", "six\n");
    let tool = "# /// script\n# dependencies = [\"idna\"]\n# ///\n\"\"\"Needs idna.\"\"\"\n\n\ndef main() -> str:\n    import idna, sys\n    return sys.prefix\n";
    context.tool("needs.py", tool);
    context.tool("plain.py", super::WHERE);
    let data = context.data(&["setup"]);
    let plans = data["plans"].as_array().unwrap();
    let targets: Vec<_> = plans
        .iter()
        .map(|plan| {
            (
                plan["target"].as_str().unwrap(),
                plan["action"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        targets,
        [("project", "create"), ("needs", "create")],
        "{data:#}"
    );
    assert_eq!(runs_in(&context, "plain"), context.project().join(".venv"));
    assert!(runs_in(&context, "needs").starts_with(context.home().join(".cache")));
    let again = context.data(&["setup"]);
    assert!(
        again["plans"]
            .as_array()
            .unwrap()
            .iter()
            .all(|plan| plan["action"] == "reuse"),
        "{again:#}"
    );
}

#[test]
fn a_package_on_the_projects_list_is_never_upgraded_in_place() {
    let Some(context) = with_uv() else { return };
    context.file("toolroom.toml", "[python_environment]\nconflict_tolerance = \"lenient\"\nmajor_packages = [\"Packaging\"]\n");
    context.file("requirements.txt", "packaging>=24.1\n");
    let theirs = venv(&context, ".venv", &["packaging==24.0"]);
    let before = bytes_of(&theirs);
    let done = plan(&context, &[]);
    assert_eq!(
        (
            done["action"].as_str(),
            done["conflicts"][0]["severity"].as_str()
        ),
        (Some("create"), Some("major")),
        "{done:#}"
    );
    assert_eq!(bytes_of(&theirs), before);
}

#[test]
fn making_an_environment_is_no_part_of_a_tools_own_time() {
    let Some(mut context) = with_uv() else { return };
    let uv = toolroom_test::tools().join("uv/bin/uv");
    let script = format!("#!/bin/sh\nsleep 1.5\nexec {} \"$@\"\n", uv.display());
    context.executable(context.root().join("slow/uv"), script);
    let slow = context.root().join("slow");
    context.set_env("PATH", toolroom_test::usual_path(&[slow]));
    let source = "\"\"\"Needs six.\"\"\"\nCONFIG = {\"env_setup\": {\"create\": True}, \"timeout\": 1}\n__requires__ = [\"six\"]\n\n\ndef main() -> str:\n    import six\n    return six.__version__\n";
    context.tool("a.py", source);
    let run = context.run(&["run", "a"]);
    assert_eq!(run.status, 0, "{run}");
}

#[test]
fn paths_reach_the_library_path_of_every_language() {
    let context = real(&[toolroom_test::tools().join("bin")]);
    context.file("lib/helper.py", "VALUE = 'helped'\n");
    context.file("lib/helper.js", "exports.VALUE = 'helped';\n");
    context.file("lib/helper.rb", "VALUE = 'helped'\n");
    let python = "\"\"\"Is helped.\"\"\"\nCONFIG = {\"env_setup\": {\"paths\": [\"lib\"]}}\n\n\ndef main() -> str:\n    import helper\n    return helper.VALUE\n";
    let node = "/** Is helped. */\nexports.config = { env_setup: { paths: [\"lib\"] } };\nexports.main = () => require(\"helper\").VALUE;\n";
    let ruby = "# ---\n# description: Is helped.\n# config: {env_setup: {paths: [lib]}}\n# ---\nrequire 'helper'\n\ndef main = VALUE\n";
    for (file, program, source) in [
        ("p.py", "python3", python),
        ("n.cjs", "node", node),
        ("r.rb", "ruby", ruby),
    ] {
        if toolroom_test::program(program).is_none() {
            continue;
        }
        context.tool(file, source);
        let tool = file.split('.').next().unwrap();
        assert_eq!(context.data(&["run", tool])["data"], "helped", "{file}");
    }
}

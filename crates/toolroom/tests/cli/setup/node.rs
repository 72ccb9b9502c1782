//! Node's package managers, real ones.

use std::process::{Command, Stdio};

use toolroom_test::{TestContext, program, tool};

use super::{plan, real};

/// A context with node and a package manager on PATH.
pub(super) fn with_node(name: &str) -> Option<TestContext> {
    let manager = match name {
        "npm" | "bun" => program(name)?,
        _ => tool(&format!("npm/node_modules/.bin/{name}"))?,
    };
    let folders = [manager, program("node")?].map(|file| file.parent().unwrap().to_path_buf());
    Some(real(&folders))
}

fn manifest(context: &TestContext, program: &str, version: &str) {
    let text = format!(
        "{{\"name\": \"x\", \"version\": \"1.0.0\", \"packageManager\": \"{program}@{version}\", \"dependencies\": {{\"left-pad\": \"^1.3.0\"}}}}"
    );
    context.file("package.json", text);
}

#[test]
fn packages_are_installed_then_reused_then_mended_by_each_package_manager() {
    for (program, version, lockfile, frozen) in [
        ("npm", "10.0.0", "package-lock.json", "ci"),
        ("pnpm", "9.0.0", "pnpm-lock.yaml", "--frozen-lockfile"),
        ("yarn", "1.22.0", "yarn.lock", "--frozen-lockfile"),
    ] {
        let Some(context) = with_node(program) else {
            continue;
        };
        manifest(&context, program, version);
        let done = plan(&context, &[]);
        assert_eq!(
            (done["action"].as_str(), done["applied"].as_bool()),
            (Some("create"), Some(true)),
            "{program}: {done:#}"
        );
        assert!(context.project().join(lockfile).is_file(), "{program}");
        assert_eq!(plan(&context, &[])["action"], "reuse", "{program}");
        fs_err::remove_dir_all(context.project().join("node_modules")).unwrap();
        let again = plan(&context, &["--plan"]);
        assert!(
            again["commands"][0]
                .as_array()
                .unwrap()
                .iter()
                .any(|word| word == frozen),
            "{program}: {again:#}"
        );
        assert_eq!(plan(&context, &[])["applied"], true, "{program}");
    }
}

#[test]
fn several_lockfiles_without_a_word_on_them_are_an_error_that_names_them() {
    let context = crate::context();
    context.file("package.json", "{\"dependencies\": {\"left-pad\": \"1\"}}");
    context.file("yarn.lock", "");
    context.file("package-lock.json", "{}");
    let error = context.error(&["setup", "--plan"]);
    assert_eq!(error["code"], "provision::several_lockfiles");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("package-lock.json, yarn.lock"),
        "{error:#}"
    );
}

#[test]
fn a_package_manager_that_is_not_installed_is_named() {
    let mut context = crate::context();
    context.set_env("PATH", "/nowhere");
    context.file(
        "package.json",
        "{\"packageManager\": \"bun@1.2.0\", \"dependencies\": {\"left-pad\": \"1\"}}",
    );
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "provision::no_program", "{error:#}");
    assert!(error["message"].as_str().unwrap().contains("bun"));
}

pub(super) const MODERN_YARN: &str = "4.9.2";

/// A context with a modern yarn before the classic one.
pub(super) fn with_modern_yarn() -> Option<TestContext> {
    let yarn = tool("yarn-4/node_modules/.bin/yarn")?;
    let folders = [yarn, program("node")?].map(|file| file.parent().unwrap().to_path_buf());
    Some(real(&folders))
}

pub(super) const IMPORTS: &str =
    "/** Pads. */\nimport pad from \"left-pad\";\nexport const main = () => pad(\"x\", 3);\n";
pub(super) const REQUIRES: &str =
    "/** Pads. */\nconst pad = require(\"left-pad\");\nexports.main = () => pad(\"x\", 3);\n";

#[test]
fn plug_and_play_reaches_a_tool_that_imports_and_one_that_requires() {
    for folder in ["plain", "with space"] {
        let Some(mut context) = with_modern_yarn() else {
            return;
        };
        context.enter(folder);
        let text = format!(
            "{{\"name\": \"x\", \"packageManager\": \"yarn@{MODERN_YARN}\", \"dependencies\": {{\"left-pad\": \"1.3.0\"}}}}"
        );
        context.file(format!("{folder}/package.json"), text);
        context.file(format!("{folder}/.ai/tools/imports.mjs"), IMPORTS);
        context.file(format!("{folder}/.ai/tools/requires.cjs"), REQUIRES);
        let done = plan(&context, &[]);
        assert_eq!(done["applied"], true, "{done:#}");
        let project = context.project().join(folder);
        assert!(project.join(".pnp.cjs").is_file() && !project.join("node_modules").exists());
        assert_eq!(
            context.data(&["run", "requires"])["data"],
            "  x",
            "{folder}"
        );
        assert_eq!(context.data(&["run", "imports"])["data"], "  x", "{folder}");
        assert_eq!(plan(&context, &[])["action"], "reuse", "{folder}");
        let words = context.data(&["setup", "--plan"]);
        assert_eq!(words["plans"][0]["commands"], serde_json::json!([]));
    }
}

#[test]
fn a_modern_yarn_without_plug_and_play_makes_a_folder() {
    let Some(context) = with_modern_yarn() else {
        return;
    };
    context.file(".yarnrc.yml", "nodeLinker: node-modules\n");
    manifest(&context, "yarn", MODERN_YARN);
    assert_eq!(plan(&context, &[])["applied"], true);
    assert_eq!(plan(&context, &[])["action"], "reuse");
    fs_err::remove_dir_all(context.project().join("node_modules")).unwrap();
    let again = plan(&context, &[]);
    let is_frozen = again["commands"].to_string().contains("--immutable");
    assert!(is_frozen && again["applied"] == true, "{again:#}");
}

const OWN: &str = "/** Pads. */\nimport { createRequire } from \"node:module\";\nimport pad from \"left-pad\";\nexport const requires = [\"left-pad@1.3.0\", \"is-odd@^3.0.0\"];\nconst isOdd = createRequire(import.meta.url)(\"is-odd\");\nexport const main = () => [pad(\"x\", 3), isOdd(3)];\n";

#[test]
fn a_tool_that_requires_packages_has_them_wherever_it_is() {
    let Some(context) = with_node("npm") else {
        return;
    };
    context.tool("mine.mjs", OWN);
    context.user_tool("theirs.mjs", OWN);
    let error = context.error(&["run", "mine"]);
    assert_eq!(error["code"], "provision::not_prepared", "{error:#}");
    assert_eq!(error["help"], "toolroom setup mine prepares it");
    let before = super::bytes_of(&context.project());
    let done = plan(&context, &["mine"]);
    assert_eq!(done["action"], "create", "{done:#}");
    assert_eq!(
        done["missing"],
        serde_json::json!(["is-odd ^3.0.0", "left-pad 1.3.0"])
    );
    assert_eq!(super::bytes_of(&context.project()), before);
    for tool in ["mine", "theirs"] {
        let data = &context.data(&["run", tool])["data"];
        assert_eq!(data, &serde_json::json!(["  x", true]), "{tool}");
    }
    assert_eq!(
        plan(&context, &["theirs"])["action"],
        "reuse",
        "they share it"
    );
}

#[test]
fn a_tools_own_version_comes_before_the_projects() {
    let Some(context) = with_node("npm") else {
        return;
    };
    context.file(
        "node_modules/left-pad/package.json",
        "{\"name\": \"left-pad\", \"version\": \"0.0.1\", \"main\": \"index.js\"}",
    );
    context.file(
        "node_modules/left-pad/index.js",
        "module.exports = () => \"old\";\n",
    );
    context.tool("mine.mjs", OWN);
    context.tool("old.mjs", IMPORTS);
    plan(&context, &["mine"]);
    assert_eq!(context.data(&["run", "mine"])["data"][0], "  x");
    assert_eq!(context.data(&["run", "old"])["data"], "old");
}

#[test]
fn a_project_that_has_what_a_tool_requires_lends_its_packages() {
    let Some(context) = with_node("npm") else {
        return;
    };
    let text =
        "{\"name\": \"x\", \"dependencies\": {\"left-pad\": \"1.3.0\", \"is-odd\": \"3.0.1\"}}";
    context.file("package.json", text);
    context.data(&["setup"]);
    context.tool("mine.mjs", OWN);
    assert_eq!(plan(&context, &["mine"])["action"], "reuse");
    assert_eq!(context.data(&["run", "mine"])["data"][0], "  x");
    assert!(!context.home().join(".cache/toolroom/environments").exists());
}

#[test]
fn create_installs_a_tools_packages_on_the_first_run() {
    let Some(context) = with_node("npm") else {
        return;
    };
    let source = OWN.replace(
        "export const requires",
        "export const config = { env_setup: { create: true } };\nexport const requires",
    );
    context.tool("mine.mjs", source);
    let first = context.run(&["run", "mine"]);
    assert_eq!(first.status, 0, "{first}");
    assert!(
        first.stderr.contains("mine (npm_dependencies): install"),
        "{first}"
    );
    let second = context.run(&["run", "mine"]);
    assert_eq!((second.status, second.stderr.as_str()), (0, ""), "{second}");
}

#[test]
fn a_manifest_may_have_another_name() {
    let Some(context) = with_node("npm") else {
        return;
    };
    context.file(
        "web/package.json",
        "{\"name\": \"x\", \"dependencies\": {\"left-pad\": \"1.3.0\"}}",
    );
    let source = IMPORTS.replace("export const main", "export const config = { env_setup: { package_json: \"web/package.json\" } };\nexport const main");
    context.file("web/tools/pad.mjs", &source);
    context.tool("pad.mjs", &source);
    let done = plan(&context, &["pad"]);
    assert_eq!(
        done["environment"], "[PROJECT]/web/node_modules",
        "{done:#}"
    );
    assert!(context.project().join("web/node_modules/left-pad").is_dir());
}

#[test]
fn a_folder_that_setup_made_is_ignored_by_git_and_removed_by_undo() {
    let Some(context) = with_node("npm") else {
        return;
    };
    let git = |args: &[&str]| {
        let output = Command::new("git")
            .args(args)
            .current_dir(context.project())
            .output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    git(&["init", "-q"]);
    manifest(&context, "npm", "10.0.0");
    plan(&context, &[]);
    let status = git(&["status", "--porcelain"]);
    assert!(!status.contains("node_modules"), "{status}");
    context.data(&["setup", "--undo"]);
    assert!(!context.project().join("node_modules").exists());
}

#[test]
fn undo_removes_the_lockfile_that_setup_wrote_unless_it_is_another_by_now() {
    let Some(context) = with_node("npm") else {
        return;
    };
    manifest(&context, "npm", "10.0.0");
    let lockfile = context.project().join("package-lock.json");
    plan(&context, &[]);
    let written = fs_err::read(&lockfile).unwrap();
    context.data(&["setup", "--undo"]);
    assert!(!lockfile.exists());
    fs_err::write(&lockfile, written).unwrap();
    plan(&context, &[]);
    context.data(&["setup", "--undo"]);
    assert!(lockfile.exists(), "setup did not write this one");
    fs_err::remove_file(&lockfile).unwrap();
    plan(&context, &[]);
    let text = fs_err::read_to_string(&lockfile).unwrap();
    fs_err::write(&lockfile, text + "\n").unwrap();
    context.data(&["setup", "--undo"]);
    assert!(lockfile.exists(), "it was changed since");
}

#[test]
fn a_folder_that_was_there_is_never_removed() {
    let Some(context) = with_node("npm") else {
        return;
    };
    manifest(&context, "npm", "10.0.0");
    context.file("node_modules/.mine/keep.txt", "mine\n");
    plan(&context, &[]);
    context.data(&["setup", "--undo"]);
    assert!(
        context
            .project()
            .join("node_modules/.mine/keep.txt")
            .is_file()
    );
}

#[test]
fn an_install_that_fails_leaves_packages_byte_for_byte() {
    for (program, version) in [("npm", "10.0.0"), ("pnpm", "9.0.0"), ("yarn", "1.22.0")] {
        let Some(context) = with_node(program) else {
            continue;
        };
        manifest(&context, program, version);
        plan(&context, &[]);
        let folder = context.project().join("node_modules");
        let before = super::bytes_of(&folder);
        let text = format!(
            "{{\"name\": \"x\", \"version\": \"1.0.0\", \"packageManager\": \"{program}@{version}\", \"dependencies\": {{\"left-pad\": \"^1.3.0\", \"no-such-package-of-toolroom-tests\": \"1\"}}}}"
        );
        context.file("package.json", text);
        let error = context.error(&["setup"]);
        assert_eq!(error["code"], "provision::failed", "{program}: {error:#}");
        assert_eq!(super::bytes_of(&folder), before, "{program}");
        fs_err::remove_dir_all(&folder).unwrap();
        context.error(&["setup"]);
        assert!(!folder.exists(), "{program}: nothing half-made is left");
    }
}

#[test]
fn packages_of_a_killed_install_are_not_used_and_installed_again() {
    let Some(mut context) = with_node("npm") else {
        return;
    };
    manifest(&context, "npm", "10.0.0");
    context.tool("imports.mjs", IMPORTS);
    let script = "#!/bin/sh\nmkdir -p node_modules/left-pad\necho '{\"name\": \"left-pad\", \"version\": \"1.3.0\"}' > node_modules/left-pad/package.json\nsleep 600\n";
    let stuck = context.executable(context.root().join("stuck/npm"), script);
    let usual = context.command(&["env"]);
    let path = usual
        .get_envs()
        .find(|(name, _)| *name == "PATH")
        .unwrap()
        .1
        .unwrap()
        .to_owned();
    let folders = [stuck.parent().unwrap().to_path_buf()];
    let with_stuck =
        std::env::join_paths(folders.into_iter().chain(std::env::split_paths(&path))).unwrap();
    context.set_env("PATH", with_stuck);
    let mut killed = context
        .command(&["setup"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let half = context.project().join("node_modules/left-pad/package.json");
    super::faults::wait_until("the install begins", || half.exists());
    killed.kill().unwrap();
    killed.wait().unwrap();
    let error = context.error(&["run", "imports"]);
    assert_eq!(error["code"], "provision::unfinished", "{error:#}");
    context.set_env("PATH", path);
    let done = plan(&context, &[]);
    assert_eq!(
        (done["action"].as_str(), done["applied"].as_bool()),
        (Some("repair"), Some(true)),
        "{done:#}"
    );
    assert_eq!(context.data(&["run", "imports"])["data"], "  x");
}

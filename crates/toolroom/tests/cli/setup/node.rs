//! Node's package managers, real ones.

use toolroom_test::{TestContext, program, tool};

use super::{plan, real};

/// A context with node and a package manager on PATH.
fn with_node(name: &str) -> Option<TestContext> {
    let manager = match name {
        "npm" => program(name)?,
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

#[test]
fn plug_and_play_reaches_a_tool_that_runs() {
    let Some(mut context) = with_node("npm") else {
        return;
    };
    context.enter("with space");
    context.file(
        "with space/package.json",
        "{\"packageManager\": \"yarn@4.1.0\", \"dependencies\": {\"left-pad\": \"1\"}}",
    );
    context.file("with space/.pnp.cjs", "globalThis.plugged = true;\n");
    context.file("with space/.ai/tools/plugged.mjs", "/** Says whether it is plugged. */\nexport const main = () => globalThis.plugged === true;\n");
    assert_eq!(context.data(&["run", "plugged"])["data"], true);
}

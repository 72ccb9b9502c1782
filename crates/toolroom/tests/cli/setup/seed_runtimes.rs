//! Runtimes as seed 000 writes them: a command with a default, and `env_setup` alone.

use serde_json::json;
use toolroom_test::TestContext;

use super::node::with_node;
use super::with_uv;
use crate::env::venv;

/// A runtime that asks for an environment by `env_setup`, and for nothing else.
fn runtime(context: &TestContext, command: &str, more: &str) {
    let text = format!(
        "__tool_type__ = \"runtime\"\n__executor_id__ = \"subprocess\"\nCONFIG = {{\"command\": \"{command}\", \"env\": {{\"PYTHONUNBUFFERED\": \"1\"{more}}}, \"env_setup\": {{\"type\": \"python_venv\", \"create\": True, \"paths\": [\"lib\", \"lib.python\"]}}}}\n"
    );
    context.tool("rt/pyrt.py", text);
}

const TOOL: &str = "\"\"\"Says what it finds.\"\"\"\n__executor_id__ = \"pyrt\"\nimport idna, sys\nprint(sys.prefix)\n";

#[test]
fn a_tool_runs_in_the_environment_that_its_runtime_makes() {
    for variable in ["PYTHON_RUNTIME", "PROJECT_VENV_PYTHON"] {
        let Some(context) = with_uv() else { return };
        runtime(&context, &format!("${{{variable}:-python3}}"), "");
        context.file("requirements.txt", "idna>=3\n");
        context.tool("a.py", TOOL);
        for time in ["made", "found"] {
            let done = context.data(&["run", "a"]);
            let place = context.project().join(".venv");
            let said = done["stdout"].as_str().unwrap_or_default().trim();
            assert_eq!(said, "[PROJECT]/.venv", "{variable}, {time}: {done:#}");
            assert!(place.is_dir());
        }
    }
}

#[test]
fn an_environment_of_the_project_or_the_user_is_activated_for_it() {
    for (folder, place) in [
        (".venv", "[PROJECT]/.venv"),
        (".ai/scripts/.venv", "[PROJECT]/.ai/scripts/.venv"),
        ("../home/.ai/.venv", "[HOME]/.ai/.venv"),
    ] {
        let mut context = crate::context();
        context.set_env("PYTHONHOME", "/nope");
        runtime(&context, "${PYTHON_RUNTIME:-python3}", "");
        let at = context.project().join(folder);
        let at = std::path::absolute(at).unwrap();
        let at = at.to_str().unwrap().replace("project/../", "");
        venv(&context, &at);
        let data = context.data(&["env", "pyrt"]);
        let python = format!("{place}/bin/python3");
        for name in ["PYTHON_RUNTIME", "PROJECT_VENV_PYTHON"] {
            let expected = json!({"value": python, "origin": "interpreter PROJECT_VENV_PYTHON"});
            assert_eq!(data["env"][name], expected, "{folder}");
        }
        assert_eq!(data["env"]["VIRTUAL_ENV"]["value"], place);
        let path = data["env"]["PATH"]["value"].as_str().unwrap();
        assert!(path.starts_with(&format!("{place}/bin:")), "{path}");
        assert_eq!(data["unset"], json!(["PYTHONHOME"]));
        let run = context.run(&["exec", "pyrt", "--", "-V"]);
        assert!(run.stdout.contains("bin/python3 -V"), "{run}");
    }
}

#[test]
fn without_one_the_default_of_the_runtime_counts() {
    let mut context = crate::context();
    // A version that nobody has is no reason to fail: no interpreter is asked for.
    context.file(".python-version", "3.99\n");
    let folder = context.root().join("bin");
    context.executable(folder.join("python3"), "#!/bin/sh\necho the default\n");
    context.executable(
        context.home().join(".pyenv/versions/3.11.7/bin/python3"),
        "#!/bin/sh\necho of no environment\n",
    );
    context.set_env("PATH", toolroom_test::usual_path(&[folder]));
    runtime(&context, "${PYTHON_RUNTIME:-python3}", "");
    context.tool("a.py", TOOL);
    let data = context.data(&["env", "pyrt"]);
    assert_eq!(data["env"]["PYTHON_RUNTIME"], json!(null), "{data:#}");
    assert_eq!(data["tried"][0]["verdict"], "absent");
    assert_eq!(context.data(&["run", "a"])["stdout"], "the default\n");
}

#[test]
fn a_broken_one_is_an_error_and_never_passed_over() {
    let context = crate::context();
    runtime(&context, "${PYTHON_RUNTIME:-python3}", "");
    context.file(".venv/pyvenv.cfg", "home = /nowhere\n");
    let error = context.error(&["env", "pyrt"]);
    assert_eq!(error["code"], "resolve::broken_environment", "{error:#}");
}

#[test]
fn what_the_runtime_the_tool_and_the_caller_say_comes_after_it() {
    let context = crate::context();
    venv(&context, ".venv");
    context.file("lib/python/helper.py", "");
    runtime(
        &context,
        "${PYTHON_RUNTIME:-python3}",
        ", \"VIRTUAL_ENV\": \"mine\", \"SEEN\": \"${PROJECT_VENV_PYTHON} ${PYTHONPATH}\"",
    );
    context.tool(
        "a.py",
        "\"\"\"Sets one.\"\"\"\n__executor_id__ = \"pyrt\"\nCONFIG = {\"env\": {\"PYTHON_RUNTIME\": \"echo\"}}\n",
    );
    let env = &context.data(&["env", "a"])["env"];
    let said = json!({"value": "mine", "origin": "runtime rt/pyrt"});
    assert_eq!(env["VIRTUAL_ENV"], said);
    let said = json!({"value": "echo", "origin": "tool a"});
    assert_eq!(env["PYTHON_RUNTIME"], said);
    let library = "[PROJECT]/lib:[PROJECT]/lib/python";
    let said = json!({"value": library, "origin": "env_setup rt/pyrt"});
    assert_eq!(env["PYTHONPATH"], said);
    let seen = format!("[PROJECT]/.venv/bin/python3 {library}");
    assert_eq!(env["SEEN"]["value"], seen);
    let passed = context.data(&["run", "a", "--env", "PYTHON_RUNTIME=/bin/true"]);
    assert_eq!(passed["stdout"], "", "{passed:#}");
}

#[test]
fn a_runtime_that_declares_its_interpreter_is_left_to_its_own_words() {
    let context = crate::context();
    venv(&context, ".venv");
    let data = context.data(&["env", "python"]);
    assert_eq!(data["env"]["PYTHON_RUNTIME"], json!(null));
    assert_eq!(data["interpreter"]["var"], "RYE_PYTHON");
}

/// Seed 000's runtime for Node: a command, and where its packages are named.
fn node_runtime(context: &TestContext, manifest: &str) {
    let text = format!(
        "__tool_type__ = \"runtime\"\n__executor_id__ = \"subprocess\"\nCONFIG = {{\"command\": \"node\", \"env\": {{\"NODE_ENV\": \"production\"}}, \"env_setup\": {{\"type\": \"npm_dependencies\", \"package_json\": \"{manifest}\", \"create\": True}}}}\n"
    );
    context.tool("rt/nodert.py", text);
}

const PACKAGE: &str = "{\"name\": \"x\", \"dependencies\": {\"isarray\": \"2.0.5\"}}";

#[test]
fn packages_beside_a_manifest_are_found_wherever_it_is() {
    for manifest in ["sub/package.json", "package.json"] {
        let Some(context) = with_node("npm") else {
            return;
        };
        node_runtime(&context, manifest);
        context.file(manifest, PACKAGE);
        let source = "/** Requires. */\nexports.executor_id = \"nodert\";\nconsole.log(require(\"isarray\")([]));\n";
        // A tool of the user's is nowhere near the project.
        context.user_tool("far.cjs", source);
        context.tool("near.cjs", source);
        for tool in ["near", "far"] {
            let run = context.run(&["run", tool]);
            assert_eq!(run.stdout.trim(), "true", "{manifest}: {run}");
        }
        let folder = manifest.replace("package.json", "node_modules");
        let env = &context.data(&["env", "near"])["env"];
        let modules = format!("[PROJECT]/{folder}");
        let said = json!({"value": modules, "origin": "env_setup rt/nodert"});
        assert_eq!(env["NODE_PATH"], said);
        let path = env["PATH"]["value"].as_str().unwrap();
        assert!(path.starts_with(&format!("{modules}/.bin:")), "{path}");
    }
}

#[test]
fn a_manifest_elsewhere_serves_the_runtime_that_toolroom_brings_too() {
    let Some(context) = with_node("npm") else {
        return;
    };
    context.file("sub/package.json", PACKAGE);
    context.file("lib/own.js", "");
    context.tool(
        "a.cjs",
        "/** Requires. */\nexports.config = { env_setup: { package_json: \"sub/package.json\", create: true, paths: [\"lib\"] } };\nexports.main = () => require(\"isarray\")([]);\n",
    );
    assert_eq!(context.data(&["run", "a"])["data"], true);
    let env = &context.data(&["env", "a"])["env"];
    let both = "[PROJECT]/lib:[PROJECT]/sub/node_modules";
    assert_eq!(env["NODE_PATH"]["value"], both);
}

#[test]
fn the_nearest_packages_of_a_workspace_stay_the_first_on_the_path() {
    let mut context = crate::context();
    context.file("package.json", "{}");
    context.file("node_modules/.bin/tool", "");
    context.file("inner/node_modules/.bin/tool", "");
    context.enter("inner");
    let data = context.data(&["env", "node"]);
    let path = data["env"]["PATH"]["value"].as_str().unwrap();
    let at = |folder: &str| path.find(folder).unwrap_or_else(|| panic!("{path}"));
    assert!(at("inner/node_modules/.bin") < at("[PROJECT]/node_modules/.bin"));
}

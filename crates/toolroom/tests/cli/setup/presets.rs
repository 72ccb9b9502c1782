//! `preset list|check|apply`.

#[test]
fn presets_are_checked_applied_and_then_healthy() {
    let context = crate::context();
    let check = context.run(&["preset", "check", "ignore_environments"]);
    assert_eq!(check.status, 125, "{check}");
    let applied = context.data(&["preset", "apply", "ignore_environments"]);
    assert_eq!(applied["presets"][0]["status"], "success");
    let again = context.data(&["preset", "check", "ignore_environments"]);
    assert_eq!(again["presets"][0]["health"], "healthy");
}

#[test]
fn without_a_project_presets_are_listed_and_nothing_else() {
    let mut context = crate::context();
    context.enter("../elsewhere");
    for action in ["check", "apply"] {
        let output = context.run(&["preset", action, "ignore_environments", "--json"]);
        assert_eq!(output.status, 2, "{output}");
        assert_eq!(output.error()["code"], "usage::no_project");
    }
    let here = context.root().join("elsewhere");
    assert_eq!(fs_err::read_dir(here).unwrap().count(), 0);
    assert_eq!(context.run(&["preset", "list"]).status, 0);
}

#[test]
fn a_projects_own_preset_takes_its_settings_from_the_project() {
    let context = crate::context();
    context.tool(
        "presets/editor.yaml",
        "tool_type: preset\ndescription: Editor settings.\nprovider: lines\nconfig: {file: .editorconfig, lines: [root = true]}\nrequires: {presets: [ignore_environments]}\n",
    );
    context.file(
        "toolroom.toml",
        "[presets]\nuse = [\"editor\"]\n\n[presets.editor]\nlines = [\"root = false\"]\n",
    );
    let applied = context.data(&["preset", "apply"]);
    let names: Vec<&str> = applied["presets"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|preset| preset["name"].as_str())
        .collect();
    assert_eq!(names, ["ignore_environments", "editor"]);
    assert_eq!(
        fs_err::read_to_string(context.project().join(".editorconfig")).unwrap(),
        "root = false\n"
    );
}

#[test]
fn a_circle_and_a_preset_that_is_not_there_are_named() {
    let context = crate::context();
    for (name, requires) in [("a", "b"), ("b", "a"), ("c", "ghost")] {
        let text = format!(
            "tool_type: preset\ndescription: x.\nprovider: lines\nrequires: {{presets: [{requires}]}}\n"
        );
        context.tool(&format!("presets/{name}.yaml"), text);
    }
    assert_eq!(
        context.error(&["preset", "check", "a"])["message"],
        "presets require each other in a circle: a → b → a"
    );
    assert_eq!(
        context.error(&["preset", "check", "c"])["message"],
        "there is no preset called ghost, which c requires"
    );
}

/// How the presets stand, or what became of them, by name.
fn states(answer: &serde_json::Value) -> Vec<(String, String, String)> {
    let text = |value: &serde_json::Value| value.as_str().unwrap_or("-").to_owned();
    let presets = answer["data"]["presets"].as_array().unwrap().iter();
    presets
        .map(|preset| {
            (
                text(&preset["name"]),
                text(&preset["status"]),
                text(&preset["health"]),
            )
        })
        .collect()
}

/// The state of one preset.
fn state(context: &toolroom_test::TestContext, verb: &str, name: &str) -> (String, String) {
    let answer = context.run(&["preset", verb, name, "--json"]).json();
    let found = states(&answer)
        .into_iter()
        .find(|(known, _, _)| known == name);
    let Some((_, status, health)) = found else {
        panic!("{answer:#}");
    };
    (status, health)
}

fn pair(status: &str, health: &str) -> (String, String) {
    (status.to_owned(), health.to_owned())
}

#[test]
fn a_file_is_missing_drifted_broken_or_healthy() {
    let context = crate::context();
    let name = "ignore_environments";
    assert_eq!(state(&context, "check", name), pair("checked", "missing"));
    context.file(".gitignore", "target/\n.venv/\n");
    assert_eq!(state(&context, "check", name), pair("checked", "drifted"));
    assert_eq!(state(&context, "apply", name), pair("success", "healthy"));
    let text = fs_err::read_to_string(context.project().join(".gitignore")).unwrap();
    assert_eq!(text, "target/\n.venv/\nnode_modules/\n");
    assert_eq!(state(&context, "apply", name), pair("checked", "healthy"));
    fs_err::remove_file(context.project().join(".gitignore")).unwrap();
    fs_err::create_dir(context.project().join(".gitignore")).unwrap();
    assert_eq!(state(&context, "check", name), pair("checked", "broken"));
    assert_eq!(state(&context, "apply", name), pair("failed", "broken"));
}

#[test]
fn an_environment_is_missing_drifted_broken_or_healthy() {
    let Some(context) = super::with_uv() else {
        return;
    };
    let name = "python_environment";
    context.file("requirements.txt", "six\n");
    assert_eq!(state(&context, "check", name), pair("checked", "missing"));
    assert!(
        !context.project().join(".venv").exists(),
        "a check changes nothing"
    );
    assert_eq!(state(&context, "apply", name), pair("success", "healthy"));
    assert_eq!(state(&context, "apply", name), pair("checked", "healthy"));
    context.file("requirements.txt", "six\nidna\n");
    assert_eq!(state(&context, "check", name), pair("checked", "drifted"));
    assert_eq!(state(&context, "apply", name), pair("success", "healthy"));
    let python = context.project().join(".venv/bin/python");
    fs_err::remove_file(&python).unwrap();
    fs_err::os::unix::fs::symlink("/nowhere/python3", &python).unwrap();
    assert_eq!(state(&context, "check", name), pair("checked", "broken"));
    assert_eq!(state(&context, "apply", name), pair("success", "healthy"));
}

#[test]
fn what_can_only_be_told_is_no_success() {
    let mut context = crate::context();
    context.set_env("PATH", "/nowhere");
    assert_eq!(
        state(&context, "apply", "uv"),
        pair("detection-only", "missing")
    );
    context.executable(context.root().join("bin/uv"), "#!/bin/sh\necho uv 0.1.0\n");
    context.set_env(
        "PATH",
        format!("{}:/bin", context.root().join("bin").display()),
    );
    assert_eq!(state(&context, "check", "uv"), pair("checked", "drifted"));
    context.executable(context.root().join("bin/uv"), "#!/bin/sh\nexit 1\n");
    assert_eq!(state(&context, "check", "uv"), pair("checked", "broken"));
}

#[test]
fn what_is_only_recommended_is_told_and_fails_no_check_unless_something_requires_it() {
    let mut context = crate::context();
    context.set_env("PATH", "/nowhere");
    assert_eq!(context.run(&["preset", "apply"]).status, 0);
    let check = context.run(&["preset", "check"]);
    assert_eq!(check.status, 0, "{check}");
    let told = "uv: missing (recommended, not required)\n  │ there is no uv on PATH\n";
    assert!(check.stdout.contains(told), "{check}");
    let uv = &context.data(&["preset", "check", "uv"])["presets"][0];
    assert_eq!(
        (&uv["health"], &uv["recommended"]),
        (&"missing".into(), &true.into())
    );
    context.tool(
        "presets/fast.yaml",
        "tool_type: preset\ndescription: x.\nprovider: lines\nconfig: {file: .gitignore, lines: [.venv/]}\nrequires: {presets: [uv]}\n",
    );
    let check = context.run(&["preset", "check", "fast"]);
    assert_eq!(check.status, 125, "{check}");
    assert!(check.stdout.contains("uv: missing\n"), "{check}");
    context.executable(context.root().join("bin/uv"), "#!/bin/sh\nexit 1\n");
    let path = format!("{}:/bin", context.root().join("bin").display());
    context.set_env("PATH", path);
    let check = context.run(&["preset", "check", "uv"]);
    assert_eq!(check.status, 125, "what is broken is in the way: {check}");
    context.tool(
        "presets/odd.yaml",
        "tool_type: preset\ndescription: x.\nprovider: lines\nrecommended: perhaps\n",
    );
    assert_eq!(
        context.error(&["preset", "check"])["message"],
        "the preset odd cannot be used: recommended is neither true nor false"
    );
}

#[test]
fn what_depends_on_a_failure_is_skipped_and_the_rest_goes_on() {
    let Some(context) = super::with_uv() else {
        return;
    };
    context.file("requirements.txt", "no-such-package-of-toolroom-tests\n");
    let lines = |file: &str, requires: &str| {
        format!(
            "tool_type: preset\ndescription: x.\nprovider: lines\nconfig: {{file: {file}, lines: [x]}}\nrequires: {{presets: [{requires}]}}\n"
        )
    };
    context.tool(
        "presets/after.yaml",
        lines("after.txt", "python_environment"),
    );
    context.tool("presets/alone.yaml", lines("alone.txt", ""));
    let run = context.run(&["preset", "apply", "after", "alone", "--json"]);
    assert_eq!(run.status, 125, "{run}");
    let states = states(&run.json());
    let find = |name: &str| states.iter().find(|(known, _, _)| known == name).unwrap();
    assert_eq!(find("python_environment").1, "failed");
    assert_eq!(find("after").1, "skipped");
    assert_eq!(find("alone").1, "success");
    assert!(
        run.stdout
            .contains("python_environment, which it requires, did not succeed"),
        "{run}"
    );
    assert!(!context.project().join("after.txt").exists());
}

#[test]
fn a_later_preset_knows_where_the_environment_is_and_what_was_found() {
    let Some(context) = super::with_uv() else {
        return;
    };
    context.file("requirements.txt", "pluggy>=1.5\n");
    super::venv(&context, ".venv", &["pluggy==0.13.1"]);
    let preset = "tool_type: preset\ndescription: x.\nprovider: lines\nconfig:\n  file: where.txt\n  lines: ['{python_environment.environment_path}', '{python_environment.environment_analysis.action}']\nrequires: {presets: [python_environment]}\n";
    context.tool("presets/where.yaml", preset);
    context.data(&["preset", "apply", "where"]);
    let text = fs_err::read(context.project().join("where.txt")).unwrap();
    assert_eq!(
        context.normalise(&text),
        "[PROJECT]/.ai/scripts/.venv\ncreate\n"
    );
}

/// Waits until as many of its kind are at work.
const MEETING: &str = "#!/bin/sh\nset -e\ntouch \"here-$1\"\nleft=600\nwhile [ \"$(ls here-* | wc -l)\" -lt 2 ]; do left=$((left - 1)); [ $left -gt 0 ]; sleep 0.05; done\necho 1.0.0\n";

#[test]
fn independent_presets_are_looked_at_at_the_same_time() {
    let mut context = crate::context();
    context.executable(context.root().join("bin/meet"), MEETING);
    let path = format!("{}:/usr/bin:/bin", context.root().join("bin").display());
    context.set_env("PATH", path);
    for name in ["one", "two"] {
        let text = format!(
            "tool_type: preset\ndescription: x.\nprovider: program\nconfig: {{program: meet, version_args: [{name}], range: '>=1'}}\n"
        );
        context.tool(&format!("presets/{name}.yaml"), text);
    }
    let answer = context
        .run(&["preset", "check", "one", "two", "--json"])
        .json();
    let healthy = states(&answer)
        .iter()
        .filter(|(_, _, health)| health == "healthy")
        .count();
    assert_eq!(healthy, 2, "{answer:#}");
}

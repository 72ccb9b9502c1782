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

//! Shims first on PATH: the real binary is found, and nothing is run.

use serde_json::json;
use toolroom_kernel::resolve::Verdict;

use crate::support::{Context, chosen, verdict};

/// A shim as pyenv, rbenv, nodenv and goenv write it.
fn shim(manager: &str, context: &Context) -> String {
    let trace = context.path("was-run");
    format!(
        "#!/usr/bin/env bash\ntouch '{}'\nexec \"/x/libexec/{manager}\" exec \"$program\" \"$@\"\n",
        trace.display()
    )
}

#[test]
fn a_pyenv_shim_stands_for_the_version_the_project_asks_for() {
    let mut context = Context::new();
    let text = shim("pyenv", &context);
    context.script("home/.pyenv/shims/python3", &text);
    context.prepend_path("home/.pyenv/shims");
    let real = context.executable("home/.pyenv/versions/3.10.1/bin/python3");
    context.executable("home/.pyenv/versions/3.12.0/bin/python3");
    context.file("project/.python-version", "3.10\n");
    let resolution = context
        .find(json!({"type": "venv_python", "search": ["system"]}))
        .unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, real);
    assert_eq!(resolution.interpreter().unwrap().place, "system");
    let (shimmed, reason) = verdict(&resolution.tried, "shims/python3").unwrap();
    assert_eq!(shimmed, Verdict::Rejected);
    assert!(
        reason.starts_with("it is a shim of pyenv; it stands for"),
        "{reason}"
    );
    assert!(
        resolution
            .env
            .get("PATH")
            .unwrap()
            .starts_with(&context.text("home/.pyenv/versions/3.10.1/bin"))
    );
}

#[test]
fn a_shim_obeys_the_global_version_of_its_manager() {
    let mut context = Context::new();
    let text = shim("pyenv", &context);
    context.script("home/.pyenv/shims/python3", &text);
    context.prepend_path("home/.pyenv/shims");
    let real = context.executable("home/.pyenv/versions/3.10.1/bin/python3");
    context.executable("home/.pyenv/versions/3.12.0/bin/python3");
    context.file("home/.pyenv/version", "3.10.1\n");
    assert_eq!(
        chosen(context.find(json!({"type": "venv_python", "search": ["system"]}))),
        real
    );
}

#[test]
fn a_shim_without_a_version_leads_to_the_next_on_path() {
    let mut context = Context::new();
    let text = shim("pyenv", &context);
    context.script("home/.pyenv/shims/python3", &text);
    context.prepend_path("home/.pyenv/shims");
    let system = context.executable("bin/python3");
    for global in [
        None,
        Some("system\n"),
        Some("9.9.9\n"),
        Some("../../evil\n"),
    ] {
        if let Some(text) = global {
            context.file("home/.pyenv/version", text);
        }
        let resolution = context
            .find(json!({"type": "venv_python", "search": ["system"]}))
            .unwrap();
        assert_eq!(resolution.interpreter().unwrap().path, system, "{global:?}");
        let (_, reason) = verdict(&resolution.tried, "shims/python3").unwrap();
        assert!(reason.starts_with("it is a shim of pyenv"), "{reason}");
        // Only a version that is not there is something to mend.
        let shim = resolution
            .tried
            .iter()
            .find(|candidate| candidate.path.ends_with("shims/python3"));
        let is_faulty = global.is_some_and(|text| text != "system\n");
        assert_eq!(shim.unwrap().fix.is_some(), is_faulty, "{global:?}");
        // The shim would come first by its name, so the real one has to be put first.
        assert!(
            resolution
                .env
                .get("PATH")
                .unwrap()
                .starts_with(&context.text("bin"))
        );
    }
}

#[test]
fn rbenv_and_asdf_shims_are_seen_through() {
    let mut context = Context::new();
    let text = shim("rbenv", &context);
    context.script("home/.rbenv/shims/ruby", &text);
    context.prepend_path("home/.rbenv/shims");
    let ruby = context.executable("home/.rbenv/versions/3.2.1/bin/ruby");
    context.file("project/.ruby-version", "3.2.1\n");
    assert_eq!(
        chosen(context.find(json!({"type": "ruby", "search": ["system"]}))),
        ruby
    );
    assert_eq!(
        chosen(context.find(json!({"type": "system_binary", "binary": "ruby"}))),
        ruby
    );

    let mut context = Context::new();
    context.script(
        "home/.asdf/shims/node",
        "#!/usr/bin/env bash\n# asdf-plugin: nodejs 18.0.0\nexec asdf exec \"node\" \"$@\"\n",
    );
    context.prepend_path("home/.asdf/shims");
    let node = context.executable("home/.asdf/installs/nodejs/20.1.0/bin/node");
    context.executable("home/.asdf/installs/nodejs/18.0.0/bin/node");
    context.file("project/.tool-versions", "nodejs 20.1.0\n");
    assert_eq!(
        chosen(context.find(json!({"type": "venv_node", "search": ["system"]}))),
        node
    );
    assert_eq!(
        chosen(
            context.find(json!({"type": "system_binary", "binary": "node", "plugin": "nodejs"}))
        ),
        node
    );
}

#[test]
fn a_shim_in_an_unusual_place_is_known_by_what_it_says() {
    let mut context = Context::new();
    let text = shim("pyenv", &context);
    context.script("opt/shared/shims/python3", &text);
    context.prepend_path("opt/shared/shims");
    let real = context.executable("opt/shared/versions/3.10.1/bin/python3");
    context.file("opt/shared/version", "3.10.1\n");
    assert_eq!(
        chosen(context.find(json!({"type": "venv_python", "search": ["system"]}))),
        real
    );
}

#[test]
fn links_to_a_binary_with_many_names_are_seen_through() {
    let mut context = Context::new();
    let shim = context.executable("usr/bin/mise");
    context.link(&shim, "home/.local/share/mise/shims/node");
    context.prepend_path("home/.local/share/mise/shims");
    let real = context.executable("home/.local/share/mise/installs/node/20.1.0/bin/node");
    context.file("project/mise.toml", "[tools]\nnode = \"20\"\n");
    assert_eq!(
        chosen(context.find(json!({"type": "venv_node", "search": ["system"]}))),
        real
    );

    let mut context = Context::new();
    let shim = context.executable("opt/volta-shim");
    context.link(&shim, "opt/links/node");
    context.prepend_path("opt/links");
    let real = context.executable("home/.volta/tools/image/node/20.1.0/bin/node");
    context.file(
        "home/.volta/tools/user/platform.json",
        r#"{"node": {"runtime": "20.1.0"}}"#,
    );
    assert_eq!(
        chosen(context.find(json!({"type": "venv_node", "search": ["system"]}))),
        real
    );
}

#[test]
fn a_folder_made_for_one_shell_is_never_returned() {
    let mut context = Context::new();
    let real =
        context.executable("home/.local/share/fnm/node-versions/v20.1.0/installation/bin/node");
    let installation = real.parent().unwrap().parent().unwrap().to_owned();
    context.link(installation, "run/fnm_multishells/123_456");
    context.prepend_path("run/fnm_multishells/123_456/bin");
    let found = context.find(json!({"type": "venv_node", "search": ["system"]}));
    assert_eq!(chosen(found), real);
}

#[test]
fn the_shims_of_every_manager_are_seen_through() {
    let table = [
        ("nodenv", "venv_node", "node", ".nodenv", ".node-version"),
        ("goenv", "go", "go", ".goenv", ".go-version"),
        ("rbenv", "ruby", "ruby", ".rbenv", ".ruby-version"),
        (
            "pyenv",
            "venv_python",
            "python3",
            ".pyenv",
            ".python-version",
        ),
    ];
    for (manager, kind, binary, root, file) in table {
        // In its own folder, and in a root no variable speaks of.
        for root in [format!("home/{root}"), "opt/shared".to_owned()] {
            let mut context = Context::new();
            let text = shim(manager, &context);
            context.script(&format!("{root}/shims/{binary}"), &text);
            context.prepend_path(&format!("{root}/shims"));
            let real = context.executable(&format!("{root}/versions/1.10.1/bin/{binary}"));
            context.executable(&format!("{root}/versions/1.20.0/bin/{binary}"));
            context.file(&format!("project/{file}"), "1.10\n");
            let found = context.find(json!({"type": kind, "search": ["system"]}));
            assert_eq!(chosen(found), real, "{manager} in {root}");
        }
    }
}

#[test]
fn a_fallbacks_shim_is_seen_through_whatever_resolver_falls_back() {
    let mut context = Context::new();
    let text = shim("pyenv", &context);
    context.script("home/.pyenv/shims/python3", &text);
    context.prepend_path("home/.pyenv/shims");
    let real = context.executable("home/.pyenv/versions/3.11.7/bin/python3");
    context.file("home/.pyenv/version", "3.11.7\n");
    for options in [
        json!({"type": "homebrew", "formula": "python@3.11", "fallback": "python3"}),
        json!({"type": "conda_env", "env_name": "none", "fallback": "python3"}),
        json!({"type": "pipx", "package": "none", "fallback": "python3"}),
        json!({"type": "nobody_knows", "fallback": "python3"}),
        json!({"fallback": "python3"}),
    ] {
        let resolution = context.find(options.clone()).unwrap();
        let interpreter = resolution.interpreter().unwrap();
        assert_eq!(interpreter.path, real, "{options}");
        assert_eq!(interpreter.place, "fallback", "{options}");
        let version = interpreter.version.as_ref().map(ToString::to_string);
        assert_eq!(version.as_deref(), Some("3.11.7"), "{options}");
        assert_eq!(
            verdict(&resolution.tried, "shims/python3").unwrap().0,
            Verdict::Rejected,
            "{options}"
        );
        // What it starts by that name is to be the same one.
        let path = resolution.env.get("PATH").unwrap();
        assert!(path.starts_with(&context.text("home/.pyenv/versions/3.11.7/bin")));
    }
    assert!(!context.path("was-run").exists());
}

#[test]
fn a_manager_is_asked_for_a_fallback_by_what_it_calls_the_language() {
    let mut context = Context::new();
    context.script(
        "home/.asdf/shims/python3",
        "#!/usr/bin/env bash\n# asdf-plugin: python 3.12.1\nexec asdf exec \"python3\" \"$@\"\n",
    );
    context.prepend_path("home/.asdf/shims");
    let real = context.executable("home/.asdf/installs/python/3.12.1/bin/python3");
    context.file("project/.tool-versions", "python 3.12.1\n");
    for options in [
        json!({"type": "conda_env", "env_name": "none", "fallback": "python3"}),
        json!({"type": "homebrew", "formula": "python@3.11", "fallback": "python3"}),
    ] {
        assert_eq!(chosen(context.find(options.clone())), real, "{options}");
    }
}

//! Which version is asked for, and what becomes of a request that cannot be met.

use serde_json::{Value, json};
use toolroom_kernel::Explain;
use toolroom_kernel::resolve::Verdict;

use crate::support::{Context, chosen, code, failure, verdict};

fn pyenv(versions: &[&str]) -> Context {
    let context = Context::new();
    for version in versions {
        context.executable(&format!("home/.pyenv/versions/{version}/bin/python3"));
    }
    context
}

fn nvm(versions: &[&str]) -> Context {
    let context = Context::new();
    for version in versions {
        context.executable(&format!("home/.nvm/versions/node/v{version}/bin/node"));
    }
    context
}

fn python(version: &str) -> String {
    format!("home/.pyenv/versions/{version}/bin/python3")
}

fn node(version: &str) -> String {
    format!("home/.nvm/versions/node/v{version}/bin/node")
}

#[test]
fn an_option_a_partial_version_and_a_range_take_the_newest_that_fits() {
    let context = pyenv(&[
        "3.9.18",
        "3.11.2",
        "3.11.10",
        "3.12.0",
        "3.13.0rc1",
        "pypy3.10-7.3",
    ]);
    let table = [
        (json!("3.11"), "3.11.10"),
        (json!("3.11.2"), "3.11.2"),
        (json!(3), "3.12.0"),
        (json!(">=3.9,<3.11"), "3.9.18"),
        (json!("~=3.11.0"), "3.11.10"),
        (json!("3.13"), "3.13.0rc1"),
        (json!("3.13.0rc1"), "3.13.0rc1"),
        (json!("pypy3.10-7.3"), "pypy3.10-7.3"),
        (json!(["3.99", "3.9"]), "3.9.18"),
        (Value::Null, "3.12.0"),
    ];
    for (version, expected) in table {
        let found = chosen(context.find(json!({"type": "venv_python", "version": version})));
        assert_eq!(found, context.path(&python(expected)), "{version}");
    }
}

#[test]
fn an_option_that_is_not_installed_is_an_error_that_says_what_is() {
    let context = pyenv(&["3.11.2", "3.12.0"]);
    context.executable("bin/python3");
    let error = failure(context.find(json!({"type": "venv_python", "version": "3.99", "fallback": "python3", "search": ["user"]})));
    assert_eq!(error.code(), "resolve::version_not_installed");
    let text = error.to_string();
    assert!(
        text.contains("3.99")
            && text.contains("the option version")
            && text.contains("3.12.0, 3.11.2"),
        "{text}"
    );
    assert!(error.help().unwrap().contains("install 3.99"));
}

#[test]
fn a_version_file_is_honoured_from_the_working_directory_up_to_the_project() {
    let mut context = pyenv(&["3.9.18", "3.10.1", "3.11.2", "3.12.0"]);
    context.file(".python-version", "3.9\n");
    assert_eq!(chosen(context.python()), context.path(&python("3.12.0")));
    context.file("project/.python-version", "3.11\n");
    assert_eq!(chosen(context.python()), context.path(&python("3.11.2")));
    context.world.cwd = context.folder("project/packages/web");
    assert_eq!(chosen(context.python()), context.path(&python("3.11.2")));
    context.file("project/packages/.python-version", "python-3.10.1 # why\n");
    assert_eq!(chosen(context.python()), context.path(&python("3.10.1")));
}

#[test]
fn a_walk_stops_at_a_repository_and_at_the_home() {
    let mut context = pyenv(&["3.9.18", "3.12.0"]);
    context.world.project = None;
    context.file("home/work/.python-version", "3.9\n");
    context.world.cwd = context.folder("home/work/deep");
    assert_eq!(chosen(context.python()), context.path(&python("3.9.18")));
    context.folder("home/work/deep/.git");
    assert_eq!(chosen(context.python()), context.path(&python("3.12.0")));
    // Outside of home and of any repository there is nothing that would end a walk.
    context.file("outside/.python-version", "3.9\n");
    context.world.cwd = context.folder("outside/deep");
    assert_eq!(chosen(context.python()), context.path(&python("3.12.0")));
}

#[test]
fn a_version_file_that_cannot_be_met_is_an_error_that_names_it() {
    let context = nvm(&["18.2.0", "22.1.0"]);
    let file = context.file("project/.nvmrc", "20\n");
    context.executable("bin/node");
    let error = failure(context.node());
    assert_eq!(error.code(), "resolve::version_not_installed");
    assert_eq!(error.place().unwrap().path, file);
    let text = error.to_string();
    assert!(
        text.contains("22.1.0, 18.2.0") && text.contains(".nvmrc"),
        "{text}"
    );
    let (_, reason) = verdict(error.tried(), &context.text("bin/node")).unwrap();
    assert!(reason.contains("without running it"), "{reason}");
}

#[test]
fn a_version_on_path_counts_if_it_can_be_told_without_running_it() {
    let mut context = Context::new();
    context.file("project/.nvmrc", "20\n");
    let active = context.executable("active/versions/node/v20.3.1/bin/node");
    context.prepend_path("active/versions/node/v20.3.1/bin");
    assert_eq!(chosen(context.node()), active);

    let mut context = Context::new();
    context.file("project/.nvmrc", "20\n");
    context.file(
        "usr/include/node/node_version.h",
        "#define NODE_MAJOR_VERSION 20\n#define NODE_MINOR_VERSION 19\n#define NODE_PATCH_VERSION 2\n",
    );
    let system = context.executable("usr/bin/node");
    context.prepend_path("usr/bin");
    let resolution = context.node().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, system);
    assert_eq!(
        resolution.interpreter().unwrap().version.as_deref(),
        Some("20.19.2")
    );

    let context = Context::new();
    context.file("project/.python-version", "3.11\n");
    context.executable("bin/python3.11");
    let link = context.link("python3.11", "bin/python3");
    assert_eq!(
        chosen(context.find(json!({"type": "venv_python", "search": ["system"]}))),
        context.path("bin/python3.11")
    );
    fs_err::rename(
        context.path("bin/python3.11"),
        context.path("bin/python3.10"),
    )
    .unwrap();
    fs_err::remove_file(&link).unwrap();
    context.link("python3.10", "bin/python3");
    let error = failure(context.find(json!({"type": "venv_python", "search": ["system"]})));
    assert!(
        error
            .tried()
            .iter()
            .any(|candidate| candidate.reason.starts_with("it is version 3.10")),
        "{:#?}",
        error.tried()
    );
}

#[test]
fn a_version_file_may_ask_for_the_system() {
    let context = nvm(&["18.2.0"]);
    let on_path = context.executable("bin/node");
    context.file("project/.nvmrc", "system\n");
    assert_eq!(chosen(context.node()), on_path);
}

#[test]
fn every_spelling_of_a_node_version_is_understood() {
    let context = nvm(&["18.20.0", "20.1.0", "20.11.1", "22.2.0"]);
    for (name, text) in [
        ("default", "lts/iron\n"),
        ("lts/*", "lts/jod\n"),
        ("lts/hydrogen", "v18.20.0\n"),
        ("lts/iron", "v20.11.1\n"),
        ("lts/jod", "v22.2.0\n"),
        ("mine", "20.1 # pinned\n"),
    ] {
        context.file(&format!("home/.nvm/alias/{name}"), text);
    }
    let table: &[(&[u8], &str)] = &[
        (b"20", "20.11.1"),
        (b"v20", "20.11.1"),
        (b"20.1.0", "20.1.0"),
        (b"v20.1.0\r\n", "20.1.0"),
        (b"# comment\n\n20.1 # here\n", "20.1.0"),
        (b"node", "22.2.0"),
        (b"stable", "22.2.0"),
        (b"default", "20.11.1"),
        (b"lts/*", "22.2.0"),
        (b"lts/iron", "20.11.1"),
        (b"lts/-1", "20.11.1"),
        (b"lts/-2", "18.20.0"),
        (b"mine", "20.1.0"),
        (b"\xFF\xFE2\x000\x00\r\x00\n\x00", "20.11.1"),
        (b"\xFE\xFF\x002\x000", "20.11.1"),
        (b"\xEF\xBB\xBF20\n", "20.11.1"),
    ];
    for (text, expected) in table {
        context.file("project/.nvmrc", text);
        assert_eq!(
            chosen(context.node()),
            context.path(&node(expected)),
            "{:?}",
            String::from_utf8_lossy(text)
        );
    }
}

#[test]
fn code_names_are_known_without_alias_files() {
    let context = nvm(&["18.20.0", "20.11.1", "21.0.0"]);
    for (text, expected) in [
        ("lts/hydrogen", "18.20.0"),
        ("lts/iron", "20.11.1"),
        ("lts/*", "20.11.1"),
    ] {
        context.file("project/.nvmrc", text);
        assert_eq!(
            chosen(context.node()),
            context.path(&node(expected)),
            "{text}"
        );
    }
}

#[test]
fn aliases_that_lead_in_a_circle_are_told_and_not_followed_forever() {
    let context = nvm(&["20.1.0"]);
    context.file("home/.nvm/alias/a", "b\n");
    context.file("home/.nvm/alias/b", "a\n");
    context.file("project/.nvmrc", "a\n");
    let error = failure(context.node());
    assert_eq!(error.code(), "resolve::bad_version");
    assert!(error.to_string().contains("a → b → a"), "{error}");
    // Where nobody asks, a manager's own mistake does not fail the search.
    fs_err::remove_file(context.path("project/.nvmrc")).unwrap();
    context.file("home/.nvm/alias/default", "a\n");
    assert_eq!(chosen(context.node()), context.path(&node("20.1.0")));
}

#[test]
fn hostile_version_files_are_refused_whatever_they_would_reach() {
    for text in [
        "../../evil",
        "..",
        "/etc",
        "a/b/c",
        "3.11/../../x",
        "$(touch x)",
        "`id`",
        "a\u{7}b",
        "~/x;y",
    ] {
        let context = nvm(&["20.1.0"]);
        context.executable("home/.nvm/evil/bin/node");
        context.executable("home/evil/bin/node");
        context.executable("bin/node");
        context.file("project/.nvmrc", text);
        assert_eq!(code(context.node()), "resolve::bad_version", "{text:?}");
    }
    let context = nvm(&["20.1.0"]);
    context.file("project/.nvmrc", "1".repeat(70_000));
    assert_eq!(code(context.node()), "resolve::bad_version");
    context.file("project/.nvmrc", b"\xFF\xC0\x80");
    assert_eq!(code(context.node()), "resolve::bad_version");
    context.file("project/.nvmrc", "");
    assert_eq!(chosen(context.node()), context.path(&node("20.1.0")));
    fs_err::remove_file(context.path("project/.nvmrc")).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(context.path("project/.nvmrc"))
        .status();
    if made.is_ok_and(|status| status.success()) {
        assert_eq!(code(context.node()), "resolve::bad_version");
    }
}

#[test]
fn a_hostile_version_file_cannot_be_reached_around_a_sound_environment() {
    let context = Context::new();
    let python = context.venv("project/.venv", "3.11.4");
    context.file("project/.python-version", "../../evil\n");
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, python);
    assert!(
        resolution.notes[0].text.contains(".python-version"),
        "{:?}",
        resolution.notes
    );
}

#[test]
fn tool_versions_take_the_first_that_is_installed() {
    let context = Context::new();
    let old = context.executable("home/.asdf/installs/nodejs/18.1.0/bin/node");
    context.executable("home/.asdf/installs/nodejs/16.0.0/bin/node");
    context.file(
        "project/.tool-versions",
        "python 3.11.1\nnodejs 22.0.0 18.1.0 16.0.0\n",
    );
    assert_eq!(chosen(context.node()), old);
    let on_path = context.executable("bin/node");
    context.file("project/.tool-versions", "nodejs\t22.0.0 system 18.1.0\n");
    assert_eq!(chosen(context.node()), on_path);
}

#[test]
fn tool_versions_without_the_tool_lead_further_up() {
    let mut context = Context::new();
    let node = context.executable("home/.asdf/installs/nodejs/18.1.0/bin/node");
    context.file("project/.tool-versions", "nodejs 18.1.0\n");
    context.file("project/sub/.tool-versions", "python 3.11.1\n");
    context.world.cwd = context.path("project/sub");
    assert_eq!(chosen(context.node()), node);
}

#[test]
fn a_package_json_pins_the_runtime_as_object_or_array() {
    let context = nvm(&["18.2.0", "20.1.0", "22.1.0"]);
    for text in [
        r#"{"devEngines": {"runtime": {"name": "node", "version": "^20.0.0"}}}"#,
        r#"{"devEngines": {"runtime": [{"name": "deno", "version": "2"}, {"name": "node", "version": "20.x"}]}}"#,
        r#"{"volta": {"node": "20.1.0"}, "engines": {"node": ">=99"}}"#,
    ] {
        context.file("project/package.json", text);
        assert_eq!(
            chosen(context.node()),
            context.path(&node("20.1.0")),
            "{text}"
        );
    }
    for text in [r#"{"engines": {"node": ">=99"}}"#, "{broken", "[]"] {
        context.file("project/package.json", text);
        assert_eq!(
            chosen(context.node()),
            context.path(&node("22.1.0")),
            "{text}"
        );
    }
}

#[test]
fn a_soft_source_is_a_wish() {
    let mut context = nvm(&["18.2.0"]);
    context.library.0.get_mut("venv_node").unwrap()["wanted"][4]["soft"] = json!(true);
    context.file("project/.nvmrc", "20\n");
    let resolution = context.node().unwrap();
    assert_eq!(
        resolution.interpreter().unwrap().path,
        context.path(&node("18.2.0"))
    );
    assert!(
        resolution
            .notes
            .iter()
            .any(|note| note.to_string().contains(".nvmrc asks for 20")),
        "{:?}",
        resolution.notes
    );
}

#[test]
fn an_installation_without_its_interpreter_is_passed_over_unless_it_is_asked_for() {
    let context = pyenv(&["3.11.2"]);
    context.folder("home/.pyenv/versions/3.12.0/bin");
    let resolution = context.python().unwrap();
    assert_eq!(
        resolution.interpreter().unwrap().path,
        context.path(&python("3.11.2"))
    );
    assert_eq!(
        verdict(&resolution.tried, "3.12.0/bin/python3").unwrap().0,
        Verdict::Rejected
    );
    assert_eq!(
        code(context.find(json!({"type": "venv_python", "version": "3.12"}))),
        "resolve::broken_environment"
    );
}

#[test]
fn ten_thousand_installed_versions_are_no_trouble() {
    let context = Context::new();
    let versions = context.folder("home/.pyenv/versions");
    for number in 0..10_000 {
        fs_err::create_dir(versions.join(format!("3.{}.{}", number / 100, number % 100))).unwrap();
    }
    let newest = context.executable("home/.pyenv/versions/3.99.99/bin/python3");
    assert_eq!(chosen(context.python()), newest);
    context.executable("home/.pyenv/versions/3.50.7/bin/python3");
    assert_eq!(
        chosen(context.find(json!({"type": "venv_python", "version": "3.50.7"}))),
        context.path(&python("3.50.7"))
    );
    let error =
        failure(context.find(json!({"type": "venv_python", "version": "4", "search": ["user"]})));
    assert!(error.to_string().contains("and 9988 more"), "{error}");
}

#[test]
fn the_users_own_choice_is_a_wish_that_environments_need_not_heed() {
    let context = pyenv(&["3.11.2", "3.12.0"]);
    context.file("home/.pyenv/version", "3.11.2\n");
    assert_eq!(chosen(context.python()), context.path(&python("3.11.2")));
    let own = context.venv("project/.venv", "3.10.4");
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, own);
    assert!(resolution.notes.is_empty(), "{:?}", resolution.notes);
    fs_err::remove_dir_all(context.path("project/.venv")).unwrap();
    context.file("home/.pyenv/version", "3.9.1\n");
    assert_eq!(chosen(context.python()), context.path(&python("3.12.0")));
    context.file("home/.pyenv/version", "system\n");
    let on_path = context.executable("bin/python3");
    assert_eq!(chosen(context.python()), on_path);
}

#[test]
fn the_installed_versions_are_told_once_and_without_other_folders() {
    let mut context = nvm(&["22.3.0", "18.2.0"]);
    context.set("NVM_DIR", context.text("home/.nvm"));
    context.file("project/.nvmrc", "24\n");
    let text = failure(context.node()).to_string();
    assert!(text.ends_with("; installed: 22.3.0, 18.2.0"), "{text}");
}

#[test]
fn what_path_has_instead_of_the_version_asked_for_is_told() {
    let context = Context::new();
    let real = context.executable("bin/python3.11");
    context.link(real, "bin/python3");
    let text = failure(context.find(json!({"type": "venv_python", "version": "3.99"}))).to_string();
    assert!(text.ends_with("; installed: 3.11"), "{text}");
}

#[test]
fn a_listed_version_that_cannot_be_used_leads_to_the_next() {
    let context = Context::new();
    let real = context.executable("bin/python3.9");
    let table = [
        ("ref:main 3.9", 1),
        ("path:/usr 3.9", 1),
        ("../../evil 3.9", 1),
        ("latest:3.9", 0),
        ("prefix:3.9", 0),
    ];
    for (versions, notes) in table {
        context.file("project/.tool-versions", format!("python {versions}\n"));
        let resolution = context
            .python()
            .unwrap_or_else(|error| panic!("{versions}: {error}"));
        assert_eq!(resolution.interpreter().unwrap().path, real, "{versions}");
        assert_eq!(resolution.notes.len(), notes, "{:?}", resolution.notes);
    }
    for version in ["ref:main", "path:/usr", "latest:../x"] {
        context.file("project/.tool-versions", format!("python {version}\n"));
        assert_eq!(code(context.python()), "resolve::bad_version", "{version}");
    }
}

#[test]
fn a_document_that_is_no_json_is_told() {
    let context = Context::new();
    context.executable("bin/node");
    context.file("project/package.json", "{bad");
    let resolution = context.node().unwrap();
    assert_eq!(resolution.notes.len(), 1, "{:?}", resolution.notes);
    assert!(
        resolution.notes[0]
            .text
            .ends_with("package.json asks for no version: it is not JSON"),
        "{:?}",
        resolution.notes
    );
    context.file("project/package.json", "{}");
    assert!(context.node().unwrap().notes.is_empty());
}

#[test]
fn a_flavour_is_only_taken_where_it_is_named() {
    let context = pyenv(&["3.12.1", "3.13.0", "3.13.0t", "3.13.1-debug", "3.12.1-p5"]);
    let flavoured = "home/.local/share/uv/python/cpython-3.14.0+freethreaded-linux/bin/python3";
    let flavoured = context.executable(flavoured);
    let found = |version: Value| {
        let options = json!({"type": "venv_python", "version": version});
        chosen(context.find(options))
    };
    assert_eq!(found(Value::Null), context.path(&python("3.13.0")));
    for (version, expected) in [
        ("3.13", "3.13.0"),
        (">=3.12", "3.13.0"),
        ("3.12.1", "3.12.1-p5"),
        ("3.13t", "3.13.0t"),
        ("3.13.0t", "3.13.0t"),
        ("3.13-debug", "3.13.1-debug"),
    ] {
        assert_eq!(
            found(json!(version)),
            context.path(&python(expected)),
            "{version}"
        );
    }
    assert_eq!(found(json!("3.14+freethreaded")), flavoured);
    for version in ["3.14", "3.12+freethreaded", "3.12t"] {
        let options = json!({"type": "venv_python", "version": version});
        assert_eq!(
            code(context.find(options)),
            "resolve::version_not_installed",
            "{version}"
        );
    }
}

#[test]
fn an_environment_that_a_manager_keeps_by_name_has_its_own_version() {
    let context = Context::new();
    context.venv("home/.pyenv/versions/3.11.4/envs/mine", "3.11.4");
    let real = context.path("home/.pyenv/versions/3.11.4/envs/mine");
    context.link(real, "home/.pyenv/versions/mine");
    context.executable(&python("3.12.0"));
    context.file("project/.python-version", "mine\n");
    let resolution = context.python().unwrap();
    let interpreter = resolution.interpreter().unwrap();
    let environment = context.path("home/.pyenv/versions/mine");
    assert_eq!(interpreter.path, environment.join("bin/python3"));
    assert_eq!(interpreter.environment, Some(environment.clone()));
    assert_eq!(interpreter.version.as_deref(), Some("3.11.4"));
    assert_eq!(resolution.env.get("VIRTUAL_ENV"), environment.to_str());
}

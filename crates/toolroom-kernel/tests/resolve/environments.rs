//! Sound, broken, absent, and not an environment at all.

use serde_json::json;
use toolroom_kernel::Explain;
use toolroom_kernel::resolve::Verdict;

use crate::support::{Context, chosen, code, failure, verdict};

#[test]
fn a_dangling_interpreter_is_an_error_with_a_repair_not_the_system_python() {
    let context = Context::new();
    context.executable("bin/python3");
    context.venv("project/.venv", "3.11.4");
    fs_err::remove_dir_all(context.path("bases")).unwrap();
    let error = failure(context.find(json!({"type": "venv_python", "fallback": "python3"})));
    assert_eq!(error.code(), "resolve::broken_environment");
    assert!(error.help().unwrap().contains("toolroom setup --repair"));
    assert!(error.to_string().contains("which is gone"), "{error}");
    assert_eq!(
        verdict(error.tried(), "project/.venv").unwrap().0,
        Verdict::Broken
    );
    assert!(
        error
            .tried()
            .iter()
            .any(|candidate| candidate.verdict == Verdict::NotReached)
    );
}

#[test]
fn a_dangling_interpreter_without_a_marker_is_broken_too() {
    let context = Context::new();
    context.executable("bin/python3");
    context.link("/nowhere/python3", "project/.venv/bin/python3");
    assert_eq!(code(context.python()), "resolve::broken_environment");
}

#[test]
fn one_dangling_name_spoils_an_environment_whose_other_name_works() {
    let context = Context::new();
    context.executable("bin/python3");
    let base = context.executable("bases/bin/python3.11");
    context.file("project/.venv/pyvenv.cfg", "version = 3.11.4\n");
    context.link(base, "project/.venv/bin/python3");
    context.link("/nowhere/python", "project/.venv/bin/python");
    assert_eq!(code(context.python()), "resolve::broken_environment");
}

#[test]
fn a_link_to_an_environment_that_is_gone_is_broken() {
    let context = Context::new();
    context.executable("bin/python3");
    context.link(context.path("gone"), "project/.venv");
    assert_eq!(code(context.python()), "resolve::broken_environment");
}

#[test]
fn a_base_that_is_gone_is_broken_even_if_the_interpreter_was_copied() {
    let context = Context::new();
    context.executable("bin/python3");
    context.executable("project/.venv/bin/python3");
    context.file(
        "project/.venv/pyvenv.cfg",
        "HOME = /nowhere/bin\nversion = 3.11.4\n",
    );
    let error = failure(context.python());
    assert!(
        error.to_string().contains("its base /nowhere/bin is gone"),
        "{error}"
    );
}

#[test]
fn a_marker_that_names_no_base_is_broken_for_an_interpreter_would_not_heed_it() {
    for text in [
        "version = 3.11.4\n",
        "",
        "home\n",
        "home =\n",
        "[section]\n",
    ] {
        let context = Context::new();
        context.executable("bin/python3");
        context.venv("project/.venv", "3.11.4");
        context.file("project/.venv/pyvenv.cfg", text);
        let error = failure(context.python());
        assert_eq!(error.code(), "resolve::broken_environment", "{text:?}");
        assert!(
            error.to_string().ends_with("its pyvenv.cfg has no home"),
            "{error}"
        );
    }
}

#[test]
fn a_marker_is_lines_cut_at_the_first_equals_sign_whatever_the_case_of_a_key() {
    let context = Context::new();
    let python = context.venv("project/.venv", "3.11.4");
    let base = context.executable("odd = base/bin/python3.11");
    let home = base.parent().unwrap().display().to_string();
    context.file(
        "project/.venv/pyvenv.cfg",
        format!("[no section]\nHoMe={home}\r\nVERSION_INFO = 3.11.4.final.0\nprompt = 'a = b'\n"),
    );
    let resolution = context.python().unwrap();
    let interpreter = resolution.interpreter().unwrap();
    assert_eq!(interpreter.path, python);
    assert_eq!(interpreter.version.as_deref(), Some("3.11.4"));
}

#[test]
fn a_base_that_moved_to_another_minor_version_is_broken() {
    let context = Context::new();
    context.venv("project/.venv", "3.10.2");
    fs_err::remove_file(context.path("bases/3.10/bin/python3.10")).unwrap();
    context.executable("bases/3.10/bin/python3.12");
    context.link("python3.12", "bases/3.10/bin/python3.10");
    let error = failure(context.python());
    assert_eq!(error.code(), "resolve::broken_environment");
    assert!(
        error
            .to_string()
            .contains("made for version 3.10.2, but its base is now version 3.12"),
        "{error}"
    );
}

#[test]
fn another_patch_of_the_same_minor_version_is_sound() {
    let context = Context::new();
    let python = context.venv("project/.venv", "3.11.4");
    let home = context.text("bases/3.11/bin");
    context.file(
        "project/.venv/pyvenv.cfg",
        format!("home = {home}\nversion_info = 3.11.9.final.0\n"),
    );
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, python);
    assert_eq!(
        resolution.interpreter().unwrap().version.as_deref(),
        Some("3.11.9")
    );
}

#[test]
fn a_marker_without_an_interpreter_is_broken() {
    let context = Context::new();
    context.executable("bin/python3");
    context.file("project/.venv/pyvenv.cfg", "version = 3.11.4\n");
    let error = failure(context.python());
    assert!(
        error
            .to_string()
            .contains("has a pyvenv.cfg but no bin/python3"),
        "{error}"
    );
}

#[test]
fn a_directory_or_a_plain_file_named_like_the_interpreter_is_rejected() {
    let context = Context::new();
    let on_path = context.executable("bin/python3");
    context.folder("project/.venv/bin/python3");
    context.file("project/venv/bin/python3", "not executable");
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, on_path);
    let (first, reason) = verdict(&resolution.tried, "project/.venv/bin/python3").unwrap();
    assert_eq!(
        (first, reason),
        (
            Verdict::Rejected,
            "it is a directory, not an executable file"
        )
    );
    let (second, reason) = verdict(&resolution.tried, "project/venv/bin/python3").unwrap();
    assert_eq!(
        (second, reason),
        (
            Verdict::Rejected,
            "it is a file without the right to execute it"
        )
    );
    context.file("project/.venv/pyvenv.cfg", "version = 3.11.4\n");
    assert_eq!(code(context.python()), "resolve::broken_environment");
}

#[test]
fn an_empty_folder_is_no_environment() {
    let context = Context::new();
    let on_path = context.executable("bin/python3");
    context.folder("project/.venv");
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, on_path);
    assert_eq!(
        verdict(&resolution.tried, "project/.venv").unwrap().0,
        Verdict::Rejected
    );
}

#[test]
fn an_environment_from_before_markers_is_used() {
    let context = Context::new();
    let python = context.executable("project/.venv/bin/python");
    assert_eq!(chosen(context.python()), python);
}

#[test]
fn the_path_of_an_environment_is_never_canonicalised() {
    let context = Context::new();
    context.venv("elsewhere/env", "3.11.4");
    context.link(context.path("elsewhere/env"), "project/.venv");
    let resolution = context.python().unwrap();
    assert_eq!(
        resolution.interpreter().unwrap().path,
        context.path("project/.venv/bin/python3")
    );
    assert_eq!(
        resolution.env.get("VIRTUAL_ENV").unwrap(),
        context.text("project/.venv")
    );
}

#[test]
fn a_file_may_name_the_environment() {
    for text in [
        "../envs/mine\n",
        "../envs/mine\r\n",
        "../envs/mine",
        "../envs/mine\nmore\n",
    ] {
        let context = Context::new();
        context.venv("envs/mine", "3.11.4");
        context.file("project/.venv", text);
        let resolution = context.python().unwrap();
        assert_eq!(
            resolution.interpreter().unwrap().path,
            context.path("envs/mine/bin/python3"),
            "{text:?}"
        );
        assert_eq!(
            resolution.env.get("VIRTUAL_ENV").unwrap(),
            context.text("envs/mine")
        );
    }
}

#[test]
fn a_file_that_names_no_environment_is_broken_and_never_run() {
    let context = Context::new();
    context.executable("bin/python3");
    for text in ["gone", "", "\n", "#!/bin/sh\n", "/etc/passwd", "a\0b"] {
        context.script("project/.venv", text);
        assert_eq!(
            code(context.python()),
            "resolve::broken_environment",
            "{text:?}"
        );
    }
}

#[test]
fn an_active_environment_elsewhere_loses_and_is_told_of() {
    let mut context = Context::new();
    let python = context.venv("project/.venv", "3.11.4");
    context.venv("other/.venv", "3.11.4");
    let other = context.text("other/.venv");
    context.set("VIRTUAL_ENV", &other);
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, python);
    assert_eq!(
        verdict(&resolution.tried, &other).unwrap().0,
        Verdict::Rejected
    );
    assert!(
        resolution
            .notes
            .iter()
            .any(|note| note.to_string().contains(&other)),
        "{:?}",
        resolution.notes
    );
    assert_eq!(
        resolution.env.get("VIRTUAL_ENV").unwrap(),
        context.text("project/.venv")
    );
    let asked = context.find(json!({"type": "venv_python", "search": ["active", "project"]}));
    assert_eq!(chosen(asked), context.path("other/.venv/bin/python3"));
}

#[test]
fn a_variable_that_names_no_environment_is_rejected_with_the_reason() {
    for junk in ["/usr", "/nowhere", "not a path", "relative/x"] {
        let mut context = Context::new();
        let python = context.venv("project/.venv", "3.11.4");
        context.set("VIRTUAL_ENV", junk);
        let resolution = context.python().unwrap();
        assert_eq!(resolution.interpreter().unwrap().path, python);
        assert_eq!(
            verdict(&resolution.tried, junk).unwrap().0,
            Verdict::Rejected,
            "{junk}"
        );
        let active = context.find(json!({"type": "venv_python", "search": ["active"]}));
        assert_eq!(code(active), "resolve::interpreter_not_found", "{junk}");
    }
    let mut context = Context::new();
    context.venv("project/.venv", "3.11.4");
    context.set("VIRTUAL_ENV", "");
    assert!(context.python().unwrap().notes.is_empty());
    let own = context.text("project/.venv");
    context.set("VIRTUAL_ENV", own);
    assert!(context.python().unwrap().notes.is_empty());
}

#[test]
fn activation_puts_the_interpreter_first_and_removes_what_would_mislead_it() {
    let mut context = Context::new();
    context.venv("project/.venv", "3.11.4");
    context.venv("other/.venv", "3.11.4");
    let other = context.text("other/.venv");
    context.prepend_path("other/.venv/bin");
    context.set("VIRTUAL_ENV", other);
    for name in [
        "PYTHONHOME",
        "PYTHONEXECUTABLE",
        "__PYVENV_LAUNCHER__",
        "PYTHONPATH",
    ] {
        context.set(name, "/nope");
    }
    let resolution = context.python().unwrap();
    let expected = format!(
        "{}:{}",
        context.text("project/.venv/bin"),
        context.text("bin")
    );
    assert_eq!(resolution.env.get("PATH").unwrap(), expected);
    let unset: Vec<_> = resolution.env.unset().collect();
    assert_eq!(
        unset,
        [
            "PYTHONEXECUTABLE",
            "PYTHONHOME",
            "PYTHONPATH",
            "__PYVENV_LAUNCHER__"
        ]
    );
    assert_eq!(
        resolution.env.origin("VIRTUAL_ENV").unwrap().to_string(),
        "interpreter PY"
    );
}

#[test]
fn the_environment_of_an_interpreter_on_path_is_recognised() {
    let mut context = Context::new();
    let python = context.venv("other/.venv", "3.11.4");
    context.prepend_path("other/.venv/bin");
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, python);
    assert_eq!(
        resolution.env.get("VIRTUAL_ENV").unwrap(),
        context.text("other/.venv")
    );
}

#[test]
fn without_an_environment_an_inherited_one_is_unset() {
    let mut context = Context::new();
    context.executable("bin/python3");
    context.set("VIRTUAL_ENV", "/nowhere");
    let resolution = context.python().unwrap();
    assert_eq!(resolution.env.get("VIRTUAL_ENV"), None);
}

#[test]
fn a_version_that_the_environment_does_not_have_is_told_or_refused() {
    let context = Context::new();
    let python = context.venv("project/.venv", "3.11.4");
    context.file("project/.python-version", "3.12\n");
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, python);
    assert!(
        resolution.notes[0]
            .text
            .contains(".python-version asks for 3.12"),
        "{:?}",
        resolution.notes
    );
    let refused = failure(
        context.find(json!({"type": "venv_python", "version": "3.12", "search": ["project"]})),
    );
    assert_eq!(refused.code(), "resolve::version_not_installed");
    assert_eq!(
        chosen(context.find(json!({"type": "venv_python", "version": ">=3.10,<3.12"}))),
        python
    );
}

#[test]
fn strange_project_paths_are_only_paths() {
    for name in [
        "a b",
        "it's",
        "say \"hi\"",
        "$HOME",
        "${HOME}",
        "(x) [y] {z}",
        "größe-測試",
        "a*b?",
        "{home}",
        "per%cent&;",
    ] {
        let context = Context::in_folder(name);
        let python = context.venv(&format!("{name}/.venv"), "3.11.4");
        let resolution = context.runtime("python").unwrap();
        assert_eq!(resolution.interpreter().unwrap().path, python, "{name}");
        assert_eq!(resolution.env.get("PROJECT_VENV_PYTHON"), python.to_str());
        assert!(
            resolution
                .env
                .get("PATH")
                .unwrap()
                .starts_with(python.parent().unwrap().to_str().unwrap())
        );
    }
}

#[test]
fn a_path_with_a_separator_in_it_is_not_put_on_path() {
    let context = Context::in_folder("a:b");
    let python = context.venv("a:b/.venv", "3.11.4");
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, python);
    assert_eq!(resolution.env.get("PATH").unwrap(), context.text("bin"));
    assert!(
        resolution
            .notes
            .iter()
            .any(|note| note.to_string().contains("separator")),
        "{:?}",
        resolution.notes
    );
}

#[test]
fn without_a_home_the_other_places_are_searched() {
    let mut context = Context::new();
    let python = context.executable("bin/python3");
    context.world.home = None;
    context.world.user_space = None;
    context.world.env.remove("HOME");
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, python);
    assert!(
        resolution
            .tried
            .iter()
            .any(|candidate| candidate.reason == "there is no home directory")
    );
}

#[test]
fn an_empty_path_finds_nothing_on_it() {
    for path in ["", ":", "relative::"] {
        let mut context = Context::new();
        context.set("PATH", path);
        context.executable("project/mytool");
        let error = failure(
            context
                .find(json!({"type": "system_binary", "binary": "mytool", "fallback": "mytool"})),
        );
        assert_eq!(error.code(), "resolve::interpreter_not_found", "{path:?}");
    }
    let mut context = Context::new();
    context.world.env.remove("PATH");
    let python = context.venv("project/.venv", "3.11.4");
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, python);
    assert_eq!(
        resolution.env.get("PATH").unwrap(),
        context.text("project/.venv/bin")
    );
}

#[test]
fn a_subfolder_of_a_monorepo_gets_the_project_and_not_a_grandparent() {
    let mut context = Context::new();
    let python = context.venv("project/.venv", "3.11.4");
    context.world.cwd = context.folder("project/packages/web");
    assert_eq!(chosen(context.python()), python);
    let nested = context.folder("project/nested");
    context.world.project = Some(nested.clone());
    context.world.cwd = nested;
    let on_path = context.executable("bin/python3");
    assert_eq!(chosen(context.python()), on_path);
}

#[test]
fn a_home_that_cannot_be_written_is_no_obstacle() {
    use std::os::unix::fs::PermissionsExt;
    let context = Context::new();
    let python = context.venv("home/.venv", "3.11.4");
    let home = context.path("home");
    fs_err::set_permissions(&home, std::fs::Permissions::from_mode(0o555)).unwrap();
    let found = chosen(context.python());
    fs_err::set_permissions(&home, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(found, python);
}

#[test]
fn only_the_directories_of_a_real_environment_are_taken_from_path() {
    let mut context = Context::new();
    let python = context.executable("usr/bin/python3");
    context.prepend_path("usr/bin");
    let before = context.world.env.get("PATH").unwrap().to_owned();
    context.set("VIRTUAL_ENV", context.text("usr"));
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, python);
    assert_eq!(resolution.env.get("PATH").unwrap(), before);

    let conda = context.folder("conda");
    context.folder("conda/conda-meta");
    context.executable("conda/bin/python3");
    let found = context.find(json!({"type": "conda_env", "prefix": conda.to_str()}));
    let path = format!("{}:{before}", context.text("conda/bin"));
    assert_eq!(found.unwrap().env.get("PATH").unwrap(), path);
}

#[test]
fn an_environment_that_path_leads_to_stays_on_path() {
    let mut context = Context::new();
    let python = context.venv("envs/active", "3.11.4");
    context.prepend_path("envs/active/bin");
    let before = context.world.env.get("PATH").unwrap().to_owned();
    context.set("VIRTUAL_ENV", context.text("envs/active"));
    let resolution = context.python().unwrap();
    assert_eq!(resolution.interpreter().unwrap().path, python);
    assert_eq!(resolution.env.get("PATH").unwrap(), before);
}

#[test]
fn what_a_dotenv_file_may_set_survives_activation() {
    let mut context = Context::new();
    context.venv("project/.venv", "3.11.4");
    context.file("project/.env", "PYTHONPATH=/mine\nVIRTUAL_ENV_PROMPT=x\n");
    context.dotenv_allow = vec!["PYTHONPATH".to_owned()];
    let env = context.python().unwrap().env;
    assert_eq!(env.get("PYTHONPATH"), Some("/mine"));
    assert_eq!(env.get("VIRTUAL_ENV_PROMPT"), None);
    context.dotenv_allow.clear();
    assert_eq!(context.python().unwrap().env.get("PYTHONPATH"), None);
}

#[test]
fn an_inherited_variable_that_is_dropped_is_told() {
    let mut context = Context::new();
    context.venv("project/.venv", "3.11.4");
    for name in ["PYTHONPATH", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV_PROMPT"] {
        context.set(name, "/x");
    }
    context.set("PYTHONHOME", "");
    let resolution = context.python().unwrap();
    assert_eq!(resolution.env.get("PYTHONPATH"), None);
    assert_eq!(resolution.notes.len(), 1, "{:?}", resolution.notes);
    assert!(
        resolution.notes[0]
            .text
            .starts_with("PYTHONPATH is not passed on"),
        "{:?}",
        resolution.notes
    );
}

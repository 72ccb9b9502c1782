//! A manager from data alone: a kind of environment the product has never heard of.

use toolroom_test::TestContext;

use super::{bytes_of, plan};

/// Packages are files in a folder, and the package manager is a shell script.
pub(super) const MANAGER: &str = r#"
tool_type: manager
description: Copies acorns into a hollow.
manifests: [acorns.list]
folder: hollow
choose: {lockfiles: {acorns.lock: squirrel}, otherwise: [squirrel]}
tools:
  squirrel:
    program: squirrel
    marks: [hollow/done]
    install: {locked: [[squirrel, "--locked", "{manifest}"]], unlocked: [[squirrel, "{manifest}"]]}
    env: {HOLLOW: "{project}/hollow"}
activate: {set: {HOLLOW: "{project}/hollow"}}
"#;
const SQUIRREL: &str = "#!/bin/sh\nset -e\nmkdir -p \"$HOLLOW\"\nfor last; do :; done\ncp \"$last\" \"$HOLLOW/acorns\"\necho \"$@\" > \"$HOLLOW/done\"\n";

/// A project of that kind, with its program.
pub(super) fn with_squirrel() -> TestContext {
    let mut context = crate::context();
    let folder = context.executable(context.root().join("bin/squirrel"), SQUIRREL);
    let path = format!("{}:/usr/bin:/bin", folder.parent().unwrap().display());
    context.set_env("PATH", path);
    context.tool("managers/acorns.yaml", MANAGER);
    context.file("acorns.list", "one\n");
    context
}

#[test]
fn a_manager_of_the_project_is_used_like_one_of_core() {
    let context = with_squirrel();
    let first = plan(&context, &[]);
    assert_eq!(
        (first["manager"].as_str(), first["action"].as_str()),
        (Some("acorns"), Some("create")),
        "{first:#}"
    );
    let hollow = context.project().join("hollow");
    assert_eq!(
        fs_err::read_to_string(hollow.join("acorns")).unwrap(),
        "one\n"
    );
    let before = bytes_of(&hollow);
    assert_eq!(plan(&context, &[])["action"], "reuse");
    assert_eq!(bytes_of(&hollow), before);
    context.file("acorns.list", "one\ntwo\n");
    context.file("acorns.lock", "");
    assert_eq!(plan(&context, &[])["action"], "install-missing");
    assert!(
        fs_err::read_to_string(hollow.join("done"))
            .unwrap()
            .starts_with("--locked")
    );
}

#[test]
fn a_programs_own_check_decides_where_it_has_one() {
    let mut context = crate::context();
    let script = SQUIRREL.replace(
        "set -e\n",
        "set -e\nif [ \"$1\" = check ]; then echo >> \"$HOME/asked\"; exec test -e \"$HOLLOW/acorns\"; fi\n",
    );
    let folder = context.executable(context.root().join("bin/squirrel"), script);
    context.set_env(
        "PATH",
        format!("{}:/usr/bin:/bin", folder.parent().unwrap().display()),
    );
    context.tool(
        "managers/acorns.yaml",
        MANAGER.replace("    marks:", "    check: [[squirrel, check]]\n    marks:"),
    );
    context.file("acorns.list", "one\n");
    assert_eq!(plan(&context, &[])["action"], "create");
    assert_eq!(plan(&context, &[])["action"], "reuse");
    fs_err::remove_file(context.project().join("hollow/acorns")).unwrap();
    let asked = context.home().join("asked");
    fs_err::remove_file(&asked).unwrap();
    // By the record of the last install, which sees less than the check.
    assert_eq!(plan(&context, &["--plan"])["action"], "reuse");
    assert!(!asked.exists(), "a plan asks no program");
    assert_eq!(plan(&context, &[])["action"], "install-missing");
    assert!(asked.exists());
}

#[test]
fn a_manager_that_fails_says_what_its_program_said() {
    let mut context = crate::context();
    let folder = context.executable(
        context.root().join("bin/squirrel"),
        "#!/bin/sh\necho the tree is gone >&2\nexit 3\n",
    );
    context.set_env(
        "PATH",
        format!("{}:/usr/bin:/bin", folder.parent().unwrap().display()),
    );
    context.tool("managers/acorns.yaml", MANAGER);
    context.file("acorns.list", "one\n");
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "provision::failed");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("squirrel ended with status 3"),
        "{error:#}"
    );
    assert_eq!(error["help"], "it said: the tree is gone");
}

#[test]
fn a_wrong_key_or_shape_of_a_manager_is_named_with_its_path() {
    let variant = |keys: &str| format!("    variants:\n      - {{{keys}}}\n    env: {{HOLLOW");
    let table = [
        ("folder:", "foldr:".to_owned(), "unknown field `foldr`"),
        (
            "    marks:",
            "    mark:".to_owned(),
            "tools.squirrel: unknown field `mark`",
        ),
        (
            "    env: {HOLLOW",
            variant("when: {files: [a]}, instal: [[squirrel]]"),
            "tools.squirrel.variants[0]: unknown field `instal`",
        ),
        (
            "    env: {HOLLOW",
            variant("when: {files: [a]}, marks: [b]"),
            "tools.squirrel.variants[0]: it has no `install`",
        ),
        (
            "    env: {HOLLOW",
            variant("install: [[squirrel]]"),
            "tools.squirrel.variants[0]: it does not say `when`",
        ),
        (
            "install: {locked:",
            "install: {lokced:".to_owned(),
            "tools.squirrel.install: unknown field `lokced`",
        ),
        (
            " unlocked: [[squirrel, \"{manifest}\"]]",
            " unlocked: [squirrel]".to_owned(),
            "tools.squirrel.install.unlocked[0]: invalid type: string \"squirrel\"",
        ),
        (
            "    program: squirrel",
            "    program: {unix: squirrel}".to_owned(),
            "tools.squirrel.program: invalid type: map, expected a text or a list of texts",
        ),
    ];
    for (place, wrong, told) in table {
        let context = crate::context();
        let file = MANAGER.replace(place, &wrong);
        assert_ne!(file, MANAGER, "{place}");
        context.tool("managers/acorns.yaml", file);
        context.file("acorns.list", "one\n");
        let error = context.error(&["setup", "--plan"]);
        assert_eq!(error["code"], "provision::bad_manager");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(told), "{told}: {message}");
    }
}

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
    assert_eq!(
        error["causes"],
        serde_json::json!(["it said:\n  the tree is gone"])
    );
    assert_eq!(
        error["help"],
        "toolroom setup -v tells all that is done and said"
    );
}

#[test]
fn the_command_of_a_plan_can_be_copied_into_a_shell_however_narrow_it_is() {
    let mut context = with_squirrel();
    let squirrel = "#!/bin/sh\nprintf '%s\\n' \"$0\" \"$@\"\n";
    context.executable(context.root().join("bin/squirrel"), squirrel);
    let words = r#"squirrel, "a b", "it's", "x>=1", "$HOME", "*", --what-is-long=and-longer, "#;
    let manager = MANAGER.replace("unlocked: [[squirrel, ", &format!("unlocked: [[{words}"));
    assert_ne!(manager, MANAGER);
    context.tool("managers/acorns.yaml", manager.replace("$HOME", "$$HOME"));
    let raw = |context: &TestContext, args: &[&str]| {
        let output = context.command(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let answer = raw(&context, &["setup", "--plan", "--json"]);
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let argv = &answer["data"]["plans"][0]["commands"][0];
    for columns in ["", "40", "72", "400"] {
        context.set_env("COLUMNS", columns);
        let text = raw(&context, &["setup", "--plan"]);
        let (_, command) = text.split_once("─ $ ").unwrap();
        let end = command
            .lines()
            .position(|line| !line.ends_with('\\'))
            .unwrap();
        let script: Vec<&str> = command.lines().take(end + 1).collect();
        let script = script.join("\n");
        let shell = std::process::Command::new("sh")
            .args(["-c", &script])
            .output()
            .unwrap();
        let said = String::from_utf8(shell.stdout).unwrap();
        let said: Vec<&str> = said.lines().collect();
        assert_eq!(&serde_json::json!(said), argv, "{text}");
        let width = columns.parse().unwrap_or(usize::MAX);
        // A word has no place to be broken at.
        let longest = |line: &str| line.split(' ').map(|word| word.chars().count()).max();
        for line in text.lines().filter(|line| longest(line) < Some(28)) {
            assert!(line.chars().count() <= width, "{text}");
        }
    }
}

#[test]
fn much_that_a_program_says_is_not_all_in_the_error() {
    let context = with_squirrel();
    let squirrel = "#!/bin/sh\nfor n in $(seq 400); do echo \"\tline $n at https://me:hunter2@tree\" >&2; done\nexit 3\n";
    context.executable(context.root().join("bin/squirrel"), squirrel);
    let run = context.run(&["setup"]);
    assert_eq!(run.status, 125, "{run}");
    assert!(run.stderr.lines().count() < 30, "{run}");
    assert!(run.stderr.contains("line 400 at https://***@tree"), "{run}");
    assert!(!run.stderr.contains("line 380"), "{run}");
    let last = run.stderr.trim_end().lines().last().unwrap().to_owned();
    assert!(
        last.ends_with("help: toolroom setup -v tells all that is done and said"),
        "{run}"
    );
    let verbose = context.run(&["setup", "-v"]);
    assert!(verbose.stderr.contains("line 380"), "{verbose}");
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

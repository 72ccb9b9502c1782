//! Passwords of requirements, indices and variables: installers get them, and nobody else.

use std::os::unix::fs::PermissionsExt as _;

use toolroom_test::{Server, TestContext};

use super::faults::journal;
use super::managers::MANAGER;
use super::registry::with_index;

/// All that the commands tell, to people and to programs, and all that they log.
fn told(context: &TestContext, commands: &[&[&str]]) -> String {
    let runs = commands.iter().map(|args| context.run(args).to_string());
    runs.chain([journal(context)]).collect()
}

#[test]
fn a_password_in_a_requirement_is_shown_and_logged_nowhere() {
    let server = Server::start(|_, connection| {
        connection.answer("500 Internal Server Error", &[], "out of order");
    });
    let Some(context) = with_index(&server) else {
        return;
    };
    let wheel = server.url("/example-1.0-py3-none-any.whl");
    let wheel = wheel.replace("http://", "http://user:hunter2@");
    let project =
        format!("[project]\nname = 'p'\nversion = '1'\ndependencies = ['example @ {wheel}']\n");
    context.file("pyproject.toml", &project);
    let tool =
        format!("# /// script\n# dependencies = ['example @ {wheel}']\n# ///\ndef main(): ...\n");
    context.tool("own.py", &tool);
    let log = ".local/state/toolroom/journal.jsonl";
    let log = context.file(context.home().join(log), "");
    fs_err::set_permissions(&log, std::fs::Permissions::from_mode(0o644)).unwrap();
    let told = told(
        &context,
        &[
            &["setup", "--plan"],
            &["setup", "--plan", "--json"],
            &["setup", "-v"],
            &["setup", "--json"],
            &["run", "own"],
            &["preset", "check", "--json"],
        ],
    );
    assert!(!told.contains("hunter2"), "{told}");
    assert!(told.contains("example @ http://***@127.0.0.1"), "{told}");
    let mode = log.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "only its owner reads the journal");
}

#[test]
fn what_variables_hold_of_secrets_reaches_the_installer_alone() {
    let mut context = crate::context();
    let squirrel =
        "#!/bin/sh\necho \"$@\" > \"$HOME/got\"\necho \"cannot ask $5 as $4\" >&2\nexit 3\n";
    let program = context.executable(context.root().join("bin/squirrel"), squirrel);
    let path = format!("{}:/usr/bin:/bin", program.parent().unwrap().display());
    context.set_env("PATH", path);
    context.set_env("ACORN_TOKEN", "correct-horse-battery");
    context.set_env("ACORN_INDEX", "https://squirrel:hunter2@tree/acorns");
    let manager = MANAGER.replace(
        "unlocked: [[squirrel, ",
        "unlocked: [[squirrel, --password, nut, --as, \"${ACORN_TOKEN}\", \"${ACORN_INDEX}\", ",
    );
    assert_ne!(manager, MANAGER);
    context.tool("managers/acorns.yaml", manager);
    context.file("acorns.list", "one\n");
    let told = told(
        &context,
        &[
            &["setup", "--plan"],
            &["setup", "--plan", "--json"],
            &["setup", "-v"],
            &["setup", "--json"],
        ],
    );
    for secret in ["correct-horse", "hunter2", "nut"] {
        assert!(!told.contains(secret), "{secret}: {told}");
    }
    assert!(told.contains("https://***@tree/acorns"), "{told}");
    let got = fs_err::read_to_string(context.home().join("got")).unwrap();
    assert!(
        got.starts_with("--password nut --as correct-horse-battery https://squirrel:hunter2@tree/"),
        "{got}"
    );
}

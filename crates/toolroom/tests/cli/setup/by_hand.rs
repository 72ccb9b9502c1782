//! What people do after a setup was killed, and what setup leaves alone of it: an install by
//! hand is theirs, and what they put beside half an install is not lost with it.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use toolroom_test::TestContext;

use super::bytes_of;
use super::crash::{SQUIRREL, nothing_is_pending, wood};
use super::faults::wait_until;
use super::node::with_node;

/// An installer that fails when it has changed the project's folder.
const FAILING: &str = "#!/bin/sh\nmkdir -p \"$PROJECT/hollow/new\"\necho new > \"$PROJECT/hollow/part\"\nmv \"$PROJECT/hollow/part\" \"$PROJECT/hollow/acorn\"\nexit 1\n";

/// Starts a setup whose installer gets stuck, and kills it.
fn killed(context: &TestContext) {
    let begun = context.root().join("begun");
    let mut command = context.command(&["setup"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = command.spawn().unwrap();
    wait_until("the installer is at work", || begun.exists());
    running.kill().unwrap();
    running.wait().unwrap();
    fs_err::remove_file(begun).unwrap();
}

/// Longer than anything that setup started outlives it.
fn a_moment() {
    std::thread::sleep(Duration::from_millis(700));
}

/// Puts the installer in its place, which says that it began and then never ends.
fn stuck(context: &TestContext, name: &str, first: &str) {
    let begun = context.root().join("begun");
    let text = format!(
        "#!/bin/sh\n{first}\ntouch {}\nexec sleep 600\n",
        begun.display()
    );
    context.executable(context.root().join("bin").join(name), text);
}

/// A project without packages, whose npm is stuck before it has made anything.
fn with_killed_npm() -> Option<TestContext> {
    let mut context = with_node("npm")?;
    context.file(
        "package.json",
        r#"{"name": "x", "version": "1.0.0", "dependencies": {"left-pad": "1.3.0"}}"#,
    );
    let usual = context.command(&["env"]);
    let mut variables = usual.get_envs();
    let path = variables.find(|(name, _)| *name == "PATH").unwrap().1;
    let path = path.unwrap().to_owned();
    stuck(&context, "npm", "true");
    let folders = std::iter::once(context.root().join("bin")).chain(std::env::split_paths(&path));
    context.set_env("PATH", std::env::join_paths(folders).unwrap());
    killed(&context);
    context.set_env("PATH", &path);
    Some(context)
}

/// Installs as a user would, and puts a file of his own into the folder.
fn npm_by_hand(context: &TestContext) {
    let mut command = Command::new("npm");
    let usual = context.command(&["env"]);
    command.env_clear();
    command.envs(
        usual
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    command.args(["install", "--no-package-lock", "--prefer-offline"]);
    let output = command.current_dir(context.project()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    context.file("node_modules/MINE", "mine\n");
}

#[test]
fn packages_that_were_installed_by_hand_after_a_kill_are_not_setups_to_delete() {
    for undoes in [false, true] {
        let Some(context) = with_killed_npm() else {
            return;
        };
        if undoes {
            context.data(&["setup", "--undo"]);
            nothing_is_pending(&context, "after undo");
        }
        npm_by_hand(&context);
        context.tool(
            "hi.mjs",
            "/** Says hi. */\nexport function main() { return 'hi'; }\n",
        );
        assert_eq!(context.data(&["run", "hi"])["data"], "hi");
        let folder = context.project().join("node_modules");
        let before = bytes_of(&folder);
        let usual = fs_err::read_to_string(context.project().join("package.json")).unwrap();
        context.file(
            "package.json",
            r#"{"name": "x", "version": "1.0.0", "dependencies": {"left-pad": "1.3.0", "gone": "file:gone.tgz"}}"#,
        );
        let error = context.error(&["setup"]);
        assert_eq!(error["code"], "provision::failed", "{error:#}");
        assert_eq!(bytes_of(&folder), before, "undone: {undoes}");
        context.file("package.json", usual);
        assert_eq!(super::plan(&context, &[])["action"], "reuse");
        assert_eq!(bytes_of(&folder), before, "undone: {undoes}");
        nothing_is_pending(&context, "at the end");
    }
}

/// A wood without members whose squirrel was killed when it had half of its acorns.
fn half_a_hollow() -> TestContext {
    let context = wood(false);
    context.file("acorns.json", "{}");
    stuck(
        &context,
        "squirrel",
        "mkdir -p \"$PROJECT/hollow\"; echo half > \"$PROJECT/hollow/half\"",
    );
    killed(&context);
    context
}

#[test]
fn what_was_put_beside_half_an_install_is_there_again_if_the_next_one_fails() {
    let context = half_a_hollow();
    a_moment();
    context.file("hollow/MINE", "mine\n");
    let before = bytes_of(&context.project());
    context.executable(context.root().join("bin/squirrel"), FAILING);
    for _ in 0..2 {
        let error = context.error(&["setup"]);
        assert_eq!(error["code"], "provision::failed", "{error:#}");
        assert_eq!(bytes_of(&context.project()), before);
    }
    context.data(&["setup", "--undo"]);
    assert_eq!(bytes_of(&context.project()), before);
    nothing_is_pending(&context, "after undo");
}

#[test]
fn undo_removes_half_an_install_that_nobody_else_has_touched() {
    let context = half_a_hollow();
    a_moment();
    let undone = context.data(&["setup", "--undo"]);
    assert!(undone.to_string().contains("hollow"), "{undone:#}");
    assert!(!context.project().join("hollow").exists());
    nothing_is_pending(&context, "after undo");
}

#[test]
fn a_project_and_members_that_were_filled_by_hand_after_a_kill_stay_so() {
    for undoes in [false, true] {
        let context = wood(false);
        stuck(&context, "squirrel", "mkdir -p \"$PROJECT/hollow\"");
        killed(&context);
        a_moment();
        for folder in ["", "trees/a/", "trees/b/"] {
            context.file(format!("{folder}hollow/MINE"), "mine\n");
        }
        context.file("hollow/new/mark", "");
        let theirs = ["hollow", "trees/a/hollow", "trees/b/hollow"];
        let state = || -> Vec<_> {
            let folders = theirs.map(|folder| context.project().join(folder));
            folders.iter().map(|folder| bytes_of(folder)).collect()
        };
        let before = state();
        if undoes {
            context.data(&["setup", "--undo"]);
            assert_eq!(state(), before);
        }
        context.executable(
            context.root().join("bin/squirrel"),
            format!("{SQUIRREL}exit 1\n"),
        );
        let error = context.error(&["setup"]);
        assert_eq!(error["code"], "provision::failed", "{error:#}");
        assert_eq!(state(), before, "undone: {undoes}");
        nothing_is_pending(&context, "at the end");
        let rooms: Vec<PathBuf> = ["", "trees/a", "trees/b"]
            .map(|folder| context.project().join(folder).join(".toolroom-hollow"))
            .into_iter()
            .filter(|room| room.exists())
            .collect();
        assert_eq!(rooms, [] as [PathBuf; 0], "undone: {undoes}");
    }
}

#[test]
fn undo_sweeps_what_a_failed_setup_could_not_remove_beside_a_folder() {
    let context = wood(true);
    context.file("acorns.json", "{}");
    let before = bytes_of(&context.project());
    context.executable(context.root().join("bin/squirrel"), FAILING);
    context.error(&["setup"]);
    context.file(".toolroom-hollow/part/hollow/acorn", "old");
    context.data(&["setup", "--undo"]);
    assert_eq!(bytes_of(&context.project()), before);
}

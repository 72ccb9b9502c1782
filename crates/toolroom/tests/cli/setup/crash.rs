//! A crash at every change that setup makes to the file system: after each, what was there
//! before is whole, nothing half-made is used, and the next run comes to its end.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use toolroom_test::{TestContext, skip, tools};

use super::faults::journal;
use super::{WHERE, bytes_of, frozen, plan, runs_in, venv, with_uv};

/// More changes than any setup makes.
const MOST: usize = 500;

/// The library that crashes a process, built once with the compiler that linked the tests.
fn library() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let build = || {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/setup/crash.c");
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("crash.so");
        // Tests run in processes of their own, and none may load what another is writing.
        let part = library.with_extension(std::process::id().to_string());
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&part, &source])
            .arg("-ldl")
            .status();
        let is_built = cfg!(target_os = "linux") && built.is_ok_and(|status| status.success());
        let is_there = is_built && fs_err::rename(part, &library).is_ok();
        is_there.then_some(library)
    };
    let built = BUILT.get_or_init(build).as_deref();
    if built.is_none() {
        skip("cc on Linux");
    }
    built
}

/// Runs a command that crashes before its n-th change; says whether it came that far.
fn crashes(context: &TestContext, library: &Path, args: &[&str], at: usize) -> bool {
    let status = context
        .command(args)
        .env("LD_PRELOAD", library)
        .env("CRASH_AT", at.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    match (status.signal(), status.code()) {
        (Some(9), _) => true,
        (None, Some(_)) => false,
        other => panic!("crash {at} of {args:?} ended as {other:?}"),
    }
}

/// What the journal said last before the crash.
fn last_event(context: &TestContext) -> String {
    let journal = journal(context);
    let last = journal.lines().last().unwrap_or("{}");
    let entry: serde_json::Value = serde_json::from_str(last).unwrap_or_default();
    entry["event"].as_str().unwrap_or("none").to_owned()
}

/// Crashes a setup at every one of its changes, each time in a new place. Gives the events
/// the journal ended with.
fn every_crash(
    prepare: impl Fn(&TestContext),
    args: &[&str],
    after: impl Fn(&TestContext, &str),
) -> Option<BTreeSet<String>> {
    let library = library()?;
    let mut events = BTreeSet::new();
    for at in 1..MOST {
        let context = with_uv()?;
        prepare(&context);
        // What only reads leaves caches of its own, which are not what this is about.
        context.run(&["setup", "--plan"]);
        if !crashes(&context, library, args, at) {
            assert!(at > 5, "hardly anything was changed");
            return Some(events);
        }
        let event = last_event(&context);
        after(&context, &format!("crash {at}, after {event}"));
        events.insert(event);
    }
    panic!("there is no end to its changes");
}

/// No note of a change is left.
pub(super) fn nothing_is_pending(context: &TestContext, when: &str) {
    let notes = context.home().join(".local/state/toolroom/pending");
    let notes = fs_err::read_dir(notes).into_iter().flatten().flatten();
    let left = notes
        .filter(|note| note.path().extension().is_some())
        .count();
    assert_eq!(left, 0, "{when}");
}

fn names(events: &[&str]) -> BTreeSet<String> {
    events.iter().map(|&event| event.to_owned()).collect()
}

#[test]
fn an_environment_that_is_made_is_whole_or_repaired_after_every_crash() {
    let events = every_crash(
        |context| {
            context.file("requirements.txt", "six\n");
            context.tool("where.py", WHERE);
        },
        &["setup"],
        |context, when| {
            let environment = context.project().join(".venv");
            let run = context.run(&["run", "where", "--json"]).json();
            if run["data"]["data"] == "[PROJECT]/.venv" {
                assert_eq!(frozen(context, &environment).len(), 1, "{when}");
            } else if environment.join("pyvenv.cfg").exists() {
                let code = &run["error"]["code"];
                assert_eq!(code, "resolve::broken_environment", "{when}: {run:#}");
            }
            plan(context, &[]);
            assert_eq!(frozen(context, &environment).len(), 1, "{when}");
            assert_eq!(runs_in(context, "where"), environment, "{when}");
            assert_eq!(plan(context, &[])["action"], "reuse", "{when}");
            nothing_is_pending(context, when);
        },
    );
    let Some(events) = events else { return };
    assert_eq!(events, names(&["none", "begun", "made", "command", "done"]));
}

#[test]
fn a_users_environment_is_as_it_was_or_as_it_should_be_after_every_crash() {
    let events = every_crash(
        |context| {
            context.file("requirements.txt", "six\nidna\n");
            venv(context, ".venv", &["six==1.16.0"]);
        },
        &["setup"],
        |context, when| {
            let theirs = context.project().join(".venv");
            let installed = frozen(context, &theirs);
            assert!(
                installed.contains(&"six==1.16.0".to_owned()),
                "{when}: {installed:?}"
            );
            plan(context, &[]);
            let installed = frozen(context, &theirs);
            assert!(
                installed.contains(&"six==1.16.0".to_owned()),
                "{when}: {installed:?}"
            );
            assert_eq!(installed.len(), 2, "{when}");
            assert_eq!(plan(context, &[])["action"], "reuse", "{when}");
            nothing_is_pending(context, when);
        },
    );
    let Some(events) = events else { return };
    assert_eq!(events, names(&["none", "begun", "command", "done"]));
}

#[test]
fn a_users_folder_of_packages_is_whole_after_every_crash() {
    let Some(library) = library() else { return };
    for at in 1..MOST {
        let Some(mut context) = super::node::with_node("bun") else {
            return;
        };
        context.set_env("BUN_INSTALL_CACHE_DIR", tools().join("cache/bun"));
        let manifest = |packages: &str| {
            let text =
                format!("{{\"packageManager\": \"bun@1.0.0\", \"dependencies\": {{{packages}}}}}");
            context.file("package.json", text);
        };
        let folder = context.project().join("node_modules");
        let theirs = "{\"name\": \"mine\", \"version\": \"1.0.0\"}";
        context.file(folder.join("mine/package.json"), theirs);
        context.file(folder.join("mine/lib/deep/mine.js"), "mine");
        manifest("\"ms\": \"2.1.3\"");
        context.run(&["setup", "--plan"]);
        if !crashes(&context, library, &["setup"], at) {
            assert!(at > 20, "hardly anything was changed");
            return;
        }
        let when = format!("crash {at}, after {}", last_event(&context));
        plan(&context, &[]);
        for file in ["mine/lib/deep/mine.js", "mine/package.json", "ms/index.js"] {
            assert!(folder.join(file).is_file(), "{when}: {file}");
        }
        assert_eq!(plan(&context, &[])["action"], "reuse", "{when}");
        nothing_is_pending(&context, &when);
        assert!(
            !context.project().join(".toolroom-node_modules").exists(),
            "{when}"
        );
    }
}

/// An installer of a manager from data alone, which fills the folder of a project and of its
/// two members, replacing what is there.
pub(super) const SQUIRREL: &str = "#!/bin/sh\nset -e\ncd \"$PROJECT\"\nfor tree in . trees/a trees/b; do\n  mkdir -p $tree/hollow/new\n  echo new > $tree/hollow/part\n  mv $tree/hollow/part $tree/hollow/acorn\ndone\n";
const ACORNS: &str = "tool_type: manager\ndescription: Acorns.\nmanifests: [acorns.json]\nfolder: hollow\nmembers: {declared: {acorns.json: [trees]}, manifests: [acorns.json]}\nchoose: {otherwise: [squirrel]}\ntools: {squirrel: {program: squirrel, marks: [hollow/new], install: [[squirrel]], env: {PROJECT: \"{project}\"}}}\n";

/// A wood in which a user has acorns in one member's folder, and perhaps in the project's.
pub(super) fn wood(has_own: bool) -> TestContext {
    let mut context = crate::context();
    let squirrel = context.executable(context.root().join("bin/squirrel"), SQUIRREL);
    let path = format!("{}:/usr/bin:/bin", squirrel.parent().unwrap().display());
    context.set_env("PATH", path);
    context.tool("managers/acorns.yaml", ACORNS);
    context.file("acorns.json", "{\"trees\": [\"trees/*\"]}");
    for tree in ["a", "b"] {
        context.file(format!("trees/{tree}/acorns.json"), "{}");
    }
    context.file("trees/a/hollow/acorn", "old");
    if has_own {
        context.file("hollow/acorn", "old");
    }
    context
}

/// The same wood, seen from a tree in it that is a project itself. Its installer writes a
/// lockfile, too.
pub(super) fn tree(has_own: bool) -> TestContext {
    let mut context = wood(has_own);
    let choice = "choose: {lockfiles: {acorns.lock: squirrel}, ";
    let data = ACORNS.replace("choose: {", choice);
    context.file("trees/a/.ai/tools/managers/acorns.yaml", data);
    let script = format!("{SQUIRREL}echo locked > acorns.lock\n");
    context.executable(context.root().join("bin/squirrel"), script);
    context.enter("trees/a");
    context
}

/// What is in the folders of the project and its members.
fn acorns(context: &TestContext) -> [Option<String>; 3] {
    let read =
        |tree: &str| fs_err::read_to_string(context.project().join(tree).join("hollow/acorn"));
    ["", "trees/a", "trees/b"].map(|tree| read(tree).ok().map(|text| text.trim().to_owned()))
}

#[test]
fn a_project_and_its_members_are_all_old_or_all_new_after_every_crash() {
    all_old_or_all_new(wood);
}

#[test]
fn a_workspace_is_all_old_or_all_new_after_every_crash_of_setup_in_one_of_its_members() {
    all_old_or_all_new(tree);
}

fn all_old_or_all_new(prepare: fn(bool) -> TestContext) {
    let Some(library) = library() else { return };
    for (has_own, undoes) in [(true, true), (true, false), (false, true), (false, false)] {
        for at in 1..=MOST {
            assert!(at < MOST, "there is no end to its changes");
            let context = prepare(has_own);
            let old = acorns(&context);
            context.run(&["setup", "--plan"]);
            if !crashes(&context, library, &["setup"], at) {
                assert!(at > 40, "hardly anything was changed");
                break;
            }
            let when = format!("crash {at}, {has_own}, after {}", last_event(&context));
            let new = ["new", "new", "new"].map(|text| Some(text.to_owned()));
            if undoes {
                // The manifest may have changed meanwhile.
                context.file("acorns.json", "{}");
                context.data(&["setup", "--undo"]);
                let after = acorns(&context);
                // Where the project's folder was made, so were those that members lacked.
                let kept = if has_own {
                    new.clone()
                } else {
                    [None, new[1].clone(), None]
                };
                assert!(after == old || after == kept, "{when}: {after:?}");
                assert!(!context.project().join("acorns.lock").exists(), "{when}");
                context.file("acorns.json", "{\"trees\": [\"trees/*\"]}");
            }
            plan(&context, &[]);
            assert_eq!(acorns(&context), new, "{when}");
            assert_eq!(plan(&context, &[])["action"], "reuse", "{when}");
            nothing_is_pending(&context, &when);
            no_room_is_left(&context, &when);
        }
    }
}

fn no_room_is_left(context: &TestContext, when: &str) {
    for folder in ["", "trees/a", "trees/b"] {
        let room = context.project().join(folder).join(".toolroom-hollow");
        assert!(!room.exists(), "{when}: {}", room.display());
    }
}

#[test]
fn what_a_failed_install_did_to_members_is_undone_though_the_undoing_crashes_anywhere() {
    undone_through_every_crash(wood, SQUIRREL);
}

#[test]
fn what_a_failed_install_in_a_member_did_is_undone_though_the_undoing_crashes_anywhere() {
    let script = format!("{SQUIRREL}echo locked > acorns.lock\n");
    undone_through_every_crash(tree, &script);
}

fn undone_through_every_crash(prepare: fn(bool) -> TestContext, script: &str) {
    let Some(library) = library() else { return };
    for has_own in [true, false] {
        for at in 1..=MOST {
            assert!(at < MOST, "there is no end to its changes");
            let context = prepare(has_own);
            let failing = format!("{script}exit 1\n");
            context.executable(context.root().join("bin/squirrel"), failing);
            let before = bytes_of(&context.project());
            context.run(&["setup", "--plan"]);
            let is_over = !crashes(&context, library, &["setup"], at);
            let when = format!("crash {at}, {has_own}, after {}", last_event(&context));
            if !is_over {
                context.data(&["setup", "--undo"]);
            }
            // What was moved there and back again is the same.
            assert_eq!(bytes_of(&context.project()), before, "{when}");
            if is_over {
                assert!(at > 40, "hardly anything was changed");
                break;
            }
        }
    }
}

#[test]
fn what_a_killed_install_in_a_member_did_is_undone_though_the_undoing_is_killed_anywhere() {
    let Some(library) = library() else { return };
    let new = ["new", "new", "new"].map(|text| Some(text.to_owned()));
    for has_own in [true, false] {
        let mut killed_at = (1..MOST).filter(|&at| {
            let context = tree(has_own);
            crashes(&context, library, &["setup"], at) && acorns(&context) == new
        });
        let killed_at = killed_at.next().expect("a kill after the installer's work");
        for at in 1..=MOST {
            assert!(at < MOST, "there is no end to its changes");
            let context = tree(has_own);
            let before = bytes_of(&context.project());
            assert!(crashes(&context, library, &["setup"], killed_at));
            assert!(context.project().join("acorns.lock").exists());
            let is_over = !crashes(&context, library, &["setup", "--undo"], at);
            context.data(&["setup", "--undo"]);
            let when = format!("crash {at}, {has_own}");
            assert_eq!(bytes_of(&context.project()), before, "{when}");
            nothing_is_pending(&context, &when);
            if is_over {
                assert!(at > 15, "hardly anything was changed");
                break;
            }
        }
    }
}

#[test]
fn a_broken_environment_is_kept_through_every_crash_of_its_repair() {
    let events = every_crash(
        |context| {
            context.file("requirements.txt", "six\n");
            context.file(".venv/mine.txt", "mine\n");
        },
        &["setup", "--repair"],
        |context, when| {
            plan(context, &["--repair"]);
            let places = [".venv", ".venv.broken-1"].map(|name| context.project().join(name));
            let kept = places
                .iter()
                .filter(|place| place.join("mine.txt").exists());
            assert_eq!(kept.count(), 1, "{when}");
            assert_eq!(frozen(context, &places[0]).len(), 1, "{when}");
        },
    );
    let Some(events) = events else { return };
    assert_eq!(
        events,
        names(&["none", "begun", "moved-aside", "made", "command", "done"])
    );
}

#[test]
fn an_undo_that_crashes_is_finished_by_the_next_and_theirs_is_untouched() {
    let Some(library) = library() else { return };
    for at in 1..MOST {
        let Some(context) = with_uv() else { return };
        context.file("requirements.txt", "pluggy>=1.5\n");
        let theirs = venv(&context, ".venv", &["pluggy==0.13.1"]);
        let before = bytes_of(&theirs);
        plan(&context, &[]);
        let own = context.project().join(".ai/scripts/.venv");
        // An environment has hundreds of files; a crash among the first is like any other.
        let step = if at < 12 { at } else { at * 25 };
        let came_to_its_end = !crashes(&context, library, &["setup", "--undo"], step);
        context.data(&["setup", "--undo"]);
        assert!(!own.exists(), "crash {step}");
        assert_eq!(bytes_of(&theirs), before, "crash {step}");
        let place = &context.data(&["env", "python"])["interpreter"]["place"];
        assert_eq!(place, "project", "crash {step}");
        if came_to_its_end {
            return;
        }
    }
}

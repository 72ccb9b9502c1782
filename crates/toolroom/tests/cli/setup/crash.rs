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
fn nothing_is_pending(context: &TestContext, when: &str) {
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

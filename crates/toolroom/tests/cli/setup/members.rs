//! Installs in a workspace that are broken off: the folders of its members are what they
//! were as well, and nothing half-installed in one of them is taken for whole.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use toolroom_test::{TestContext, tools};

use super::faults::wait_until;
use super::node::{MODERN_YARN, with_modern_yarn, with_node};
use super::{bytes_of, plan};

/// A package manager, its version, how a user installs with it, and its lockfile.
pub(super) type Manager = (
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static str,
);

pub(super) const MANAGERS: [Manager; 5] = [
    (
        "npm",
        "10.0.0",
        &["install", "--no-package-lock"],
        "package-lock.json",
    ),
    (
        "pnpm",
        "9.0.0",
        &["install", "--no-lockfile"],
        "pnpm-lock.yaml",
    ),
    ("yarn", "1.22.0", &["install", "--no-lockfile"], "yarn.lock"),
    ("bun", "1.0.0", &["install", "--no-save"], "bun.lock"),
    ("yarn", MODERN_YARN, &["install"], "yarn.lock"),
];

/// What the project and its members `a` and `b` depend on. Versions differ, so that every
/// package manager puts them into the members' own folders.
pub(super) struct Wanted {
    pub(super) project: &'static str,
    pub(super) a: &'static str,
    pub(super) b: &'static str,
}

pub(super) const THEIRS: Wanted = Wanted {
    project: "\"left-pad\": \"1.1.0\"",
    a: "\"left-pad\": \"1.2.0\"",
    b: "",
};
pub(super) const OURS: Wanted = Wanted {
    project: "\"left-pad\": \"1.3.0\", \"ms\": \"2.1.3\"",
    a: "\"left-pad\": \"1.1.3\"",
    b: "\"left-pad\": \"1.1.1\"",
};

/// Writes the manifests. Installers run the project's script when all packages are in their
/// places, and are not done before it ends.
pub(super) fn manifests(context: &TestContext, manager: Manager, wanted: &Wanted, last: &str) {
    let (name, version, ..) = manager;
    let project = format!(
        "{{\"name\": \"x\", \"version\": \"1.0.0\", \"private\": true, \"packageManager\": \"{name}@{version}\", \"workspaces\": [\"packages/*\"], \"dependencies\": {{{}}}, \"scripts\": {{\"postinstall\": \"{last}\"}}}}",
        wanted.project
    );
    context.file("package.json", project);
    if name == "pnpm" {
        context.file("pnpm-workspace.yaml", "packages:\n  - 'packages/*'\n");
    }
    if version == MODERN_YARN {
        context.file(".yarnrc.yml", "nodeLinker: node-modules\n");
    }
    member(context, "a", wanted.a, "true");
    member(context, "b", wanted.b, "true");
}

pub(super) fn member(context: &TestContext, name: &str, packages: &str, last: &str) {
    let text = format!(
        "{{\"name\": \"{name}\", \"version\": \"1.0.0\", \"dependencies\": {{{packages}}}, \"scripts\": {{\"postinstall\": \"{last}\"}}}}"
    );
    context.file(format!("packages/{name}/package.json"), text);
}

/// A context with a package manager.
pub(super) fn with_manager((name, version, ..): Manager) -> Option<TestContext> {
    let mut context = match version {
        MODERN_YARN => with_modern_yarn()?,
        _ => with_node(name)?,
    };
    context.set_env("BUN_INSTALL_CACHE_DIR", tools().join("cache/bun"));
    context.set_env("YARN_ENABLE_IMMUTABLE_INSTALLS", "false");
    Some(context)
}

/// Does what a user does with a package manager in a folder of the project.
pub(super) fn by_hand(context: &TestContext, (name, ..): Manager, args: &[&str], folder: &str) {
    let usual = context.command(&["env"]);
    let output = Command::new(name)
        .env_clear()
        .envs(
            usual
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .args(args)
        .env("CI", "1")
        .current_dir(context.project().join(folder))
        .output()
        .unwrap();
    assert!(output.status.success(), "{name}: {output:?}");
}

/// A workspace in which a user has installed what it depends on, without a lockfile.
pub(super) fn workspace(manager: Manager) -> Option<TestContext> {
    let context = with_manager(manager)?;
    manifests(&context, manager, &THEIRS, "true");
    by_hand(&context, manager, manager.2, "");
    // A modern yarn writes one whatever it is told.
    let _ = fs_err::remove_file(context.project().join(manager.3));
    assert_eq!(version(&context, "packages/a"), Some("1.2.0".to_owned()));
    assert!(!context.project().join("packages/b/node_modules").exists());
    Some(context)
}

/// The left-pad of the project or a member, if it is whole.
pub(super) fn version(context: &TestContext, member: &str) -> Option<String> {
    let package = context.project().join(member).join("node_modules/left-pad");
    let text = fs_err::read_to_string(package.join("package.json")).ok()?;
    let manifest: serde_json::Value = serde_json::from_str(&text).ok()?;
    let is_whole = package.join("index.js").is_file();
    let version = manifest["version"].as_str()?.to_owned();
    is_whole.then_some(version)
}

/// Everything in the project but its manifests and tools.
pub(super) fn state(
    context: &TestContext,
) -> BTreeMap<PathBuf, (u32, std::ffi::OsString, Vec<u8>)> {
    let mut found = bytes_of(&context.project());
    let ours = [
        "package.json",
        "packages/a/package.json",
        "packages/b/package.json",
        "pnpm-workspace.yaml",
    ]
    .map(|file| context.project().join(file));
    let is_tools = |path: &Path| path.iter().any(|name| name == ".ai");
    found.retain(|path, _| !ours.contains(path) && !is_tools(path));
    found
}

/// Rooms that are left.
pub(super) fn rooms(context: &TestContext) -> Vec<PathBuf> {
    let folders = ["", "packages/a", "packages/b"].map(|folder| context.project().join(folder));
    let rooms = folders.map(|folder| folder.join(".toolroom-node_modules"));
    rooms.into_iter().filter(|room| room.exists()).collect()
}

pub(super) fn start(context: &TestContext) -> Child {
    let mut command = context.command(&["setup"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Kills setup when its installer has every package in its place, and takes a file from one
/// in a member, as a kill a moment earlier would have. Some have written the lockfile by then.
pub(super) fn killed(context: &TestContext, manager: Manager) {
    manifests(context, manager, &OURS, "touch begun; sleep 600");
    let mut running = start(context);
    let begun = context.project().join("begun");
    wait_until("the install is at its last step", || begun.exists());
    running.kill().unwrap();
    running.wait().unwrap();
    fs_err::remove_file(begun).unwrap();
    let name = manager.0;
    assert_eq!(
        version(context, "packages/a").as_deref(),
        Some("1.1.3"),
        "{name}"
    );
    assert_eq!(
        version(context, "packages/b").as_deref(),
        Some("1.1.1"),
        "{name}"
    );
    let half = context.project().join("packages/a/node_modules/left-pad");
    fs_err::remove_file(half.join("index.js")).unwrap();
    assert_eq!(rooms(context).len(), 3, "{name}");
    manifests(context, manager, &OURS, "true");
}

/// Setup installs everything, leaves no room, and has nothing to do then.
pub(super) fn is_made_whole(context: &TestContext, name: &str) {
    let done = plan(context, &[]);
    assert_eq!(done["applied"], true, "{name}: {done:#}");
    for (member, wanted) in [
        ("", "1.3.0"),
        ("packages/a", "1.1.3"),
        ("packages/b", "1.1.1"),
    ] {
        assert_eq!(
            version(context, member).as_deref(),
            Some(wanted),
            "{name}: {member}"
        );
    }
    assert_eq!(rooms(context), [] as [PathBuf; 0], "{name}");
    assert_eq!(plan(context, &[])["action"], "reuse", "{name}");
}

/// Fails at the end and at the start, and then does what it should.
pub(super) fn a_failure_changes_nothing(context: &TestContext, manager: Manager) {
    let (name, before) = (manager.0, state(context));
    for (packages, last) in [(OURS.b, "exit 1"), ("\"left-pad\": \"99.0.0\"", "true")] {
        manifests(context, manager, &OURS, "true");
        member(context, "b", packages, last);
        let error = context.error(&["setup"]);
        assert_eq!(error["code"], "provision::failed", "{name}: {error:#}");
        assert_eq!(state(context), before, "{name}: {packages}");
    }
    manifests(context, manager, &OURS, "true");
    is_made_whole(context, name);
}

#[test]
fn an_install_that_fails_in_a_member_leaves_all_members_as_they_were() {
    for manager in MANAGERS {
        let Some(context) = workspace(manager) else {
            continue;
        };
        a_failure_changes_nothing(&context, manager);
    }
}

#[test]
fn a_members_package_that_a_kill_left_half_unpacked_is_installed_whole() {
    for manager in MANAGERS {
        let Some(context) = workspace(manager) else {
            continue;
        };
        killed(&context, manager);
        let planned = plan(&context, &["--plan"]);
        assert_eq!(
            planned["action"], "install-missing",
            "{}: {planned:#}",
            manager.0
        );
        assert_eq!(
            version(&context, "packages/a"),
            None,
            "a plan changes nothing"
        );
        is_made_whole(&context, manager.0);
    }
}

#[test]
fn members_are_put_back_after_a_kill_though_the_manifests_name_others_by_then() {
    for manager in MANAGERS {
        let Some(context) = workspace(manager) else {
            continue;
        };
        let before = state(&context);
        killed(&context, manager);
        context.file(
            "package.json",
            "{\"name\": \"x\", \"workspaces\": [\"apps/*\"]}",
        );
        if manager.0 == "pnpm" {
            context.file("pnpm-workspace.yaml", "packages: ['apps/*']\n");
        }
        context.data(&["setup", "--undo"]);
        assert_eq!(state(&context), before, "{}", manager.0);
    }
}

#[test]
fn a_member_alone_tells_of_an_install_that_was_broken_off() {
    // The others have the files of all packages in the project's own folder.
    for manager in [MANAGERS[0], MANAGERS[2]] {
        let Some(context) = workspace(manager) else {
            continue;
        };
        killed(&context, manager);
        // Whoever cleans up by hand may overlook the members.
        fs_err::remove_dir_all(context.project().join(".toolroom-node_modules")).unwrap();
        fs_err::remove_dir_all(context.home().join(".local/state/toolroom/pending")).unwrap();
        let planned = plan(&context, &["--plan"]);
        assert_eq!(
            planned["action"], "install-missing",
            "{}: {planned:#}",
            manager.0
        );
        assert!(
            planned["reasons"][0]
                .as_str()
                .unwrap()
                .contains("did not come to its end"),
            "{}: {planned:#}",
            manager.0
        );
        is_made_whole(&context, manager.0);
    }
}

#[test]
fn a_project_without_packages_has_none_after_a_kill_and_its_member_has_its_own() {
    let manager = MANAGERS[0];
    let Some(context) = workspace(manager) else {
        return;
    };
    fs_err::remove_dir_all(context.project().join("node_modules")).unwrap();
    let before = state(&context);
    killed(&context, manager);
    context.data(&["setup", "--undo"]);
    assert_eq!(state(&context), before);
    killed(&context, manager);
    assert_eq!(plan(&context, &["--plan"])["action"], "repair");
    is_made_whole(&context, manager.0);
}

#[test]
fn undo_removes_what_was_made_in_members_along_with_the_projects_and_no_more() {
    for manager in MANAGERS {
        let Some(context) = workspace(manager) else {
            continue;
        };
        let name = manager.0;
        for folder in ["node_modules", "packages/a/node_modules"] {
            fs_err::remove_dir_all(context.project().join(folder)).unwrap();
        }
        context.file("packages/a/node_modules/.mine/keep.txt", "mine\n");
        manifests(&context, manager, &OURS, "true");
        is_made_whole(&context, name);
        context.data(&["setup", "--undo"]);
        for folder in ["node_modules", "packages/b/node_modules"] {
            assert!(!context.project().join(folder).exists(), "{name}: {folder}");
        }
        assert!(
            context.project().join("packages/a/node_modules").exists(),
            "{name}"
        );
        is_made_whole(&context, name);
    }
}

#[test]
fn a_member_that_is_a_project_itself_is_put_back_along_with_all_others() {
    let manager = MANAGERS[0];
    let Some(mut context) = workspace(manager) else {
        return;
    };
    let before = state(&context);
    killed(&context, manager);
    manifests(&context, manager, &THEIRS, "true");
    let tool =
        "/** Pads. */\nimport pad from \"left-pad\";\nexport const main = () => pad(\"x\", 3);\n";
    context.file("packages/a/.ai/tools/pads.mjs", tool);
    context.enter("packages/a");
    let error = context.error(&["run", "pads"]);
    assert_eq!(error["code"], "provision::unfinished", "{error:#}");
    let done = plan(&context, &[]);
    assert_eq!(done["action"], "reuse", "{done:#}");
    assert_eq!(context.data(&["run", "pads"])["data"], "  x");
    fs_err::remove_dir_all(context.project().join("packages/a/.ai")).unwrap();
    assert_eq!(state(&context), before);
}

#[test]
fn an_install_in_a_member_waits_for_the_one_in_the_project_above() {
    let manager = MANAGERS[0];
    let Some(mut context) = workspace(manager) else {
        return;
    };
    let release = context.root().join("release");
    let script = format!(
        "touch begun; until test -e {}; do sleep 0.05; done",
        release.display()
    );
    manifests(&context, manager, &OURS, &script);
    let mut above = start(&context);
    let begun = context.project().join("begun");
    wait_until("the install is at its last step", || begun.exists());
    context.file(
        "packages/a/.ai/tools/x.py",
        "\"\"\"X.\"\"\"\n\n\ndef main(): pass\n",
    );
    context.enter("packages/a");
    let mut below = start(&context);
    std::thread::sleep(std::time::Duration::from_millis(700));
    assert!(below.try_wait().unwrap().is_none(), "it waits");
    assert_eq!(version(&context, "packages/a").as_deref(), Some("1.1.3"));
    fs_err::write(release, "").unwrap();
    assert!(above.wait().unwrap().success());
    assert!(below.wait().unwrap().success());
    assert_eq!(version(&context, "packages/a").as_deref(), Some("1.1.3"));
    assert_eq!(rooms(&context), [] as [PathBuf; 0]);
}

#[test]
fn patterns_that_lead_to_too_many_folders_are_refused_and_nothing_is_touched() {
    let manager = MANAGERS[0];
    let Some(context) = workspace(manager) else {
        return;
    };
    manifests(&context, manager, &OURS, "true");
    let manifest = context.project().join("package.json");
    let many: Vec<String> = (0..10_001).map(|number| format!("\"p{number}\"")).collect();
    let text = fs_err::read_to_string(&manifest).unwrap();
    context.file(
        "package.json",
        text.replace("\"packages/*\"", &many.join(",")),
    );
    let before = state(&context);
    let error = context.error(&["setup"]);
    assert_eq!(error["code"], "provision::refused", "{error:#}");
    assert_eq!(state(&context), before);
    assert!(Path::new(&manifest).is_file());
}

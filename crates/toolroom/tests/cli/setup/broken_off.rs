//! Installs into what a user had, broken off by a failure or a kill: what was there is there
//! again, and nothing half-installed is ever taken for whole.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use toolroom_test::{TestContext, program, tools, usual_path};

use super::faults::{journal, wait_until, with_stuck_uv};
use super::node::with_node;
use super::{WHERE, bytes_of, plan, real, runs_in, venv};

/// A package manager, how a user installs with it without a lockfile, and the lockfile.
const MANAGERS: [(&str, &str, &[&str], &str); 4] = [
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
];

/// Installers run this when every package is in its place, and are not done before it ends.
fn manifest(context: &TestContext, manager: (&str, &str), packages: &str, last: &str) {
    let (name, version) = manager;
    let text = format!(
        "{{\"name\": \"x\", \"version\": \"1.0.0\", \"packageManager\": \"{name}@{version}\", \"dependencies\": {{{packages}}}, \"scripts\": {{\"postinstall\": \"{last}\"}}}}"
    );
    context.file("package.json", text);
}

const THEIRS: &str = "\"left-pad\": \"1.1.0\", \"is-odd\": \"3.0.0\"";
const WANTED: &str = "\"left-pad\": \"1.3.0\", \"is-odd\": \"3.0.0\", \"ms\": \"2.1.3\"";

/// A project in which a user has installed packages, without a lockfile.
fn with_packages(name: &str, version: &str, install: &[&str]) -> Option<TestContext> {
    let mut context = with_node(name)?;
    context.set_env("BUN_INSTALL_CACHE_DIR", tools().join("cache/bun"));
    manifest(&context, (name, version), THEIRS, "true");
    let mut command = Command::new(name);
    let usual = context.command(&["env"]);
    command.env_clear();
    command.envs(
        usual
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    let output = command
        .args(install)
        .env("CI", "1")
        .current_dir(context.project())
        .output()
        .unwrap();
    assert!(output.status.success(), "{name}: {output:?}");
    context.file("node_modules/.mine/keep.txt", "mine\n");
    context.file("node_modules/.prisma/client/index.js", "generated\n");
    Some(context)
}

/// What is in the project besides its packages.
fn beside(context: &TestContext) -> Vec<PathBuf> {
    let entries = fs_err::read_dir(context.project()).unwrap();
    let mut names: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    names.sort();
    names
}

fn start(context: &TestContext) -> Child {
    let mut command = context.command(&["setup"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

fn kill(mut running: Child) {
    running.kill().unwrap();
    running.wait().unwrap();
}

/// Kills setup when its installer has every package in its place. A kill a moment earlier
/// finds a package whose manifest is unpacked and whose other files are not, and the lockfile
/// not written; that moment cannot be met, so its state is made.
fn killed(context: &TestContext, manager: (&str, &str), lockfile: &str) {
    manifest(context, manager, WANTED, "touch begun; sleep 600");
    let running = start(context);
    let begun = context.project().join("begun");
    wait_until("the install is at its last step", || begun.exists());
    kill(running);
    fs_err::remove_file(begun).unwrap();
    let half = context.project().join("node_modules/left-pad");
    assert!(
        fs_err::read_to_string(half.join("package.json"))
            .unwrap()
            .contains("1.3.0")
    );
    fs_err::remove_file(half.join("index.js")).unwrap();
    let _ = fs_err::remove_file(context.project().join(lockfile));
    manifest(context, manager, WANTED, "true");
}

#[test]
fn an_install_that_fails_at_its_end_leaves_packages_and_lockfiles_as_they_were() {
    for (name, version, install, _) in MANAGERS {
        let Some(context) = with_packages(name, version, install) else {
            continue;
        };
        let folder = context.project().join("node_modules");
        let before = (bytes_of(&folder), beside(&context));
        let last = "echo more >> node_modules/.prisma/client/index.js; exit 1";
        manifest(&context, (name, version), WANTED, last);
        let error = context.error(&["setup"]);
        assert_eq!(error["code"], "provision::failed", "{name}: {error:#}");
        assert_eq!((bytes_of(&folder), beside(&context)), before, "{name}");
        manifest(&context, (name, version), WANTED, "true");
        assert_eq!(plan(&context, &[])["applied"], true, "{name}");
        assert!(folder.join("ms/index.js").is_file(), "{name}");
    }
}

#[test]
fn a_package_that_a_kill_left_half_unpacked_is_installed_whole() {
    for (name, version, install, lockfile) in MANAGERS {
        let Some(context) = with_packages(name, version, install) else {
            continue;
        };
        let folder = context.project().join("node_modules");
        let untouched = bytes_of(&folder.join("is-odd"));
        killed(&context, (name, version), lockfile);
        let planned = plan(&context, &["--plan"]);
        assert_eq!(planned["action"], "install-missing", "{name}: {planned:#}");
        assert!(
            !folder.join("left-pad/index.js").exists(),
            "{name}: a plan changes nothing"
        );
        let done = plan(&context, &[]);
        assert_eq!(done["applied"], true, "{name}: {done:#}");
        assert!(folder.join("left-pad/index.js").is_file(), "{name}");
        assert!(folder.join("ms/index.js").is_file(), "{name}");
        assert!(folder.join(".mine/keep.txt").is_file(), "{name}");
        assert_eq!(bytes_of(&folder.join("is-odd")), untouched, "{name}");
        assert_eq!(plan(&context, &[])["action"], "reuse", "{name}");
        let names =
            ["node_modules", "package.json", lockfile].map(|name| context.project().join(name));
        let left: Vec<PathBuf> = beside(&context)
            .into_iter()
            .filter(|path| !names.contains(path) && !path.ends_with(".ai"))
            .collect();
        assert_eq!(left, [] as [PathBuf; 0], "{name}");
    }
}

#[test]
fn undo_after_a_kill_puts_a_users_packages_back_byte_for_byte() {
    let (name, version, install, lockfile) = MANAGERS[0];
    let Some(context) = with_packages(name, version, install) else {
        return;
    };
    let folder = context.project().join("node_modules");
    let before = (bytes_of(&folder), beside(&context));
    killed(&context, (name, version), lockfile);
    context.data(&["setup", "--undo"]);
    assert_eq!((bytes_of(&folder), beside(&context)), before);
}

#[test]
fn a_repair_that_fails_puts_a_users_packages_back_too() {
    let (name, version, install, lockfile) = MANAGERS[0];
    let Some(context) = with_packages(name, version, install) else {
        return;
    };
    let folder = context.project().join("node_modules");
    let before = bytes_of(&folder);
    killed(&context, (name, version), lockfile);
    manifest(&context, (name, version), WANTED, "exit 1");
    assert_eq!(context.error(&["setup"])["code"], "provision::failed");
    assert_eq!(bytes_of(&folder), before);
}

/// The site-packages of an environment.
fn library(environment: &Path) -> PathBuf {
    let mut versions = fs_err::read_dir(environment.join("lib")).unwrap();
    versions
        .next()
        .unwrap()
        .unwrap()
        .path()
        .join("site-packages")
}

/// What a kill leaves of a wheel: uv links its files in any order, and pip unpacks the
/// wheel's own list of files before it makes the scripts, so that the metadata is whole
/// though files are missing.
fn half_installed(context: &TestContext, environment: &Path) {
    let half = library(environment).join("idna-3.10.dist-info");
    for (file, text) in [
        (
            "METADATA",
            "Metadata-Version: 2.1\nName: idna\nVersion: 3.10\n",
        ),
        (
            "RECORD",
            "idna/__init__.py,,\nidna-3.10.dist-info/RECORD,,\n",
        ),
        ("INSTALLER", "pip\n"),
        (
            "WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        ),
    ] {
        context.file(half.join(file), text);
    }
    fs_err::remove_file(library(environment).join("six.py")).unwrap();
}

/// The next setup makes it whole, with the packages of theirs as they were.
fn is_made_whole(context: &TestContext, theirs: &Path) {
    let done = plan(context, &[]);
    assert_eq!(done["applied"], true, "{done:#}");
    let python = Command::new(theirs.join("bin/python"))
        .args([
            "-c",
            "import idna.core, six; assert six.__version__ == '1.16.0'",
        ])
        .status();
    assert!(python.unwrap().success());
    assert_eq!(plan(context, &[])["action"], "reuse");
}

#[test]
fn a_wheel_that_a_killed_uv_left_half_linked_is_installed_whole() {
    let Some(mut context) = with_stuck_uv("pip") else {
        return;
    };
    context.file("requirements.txt", "six\nidna\n");
    context.tool("where.py", WHERE);
    let theirs = venv(&context, ".venv", &["six==1.16.0"]);
    let before = bytes_of(&theirs);
    context.set_env("PATH", usual_path(&[context.root().join("stuck")]));
    let running = start(&context);
    wait_until("the install begins", || {
        journal(&context).contains("\"pip\"")
    });
    assert_eq!(
        runs_in(&context, "where"),
        theirs,
        "an install under way keeps nobody"
    );
    kill(running);
    half_installed(&context, &theirs);
    let error = context.error(&["run", "where"]);
    assert_eq!(error["code"], "provision::unfinished", "{error:#}");
    context.data(&["setup", "--undo"]);
    assert_eq!(bytes_of(&theirs), before);
    assert_eq!(runs_in(&context, "where"), theirs);
    let running = start(&context);
    wait_until("the install begins again", || {
        journal(&context).matches("\"pip\"").count() == 2
    });
    kill(running);
    half_installed(&context, &theirs);
    context.set_env("PATH", usual_path(&[tools().join("uv/bin")]));
    is_made_whole(&context, &theirs);
}

#[test]
fn a_wheel_that_a_killed_pip_left_half_unpacked_is_installed_whole() {
    let Some(python) = program("python3") else {
        return;
    };
    let context = real(&[]);
    let theirs = context.project().join(".venv");
    let run = |program: &Path, args: &[&str]| {
        let output = Command::new(program).args(args).output().unwrap();
        assert!(output.status.success(), "{args:?}: {output:?}");
    };
    run(&python, &["-m", "venv", theirs.to_str().unwrap()]);
    run(
        &theirs.join("bin/python"),
        &["-m", "pip", "install", "-q", "six==1.16.0"],
    );
    // Its build waits for ever, so that pip is at work when it is killed.
    let begun = context.root().join("begun");
    let build = format!("import time\nopen({begun:?}, 'w')\ntime.sleep(600)\n");
    context.file("slow/setup.py", build);
    context.file("requirements.txt", "six\nidna\n./slow\n");
    let running = start(&context);
    wait_until("pip is at work", || begun.exists());
    kill(running);
    half_installed(&context, &theirs);
    context.file("requirements.txt", "six\nidna\n");
    is_made_whole(&context, &theirs);
}

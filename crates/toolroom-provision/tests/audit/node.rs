//! Real `node_modules` of npm, pnpm and yarn.

use std::path::Path;
use std::process::Command;

use toolroom_kernel::model::Environ;
use toolroom_provision::audit::node::{Layout, audit};
use toolroom_provision::audit::{Audit, SeverityRules};
use toolroom_provision::requirement::{Context, Format, Selection};

use crate::support::{program, run, run_well, tool};

const MANIFEST: &str = r#"{"name": "probe", "version": "1.0.0", "private": true, "dependencies":
    {"is-odd": "3.0.1", "@sindresorhus/is": "^4.6.0", "seven": "npm:is-number@7.0.0"},
    "optionalDependencies": {"fsevents": "2.3.3"}}"#;

fn judge(project: &Path) -> Audit {
    let env = Environ::new();
    let context = Context {
        working_directory: project,
        env: &env,
        selection: Selection::default(),
    };
    let requirements = Format::PackageJson.read(&project.join("package.json"), &context);
    assert_eq!(requirements.problems, []);
    audit(project, &requirements, &SeverityRules::default()).unwrap()
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs_err::write(folder.path().join("package.json"), MANIFEST).unwrap();
    folder
}

fn names(audit: &Audit) -> (Vec<&str>, Vec<&str>) {
    (
        audit
            .missing
            .iter()
            .map(|missing| missing.package.as_str())
            .collect(),
        audit
            .conflicts
            .iter()
            .map(|conflict| conflict.package.as_str())
            .collect(),
    )
}

/// Installs, judges, then asks for another version and takes a package away.
fn check(mut install: Command, layout: Layout, inner: &str) {
    let folder = project();
    let root = fs_err::canonicalize(folder.path()).unwrap();
    assert_eq!(
        names(&judge(&root)).0,
        ["@sindresorhus/is", "is-odd", "seven"]
    );
    run_well(install.current_dir(&root));
    let audit = judge(&root);
    assert!(audit.is_satisfied(), "{audit:#?}");
    assert_eq!(Layout::of(&root), layout);

    fs_err::write(
        root.join("package.json"),
        MANIFEST.replace("3.0.1", "^2.0.0"),
    )
    .unwrap();
    assert_eq!(names(&judge(&root)), (vec![], vec!["is-odd"]));
    fs_err::write(root.join("package.json"), MANIFEST).unwrap();
    fs_err::remove_dir_all(root.join(inner)).unwrap();
    assert_eq!(names(&judge(&root)), (vec!["is-number"], vec![]));
}

#[test]
fn npm_is_agreed_with() {
    if let Some(npm) = program("npm") {
        let mut install = Command::new(npm);
        install.args(["install", "--silent", "--no-audit", "--no-fund"]);
        check(install, Layout::Npm, "node_modules/is-number");
    }
}

#[test]
fn pnpm_is_agreed_with() {
    if let Some(pnpm) = tool("npm/node_modules/.bin/pnpm") {
        let mut install = Command::new(pnpm);
        install.args(["install", "--silent"]);
        check(
            install,
            Layout::Pnpm,
            "node_modules/.pnpm/is-number@6.0.0/node_modules/is-number",
        );
    }
}

#[test]
fn yarn_is_agreed_with() {
    if let Some(yarn) = tool("npm/node_modules/.bin/yarn") {
        let mut install = Command::new(yarn);
        install.args(["install", "--silent", "--no-progress"]);
        check(install, Layout::Yarn, "node_modules/is-number");
    }
}

#[test]
fn npm_ls_finds_the_same_faults() {
    let Some(npm) = program("npm") else {
        return;
    };
    let folder = project();
    let root = fs_err::canonicalize(folder.path()).unwrap();
    run_well(
        Command::new(&npm)
            .args(["install", "--silent", "--no-audit", "--no-fund"])
            .current_dir(&root),
    );
    let changed = MANIFEST
        .replace("^4.6.0", "^5.0.0")
        .replace("\"is-odd\"", "\"left-pad\": \"1\", \"is-odd\"");
    fs_err::write(root.join("package.json"), changed).unwrap();
    let output = run(Command::new(&npm)
        .args(["ls", "--all", "--json"])
        .current_dir(&root));
    let listing: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let said = listing["problems"].to_string();
    let audit = judge(&root);
    assert_eq!(names(&audit), (vec!["left-pad"], vec!["@sindresorhus/is"]));
    assert!(
        said.contains("missing: left-pad@1") && said.contains("invalid: @sindresorhus/is@4.6.0"),
        "{said}"
    );
}

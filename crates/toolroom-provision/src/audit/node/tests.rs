use std::path::PathBuf;

use toolroom_kernel::model::Environ;

use super::*;
use crate::audit::Severity;
use crate::requirement::{Context, Format, Selection};

struct Project(tempfile::TempDir);

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let project = Self(tempfile::tempdir().unwrap());
        for (name, content) in files {
            let path = project.path(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, content).unwrap();
        }
        project
    }

    fn path(&self, name: &str) -> PathBuf {
        fs_err::canonicalize(self.0.path()).unwrap().join(name)
    }

    fn requirements(&self, name: &str) -> Requirements {
        let env = Environ::new();
        let context = Context {
            working_directory: self.0.path(),
            env: &env,
            selection: Selection::default(),
        };
        Format::PackageJson.read(&self.path(name).join("package.json"), &context)
    }

    fn audit(&self, name: &str) -> Audit {
        let requirements = self.requirements(name);
        audit(&self.path(name), &requirements, &SeverityRules::default()).unwrap()
    }

    #[cfg(unix)]
    fn link(&self, target: &str, link: &str) {
        let link = self.path(link);
        fs_err::create_dir_all(link.parent().unwrap()).unwrap();
        fs_err::os::unix::fs::symlink(self.path(target), link).unwrap();
    }
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

#[test]
fn missing_and_wrong_packages_are_found_at_every_depth() {
    let project = Project::new(&[
        (
            "package.json",
            r#"{"dependencies": {"a": "^1", "b": "^2", "gone": "1"}, "optionalDependencies": {"opt": "1"}}"#,
        ),
        (
            "node_modules/a/package.json",
            r#"{"name": "a", "version": "1.2.0", "dependencies": {"c": "^1", "lost": "*"}}"#,
        ),
        (
            "node_modules/a/node_modules/c/package.json",
            r#"{"name": "c", "version": "1.0.0"}"#,
        ),
        (
            "node_modules/c/package.json",
            r#"{"name": "c", "version": "9.0.0"}"#,
        ),
        (
            "node_modules/b/package.json",
            r#"{"name": "b", "version": "1.9.0"}"#,
        ),
    ]);
    let audit = project.audit("");
    assert_eq!(names(&audit), (vec!["gone", "lost"], vec!["b"]));
    assert_eq!(audit.conflicts[0].severity, Severity::Major);
    assert_eq!(audit.skipped.len(), 1);
    assert_eq!(audit.satisfied.len(), 1);
}

#[test]
fn an_alias_must_hold_the_package_it_names() {
    let files = |name: &str| format!(r#"{{"name": "{name}", "version": "1.5.0"}}"#);
    let manifest = r#"{"dependencies": {"old": "npm:@s/real@^1"}}"#;
    let right = Project::new(&[
        ("package.json", manifest),
        ("node_modules/old/package.json", &files("@s/real")),
    ]);
    assert!(right.audit("").is_satisfied());
    let wrong = Project::new(&[
        ("package.json", manifest),
        ("node_modules/old/package.json", &files("old")),
    ]);
    assert_eq!(names(&wrong.audit("")).1, ["old"]);
}

#[test]
fn an_interrupted_install_leaves_packages_missing() {
    let project = Project::new(&[
        ("package.json", r#"{"dependencies": {"a": "1"}}"#),
        ("node_modules/a/index.js", ""),
    ]);
    assert_eq!(names(&project.audit("")).0, ["a"]);
}

#[test]
fn an_overridden_version_is_no_conflict() {
    let project = Project::new(&[
        (
            "package.json",
            r#"{"dependencies": {"a": "1"}, "overrides": {"b": "2"}}"#,
        ),
        (
            "node_modules/a/package.json",
            r#"{"name": "a", "version": "1.0.0", "dependencies": {"b": "^1"}}"#,
        ),
        (
            "node_modules/b/package.json",
            r#"{"name": "b", "version": "2.0.0"}"#,
        ),
    ]);
    assert!(project.audit("").is_satisfied());
}

#[test]
fn unmet_peers_are_notes() {
    let project = Project::new(&[
        ("package.json", r#"{"dependencies": {"a": "1"}}"#),
        (
            "node_modules/a/package.json",
            r#"{"name": "a", "version": "1.0.0", "peerDependencies": {"p": "1", "q": "1"}, "peerDependenciesMeta": {"q": {"optional": true}}}"#,
        ),
    ]);
    let audit = project.audit("");
    assert!(audit.is_satisfied());
    assert_eq!(audit.notes, ["a expects a peer p@1"]);
}

#[test]
fn a_damaged_manifest_is_not_judged() {
    let project = Project::new(&[
        ("package.json", r#"{"dependencies": {"a": "1", "b": "1"}}"#),
        ("node_modules/a/package.json", "{"),
        (
            "node_modules/b/package.json",
            r#"{"name": "b", "version": "one"}"#,
        ),
    ]);
    let audit = project.audit("");
    assert_eq!(audit.unjudged.len(), 2);
    assert!(!audit.is_satisfied());
}

#[cfg(unix)]
#[test]
fn the_layout_of_pnpm_is_followed_through_its_links() {
    let project = Project::new(&[
        ("package.json", r#"{"dependencies": {"a": "1"}}"#),
        ("node_modules/.modules.yaml", ""),
        (
            "node_modules/.pnpm/a@1.0.0/node_modules/a/package.json",
            r#"{"name": "a", "version": "1.0.0", "dependencies": {"b": "2"}}"#,
        ),
        (
            "node_modules/.pnpm/b@2.0.0/node_modules/b/package.json",
            r#"{"name": "b", "version": "2.0.0"}"#,
        ),
    ]);
    project.link(
        "node_modules/.pnpm/a@1.0.0/node_modules/a",
        "node_modules/a",
    );
    assert_eq!(names(&project.audit("")).0, ["b"]);
    project.link(
        "node_modules/.pnpm/b@2.0.0/node_modules/b",
        "node_modules/.pnpm/a@1.0.0/node_modules/b",
    );
    assert!(project.audit("").is_satisfied());
    assert_eq!(Layout::of(&project.path("")), Layout::Pnpm);
}

#[cfg(unix)]
#[test]
fn a_workspace_shares_what_its_root_has() {
    let project = Project::new(&[
        ("package.json", r#"{"workspaces": ["packages/*"]}"#),
        (
            "node_modules/a/package.json",
            r#"{"name": "a", "version": "1.0.0"}"#,
        ),
        (
            "packages/one/package.json",
            r#"{"name": "one", "version": "1.0.0", "dependencies": {"a": "1", "two": "workspace:^"}}"#,
        ),
        (
            "packages/two/package.json",
            r#"{"name": "two", "dependencies": {"z": "1"}}"#,
        ),
    ]);
    project.link("packages/two", "node_modules/two");
    assert_eq!(names(&project.audit("packages/one")), (vec!["z"], vec![]));
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_and_links_to_nothing_come_to_an_end() {
    let project = Project::new(&[
        (
            "package.json",
            r#"{"dependencies": {"a": "*", "dead": "*"}}"#,
        ),
        (
            "lib/package.json",
            r#"{"name": "a", "version": "1.0.0", "dependencies": {"a": "*"}}"#,
        ),
    ]);
    project.link("lib", "node_modules/a");
    project.link("lib", "lib/node_modules/a");
    project.link("none", "node_modules/dead");
    let audit = project.audit("");
    assert_eq!(audit.examined, 1);
    assert_eq!(names(&audit).0, ["dead"]);
}

#[test]
fn a_stray_folder_above_the_project_does_not_count() {
    let project = Project::new(&[
        (
            "node_modules/a/package.json",
            r#"{"name": "a", "version": "1.0.0"}"#,
        ),
        ("inner/package.json", r#"{"dependencies": {"a": "1"}}"#),
    ]);
    assert_eq!(names(&project.audit("inner")).0, ["a"]);
}

#[test]
fn plug_and_play_is_named() {
    let project = Project::new(&[
        ("package.json", r#"{"dependencies": {"a": "1"}}"#),
        (".pnp.cjs", ""),
    ]);
    let requirements = project.requirements("");
    let error = audit(&project.path(""), &requirements, &SeverityRules::default()).unwrap_err();
    assert!(error.to_string().contains("Plug'n'Play"));
}

#[test]
fn layouts_are_told_by_their_marks() {
    let cases = [
        (".package-lock.json", Layout::Npm),
        (".modules.yaml", Layout::Pnpm),
        (".yarn-state.yml", Layout::Yarn),
        ("other", Layout::Unmarked),
    ];
    for (mark, layout) in cases {
        let project = Project::new(&[(&format!("node_modules/{mark}"), "")]);
        assert_eq!(Layout::of(&project.path("")), layout);
    }
    assert_eq!(Layout::of(Path::new("/nonexistent")), Layout::Absent);
}

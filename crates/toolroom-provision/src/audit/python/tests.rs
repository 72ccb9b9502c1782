#![cfg(unix)]

use std::path::PathBuf;

use proptest::prelude::*;
use toolroom_kernel::model::Environ;

use super::*;
use crate::audit::Severity;
use crate::requirement::{Context, Format, InterpreterLimit, Origin, Selection};

/// An environment of 3.11 with the given distributions.
struct Site(tempfile::TempDir);

impl Site {
    /// Each distribution is `name version` and the lines of its metadata.
    fn new(distributions: &[(&str, &[&str])]) -> Self {
        let site = Self(tempfile::tempdir().unwrap());
        site.file("env/pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\n");
        site.file("env/lib/python3.11/site-packages/README.txt", "");
        for (title, lines) in distributions {
            let (name, version) = title.split_once(' ').unwrap();
            let mut text = format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n");
            for line in *lines {
                let line = if line.contains(": ") {
                    (*line).to_owned()
                } else {
                    format!("Requires-Dist: {line}")
                };
                text.push_str(&line);
                text.push('\n');
            }
            let folder = name.replace(['-', '.'], "_");
            site.package(
                &format!("{folder}-{version}.dist-info/METADATA"),
                &(text + "\nRead me.\n"),
            );
        }
        site
    }

    fn file(&self, name: &str, content: &str) {
        let path = self.0.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, content).unwrap();
    }

    fn package(&self, name: &str, content: &str) {
        self.file(&format!("env/lib/python3.11/site-packages/{name}"), content);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn audit(&self, lines: &str) -> Audit {
        self.audit_with(lines, &SeverityRules::default())
    }

    fn audit_with(&self, lines: &str, rules: &SeverityRules) -> Audit {
        self.file("requirements.txt", lines);
        let env = Environ::new();
        let context = Context {
            working_directory: self.0.path(),
            env: &env,
            selection: Selection::default(),
        };
        let requirements = Format::RequirementsTxt.read(&self.path("requirements.txt"), &context);
        let environment = Environment::read(&self.path("env"), &Platform::current()).unwrap();
        audit(&environment, &requirements, rules).unwrap()
    }
}

fn missing(audit: &Audit) -> Vec<&str> {
    audit
        .missing
        .iter()
        .map(|missing| missing.package.as_str())
        .collect()
}

fn conflicts(audit: &Audit) -> Vec<String> {
    let show =
        |c: &crate::audit::Conflict| format!("{} {} ({})", c.package, c.installed, c.required);
    audit.conflicts.iter().map(show).collect()
}

#[test]
fn the_nine_requirements_of_the_guide_are_met_by_what_meets_them() {
    // Names that differ from the module to import, versions without `__version__`, and
    // numbers of two digits: what an import-based check gets wrong.
    let site = Site::new(&[
        ("pytest 9.2.0", &[]),
        ("PyYAML 6.0.10", &[]),
        ("watchdog 10.1.0", &[]),
        ("psutil 7.2.2", &[]),
        ("scikit-learn 1.9.1", &[]),
        ("PyGithub 2.10.0", &[]),
        ("tree-sitter 0.26.0", &[]),
        ("python-docx 1.2.0", &[]),
        ("pypdf2 3.0.1", &[]),
    ]);
    let audit = site.audit(
        "pytest>=8.4.0\nPyYAML>=6.0.2\nwatchdog>=6.0.0\npsutil>=6.1.1\nscikit-learn>=1.5.2\n\
         PyGithub>=2.5.0\ntree-sitter>=0.20.1\npython-docx>=1.1.0\nPyPDF2>=3.0.0\n",
    );
    assert!(audit.is_satisfied(), "{audit:?}");
    assert_eq!(audit.satisfied.len(), 9);
}

#[test]
fn missing_packages_keep_their_constraints_and_their_places() {
    let site = Site::new(&[("pytest 8.4.0", &[])]);
    let audit = site.audit("pytest>=8\nwatchdog>=6.0.0\nPyGithub>=2.5.0\n");
    assert_eq!(missing(&audit), ["pygithub", "watchdog"]);
    let demand = &audit.missing[1].demands[0];
    assert_eq!(demand.install, "watchdog>=6.0.0");
    assert!(demand.wanted.to_string().ends_with("requirements.txt:2"));
    assert!(!audit.has_conflicts());
}

#[test]
fn dependencies_of_dependencies_are_followed() {
    let site = Site::new(&[
        (
            "a 1.0",
            &[
                "b>=1",
                "gone>=2; python_version >= '3.8'",
                "old; python_version < '3'",
            ],
        ),
        ("b 1.5", &["c[fast]<3"]),
        ("c 3.0", &["d; extra == 'fast'", "e; extra == 'slow'"]),
    ]);
    let audit = site.audit("a\n");
    assert_eq!(missing(&audit), ["gone"]);
    assert_eq!(audit.missing[0].demands[0].install, "gone>=2");
    assert_eq!(conflicts(&audit), ["c 3.0 (c<3)"]);
}

#[test]
fn extras_are_followed_where_they_are_asked_for() {
    let site = Site::new(&[(
        "a 1.0",
        &[
            "b; extra == 'x'",
            "a[x]; extra == 'all'",
            "d; extra == 'Under_Score'",
        ],
    )]);
    assert!(site.audit("a\n").is_satisfied());
    assert_eq!(missing(&site.audit("a[all]\n")), ["b"]);
    assert_eq!(missing(&site.audit("a\na[x]\n")), ["b"]);
    assert_eq!(missing(&site.audit("a[under.score]\n")), ["d"]);
}

#[test]
fn a_requirement_for_another_machine_is_skipped() {
    let audit = Site::new(&[]).audit("pywin32; sys_platform == 'win32'\n");
    assert!(audit.is_satisfied());
    assert_eq!(audit.skipped.len(), 1);
}

#[test]
fn what_must_be_replaced_is_not_asked_what_it_needs() {
    let site = Site::new(&[("a 1.0", &["relic"])]);
    let audit = site.audit("a>=2\n");
    assert_eq!(conflicts(&audit), ["a 1.0 (a>=2)"]);
    assert!(audit.missing.is_empty());
}

#[test]
fn an_install_that_would_break_an_installed_package_says_so() {
    let site = Site::new(&[
        ("requests 2.31.0", &["urllib3<3,>=1.21.1", "certifi"]),
        ("urllib3 2.2.3", &[]),
        ("certifi 2024.1", &[]),
        ("other 1.0", &["urllib3>=1", "urllib3>=9; extra == 'x'"]),
    ]);
    let audit = site.audit("urllib3==1.20\n");
    let broken: Vec<String> = audit
        .broken_by_install()
        .map(|(_, b)| b.to_string())
        .collect();
    assert_eq!(broken, ["requests 2.31.0 (needs urllib3>=1.21.1,<3)"]);
    let conflict = &audit.conflicts[0];
    assert_eq!(conflict.severity, Severity::Major);

    let audit = site.audit("urllib3==1.20\nrequests\n");
    assert_eq!(
        audit.broken_by_install().count(),
        1,
        "also where the walk reaches it"
    );
}

#[test]
fn severity_follows_the_step_and_the_list() {
    let site = Site::new(&[
        ("psutil 6.1.0", &[]),
        ("tree-sitter 0.19.0", &[]),
        ("pytest 6.2.0", &[]),
    ]);
    let rules = SeverityRules {
        major: vec!["psutil".into()],
        ..SeverityRules::default()
    };
    let severities = |lines: &str, rules: &SeverityRules| {
        let audit = site.audit_with(lines, rules);
        audit
            .conflicts
            .iter()
            .map(|c| c.severity)
            .collect::<Vec<_>>()
    };
    let default = SeverityRules::default();
    assert_eq!(severities("psutil>=6.1.1\n", &default), [Severity::Minor]);
    assert_eq!(severities("psutil>=6.1.1\n", &rules), [Severity::Major]);
    assert_eq!(
        severities("tree-sitter>=0.20.1\n", &default),
        [Severity::Major]
    );
    assert_eq!(severities("pytest>=8.4.0\n", &default), [Severity::Major]);
    assert_eq!(severities("psutil<6\n", &default), [Severity::Major]);
}

#[test]
fn files_that_contradict_each_other_are_told_apart_from_conflicts() {
    let audit = Site::new(&[]).audit("a>=2\na<1\n");
    assert_eq!(audit.contradictions[0].demands.len(), 2);
    assert!(audit.has_conflicts());
}

#[test]
fn constraints_count_only_for_what_is_asked_for() {
    let site = Site::new(&[("a 1.0", &["b"]), ("b 2.0", &[]), ("c 9.0", &[])]);
    site.file("limits.txt", "b<2\nc<1\nd<1\n");
    let audit = site.audit("a\n-c limits.txt\n");
    assert_eq!(conflicts(&audit), ["b 2.0 (b<2)"]);
    assert!(audit.missing.is_empty());
}

#[test]
fn a_package_that_is_there_twice_is_named() {
    let site = Site::new(&[("a 1.0", &[]), ("a 2.0", &[]), ("b 1.0", &[])]);
    let audit = site.audit("b\n");
    assert!(audit.is_satisfied() && !audit.duplicates[0].required);
    let audit = site.audit("a>=2\n");
    assert!(audit.duplicates[0].required && !audit.is_satisfied());
    assert_eq!(conflicts(&audit), ["a 1.0 (a>=2)"]);
}

#[test]
fn an_interpreter_that_is_too_old_is_a_conflict() {
    let site = Site::new(&[
        ("a 1.0", &["Requires-Python: >=3.12"]),
        ("b 1.0", &["Requires-Python: >=3.8,!=3.9.*"]),
    ]);
    assert!(site.audit("b\n").is_satisfied());
    let audit = site.audit("a\n");
    assert_eq!(
        (
            audit.interpreter[0].running.as_str(),
            audit.interpreter[0].required.as_str()
        ),
        ("3.11.7", ">=3.12")
    );
}

#[test]
fn limits_on_the_interpreter_are_pep_440() {
    let site = Site::new(&[]);
    site.file(
        "env/pyvenv.cfg",
        "home = /usr/bin\nversion_info = 3.14.0.candidate.1\n",
    );
    let environment = Environment::read(&site.path("env"), &Platform::current()).unwrap();
    let judge = |spec: &str| {
        let requirements = Requirements {
            interpreter: vec![InterpreterLimit {
                spec: spec.to_owned(),
                origin: Origin::file(Path::new("tool.py")),
            }],
            ..Requirements::default()
        };
        audit(&environment, &requirements, &SeverityRules::default()).unwrap()
    };
    for spec in [
        ">=3.14", "~=3.10", "==3.14.*", "!=3.9.*", ">=3", "<4,>3.8", "",
    ] {
        assert!(judge(spec).is_satisfied(), "{spec}");
    }
    for spec in ["<3.14", "~=3.10.1", ">=3.15", "==3.13.*"] {
        assert_eq!(judge(spec).interpreter.len(), 1, "{spec}");
    }
    for spec in ["3.14", "newest", ">=3.x", "@ file:///x"] {
        assert_eq!(judge(spec).unjudged.len(), 1, "{spec}");
    }
}

#[test]
fn broken_metadata_is_not_judged_and_does_not_stop_the_rest() {
    let site = Site::new(&[("good 1.0", &["bad_>=1", "weird===1.0-custom", "fine"])]);
    site.package("hollow-1.0.dist-info/RECORD", "");
    site.package(
        "legacy-2004d.dist-info/METADATA",
        "Name: legacy\nVersion: 2004-d!\n\n",
    );
    site.package("~ood-0.9.dist-info/METADATA", "Name: ood\nVersion: 0.9\n\n");
    let audit = site.audit("good\nhollow\nlegacy\nood\n");
    assert_eq!(missing(&audit), ["fine", "ood"]);
    let subjects: Vec<&str> = audit.unjudged.iter().map(|u| u.subject.as_str()).collect();
    assert_eq!(
        subjects,
        ["bad_>=1", "weird===1.0-custom", "hollow", "legacy"]
    );
    assert!(!audit.is_satisfied());
}

#[test]
fn a_bad_line_in_the_file_is_not_judged() {
    let audit = Site::new(&[]).audit("foo_>=1\n");
    assert!(!audit.is_satisfied());
    assert!(audit.unjudged[0].subject.contains("foo_>=1"));
}

#[test]
fn the_base_s_packages_are_seen_below_the_environment_s_own() {
    let site = Site::new(&[("a 2.0", &[])]);
    site.file("base/bin/x", "");
    site.file(
        "base/lib/python3.11/site-packages/a-1.0.dist-info/METADATA",
        "Name: a\nVersion: 1.0\n\n",
    );
    site.file(
        "base/lib/python3.11/site-packages/b-1.0.dist-info/METADATA",
        "Name: b\nVersion: 1.0\n\n",
    );
    let home = site.path("base/bin");
    let config = |flag: &str| {
        format!(
            "home = {}\nversion = 3.11.7\ninclude-system-site-packages = {flag}\n",
            home.display()
        )
    };
    site.file("env/pyvenv.cfg", &config("false"));
    assert_eq!(missing(&site.audit("a>=2\nb\n")), ["b"]);
    site.file("env/pyvenv.cfg", &config("true"));
    let audit = site.audit("a>=2\nb\n");
    assert!(
        audit.is_satisfied() && audit.duplicates.is_empty(),
        "{audit:?}"
    );
}

#[test]
fn eggs_of_every_kind_are_read() {
    let site = Site::new(&[]);
    site.package(
        "dir_egg-1.0-py3.11.egg-info/PKG-INFO",
        "Name: dir-egg\nVersion: 1.0\n\n",
    );
    site.package(
        "dir_egg-1.0-py3.11.egg-info/requires.txt",
        "needed>=1\n\n[x]\nnot-needed\n",
    );
    site.package(
        "file_egg-2.0-py3.11.egg-info",
        "Name: file-egg\nVersion: 2.0\n\n",
    );
    site.package(
        "old-3.0-py3.11.egg/EGG-INFO/PKG-INFO",
        "Name: old\nVersion: 3.0\n\n",
    );
    site.package(
        "linked.egg-link",
        &format!("{}\n.\n", site.path("src").display()),
    );
    site.file(
        "src/linked.egg-info/PKG-INFO",
        "Name: linked\nVersion: 4.0\n\n",
    );
    site.file("src/setup.cfg", "[metadata]\nname = linked\n");
    let audit = site.audit("dir-egg==1.0\nfile-egg==2.0\nold==3.0\nlinked==4.0\n-e ./src\n");
    assert_eq!(missing(&audit), ["needed"]);
    assert!(!audit.has_conflicts(), "{audit:?}");
    assert_eq!(audit.satisfied.len(), 5);
}

#[test]
fn sources_are_judged_by_where_they_came_from() {
    let site = Site::new(&[("lib 1.0", &[]), ("tool 1.0", &[]), ("indexed 1.0", &[])]);
    let lib = site.path("lib");
    site.file("lib/pyproject.toml", "[project]\nname = 'lib'\n");
    site.package(
        "lib-1.0.dist-info/direct_url.json",
        &format!(
            "{{\"url\": \"file://{}\", \"dir_info\": {{\"editable\": true}}}}",
            lib.display()
        ),
    );
    site.package("tool-1.0.dist-info/direct_url.json", r#"{"url": "https://host/tool.git", "vcs_info": {"vcs": "git", "requested_revision": "v1", "commit_id": "abc"}}"#);
    assert!(
        site.audit("-e ./lib\ntool @ git+https://me:pw@host/tool.git@v1\nlib>=1\n")
            .is_satisfied()
    );
    assert_eq!(
        conflicts(&site.audit("./lib\n")),
        [format!(
            "lib {} (editable) (lib {})",
            lib.display(),
            lib.display()
        )]
    );
    assert_eq!(
        conflicts(&site.audit("tool @ git+https://host/tool.git@v2\n")),
        ["tool git+https://host/tool@v1 (tool git+https://host/tool@v2)"]
    );
    let audit = site.audit("indexed @ https://host/indexed-1.0-py3-none-any.whl\n");
    assert_eq!(
        conflicts(&audit),
        ["indexed 1.0 (from an index) (indexed https://host/indexed-1.0-py3-none-any.whl)"]
    );
    assert_eq!(audit.conflicts[0].severity, Severity::Major);
}

#[test]
fn a_source_without_a_name_is_found_by_its_place() {
    let site = Site::new(&[("lib 1.0", &["more"])]);
    site.file("odd/setup.py", "");
    let odd = site.path("odd");
    assert_eq!(missing(&site.audit("./odd\n")), [odd.to_str().unwrap()]);
    site.package(
        "lib-1.0.dist-info/direct_url.json",
        &format!(
            "{{\"url\": \"file://{}\", \"dir_info\": {{}}}}",
            odd.display()
        ),
    );
    assert_eq!(missing(&site.audit("./odd\n")), ["more"]);
}

#[test]
fn packages_that_need_each_other_come_to_an_end() {
    let site = Site::new(&[
        ("a 1.0", &["b[x]"]),
        ("b 1.0", &["a[y]", "c; extra == 'x'"]),
        ("c 1.0", &["a"]),
    ]);
    let audit = site.audit("a\n");
    assert!(audit.is_satisfied());
    assert_eq!(audit.examined, 3);
}

#[test]
fn the_answer_holds_no_secret() {
    let audit = Site::new(&[]).audit("tool @ https://me:hunter2@host/tool-1.0-py3-none-any.whl\n");
    assert!(!serde_json::to_string(&audit).unwrap().contains("hunter2"));
    assert!(audit.missing[0].demands[0].install.contains("hunter2"));
}

#[test]
fn an_empty_environment_lacks_everything() {
    let site = Site::new(&[]);
    fs_err::remove_dir_all(site.path("env/lib")).unwrap();
    assert_eq!(missing(&site.audit("a\n")), ["a"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn no_metadata_and_no_requirement_panics(
        head in "((Name|Version|Requires-Dist|Requires-Python|X): ?(a|b\\[x\\]|[a-z0-9<>=;.\\[\\]'\" -]{0,20})\r?\n){0,6}",
        record in "\\{?\"?(url)?\"?:? ?\"?[a-z:/@#+]{0,12}\"?\\}?",
        lines in "((a|b|c)[a-z0-9<>=;.\\[\\] @:/-]{0,16}\n){0,4}",
    ) {
        let site = Site::new(&[("a 1.0", &["b[x]>=1", "c"]), ("c 2!1.0", &["a[q]"])]);
        site.package("b-1.0.dist-info/METADATA", &head);
        site.package("b-1.0.dist-info/direct_url.json", &record);
        site.package("-.dist-info/METADATA", &head);
        site.package("b.egg-link", &record);
        let _ = site.audit(&lines);
    }
}

//! Real environments: what we say, what `packaging` says, what uv would do.

use std::process::Command;

use crate::support::{Opinion, Venv, opinion, pythons, run, run_well, skip};
use toolroom_provision::audit::Severity;
use toolroom_provision::audit::python::{Environment, Installed, Platform};

/// Packages with markers, extras, names of every spelling and dependencies of dependencies.
const PACKAGES: [&str; 12] = [
    "requests[socks]==2.31.0",
    "urllib3==2.2.3",
    "flask==3.0.3",
    "httpx[http2]==0.27.0",
    "rich==13.7.1",
    "pytest==8.2.0",
    "PyYAML==6.0.2",
    "python-dateutil==2.9.0",
    "jaraco.text==3.12.1",
    "typing_extensions==4.12.2",
    "importlib-metadata==8.0.0",
    "backports.zoneinfo; python_version < '3.9'",
];

/// Requirement files to hold against that environment.
const CASES: [&str; 24] = [
    "requests\nflask\nhttpx\n",
    "requests>=2.31,<3\nurllib3>=2\n",
    "Requests[SOCKS]\nFlask\nPyYaml\nJaraco_Text\npython.dateutil\n",
    "requests[use_chardet_on_py3]\n",
    "requests[socks,security]\n",
    "httpx[http2,brotli,zstd,cli]\n",
    "flask[async,dotenv]\n",
    "pytest[dev]\n",
    "rich[jupyter]\n",
    "jaraco.text[testing]\n",
    "importlib_metadata[test,doc,perf]\n",
    "pytest>=8.4.0\nPyYAML>=6.0.10\n",
    "urllib3==1.20\n",
    "urllib3<2\nrequests\n",
    "werkzeug<3\nflask\n",
    "click==7.*\n",
    "h2>=5\nhttpx[http2]\n",
    "nothing-like-this\nnor.this[x]>=1\n",
    "tomli; python_version < '3.11'\nexceptiongroup; python_version < '3.11'\n",
    "colorama; sys_platform == 'win32'\nno-linux; platform_system != 'Linux'\nno-posix; os_name != 'posix'\n",
    "typing-extensions!=4.12.2\n",
    "six~=1.16\npython-dateutil~=2.8.0\n",
    "only-cpython; implementation_name == 'cpython'\nonly-pypy; platform_python_implementation == 'PyPy'\n",
    "idna>=3.7,!=3.8.*\ncertifi>2000\nmarkupsafe===2.0\n",
];

#[test]
fn the_audit_agrees_with_packaging_and_uv_on_a_real_environment() {
    let Some(venv) = Venv::new(&PACKAGES) else {
        return;
    };
    venv.agree(&CASES.map(str::to_owned));
    venv.agree(&every_extra(&venv));
    for lines in CASES.iter().take(4) {
        let audit = venv.audit(lines);
        assert_eq!(
            audit.is_satisfied(),
            venv.uv_is_content(lines),
            "uv:\n{lines}"
        );
    }
}

#[test]
fn the_audit_agrees_with_packaging_in_every_version_of_python() {
    // What runs in all of them, with more dependencies the older the version is.
    let packages = [
        "requests[socks]==2.31.0",
        "flask==3.0.3",
        "httpx[http2]==0.27.0",
        "rich==13.7.1",
        "pytest==8.2.0",
    ];
    for (minor, python) in pythons() {
        let Some(venv) = Venv::of(&python, &packages) else {
            skip(&format!("a uv that can use {}", python.display()));
            continue;
        };
        assert_eq!(venv.environment().minor(), format!("3.{minor}"));
        venv.agree(&CASES.map(str::to_owned));
        venv.agree(&every_extra(&venv));
        venv.agree(&[markers()]);
    }
}

/// One requirement file for every extra of every package that is installed.
fn every_extra(venv: &Venv) -> Vec<String> {
    let installed = Installed::read(&venv.environment()).unwrap();
    let mut cases = Vec::new();
    for found in installed.iter() {
        let metadata = fs_err::read_to_string(found.place().join("METADATA")).unwrap();
        let extras = metadata
            .lines()
            .filter_map(|line| line.strip_prefix("Provides-Extra: "));
        cases.extend(extras.map(|extra| format!("{}[{extra}]\n", found.name())));
    }
    assert!(!cases.is_empty());
    cases
}

#[test]
fn markers_are_answered_as_the_interpreter_answers_them() {
    if let Some(venv) = Venv::new(&[]) {
        venv.agree(&[markers()]);
    }
}

/// A requirement for every comparison that a marker may make.
fn markers() -> String {
    let mut lines = String::new();
    let comparisons = ["<", "<=", "==", "!=", ">=", ">"];
    let mut number = 0;
    let mut add = |marker: String| {
        lines.push_str(&format!("probe-{number}; {marker}\n"));
        number += 1;
    };
    for op in comparisons {
        for version in ["2.7", "3", "3.8", "3.11", "3.11.7", "3.12", "3.12.1", "4"] {
            for name in [
                "python_version",
                "python_full_version",
                "implementation_version",
            ] {
                add(format!("{name} {op} '{version}'"));
                add(format!("'{version}' {op} {name}"));
            }
        }
    }
    for (name, value) in [
        ("os_name", "posix"),
        ("sys_platform", "linux"),
        ("sys_platform", "linux2"),
        ("platform_machine", "x86_64"),
        ("platform_machine", "aarch64"),
        ("platform_system", "Linux"),
        ("platform_python_implementation", "CPython"),
        ("implementation_name", "cpython"),
    ] {
        for op in ["==", "!=", "in", "not in"] {
            add(format!("{name} {op} '{value}'"));
            add(format!("'{value}' {op} {name}"));
        }
    }
    for marker in [
        "python_version in '3.11 3.12'",
        "python_version not in '3.11 3.12'",
        "python_version ~= '3.8'",
        "python_version == '3.*'",
        "(python_version < '3' or os_name == 'posix') and sys_platform != 'win32'",
        "python_version < '3' or os_name == 'posix' and sys_platform == 'win32'",
        "extra == 'x'",
        "extra != 'x'",
    ] {
        add(marker.to_owned());
    }
    lines
}

#[test]
fn what_an_install_would_break_is_what_uv_finds_broken_afterwards() {
    let Some(venv) = Venv::new(&["requests==2.31.0", "urllib3==2.2.3"]) else {
        return;
    };
    let audit = venv.audit("urllib3==1.20\n");
    let broken: Vec<&str> = audit
        .broken_by_install()
        .map(|(_, b)| b.package.as_str())
        .collect();
    assert_eq!(broken, ["requests"]);
    assert_eq!(audit.conflicts[0].severity, Severity::Major);

    // uv plans it without a word, and sees the damage only once it is done.
    venv.install(&["urllib3==1.20"]);
    let check = run(&mut venv.uv(&["pip", "check"]));
    let said = String::from_utf8_lossy(&check.stderr).into_owned();
    assert!(
        !check.status.success() && said.contains("requests"),
        "{said}"
    );
    let after = venv.audit("requests\n");
    assert_eq!(
        opinion(&after),
        Opinion {
            missing: vec![],
            conflicts: vec!["urllib3".into()]
        }
    );
}

#[test]
fn the_guide_s_scenarios_are_told_apart() {
    let requirements =
        "pytest>=8.4.0\nPyYAML>=6.0.2\npython-docx>=1.1.0\nPyPDF2>=3.0.0\ntree-sitter>=0.20.1\n";
    let satisfied = [
        "pytest>=8.4",
        "PyYAML",
        "python-docx",
        "PyPDF2>=3",
        "tree-sitter",
    ];
    let Some(venv) = Venv::new(&satisfied) else {
        return;
    };
    assert!(venv.audit(requirements).is_satisfied(), "compatible");

    run_well(
        venv.uv(&["pip", "uninstall"])
            .args(["python-docx", "pypdf2"]),
    );
    let audit = venv.audit(requirements);
    let wanted: Vec<&str> = audit
        .missing
        .iter()
        .map(|m| m.demands[0].install.as_str())
        .collect();
    assert_eq!(
        wanted,
        ["PyPDF2>=3.0.0", "python-docx>=1.1.0"],
        "missing only"
    );
    assert!(!audit.has_conflicts());

    venv.install(&["pytest==6.2.0"]);
    let audit = venv.audit(requirements);
    let conflict = &audit.conflicts[0];
    assert_eq!(
        (
            conflict.package.as_str(),
            conflict.installed.as_str(),
            conflict.required.as_str()
        ),
        ("pytest", "6.2.0", "pytest>=8.4.0")
    );
    assert_eq!(conflict.severity, Severity::Major);
}

#[test]
fn editables_and_archives_are_judged_by_their_origin() {
    let Some(venv) = Venv::new(&[]) else {
        return;
    };
    let project = "[project]\nname = 'Our.Lib'\nversion = '1.0'\ndependencies = ['six']\n\
        [build-system]\nrequires = ['setuptools']\nbuild-backend = 'setuptools.build_meta'\n[tool.setuptools]\npy-modules = []\n";
    let folder = venv.file("lib/pyproject.toml", project);
    let folder = folder.parent().unwrap().to_str().unwrap().to_owned();
    assert_eq!(opinion(&venv.audit("-e ./lib\n")).missing, ["our-lib"]);
    venv.install(&["-e", &folder]);
    assert!(venv.audit("-e ./lib\nour_lib>=1\n").is_satisfied());
    assert_eq!(opinion(&venv.audit("./lib\n")).conflicts, ["our-lib"]);
    venv.install(&["--reinstall-package", "our-lib", &folder]);
    assert!(venv.audit("./lib\n").is_satisfied());
    assert_eq!(opinion(&venv.audit("-e ./lib\n")).conflicts, ["our-lib"]);
}

#[test]
fn environments_of_the_standard_library_are_read_too() {
    let Some(venv) = Venv::new(&[]) else {
        return;
    };
    let python = venv.root().join("bin/python");
    let other = venv.root().parent().unwrap().join("stdlib");
    run_well(
        Command::new(python)
            .args(["-m", "venv", "--system-site-packages"])
            .arg(&other),
    );
    let environment = Environment::read(&other, &Platform::current()).unwrap();
    assert_eq!(environment.fault(), None);
    assert_eq!(environment.minor(), venv.environment().minor());
    assert!(!environment.inherited_directories().is_empty());
    let installed = Installed::read(&environment).unwrap();
    let pip = installed.get("pip").unwrap();
    assert!(!pip.is_inherited(), "its own pip hides the base's");
}

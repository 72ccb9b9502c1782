//! Finds the tools, runs them, and asks the oracle.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use toolroom_kernel::model::Environ;
use toolroom_provision::audit::python::{Environment, Platform, audit};
use toolroom_provision::audit::{Audit, SeverityRules};
use toolroom_provision::requirement::{Context, Format, Requirements, Selection};

pub use toolroom_test::{program, skip, tool};

pub fn run(command: &mut Command) -> Output {
    command
        .env_remove("VIRTUAL_ENV")
        .env_remove("PYTHONPATH")
        .env_remove("PYTHONHOME");
    command
        .output()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

pub fn run_well(command: &mut Command) -> String {
    let output = run(command);
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    );
    assert!(output.status.success(), "{command:?}\n{out}{err}");
    out + &err
}

/// uv, and a directory with `packaging` in it, made once for all tests.
pub struct Tools {
    pub uv: PathBuf,
    packaging: PathBuf,
}

pub fn tools() -> Option<&'static Tools> {
    static TOOLS: OnceLock<Option<Tools>> = OnceLock::new();
    let make = || {
        let uv = tool("uv/bin/uv")?;
        let packaging = Path::new(env!("CARGO_TARGET_TMPDIR")).join("packaging");
        if !packaging.join("packaging").is_dir() {
            run_well(
                Command::new(&uv)
                    .args(["pip", "install", "--quiet", "packaging", "--target"])
                    .arg(&packaging),
            );
        }
        Some(Tools { uv, packaging })
    };
    TOOLS.get_or_init(make).as_ref()
}

/// The machine's interpreter, and those that a version manager keeps: one of each minor
/// version that `packaging` still runs on.
pub fn pythons() -> Vec<(u32, PathBuf)> {
    let home = std::env::var_os("HOME")
        .map(PathBuf::from)
        .unwrap_or_default();
    let root = std::env::var_os("PYENV_ROOT").map_or_else(|| home.join(".pyenv"), PathBuf::from);
    let mut found: BTreeMap<u32, PathBuf> =
        program("python3").and_then(minor_of).into_iter().collect();
    for entry in fs_err::read_dir(root.join("versions"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let python = entry.path().join("bin/python3");
        found.extend(python.exists().then_some(python).and_then(minor_of));
    }
    found.into_iter().filter(|(minor, _)| *minor >= 9).collect()
}

/// An interpreter with its minor version, if it runs at all.
fn minor_of(python: PathBuf) -> Option<(u32, PathBuf)> {
    let program = "import sys; print(sys.version_info[1])";
    let said = run(Command::new(&python).args(["-I", "-c", program])).stdout;
    let minor = String::from_utf8(said).ok()?.trim().parse().ok()?;
    Some((minor, python))
}

/// A virtual environment of its own.
pub struct Venv {
    folder: tempfile::TempDir,
    tools: &'static Tools,
}

/// What the oracle says: the names of packages, sorted.
#[derive(Debug, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Opinion {
    pub missing: Vec<String>,
    pub conflicts: Vec<String>,
}

impl Venv {
    /// Makes an environment of the `python3` in PATH and installs packages into it.
    pub fn new(packages: &[&str]) -> Option<Self> {
        let venv = Self::of(Path::new("python3"), packages);
        if venv.is_none() {
            skip("Python 3, or uv to make an environment with it");
        }
        venv
    }

    /// The same of another interpreter; none if uv cannot use it.
    pub fn of(python: &Path, packages: &[&str]) -> Option<Self> {
        let tools = tools()?;
        let folder = tempfile::tempdir().unwrap();
        let venv = Self { folder, tools };
        let made = run(Command::new(&tools.uv)
            .args(["venv", "--quiet", "--no-python-downloads", "--python"])
            .arg(python)
            .arg(venv.root()));
        if !made.status.success() {
            return None;
        }
        venv.install(packages);
        Some(venv)
    }

    pub fn environment(&self) -> Environment {
        Environment::read(&self.root(), &Platform::current()).unwrap()
    }

    pub fn root(&self) -> PathBuf {
        self.folder.path().join("env")
    }

    pub fn file(&self, name: &str, content: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, content).unwrap();
        path
    }

    pub fn uv(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.tools.uv);
        command
            .args(arguments)
            .arg("--python")
            .arg(self.root().join("bin/python"))
            .current_dir(self.folder.path());
        command
    }

    pub fn install(&self, packages: &[&str]) {
        if !packages.is_empty() {
            run_well(self.uv(&["pip", "install", "--quiet"]).args(packages));
        }
    }

    pub fn requirements(&self, lines: &str) -> Requirements {
        let path = self.file("requirements.txt", lines);
        let env = Environ::new();
        let context = Context {
            working_directory: self.folder.path(),
            env: &env,
            selection: Selection::default(),
        };
        Format::RequirementsTxt.read(&path, &context)
    }

    pub fn audit(&self, lines: &str) -> Audit {
        let environment = self.environment();
        assert_eq!(environment.fault(), None);
        audit(
            &environment,
            &self.requirements(lines),
            &SeverityRules::default(),
        )
        .unwrap()
    }

    /// The opinions of `packaging` on requirement files, in the environment's own
    /// interpreter.
    pub fn oracle(&self, cases: &[String]) -> Vec<Opinion> {
        let path = self.file("oracle.txt", &cases.join("---\n"));
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/audit/oracle.py");
        let mut command = Command::new(self.root().join("bin/python"));
        command
            .arg("-I")
            .arg(script)
            .arg(&self.tools.packaging)
            .arg(path);
        serde_json::from_str(&run_well(&mut command)).unwrap()
    }

    /// Compares our opinion with that of `packaging`, file by file.
    pub fn agree(&self, cases: &[String]) {
        for (lines, expected) in cases.iter().zip(self.oracle(cases)) {
            assert_eq!(opinion(&self.audit(lines)), expected, "\n{lines}");
        }
    }

    /// Whether uv would change anything to meet the requirements.
    pub fn uv_is_content(&self, lines: &str) -> bool {
        let path = self.file("uv.txt", lines);
        let output = run(self
            .uv(&["pip", "install", "--dry-run"])
            .arg("-r")
            .arg(path));
        String::from_utf8_lossy(&output.stderr).contains("Would make no changes")
    }
}

pub fn opinion(audit: &Audit) -> Opinion {
    assert_eq!(audit.unjudged, []);
    Opinion {
        missing: audit
            .missing
            .iter()
            .map(|missing| missing.package.clone())
            .collect(),
        conflicts: audit
            .conflicts
            .iter()
            .map(|conflict| conflict.package.clone())
            .collect(),
    }
}

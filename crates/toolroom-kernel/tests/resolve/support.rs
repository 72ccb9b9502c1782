//! A small world of its own for each test.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use serde_json::{Map, Value, json};
use toolroom_kernel::model::{Environ, Role};
use toolroom_kernel::resolve::{
    Call, Candidate, EnvironmentRules, Link, Preferred, Resolution, ResolveError, Resolvers,
    Verdict, resolve,
};
use toolroom_kernel::{Explain, Os, World};

pub struct Library(pub BTreeMap<String, Value>);

impl Resolvers for Library {
    fn resolver(&self, name: &str) -> Option<Cow<'_, Value>> {
        self.0.get(name).map(Cow::Borrowed)
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }
}

pub fn core_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../core")
}

pub fn yaml(path: &Path) -> Value {
    let text = fs_err::read_to_string(path).unwrap();
    serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All files of a folder of `core/`, by name.
pub fn core(folder: &str) -> BTreeMap<String, Value> {
    let entries = fs_err::read_dir(core_directory().join(folder)).unwrap();
    let paths = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"));
    paths
        .map(|path| {
            (
                path.file_stem().unwrap().to_str().unwrap().to_owned(),
                yaml(&path),
            )
        })
        .collect()
}

/// Moves the absolute paths of data below a folder, so that this machine's own
/// interpreters do not count.
fn rebase(data: &mut Value, root: &Path) {
    match data {
        Value::String(text) if text.starts_with('/') => text.insert_str(0, root.to_str().unwrap()),
        Value::Array(items) => items.iter_mut().for_each(|item| rebase(item, root)),
        Value::Object(fields) => {
            let places = fields
                .iter_mut()
                .filter(|(key, _)| !["shims", "rules"].contains(&key.as_str()));
            places.for_each(|(_, field)| rebase(field, root));
        }
        _ => {}
    }
}

/// Those of core.
fn rules() -> EnvironmentRules<'static> {
    static CORE: OnceLock<Value> = OnceLock::new();
    let core = CORE.get_or_init(|| yaml(&core_directory().join("environment.yaml")));
    let texts = |name: &str| -> &'static [&'static str] {
        let texts = core[name].as_array().unwrap().iter();
        let texts: Vec<_> = texts.map(|text| text.as_str().unwrap()).collect();
        texts.leak()
    };
    EnvironmentRules {
        dotenv_files: texts("dotenv_files"),
        loader_variables: texts("loader_variables"),
        minimal: texts("minimal"),
        without_credentials: texts("without_credentials"),
    }
}

pub struct Context {
    root: tempfile::TempDir,
    pub world: World,
    pub library: Library,
    pub rules: EnvironmentRules<'static>,
    pub dotenv_allow: Vec<String>,
    pub preferred: Vec<Preferred>,
}

impl Context {
    /// A home, a project and one directory on PATH, all empty.
    pub fn new() -> Self {
        Self::in_folder("project")
    }

    pub fn in_folder(name: &str) -> Self {
        let root = tempfile::Builder::new().prefix("tr").tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for folder in ["home", name, "bin"] {
            fs_err::create_dir_all(at(folder)).unwrap();
        }
        let mut env = Environ::new();
        env.set("HOME", at("home"));
        env.set("PATH", at("bin"));
        let world = World {
            env,
            cwd: at(name),
            home: Some(at("home")),
            user_space: Some(at("home/.ai")),
            project: Some(at(name)),
            directories: None,
            os: Os::Linux,
            now: SystemTime::UNIX_EPOCH,
        };
        static RESOLVERS: OnceLock<BTreeMap<String, Value>> = OnceLock::new();
        let mut resolvers = RESOLVERS.get_or_init(|| core("resolvers")).clone();
        for resolver in resolvers.values_mut() {
            rebase(resolver, &at("machine"));
        }
        Self {
            world,
            library: Library(resolvers),
            rules: rules(),
            dotenv_allow: Vec::new(),
            preferred: Vec::new(),
            root,
        }
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    pub fn text(&self, path: &str) -> String {
        self.path(path).to_str().unwrap().to_owned()
    }

    pub fn file(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, text).unwrap();
        path
    }

    pub fn folder(&self, path: &str) -> PathBuf {
        let path = self.path(path);
        fs_err::create_dir_all(&path).unwrap();
        path
    }

    /// An executable that would leave a trace if it were run.
    pub fn executable(&self, path: &str) -> PathBuf {
        let trace = self.path("was-run");
        self.script(path, &format!("#!/bin/sh\ntouch '{}'\n", trace.display()))
    }

    pub fn script(&self, path: &str, text: &str) -> PathBuf {
        let path = self.file(path, text);
        fs_err::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    pub fn link(&self, target: impl AsRef<Path>, path: &str) -> PathBuf {
        let path = self.path(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(target, &path).unwrap();
        path
    }

    /// A base interpreter `bases/X.Y/bin/pythonX.Y` and an environment made from it.
    pub fn venv(&self, path: &str, version: &str) -> PathBuf {
        let minor = version.rsplit_once('.').map_or(version, |(minor, _)| minor);
        let base = self.executable(&format!("bases/{minor}/bin/python{minor}"));
        let home = base.parent().unwrap().display();
        self.file(
            &format!("{path}/pyvenv.cfg"),
            format!("home = {home}\ninclude-system-site-packages = false\nversion = {version}\n"),
        );
        self.link(&base, &format!("{path}/bin/python"));
        self.link("python", &format!("{path}/bin/python3"));
        self.path(path).join("bin/python3")
    }

    pub fn set(&mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) {
        self.world.env.set(name, value.as_ref());
    }

    pub fn prepend_path(&mut self, path: &str) -> PathBuf {
        let directory = self.folder(path);
        let old = self.world.env.get("PATH").unwrap_or_default().to_owned();
        self.set("PATH", format!("{}:{old}", directory.display()));
        directory
    }

    /// Resolves one interpreter declared by these options.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "so that tests can write json!(…) in place"
    )]
    pub fn find(&self, options: Value) -> Result<Resolution, ResolveError> {
        self.resolve(&json!({"interpreter": options}))
    }

    pub fn resolve(&self, env_config: &Value) -> Result<Resolution, ResolveError> {
        let runtime = json!({"env_config": env_config});
        self.chain(&[("test", Role::Runtime, &runtime)], &[])
    }

    pub fn python(&self) -> Result<Resolution, ResolveError> {
        self.find(json!({"type": "venv_python", "var": "PY"}))
    }

    pub fn node(&self) -> Result<Resolution, ResolveError> {
        self.find(json!({"type": "venv_node", "var": "NODE"}))
    }

    /// Resolves a shipped runtime as it is.
    pub fn runtime(&self, name: &str) -> Result<Resolution, ResolveError> {
        let runtime = core("runtimes").remove(name).unwrap();
        self.chain(&[(name, Role::Runtime, &runtime)], &[])
    }

    pub fn chain(
        &self,
        elements: &[(&str, Role, &Value)],
        caller: &[(&str, &str)],
    ) -> Result<Resolution, ResolveError> {
        fn object<'v>(value: &'v Value, key: &str) -> Option<&'v Map<String, Value>> {
            value.get(key)?.as_object()
        }
        let links: Vec<Link<'_>> = elements
            .iter()
            .map(|(id, role, data)| Link {
                id,
                role: *role,
                env_config: object(data, "env_config"),
                config: object(data, "config"),
                source: None,
            })
            .collect();
        let caller: Vec<_> = caller
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        resolve(&Call {
            caller: &caller,
            dotenv_allow: &self.dotenv_allow,
            preferred: &self.preferred,
            ..Call::new(&self.world, &self.library, &self.rules, &links)
        })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert!(
                !self.path("was-run").exists(),
                "resolution ran an interpreter"
            );
        }
    }
}

/// The path that was chosen.
#[track_caller]
pub fn chosen(resolution: Result<Resolution, ResolveError>) -> PathBuf {
    let resolution = resolution.unwrap_or_else(|error| panic!("{error}"));
    let interpreter = resolution.interpreter().expect("an interpreter");
    let marked: Vec<_> = resolution
        .tried
        .iter()
        .filter(|candidate| candidate.verdict == Verdict::Chosen)
        .collect();
    assert_eq!(
        marked.len(),
        resolution.interpreters.len(),
        "{:#?}",
        resolution.tried
    );
    interpreter.path.clone()
}

#[track_caller]
pub fn failure(resolution: Result<Resolution, ResolveError>) -> ResolveError {
    match resolution {
        Ok(resolution) => panic!("it found {:?}", resolution.interpreter()),
        Err(error) => error,
    }
}

#[track_caller]
pub fn code(resolution: Result<Resolution, ResolveError>) -> &'static str {
    failure(resolution).code()
}

/// What became of the first candidate whose path ends so.
pub fn verdict<'c>(tried: &'c [Candidate], end: &str) -> Option<(Verdict, &'c str)> {
    let found = tried.iter().find(|candidate| candidate.path.ends_with(end));
    found.map(|candidate| (candidate.verdict, candidate.reason.as_str()))
}

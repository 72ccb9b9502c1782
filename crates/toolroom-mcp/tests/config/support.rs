//! A machine of its own for each test.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tempfile::TempDir;
use toolroom_kernel::model::Environ;
use toolroom_kernel::{Os, World};
use toolroom_mcp::config::{
    Action, Change, Client, ConfigError, DEFAULT_NAME, Endpoint, Scope, Server, find, plan_install,
    plan_remove,
};

pub struct Machine {
    root: TempDir,
    pub world: World,
}

impl Machine {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("home");
        let project = root.path().join("project");
        for folder in [&home, &project] {
            fs_err::create_dir_all(folder).unwrap();
        }
        let world = World {
            env: Environ::new(),
            cwd: project.clone(),
            user_space: Some(home.join(".ai")),
            home: Some(home),
            project: Some(project),
            directories: None,
            os: Os::Linux,
            now: SystemTime::UNIX_EPOCH,
        };
        Self { root, world }
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    /// Writes a file below the machine's root.
    pub fn file(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        write(&path, text);
        path
    }

    pub fn server(&self) -> Server {
        Server {
            name: DEFAULT_NAME.to_owned(),
            project: self.world.project.clone().unwrap(),
            endpoint: Endpoint::Stdio {
                command: PathBuf::from("/opt/toolroom/bin/toolroom"),
                options: Vec::new(),
                env: Vec::new(),
            },
        }
    }

    pub fn client(&self, name: &str) -> Client {
        find(&self.world, name).unwrap()
    }

    pub fn try_install(&self, client: &str, scope: Scope) -> Result<Change, ConfigError> {
        plan_install(&self.client(client), &self.world, scope, &self.server())?.apply()
    }

    pub fn install(&self, client: &str, scope: Scope) -> Action {
        self.try_install(client, scope).unwrap().action
    }

    pub fn try_remove(&self, client: &str, scope: Scope) -> Result<Change, ConfigError> {
        plan_remove(&self.client(client), &self.world, scope, DEFAULT_NAME)?.apply()
    }

    pub fn remove(&self, client: &str, scope: Scope) -> Action {
        self.try_remove(client, scope).unwrap().action
    }
}

pub fn write(path: &Path, text: impl AsRef<[u8]>) {
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
}

pub fn read(path: &Path) -> String {
    fs_err::read_to_string(path).unwrap()
}

pub fn backup(path: &Path) -> PathBuf {
    PathBuf::from(format!("{}.toolroom-backup", path.display()))
}

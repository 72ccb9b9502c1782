//! A world for this crate's own tests: a home and a project in a temporary directory.

use std::path::PathBuf;
use std::time::SystemTime;

use toolroom_catalog::Catalog;
use toolroom_kernel::model::Environ;
use toolroom_kernel::{Directories, Os, World};

/// A home, a project and an environment of their own.
#[derive(Debug)]
pub struct Room {
    _root: tempfile::TempDir,
    pub world: World,
}

impl Room {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().join("home");
        let project = root.path().join("project");
        fs_err::create_dir_all(&home).unwrap();
        fs_err::create_dir_all(&project).unwrap();
        let mut env = Environ::new();
        env.set("PATH", "/usr/bin:/bin");
        env.set("HOME", home.as_os_str());
        let world = World {
            env,
            cwd: project.clone(),
            user_space: Some(home.join(".ai")),
            project: Some(project),
            directories: Some(Directories {
                config: home.join("config"),
                cache: home.join("cache"),
                state: home.join("state"),
            }),
            home: Some(home),
            os: Os::current(),
            now: SystemTime::now(),
        };
        Self { _root: root, world }
    }

    pub fn catalog(&self) -> Catalog {
        Catalog::open(&self.world)
    }

    pub fn project(&self) -> PathBuf {
        self.world.root().to_path_buf()
    }

    /// Writes a file of the project.
    pub fn file(&self, path: &str, text: &str) -> PathBuf {
        let path = self.project().join(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, text).unwrap();
        path
    }
}

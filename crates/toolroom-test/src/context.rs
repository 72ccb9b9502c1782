//! A hermetic place to run the program in.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::{Output, usual_path};

/// Variables without which nothing runs on some machines.
const PASSED_ON: &[&str] = &["SystemRoot", "LLVM_PROFILE_FILE"];

/// A home, a project and an environment of their own.
#[derive(Debug)]
pub struct TestContext {
    root: TempDir,
    program: PathBuf,
    env: BTreeMap<OsString, OsString>,
    cwd: PathBuf,
}

impl TestContext {
    /// Makes a context for a program; tests pass `env!("CARGO_BIN_EXE_toolroom")`.
    ///
    /// # Panics
    /// Fails the test if the machine has no place for temporary files.
    #[must_use]
    pub fn new(program: &str) -> Self {
        let root = tempfile::Builder::new()
            .prefix("toolroom-test-")
            .tempdir()
            .expect("a temporary directory");
        let mut context = Self {
            cwd: root.path().join("project"),
            program: PathBuf::from(program),
            env: BTreeMap::new(),
            root,
        };
        for folder in ["project/.ai/tools", "home"] {
            fs_err::create_dir_all(context.root.path().join(folder)).expect("a folder");
        }
        for name in PASSED_ON {
            if let Some(value) = std::env::var_os(name) {
                context.env.insert(OsString::from(name), value);
            }
        }
        let home = context.home();
        context.set_env("HOME", &home);
        context.set_env("USERPROFILE", &home);
        context.set_env("PATH", usual_path(&[]));
        context.set_env("LANG", "C.UTF-8");
        context.set_env("COLUMNS", "80");
        context
    }

    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.root.path().join("project")
    }

    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    #[must_use]
    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn set_env(&mut self, name: &str, value: impl AsRef<std::ffi::OsStr>) -> &mut Self {
        self.env
            .insert(OsString::from(name), value.as_ref().to_os_string());
        self
    }

    pub fn remove_env(&mut self, name: &str) -> &mut Self {
        self.env.remove(std::ffi::OsStr::new(name));
        self
    }

    /// Lets later runs start in a directory, which is made if need be.
    ///
    /// # Panics
    /// Fails the test if it cannot be made.
    pub fn enter(&mut self, directory: impl AsRef<Path>) -> &mut Self {
        self.cwd = self.project().join(directory);
        fs_err::create_dir_all(&self.cwd).expect("a folder");
        self
    }

    /// Writes a tool of the project, by its path below `.ai/tools/`.
    pub fn tool(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        self.file(self.project().join(".ai/tools").join(path), content)
    }

    /// Writes a tool of the user space, by its path below `~/.ai/tools/`.
    pub fn user_tool(&self, path: &str, content: impl AsRef<[u8]>) -> PathBuf {
        self.file(self.home().join(".ai/tools").join(path), content)
    }

    /// Writes a file; a relative path is relative to the project.
    ///
    /// # Panics
    /// Fails the test if it cannot be written.
    pub fn file(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.project().join(path);
        fs_err::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder");
        fs_err::write(&path, content).expect("a file");
        path
    }

    /// Writes an executable file, such as a stand-in for an interpreter.
    ///
    /// # Panics
    /// Fails the test if it cannot be written.
    pub fn executable(&self, path: impl AsRef<Path>, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.file(path, content);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::Permissions::from_mode(0o755);
            fs_err::set_permissions(&path, mode).expect("a mode");
        }
        path
    }

    /// The program as a command, in this context.
    #[must_use]
    pub fn command<S: AsRef<std::ffi::OsStr>>(&self, args: &[S]) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args(args)
            .env_clear()
            .envs(&self.env)
            .current_dir(&self.cwd)
            .stdin(Stdio::null());
        command
    }

    /// Runs the program and waits for it.
    ///
    /// # Panics
    /// Fails the test if the program cannot be started.
    pub fn run(&self, args: &[&str]) -> Output {
        let output = self.command(args).output().expect("the program starts");
        Output {
            status: output.status.code().unwrap_or(-1),
            stdout: self.normalise(&output.stdout),
            stderr: self.normalise(&output.stderr),
        }
    }

    /// Runs the program and takes the `data` of its JSON answer.
    pub fn data(&self, args: &[&str]) -> serde_json::Value {
        self.run(&[args, &["--json"]].concat()).data()
    }

    /// Runs the program and takes the `error` of its JSON answer.
    pub fn error(&self, args: &[&str]) -> serde_json::Value {
        self.run(&[args, &["--json"]].concat()).error()
    }

    /// Replaces what differs from run to run.
    #[must_use]
    pub fn normalise(&self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n");
        let mut text = text.replace(&*self.project().to_string_lossy(), "[PROJECT]");
        text = text.replace(&*self.home().to_string_lossy(), "[HOME]");
        text.replace(&*self.root.path().to_string_lossy(), "[ROOT]")
    }
}

#![cfg(unix)]

use super::*;

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, content) in files {
            let path = folder.path(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, content).unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn link(&self, target: &str, link: &str) {
        fs_err::create_dir_all(self.path(link).parent().unwrap()).unwrap();
        fs_err::os::unix::fs::symlink(self.path(target), self.path(link)).unwrap();
    }

    fn read(&self, name: &str) -> Result<Environment, AuditError> {
        Environment::read(&self.path(name), &Platform::current())
    }
}

/// A base of 3.11 and an environment made from it.
fn venv(config: &str) -> Folder {
    let folder = Folder::new(&[
        ("base/bin/python3.11", ""),
        ("base/lib/python3.11/site-packages/x", ""),
        ("env/lib/python3.11/site-packages/x", ""),
    ]);
    let config = config.replace("BASE", folder.path("base/bin").to_str().unwrap());
    fs_err::write(folder.path("env/pyvenv.cfg"), config).unwrap();
    folder.link("base/bin/python3.11", "env/bin/python");
    folder
}

#[test]
fn an_environment_is_read_by_its_directory_its_interpreter_or_a_file_that_names_it() {
    let folder = venv("home = BASE\nversion = 3.11.7\n");
    fs_err::write(folder.path(".venv"), "env\n").unwrap();
    for name in ["env", "env/bin/python", ".venv"] {
        let environment = folder.read(name).unwrap();
        assert_eq!(environment.version(), "3.11.7", "{name}");
        assert_eq!(environment.kind(), &Kind::Virtual);
        assert_eq!(environment.fault(), None);
        assert_eq!(environment.site_directories().len(), 1);
        assert!(environment.inherited_directories().is_empty());
    }
}

#[test]
fn a_linked_lib64_is_the_same_directory() {
    let folder = venv("home = BASE\nversion = 3.11.7\n");
    folder.link("env/lib", "env/lib64");
    assert_eq!(folder.read("env").unwrap().site_directories().len(), 1);
}

#[test]
fn the_base_is_seen_where_the_environment_says_so() {
    let folder = venv("home = BASE\nversion = 3.11.7\ninclude-system-site-packages = true\n");
    let environment = folder.read("env").unwrap();
    assert_eq!(
        environment.inherited_directories(),
        [folder.path("base/lib/python3.11/site-packages")]
    );
}

#[test]
fn a_broken_environment_says_how() {
    let folder = venv("home = BASE\nversion = 3.11.7\n");
    fs_err::remove_file(folder.path("base/bin/python3.11")).unwrap();
    assert!(matches!(
        folder.read("env").unwrap().fault(),
        Some(Fault::Dangling { .. })
    ));

    let folder = venv("home = BASE\nversion = 3.10.2\n");
    let fault = folder.read("env").unwrap().fault().unwrap().to_string();
    assert_eq!(
        fault,
        "it was made for Python 3.10, but its interpreter is 3.11"
    );

    let folder = venv("version = 3.11.7\n");
    assert_eq!(folder.read("env").unwrap().fault(), Some(&Fault::NoHome));

    let folder = venv("home = /nonexistent/bin\nversion = 3.11.7\n");
    assert!(matches!(
        folder.read("env").unwrap().fault(),
        Some(Fault::BaseGone { .. })
    ));

    let folder = venv("home = BASE\nversion = 3.11.7\n");
    fs_err::remove_file(folder.path("env/bin/python")).unwrap();
    assert_eq!(
        folder.read("env").unwrap().fault(),
        Some(&Fault::NoInterpreter)
    );
}

#[test]
fn what_is_no_environment_is_an_error_of_its_own() {
    let folder = Folder::new(&[
        ("empty/x", ""),
        ("redirect", "nowhere\n"),
        ("hostile", "\0\n"),
        ("cfg/pyvenv.cfg", "home = /x\n"),
    ]);
    assert!(matches!(
        folder.read("none"),
        Err(AuditError::Absent { .. })
    ));
    assert!(matches!(
        folder.read("empty"),
        Err(AuditError::NotAnEnvironment { .. })
    ));
    assert!(matches!(
        folder.read("redirect"),
        Err(AuditError::Redirect { .. })
    ));
    assert!(matches!(
        folder.read("hostile"),
        Err(AuditError::Redirect { .. })
    ));
    assert!(matches!(
        folder.read("cfg"),
        Err(AuditError::NoVersion { .. })
    ));
}

#[test]
fn a_link_to_nothing_is_broken_and_not_absent() {
    let folder = venv("home = BASE\nversion = 3.11.7\n");
    folder.link("gone", ".venv");
    assert!(matches!(
        folder.read(".venv"),
        Err(AuditError::NotAnEnvironment { .. })
    ));
    fs_err::remove_file(folder.path("base/bin/python3.11")).unwrap();
    let environment = folder.read("env/bin/python").unwrap();
    assert!(matches!(environment.fault(), Some(Fault::Dangling { .. })));
}

#[test]
fn the_layout_of_windows_is_read() {
    let folder = Folder::new(&[
        ("base/Lib/site-packages/x", ""),
        (
            "base/include/patchlevel.h",
            "#define PY_VERSION \"3.12.1\"\n",
        ),
        ("env/Lib/site-packages/x", ""),
        ("env/Scripts/python.exe", ""),
    ]);
    let base = folder.read("base").unwrap();
    assert_eq!(
        (base.version(), base.site_directories().len()),
        ("3.12.1", 1)
    );
    let config = format!(
        "home = {}\nversion = 3.12.1\n",
        folder.path("base").display()
    );
    fs_err::write(folder.path("env/pyvenv.cfg"), config).unwrap();
    let environment = folder.read("env").unwrap();
    assert_eq!(
        (environment.fault(), environment.site_directories().len()),
        (None, 1)
    );
}

#[test]
fn a_system_installation_with_several_versions_is_told_by_its_interpreter() {
    let folder = Folder::new(&[
        ("usr/bin/python3.11", ""),
        ("usr/bin/python3.9", ""),
        (
            "usr/lib/python3.11/EXTERNALLY-MANAGED",
            "[externally-managed]\n",
        ),
        ("usr/lib/python3.9/os.py", ""),
        ("usr/lib/python3.12/os.py", ""),
        ("usr/lib/python3/dist-packages/x", ""),
        (
            "usr/include/python3.11/patchlevel.h",
            "#define PY_VERSION      \t\"3.11.2\"\n",
        ),
    ]);
    folder.link("usr/bin/python3.11", "usr/bin/python3");
    let environment = folder.read("usr/bin/python3").unwrap();
    assert_eq!(
        (environment.version(), environment.kind()),
        ("3.11.2", &Kind::Base)
    );
    assert!(environment.externally_managed().is_some());
    assert_eq!(environment.site_directories().len(), 1);
    let older = folder.read("usr/bin/python3.9").unwrap();
    assert_eq!(older.version(), "3.9");
    assert!(older.externally_managed().is_none());
}

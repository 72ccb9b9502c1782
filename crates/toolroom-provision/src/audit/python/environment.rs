//! A Python environment as it lies on disk: its version, its package directories, and
//! whether it is whole.
//!
//! No interpreter is started and no link of the environment is resolved for use; the real
//! path of its interpreter is only looked at to see whether it has gone or changed.

use std::path::{Path, PathBuf};

use pep508_rs::MarkerEnvironment;

use super::config::Config;
use super::layout;
use super::markers::Platform;
use crate::audit::AuditError;

/// A redirect file holds one path.
const MAX_REDIRECT: u64 = 4 << 10;

/// What kind of environment it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A virtual environment, by its `pyvenv.cfg`.
    Virtual,
    /// An installation that others may share.
    Base,
}

/// Why an environment cannot be used as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// There is no interpreter in it.
    NoInterpreter,
    /// Its interpreter is a link to something that has gone.
    Dangling { link: PathBuf, target: PathBuf },
    /// The installation it was made from has gone.
    BaseGone { home: PathBuf },
    /// `pyvenv.cfg` lacks the `home` key, so Python takes it for no environment.
    NoHome,
    /// It was made for one version, and the interpreter is now another.
    VersionChanged { made_for: String, now: String },
}

impl std::fmt::Display for Fault {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoInterpreter => write!(out, "it has no interpreter"),
            Self::Dangling { link, target } => write!(
                out,
                "{} points to {}, which is gone",
                link.display(),
                target.display()
            ),
            Self::BaseGone { home } => {
                write!(
                    out,
                    "the Python it was made from is gone from {}",
                    home.display()
                )
            }
            Self::NoHome => write!(out, "its pyvenv.cfg has no `home`"),
            Self::VersionChanged { made_for, now } => {
                write!(
                    out,
                    "it was made for Python {made_for}, but its interpreter is {now}"
                )
            }
        }
    }
}

/// A Python environment.
#[derive(Debug, Clone)]
pub struct Environment {
    root: PathBuf,
    kind: Kind,
    version: String,
    implementation: String,
    markers: MarkerEnvironment,
    sites: Vec<PathBuf>,
    base_sites: Vec<PathBuf>,
    externally_managed: Option<PathBuf>,
    fault: Option<Fault>,
}

impl Environment {
    /// Reads the environment at `path`: its directory, its interpreter, or a file that
    /// names its directory (PEP 832).
    ///
    /// # Errors
    ///
    /// If there is no environment there, or it does not say which Python it is for.
    pub fn read(path: &Path, platform: &Platform) -> Result<Self, AuditError> {
        let root = root_of(path)?;
        let config_path = root.join("pyvenv.cfg");
        if config_path.is_file() {
            let config = Config::read(&config_path).map_err(|source| AuditError::Unreadable {
                path: root.clone(),
                source,
            })?;
            return Self::virtual_environment(root, &config, platform);
        }
        Self::base(path, root, platform)
    }

    fn virtual_environment(
        root: PathBuf,
        config: &Config,
        platform: &Platform,
    ) -> Result<Self, AuditError> {
        let libraries = layout::libraries(&root);
        let stated = config.version.as_deref();
        let version = stated
            .map(str::to_owned)
            .or_else(|| libraries.last().map(|library| library.minor.clone()));
        let Some(version) = version else {
            return Err(AuditError::NoVersion { path: root });
        };
        let implementation = config
            .implementation
            .clone()
            .or_else(|| {
                libraries
                    .last()
                    .map(|library| library.implementation.to_owned())
            })
            .unwrap_or_else(|| "CPython".to_owned());
        let mut environment = Self::new(root, Kind::Virtual, version, implementation, platform)?;
        environment.fault = fault_of(&environment.root, config, &environment.minor());
        if config.system_site_packages
            && let Some(prefix) = base_prefix(config)
        {
            environment.base_sites = layout::site_directories(&prefix, &environment.minor());
        }
        Ok(environment)
    }

    fn base(path: &Path, root: PathBuf, platform: &Platform) -> Result<Self, AuditError> {
        let libraries = layout::libraries(&root);
        // A prefix such as /usr may hold several versions: the interpreter tells which.
        let named = interpreter_minor(path)
            .or_else(|| interpreter_minor(&root.join("bin").join("python3")));
        let library = libraries
            .iter()
            .rfind(|library| named.as_deref().is_none_or(|minor| minor == library.minor));
        let windows = || layout::windows_library(&root);
        let Some(library) = library.cloned().or_else(windows) else {
            let reason = "there is neither pyvenv.cfg nor a Python library in it".to_owned();
            return Err(AuditError::NotAnEnvironment { path: root, reason });
        };
        let version = layout::patch_level(&root, &library.minor)
            .or_else(|| version_in_name(&root, &library.minor))
            .unwrap_or_else(|| library.minor.clone());
        let managed = library.path.join("EXTERNALLY-MANAGED");
        let implementation = library.implementation.to_owned();
        let mut environment = Self::new(root, Kind::Base, version, implementation, platform)?;
        environment.externally_managed = managed.is_file().then_some(managed);
        Ok(environment)
    }

    fn new(
        root: PathBuf,
        kind: Kind,
        version: String,
        implementation: String,
        platform: &Platform,
    ) -> Result<Self, AuditError> {
        let minor = layout::minor_of(&version);
        let (Some(minor), Some(markers)) = (minor, platform.markers(&version, &implementation))
        else {
            return Err(AuditError::NoVersion { path: root });
        };
        let sites = layout::site_directories(&root, &minor);
        Ok(Self {
            root,
            kind,
            version,
            implementation,
            markers,
            sites,
            base_sites: Vec::new(),
            externally_managed: None,
            fault: None,
        })
    }

    /// The directory of the environment.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The version of its Python, as precisely as its files tell.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// `X.Y` of the version.
    #[must_use]
    pub fn minor(&self) -> String {
        layout::minor_of(&self.version).unwrap_or_else(|| self.version.clone())
    }

    /// `CPython` or `PyPy`.
    #[must_use]
    pub fn implementation(&self) -> &str {
        &self.implementation
    }

    /// The directories with its own packages, first one first.
    #[must_use]
    pub fn site_directories(&self) -> &[PathBuf] {
        &self.sites
    }

    /// The directories of the installation below it whose packages it sees too.
    #[must_use]
    pub fn inherited_directories(&self) -> &[PathBuf] {
        &self.base_sites
    }

    /// The file by which a system claims this installation for its own package manager.
    #[must_use]
    pub fn externally_managed(&self) -> Option<&Path> {
        self.externally_managed.as_deref()
    }

    /// Why it cannot be used, if so.
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref()
    }

    pub(super) fn markers(&self) -> &MarkerEnvironment {
        &self.markers
    }
}

/// The directory of an environment, given it, its interpreter, or a file that names it.
fn root_of(path: &Path) -> Result<PathBuf, AuditError> {
    let absent = || AuditError::Absent {
        path: path.to_path_buf(),
    };
    // A link to nothing is there, and broken; that is not the same as absent.
    fs_err::symlink_metadata(path).map_err(|_| absent())?;
    let metadata = fs_err::metadata(path).ok();
    if metadata.as_ref().is_some_and(std::fs::Metadata::is_dir) {
        return Ok(path.to_path_buf());
    }
    let name = path.file_name().and_then(|name| name.to_str());
    if name.is_some_and(|name| name.starts_with("python") || name.starts_with("pypy")) {
        let folder = path.parent().ok_or_else(absent)?;
        let in_bin = folder
            .file_name()
            .is_some_and(|name| name == "bin" || name == "Scripts");
        let root = if in_bin {
            folder.parent()
        } else {
            Some(folder)
        };
        return root.map(Path::to_path_buf).ok_or_else(absent);
    }
    match metadata {
        Some(metadata) => redirect(path, metadata.len()),
        None => Err(AuditError::NotAnEnvironment {
            path: path.to_path_buf(),
            reason: "it is a link to nothing".to_owned(),
        }),
    }
}

fn redirect(path: &Path, size: u64) -> Result<PathBuf, AuditError> {
    let fail = |reason: &str| AuditError::Redirect {
        path: path.to_path_buf(),
        reason: reason.to_owned(),
    };
    if size > MAX_REDIRECT {
        return Err(fail("the file is too large to hold a path"));
    }
    let text = fs_err::read_to_string(path).map_err(|_| fail("the file is not readable text"))?;
    let line = text.lines().next().unwrap_or_default().trim();
    if line.is_empty() || line.contains('\0') {
        return Err(fail("the file holds no path"));
    }
    let target = path.parent().unwrap_or(Path::new("")).join(line);
    if !target.join("pyvenv.cfg").is_file() {
        return Err(fail(&format!("{} has no pyvenv.cfg", target.display())));
    }
    Ok(target)
}

/// Whether a virtual environment can still run.
fn fault_of(root: &Path, config: &Config, minor: &str) -> Option<Fault> {
    let Some(home) = &config.home else {
        return Some(Fault::NoHome);
    };
    let names = [
        "bin/python",
        "bin/python3",
        "Scripts/python.exe",
        "Scripts/python",
    ];
    let interpreters = names.map(|name| root.join(name));
    let present = interpreters
        .iter()
        .find(|path| fs_err::symlink_metadata(path).is_ok());
    let Some(interpreter) = present else {
        return Some(Fault::NoInterpreter);
    };
    let Ok(real) = fs_err::canonicalize(interpreter) else {
        let target = fs_err::read_link(interpreter).unwrap_or_default();
        return Some(Fault::Dangling {
            link: interpreter.clone(),
            target: interpreter.parent().unwrap_or(root).join(target),
        });
    };
    if !home.is_dir() {
        return Some(Fault::BaseGone { home: home.clone() });
    }
    let now = real
        .file_name()
        .and_then(|name| named_minor(name.to_str()?));
    now.filter(|now| now != minor)
        .map(|now| Fault::VersionChanged {
            made_for: minor.to_owned(),
            now,
        })
}

/// The prefix of the installation a virtual environment was made from.
fn base_prefix(config: &Config) -> Option<PathBuf> {
    let from_home = || {
        let home = config.home.as_deref()?;
        let in_bin = home.file_name().is_some_and(|name| name == "bin");
        if in_bin { home.parent() } else { Some(home) }.map(Path::to_path_buf)
    };
    config.base_prefix.clone().or_else(from_home)
}

/// `3.11` of an interpreter that is, or links to, `python3.11`.
fn interpreter_minor(path: &Path) -> Option<String> {
    let name = |path: &Path| named_minor(path.file_name()?.to_str()?);
    name(path).or_else(|| {
        let real = fs_err::canonicalize(path)
            .ok()
            .filter(|real| real.is_file())?;
        name(&real)
    })
}

fn named_minor(name: &str) -> Option<String> {
    let rest = name
        .strip_prefix("python")
        .or_else(|| name.strip_prefix("pypy"))?;
    let rest = rest.strip_suffix(".exe").unwrap_or(rest);
    let minor = rest.strip_suffix('t').unwrap_or(rest);
    layout::order(minor).map(|_| minor.to_owned())
}

/// Version managers name a prefix by its version.
fn version_in_name(root: &Path, minor: &str) -> Option<String> {
    let name = root.file_name()?.to_str()?;
    let version = name.trim_start_matches(|c: char| !c.is_ascii_digit());
    let version = version.split('-').next()?;
    (layout::minor_of(version).as_deref() == Some(minor)).then(|| version.to_owned())
}

#[cfg(test)]
mod tests;

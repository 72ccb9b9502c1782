//! What this machine has: programs on PATH, interpreters, and what an environment is.
//!
//! Interpreters and environments are looked at by the kernel's resolver, so that setup and
//! run never disagree about them.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use toolroom_catalog::Catalog;
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::Role;
use toolroom_kernel::resolve::{
    Call, EnvironmentRules, Link, Preferred, Resolution, ResolveError, resolve,
};

use crate::manager::{Facts, ManagerTool, fill_text};

/// The place an environment is looked at in.
const HERE: &str = "here";

/// An interpreter, or the one of an environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interpreter {
    pub path: PathBuf,
    pub version: Option<String>,
    pub environment: Option<PathBuf>,
}

impl Interpreter {
    fn of(found: &toolroom_kernel::resolve::Interpreter) -> Self {
        Self {
            path: found.path.clone(),
            version: found.version.clone(),
            environment: found.environment.clone(),
        }
    }
}

/// There is no interpreter that would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lacking {
    /// The version that is asked for.
    pub version: Option<String>,
}

/// What a directory is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    Sound(Interpreter),
    Broken(String),
    Absent,
}

/// Looks at the machine on behalf of a plan.
#[derive(Debug, Clone, Copy)]
pub struct Machine<'m> {
    pub world: &'m World,
    pub catalog: &'m Catalog,
}

impl Machine<'_> {
    /// A tool's program: its name as commands write it, and its path, in a folder that comes
    /// before PATH.
    #[must_use]
    pub fn program(
        &self,
        tool: &ManagerTool,
        project: &Path,
        beside: Option<&Path>,
    ) -> Option<(String, PathBuf)> {
        let name = tool.program.0.first()?;
        let facts = Facts::new(self.world, project);
        let found = tool.program.0.iter().find_map(|text| {
            if !text.contains(['/', '\\']) {
                let own = beside.map(|folder| folder.join(text));
                return own
                    .filter(|file| is_executable(file))
                    .or_else(|| self.on_path(text));
            }
            let path = PathBuf::from(fill_text(text, &facts).ok()?);
            is_executable(&path).then_some(path)
        });
        found.map(|path| (name.clone(), path))
    }

    /// A program by its name on PATH; never one of the working directory.
    #[must_use]
    pub fn on_path(&self, name: &str) -> Option<PathBuf> {
        let endings: &[&str] = if cfg!(windows) {
            &[".exe", ".cmd", ".bat"]
        } else {
            &[""]
        };
        let path = self.world.env.get_os("PATH")?;
        let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute());
        folders
            .flat_map(|folder| {
                endings
                    .iter()
                    .map(move |ending| folder.join(format!("{name}{ending}")))
            })
            .find(|file| is_executable(file))
    }

    /// What a tool's chain runs with.
    #[must_use]
    pub fn of_chain(&self, chain: &Chain) -> Option<Interpreter> {
        let links: Vec<Link<'_>> = chain
            .links()
            .iter()
            .rev()
            .map(|link| Link::of(link))
            .collect();
        let rules = EnvironmentRules::default();
        let call = Call::new(self.world, self.catalog, &rules, &links);
        resolve(&call).ok()?.interpreter().map(Interpreter::of)
    }

    /// What a directory is to a resolver.
    #[must_use]
    pub fn look(&self, resolver: &str, directory: &Path) -> Look {
        if fs_err::symlink_metadata(directory).is_err() {
            return Look::Absent;
        }
        if fs_err::metadata(directory).is_ok_and(|found| !found.is_dir() && !found.is_file()) {
            return Look::Broken("it is a pipe, a socket or a device".to_owned());
        }
        let preferred = [Preferred {
            resolver: resolver.to_owned(),
            environment: directory.to_path_buf(),
            place: HERE.to_owned(),
            reason: HERE.to_owned(),
            only_where: None,
        }];
        let resource = json!({"interpreter": {"type": resolver, "search": [HERE]}});
        match self.resolve(&resource, &preferred) {
            Ok(resolution) => match resolution.interpreter() {
                Some(found) if found.place == HERE => Look::Sound(Interpreter::of(found)),
                _ => Look::Broken("it is no environment".to_owned()),
            },
            Err(ResolveError::Broken { reason, .. }) => Look::Broken(reason),
            Err(error) => Look::Broken(error.tried().first().map_or_else(
                || error.to_string(),
                |first| {
                    first
                        .reason
                        .trim_start_matches(HERE)
                        .trim_start_matches(", but ")
                        .to_owned()
                },
            )),
        }
    }

    /// The interpreter environments are made from: what PATH gives, or else any that is
    /// installed and in the range.
    ///
    /// # Errors
    /// Says which version is asked for and not there.
    pub fn base(&self, resolver: &str, range: Option<&str>) -> Result<Interpreter, Lacking> {
        // An active environment stands on PATH, too, and is nothing to build upon.
        match self.interpreter(resolver, range, &["system"]) {
            Ok(found) if found.environment.is_none() => Ok(found),
            _ => self.interpreter(resolver, range, &["user", "system"]),
        }
    }

    fn interpreter(
        &self,
        resolver: &str,
        range: Option<&str>,
        search: &[&str],
    ) -> Result<Interpreter, Lacking> {
        let mut options = Map::new();
        options.insert("type".into(), resolver.into());
        options.insert("search".into(), json!(search));
        if let Some(range) = range {
            options.insert("version".into(), range.into());
        }
        let resolved = self.resolve(&json!({"interpreter": Value::Object(options)}), &[]);
        match resolved {
            Ok(resolution) => resolution
                .interpreter()
                .map(Interpreter::of)
                .ok_or(Lacking { version: None }),
            Err(ResolveError::VersionNotInstalled { missing, .. }) => Err(Lacking {
                version: Some(missing.wanted),
            }),
            Err(_) => Err(Lacking {
                version: range.map(str::to_owned),
            }),
        }
    }

    fn resolve(
        &self,
        env_config: &Value,
        preferred: &[Preferred],
    ) -> Result<Resolution, ResolveError> {
        let links = [Link {
            id: "setup",
            role: Role::Runtime,
            env_config: env_config.as_object(),
            config: None,
            source: None,
        }];
        let rules = EnvironmentRules::default();
        let mut call = Call::new(self.world, self.catalog, &rules, &links);
        call.preferred = preferred;
        resolve(&call)
    }
}

#[cfg(unix)]
fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(file: &Path) -> bool {
    file.is_file()
}

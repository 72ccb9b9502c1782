//! Where a client keeps its files on this machine. Everything comes from the `World`.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use toolroom_kernel::template::{Placeholder, Template, TemplateError, Unset};
use toolroom_kernel::{Os, World, template};

/// Whom an entry is for: everybody in a project, or one user everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    Project,
    User,
}

impl Scope {
    pub const ALL: [Self; 2] = [Self::Project, Self::User];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Path templates, the same on every machine or one list for each kind.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(untagged)]
pub(super) enum Paths {
    #[default]
    None,
    One(String),
    Several(Vec<String>),
    PerMachine(PerMachine),
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PerMachine {
    linux: Box<Paths>,
    macos: Box<Paths>,
    windows: Box<Paths>,
    /// Linux and macOS, where neither is named.
    unix: Box<Paths>,
}

impl Paths {
    fn templates(&self, os: Os) -> &[String] {
        match self {
            Self::None => &[],
            Self::One(path) => std::slice::from_ref(path),
            Self::Several(paths) => paths,
            Self::PerMachine(machines) => machines.of(os),
        }
    }

    /// The paths on this machine. One that needs what is not there, such as a project, or
    /// that would not be absolute, is left out.
    pub(super) fn on(&self, world: &World, name: &str) -> Result<Vec<PathBuf>, TemplateError> {
        let facts = Facts { world, name };
        let mut paths = Vec::new();
        for text in self.templates(world.os) {
            let template = Template::parse(text)?;
            match template.expand(&facts, Unset::Error) {
                Ok(path) => paths.push(PathBuf::from(path)),
                Err(error) if matches!(error.fault, template::Fault::Absent { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        paths.retain(|path| path.is_absolute());
        Ok(paths)
    }
}

impl PerMachine {
    fn of(&self, os: Os) -> &[String] {
        let own = match os {
            Os::Linux => &self.linux,
            Os::MacOs => &self.macos,
            Os::Windows => &self.windows,
        };
        match (own.as_ref(), os) {
            (Paths::None, Os::Linux | Os::MacOs) => self.unix.list(),
            (own, _) => own.list(),
        }
    }
}

impl Paths {
    /// A list within a machine's key; a further level of machines means nothing.
    fn list(&self) -> &[String] {
        match self {
            Self::One(path) => std::slice::from_ref(path),
            Self::Several(paths) => paths,
            Self::None | Self::PerMachine(_) => &[],
        }
    }
}

/// What a path template may name.
struct Facts<'w> {
    world: &'w World,
    name: &'w str,
}

impl template::Scope for Facts<'_> {
    fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        self.world.env.get(name).map(Cow::Borrowed)
    }

    fn placeholder(&self, path: &str) -> Placeholder<'_> {
        let directory = match path {
            "home" => self.world.home.as_deref(),
            "project" => self.world.project.as_deref(),
            "name" => return Placeholder::text(self.name),
            _ => return Placeholder::Unknown,
        };
        match directory.and_then(Path::to_str) {
            Some(directory) => Value::from(directory).into(),
            None => Placeholder::Absent,
        }
    }
}

/// Whether the search path has one of these commands.
pub(super) fn has_command(world: &World, names: &[String]) -> bool {
    names.iter().any(|name| world.which(name).is_some())
}

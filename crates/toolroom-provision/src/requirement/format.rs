//! The manifests that can be read, by the names that data files use for them.

use std::path::Path;
use std::str::FromStr;

use super::model::{Context, Requirements};
use super::{gemfile, go_mod, package_json, pyproject, requirements_txt, uv_lock};

/// A manifest format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    RequirementsTxt,
    Pyproject,
    PackageJson,
    Gemfile,
    GoMod,
    UvLock,
}

impl Format {
    pub const ALL: [Self; 6] = [
        Self::RequirementsTxt,
        Self::Pyproject,
        Self::PackageJson,
        Self::Gemfile,
        Self::GoMod,
        Self::UvLock,
    ];

    /// The name a manager's data uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RequirementsTxt => "requirements_txt",
            Self::Pyproject => "pyproject",
            Self::PackageJson => "package_json",
            Self::Gemfile => "gemfile",
            Self::GoMod => "go_mod",
            Self::UvLock => "uv_lock",
        }
    }

    /// The format of a file, by its name.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?;
        match name {
            "pyproject.toml" => Some(Self::Pyproject),
            "package.json" => Some(Self::PackageJson),
            "Gemfile" | "gems.rb" => Some(Self::Gemfile),
            "go.mod" => Some(Self::GoMod),
            "uv.lock" => Some(Self::UvLock),
            _ if matches!(path.extension()?.to_str()?, "txt" | "in") => Some(Self::RequirementsTxt),
            _ => None,
        }
    }

    /// Reads a manifest.
    #[must_use]
    pub fn read(self, path: &Path, context: &Context<'_>) -> Requirements {
        match self {
            Self::RequirementsTxt => requirements_txt::read(path, context),
            Self::Pyproject => pyproject::read(path, context),
            Self::PackageJson => package_json::read(path, context),
            Self::Gemfile => gemfile::read(path),
            Self::GoMod => go_mod::read(path),
            Self::UvLock => uv_lock::read(path, context),
        }
    }
}

impl FromStr for Format {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or(())
    }
}

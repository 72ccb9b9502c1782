//! Who filled a `node_modules`, by the mark that each package manager leaves last.

use std::path::{Path, PathBuf};

/// How a project's packages are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// There is no folder.
    Absent,
    /// `.package-lock.json`
    Npm,
    /// `.modules.yaml`
    Pnpm,
    /// `.yarn-state.yml`, or `.yarn-integrity` of the classic version
    Yarn,
    /// A folder without a mark: made by another tool, or not finished.
    Unmarked,
    /// `.pnp.cjs`, and no folder.
    PlugAndPlay,
}

impl Layout {
    /// The layout of the project in a directory.
    #[must_use]
    pub fn of(project: &Path) -> Self {
        let folder = project.join("node_modules");
        let marks = [
            (".package-lock.json", Self::Npm),
            (".modules.yaml", Self::Pnpm),
            (".yarn-state.yml", Self::Yarn),
            (".yarn-integrity", Self::Yarn),
        ];
        if let Some((_, layout)) = marks.iter().find(|(mark, _)| folder.join(mark).is_file()) {
            return *layout;
        }
        let pnp = [".pnp.cjs", ".pnp.js"];
        let roots = [Some(project.to_path_buf()), workspace_root(project)];
        if roots
            .iter()
            .flatten()
            .any(|root| pnp.iter().any(|name| root.join(name).is_file()))
        {
            return Self::PlugAndPlay;
        }
        if folder.is_dir() {
            Self::Unmarked
        } else {
            Self::Absent
        }
    }

    /// Whether a package manager said that it came to its end.
    #[must_use]
    pub const fn is_marked(self) -> bool {
        matches!(self, Self::Npm | Self::Pnpm | Self::Yarn)
    }
}

/// The nearest directory above a project that claims it as a member of its workspace.
pub(super) fn workspace_root(project: &Path) -> Option<PathBuf> {
    const MAX_LEVELS: usize = 12;
    project
        .ancestors()
        .skip(1)
        .take(MAX_LEVELS)
        .find_map(|directory| {
            let claims = directory.join("pnpm-workspace.yaml").is_file()
                || super::package::Manifest::read(directory)
                    .is_ok_and(|manifest| manifest.is_workspace());
            claims.then(|| directory.to_path_buf())
        })
}

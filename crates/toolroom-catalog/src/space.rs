//! Where tools live on disk: a space's root, and the way from an id to a file in it.
//!
//! Symbolic links are followed while they stay inside their space, and never out of it.

use std::path::{Path, PathBuf};

use toolroom_kernel::World;
use toolroom_kernel::model::{Space, ToolId};

use crate::extract::registry::Extractors;
use crate::folder;

/// The part of a project that is its space.
pub const PROJECT_SPACE: &str = ".ai";
/// The folder of a space that holds tools.
pub const TOOLS: &str = "tools";

/// A space's tools on disk. Core has none: it lives in the binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpaceRoot {
    pub space: Space,
    /// The `tools` folder.
    pub tools: PathBuf,
}

/// The spaces of a world that are on disk, in order of precedence.
#[must_use]
pub fn roots(world: &World) -> Vec<SpaceRoot> {
    let project = world.project.as_ref().map(|project| SpaceRoot {
        space: Space::Project,
        tools: project.join(PROJECT_SPACE).join(TOOLS),
    });
    let user = world.user_space.as_ref().map(|space| SpaceRoot {
        space: Space::User,
        tools: space.join(TOOLS),
    });
    let mut roots: Vec<SpaceRoot> = project.into_iter().chain(user).collect();
    roots.dedup_by(|later, earlier| later.tools == earlier.tools);
    roots
}

impl SpaceRoot {
    /// The files that could be the tool of this id, one per extension that is read.
    #[must_use]
    pub fn files(&self, id: &ToolId, extractors: &Extractors) -> Vec<PathBuf> {
        let stem = self.tools.join(id.as_str());
        let (Some(directory), Some(name)) = (stem.parent(), stem.file_name()) else {
            return Vec::new();
        };
        if !directory.is_dir() {
            return Vec::new();
        }
        let there = folder::endings(directory, name);
        let may_be = |extension: &&str| {
            let is_it = |ending: &String| ending.as_str() == *extension;
            there.as_ref().is_none_or(|there| there.iter().any(is_it))
        };
        extractors
            .extensions()
            .filter(may_be)
            .map(|extension| {
                let mut file = stem.clone().into_os_string();
                file.push(extension);
                PathBuf::from(file)
            })
            .filter(|file| file.symlink_metadata().is_ok_and(|meta| !meta.is_dir()))
            .collect()
    }

    /// Where a file of this space really lies, all links followed, if that is outside of it.
    #[must_use]
    pub fn leaves(&self, file: &Path) -> Option<PathBuf> {
        match (file.canonicalize(), self.tools.canonicalize()) {
            (Ok(file), Ok(tools)) if !file.starts_with(&tools) => Some(file),
            // What does not exist leads nowhere; reading it will say so.
            _ => None,
        }
    }
}

/// Finds the project a directory belongs to: the nearest ancestor with `.ai/` or
/// `toolroom.toml`, not above the root of its git checkout, and never the home directory
/// for the sake of the user space that lives there.
#[must_use]
pub fn discover_project(
    start: &Path,
    home: Option<&Path>,
    user_space: Option<&Path>,
) -> Option<PathBuf> {
    for directory in start.ancestors() {
        let space = directory.join(PROJECT_SPACE);
        let is_user_space = Some(space.as_path()) == user_space;
        if directory.join("toolroom.toml").is_file() || (space.is_dir() && !is_user_space) {
            return Some(directory.to_path_buf());
        }
        if directory.join(".git").exists() || Some(directory) == home {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(paths: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for path in paths {
            fs_err::create_dir_all(root.path().join(path)).unwrap();
        }
        root
    }

    #[test]
    fn the_nearest_ancestor_with_a_space_is_the_project() {
        let root = tree(&["a/.ai", "a/b/.ai", "a/b/c/d"]);
        let found = discover_project(&root.path().join("a/b/c/d"), None, None);
        assert_eq!(found, Some(root.path().join("a/b")));
    }

    #[test]
    fn the_search_stops_at_the_root_of_a_git_checkout() {
        let root = tree(&[".ai", "repo/.git", "repo/src"]);
        assert_eq!(
            discover_project(&root.path().join("repo/src"), None, None),
            None
        );
        fs_err::create_dir_all(root.path().join("repo/.ai")).unwrap();
        let found = discover_project(&root.path().join("repo/src"), None, None);
        assert_eq!(found, Some(root.path().join("repo")));
    }

    #[test]
    fn the_search_stops_at_home_and_a_user_space_is_no_project() {
        let root = tree(&[".ai", "home/.ai", "home/work/x"]);
        let home = root.path().join("home");
        let found = discover_project(&home.join("work/x"), Some(&home), Some(&home.join(".ai")));
        assert_eq!(found, None);
        fs_err::write(home.join("toolroom.toml"), "").unwrap();
        let found = discover_project(&home.join("work/x"), Some(&home), Some(&home.join(".ai")));
        assert_eq!(found, Some(home));
    }
}

//! The projects a project is embedded in: the directories above it, up to the git root,
//! and never as far as the home directory.

use std::path::{Path, PathBuf};

/// How far up is looked where nothing else ends the walk.
const MAX_LEVELS: usize = 8;

/// The directories above a project, nearest first.
#[must_use]
pub fn above(project: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let is_git_root = |directory: &Path| directory.join(".git").exists();
    if is_git_root(project) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for directory in project.ancestors().skip(1).take(MAX_LEVELS) {
        let is_end = directory.parent().is_none() || Some(directory) == home;
        if is_end || anyone_may_write(directory) {
            break;
        }
        found.push(directory.to_path_buf());
        if is_git_root(directory) {
            break;
        }
    }
    found
}

/// What anyone may write to, such as the folder for temporary files, holds nobody's
/// project: an environment there could be planted.
#[cfg(unix)]
fn anyone_may_write(directory: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    directory
        .metadata()
        .is_ok_and(|metadata| metadata.permissions().mode() & 0o002 != 0)
}

#[cfg(not(unix))]
fn anyone_may_write(_directory: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_walk_ends_at_the_git_root_and_below_home() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        fs_err::create_dir_all(at("home/repo/.git")).unwrap();
        fs_err::create_dir_all(at("home/repo/a/b")).unwrap();
        fs_err::create_dir_all(at("home/plain/x")).unwrap();
        let home = at("home");
        assert_eq!(
            above(&at("home/repo/a/b"), Some(&home)),
            [at("home/repo/a"), at("home/repo")]
        );
        assert_eq!(above(&at("home/plain/x"), Some(&home)), [at("home/plain")]);
        assert_eq!(above(&at("home/repo"), Some(&home)), [] as [PathBuf; 0]);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_anyone_may_write_to_ends_the_walk() {
        use std::os::unix::fs::PermissionsExt as _;
        let root = tempfile::tempdir().unwrap();
        let open = root.path().join("open");
        let project = open.join("parent/project");
        fs_err::create_dir_all(&project).unwrap();
        fs_err::set_permissions(&open, std::fs::Permissions::from_mode(0o1777)).unwrap();
        assert_eq!(above(&project, None), [open.join("parent")]);
    }
}

//! The projects a project is embedded in: the directories above it, up to the git root,
//! and never as far as the home directory.

use std::path::{Path, PathBuf};

/// How far up is looked where nothing else ends the walk.
const MAX_LEVELS: usize = 8;

/// The directories above a project, nearest first.
#[must_use]
pub fn above(project: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let above = project.ancestors().skip(1);
    above
        .take_while(|directory| barrier(project, directory, home).is_none())
        .map(Path::to_path_buf)
        .collect()
}

/// Why a directory above a project is out of its reach, if it is.
#[must_use]
pub fn barrier(project: &Path, above: &Path, home: Option<&Path>) -> Option<String> {
    let mut below = project;
    for (level, directory) in project.ancestors().skip(1).enumerate() {
        if below.join(".git").exists() {
            return Some(format!(
                "it lies outside of the git repository {}",
                below.display()
            ));
        }
        if Some(directory) == home {
            let lies = if directory == above {
                "is"
            } else {
                "lies above"
            };
            return Some(format!("it {lies} your home directory"));
        }
        if directory.parent().is_none() || level >= MAX_LEVELS {
            return Some("it is too far above".to_owned());
        }
        if anyone_may_write(directory) && !anyone_may_write(project) {
            return Some(format!("anyone may write to {}", directory.display()));
        }
        if directory == above {
            return None;
        }
        below = directory;
    }
    Some("it is not above".to_owned())
}

/// What anyone may write to, such as the folder for temporary files, holds nobody's
/// project: an environment there could be planted. Where anyone may write to the project
/// itself, as on disks that know no owners, that says nothing.
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

//! Where we are: the project, the user space, the folders we write to.

use std::path::Path;

use toolroom_kernel::World;

use super::Check;
use crate::output::paths;

pub fn checks(world: &World) -> Vec<Check> {
    let mut checks = vec![match &world.project {
        Some(project) => Check::ok("project", project.display().to_string()),
        None => Check::warn("project", "there is none here", "toolroom init makes one"),
    }];
    checks.push(match (&world.home, &world.user_space) {
        (_, Some(space)) if space.is_dir() => Check::ok("user space", paths::shown(world, space)),
        (_, Some(space)) => Check::ok(
            "user space",
            format!("{}, not made yet", paths::shown(world, space)),
        ),
        (None, None) => Check::warn(
            "user space",
            "there is no home directory",
            "set HOME, or TOOLROOM_USER_SPACE",
        ),
        (Some(_), None) => Check::ok("user space", "none"),
    });
    match &world.directories {
        Some(directories) if can_write(&directories.cache) => {
            checks.push(Check::ok("cache", paths::shown(world, &directories.cache)));
        }
        Some(directories) => {
            let cache = paths::shown(world, &directories.cache);
            let detail = format!("{cache} cannot be written; everything works, more slowly");
            checks.push(Check::warn(
                "cache",
                detail,
                format!("make {cache} writable, or set XDG_CACHE_HOME"),
            ));
        }
        None => checks.push(Check::warn("cache", "there is no place for it", "set HOME")),
    }
    checks
}

/// Whether a folder, or the nearest one above it that exists, can be written to.
fn can_write(folder: &Path) -> bool {
    let Some(existing) = folder.ancestors().find(|folder| folder.exists()) else {
        return false;
    };
    existing.is_dir()
        && tempfile::Builder::new()
            .prefix(".toolroom-")
            .tempfile_in(existing)
            .is_ok()
}

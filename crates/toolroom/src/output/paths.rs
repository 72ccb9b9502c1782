//! Paths as people read them: relative to where they are, `~` for home.

use std::path::Path;

use toolroom_kernel::World;

#[must_use]
pub fn shown(world: &World, path: &Path) -> String {
    let is_at_root = world.cwd.parent().is_none();
    if !is_at_root
        && let Ok(relative) = path.strip_prefix(&world.cwd)
        && !relative.as_os_str().is_empty()
    {
        return relative.display().to_string();
    }
    if let Some(home) = &world.home
        && let Ok(relative) = path.strip_prefix(home)
        && !relative.as_os_str().is_empty()
    {
        return Path::new("~").join(relative).display().to_string();
    }
    path.display().to_string()
}

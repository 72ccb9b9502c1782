//! Puts launchers where an interpreter can read them.
//!
//! Core's are written once into the cache, each language's into a folder of its own that
//! also bears the name of this core, so that versions never mix. What is found there is
//! compared before it is used and written anew where it differs. A space's runtime brings
//! its own, beside its file.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use toolroom_catalog::core_data;
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::model::{Role, Space, Tool};
use toolroom_kernel::plain::{self, Links};

use super::error::ExecError;

const FOLDER: &str = "launchers";

/// A launcher's file; a temporary one lives as long as this value.
#[derive(Debug)]
pub struct Launcher {
    pub path: PathBuf,
    temporary: Option<TempDir>,
}

impl Launcher {
    /// Whether the file is there for later calls as well.
    #[must_use]
    pub const fn is_lasting(&self) -> bool {
        self.temporary.is_none()
    }
}

/// The runtime whose launchers are meant: the nearest, unless another's are used.
#[must_use]
pub fn owner<'a>(chain: &'a Chain, lender: Option<&'a Tool>) -> &'a Tool {
    let mut links = chain.links().iter();
    let nearest = links.find(|link| link.role() == Role::Runtime);
    let nearest = nearest.map_or(chain.tool(), |link| link);
    lender.unwrap_or(nearest)
}

/// A file beside a space's runtime, which goes before what core has of that name.
#[must_use]
pub fn beside(runtime: &Tool, name: &str) -> Option<PathBuf> {
    let beside = runtime.path.with_file_name(name);
    (runtime.space != Space::Core && beside.is_file()).then_some(beside)
}

/// Finds the launcher a runtime names.
///
/// # Errors
/// Fails if there is none of this name, or it cannot be written.
pub fn find(world: &World, runtime: &Tool, name: &str) -> Result<Launcher, ExecError> {
    let fault = |reason: String| ExecError::Launcher {
        name: name.to_owned(),
        runtime: runtime.id.to_string(),
        reason,
    };
    let is_plain = !name.is_empty()
        && Path::new(name)
            .components()
            .all(|part| matches!(part, std::path::Component::Normal(_)));
    if !is_plain {
        return Err(fault("is not the name of a file".into()));
    }
    if let Some(path) = beside(runtime, name) {
        return Ok(Launcher {
            path,
            temporary: None,
        });
    }
    if core_data::text(&format!("{FOLDER}/{name}")).is_none() {
        return Err(fault("does not exist".into()));
    }
    let launchers = written(world, name).map_err(|source| ExecError::LauncherNotWritten {
        name: name.to_owned(),
        runtime: runtime.id.to_string(),
        folder: tempfile::env::temp_dir(),
        source,
    })?;
    Ok(Launcher {
        path: launchers.0.join(name),
        temporary: launchers.1,
    })
}

/// The folder with one of core's launchers, and with what it may read there: the files of
/// its own kind.
fn written(world: &World, name: &str) -> std::io::Result<(PathBuf, Option<TempDir>)> {
    let mut files = core_data::texts_below(FOLDER);
    files.retain(|(other, _)| Path::new(other).extension() == Path::new(name).extension());
    if let Some(directories) = &world.directories {
        let parent = directories.cache.join(FOLDER);
        let language = Path::new(name).extension().unwrap_or_default();
        let folder = parent.join(format!("{}-{}", core_data::identity(), language.display()));
        if is_whole(&folder, &files) {
            return Ok((folder, None));
        }
        let written = match folder.is_dir() {
            true => mend(&folder, &files),
            false => write_whole(&parent, &folder, &files),
        };
        if written.is_ok() && is_whole(&folder, &files) {
            return Ok((folder, None));
        }
    }
    let temporary = tempfile::Builder::new().prefix("toolroom-").tempdir()?;
    write(temporary.path(), &files)?;
    Ok((temporary.path().to_path_buf(), Some(temporary)))
}

/// Whether the folder holds these files byte for byte, and only its owner writes there.
fn is_whole(folder: &Path, files: &[(&str, &str)]) -> bool {
    is_private(folder)
        && files
            .iter()
            .all(|(name, text)| holds(&folder.join(name), text.as_bytes()))
}

/// Whether a plain file is this to the byte. A longer one shows by its first byte too many.
fn holds(path: &Path, wanted: &[u8]) -> bool {
    let Ok(file) = plain::open(path, Links::Refused) else {
        return false;
    };
    let longest = wanted.len() + 1;
    let mut found = Vec::with_capacity(longest);
    let read = file.take(longest as u64).read_to_end(&mut found);
    read.is_ok() && found == wanted
}

/// Puts back every file that is not what it should be, each in one step: another process
/// may be reading it. What an interpreter made of the old ones goes.
fn mend(folder: &Path, files: &[(&str, &str)]) -> std::io::Result<()> {
    make_private(folder)?;
    for (name, text) in files {
        let path = folder.join(name);
        let within = parent_of(&path, folder);
        for made in ["__pycache__", "kept"] {
            let _ = fs_err::remove_dir_all(within.join(made));
        }
        fs_err::create_dir_all(within)?;
        let mut beside = tempfile::NamedTempFile::new_in(within)?;
        beside.write_all(text.as_bytes())?;
        beside.persist(path).map_err(|error| error.error)?;
    }
    Ok(())
}

#[cfg(unix)]
fn is_private(folder: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    let found = folder.symlink_metadata();
    found.is_ok_and(|found| found.is_dir() && found.permissions().mode() & 0o077 == 0)
}

#[cfg(unix)]
fn make_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs_err::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
}

#[cfg(not(unix))]
fn is_private(folder: &Path) -> bool {
    folder.is_dir()
}

#[cfg(not(unix))]
fn make_private(_: &Path) -> std::io::Result<()> {
    Ok(())
}

/// Writes beside and renames, so that the folder is whole whenever it is there.
fn write_whole(parent: &Path, folder: &Path, files: &[(&str, &str)]) -> std::io::Result<()> {
    fs_err::create_dir_all(parent)?;
    let beside = tempfile::Builder::new()
        .prefix(".new-")
        .tempdir_in(parent)?;
    make_private(beside.path())?;
    write(beside.path(), files)?;
    match fs_err::rename(beside.path(), folder) {
        Ok(()) => {
            let _ = beside.keep();
            Ok(())
        }
        // Another process was faster.
        Err(_) if folder.is_dir() => Ok(()),
        Err(error) => Err(error),
    }
}

fn write(folder: &Path, files: &[(&str, &str)]) -> std::io::Result<()> {
    for (name, text) in files {
        let path = folder.join(name);
        fs_err::create_dir_all(parent_of(&path, folder))?;
        fs_err::write(path, text)?;
    }
    Ok(())
}

fn parent_of<'a>(path: &'a Path, folder: &'a Path) -> &'a Path {
    path.parent().unwrap_or(folder)
}

//! Files on disk: read with limits, written whole or not at all, with a backup beside them.

use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::document::Document;
use super::error::ConfigError;

/// A client's file may hold its whole history; more than this is something else.
const MAX_SIZE: u64 = 64 * 1024 * 1024;
const MOST_LINKS: usize = 32;
const BACKUP: &str = ".toolroom-backup";

/// A file as it was when it was read.
#[derive(Debug)]
pub(super) struct Stored {
    /// The file itself, links followed.
    pub target: PathBuf,
    /// Nothing if there is no file yet.
    pub text: Option<String>,
}

/// What becomes of the backup when a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Backup {
    /// Keep what is there now.
    Make,
    /// The one that is there is older, and better.
    Leave,
    /// The file is again what the backup was.
    Drop,
}

impl Stored {
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let target = follow(path)?;
        let text = text(&target)?;
        Ok(Self { target, text })
    }

    pub fn backup_path(&self) -> PathBuf {
        let mut path = self.target.clone().into_os_string();
        path.push(BACKUP);
        PathBuf::from(path)
    }

    /// The text of the backup, if there is one that can be read.
    pub fn backup(&self) -> Option<String> {
        text(&self.backup_path()).ok().flatten()
    }

    /// Replaces the file in one step, unless somebody else has changed it meanwhile.
    pub fn write(&self, new: &str, backup: Backup) -> Result<Option<PathBuf>, ConfigError> {
        let folder = self.target.parent().unwrap_or(Path::new("/"));
        fs_err::create_dir_all(folder).map_err(|source| failed(folder, "made", source))?;
        let made = self.keep(folder, backup)?;
        if text(&self.target)? != self.text {
            return Err(ConfigError::Changed {
                path: self.target.clone(),
            });
        }
        replace(folder, &self.target, new, &self.target)?;
        self.drop_backup(backup)?;
        Ok(made)
    }

    pub fn delete(&self) -> Result<(), ConfigError> {
        fs_err::remove_file(&self.target).map_err(|source| failed(&self.target, "deleted", source))
    }

    fn keep(&self, folder: &Path, backup: Backup) -> Result<Option<PathBuf>, ConfigError> {
        let path = self.backup_path();
        match (&self.text, backup) {
            (Some(text), Backup::Make) => {
                // By renaming, so that a link somebody left there is replaced, not followed.
                replace(folder, &path, text, &self.target)?;
                Ok(Some(path))
            }
            (_, Backup::Leave) if path.exists() => Ok(Some(path)),
            _ => Ok(None),
        }
    }

    fn drop_backup(&self, backup: Backup) -> Result<(), ConfigError> {
        let path = self.backup_path();
        match backup {
            Backup::Drop => {
                fs_err::remove_file(&path).map_err(|source| failed(&path, "deleted", source))
            }
            Backup::Make | Backup::Leave => Ok(()),
        }
    }
}

fn failed(path: &Path, verb: &'static str, source: std::io::Error) -> ConfigError {
    ConfigError::Io {
        path: path.to_path_buf(),
        verb,
        source,
    }
}

/// The file a path leads to, which need not exist.
fn follow(path: &Path) -> Result<PathBuf, ConfigError> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match std::fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or(Path::new("/")).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(failed(
        &path,
        "read",
        std::io::Error::other("too many links"),
    ))
}

fn text(path: &Path) -> Result<Option<String>, ConfigError> {
    let file = match fs_err::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(path, "read", error)),
    };
    let is_file = file.metadata().is_ok_and(|data| data.is_file());
    if !is_file {
        return Err(failed(
            path,
            "read",
            std::io::Error::other("it is not a file"),
        ));
    }
    let mut bytes = Vec::new();
    file.take(MAX_SIZE + 1)
        .read_to_end(&mut bytes)
        .map_err(|source| failed(path, "read", source))?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err(ConfigError::TooLarge {
            path: path.to_path_buf(),
            limit: MAX_SIZE,
        });
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes());
        ConfigError::NotText {
            path: path.to_path_buf(),
            position: Document::position(&text, valid),
        }
    })
}

/// Writes a file beside its place and renames it there, with the mode of another.
fn replace(folder: &Path, path: &Path, text: &str, like: &Path) -> Result<(), ConfigError> {
    let write = || -> std::io::Result<()> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".toolroom-");
        let mode = fs_err::metadata(like).map(|data| data.permissions()).ok();
        let open = open_mode();
        if let (None, Some(open)) = (&mode, open) {
            builder.permissions(open);
        }
        let mut file = builder.tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        if let Some(mode) = mode {
            file.as_file().set_permissions(mode)?;
        }
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|source| failed(path, "written", source))
}

/// What a new file may be, before the user's mask.
#[cfg(unix)]
fn open_mode() -> Option<std::fs::Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(std::fs::Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
const fn open_mode() -> Option<std::fs::Permissions> {
    None
}

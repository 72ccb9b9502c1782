//! The lockfiles beside a folder of packages and what else lies there that an install writes,
//! which one that fails may have written.

use std::path::Path;

use super::kept::File;
use crate::journal::digest;
use crate::manager::members;
use crate::plan::Target;

/// The lockfiles of a target as they were.
#[derive(Debug)]
pub struct Lockfiles {
    before: Vec<File>,
}

impl Lockfiles {
    #[must_use]
    pub fn of(target: &Target) -> Self {
        // Members may have lockfiles of their own. Those that cannot be told now are named by
        // the install that needs to know.
        let members = match target.has_own_directory() {
            true => Vec::new(),
            false => members(&target.manager, target.site()).unwrap_or_default(),
        };
        let folders = members.iter().filter_map(|folder| folder.parent());
        let files = std::iter::once(target.site())
            .chain(folders)
            .flat_map(|folder| {
                let names = target.manager.choose.lockfiles.keys();
                let names = names.chain(&target.manager.written);
                names.map(|name| folder.join(name))
            });
        Self {
            before: files
                .map(|file| (file.clone(), fs_err::read(file).ok()))
                .collect(),
        }
    }

    #[must_use]
    pub fn before(&self) -> &[File] {
        &self.before
    }

    /// Those that are there now and were not, with what tells whether they are still the same.
    #[must_use]
    pub fn made(&self) -> Vec<(&Path, String)> {
        let absent = self.before.iter().filter(|(_, before)| before.is_none());
        absent
            .filter_map(|(file, _)| Some((file.as_path(), digest_of(file)?)))
            .collect()
    }

    /// Makes them what they were.
    ///
    /// # Errors
    /// Fails if one cannot be written or deleted.
    pub fn put_back(&self) -> std::io::Result<()> {
        for (file, before) in &self.before {
            match (before, fs_err::read(file).ok()) {
                (before, now) if *before == now => {}
                (Some(bytes), _) => fs_err::write(file, bytes)?,
                (None, _) => fs_err::remove_file(file)?,
            }
        }
        Ok(())
    }
}

/// What a file holds, in short.
pub(super) fn digest_of(file: &Path) -> Option<String> {
    let bytes = fs_err::read(file).ok()?;
    Some(digest([bytes.as_slice()]))
}

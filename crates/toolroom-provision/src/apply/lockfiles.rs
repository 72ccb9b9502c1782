//! The lockfiles beside a folder of packages, which an install that fails may have written.

use std::path::PathBuf;

use crate::plan::Target;

/// The lockfiles of a target as they were.
#[derive(Debug)]
pub struct Lockfiles {
    before: Vec<(PathBuf, Option<Vec<u8>>)>,
}

impl Lockfiles {
    #[must_use]
    pub fn of(target: &Target) -> Self {
        let names = target.manager.choose.lockfiles.keys();
        let files = names.map(|name| target.root.join(name));
        Self {
            before: files
                .map(|file| (file.clone(), fs_err::read(file).ok()))
                .collect(),
        }
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

//! A folder by way of the standard library.

use std::ffi::{OsStr, OsString};
use std::fs::DirEntry;
use std::io;
use std::path::Path;

use super::{Fingerprint, Kind};

/// The names in a folder, in order.
pub(crate) struct Folder(Vec<(OsString, DirEntry)>);

impl Folder {
    /// # Errors
    /// Fails if it cannot be read.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "who asked names the folder")]
        let entries = std::fs::read_dir(path)?;
        let named = |entry: DirEntry| (entry.file_name(), entry);
        let mut entries: Vec<_> = entries.flatten().map(named).collect();
        entries.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(Self(entries))
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.0.iter().map(|(name, entry)| Entry { name, entry })
    }
}

/// What follows this stem in the names of a folder. Never known: a name may be spelt in
/// more than one way here, so each has to be asked for.
pub(crate) const fn endings(_folder: &Path, _stem: &OsStr) -> Option<Vec<String>> {
    None
}

/// One name in a folder.
pub(crate) struct Entry<'f> {
    name: &'f OsStr,
    entry: &'f DirEntry,
}

impl<'f> Entry<'f> {
    pub(crate) fn name(&self) -> &'f OsStr {
        self.name
    }

    pub(crate) fn kind(&self) -> Option<Kind> {
        let kind = self.entry.file_type().ok()?;
        Some(if kind.is_file() {
            Kind::File
        } else if kind.is_dir() {
            Kind::Folder
        } else if kind.is_symlink() {
            Kind::Link
        } else {
            Kind::Other
        })
    }

    /// # Errors
    /// Fails if it cannot be looked at.
    pub(crate) fn fingerprint(&self) -> io::Result<Fingerprint> {
        Ok(Fingerprint::of(&self.entry.metadata()?))
    }
}

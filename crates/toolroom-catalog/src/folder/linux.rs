//! A folder by way of the kernel: its names in one piece of memory, each looked at from
//! the folder itself, without the way there.

use std::ffi::{CStr, OsStr};
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawDir, Stat, open, statat};

use super::{Fingerprint, Kind};
use crate::fingerprint::nanos;

/// Names are asked for in portions of this size, which holds the longest of them.
const PORTION: usize = 32 * 1024;

/// Reading as many names costs less than asking for the few dozens that could be a tool's.
const FEW: usize = 256;
/// Room for that many of the usual length at once.
const FEW_BYTES: usize = 8 * 1024;

/// The names in a folder, in order.
pub(crate) struct Folder {
    folder: OwnedFd,
    /// Each with the zero behind it.
    names: Vec<u8>,
    entries: Vec<(Range<usize>, FileType)>,
}

impl Folder {
    /// # Errors
    /// Fails if it cannot be read.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let folder = open(path, flags, Mode::empty())?;
        let mut names = Vec::new();
        let mut entries = Vec::new();
        let mut portion = Vec::with_capacity(PORTION);
        let mut found = RawDir::new(&folder, portion.spare_capacity_mut());
        while let Some(Ok(entry)) = found.next() {
            let name = entry.file_name().to_bytes_with_nul();
            if !matches!(name, b".\0" | b"..\0") {
                let start = names.len();
                names.extend_from_slice(name);
                entries.push((start..names.len(), entry.file_type()));
            }
        }
        entries.sort_unstable_by(|(a, _), (b, _)| names[a.clone()].cmp(&names[b.clone()]));
        Ok(Self {
            folder,
            names,
            entries,
        })
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.entries.iter().map(|(name, kind)| Entry {
            folder: self,
            name: CStr::from_bytes_with_nul(&self.names[name.clone()]).unwrap_or_default(),
            kind: *kind,
        })
    }
}

/// What follows this stem in the names of a folder, from its dot on. None if the folder has
/// many names, or cannot be read: then it is cheaper, or possible, to ask for each.
pub(crate) fn endings(folder: &Path, stem: &OsStr) -> Option<Vec<String>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let folder = open(folder, flags, Mode::empty()).ok()?;
    let mut portion = Vec::with_capacity(FEW_BYTES);
    let mut found = RawDir::new(&folder, portion.spare_capacity_mut());
    let mut endings = Vec::new();
    let mut seen = 0;
    while let Some(entry) = found.next() {
        seen += 1;
        if seen > FEW {
            return None;
        }
        let entry = entry.ok()?;
        let ending = entry.file_name().to_bytes().strip_prefix(stem.as_bytes());
        let ending = ending.filter(|ending| ending.first() == Some(&b'.'));
        endings.extend(ending.and_then(|ending| Some(str::from_utf8(ending).ok()?.to_owned())));
    }
    Some(endings)
}

/// One name in a folder.
pub(crate) struct Entry<'f> {
    folder: &'f Folder,
    name: &'f CStr,
    kind: FileType,
}

impl<'f> Entry<'f> {
    pub(crate) fn name(&self) -> &'f OsStr {
        OsStr::from_bytes(self.name.to_bytes())
    }

    pub(crate) fn kind(&self) -> Option<Kind> {
        let kind = match self.kind {
            // Some file systems do not say it with the name.
            FileType::Unknown => FileType::from_raw_mode(self.look().ok()?.st_mode),
            known => known,
        };
        Some(match kind {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Folder,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        })
    }

    /// # Errors
    /// Fails if it cannot be looked at.
    pub(crate) fn fingerprint(&self) -> io::Result<Fingerprint> {
        Ok(fingerprint(&self.look()?))
    }

    fn look(&self) -> io::Result<Stat> {
        let look = statat(&self.folder.folder, self.name, AtFlags::SYMLINK_NOFOLLOW);
        Ok(look?)
    }
}

/// The numbers' types differ from machine to machine.
#[allow(
    clippy::cast_lossless,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::unnecessary_cast
)]
fn fingerprint(look: &Stat) -> Fingerprint {
    Fingerprint {
        size: look.st_size as u64,
        modified: nanos(look.st_mtime as i64, look.st_mtime_nsec as i64),
        changed: nanos(look.st_ctime as i64, look.st_ctime_nsec as i64),
        inode: look.st_ino as u64,
    }
}

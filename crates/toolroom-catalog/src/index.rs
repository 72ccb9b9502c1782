//! A cache of what files said, so that a warm listing parses nothing.
//!
//! An entry counts only for the very file it was made from: same size, times and inode,
//! and only if the file was already at rest when it was read, so that an edit in the same
//! instant is never missed. The cache is never the answer to what one tool says, may be
//! deleted at any time, and a damaged one is the same as none.

use std::cmp::Ordering;
use std::hash::Hasher as _;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustc_hash::FxHasher;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};

use crate::fingerprint::Fingerprint;
use crate::walk::ToolFile;

/// Changes when the stored form does.
const FORMAT: u8 = 3;
/// Before the entries: the format, what they depend on, and their checksum.
const HEAD: usize = 1 + IDENTITY + CHECKSUM;
const IDENTITY: usize = 32;
const CHECKSUM: usize = 8;

/// One file, as stored. Entries lie in the order of a walk. Only what is asked for is looked
/// into: there may be many.
struct Entry<'b> {
    fingerprint: &'b [u8],
    id: &'b [u8],
    extension: &'b [u8],
    value: &'b [u8],
}

impl<'b> Entry<'b> {
    /// The first entry, and what lies behind it.
    fn first(bytes: &'b [u8]) -> Option<(Self, &'b [u8])> {
        let (fingerprint, bytes) = bytes.split_at_checked(Fingerprint::LENGTH)?;
        let (id, bytes) = with_length(bytes)?;
        let (extension, bytes) = with_length(bytes)?;
        let (value, rest) = with_length(bytes)?;
        let entry = Self {
            fingerprint,
            id,
            extension,
            value,
        };
        Some((entry, rest))
    }

    fn append(&self, bytes: &mut Vec<u8>) -> Option<()> {
        bytes.extend_from_slice(self.fingerprint);
        for part in [self.id, self.extension, self.value] {
            bytes.extend_from_slice(&u32::try_from(part.len()).ok()?.to_le_bytes());
            bytes.extend_from_slice(part);
        }
        Some(())
    }
}

fn with_length(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, bytes) = bytes.split_first_chunk()?;
    bytes.split_at_checked(u32::from_le_bytes(*length) as usize)
}

/// What is remembered of the files below one folder, read along with a walk of it.
#[derive(Debug)]
pub struct Index<T> {
    file: Option<PathBuf>,
    identity: [u8; IDENTITY],
    bytes: Vec<u8>,
    /// Where in `bytes` the next entry begins.
    at: usize,
    has_leftovers: bool,
    value: PhantomData<T>,
}

impl<T: Serialize + DeserializeOwned> Index<T> {
    /// Opens the cache for a folder. `identity` is everything else the values depend on.
    #[must_use]
    pub fn open(cache: Option<&Path>, kind: &str, folder: &Path, identity: &str) -> Self {
        let name = Sha256::digest(folder.as_os_str().as_encoded_bytes());
        let name = toolroom_kernel::hex(&name[..12]);
        let mut index = Self {
            file: cache.map(|cache| cache.join(format!("{name}.{kind}"))),
            identity: Sha256::digest(identity.as_bytes()).into(),
            bytes: Vec::new(),
            at: HEAD,
            has_leftovers: false,
            value: PhantomData,
        };
        index.bytes = index.load().unwrap_or_default();
        index
    }

    fn load(&self) -> Option<Vec<u8>> {
        let bytes = fs_err::read(self.file.as_ref()?).ok()?;
        let (head, entries) = bytes.split_at_checked(HEAD)?;
        (head == self.head(entries)).then_some(bytes)
    }

    fn head(&self, entries: &[u8]) -> [u8; HEAD] {
        // Against damage, not against an enemy: whoever writes here also writes tools.
        let mut checksum = FxHasher::default();
        checksum.write_usize(entries.len());
        checksum.write(entries);
        let mut head = [FORMAT; HEAD];
        head[1..=IDENTITY].copy_from_slice(&self.identity);
        head[1 + IDENTITY..].copy_from_slice(&checksum.finish().to_le_bytes());
        head
    }

    /// What is known of a file, if it is still the same file. To be asked in the order of
    /// the walk: what lies before the file is passed over for good.
    pub fn take(&mut self, file: &ToolFile<'_>) -> Option<T> {
        loop {
            let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
            let Some((entry, rest)) = Entry::first(rest) else {
                self.at = self.bytes.len();
                return None;
            };
            let order = entry.id.cmp(file.id.as_str().as_bytes());
            let order = order.then_with(|| entry.extension.cmp(file.extension.as_bytes()));
            if order == Ordering::Greater {
                return None;
            }
            self.at = self.bytes.len() - rest.len();
            if order == Ordering::Equal {
                let is_same = entry.fingerprint == file.fingerprint.to_bytes();
                return is_same.then(|| postcard::from_bytes(entry.value).ok())?;
            }
            self.has_leftovers = true;
        }
    }

    /// Whether files are remembered that nobody asked for any more.
    #[must_use]
    pub fn has_leftovers(&self) -> bool {
        self.has_leftovers || self.bytes.len() > self.at
    }

    /// Remembers files for the next time, leaving out those that were not at rest when
    /// reading began. A cache that cannot be written is done without.
    pub fn store<'a>(
        &self,
        began: SystemTime,
        files: impl Iterator<Item = (&'a ToolFile<'a>, &'a T)>,
    ) where
        T: 'a,
    {
        let Some(path) = &self.file else { return };
        let mut bytes = vec![0; HEAD];
        let mut stored = Vec::new();
        for (file, value) in files {
            if !file.fingerprint.was_at_rest(began) {
                continue;
            }
            stored.clear();
            stored = match postcard::to_extend(value, stored) {
                Ok(stored) => stored,
                Err(_) => return,
            };
            let entry = Entry {
                fingerprint: &file.fingerprint.to_bytes(),
                id: file.id.as_str().as_bytes(),
                extension: file.extension.as_bytes(),
                value: &stored,
            };
            if entry.append(&mut bytes).is_none() {
                return;
            }
        }
        let head = self.head(&bytes[HEAD..]);
        bytes[..HEAD].copy_from_slice(&head);
        let _ = write_atomically(path, &bytes);
    }
}

fn write_atomically(file: &Path, bytes: &[u8]) -> std::io::Result<()> {
    use std::io::Write as _;
    let Some(folder) = file.parent() else {
        return Ok(());
    };
    fs_err::create_dir_all(folder)?;
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(bytes)?;
    temporary.persist(file)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use toolroom_kernel::model::ToolId;
    use toolroom_kernel::plain::Links;

    use super::*;

    const AT: SystemTime = UNIX_EPOCH;

    fn file(id: &str, changed: i64) -> ToolFile<'static> {
        ToolFile {
            id: ToolId::parse(id).unwrap(),
            path: PathBuf::from(id),
            links: Links::Refused,
            extension: ".x",
            fingerprint: Fingerprint {
                size: 1,
                modified: 1,
                changed,
                inode: 1,
            },
        }
    }

    fn open(cache: &Path, identity: &str) -> Index<u32> {
        Index::open(Some(cache), "test", Path::new("/p"), identity)
    }

    fn store(cache: &Path, files: &[(ToolFile<'_>, u32)]) {
        let began = AT + Duration::from_secs(10);
        let files = files.iter().map(|(file, value)| (file, value));
        open(cache, "a").store(began, files);
    }

    #[test]
    fn what_was_stored_is_known_for_the_same_file_only() {
        let cache = tempfile::tempdir().unwrap();
        store(cache.path(), &[(file("x", 5), 7)]);
        assert_eq!(open(cache.path(), "a").take(&file("x", 5)), Some(7));
        assert_eq!(open(cache.path(), "a").take(&file("x", 6)), None);
        assert_eq!(open(cache.path(), "a").take(&file("y", 5)), None);
        assert_eq!(open(cache.path(), "b").take(&file("x", 5)), None);
    }

    #[test]
    fn files_may_come_and_go_between_those_that_are_known() {
        let cache = tempfile::tempdir().unwrap();
        store(
            cache.path(),
            &[
                (file("a", 5), 1),
                (file("c", 5), 3),
                (file("d", 5), 4),
                (file("f", 5), 6),
            ],
        );
        let mut index = open(cache.path(), "a");
        let asked = ["b", "c", "e", "f"];
        let known = asked.map(|id| index.take(&file(id, 5)));
        assert_eq!(known, [None, Some(3), None, Some(6)]);
        assert!(index.has_leftovers(), "a and d are gone");
        let mut index = open(cache.path(), "a");
        for id in ["a", "b", "c", "d", "f"] {
            index.take(&file(id, 5));
        }
        assert!(!index.has_leftovers());
        let mut index = open(cache.path(), "a");
        index.take(&file("a", 5));
        assert!(index.has_leftovers(), "nobody asked for the last ones");
    }

    #[test]
    fn a_file_touched_while_reading_began_is_not_remembered() {
        let cache = tempfile::tempdir().unwrap();
        let just_now = file("x", 10_000_000_000 - 1);
        let in_the_future = file("y", 11_000_000_001);
        store(
            cache.path(),
            &[(just_now.clone(), 1), (in_the_future.clone(), 2)],
        );
        assert_eq!(open(cache.path(), "a").take(&just_now), None);
        assert_eq!(open(cache.path(), "a").take(&in_the_future), None);
    }

    #[test]
    fn a_damaged_cache_is_the_same_as_none() {
        let cache = tempfile::tempdir().unwrap();
        store(cache.path(), &[(file("x", 5), 7)]);
        let stored = fs_err::read_dir(cache.path())
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let whole = fs_err::read(&stored).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x41;
            fs_err::write(&stored, &damaged).unwrap();
            let found = open(cache.path(), "a").take(&file("x", 5));
            assert_eq!(found, None, "byte {at}");
            fs_err::write(&stored, &whole[..at]).unwrap();
            let found = open(cache.path(), "a").take(&file("x", 5));
            assert_eq!(found, None, "cut at {at}");
        }
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_done_without() {
        let cache = tempfile::tempdir().unwrap();
        let blocked = cache.path().join("file");
        fs_err::write(&blocked, "").unwrap();
        store(&blocked, &[(file("x", 5), 7)]);
        assert_eq!(open(&blocked, "a").take(&file("x", 5)), None);
    }
}

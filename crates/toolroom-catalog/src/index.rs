//! A cache of what files said, so that a warm listing parses nothing.
//!
//! An entry counts only for the very file it was made from: same size, times and inode,
//! and only if the file was already at rest when it was read, so that an edit in the same
//! instant is never missed. The cache is never the answer to what one tool says, may be
//! deleted at any time, and a damaged one is the same as none.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::walk::Fingerprint;

/// Changes when the stored form does.
const FORMAT: u8 = 1;
/// How long a file must have been at rest; coarser than any clock a file system uses.
const REST_NANOS: i128 = 50_000_000;
/// File systems that keep whole seconds only need more.
const COARSE_REST_NANOS: i128 = 2_000_000_000;

#[derive(Debug, Serialize, Deserialize)]
struct Entry<T> {
    path: String,
    fingerprint: Fingerprint,
    value: T,
}

/// What is remembered of the files below one folder.
#[derive(Debug)]
pub struct Index<T> {
    file: Option<PathBuf>,
    identity: [u8; 32],
    known: HashMap<String, (Fingerprint, T)>,
}

impl<T: Serialize + DeserializeOwned> Index<T> {
    /// Opens the cache for a folder. `identity` is everything else the values depend on.
    #[must_use]
    pub fn open(cache: Option<&Path>, kind: &str, folder: &Path, identity: &str) -> Self {
        let name = Sha256::digest(folder.as_os_str().as_encoded_bytes());
        let name: String = name
            .iter()
            .take(12)
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let mut index = Self {
            file: cache.map(|cache| cache.join(format!("{name}.{kind}"))),
            identity: Sha256::digest(identity.as_bytes()).into(),
            known: HashMap::new(),
        };
        if let Some(entries) = index.load() {
            index.known = entries
                .into_iter()
                .map(|entry| (entry.path, (entry.fingerprint, entry.value)))
                .collect();
        }
        index
    }

    fn load(&self) -> Option<Vec<Entry<T>>> {
        let bytes = fs_err::read(self.file.as_ref()?).ok()?;
        let (head, payload) = bytes.split_at_checked(65)?;
        let same_format = head[0] == FORMAT && head[1..33] == self.identity;
        let undamaged = head[33..65] == *Sha256::digest(payload);
        if !same_format || !undamaged {
            return None;
        }
        postcard::from_bytes(payload).ok()
    }

    /// What is known of a file, if it is still the same file.
    pub fn take(&mut self, path: &str, fingerprint: Fingerprint) -> Option<T> {
        match self.known.remove(path) {
            Some((known, value)) if known == fingerprint => Some(value),
            _ => None,
        }
    }

    /// Whether files are remembered that nobody asked for any more.
    #[must_use]
    pub fn has_leftovers(&self) -> bool {
        !self.known.is_empty()
    }

    /// Remembers files for the next time, leaving out those that were not at rest when
    /// reading began. A cache that cannot be written is done without.
    pub fn store<'a>(
        &self,
        began: SystemTime,
        files: impl Iterator<Item = (&'a str, Fingerprint, T)>,
    ) where
        T: 'a,
    {
        let entries: Vec<Entry<T>> = files
            .filter(|(_, fingerprint, _)| was_at_rest(*fingerprint, began))
            .map(|(path, fingerprint, value)| Entry {
                path: path.to_owned(),
                fingerprint,
                value,
            })
            .collect();
        let Some(file) = &self.file else { return };
        let Ok(payload) = postcard::to_allocvec(&entries) else {
            return;
        };
        let mut bytes = Vec::with_capacity(payload.len() + 65);
        bytes.push(FORMAT);
        bytes.extend_from_slice(&self.identity);
        bytes.extend_from_slice(&Sha256::digest(&payload));
        bytes.extend_from_slice(&payload);
        let _ = write_atomically(file, &bytes);
    }
}

fn was_at_rest(fingerprint: Fingerprint, began: SystemTime) -> bool {
    let Ok(began) = began.duration_since(UNIX_EPOCH) else {
        return false;
    };
    let began = i128::try_from(began.as_nanos()).unwrap_or(i128::MAX);
    let last = fingerprint.changed.max(if fingerprint.changed == 0 {
        fingerprint.modified
    } else {
        fingerprint.changed
    });
    let rest = if last % 1_000_000_000 == 0 {
        COARSE_REST_NANOS
    } else {
        REST_NANOS
    };
    last + rest < began
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
    use std::time::Duration;

    use super::*;

    const AT: SystemTime = UNIX_EPOCH;

    fn print(changed: i128) -> Fingerprint {
        Fingerprint {
            size: 1,
            modified: 1,
            changed,
            inode: 1,
        }
    }

    fn open(cache: &Path, identity: &str) -> Index<u32> {
        Index::open(Some(cache), "test", Path::new("/p"), identity)
    }

    #[test]
    fn what_was_stored_is_known_for_the_same_file_only() {
        let cache = tempfile::tempdir().unwrap();
        let began = AT + Duration::from_secs(10);
        open(cache.path(), "a").store(began, [("x", print(5), 7)].into_iter());
        assert_eq!(open(cache.path(), "a").take("x", print(5)), Some(7));
        assert_eq!(open(cache.path(), "a").take("x", print(6)), None);
        assert_eq!(open(cache.path(), "b").take("x", print(5)), None);
    }

    #[test]
    fn a_file_touched_while_reading_began_is_not_remembered() {
        let cache = tempfile::tempdir().unwrap();
        let began = AT + Duration::from_secs(10);
        let just_now = print(10_000_000_000 - 1);
        let in_the_future = print(11_000_000_001);
        open(cache.path(), "a").store(
            began,
            [("x", just_now, 1), ("y", in_the_future, 2)].into_iter(),
        );
        assert_eq!(open(cache.path(), "a").take("x", just_now), None);
        assert_eq!(open(cache.path(), "a").take("y", in_the_future), None);
    }

    #[test]
    fn a_damaged_cache_is_the_same_as_none() {
        let cache = tempfile::tempdir().unwrap();
        let began = AT + Duration::from_secs(10);
        open(cache.path(), "a").store(began, [("x", print(5), 7)].into_iter());
        let file = fs_err::read_dir(cache.path())
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let whole = fs_err::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x41;
            fs_err::write(&file, &damaged).unwrap();
            assert_eq!(
                open(cache.path(), "a").take("x", print(5)),
                None,
                "byte {at}"
            );
            fs_err::write(&file, &whole[..at]).unwrap();
            assert_eq!(
                open(cache.path(), "a").take("x", print(5)),
                None,
                "cut at {at}"
            );
        }
    }

    #[test]
    fn a_cache_that_cannot_be_written_is_done_without() {
        let cache = tempfile::tempdir().unwrap();
        let blocked = cache.path().join("file");
        fs_err::write(&blocked, "").unwrap();
        open(&blocked, "a").store(
            AT + Duration::from_secs(10),
            [("x", print(5), 7)].into_iter(),
        );
        assert_eq!(open(&blocked, "a").take("x", print(5)), None);
    }
}

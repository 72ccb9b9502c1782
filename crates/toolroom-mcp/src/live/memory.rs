//! Remembers what the tools of a project say, so that a start need not read files that
//! have not changed. A hint only: what does not match to the last file is not used, and a
//! call reads its tool anew anyway.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use toolroom_catalog::seen::Seen;
use toolroom_kernel::World;

use crate::tools::book::Sources;

const VERSION: u32 = 4;
const LARGEST: u64 = 64 << 20;

#[derive(Serialize, Deserialize)]
struct Remembered<S> {
    version: u32,
    key: String,
    sources: S,
}

/// Where a world's tools are remembered, and for which files.
#[derive(Debug)]
pub struct Memory {
    file: PathBuf,
    key: String,
    is_at_rest: bool,
}

impl Memory {
    /// None where there is no place to remember anything in.
    #[must_use]
    pub fn of(world: &World, binary: &Path, files: &[Seen]) -> Option<Self> {
        let folder = world.directories.as_ref()?.cache.join("mcp");
        let name = hex(&[
            world.root().as_os_str().as_encoded_bytes(),
            world
                .user_space
                .as_deref()
                .unwrap_or(Path::new(""))
                .as_os_str()
                .as_encoded_bytes(),
        ]);
        Some(Self {
            file: folder.join(format!("{name}.json")),
            key: key(binary, files),
            is_at_rest: files
                .iter()
                .all(|file| file.fingerprint.was_at_rest(world.now)),
        })
    }

    /// What was remembered of exactly these files.
    #[must_use]
    pub fn recall(&self) -> Option<Sources> {
        let size = fs_err::metadata(&self.file).ok()?.len();
        if size > LARGEST {
            return None;
        }
        let text = fs_err::read(&self.file).ok()?;
        let remembered: Remembered<Sources> = serde_json::from_slice(&text).ok()?;
        let is_same = remembered.version == VERSION && remembered.key == self.key;
        is_same.then_some(remembered.sources)
    }

    /// Remembers; a failure to do so costs nothing but time.
    pub fn keep(&self, sources: &Sources) {
        if self.is_at_rest {
            let _ = self.write(sources);
        }
    }

    fn write(&self, sources: &Sources) -> std::io::Result<()> {
        let remembered = Remembered {
            version: VERSION,
            key: self.key.clone(),
            sources,
        };
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs_err::create_dir_all(folder)?;
        let mut beside = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(std::io::BufWriter::new(&mut beside), &remembered)?;
        beside.persist(&self.file)?;
        Ok(())
    }
}

/// Changes with any file, and with the binary, which brings its own data.
fn key(binary: &Path, files: &[Seen]) -> String {
    let mut hash = Sha256::new();
    let own = Seen::now(binary);
    for Seen { path, fingerprint } in own.iter().chain(files) {
        let path = path.as_os_str().as_encoded_bytes();
        hash.update((path.len() as u64).to_le_bytes());
        hash.update(path);
        hash.update(fingerprint.size.to_le_bytes());
        hash.update(fingerprint.modified.to_le_bytes());
        hash.update(fingerprint.changed.to_le_bytes());
        hash.update(fingerprint.inode.to_le_bytes());
    }
    text(&hash.finalize())
}

fn hex(parts: &[&[u8]]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    text(&hash.finalize())
}

fn text(digest: &[u8]) -> String {
    toolroom_kernel::hex(&digest[..16])
}

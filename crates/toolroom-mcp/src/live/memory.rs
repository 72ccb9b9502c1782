//! Remembers what the tools of a project say, so that a start need not read files that
//! have not changed. A hint only: what does not match to the last file is not used, and a
//! call reads its tool anew anyway.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use toolroom_kernel::model::{Space, Tool, ToolId};
use toolroom_kernel::{Position, World};

use super::edition::Seen;
use crate::tools::book::Sources;

const VERSION: u32 = 1;
const LARGEST: u64 = 64 << 20;
/// A file this young may still be written without its times telling.
pub(super) const AT_REST: Duration = Duration::from_millis(100);

#[derive(Serialize, Deserialize)]
struct Remembered {
    version: u32,
    key: String,
    tools: Vec<Stored>,
    remarks: Vec<String>,
    broken: Vec<PathBuf>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    id: ToolId,
    space: Space,
    path: PathBuf,
    metadata: Map<String, Value>,
    positions: BTreeMap<String, Position>,
    digest: String,
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
        let newest = files.iter().filter_map(|file| file.changed).max();
        Some(Self {
            file: folder.join(format!("{name}.json")),
            key: key(binary, files),
            is_at_rest: newest.is_none_or(|newest| newest + AT_REST < world.now),
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
        let remembered: Remembered = serde_json::from_slice(&text).ok()?;
        if remembered.version != VERSION || remembered.key != self.key {
            return None;
        }
        let tools = remembered.tools.into_iter().map(|stored| Tool {
            id: stored.id,
            space: stored.space,
            path: stored.path,
            metadata: stored.metadata,
            positions: stored.positions,
            digest: stored.digest,
        });
        Some(Sources {
            tools: tools.collect(),
            remarks: remembered.remarks,
            broken: remembered.broken,
        })
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
            tools: sources.tools.iter().map(stored).collect(),
            remarks: sources.remarks.clone(),
            broken: sources.broken.clone(),
        };
        let folder = self.file.parent().unwrap_or(Path::new("."));
        fs_err::create_dir_all(folder)?;
        let mut beside = tempfile::NamedTempFile::new_in(folder)?;
        serde_json::to_writer(std::io::BufWriter::new(&mut beside), &remembered)?;
        beside.persist(&self.file)?;
        Ok(())
    }
}

fn stored(tool: &Tool) -> Stored {
    Stored {
        id: tool.id.clone(),
        space: tool.space,
        path: tool.path.clone(),
        metadata: tool.metadata.clone(),
        positions: tool.positions.clone(),
        digest: tool.digest.clone(),
    }
}

/// Changes with any file, and with the binary, which brings its own data.
fn key(binary: &Path, files: &[Seen]) -> String {
    let mut hash = Sha256::new();
    let mut number = |time: Option<SystemTime>| {
        let since = time.and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
        hash.update(since.map_or(0, |since| since.as_nanos()).to_le_bytes());
    };
    let own = fs_err::metadata(binary).ok();
    number(own.as_ref().and_then(|own| own.modified().ok()));
    for file in files {
        number(file.modified);
        number(file.changed);
    }
    hash.update(own.map_or(0, |own| own.len()).to_le_bytes());
    for file in files {
        let path = file.path.as_os_str().as_encoded_bytes();
        hash.update((path.len() as u64).to_le_bytes());
        hash.update(path);
        hash.update(file.size.to_le_bytes());
        hash.update(file.inode.to_le_bytes());
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

//! Results too long for a model, kept as files that a client can read as resources.

use std::collections::VecDeque;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use rmcp::model::Resource;
use sha2::{Digest as _, Sha256};

const SCHEME: &str = "toolroom://output/";
/// How many are kept; the oldest go first.
const MOST: usize = 64;
const LARGEST: usize = 64 << 20;

/// The long results of this process.
#[derive(Debug)]
pub struct Outputs {
    folder: Option<PathBuf>,
    kept: Mutex<VecDeque<(String, PathBuf)>>,
}

impl Outputs {
    /// Files go into this folder, which is made when the first one is written.
    #[must_use]
    pub const fn new(folder: Option<PathBuf>) -> Self {
        Self {
            folder,
            kept: Mutex::new(VecDeque::new()),
        }
    }

    /// Keeps a text and gives the link to it; none if there is no place for it.
    #[must_use]
    pub fn keep(&self, text: &str) -> Option<Resource> {
        let folder = self.folder.as_ref().filter(|_| text.len() <= LARGEST)?;
        let digest = Sha256::digest(text.as_bytes());
        let name = toolroom_kernel::hex(&digest[..16]);
        let path = folder.join(format!("result-{}-{name}.txt", std::process::id()));
        write(folder, &path, text).ok()?;
        let uri = format!("{SCHEME}{name}");
        let mut kept = self.kept.lock().ok()?;
        kept.retain(|(known, _)| *known != uri);
        kept.push_back((uri.clone(), path));
        if kept.len() > MOST
            && let Some((_, oldest)) = kept.pop_front()
        {
            let _ = fs_err::remove_file(oldest);
        }
        let link = Resource::new(uri, "the whole output").with_mime_type("text/plain");
        Some(link.with_size(text.len() as u64))
    }

    /// The text behind a link, if it is one of ours.
    #[must_use]
    pub fn read(&self, uri: &str) -> Option<String> {
        let path = {
            let kept = self.kept.lock().ok()?;
            kept.iter().find(|(known, _)| known == uri)?.1.clone()
        };
        fs_err::read_to_string(path).ok()
    }
}

/// Writes a file that nobody else may read: results may hold anything.
fn write(folder: &Path, path: &Path, text: &str) -> std::io::Result<()> {
    fs_err::create_dir_all(folder)?;
    let mut beside = tempfile::NamedTempFile::new_in(folder)?;
    beside.write_all(text.as_bytes())?;
    beside.persist(path).map_err(|error| error.error)?;
    Ok(())
}

impl Drop for Outputs {
    fn drop(&mut self) {
        let Ok(kept) = self.kept.get_mut() else {
            return;
        };
        for (_, path) in kept.drain(..) {
            let _ = fs_err::remove_file(path);
        }
    }
}

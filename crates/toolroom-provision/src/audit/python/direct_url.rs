//! `direct_url.json` (PEP 610): where a distribution came from, when not from an index.

use std::io::Read;
use std::path::Path;

use serde::Deserialize;

use crate::requirement::SourceUrl;
use crate::requirement::source::{repository, without_user};

const MAX_BYTES: u64 = 64 << 10;

/// The recorded source of an installed distribution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DirectUrl {
    source: SourceUrl,
    editable: bool,
    /// The exact revision that was checked out.
    commit: Option<String>,
    /// Every digest of the archive, as `algorithm=hex`.
    hashes: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    url: String,
    subdirectory: Option<String>,
    dir_info: Option<DirInfo>,
    vcs_info: Option<VcsInfo>,
    archive_info: Option<ArchiveInfo>,
}

#[derive(Deserialize)]
struct DirInfo {
    #[serde(default)]
    editable: bool,
}

#[derive(Deserialize)]
struct VcsInfo {
    vcs: String,
    requested_revision: Option<String>,
    commit_id: Option<String>,
}

#[derive(Deserialize)]
struct ArchiveInfo {
    hash: Option<String>,
    #[serde(default)]
    hashes: std::collections::BTreeMap<String, String>,
}

impl DirectUrl {
    /// A project developed in place.
    pub fn editable(directory: &Path) -> Self {
        Self {
            source: SourceUrl::parse(&directory.display().to_string(), Path::new("/")),
            editable: true,
            commit: None,
            hashes: Vec::new(),
        }
    }

    /// Reads the record; one that cannot be understood is the same as none.
    pub fn read(path: &Path) -> Option<Self> {
        let mut bytes = Vec::new();
        let file = fs_err::File::open(path).ok()?;
        file.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        serde_json::from_slice(&bytes).ok().map(Self::from_file)
    }

    fn from_file(file: File) -> Self {
        let (mut commit, mut hashes) = (None, Vec::new());
        let source = if let Some(vcs) = file.vcs_info {
            commit = vcs.commit_id;
            SourceUrl::Vcs {
                system: vcs.vcs,
                url: repository(&without_user(&file.url)),
                revision: vcs.requested_revision,
                subdirectory: file.subdirectory,
            }
        } else {
            match SourceUrl::parse(&file.url, Path::new("/")) {
                SourceUrl::Archive { url, hash, .. } => SourceUrl::Archive {
                    url,
                    hash,
                    subdirectory: file.subdirectory,
                },
                other => other,
            }
        };
        if let Some(archive) = file.archive_info {
            hashes = archive
                .hashes
                .iter()
                .map(|(name, hex)| format!("{name}={hex}"))
                .collect();
            hashes.extend(archive.hash);
        }
        Self {
            source,
            editable: file.dir_info.is_some_and(|info| info.editable),
            commit,
            hashes,
        }
    }

    /// Whether a requirement on a source is met by what is installed; the error says how not.
    pub fn meets(&self, wanted: &SourceUrl, editable: bool) -> Result<(), String> {
        if !self.is_same_place(wanted) {
            return Err(self.source.to_string());
        }
        match (editable, self.editable) {
            (true, false) => Err(format!("{} (not editable)", self.source)),
            (false, true) if wanted.path().is_some() => Err(format!("{} (editable)", self.source)),
            _ => Ok(()),
        }
    }

    fn is_same_place(&self, wanted: &SourceUrl) -> bool {
        match (&self.source, wanted) {
            (SourceUrl::Local { path: installed }, SourceUrl::Local { path: wanted }) => {
                let real = |path: &Path| fs_err::canonicalize(path).ok();
                installed == wanted || real(installed).is_some_and(|at| Some(at) == real(wanted))
            }
            (
                SourceUrl::Vcs {
                    system,
                    url,
                    revision,
                    subdirectory,
                },
                SourceUrl::Vcs {
                    system: wanted_system,
                    url: wanted_url,
                    revision: wanted_revision,
                    subdirectory: wanted_subdirectory,
                },
            ) => {
                system == wanted_system
                    && url == wanted_url
                    && subdirectory == wanted_subdirectory
                    && (revision == wanted_revision || self.is_commit(wanted_revision.as_deref()))
            }
            (
                SourceUrl::Archive {
                    url, subdirectory, ..
                },
                SourceUrl::Archive {
                    url: wanted_url,
                    hash,
                    subdirectory: wanted_subdirectory,
                },
            ) => {
                let hash_fits = match hash {
                    Some(hash) => self.hashes.is_empty() || self.hashes.contains(hash),
                    None => true,
                };
                url == wanted_url && subdirectory == wanted_subdirectory && hash_fits
            }
            _ => false,
        }
    }

    fn is_commit(&self, revision: Option<&str>) -> bool {
        match (revision, self.commit.as_deref()) {
            (Some(revision), Some(commit)) => revision.len() >= 7 && commit.starts_with(revision),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_source_is_met_by_the_same_place_only() {
        let git = json!({"url": "https://host/a/b.git", "vcs_info":
            {"vcs": "git", "requested_revision": "main", "commit_id": "0123456789abcdef"}});
        let wheel =
            json!({"url": "https://host/x.whl", "archive_info": {"hashes": {"sha256": "aa"}}});
        let folder = json!({"url": "file:///srv/lib", "dir_info": {"editable": true}});
        let plain = json!({"url": "file:///srv/lib", "dir_info": {}});
        let cases = [
            (&git, "git+https://t@host/a/b@main", false, true),
            (&git, "git+https://host/a/b.git@0123456", false, true),
            (&git, "git+https://host/a/b.git", false, false),
            (&git, "git+https://host/a/c.git@main", false, false),
            (&wheel, "https://host/x.whl", false, true),
            (&wheel, "https://host/x.whl#sha256=aa", false, true),
            (&wheel, "https://host/x.whl#sha256=bb", false, false),
            (&folder, "/srv/lib", true, true),
            (&folder, "/srv/lib", false, false),
            (&folder, "/srv/other", true, false),
            (&plain, "/srv/lib", true, false),
            (&plain, "/srv/lib", false, true),
            (&plain, "https://host/x.whl", false, false),
        ];
        for (record, wanted, editable, expected) in cases {
            let record = DirectUrl::from_file(serde_json::from_value(record.clone()).unwrap());
            let wanted = SourceUrl::parse(wanted, Path::new("/"));
            assert_eq!(
                record.meets(&wanted, editable).is_ok(),
                expected,
                "{wanted} {editable}"
            );
        }
    }
}

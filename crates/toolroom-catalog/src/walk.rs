//! Walks a space's `tools` folder: every file that could be a tool, in a fixed order,
//! with what tells whether it changed.
//!
//! Links are followed inside the space and never out of it, loops end, and a bounded
//! number of files is looked at, however the tree is made.

use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use toolroom_kernel::model::ToolId;

use crate::extract::registry::Extractors;
use crate::problem::{Problem, ProblemKind};

const MAX_DEPTH: usize = 32;
const MAX_FILES: usize = 100_000;

/// What changes when a file does. Compared for equality only, so clocks may jump.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprint {
    pub size: u64,
    /// Nanoseconds since 1970, of content and of the file's record.
    pub modified: i128,
    pub changed: i128,
    pub inode: u64,
}

impl Fingerprint {
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        let modified =
            metadata
                .modified()
                .ok()
                .map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
                    Ok(after) => i128::try_from(after.as_nanos()).unwrap_or(i128::MAX),
                    Err(before) => {
                        -i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX)
                    }
                });
        let (changed, inode) = record_of(metadata);
        Self {
            size: metadata.len(),
            modified,
            changed,
            inode,
        }
    }
}

#[cfg(unix)]
fn record_of(metadata: &Metadata) -> (i128, u64) {
    use std::os::unix::fs::MetadataExt;
    let changed = i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec());
    (changed, metadata.ino())
}

#[cfg(not(unix))]
fn record_of(_metadata: &Metadata) -> (i128, u64) {
    (0, 0)
}

/// A file that may be a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFile {
    pub id: ToolId,
    pub path: PathBuf,
    /// With its dot.
    pub extension: String,
    pub fingerprint: Fingerprint,
}

/// Everything found below one `tools` folder, ordered by id and then by extension.
#[derive(Debug, Default)]
pub struct Walk {
    pub files: Vec<ToolFile>,
    pub problems: Vec<Problem>,
}

/// Walks a `tools` folder. A folder that does not exist has no tools.
#[must_use]
pub fn walk(tools: &Path, extractors: &Extractors) -> Walk {
    let mut walker = Walker {
        root: None,
        tools,
        extractors,
        found: Walk::default(),
        full: false,
    };
    walker.folder(tools, "", &mut Vec::new());
    let mut found = walker.found;
    found
        .files
        .sort_by(|a, b| a.id.cmp(&b.id).then_with(|| a.extension.cmp(&b.extension)));
    found
}

struct Walker<'a> {
    /// The canonical root, computed when the first link is met.
    root: Option<PathBuf>,
    tools: &'a Path,
    extractors: &'a Extractors,
    found: Walk,
    full: bool,
}

impl Walker<'_> {
    /// `above` holds the real paths of linked folders on the way down, to end loops.
    fn folder(&mut self, folder: &Path, prefix: &str, above: &mut Vec<PathBuf>) {
        #[expect(clippy::disallowed_methods, reason = "the problem names the folder")]
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => return self.problem(ProblemKind::Unreadable, folder, error.to_string()),
        };
        let mut names: Vec<_> = entries.flatten().collect();
        names.sort_by_key(std::fs::DirEntry::file_name);
        for entry in names {
            if self.full {
                return;
            }
            self.entry(&entry, prefix, above);
        }
    }

    fn entry(&mut self, entry: &std::fs::DirEntry, prefix: &str, above: &mut Vec<PathBuf>) {
        let path = entry.path();
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            let message = "the file name is not UTF-8";
            return self.problem(ProblemKind::InvalidId, &path, message.to_owned());
        };
        if name.starts_with(['.', '_']) || self.extractors.skips(name) {
            return;
        }
        let Ok(kind) = entry.file_type() else {
            return;
        };
        if kind.is_dir() {
            self.subfolder(&path, name, prefix, above);
        } else if kind.is_symlink() {
            self.link(&path, name, prefix, above);
        } else if kind.is_file() && self.is_read(name) {
            match entry.metadata() {
                Ok(metadata) => self.file(path, name, prefix, &metadata),
                Err(error) => self.problem(ProblemKind::Unreadable, &path, error.to_string()),
            }
        }
    }

    fn subfolder(&mut self, path: &Path, name: &str, prefix: &str, above: &mut Vec<PathBuf>) {
        if prefix.matches('/').count() >= MAX_DEPTH {
            let message = format!("the folder lies more than {MAX_DEPTH} levels deep");
            return self.problem(ProblemKind::TooMany, path, message);
        }
        self.folder(path, &format!("{prefix}{name}/"), above);
    }

    fn link(&mut self, path: &Path, name: &str, prefix: &str, above: &mut Vec<PathBuf>) {
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(_) if !self.is_read(name) => return,
            Err(error) => {
                let message = format!("the link leads nowhere: {error}");
                return self.problem(ProblemKind::Unreadable, path, message);
            }
        };
        let is_folder = real.is_dir();
        if !is_folder && !self.is_read(name) {
            return;
        }
        if !real.starts_with(self.real_root()) {
            let target = real.display();
            let message = format!("the link leads out of its space, to {target}");
            return self.problem(ProblemKind::LeavesSpace, path, message);
        }
        if is_folder {
            let loops = path.ancestors().skip(1).any(|folder| {
                folder.starts_with(self.tools)
                    && folder.canonicalize().is_ok_and(|folder| folder == real)
            });
            if loops || above.contains(&real) {
                return;
            }
            above.push(real);
            self.subfolder(path, name, prefix, above);
            above.pop();
        } else if let Ok(metadata) = path.metadata() {
            self.file(path.to_path_buf(), name, prefix, &metadata);
        }
    }

    fn file(&mut self, path: PathBuf, name: &str, prefix: &str, metadata: &Metadata) {
        if self.found.files.len() >= MAX_FILES {
            self.full = true;
            let message =
                format!("the space has more than {MAX_FILES} tools; the rest is left out");
            let tools = self.tools.to_path_buf();
            return self.problem(ProblemKind::TooMany, &tools, message);
        }
        let Some((stem, extension)) = split_extension(name) else {
            return;
        };
        match ToolId::parse(&format!("{prefix}{stem}")) {
            Ok(id) => self.found.files.push(ToolFile {
                id,
                path,
                extension: extension.to_owned(),
                fingerprint: Fingerprint::of(metadata),
            }),
            Err(error) => self.problem(ProblemKind::InvalidId, &path, error.to_string()),
        }
    }

    fn is_read(&self, name: &str) -> bool {
        split_extension(name).is_some_and(|(_, extension)| self.extractors.reads(extension))
    }

    fn real_root(&mut self) -> &Path {
        let tools = self.tools;
        self.root
            .get_or_insert_with(|| tools.canonicalize().unwrap_or_else(|_| tools.to_path_buf()))
    }

    fn problem(&mut self, kind: ProblemKind, path: &Path, message: String) {
        self.found.problems.push(Problem::new(kind, path, message));
    }
}

/// `fetch.py` is `fetch` and `.py`.
#[must_use]
pub fn split_extension(name: &str) -> Option<(&str, &str)> {
    let dot = name.rfind('.').filter(|dot| *dot > 0)?;
    Some(name.split_at(dot))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(root: &Path) -> Vec<String> {
        let found = walk(root, &Extractors::core());
        found.files.iter().map(|file| file.id.to_string()).collect()
    }

    fn write(root: &Path, path: &str) {
        let file = root.join(path);
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        fs_err::write(file, "").unwrap();
    }

    #[test]
    fn files_are_listed_by_id_whatever_the_disk_order() {
        let root = tempfile::tempdir().unwrap();
        for path in ["z.py", "a/y.sh", "a.py", "a/b.py", "m.js"] {
            write(root.path(), path);
        }
        assert_eq!(ids(root.path()), ["a", "a/b", "a/y", "m", "z"]);
    }

    #[test]
    fn hidden_private_and_foreign_files_are_no_tools() {
        let root = tempfile::tempdir().unwrap();
        for path in [
            ".hidden.py",
            "_private.py",
            "__init__.py",
            "README.md",
            "noext",
            "node_modules/x.js",
            "__pycache__/x.py",
            ".git/x.py",
            "tool.py",
        ] {
            write(root.path(), path);
        }
        assert_eq!(ids(root.path()), ["tool"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_inside_the_space_and_never_out_of_it() {
        use std::os::unix::fs::symlink;
        let outside = tempfile::tempdir().unwrap();
        write(outside.path(), "secret.py");
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "real/tool.py");
        symlink(root.path().join("real"), root.path().join("alias")).unwrap();
        symlink(root.path().join("real/tool.py"), root.path().join("one.py")).unwrap();
        symlink(outside.path(), root.path().join("out")).unwrap();
        symlink(
            outside.path().join("secret.py"),
            root.path().join("leak.py"),
        )
        .unwrap();
        symlink(root.path().join("gone.py"), root.path().join("dangling.py")).unwrap();
        let found = walk(root.path(), &Extractors::core());
        assert_eq!(ids(root.path()), ["alias/tool", "one", "real/tool"]);
        let mut codes: Vec<_> = found
            .problems
            .iter()
            .map(|problem| problem.kind.code())
            .collect();
        codes.sort_unstable();
        assert_eq!(
            codes,
            [
                "catalog::leaves_space",
                "catalog::leaves_space",
                "catalog::unreadable"
            ]
        );
    }

    #[cfg(unix)]
    #[test]
    fn loops_of_links_end() {
        use std::os::unix::fs::symlink;
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "a/tool.py");
        write(root.path(), "b/tool.py");
        symlink(root.path(), root.path().join("a/up")).unwrap();
        symlink(root.path().join("b"), root.path().join("a/to_b")).unwrap();
        symlink(root.path().join("a"), root.path().join("b/to_a")).unwrap();
        let found = ids(root.path());
        assert!(found.contains(&"a/to_b/tool".to_owned()), "{found:?}");
        assert!(found.len() < 20, "{found:?}");
    }
}

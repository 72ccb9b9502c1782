//! Walks a space's `tools` folder: every file that could be a tool, in a fixed order,
//! with what tells whether it changed.
//!
//! Links are followed inside the space and never out of it, loops end, and a bounded
//! number of files is looked at, however the tree is made.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use toolroom_kernel::Explain as _;
use toolroom_kernel::model::ToolId;
use toolroom_kernel::plain::Links;

use crate::bystander::is_bystander;
use crate::extract::registry::Extractors;
use crate::fingerprint::Fingerprint;
use crate::folder::{Entry, Folder, Kind};
use crate::problem::{Problem, ProblemKind};
use crate::read;

const MAX_DEPTH: usize = 32;
const MAX_FILES: usize = 100_000;
/// A file that may be a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFile<'e> {
    pub id: ToolId,
    pub path: PathBuf,
    /// What may be there in place of the file: a link only if one was there.
    pub links: Links,
    /// With its dot; one of those that are read.
    pub extension: &'e str,
    pub fingerprint: Fingerprint,
}

/// Everything found below one `tools` folder, ordered by id and then by extension.
#[derive(Debug, Default)]
pub struct Walk<'e> {
    pub files: Vec<ToolFile<'e>>,
    pub problems: Vec<Problem>,
}

impl Walk<'_> {
    /// Whether there is a file of this id.
    #[must_use]
    pub fn has(&self, id: &ToolId) -> bool {
        self.files.binary_search_by(|file| file.id.cmp(id)).is_ok()
    }
}

/// Walks a `tools` folder. A folder that does not exist has no tools.
#[must_use]
pub fn walk<'e>(tools: &Path, extractors: &'e Extractors) -> Walk<'e> {
    let mut walker = Walker {
        root: None,
        tools,
        extractors,
        extension: "",
        found: Walk::default(),
        full: false,
    };
    walker.folder(tools, "", &mut Vec::new());
    let mut found = walker.found;
    let is_told = |problem: &Problem| !is_bystander(&problem.path, extractors);
    found.problems.retain(is_told);
    found
        .files
        .sort_by(|a, b| a.id.cmp(&b.id).then_with(|| a.extension.cmp(b.extension)));
    found
}

struct Walker<'a, 'e> {
    /// The canonical root, computed when the first link is met.
    root: Option<PathBuf>,
    tools: &'a Path,
    extractors: &'e Extractors,
    /// The last one met that is read.
    extension: &'e str,
    found: Walk<'e>,
    full: bool,
}

impl<'e> Walker<'_, 'e> {
    /// `above` holds the real paths of linked folders on the way down, to end loops.
    fn folder(&mut self, folder: &Path, prefix: &str, above: &mut Vec<PathBuf>) {
        let found = match Folder::open(folder) {
            Ok(found) => found,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => return self.found.problems.push(read::unreadable(folder, &error)),
        };
        let place = Place {
            folder: &folder.join(""),
            prefix,
        };
        for entry in found.entries() {
            if self.full {
                return;
            }
            match entry.name().to_str() {
                Some(name) if name.starts_with(['.', '_']) => {}
                Some(name) => self.entry(&entry, name, place, above),
                None => self.found.problems.push(
                    Problem::new(
                        ProblemKind::InvalidId,
                        place.path(entry.name()),
                        "the file name is not UTF-8",
                    )
                    .help("rename the file"),
                ),
            }
        }
    }

    fn entry(&mut self, entry: &Entry<'_>, name: &str, place: Place<'_>, above: &mut Vec<PathBuf>) {
        let Some(kind) = entry.kind() else {
            return;
        };
        let path = || place.path(entry.name());
        match kind {
            Kind::File => {
                let Some((stem, extension)) = self.parts(name) else {
                    return;
                };
                match entry.fingerprint() {
                    Ok(fingerprint) => {
                        let id = [place.prefix, stem].concat();
                        self.file(path(), Links::Refused, id, extension, fingerprint);
                    }
                    Err(error) => self.found.problems.push(read::unreadable(&path(), &error)),
                }
            }
            _ if self.extractors.skips(name) => {}
            Kind::Folder => self.subfolder(&path(), name, place.prefix, above),
            Kind::Link => self.link(&path(), name, place.prefix, above),
            Kind::Other => {
                if self.parts(name).is_some() {
                    self.found.problems.push(read::not_a_file(&path()));
                }
            }
        }
    }

    fn subfolder(&mut self, path: &Path, name: &str, prefix: &str, above: &mut Vec<PathBuf>) {
        if prefix.matches('/').count() >= MAX_DEPTH {
            let message = format!("the folder lies more than {MAX_DEPTH} levels deep");
            let help = "move it further up: nothing in it is looked at";
            let problem = Problem::new(ProblemKind::TooMany, path, message).help(help);
            return self.found.problems.push(problem);
        }
        self.folder(path, &format!("{prefix}{name}/"), above);
    }

    fn link(&mut self, path: &Path, name: &str, prefix: &str, above: &mut Vec<PathBuf>) {
        let parts = self.parts(name);
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(_) if parts.is_none() => return,
            Err(error) => {
                let message = format!("the link leads nowhere: {}", read::plain(&error));
                let problem = Problem::new(ProblemKind::Unreadable, path, message)
                    .help("point the link at a file of this space, or remove it");
                return self.found.problems.push(problem);
            }
        };
        let is_folder = real.is_dir();
        if !is_folder && parts.is_none() {
            return;
        }
        if !real.starts_with(self.real_root()) {
            return self.found.problems.push(leaves_space(path, &real));
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
        } else if let (Some((stem, extension)), Ok(metadata)) = (parts, path.metadata()) {
            if metadata.is_file() {
                let id = [prefix, stem].concat();
                let fingerprint = Fingerprint::of(&metadata);
                self.file(
                    path.to_path_buf(),
                    Links::Followed,
                    id,
                    extension,
                    fingerprint,
                );
            } else {
                self.found.problems.push(read::not_a_file(path));
            }
        }
    }

    fn file(
        &mut self,
        path: PathBuf,
        links: Links,
        id: String,
        extension: &'e str,
        fingerprint: Fingerprint,
    ) {
        if self.found.files.len() >= MAX_FILES {
            self.full = true;
            let message =
                format!("the space has more than {MAX_FILES} tools; the rest is left out");
            let problem = Problem::new(ProblemKind::TooMany, self.tools, message)
                .help("keep files that are no tools outside tools/");
            return self.found.problems.push(problem);
        }
        match ToolId::try_from(id) {
            Ok(id) => self.found.files.push(ToolFile {
                id,
                path,
                links,
                extension,
                fingerprint,
            }),
            Err(error) => {
                let help = error.help().unwrap_or_default();
                let problem = Problem::new(ProblemKind::InvalidId, path, error.to_string());
                self.found.problems.push(problem.help(help));
            }
        }
    }

    /// A file's name in two, if files of that extension are read.
    fn parts<'n>(&mut self, name: &'n str) -> Option<(&'n str, &'e str)> {
        let (stem, extension) = split_extension(name)?;
        // Most files of a space are of one kind.
        if extension != self.extension {
            self.extension = self.extractors.known(extension)?;
        }
        Some((stem, self.extension))
    }

    fn real_root(&mut self) -> &Path {
        let tools = self.tools;
        self.root
            .get_or_insert_with(|| tools.canonicalize().unwrap_or_else(|_| tools.to_path_buf()))
    }
}

/// Where in the tree a walk is.
#[derive(Clone, Copy)]
struct Place<'p> {
    /// With the separator behind it.
    folder: &'p Path,
    /// What ids of tools in the folder begin with.
    prefix: &'p str,
}

impl Place<'_> {
    /// `Path::join` for plain names, in one allocation: there may be many files.
    fn path(&self, name: &OsStr) -> PathBuf {
        let folder = self.folder.as_os_str();
        let mut path = OsString::with_capacity(folder.len() + name.len());
        path.push(folder);
        path.push(name);
        path.into()
    }
}

/// A link of a space that leads to `target`, outside it.
pub(crate) fn leaves_space(path: &Path, target: &Path) -> Problem {
    let target = target.display();
    let message = format!("the link leads out of its space, to {target}");
    Problem::new(ProblemKind::LeavesSpace, path, message)
        .help("copy the file into the space: what lies elsewhere is not taken for a tool")
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
        let extractors = Extractors::core();
        let found = walk(root, &extractors);
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
        let extractors = Extractors::core();
        let found = walk(root.path(), &extractors);
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

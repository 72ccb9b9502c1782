//! Looking names up on PATH, with shims seen through.
//!
//! PATH is the world's, never the process's. Empty entries, which a shell takes for the
//! working directory, are passed over.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::error::ResolveError;
use super::facts::Filled;
use super::files::{Spot, join};
use super::range::Range;
use super::search::{Found, Search, Step, Trace};
use super::texts::Texts;
use super::version::Version;
use crate::model::Environ;
use crate::world::{Os, World};

const MAX_DIRECTORIES: usize = 512;

/// The directories of an environment's PATH, each once.
fn directories(env: &Environ, cwd: &Path) -> Vec<PathBuf> {
    let mut directories: Vec<PathBuf> = Vec::new();
    let path = env.get_os("PATH").unwrap_or_default();
    for directory in std::env::split_paths(path).take(MAX_DIRECTORIES) {
        if directory.as_os_str().is_empty() {
            continue;
        }
        let directory = join(cwd, &directory);
        if !directories.contains(&directory) {
            directories.push(directory);
        }
    }
    directories
}

/// The file names a command may have.
fn file_names(name: &OsStr, env: &Environ, os: Os) -> Vec<OsString> {
    if os != Os::Windows || Path::new(name).extension().is_some() {
        return vec![name.to_owned()];
    }
    let extensions = env.get("PATHEXT").unwrap_or(".COM;.EXE;.BAT;.CMD");
    let extensions = extensions
        .split(';')
        .filter(|extension| !extension.is_empty());
    extensions
        .map(|extension| {
            let mut file = name.to_owned();
            file.push(extension.to_lowercase());
            file
        })
        .collect()
}

/// Whether a word is a path, and no name to look up.
fn is_path(word: &OsStr) -> bool {
    let is_separator = |byte: &u8| std::path::is_separator(char::from(*byte));
    word.as_encoded_bytes().iter().any(is_separator) || Path::new(word).components().count() > 1
}

impl World {
    /// The program that somebody means who types this: a path, or a name on PATH. It is
    /// what a shell would start, except that an empty entry of PATH stands for nothing.
    pub fn which(&self, name: impl AsRef<OsStr>) -> Option<PathBuf> {
        self.which_in(&self.env, name)
    }

    /// As [`World::which`], with the PATH of another environment.
    pub fn which_in(&self, env: &Environ, name: impl AsRef<OsStr>) -> Option<PathBuf> {
        let mut files = self.meant(env, name.as_ref()).into_iter();
        files.find(|file| Spot::of(file) == Spot::Executable)
    }

    /// What [`World::which_in`] passes over though it is there: a file that may not be
    /// executed, or a directory that is named by its path.
    pub fn unfit_in(&self, env: &Environ, name: impl AsRef<OsStr>) -> Option<PathBuf> {
        let name = name.as_ref();
        let is_path = is_path(name);
        let mut files = self.meant(env, name).into_iter();
        files.find(|file| match Spot::of(file) {
            Spot::NotExecutable => true,
            Spot::Directory => is_path,
            _ => false,
        })
    }

    /// Every file a word may stand for, in the order they are looked at.
    fn meant(&self, env: &Environ, name: &OsStr) -> Vec<PathBuf> {
        let directories = match is_path(name) {
            _ if name.is_empty() => return Vec::new(),
            false => directories(env, &self.cwd),
            true => vec![self.cwd.clone()],
        };
        let names = file_names(name, env, self.os);
        let files = directories.iter().flat_map(|directory| {
            names
                .iter()
                .map(move |name| join(directory, Path::new(name)))
        });
        files.collect()
    }
}

impl Search<'_> {
    pub(super) fn which(
        &self,
        place: &str,
        names: &Texts,
        trace: &mut Trace,
    ) -> Result<Step, ResolveError> {
        let world = self.facts.world;
        let directories = directories(&world.env, &world.cwd);
        let mut looked_up = Vec::new();
        for text in names.on(world.os) {
            let Some(name) = self.command(text)? else {
                continue;
            };
            if name.contains(std::path::is_separator) {
                let file = join(world.root(), Path::new(&name));
                let step = self.file(place, &file, trace)?;
                if matches!(step, Step::Next) {
                    trace.named_unfit(&file);
                }
                return Ok(step);
            }
            match self.on_path(place, &name, &directories, trace)? {
                Step::Next => looked_up.push(name),
                step => return Ok(step),
            }
        }
        let reason = match (looked_up.is_empty(), directories.is_empty()) {
            (true, _) => "no name to look up is given",
            (false, true) => "PATH is empty",
            (false, false) => "no directory of PATH has one that will do",
        };
        let shown = match looked_up.is_empty() {
            true => names.on(world.os).join(", "),
            false => looked_up.join(", "),
        };
        Ok(trace.absent(place, format_args!("{shown} on PATH"), reason))
    }

    /// A name to look up; one that speaks of the wanted version needs one.
    pub(super) fn command(&self, text: &str) -> Result<Option<String>, ResolveError> {
        let filled = if text.contains("{wanted}") {
            let asked = self.asked()?;
            let wanted = asked.and_then(|asked| short_version(asked.wanted.texts.first()?));
            let mut facts = self.facts.clone();
            facts.set("wanted", wanted);
            facts
                .fill(text)
                .map_err(|error| self.bad_template(&error))?
        } else {
            self.fill(text)?
        };
        match filled {
            Filled::Text(name) if !name.is_empty() => Ok(Some(name)),
            Filled::Text(_) | Filled::Lacking(_) => Ok(None),
        }
    }

    fn on_path(
        &self,
        place: &str,
        name: &str,
        directories: &[PathBuf],
        trace: &mut Trace,
    ) -> Result<Step, ResolveError> {
        let world = self.facts.world;
        let names = file_names(OsStr::new(name), &world.env, world.os);
        let mut is_first = true;
        for directory in directories {
            for file in names.iter().map(|name| directory.join(name)) {
                match Spot::of(&file) {
                    Spot::Absent => continue,
                    Spot::Executable => {}
                    spot => {
                        trace.unfit(place, &file, spot);
                        continue;
                    }
                }
                let hit = Hit {
                    place,
                    name,
                    directory,
                    file: &file,
                };
                match self.hit(&hit, is_first, trace)? {
                    Step::Found(found) => return Ok(Step::Found(found)),
                    Step::Next | Step::Broken { .. } => is_first = false,
                }
            }
        }
        Ok(Step::Next)
    }

    fn hit(&self, hit: &Hit<'_>, is_first: bool, trace: &mut Trace) -> Result<Step, ResolveError> {
        if let Some(shim) = self.shim_at(hit)? {
            return self.see_through(shim, hit, trace);
        }
        Ok(match self.checked(hit.place, hit.file, trace)? {
            Err(reason) => trace.rejected(hit.place, hit.file.display(), reason),
            Ok(found) => {
                let on_path = is_first;
                trace.chosen(Found { on_path, ..found }, "the first on PATH that will do")
            }
        })
    }
}

/// An executable found on PATH.
#[derive(Debug)]
pub(super) struct Hit<'h> {
    pub(super) place: &'h str,
    pub(super) name: &'h str,
    pub(super) directory: &'h Path,
    pub(super) file: &'h Path,
}

/// The first two numbers of a plain version, as executables bear them in their names.
fn short_version(text: &str) -> Option<String> {
    Range::parse(text)?;
    let version = Version::parse(text)?;
    let numbers: Vec<_> = version
        .release()
        .iter()
        .take(2)
        .map(u64::to_string)
        .collect();
    Some(numbers.join("."))
}

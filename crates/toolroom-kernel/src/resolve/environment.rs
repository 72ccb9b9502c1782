//! Whether a directory is an environment, and a sound one.
//!
//! Absent, broken and "something else" are kept apart: only what is absent lets a search
//! go on in silence. Knows of no language: markers, keys and layouts are data.

use std::path::{Path, PathBuf};

use super::evidence;
use super::facts::{Facts, Filled};
use super::files::{Reading, Spot, Unread, join, read_text};
use super::spec::{EnvironmentSpec, EvidenceSpec, KeySpec};
use super::version::Version;
use crate::template::TemplateError;

const MAX_MARKER: u64 = 64 * 1024;
const MAX_REDIRECT: u64 = 4 * 1024;

/// What a path turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Inspection {
    Sound(Sound),
    Absent(String),
    Rejected(PathBuf, String),
    Broken(PathBuf, String),
}

/// An environment that can be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sound {
    pub(super) directory: PathBuf,
    pub(super) executable: PathBuf,
    pub(super) version: Option<Version>,
    pub(super) marked: bool,
}

/// Why nothing can be said about a path.
#[derive(Debug)]
pub(super) enum Uninspected {
    Template(TemplateError),
    /// The system did not say what is there: that makes it neither absent nor broken.
    Unknown(PathBuf, &'static str),
}

impl From<TemplateError> for Uninspected {
    fn from(error: TemplateError) -> Self {
        Self::Template(error)
    }
}

/// Looks at directories in the way one resolver describes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Inspector<'s> {
    pub(super) spec: &'s EnvironmentSpec,
    pub(super) evidence: &'s [EvidenceSpec],
    pub(super) facts: &'s Facts<'s>,
    /// Only a marker makes an environment.
    pub(super) strict: bool,
}

impl Inspector<'_> {
    pub(super) fn inspect(&self, path: &Path) -> Result<Inspection, Uninspected> {
        let marker = self.marker(path)?;
        if marker.is_none() {
            match std::fs::symlink_metadata(path) {
                Err(error) => {
                    return match Unread::because(&error) {
                        Unread::Unknown(reason) => {
                            Err(Uninspected::Unknown(path.to_path_buf(), reason))
                        }
                        Unread::Bad(_) => {
                            Ok(Inspection::Absent("there is no such directory".to_owned()))
                        }
                    };
                }
                Ok(metadata) if metadata.is_file() => return self.redirected(path),
                Ok(metadata) if metadata.is_symlink() => match std::fs::metadata(path) {
                    Err(_) => {
                        return Ok(Inspection::Broken(
                            path.to_path_buf(),
                            Spot::Dangling.fault(path),
                        ));
                    }
                    Ok(target) if target.is_file() => return self.redirected(path),
                    Ok(_) => {}
                },
                Ok(metadata) if !metadata.is_dir() => {
                    let reason = "it is a pipe, a socket or a device, not a directory";
                    return Ok(Inspection::Rejected(path.to_path_buf(), reason.to_owned()));
                }
                Ok(_) => {}
            }
        }
        self.directory(path, marker.as_ref())
    }

    /// The marker's text, or an empty one for a marker that is no text.
    fn marker(&self, path: &Path) -> Result<Option<String>, Uninspected> {
        let Some(name) = &self.spec.marker else {
            return Ok(None);
        };
        let marker = path.join(name);
        Ok(match read_text(&marker, MAX_MARKER) {
            Reading::Text(text) => Some(text),
            Reading::Bad(_) => Some(String::new()),
            Reading::Absent => marker.is_dir().then(String::new),
            Reading::Unknown(reason) => return Err(Uninspected::Unknown(marker, reason)),
        })
    }

    /// A file where the directory should be may name it in its first line.
    fn redirected(&self, file: &Path) -> Result<Inspection, Uninspected> {
        if !self.spec.redirect_file {
            let reason = "it is a file, not a directory".to_owned();
            return Ok(Inspection::Rejected(file.to_path_buf(), reason));
        }
        let broken = |reason: String| Ok(Inspection::Broken(file.to_path_buf(), reason));
        let text = match read_text(file, MAX_REDIRECT) {
            Reading::Text(text) => text,
            Reading::Unknown(reason) => {
                return Err(Uninspected::Unknown(file.to_path_buf(), reason));
            }
            Reading::Absent | Reading::Bad(_) => {
                return broken("it is a file that names no environment".to_owned());
            }
        };
        let line = text.lines().next().unwrap_or_default().trim_end();
        if line.is_empty() || line.chars().any(char::is_control) {
            return broken("it is a file whose first line names no environment".to_owned());
        }
        let target = join(file.parent().unwrap_or(Path::new("")), Path::new(line));
        if !target.is_dir() {
            return broken(format!(
                "it is a file that names {}, which is no directory",
                target.display()
            ));
        }
        let marker = self.marker(&target)?;
        self.directory(&target, marker.as_ref())
    }

    fn directory(&self, path: &Path, marker: Option<&String>) -> Result<Inspection, Uninspected> {
        if let Some(name) = &self.spec.unfinished
            && path.join(name).exists()
        {
            let reason = "it is not finished: its making is under way or was broken off";
            return Ok(Inspection::Broken(path.to_path_buf(), reason.to_owned()));
        }
        let marker_name = self.spec.marker.as_deref().unwrap_or("marker");
        if self.strict && marker.is_none() {
            let reason = format!("it is no environment: it has no {marker_name}");
            return Ok(Inspection::Rejected(path.to_path_buf(), reason));
        }
        let executable = match self.executable(path)? {
            Ok(executable) => executable,
            Err((_, Spot::Absent, names)) => {
                return Ok(if marker.is_some() {
                    Inspection::Broken(
                        path.to_path_buf(),
                        format!("it has a {marker_name} but no {names}"),
                    )
                } else {
                    let reason =
                        format!("it is no environment: it has neither {marker_name} nor {names}");
                    Inspection::Rejected(path.to_path_buf(), reason)
                });
            }
            Err((file, spot, _)) => {
                let reason = spot.fault(&file);
                return Ok(if marker.is_some() || spot == Spot::Dangling {
                    Inspection::Broken(path.to_path_buf(), format!("{}: {reason}", file.display()))
                } else {
                    Inspection::Rejected(file, reason)
                });
            }
        };
        self.soundness(path, executable, marker)
    }

    /// The first of the executables. One that cannot be run spoils them all: scripts of
    /// the environment may name any of them.
    #[allow(clippy::type_complexity, reason = "two outcomes of one question")]
    fn executable(
        &self,
        path: &Path,
    ) -> Result<Result<PathBuf, (PathBuf, Spot, String)>, Uninspected> {
        let names = self.spec.executable.on(self.facts.world.os);
        let mut first = None;
        for name in names {
            let Filled::Text(name) = self.facts.fill(name)? else {
                continue;
            };
            let file = path.join(name);
            match Spot::of(&file) {
                Spot::Executable => {
                    first.get_or_insert(file);
                }
                Spot::Absent => {}
                spot => return Ok(Err((file, spot, String::new()))),
            }
        }
        Ok(first.ok_or_else(|| (path.to_path_buf(), Spot::Absent, names.join(" or "))))
    }

    fn soundness(
        &self,
        path: &Path,
        executable: PathBuf,
        marker: Option<&String>,
    ) -> Result<Inspection, Uninspected> {
        let broken = |reason: String| Ok(Inspection::Broken(path.to_path_buf(), reason));
        if let Some(spec) = &self.spec.base {
            match self.value(path, marker, Some(spec)) {
                Some(base) => {
                    let base = join(path, Path::new(&base));
                    if !base.exists() {
                        return broken(format!("its base {} is gone", base.display()));
                    }
                }
                // Without it an interpreter may take the directory for no environment.
                None if marker.is_some() => {
                    let keys = spec.keys.on(self.facts.world.os).join(" or ");
                    return broken(format!("its {} has no {keys}", spec.file));
                }
                None => {}
            }
        }
        let declared = self.value(path, marker, self.spec.version.as_ref());
        let declared = declared
            .and_then(|text| Version::parse(text.split(".final").next().unwrap_or_default()));
        let actual = evidence::version_of(&executable, self.evidence, self.facts)?;
        if let (Some(declared), Some(actual)) = (&declared, &actual)
            && !declared.agrees(actual, self.spec.agree)
        {
            return broken(format!(
                "it was made for version {declared}, but its base is now version {actual}"
            ));
        }
        Ok(Inspection::Sound(Sound {
            directory: path.to_path_buf(),
            executable,
            version: declared.or(actual),
            marked: marker.is_some(),
        }))
    }

    fn value(
        &self,
        path: &Path,
        marker: Option<&String>,
        spec: Option<&KeySpec>,
    ) -> Option<String> {
        let spec = spec?;
        let keys = spec.keys.on(self.facts.world.os);
        if Some(&spec.file) == self.spec.marker.as_ref() {
            return value_of(marker?, keys);
        }
        match read_text(&path.join(&spec.file), MAX_MARKER) {
            Reading::Text(text) => value_of(&text, keys),
            Reading::Absent | Reading::Bad(_) | Reading::Unknown(_) => None,
        }
    }
}

/// The value of the first of the keys a file of `key = value` lines has. Keys ignore
/// case; a line is cut at its first `=`.
fn value_of(text: &str, keys: &[String]) -> Option<String> {
    keys.iter().find_map(|key| {
        text.lines().find_map(|line| {
            let (name, value) = line.split_once('=')?;
            let value = value.trim();
            (name.trim().eq_ignore_ascii_case(key) && !value.is_empty()).then(|| value.to_owned())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_found_whatever_its_case_and_cut_at_the_first_equals_sign() {
        let text = "HOME = /opt/x=y/bin\nversion_info=3.11.7.final.0\r\nempty =\n";
        let keys = |keys: &[&str]| keys.iter().map(|&key| key.to_owned()).collect::<Vec<_>>();
        assert_eq!(value_of(text, &keys(&["home"])).unwrap(), "/opt/x=y/bin");
        assert_eq!(
            value_of(text, &keys(&["version", "version_info"])).unwrap(),
            "3.11.7.final.0"
        );
        assert_eq!(value_of(text, &keys(&["empty", "none"])), None);
    }
}

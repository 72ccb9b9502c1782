//! Moves that choose among versions installed side by side.

use std::path::PathBuf;

use super::alias::Choice;
use super::error::ResolveError;
use super::facts::Filled;
use super::files::{Spot, join};
use super::installed::{self, Entry, Selection};
use super::pattern::{self, Hole};
use super::search::{Asked, Found, Search, Step, Trace};
use super::spec::Installed;

impl Search<'_> {
    /// What `installed` and `executable` of the resolver name.
    pub(super) fn installed(
        &self,
        place: &str,
        which: Installed,
        trace: &mut Trace,
    ) -> Result<Step, ResolveError> {
        let os = self.facts.world.os;
        let templates = self.spec.installed.on(os);
        if which == Installed::Asked && self.asked()?.is_none() {
            trace.absent(place, self.shown_installed(), "no version is asked for");
            return Ok(trace.left_to_system());
        }
        let mut executables = Vec::new();
        for text in self.spec.executable.on(os) {
            if let Filled::Text(name) = self.fill(text)? {
                executables.push(PathBuf::from(name));
            }
        }
        for text in templates {
            let path = match self.fill(&pattern::mark(text))? {
                Filled::Text(path) => path,
                Filled::Lacking(reason) => {
                    trace.absent(place, text, reason);
                    continue;
                }
            };
            let hole = Hole::cut(&path);
            let hole =
                hole.ok_or_else(|| self.bad(format!("{text:?} needs one {{version}} in it")))?;
            let rest: Vec<_> = executables
                .iter()
                .map(|executable| hole.rest.join(executable))
                .collect();
            match self.versions(place, hole, &rest, trace)? {
                Step::Next => {}
                step => return Ok(step),
            }
        }
        Ok(Step::Next)
    }

    /// The version that is asked for, or the newest; `rest` are the executable's paths
    /// within a version's folder.
    pub(super) fn versions(
        &self,
        place: &str,
        mut hole: Hole,
        rest: &[PathBuf],
        trace: &mut Trace,
    ) -> Result<Step, ResolveError> {
        hole.base = join(self.facts.world.root(), &hole.base);
        let entries = installed::list(&hole);
        let asked = self.asked()?;
        let newest = [Choice::Newest];
        let (choices, texts) = match asked {
            Some(asked) => (&asked.choices[..], &asked.wanted.texts[..]),
            None => (&newest[..], &[][..]),
        };
        let shown = pattern::show(&hole.base.join(&hole.segment).display().to_string());
        let reason = match installed::select(&entries, choices, texts) {
            Selection::Entries(fitting) => {
                return self.first_good(place, &fitting, rest, asked, trace);
            }
            Selection::System => {
                trace.rejected(place, shown, "the system's own version is asked for");
                return Ok(trace.left_to_system());
            }
            Selection::None => match asked {
                Some(Asked { wanted, .. }) => {
                    format!(
                        "{} is not installed; {} asks for it",
                        wanted.text(),
                        wanted.origin
                    )
                }
                None => "no version is installed".to_owned(),
            },
        };
        if entries.is_empty() {
            return Ok(trace.absent(place, shown, "no version is installed"));
        }
        for entry in entries {
            trace.instead(entry.name);
        }
        Ok(trace.rejected(place, shown, reason))
    }

    fn first_good(
        &self,
        place: &str,
        fitting: &[&Entry],
        rest: &[PathBuf],
        asked: Option<&Asked>,
        trace: &mut Trace,
    ) -> Result<Step, ResolveError> {
        let mut first_fault = None;
        for entry in fitting {
            let (file, fault) = match executable_of(entry, rest) {
                Ok(file) => match self.surroundings_of(&file)? {
                    Err(fault) => (file, fault),
                    Ok(sound) => {
                        let (environment, version) = match sound {
                            Some(sound) => (Some(sound.directory), sound.version),
                            None => (None, None),
                        };
                        let found = Found {
                            environment,
                            version: entry.version.clone().or(version),
                            ..Found::at(place, &file)
                        };
                        return Ok(trace.chosen(found, why(asked)));
                    }
                },
                Err((file, spot)) => {
                    let fault = spot.fault(&file);
                    (file, fault)
                }
            };
            trace.rejected(place, file.display(), fault.clone());
            first_fault.get_or_insert((file, fault));
        }
        match (asked, first_fault) {
            // What is asked for is there but cannot be used: that is never passed over.
            (Some(_), Some((path, fault))) => {
                trace.tried.pop();
                Ok(trace.broken(place, path, fault))
            }
            _ => Ok(Step::Next),
        }
    }
}

/// The first executable of a version, or what stands where it should be.
fn executable_of(entry: &Entry, rest: &[PathBuf]) -> Result<PathBuf, (PathBuf, Spot)> {
    let mut fault = None;
    for rest in rest {
        let file = entry.directory.join(rest);
        match Spot::of(&file) {
            Spot::Executable => return Ok(file),
            spot => {
                fault.get_or_insert((file, spot));
            }
        }
    }
    Err(fault.unwrap_or_else(|| (entry.directory.clone(), Spot::Absent)))
}

fn why(asked: Option<&Asked>) -> String {
    match asked {
        Some(Asked { wanted, .. }) => format!("{} asks for {}", wanted.origin, wanted.text()),
        None => "the newest that is installed".to_owned(),
    }
}

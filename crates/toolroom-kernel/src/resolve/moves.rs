//! The moves a place is made of. Each looks at one thing and says what it saw.

use std::path::{Path, PathBuf};

use super::environment::{Inspection, Inspector, Sound, Uninspected};
use super::error::ResolveError;
use super::evidence;
use super::facts::Filled;
use super::files::{Spot, join};
use super::pattern::{self, Hole};
use super::search::{Asked, Found, Search, Step, Trace};
use super::spec::{Move, MoveKind};

impl Search<'_> {
    pub(super) fn step(
        &self,
        place: &str,
        step: &Move,
        trace: &mut Trace,
    ) -> Result<Step, ResolveError> {
        match &step.kind {
            MoveKind::Environment { path, strict } => self.environment(place, path, *strict, trace),
            MoveKind::Executable(path) => self.executable(place, path, trace),
            MoveKind::Which(names) => self.which(place, names, trace),
            MoveKind::Variable(name) => self.variable(place, name, trace),
            MoveKind::Installed(which) => self.installed(place, *which, trace),
            MoveKind::Resolver { name, with } => {
                self.delegate(place, name, self.options_of(with)?, trace)
            }
        }
    }

    /// How a move is shown when it was not made.
    pub(super) fn describe(&self, step: &Move) -> String {
        let os = self.facts.world.os;
        match &step.kind {
            MoveKind::Environment { path, .. } | MoveKind::Executable(path) => self.shown(path),
            MoveKind::Which(names) => {
                let names = names
                    .on(os)
                    .iter()
                    .filter_map(|name| self.command(name).ok()?);
                format!("{} on PATH", names.collect::<Vec<_>>().join(", "))
            }
            MoveKind::Variable(name) => format!("${name}"),
            MoveKind::Installed(_) => self.shown_installed(),
            MoveKind::Resolver { name, with } => match with.get("manager") {
                Some(manager) => format!("{name} {manager}"),
                None => name.clone(),
            },
        }
    }

    pub(super) fn shown_installed(&self) -> String {
        let texts = self.spec.installed.on(self.facts.world.os);
        let shown: Vec<_> = texts.iter().map(|text| self.shown(text)).collect();
        shown.join(", ")
    }

    /// A path as far as it can be filled in.
    fn shown(&self, text: &str) -> String {
        match self.facts.fill(&pattern::mark(text)) {
            Ok(Filled::Text(path)) => pattern::show(&path),
            _ => text.to_owned(),
        }
    }

    pub(super) fn fill(&self, text: &str) -> Result<Filled, ResolveError> {
        self.facts
            .fill(text)
            .map_err(|error| self.bad_template(&error))
    }

    /// A path from data; one that is not absolute is the project's.
    pub(super) fn path(&self, text: &str) -> PathBuf {
        join(self.facts.world.root(), Path::new(text))
    }

    /// What a directory is to this resolver, if it knows of environments.
    pub(super) fn inspect(
        &self,
        path: &Path,
        strict: bool,
    ) -> Result<Option<Inspection>, ResolveError> {
        let Some(spec) = &self.spec.environment else {
            return Ok(None);
        };
        let inspector = Inspector {
            spec,
            evidence: &self.spec.evidence,
            facts: &self.facts,
            strict,
        };
        let inspection = inspector.inspect(path);
        inspection
            .map(Some)
            .map_err(|uninspected| match uninspected {
                Uninspected::Template(error) => self.bad_template(&error),
                Uninspected::Unknown(path, reason) => ResolveError::Unknown { path, reason },
            })
    }

    fn environment(
        &self,
        place: &str,
        text: &str,
        strict: bool,
        trace: &mut Trace,
    ) -> Result<Step, ResolveError> {
        let path = match self.fill(text)? {
            Filled::Text(path) if !path.is_empty() => self.path(&path),
            Filled::Text(_) => return Ok(trace.absent(place, text, "it is empty")),
            Filled::Lacking(reason) => return Ok(trace.absent(place, text, reason)),
        };
        match self.inspect(&path, strict)? {
            None => {
                Err(self.bad("it has an environment move, but does not say what an environment is"))
            }
            Some(Inspection::Absent(reason)) => Ok(trace.absent(place, path.display(), reason)),
            Some(Inspection::Rejected(path, reason)) => {
                let step = trace.rejected(place, path.display(), reason);
                trace.fix(Spot::of(&path).cure(&path));
                Ok(step)
            }
            Some(Inspection::Broken(path, reason)) => Ok(trace.broken(place, path, reason)),
            Some(Inspection::Sound(sound)) => self.sound(place, sound, trace),
        }
    }

    fn sound(&self, place: &str, sound: Sound, trace: &mut Trace) -> Result<Step, ResolveError> {
        let asked = self.asked_by_option()?;
        if let Some(reason) = asked.and_then(|asked| asked.refuses(sound.version.as_ref())) {
            return Ok(trace.rejected(place, sound.executable.display(), reason));
        }
        let reason = if sound.marked {
            "the first environment there is"
        } else {
            "the first environment there is, though it has no marker"
        };
        let found = Found {
            environment: Some(sound.directory),
            version: sound.version,
            ..Found::at(place, &sound.executable)
        };
        Ok(trace.chosen(found, reason))
    }

    /// An environment is chosen by its place, so only the resource itself can ask for
    /// another version; a version file that disagrees is noted by the caller.
    fn asked_by_option(&self) -> Result<Option<&Asked>, ResolveError> {
        let mut options = self
            .spec
            .wanted
            .iter()
            .filter_map(|source| source.option.as_ref());
        if options.any(|option| self.options.contains_key(option)) {
            Ok(self.asked()?.filter(|asked| asked.wanted.by_option))
        } else {
            Ok(None)
        }
    }

    fn executable(&self, place: &str, text: &str, trace: &mut Trace) -> Result<Step, ResolveError> {
        match self.fill(&pattern::mark(text))? {
            Filled::Lacking(reason) => Ok(trace.absent(place, text, reason)),
            Filled::Text(path) if pattern::has_hole(&path) => {
                let hole = Hole::cut(&path);
                let hole =
                    hole.ok_or_else(|| self.bad(format!("{text:?} has more than one * in it")))?;
                let rest = [hole.rest.clone()];
                self.versions(place, hole, &rest, trace)
            }
            Filled::Text(path) => self.file(place, &self.path(&path), trace),
        }
    }

    /// One file at a fixed path.
    pub(super) fn file(
        &self,
        place: &str,
        path: &Path,
        trace: &mut Trace,
    ) -> Result<Step, ResolveError> {
        let spot = Spot::of(path);
        match spot {
            Spot::Executable => {}
            Spot::Absent => return Ok(trace.absent(place, path.display(), spot.fault(path))),
            Spot::Dangling => return Ok(trace.broken(place, path.to_path_buf(), spot.fault(path))),
            Spot::Directory | Spot::NotExecutable | Spot::Special | Spot::Unreadable => {
                return Ok(trace.unfit(place, path, spot));
            }
        }
        Ok(match self.checked(place, path, trace)? {
            Ok(found) => trace.chosen(found, "it is there"),
            Err(reason) => trace.rejected(place, path.display(), reason),
        })
    }

    /// Takes an executable file, unless its version or the environment it is part of
    /// speaks against it.
    pub(super) fn checked(
        &self,
        place: &str,
        path: &Path,
        trace: &mut Trace,
    ) -> Result<Result<Found, String>, ResolveError> {
        let sound = match self.surroundings_of(path)? {
            Ok(sound) => sound,
            Err(reason) => return Ok(Err(reason)),
        };
        let (environment, version) = match sound {
            Some(sound) => (Some(sound.directory), sound.version),
            None => (None, self.version_of(path)?),
        };
        let refusal = self
            .asked()?
            .and_then(|asked| asked.refuses(version.as_ref()));
        if let Some(reason) = refusal {
            if let Some(version) = version {
                trace.instead(version.to_string());
            }
            return Ok(Err(reason));
        }
        Ok(Ok(Found {
            environment,
            version,
            ..Found::at(place, path)
        }))
    }

    fn version_of(&self, path: &Path) -> Result<Option<super::version::Version>, ResolveError> {
        let version = evidence::version_of(path, &self.spec.evidence, &self.facts);
        version.map_err(|error| self.bad_template(&error))
    }

    /// The environment a file is part of, if any, or what is broken about it.
    pub(super) fn surroundings_of(
        &self,
        file: &Path,
    ) -> Result<Result<Option<Sound>, String>, ResolveError> {
        let Some(outer) = file.parent().and_then(Path::parent) else {
            return Ok(Ok(None));
        };
        Ok(match self.inspect(outer, true)? {
            Some(Inspection::Sound(sound)) => Ok(Some(sound)),
            Some(Inspection::Broken(_, reason)) => {
                Err(format!("its environment is broken: {reason}"))
            }
            Some(Inspection::Absent(_) | Inspection::Rejected(..)) | None => Ok(None),
        })
    }

    fn variable(&self, place: &str, name: &str, trace: &mut Trace) -> Result<Step, ResolveError> {
        let value = self.facts.world.env.get_os(name).unwrap_or_default();
        if value.is_empty() {
            return Ok(trace.absent(place, format_args!("${name}"), "the variable is not set"));
        }
        let path = join(&self.facts.world.cwd, Path::new(value));
        match self.file(place, &path, trace)? {
            // A stale variable is a wish that cannot be met, not a broken environment.
            Step::Broken { .. } => Ok(Step::Next),
            step => Ok(step),
        }
    }
}

//! Seeing through shims: stand-ins a version manager puts first on PATH.
//!
//! What a shim would start is found by the manager's own rules, in data; the shim itself
//! is never run. One that leads nowhere is passed over, with the reason.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::error::ResolveError;
use super::facts::Filled;
use super::files::{Spot, join, link_chain};
use super::search::{Found, Search, Step, Trace};
use super::search_path::Hit;
use super::spec::ShimSpec;
use crate::plain::{self, Links};

/// The resolver that knows the shims of every manager.
const ANY_COMMAND: &str = "system_binary";

/// The key a version manager's versions stand under.
const PLACE: &str = "user";

/// How much of a script is read to know it for a shim.
const HEAD: u64 = 1024;

impl Search<'_> {
    /// Learns the shims that any command may have, for a name this resolver was not made
    /// for. Those it knows itself come first.
    pub(super) fn learn_shims(&mut self) -> Result<(), ResolveError> {
        let given = ["fallback", "binary"].into_iter();
        let given = given.filter_map(|name| Some((name.to_owned(), self.facts.get(name)?.into())));
        let Some(any) = Search::new(ANY_COMMAND, given.collect(), self.surroundings)? else {
            return Ok(());
        };
        for name in any.spec.options.keys() {
            if self.facts.get(name).is_none() {
                let value = any.facts.get(name).map(str::to_owned);
                self.facts.set(name.clone(), value);
            }
        }
        self.spec.shims.extend(any.spec.shims);
        Ok(())
    }

    /// The rule that knows a file for a shim.
    pub(super) fn shim_at(&self, hit: &Hit<'_>) -> Result<Option<&ShimSpec>, ResolveError> {
        let mut head = None;
        for shim in &self.spec.shims {
            if let Some(text) = &shim.directory
                && let Filled::Text(path) = self.fill(text)?
                && Path::new(&path) == hit.directory
            {
                return Ok(Some(shim));
            }
            if let Some(folder) = &shim.through
                && hit
                    .directory
                    .components()
                    .any(|part| part.as_os_str() == folder.as_str())
            {
                return Ok(Some(shim));
            }
            if let Some(name) = &shim.link {
                let mut targets = link_chain(hit.file).into_iter().skip(1);
                if targets
                    .any(|target| target.file_stem().is_some_and(|stem| stem == name.as_str()))
                {
                    return Ok(Some(shim));
                }
            }
            if let Some(text) = &shim.contains {
                let head = head.get_or_insert_with(|| script_head(hit.file));
                if head.contains(text.as_str()) {
                    return Ok(Some(shim));
                }
            }
        }
        Ok(None)
    }

    /// Finds what a shim would start; what its manager tried is told in the shim's line.
    pub(super) fn see_through(
        &self,
        shim: &ShimSpec,
        hit: &Hit<'_>,
        trace: &mut Trace,
    ) -> Result<Step, ResolveError> {
        let shown = hit.file.display();
        if shim.through.is_some() {
            return self.lead_on(hit, trace);
        }
        let Some(resolver) = &shim.resolver else {
            return Ok(trace.rejected(hit.place, shown, "it only stands in for an interpreter"));
        };
        let mut options = self.options_of(&shim.with)?;
        options
            .entry("binary")
            .or_insert_with(|| Value::from(hit.name));
        // A shim says where its manager lives, whatever the variables say.
        if let Some(root) = hit.directory.parent().and_then(Path::to_str)
            && shim.contains.is_some()
        {
            options.entry("root").or_insert_with(|| Value::from(root));
        }
        let mut inner = Trace::default();
        let step = self.delegate(PLACE, resolver, options, &mut inner);
        trace.installed.append(&mut inner.installed);
        let manager = shim.with.get("manager").unwrap_or(resolver);
        let fault = match step {
            Err(error @ ResolveError::BadResolver { .. }) => return Err(error),
            Ok(Step::Found(found)) => {
                let target = found.path.display();
                let reason = format!("it is a shim of {manager}; it stands for {target}");
                trace.stands_for(hit.place, shown, &found.path, reason);
                let place = hit.place.to_owned();
                return Ok(
                    trace.chosen(Found { place, ..found }, format!("what {manager} chooses"))
                );
            }
            Ok(Step::Next) if is_left_to_system(&inner) => {
                let reason = format!("it is a shim of {manager}, which leaves this to the system");
                return Ok(trace.rejected(hit.place, shown, reason));
            }
            Ok(Step::Next) => "it has no version for it".to_owned(),
            Ok(Step::Broken { reason, .. }) => reason,
            Err(error) => error.to_string(),
        };
        let step = trace.rejected(hit.place, shown, {
            format!("it is a shim of {manager} that leads nowhere: {fault}")
        });
        let directory = hit.directory.display();
        trace.fix(format!(
            "install the version it is to stand for with {manager}, or take {directory} out of PATH"
        ));
        Ok(step)
    }

    /// Takes the real file instead of one in a directory that does not last.
    fn lead_on(&self, hit: &Hit<'_>, trace: &mut Trace) -> Result<Step, ResolveError> {
        let real = followed(hit.directory).map(|directory| directory.join(hit.name));
        match real {
            Some(real) if Spot::of(&real) == Spot::Executable => {
                let reason = format!(
                    "it stands for {} as long as its shell lives",
                    real.display()
                );
                trace.stands_for(hit.place, hit.file.display(), &real, reason);
                self.file(hit.place, &real, trace)
            }
            _ => Ok(trace.rejected(hit.place, hit.file.display(), "it leads nowhere")),
        }
    }
}

/// Whether a manager looked and wants none of its own versions.
fn is_left_to_system(trace: &Trace) -> bool {
    let mut tried = trace.tried.iter();
    !trace.tried.is_empty() && tried.all(|candidate| candidate.is_left_to_system)
}

/// The directory with its last link followed.
fn followed(directory: &Path) -> Option<PathBuf> {
    let link = directory.ancestors().find(|part| part.is_symlink())?;
    let target = join(link.parent()?, &std::fs::read_link(link).ok()?);
    Some(join(&target, directory.strip_prefix(link).ok()?))
}

/// The beginning of a script; nothing of any other file.
fn script_head(file: &Path) -> String {
    let mut bytes = Vec::new();
    let opened = plain::open(file, Links::Followed);
    let read = opened.and_then(|file| file.take(HEAD).read_to_end(&mut bytes));
    if read.is_err() || !bytes.starts_with(b"#!") {
        return String::new();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

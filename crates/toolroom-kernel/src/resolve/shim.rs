//! Seeing through shims: stand-ins a version manager puts first on PATH.
//!
//! What a shim would start is found by the manager's own rules, in data; the shim itself
//! is never run. One that leads nowhere is passed over, with the reason.

use std::io::Read;
use std::path::Path;

use serde_json::Value;

use super::candidate::Verdict;
use super::error::ResolveError;
use super::facts::Filled;
use super::files::{join, link_chain};
use super::search::{Search, Step, Trace};
use super::spec::ShimSpec;

/// The key a version manager's versions stand under.
const PLACE: &str = "user";

/// How much of a script is read to know it for a shim.
const HEAD: u64 = 1024;

impl Search<'_> {
    /// The rule that knows a file for a shim.
    pub(super) fn shim_at(
        &self,
        directory: &Path,
        file: &Path,
    ) -> Result<Option<&ShimSpec>, ResolveError> {
        let mut head = None;
        for shim in &self.spec.shims {
            if let Some(text) = &shim.directory
                && let Filled::Text(path) = self
                    .facts
                    .fill(text)
                    .map_err(|error| self.bad_template(&error))?
                && join(Path::new(""), Path::new(&path)) == directory
            {
                return Ok(Some(shim));
            }
            if let Some(name) = &shim.link {
                let mut targets = link_chain(file).into_iter().skip(1);
                if targets
                    .any(|target| target.file_stem().is_some_and(|stem| stem == name.as_str()))
                {
                    return Ok(Some(shim));
                }
            }
            if let Some(text) = &shim.contains
                && head
                    .get_or_insert_with(|| script_head(file))
                    .contains(text.as_str())
            {
                return Ok(Some(shim));
            }
        }
        Ok(None)
    }

    pub(super) fn see_through(
        &self,
        place: &str,
        shim: &ShimSpec,
        name: &str,
        directory: &Path,
        file: &Path,
        trace: &mut Trace,
    ) -> Result<Step, ResolveError> {
        let shown = file.display().to_string();
        let Some(resolver) = &shim.resolver else {
            trace.push(
                place,
                shown,
                Verdict::Rejected,
                "it only stands in for an interpreter",
            );
            return Ok(Step::Next);
        };
        let manager = shim.with.get("manager").unwrap_or(resolver);
        let at = trace.tried.len();
        trace.push(
            place,
            shown,
            Verdict::Rejected,
            format!("it is a shim of {manager}"),
        );
        let mut options = self.options_of(&shim.with)?;
        options
            .entry("binary")
            .or_insert_with(|| Value::String(name.to_owned()));
        // A shim says where its manager lives, whatever the variables say.
        if let Some(root) = directory.parent().and_then(Path::to_str)
            && shim.contains.is_some()
        {
            options
                .entry("root")
                .or_insert_with(|| Value::String(root.to_owned()));
        }
        let step = self.delegate(PLACE, resolver, options, trace);
        let outcome = match &step {
            Ok(Step::Found(found)) => format!(
                "it is a shim of {manager}; it stands for {}",
                found.path.display()
            ),
            Ok(Step::Broken { reason, .. }) => {
                format!("it is a shim of {manager} that cannot be followed: {reason}")
            }
            Ok(Step::Next) => format!("it is a shim of {manager}, which has no version for it"),
            Err(error) => format!("it is a shim of {manager} that cannot be followed: {error}"),
        };
        if let Some(candidate) = trace.tried.get_mut(at) {
            candidate.reason = outcome;
        }
        match step {
            Ok(Step::Found(mut found)) => {
                place.clone_into(&mut found.place);
                for candidate in &mut trace.tried[at..] {
                    place.clone_into(&mut candidate.place);
                }
                Ok(Step::Found(found))
            }
            Err(error @ ResolveError::BadResolver { .. }) => Err(error),
            Ok(_) | Err(_) => {
                // What the manager tried is told in one line, that of the shim.
                trace.tried.truncate(at + 1);
                Ok(Step::Next)
            }
        }
    }
}

/// The beginning of a script; nothing of any other file.
fn script_head(file: &Path) -> String {
    let mut bytes = Vec::new();
    let read = fs_err::File::open(file).and_then(|file| file.take(HEAD).read_to_end(&mut bytes));
    if read.is_err() || !bytes.starts_with(b"#!") {
        return String::new();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

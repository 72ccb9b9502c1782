//! The fallback of a resource: a command on PATH, for when its places have nothing or
//! nobody knows how to look for it.

use super::error::ResolveError;
use super::find::{Outcome, activations, not_found};
use super::note::Note;
use super::resource::Resource;
use super::search::{Found, Search, Step, Surroundings, Trace};
use super::texts::Texts;
use crate::near;

/// The place an interpreter has that only the fallback found.
pub(super) const FALLBACK: &str = "fallback";

/// Looks the fallback up on PATH, so that what is run is always an absolute path. It may
/// be any command, so shims of any manager are seen through.
pub(super) fn fallback(
    search: &mut Search<'_>,
    trace: &mut Trace,
) -> Result<Option<Found>, ResolveError> {
    search.learn_shims()?;
    match search.which(FALLBACK, &Texts::one("{fallback}"), trace)? {
        Step::Found(found) => Ok(Some(found)),
        Step::Next | Step::Broken { .. } => Ok(None),
    }
}

/// Uses the fallback of a resource that has no resolver to ask.
pub(super) fn fallback_alone(
    resource: &Resource,
    resolver: &str,
    reason: &str,
    surroundings: Surroundings<'_>,
    trace: &mut Trace,
) -> Result<Option<Outcome>, ResolveError> {
    let Some(name) = resource.text(FALLBACK) else {
        return Ok(None);
    };
    trace.note(Note::new(
        format!("{reason}, so its fallback {name:?} is used"),
        format!("correct {} in env_config", resource.name),
    ));
    let mut search = Search::plain(resolver, surroundings);
    search.facts.set(FALLBACK, name.to_owned());
    match fallback(&mut search, trace)? {
        Some(found) => {
            let activations =
                activations(&mut search, &found).map_err(|error| search.bad_template(&error))?;
            Ok(Some(Outcome::Interpreter {
                found,
                resolver: resolver.to_owned(),
                activations,
            }))
        }
        None => Err(not_found(resource, resolver, trace)),
    }
}

/// Uses the fallback of a resource whose type nobody knows.
pub(super) fn unknown(
    kind: &str,
    resource: &Resource,
    surroundings: Surroundings<'_>,
    trace: &mut Trace,
) -> Result<Outcome, ResolveError> {
    let names = surroundings.resolvers.names();
    let close = near::best(kind, names.iter().map(String::as_str));
    let hint = close
        .as_ref()
        .map_or_else(String::new, |name| format!(" (did you mean {name:?}?)"));
    let reason = format!("there is no resolver {kind:?}{hint}");
    fallback_alone(resource, kind, &reason, surroundings, trace)?.ok_or_else(|| {
        ResolveError::UnknownResolver {
            name: kind.to_owned(),
            resource: resource.name.clone(),
            similar: close,
        }
    })
}

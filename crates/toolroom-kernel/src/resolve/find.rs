//! Finding one resource: its places, then its fallback, or an error that says it all.

use serde_json::{Map, Value};

use super::activate::{self, Activation};
use super::environment::Inspection;
use super::error::{MissingVersion, ResolveError};
use super::facts::Filled;
use super::fallback::{FALLBACK, fallback, fallback_alone, unknown};
use super::note::Note;
use super::resolution::Preferred;
use super::resource::{Link, Resource};
use super::search::{DEFAULT_SEARCH, Found, Search, Step, Surroundings, Trace};
use super::spec::MoveKind;
use crate::explain::Explain as _;
use crate::near;
use crate::template::TemplateError;

/// The options every resource may have.
const COMMON_OPTIONS: [&str; 5] = ["type", "var", "search", "fallback", "version"];

/// What became of a resource.
#[derive(Debug)]
pub(super) enum Outcome {
    Interpreter {
        found: Found,
        resolver: String,
        activations: Vec<Activation>,
    },
    Settings(Map<String, Value>),
}

pub(super) fn find(
    resource: &Resource,
    link: &Link<'_>,
    surroundings: Surroundings<'_>,
    preferred: &[Preferred],
    trace: &mut Trace,
) -> Result<Outcome, ResolveError> {
    let keys = resource
        .search()
        .map_err(|reason| link.bad(format!("{}: {reason}", resource.name)))?;
    let Some(kind) = resource.text("type") else {
        let reason = format!("{} has no type", resource.name);
        return fallback_alone(resource, "fallback", &reason, surroundings, trace)?
            .ok_or_else(|| link.bad(reason));
    };
    let mut options = resource.fields.clone();
    options.retain(|name, _| !matches!(name.as_str(), "type" | "search"));
    let mut search = match Search::new(kind, options, surroundings) {
        Ok(Some(search)) => search,
        Ok(None) => return unknown(kind, resource, surroundings, trace),
        Err(error @ ResolveError::NoManager { .. }) => {
            let reason = error.to_string();
            return fallback_alone(resource, kind, &reason, surroundings, trace)?.ok_or(error);
        }
        Err(error) => return Err(error),
    };
    if let Some(defaults) = &search.spec.settings {
        let mut settings = defaults.clone();
        settings.extend(
            resource
                .fields
                .iter()
                .map(|(key, value)| (key.clone(), value.clone())),
        );
        settings.retain(|key, _| key != "type");
        return Ok(Outcome::Settings(settings));
    }
    note_unknown_options(&search, resource, trace);
    let keys = keys.unwrap_or_else(|| DEFAULT_SEARCH.map(str::to_owned).to_vec());
    let found = match decided(&search, &keys, preferred, trace)? {
        Some(found) => found,
        None => located(&mut search, resource, &keys, trace)?,
    };
    settled(search, found, &keys, trace)
}

/// What was found, with what is to be told and activated.
pub(super) fn settled(
    mut search: Search<'_>,
    found: Found,
    keys: &[String],
    trace: &mut Trace,
) -> Result<Outcome, ResolveError> {
    note_disagreement(&search, &found, trace);
    search.tell_remarks(trace);
    report_inactive(&search, &found, keys, trace)?;
    let activations =
        activations(&mut search, &found).map_err(|error| search.bad_template(&error))?;
    Ok(Outcome::Interpreter {
        found,
        resolver: search.resolver,
        activations,
    })
}

impl Preferred {
    fn concerns(&self, resolver: &str, keys: &[String]) -> bool {
        let searched = |place: &String| keys.contains(place);
        self.resolver == resolver && self.only_where.as_ref().is_none_or(searched)
    }
}

/// The environment that was decided on. One that is gone leads on, with a note; one that
/// is broken is an error as anywhere else.
pub(super) fn decided(
    search: &Search<'_>,
    keys: &[String],
    preferred: &[Preferred],
    trace: &mut Trace,
) -> Result<Option<Found>, ResolveError> {
    let mut preferred = preferred.iter();
    let Some(preferred) = preferred.find(|one| one.concerns(&search.resolver, keys)) else {
        return Ok(None);
    };
    let Preferred {
        environment,
        place,
        reason,
        ..
    } = preferred;
    match search.inspect(environment, true)? {
        Some(Inspection::Sound(sound)) => {
            let found = Found {
                environment: Some(sound.directory),
                version: sound.version,
                ..Found::at(place, &sound.executable)
            };
            match trace.chosen(found, reason.clone()) {
                Step::Found(found) => Ok(Some(found)),
                Step::Next | Step::Broken { .. } => Ok(None),
            }
        }
        Some(Inspection::Broken(path, fault)) => {
            trace.broken(place, path.clone(), fault.clone());
            Err(ResolveError::Broken {
                place: place.clone(),
                path,
                reason: fault,
                tried: std::mem::take(&mut trace.tried),
            })
        }
        Some(Inspection::Absent(fault) | Inspection::Rejected(_, fault)) => {
            trace.absent(
                place,
                environment.display(),
                format!("{reason}, but {fault}"),
            );
            trace.note(Note::new(
                format!("{} is not used ({reason}): {fault}", environment.display()),
                "`toolroom setup` makes it again",
            ));
            Ok(None)
        }
        None => Ok(None),
    }
}

fn located(
    search: &mut Search<'_>,
    resource: &Resource,
    keys: &[String],
    trace: &mut Trace,
) -> Result<Found, ResolveError> {
    let step = search.run(keys, trace)?;
    // A place that was found needs no version: what asks for one may be faulty then.
    let unmet = match &step {
        Step::Next => search.asked()?.filter(|asked| asked.wanted.soft).cloned(),
        Step::Found(_) | Step::Broken { .. } => None,
    };
    let Some(unmet) = unmet else {
        return found_or_fallback(step, search, resource, trace);
    };
    trace.tried.clear();
    search.forget_wanted();
    let step = search.run(keys, trace)?;
    let result = found_or_fallback(step, search, resource, trace);
    // What is found without regard to it may be what was asked for all the same.
    let version = result
        .as_ref()
        .ok()
        .and_then(|found| found.version.as_ref());
    if unmet.refuses(version).is_some() {
        let (origin, text) = (&unmet.wanted.origin, unmet.wanted.text());
        trace.note(Note::new(
            format!("{origin} asks for {text}, which was not found"),
            format!("install {text}, or change {origin}"),
        ));
    }
    result
}

/// What the places gave, or else what the fallback is, unless a version is asked for.
fn found_or_fallback(
    step: Step,
    search: &mut Search<'_>,
    resource: &Resource,
    trace: &mut Trace,
) -> Result<Found, ResolveError> {
    match step {
        Step::Found(found) => return Ok(found),
        Step::Broken {
            place,
            path,
            reason,
        } => {
            let tried = std::mem::take(&mut trace.tried);
            return Err(ResolveError::Broken {
                place,
                path,
                reason,
                tried,
            });
        }
        Step::Next => {}
    }
    if let Some(asked) = search.asked()?
        && asked.refuses(None).is_some()
    {
        let installed = std::mem::take(&mut trace.installed);
        return Err(ResolveError::VersionNotInstalled {
            missing: Box::new(MissingVersion {
                wanted: asked.wanted.text(),
                origin: asked.wanted.origin.clone(),
                file: asked.wanted.file.clone(),
                installed,
            }),
            tried: std::mem::take(&mut trace.tried),
        });
    }
    if resource.text(FALLBACK).is_some()
        && let Some(found) = fallback(search, trace)?
    {
        return Ok(found);
    }
    Err(not_found(resource, &search.resolver, trace))
}

/// Nothing was found in any place. A file that was named, is there and cannot be run is the
/// better reason: it is not to be installed.
pub(super) fn not_found(resource: &Resource, resolver: &str, trace: &mut Trace) -> ResolveError {
    if let Some((path, spot)) = trace.unfit.take() {
        return ResolveError::NotExecutable {
            var: resource.var().to_owned(),
            reason: spot.fault(&path),
            help: spot.cure(&path).unwrap_or_default(),
            path,
            tried: std::mem::take(&mut trace.tried),
        };
    }
    ResolveError::InterpreterNotFound {
        var: resource.var().to_owned(),
        resolver: resolver.to_owned(),
        fallback: resource.text(FALLBACK).map(str::to_owned),
        tried: std::mem::take(&mut trace.tried),
    }
}

fn note_unknown_options(search: &Search<'_>, resource: &Resource, trace: &mut Trace) {
    let known: Vec<&str> = COMMON_OPTIONS
        .into_iter()
        .chain(search.spec.options.keys().map(String::as_str))
        .collect();
    for option in resource
        .fields
        .keys()
        .filter(|option| !known.contains(&option.as_str()))
    {
        let hint = near::best(option, known.iter().copied()).map_or_else(
            || format!("take it out of {}", resource.name),
            |name| format!("did you mean {name:?}?"),
        );
        trace.note(Note::new(
            format!("the resolver {} has no option {option:?}", search.resolver),
            hint,
        ));
    }
}

/// An environment is chosen by its place; a version file that asks for another version
/// is told.
fn note_disagreement(search: &Search<'_>, found: &Found, trace: &mut Trace) {
    let Some(environment) = &found.environment else {
        return;
    };
    match search.asked() {
        Ok(None) => {}
        Ok(Some(asked)) => {
            if !asked.wanted.soft
                && found.version.is_some()
                && asked.refuses(found.version.as_ref()).is_some()
            {
                let version = found
                    .version
                    .as_ref()
                    .map_or_else(String::new, ToString::to_string);
                let (origin, text) = (&asked.wanted.origin, asked.wanted.text());
                trace.note(Note::new(
                    format!(
                        "{} has version {version}, but {origin} asks for {text}",
                        environment.display()
                    ),
                    "`toolroom setup --repair` remakes it",
                ));
            }
        }
        Err(error) => trace.note(Note::new(
            error.to_string(),
            error.help().unwrap_or_default(),
        )),
    }
}

/// Tells of environments that are active but were not searched.
fn report_inactive(
    search: &Search<'_>,
    found: &Found,
    keys: &[String],
    trace: &mut Trace,
) -> Result<(), ResolveError> {
    for key in search.spec.report.iter().filter(|key| !keys.contains(key)) {
        for step in search.spec.places.get(key).into_iter().flatten() {
            if let MoveKind::Environment { path, .. } = &step.kind {
                report(search, found, key, path, trace)?;
            }
        }
    }
    Ok(())
}

fn report(
    search: &Search<'_>,
    found: &Found,
    key: &str,
    text: &str,
    trace: &mut Trace,
) -> Result<(), ResolveError> {
    let path = match search.fill(text)? {
        Filled::Text(path) if !path.is_empty() => search.path(&path),
        Filled::Text(_) | Filled::Lacking(_) => return Ok(()),
    };
    if found.environment.as_deref() == Some(&path) {
        return Ok(());
    }
    let reason = match search.inspect(&path, true)? {
        Some(Inspection::Sound(_)) | None => {
            format!("{text} names it, but {key:?} is not among the places searched")
        }
        Some(
            Inspection::Absent(reason)
            | Inspection::Rejected(_, reason)
            | Inspection::Broken(_, reason),
        ) => format!("{text} names it: {reason}"),
    };
    trace.note(Note::new(
        format!("{} is not used: {reason}", path.display()),
        format!("deactivate it, or search {key:?} as well"),
    ));
    trace.rejected(key, path.display(), reason);
    Ok(())
}

pub(super) fn activations(
    search: &mut Search<'_>,
    found: &Found,
) -> Result<Vec<Activation>, TemplateError> {
    activate::add_facts(&mut search.facts, &search.spec.facts, found)?;
    let mut activations = Vec::new();
    for (spec, values) in &found.activations {
        let mut facts = search.facts.clone();
        for (name, value) in values {
            facts.set(name.clone(), value.clone());
        }
        activations.push(Activation::fill(spec, &facts, found)?);
    }
    activations.push(Activation::fill(
        &search.spec.activate,
        &search.facts,
        found,
    )?);
    Ok(activations)
}

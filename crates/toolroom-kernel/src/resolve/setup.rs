//! What the `env_setup` of a chain adds to its environment: an environment that may be
//! there, though no resource asks for it, and variables.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::error::ResolveError;
use super::find::{self, Outcome};
use super::layer::Origin;
use super::note::Note;
use super::resolution::{Call, Resolution};
use super::resource::{Link, Resource};
use super::search::{DEFAULT_SEARCH, Search, Step, Surroundings, Trace};
use super::spec::MoveKind;

/// What was prepared for a chain, or can be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Setup {
    /// Who declares it.
    pub owner: String,
    pub environment: Option<Implied>,
    /// Variables with their values.
    pub set: Vec<(String, String)>,
    /// Directories for lists such as PATH. What is on a list already keeps its place there,
    /// since what was activated knows which is nearest.
    pub prepend: Vec<(String, Vec<String>)>,
}

/// An environment that is used if it is there, as if a resource had asked for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Implied {
    /// The resolver that knows what one looks like and where it may be.
    pub resolver: String,
    /// The variables that its interpreter is put into.
    pub variables: Vec<String>,
}

impl Implied {
    /// Whether a link of the chain asks for such an environment itself.
    pub(super) fn is_declared(&self, links: &[Link<'_>]) -> bool {
        let mut declared = links.iter().filter_map(|link| link.env_config).flatten();
        declared.any(|(_, resource)| {
            resource.get("type").and_then(Value::as_str) == Some(&self.resolver)
        })
    }

    /// The environment, or nothing if there is none. Interpreters without one are not
    /// meant: the runtime has a word for them itself.
    pub(super) fn find(
        &self,
        surroundings: Surroundings<'_>,
        call: &Call<'_>,
        trace: &mut Trace,
    ) -> Result<Option<Outcome>, ResolveError> {
        let Some(mut search) = Search::new(&self.resolver, Map::new(), surroundings)? else {
            return Err(ResolveError::UnknownResolver {
                name: self.resolver.clone(),
                resource: "env_setup".to_owned(),
                similar: None,
            });
        };
        for moves in search.spec.places.values_mut() {
            moves.retain(|step| matches!(step.kind, MoveKind::Environment { .. }));
        }
        let keys = DEFAULT_SEARCH.map(str::to_owned);
        if let Some(found) = find::decided(&search, &keys, call.preferred, trace)? {
            return find::settled(search, found, &keys, trace).map(Some);
        }
        match search.run(&keys, trace)? {
            Step::Found(found) => find::settled(search, found, &keys, trace).map(Some),
            Step::Next => Ok(None),
            Step::Broken {
                place,
                path,
                reason,
            } => Err(ResolveError::Broken {
                place,
                path,
                reason,
                tried: std::mem::take(&mut trace.tried),
            }),
        }
    }
}

impl Setup {
    /// The link whose own variables come after those of the setup: the last that has
    /// something to activate, since activation takes variables away.
    pub(super) fn link(resources: &[Resource]) -> usize {
        let links = resources.iter().map(|resource| resource.link);
        links.max().unwrap_or_default()
    }

    pub(super) fn apply(&self, resolution: &mut Resolution) {
        let origin = Origin::Setup(self.owner.clone());
        let env = &mut resolution.env;
        for (name, value) in &self.set {
            env.set(name, value, origin.clone());
        }
        for (name, entries) in &self.prepend {
            let listed = env.list(name);
            let is_new = |entry: &&String| !listed.contains(&PathBuf::from(entry));
            let new: Vec<String> = entries.iter().filter(is_new).cloned().collect();
            let refused = env.prepend(name, &new, &origin);
            let told = refused.iter().map(|entry| Note::not_listed(entry, name));
            resolution.notes.extend(told);
        }
    }
}

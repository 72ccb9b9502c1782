//! Asking another resolver on behalf of this one.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::error::ResolveError;
use super::facts::Filled;
use super::search::{Found, Search, Step, Surroundings, Trace};

impl Search<'_> {
    /// The options another resolver is asked with.
    pub(super) fn options_of(
        &self,
        with: &BTreeMap<String, String>,
    ) -> Result<Map<String, Value>, ResolveError> {
        let mut options = Map::new();
        for (option, text) in with {
            if let Filled::Text(text) = self.fill(text)? {
                options.insert(option.clone(), Value::String(text));
            }
        }
        Ok(options)
    }

    /// Asks another resolver for what it finds in the same place.
    pub(super) fn delegate(
        &self,
        place: &str,
        name: &str,
        options: Map<String, Value>,
        trace: &mut Trace,
    ) -> Result<Step, ResolveError> {
        let surroundings = Surroundings {
            depth: self.surroundings.depth + 1,
            ..self.surroundings
        };
        let Some(other) = Search::new(name, options, surroundings)? else {
            return Err(self.bad(format!("it asks the resolver {name:?}, which is not there")));
        };
        match self.asked()? {
            Some(asked) => other.inherit(asked)?,
            // What nobody here asked for cannot fail the search, only this part of it.
            None => {
                if let Err(error @ ResolveError::BadVersion { .. }) = other.asked() {
                    let shown = other.facts.get("root").unwrap_or(name);
                    return Ok(trace.rejected(place, shown, error.to_string()));
                }
            }
        }
        let mut step = other.run(&[place.to_owned()], trace)?;
        other.tell_remarks(trace);
        if let Step::Found(found) = &mut step {
            let facts = other.activation_facts(found);
            found.activations.push((other.spec.activate, facts));
        }
        Ok(step)
    }

    /// The facts another resolver's activation speaks of.
    fn activation_facts(&self, found: &Found) -> BTreeMap<String, String> {
        let names = self.spec.options.keys().map(String::as_str).chain(["root"]);
        let mut facts: BTreeMap<_, _> = names
            .filter_map(|name| Some((name.to_owned(), self.facts.get(name)?.to_owned())))
            .collect();
        if let Some(version) = &found.version {
            facts.insert("version".to_owned(), version.to_string());
        }
        facts
    }
}

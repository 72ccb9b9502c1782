//! One search: a resolver's places, asked in order, until one gives an interpreter.
//!
//! Absent leads on, broken ends the search, and whatever was looked at is recorded. The
//! moves themselves are in `moves`, `search_path` and `shim`.

use std::cell::{OnceCell, RefCell};
use std::path::Path;

use serde_json::{Map, Value};

use super::alias::{self, AliasFault, Choice};
use super::candidate::{Story, Verdict};
use super::error::ResolveError;
use super::facts::{Facts, Filled};
use super::note::Note;
use super::spec::{self, Resolvers, Spec};
pub(super) use super::trace::{Found, Step, Trace};
use super::version::Version;
use super::wanted::{self, Wanted};
use crate::near;
use crate::template::TemplateError;
use crate::world::World;

/// The places every resolver may have, in the order they are searched by default.
pub const DEFAULT_SEARCH: [&str; 4] = ["project", "kiwi", "user", "system"];

/// How deep resolvers may ask resolvers.
const MAX_DEPTH: usize = 4;

/// What a resolver looks for on behalf of one resource.
#[derive(Debug)]
pub(super) struct Search<'a> {
    pub(super) resolver: String,
    pub(super) spec: Spec,
    pub(super) facts: Facts<'a>,
    pub(super) options: Map<String, Value>,
    pub(super) surroundings: Surroundings<'a>,
    wanted: OnceCell<Option<Asked>>,
    /// What was passed over on the way to the version that is asked for.
    remarks: RefCell<Vec<Note>>,
}

/// What all searches of a resolution share.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    pub(super) world: &'a World,
    pub(super) resolvers: &'a dyn Resolvers,
    pub(super) story: Story,
    pub(super) depth: usize,
}

impl std::fmt::Debug for Surroundings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Surroundings")
            .field("depth", &self.depth)
            .finish_non_exhaustive()
    }
}

/// A version that is asked for, and what that comes to here.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) wanted: Wanted,
    pub(super) choices: Vec<Choice>,
}

impl Asked {
    /// Why a version will not do.
    pub(super) fn refuses(&self, version: Option<&Version>) -> Option<String> {
        let takes = |choice: &Choice| match (choice, version) {
            (Choice::System | Choice::Newest, _) => true,
            (Choice::Range(range), Some(version)) => range.means(version),
            (Choice::Range(_), None) | (Choice::Name(_), _) => false,
        };
        if self.choices.iter().any(takes) {
            return None;
        }
        let Wanted { origin, .. } = &self.wanted;
        let text = self.wanted.text();
        Some(match version {
            Some(version) => format!("it is version {version}; {origin} asks for {text}"),
            None => {
                format!("its version cannot be told without running it; {origin} asks for {text}")
            }
        })
    }
}

impl<'a> Search<'a> {
    /// Prepares a search, or nothing if there is no such resolver.
    pub(super) fn new(
        resolver: &str,
        options: Map<String, Value>,
        surroundings: Surroundings<'a>,
    ) -> Result<Option<Self>, ResolveError> {
        if surroundings.depth > MAX_DEPTH {
            return Err(ResolveError::BadResolver {
                resolver: resolver.to_owned(),
                reason: "resolvers ask each other in a circle".to_owned(),
            });
        }
        let Some(spec) = spec::load(surroundings.resolvers, resolver, &options)? else {
            return Ok(None);
        };
        let mut search = Self {
            resolver: resolver.to_owned(),
            spec,
            facts: Facts::new(surroundings.world),
            options,
            surroundings,
            wanted: OnceCell::new(),
            remarks: RefCell::default(),
        };
        let done = search.set_facts();
        done.map_err(|error| search.bad_template(&error))?;
        Ok(Some(search))
    }

    /// A search that knows no places, only PATH.
    pub(super) fn plain(resolver: &str, surroundings: Surroundings<'a>) -> Self {
        Self {
            resolver: resolver.to_owned(),
            spec: Spec::default(),
            facts: Facts::new(surroundings.world),
            options: Map::new(),
            surroundings,
            wanted: OnceCell::from(None),
            remarks: RefCell::default(),
        }
    }

    fn set_facts(&mut self) -> Result<(), TemplateError> {
        self.facts.set("version", None);
        self.facts.set("wanted", None);
        for (name, value) in &self.options {
            let text = match value {
                Value::String(text) => Some(text.clone()),
                Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
                Value::Null | Value::Array(_) | Value::Object(_) => None,
            };
            if name != "version" {
                self.facts
                    .set(name.clone(), text.filter(|text| !text.is_empty()));
            }
        }
        let os = self.facts.world.os;
        for name in ["fallback", "var"]
            .map(str::to_owned)
            .iter()
            .chain(self.spec.options.keys())
        {
            if !self.facts.knows(name) {
                self.facts.set(name.clone(), None);
            }
        }
        for (name, default) in &self.spec.options {
            if self.facts.get(name).is_some() {
                continue;
            }
            for text in default.iter().flat_map(|texts| texts.on(os)) {
                if let Filled::Text(text) = self.facts.fill(text)? {
                    self.facts.set(name.clone(), text);
                    break;
                }
            }
        }
        if self.facts.get("root").is_none() {
            let root = self.root()?;
            self.facts.set("root", root);
        }
        Ok(())
    }

    /// The first root that is there, or else the first that is known.
    fn root(&self) -> Result<Option<String>, TemplateError> {
        let mut first = None;
        for text in self.spec.root.on(self.facts.world.os) {
            let Filled::Text(root) = self.facts.fill(text)? else {
                continue;
            };
            if root.is_empty() {
                continue;
            }
            if Path::new(&root).is_dir() {
                return Ok(Some(root));
            }
            first.get_or_insert(root);
        }
        Ok(first)
    }

    pub(super) fn bad_template(&self, error: &TemplateError) -> ResolveError {
        self.bad(error.to_string())
    }

    pub(super) fn bad(&self, reason: impl Into<String>) -> ResolveError {
        ResolveError::BadResolver {
            resolver: self.resolver.clone(),
            reason: reason.into(),
        }
    }

    /// The version that is asked for; found out when it is first needed.
    pub(super) fn asked(&self) -> Result<Option<&Asked>, ResolveError> {
        if let Some(asked) = self.wanted.get() {
            return Ok(asked.as_ref());
        }
        let sources = wanted::Sources {
            resolver: &self.resolver,
            spec: &self.spec,
            facts: &self.facts,
            options: &self.options,
        };
        let wanted = sources.find(&mut self.remarks.borrow_mut())?;
        let asked = wanted.map(|wanted| self.follow(wanted)).transpose()?;
        let is_known = |asked: &Asked| {
            !(asked.wanted.by_alias && matches!(asked.choices[..], [Choice::Name(_)]))
        };
        let asked = asked.filter(is_known);
        Ok(self.wanted.get_or_init(|| asked).as_ref())
    }

    /// Passes on what was passed over.
    pub(super) fn tell_remarks(&self, trace: &mut Trace) {
        for remark in self.remarks.take() {
            trace.note(remark);
        }
    }

    /// Takes over what is asked for from the search on whose behalf this one is made.
    pub(super) fn inherit(&self, asked: &Asked) -> Result<(), ResolveError> {
        let mut own = self.follow(asked.wanted.clone())?;
        // A name that is known there but not here keeps the meaning it has there.
        if own
            .choices
            .iter()
            .any(|choice| matches!(choice, Choice::Name(_)))
        {
            own.choices.extend(asked.choices.iter().cloned());
        }
        let _ = self.wanted.set(Some(own));
        Ok(())
    }

    /// Goes on as if nothing were asked for.
    pub(super) fn forget_wanted(&mut self) {
        self.wanted = OnceCell::from(None);
    }

    fn follow(&self, wanted: Wanted) -> Result<Asked, ResolveError> {
        let mut choices = Vec::new();
        for text in &wanted.texts {
            match alias::follow(text, &self.spec, &self.facts) {
                Ok(found) => choices.extend(found),
                Err(AliasFault::Template(error)) => return Err(self.bad_template(&error)),
                Err(AliasFault::Circle(chain)) => {
                    return Err(ResolveError::BadVersion {
                        origin: wanted.origin,
                        file: wanted.file,
                        reason: format!("the alias leads in a circle: {}", chain.join(" → ")),
                    });
                }
            }
        }
        Ok(Asked { wanted, choices })
    }

    /// Searches the places under these keys.
    pub(super) fn run(&self, keys: &[String], trace: &mut Trace) -> Result<Step, ResolveError> {
        let mut end = Step::Next;
        for key in keys {
            let Some(moves) = self.spec.places.get(key) else {
                self.report_unknown_key(key, trace);
                continue;
            };
            for step in moves {
                if matches!(end, Step::Found(_)) && self.surroundings.story == Story::UntilFound {
                    break;
                }
                if !matches!(end, Step::Next) {
                    let path = self.describe(step);
                    trace.push(
                        key,
                        path,
                        Verdict::NotReached,
                        "an earlier candidate ended the search",
                    );
                } else if self
                    .applies(step)
                    .map_err(|error| self.bad_template(&error))?
                {
                    end = self.step(key, step, trace)?;
                }
            }
        }
        Ok(end)
    }

    fn report_unknown_key(&self, key: &str, trace: &mut Trace) {
        if DEFAULT_SEARCH.contains(&key) {
            return;
        }
        let known = self
            .spec
            .places
            .keys()
            .map(String::as_str)
            .chain(DEFAULT_SEARCH);
        let hint = near::best(key, known).map_or_else(
            || {
                format!(
                    "take it out of search, or add it to the places of {}",
                    self.resolver
                )
            },
            |name| format!("did you mean {name:?}?"),
        );
        trace.note(Note::new(
            format!("the resolver {} has no place {key:?}", self.resolver),
            hint,
        ));
    }
}

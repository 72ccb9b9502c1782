//! What the templates of a resolver may speak of: the world, and the facts of a search.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;

use crate::template::{Fault, Placeholder, Scope, Template, TemplateError, Unset};
use crate::world::World;

/// The names of a search. A name without a value is known but absent.
#[derive(Debug, Clone)]
pub(super) struct Facts<'w> {
    pub(super) world: &'w World,
    values: BTreeMap<Cow<'w, str>, Option<String>>,
    /// What else a name stands for besides its value.
    more: BTreeMap<String, Vec<String>>,
}

/// What a template gave.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Filled {
    Text(String),
    /// Something it needs has no value; the reason.
    Lacking(String),
}

impl<'w> Facts<'w> {
    pub(super) fn new(world: &'w World) -> Self {
        Self {
            world,
            values: BTreeMap::new(),
            more: BTreeMap::new(),
        }
    }

    /// Sets a name that may stand for several values; alone it stands for the first.
    pub(super) fn set_all(&mut self, name: String, values: Vec<String>) {
        let mut values = values.into_iter();
        self.set(name.clone(), values.next());
        self.more.insert(name, values.collect());
    }

    /// These facts once for each value of the name a text speaks of.
    pub(super) fn each(&self, text: &str) -> Vec<Cow<'_, Self>> {
        let mut each = vec![Cow::Borrowed(self)];
        let spoken_of = |name: &&String| text.contains(&format!("{{{name}}}"));
        if let Some(name) = self.more.keys().find(spoken_of) {
            for value in &self.more[name] {
                let mut facts = self.clone();
                facts.set(name.clone(), value.clone());
                each.push(Cow::Owned(facts));
            }
        }
        each
    }

    pub(super) fn set(&mut self, name: impl Into<Cow<'w, str>>, value: impl Into<Option<String>>) {
        self.values.insert(name.into(), value.into());
    }

    pub(super) fn set_path(&mut self, name: &'static str, path: Option<&Path>) {
        self.set(name, path.and_then(Path::to_str).map(str::to_owned));
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name)?.as_deref()
    }

    pub(super) fn knows(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Fills in a template; an unset variable or an absent fact is told, not guessed.
    pub(super) fn fill(&self, text: &str) -> Result<Filled, TemplateError> {
        match Template::parse(text)?.expand(self, Unset::Error) {
            Ok(text) => Ok(Filled::Text(text)),
            Err(error) => match error.fault {
                Fault::Unset { name } => Ok(Filled::Lacking(format!("{name} is not set"))),
                Fault::Absent { path } => Ok(Filled::Lacking(match path.as_str() {
                    "home" => "there is no home directory".to_owned(),
                    "user_space" => "there is no user space".to_owned(),
                    _ => format!("{path} is not given"),
                })),
                _ => Err(error),
            },
        }
    }

    /// Fills in a template; what is not set is empty.
    pub(super) fn fill_loosely(&self, text: &str) -> Result<String, TemplateError> {
        Template::parse(text)?.expand(self, Unset::Empty)
    }

    fn world_path(&self, name: &str) -> Option<Option<&Path>> {
        Some(match name {
            "project" | "project_path" => Some(self.world.root()),
            "cwd" => Some(&self.world.cwd),
            "home" => self.world.home.as_deref(),
            "user_space" => self.world.user_space.as_deref(),
            _ => return None,
        })
    }
}

impl Scope for Facts<'_> {
    fn variable(&self, name: &str) -> Option<Cow<'_, str>> {
        self.world.env.get(name).map(Cow::Borrowed)
    }

    fn placeholder(&self, path: &str) -> Placeholder<'_> {
        let known = |value: Option<&str>| value.map_or(Placeholder::Absent, Placeholder::text);
        if let Some(value) = self.values.get(path) {
            return known(value.as_deref());
        }
        if let Some(value) = self.world_path(path) {
            return known(value.and_then(Path::to_str));
        }
        // `{formula.base}` is `{formula}` up to its `@`.
        if let Some(value) = path
            .strip_suffix(".base")
            .and_then(|name| self.values.get(name))
        {
            return known(
                value
                    .as_deref()
                    .map(|value| value.split('@').next().unwrap_or_default()),
            );
        }
        // `{PLUGIN}` is `{plugin}` as the name of a variable writes it.
        if path
            .chars()
            .all(|next| next.is_ascii_uppercase() || next == '_')
            && let Some(value) = self.values.get(path.to_ascii_lowercase().as_str())
        {
            let upper = value
                .as_ref()
                .map(|value| value.to_ascii_uppercase().replace('-', "_"));
            return known(upper.as_deref());
        }
        Placeholder::Unknown
    }
}

//! The extractors in effect, by extension: those of core, and what the spaces add.
//!
//! A space's extractor brings new extensions. For an extension core already reads it can
//! only add fields, so a project cannot change what core metadata means.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::document::Wanted;
use super::rules;
use super::spec::Extractor;
use crate::core_data;

/// An extractor with what its reader needs to know, built when first used.
#[derive(Debug)]
pub struct Prepared {
    pub extractor: Extractor,
    pub wanted: Wanted,
}

/// An extractor's keys, before they are understood.
#[derive(Debug, Clone)]
enum Source {
    /// Of core, read when it is used.
    Core(&'static str),
    Space {
        id: String,
        document: Map<String, Value>,
    },
}

impl Source {
    fn parse(&self) -> Result<Extractor, String> {
        match self {
            Self::Core(id) => Extractor::parse(id, &document(id)),
            Self::Space { id, document } => Extractor::parse(id, document),
        }
    }
}

#[derive(Debug)]
struct Slot {
    base: Source,
    additions: Vec<Source>,
    prepared: OnceLock<Result<Prepared, String>>,
}

/// All extractors, by the extensions they read.
#[derive(Debug)]
pub struct Extractors {
    slots: BTreeMap<String, Slot>,
    /// Folders that hold a language's own files, never tools.
    skipped: BTreeSet<String>,
}

impl Extractors {
    /// The extractors inside the binary. Nothing is parsed before it is used.
    #[must_use]
    pub fn core() -> Self {
        let slots = core_data::extensions()
            .iter()
            .map(|(extension, id)| ((*extension).to_owned(), Slot::new(Source::Core(id))));
        let skipped = core_data::skipped_folders()
            .iter()
            .map(|name| (*name).to_owned());
        Self {
            slots: slots.collect(),
            skipped: skipped.collect(),
        }
    }

    /// Adds a space's extractor.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn add(&mut self, id: &str, document: &Map<String, Value>) -> Result<(), String> {
        let document = inherited(document);
        Extractor::parse(id, &document)?;
        self.skipped.extend(texts(&document, "skip_folders"));
        let extensions = texts(&document, "extensions");
        let source = Source::Space {
            id: id.to_owned(),
            document,
        };
        for extension in extensions {
            match self.slots.get_mut(&extension) {
                Some(slot) => {
                    slot.additions.push(source.clone());
                    slot.prepared = OnceLock::new();
                }
                None => {
                    self.slots.insert(extension, Slot::new(source.clone()));
                }
            }
        }
        Ok(())
    }

    /// Every extension that makes a file a tool, each with its dot.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        self.slots.keys().map(String::as_str)
    }

    /// The extension itself, if it is one that is read.
    #[must_use]
    pub fn known(&self, extension: &str) -> Option<&str> {
        let (known, _) = self.slots.get_key_value(extension)?;
        Some(known)
    }

    /// Whether a folder of this name holds something else than tools.
    #[must_use]
    pub fn skips(&self, folder: &str) -> bool {
        self.skipped.contains(folder)
    }

    /// The extractor for an extension such as `.py`.
    ///
    /// # Errors
    /// Says what is wrong with the extractor's own data.
    pub fn prepared(&self, extension: &str) -> Option<Result<&Prepared, &str>> {
        let slot = self.slots.get(extension)?;
        let prepared = slot.prepared.get_or_init(|| slot.prepare());
        Some(prepared.as_ref().map_err(String::as_str))
    }

    /// A text that changes whenever any extraction could.
    #[must_use]
    pub fn identity(&self) -> String {
        let mut text = format!("{} {}", env!("CARGO_PKG_VERSION"), core_data::identity());
        for (extension, slot) in &self.slots {
            for source in std::iter::once(&slot.base).chain(&slot.additions) {
                if let Source::Space { id, document } = source {
                    text.push_str(&format!(
                        "{extension} {id} {}",
                        Value::Object(document.clone())
                    ));
                }
            }
        }
        text
    }
}

impl Slot {
    fn new(base: Source) -> Self {
        Self {
            base,
            additions: Vec::new(),
            prepared: OnceLock::new(),
        }
    }

    fn prepare(&self) -> Result<Prepared, String> {
        let mut extractor = self.base.parse()?;
        for addition in &self.additions {
            let more = addition.parse()?;
            for rule in more.rules {
                if extractor
                    .rules
                    .iter()
                    .all(|known| known.field != rule.field)
                {
                    extractor.rules.push(rule);
                }
            }
        }
        let wanted = rules::wanted(&extractor);
        Ok(Prepared { extractor, wanted })
    }
}

/// A core extractor's keys, with what it extends filled in.
fn document(id: &str) -> Map<String, Value> {
    match core_data::file(id).map(core_data::CoreFile::document) {
        Some(Value::Object(own)) => inherited(&own),
        _ => Map::new(),
    }
}

/// Fills in what `extends` names: own keys win, `rules` are joined field by field.
/// Only core extractors can be extended, so the way up is short and never circular.
fn inherited(own: &Map<String, Value>) -> Map<String, Value> {
    let Some(base) = own.get("extends").and_then(Value::as_str) else {
        return own.clone();
    };
    let Some(Value::Object(mut merged)) = core_data::file(base).map(core_data::CoreFile::document)
    else {
        return own.clone();
    };
    for (key, value) in own {
        match (merged.get_mut(key), value) {
            (Some(Value::Object(rules)), Value::Object(more)) if key == "rules" => {
                rules.extend(more.clone());
            }
            _ => {
                merged.insert(key.clone(), value.clone());
            }
        }
    }
    merged
}

fn texts(document: &Map<String, Value>, key: &str) -> Vec<String> {
    let listed = document.get(key).and_then(Value::as_array);
    listed
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => panic!("{other} is not an object"),
        }
    }

    #[test]
    fn every_core_extractor_is_well_formed() {
        let extractors = Extractors::core();
        for extension in extractors.extensions() {
            let prepared = extractors.prepared(extension).unwrap();
            assert!(prepared.is_ok(), "{extension}: {prepared:?}");
        }
    }

    #[test]
    fn a_space_brings_a_new_language() {
        let mut extractors = Extractors::core();
        let lua = json!({"extends": "extractors/front_matter", "extensions": [".lua"],
                         "comment": {"line": "--"}, "defaults": {"executor_id": "lua_runtime"}});
        extractors.add("extractors/lua", &object(lua)).unwrap();
        let prepared = extractors.prepared(".lua").unwrap().unwrap();
        assert_eq!(prepared.extractor.comment.as_ref().unwrap().line, "--");
        assert!(
            !prepared.extractor.rules.is_empty(),
            "the base's rules are inherited"
        );
    }

    #[test]
    fn a_space_adds_fields_to_a_core_language_but_changes_none() {
        let mut extractors = Extractors::core();
        let mine = json!({"extensions": [".py"], "rules": {
            "version": {"type": "filename"},
            "owner": {"type": "ast_var", "name": "__owner__"},
        }});
        extractors.add("extractors/mine", &object(mine)).unwrap();
        let prepared = extractors.prepared(".py").unwrap().unwrap();
        assert!(
            prepared
                .wanted
                .variables
                .iter()
                .any(|name| name == "__owner__")
        );
        assert!(
            prepared
                .wanted
                .variables
                .iter()
                .any(|name| name == "__version__")
        );
    }

    #[test]
    fn the_identity_changes_with_any_extractor() {
        let mut extractors = Extractors::core();
        let before = extractors.identity();
        let mine = json!({"extensions": [".xyz"], "reader": "text"});
        extractors.add("extractors/xyz", &object(mine)).unwrap();
        assert_ne!(extractors.identity(), before);
    }
}

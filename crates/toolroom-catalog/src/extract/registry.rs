//! The extractors in effect, by extension: those of core, and what the spaces add.
//!
//! A space's extractor brings new extensions. For an extension core already reads it can
//! only add fields, so a project cannot change what core metadata means.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde_json::{Map, Value};

use super::comment_style;
use super::document::Wanted;
use super::front_matter::CommentStyle;
use super::rules;
use super::spec::{Extractor, FrontMatter};
use crate::core_data;
use crate::near;

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
            Self::Core(id) => {
                let file = core_data::file(id);
                let own = file.and_then(|file| Extractor::of_core(id, file.json));
                own.map_or_else(|| Extractor::parse(id, &document(id)?), Ok)
            }
            Self::Space { id, document } => Extractor::parse(id, document),
        }
    }
}

#[derive(Debug)]
struct Slot {
    base: Source,
    additions: Vec<Source>,
    prepared: OnceLock<Result<Box<Prepared>, String>>,
}

/// All extractors, by the extensions they read.
#[derive(Debug)]
pub struct Extractors {
    slots: BTreeMap<Cow<'static, str>, Slot>,
    /// Folders that hold a language's own files, never tools.
    skipped: BTreeSet<Cow<'static, str>>,
}

impl Extractors {
    /// The extractors inside the binary. Nothing is parsed before it is used.
    #[must_use]
    pub fn core() -> Self {
        let slots = core_data::extensions()
            .iter()
            .map(|(extension, id)| (Cow::Borrowed(*extension), Slot::new(Source::Core(id))));
        let skipped = core_data::skipped_folders()
            .iter()
            .map(|name| Cow::Borrowed(*name));
        Self {
            slots: slots.collect(),
            skipped: skipped.collect(),
        }
    }

    /// Adds a space's extractor. What core reads for the sake of a block alone, a language
    /// it does not know, is the space's to read.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn add(&mut self, id: &str, document: &Map<String, Value>) -> Result<(), String> {
        let document = inherited(document.clone())?;
        Extractor::parse(id, &document)?;
        let skipped = texts(&document, "skip_folders").into_iter();
        self.skipped.extend(skipped.map(Cow::Owned));
        let extensions = texts(&document, "extensions");
        let source = Source::Space {
            id: id.to_owned(),
            document,
        };
        for extension in extensions {
            match self.slots.get_mut(extension.as_str()) {
                Some(slot) if slot.is_free() => *slot = Slot::new(source.clone()),
                Some(slot) => {
                    slot.additions.push(source.clone());
                    slot.prepared = OnceLock::new();
                }
                None => {
                    let slot = Slot::new(source.clone());
                    self.slots.insert(Cow::Owned(extension), slot);
                }
            }
        }
        Ok(())
    }

    /// Every extension that makes a file a tool, each with its dot.
    pub fn extensions(&self) -> impl Iterator<Item = &str> {
        self.slots.keys().map(AsRef::as_ref)
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
        Some(prepared.as_deref().map_err(String::as_str))
    }

    /// How a file of this extension writes comments, if it is a tool only by the block in
    /// its first one.
    #[must_use]
    pub fn required_front_matter(&self, extension: &str) -> Option<CommentStyle> {
        let extractor = &self.prepared(extension)?.ok()?.extractor;
        let is_required = extractor.front_matter == FrontMatter::Required;
        is_required.then(|| comment_style(extractor))?
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

    /// Whether core reads such files only for the sake of a block.
    fn is_free(&self) -> bool {
        let is_core = matches!(self.base, Source::Core(_));
        let needs_block = |extractor: Extractor| extractor.front_matter == FrontMatter::Required;
        is_core && self.base.parse().is_ok_and(needs_block)
    }

    fn prepare(&self) -> Result<Box<Prepared>, String> {
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
        Ok(Box::new(Prepared { extractor, wanted }))
    }
}

/// A core extractor's keys, with what it extends filled in.
fn document(id: &str) -> Result<Map<String, Value>, String> {
    match core_data::file(id).map(core_data::CoreFile::read) {
        Some(Value::Object(own)) => inherited(own),
        _ => Ok(Map::new()),
    }
}

/// Fills in what `extends` names: own keys win, `rules` are joined field by field.
/// Only core extractors can be extended, so the way up is short and never circular.
fn inherited(own: Map<String, Value>) -> Result<Map<String, Value>, String> {
    let mut merged = match own.get("extends") {
        None => return Ok(own),
        Some(Value::String(base)) => document(known(base)?)?,
        Some(_) => return Err("extends: is not the id of an extractor".to_owned()),
    };
    for (key, value) in own {
        match (merged.get_mut(&key), value) {
            (Some(Value::Object(rules)), Value::Object(more)) if key == "rules" => {
                rules.extend(more);
            }
            (_, value) => {
                merged.insert(key, value);
            }
        }
    }
    Ok(merged)
}

/// The id itself, if it is that of a core extractor.
fn known(id: &str) -> Result<&'static str, String> {
    const FOLDER: &str = "extractors/";
    let known = core_data::file(id).map(|file| file.id);
    if let Some(known) = known.filter(|id| id.starts_with(FOLDER)) {
        return Ok(known);
    }
    let names = core_data::files().iter();
    let names = names.filter_map(|file| file.id.strip_prefix(FOLDER));
    let name = id.rsplit('/').next().unwrap_or(id);
    let meant = match near::to(name, names).first() {
        None => String::new(),
        Some(near) => format!("; did you mean {FOLDER}{near}?"),
    };
    Err(format!("extends: core has no extractor {id}{meant}"))
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
    fn a_core_extractor_is_the_same_from_its_text_as_from_its_keys() {
        let ids = core_data::files().iter().map(|file| file.id);
        let mut alone = 0;
        for id in ids.filter(|id| id.starts_with("extractors/")) {
            let json = core_data::file(id).unwrap().json;
            let Some(own) = Extractor::of_core(id, json) else {
                assert!(json.contains("\"extends\""), "{id} cannot be read");
                continue;
            };
            alone += 1;
            assert_eq!(Ok(own), Extractor::parse(id, &document(id).unwrap()));
        }
        assert!(alone > 0);
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
        assert_eq!(prepared.extractor.comment.as_ref().unwrap().line, ["--"]);
        assert!(
            !prepared.extractor.rules.is_empty(),
            "the base's rules are inherited"
        );
    }

    #[test]
    fn a_language_core_reads_only_by_its_block_is_a_spaces_to_read() {
        let mut extractors = Extractors::core();
        assert!(extractors.required_front_matter(".lua").is_some());
        let lua = json!({"extensions": [".lua"], "comment": {"line": "--"},
                         "defaults": {"executor_id": "lua_runtime"}});
        extractors.add("extractors/lua", &object(lua)).unwrap();
        assert!(extractors.required_front_matter(".lua").is_none());
        let prepared = extractors.prepared(".lua").unwrap().unwrap();
        assert_eq!(prepared.extractor.id, "extractors/lua");
        assert!(extractors.required_front_matter(".sql").is_some());
    }

    #[test]
    fn what_an_extractor_extends_may_extend_another() {
        let mut extractors = Extractors::core();
        let crystal = json!({"extends": "extractors/ruby", "extensions": [".cr"]});
        extractors.add("extractors/cr", &object(crystal)).unwrap();
        let (ruby, crystal) = (extractors.prepared(".rb"), extractors.prepared(".cr"));
        let (ruby, crystal) = (ruby.unwrap().unwrap(), crystal.unwrap().unwrap());
        assert_eq!(ruby.extractor.rules, crystal.extractor.rules);
        assert!(!crystal.extractor.rules.is_empty());
    }

    #[test]
    fn only_an_extractor_of_core_can_be_extended() {
        for (base, fault) in [
            (
                json!("extractors/pythn"),
                "extends: core has no extractor extractors/pythn; did you mean extractors/python?",
            ),
            (
                json!("runtimes/bash"),
                "extends: core has no extractor runtimes/bash; did you mean extractors/bash?",
            ),
            (json!("zzzzzz"), "extends: core has no extractor zzzzzz"),
            (json!(1), "extends: is not the id of an extractor"),
        ] {
            let mine = json!({"extends": base, "extensions": [".xyz"]});
            let added = Extractors::core().add("extractors/mine", &object(mine));
            assert_eq!(added, Err(fault.to_owned()));
        }
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

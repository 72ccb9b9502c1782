//! The data inside the binary: languages, primitives, launchers.
//!
//! Core files have the same format as a user's; `build.rs` has turned their YAML to JSON.
//! Nothing here interprets them.

use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;
use toolroom_kernel::resolve::EnvironmentRules;

include!(concat!(env!("OUT_DIR"), "/core_files.rs"));

/// One tool file of the `core/` tree.
#[derive(Debug)]
pub struct CoreFile {
    pub id: &'static str,
    /// Below `core/`, with its extension.
    pub path: &'static str,
    /// The file as it was written.
    pub source: &'static str,
    /// SHA-256 of that, in hexadecimal.
    pub digest: &'static str,
    /// The file's keys, as a JSON document.
    pub json: &'static str,
    document: OnceLock<Value>,
}

impl CoreFile {
    /// The file's keys, read once a process: a caller that lives long asks for the same
    /// files with every call.
    pub fn document(&self) -> &Value {
        self.document.get_or_init(|| self.read())
    }

    /// The file's keys, for who changes them.
    #[must_use]
    pub fn read(&self) -> Value {
        self.read_as().unwrap_or(Value::Null)
    }

    /// Those of the file's keys that the type names, if they are what it says.
    #[must_use]
    pub fn read_as<T: Deserialize<'static>>(&self) -> Option<T> {
        serde_json::from_str(self.json).ok()
    }
}

/// Every core tool, ordered by id.
#[must_use]
pub fn files() -> &'static [CoreFile] {
    &TOOLS
}

#[must_use]
pub fn file(id: &str) -> Option<&'static CoreFile> {
    TOOLS
        .binary_search_by(|file| file.id.cmp(id))
        .ok()
        .map(|index| &TOOLS[index])
}

/// The core id another name stands for.
#[must_use]
pub fn alias(name: &str) -> Option<&'static str> {
    ALIASES
        .binary_search_by(|(alias, _)| (*alias).cmp(name))
        .ok()
        .map(|index| ALIASES[index].1)
}

/// Every other name of a core tool, with the id it stands for.
#[must_use]
pub fn aliases() -> &'static [(&'static str, &'static str)] {
    ALIASES
}

/// Every extension a core extractor reads, with the extractor's id.
#[must_use]
pub fn extensions() -> &'static [(&'static str, &'static str)] {
    EXTENSIONS
}

/// Folders of core's languages that never hold tools.
#[must_use]
pub fn skipped_folders() -> &'static [&'static str] {
    SKIPPED
}

/// A text that changes with any file of core.
#[must_use]
pub fn identity() -> &'static str {
    IDENTITY
}

/// What holds for every environment.
#[must_use]
pub fn environment() -> &'static EnvironmentRules<'static> {
    &ENVIRONMENT
}

/// What a variable's name says if its value is a secret, each between `_`.
#[must_use]
pub fn secret_words() -> &'static [&'static str] {
    SECRET_WORDS
}

/// A launcher or any other plain file, by its path below `core/`.
#[must_use]
pub fn text(path: &str) -> Option<&'static str> {
    TEXTS
        .iter()
        .find(|(name, _)| *name == path)
        .map(|(_, text)| *text)
}

/// The plain files of one folder of `core/`, by their names there.
#[must_use]
pub fn texts_below(folder: &str) -> Vec<(&'static str, &'static str)> {
    TEXTS
        .iter()
        .filter_map(|(path, text)| Some((path.strip_prefix(folder)?.strip_prefix('/')?, *text)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_files_are_ordered_by_id_so_that_lookups_find_them() {
        for core in files() {
            assert_eq!(file(core.id).map(|found| found.path), Some(core.path));
        }
    }

    #[test]
    fn every_core_file_is_a_mapping_with_a_type_and_a_description() {
        for core in files() {
            let document = core.document();
            for key in ["tool_type", "description"] {
                assert!(document[key].is_string(), "{} has no {key}", core.path);
            }
        }
    }

    #[test]
    fn a_core_files_digest_is_that_of_its_text() {
        for core in files() {
            assert_eq!(core.digest, crate::read::digest(core.source), "{}", core.id);
        }
    }

    #[test]
    fn aliases_are_unique_and_name_no_core_id() {
        for pair in aliases().windows(2) {
            assert_ne!(pair[0].0, pair[1].0, "{:?} and {:?}", pair[0], pair[1]);
        }
        for (name, id) in aliases() {
            assert!(file(name).is_none(), "{name} is an id and an alias of {id}");
            assert!(
                file(id).is_some(),
                "{name} stands for {id}, which is not there"
            );
        }
    }
}

//! An environment in layers: every variable knows where its value comes from.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::model::Environ;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    Process,
    Dotenv {
        file: PathBuf,
        line: u32,
    },
    /// Found or activated for the interpreter variable of this name.
    Interpreter(String),
    /// Added by the `env_setup` of this link.
    Setup(String),
    Runtime(String),
    Tool(String),
    Caller,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Process => f.write_str("process"),
            Self::Dotenv { file, line } => write!(f, "dotenv {}:{line}", file.display()),
            Self::Interpreter(var) => write!(f, "interpreter {var}"),
            Self::Setup(id) => write!(f, "env_setup {id}"),
            Self::Runtime(id) => write!(f, "runtime {id}"),
            Self::Tool(id) => write!(f, "tool {id}"),
            Self::Caller => f.write_str("caller"),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Variables with their origins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LayeredEnv {
    values: Environ,
    /// Of every variable that is not the process's own.
    origins: BTreeMap<OsString, Origin>,
    unset: BTreeSet<String>,
    /// Values that were there until a higher layer had its own.
    covered: Vec<(String, OsString)>,
}

impl LayeredEnv {
    /// The lowest layer.
    #[must_use]
    pub fn of_process(env: Environ) -> Self {
        Self {
            values: env,
            ..Self::default()
        }
    }

    #[must_use]
    pub fn get_os(&self, name: &str) -> Option<&OsStr> {
        self.values.get_os(name)
    }

    /// The value as text; a value that is not UTF-8 has none.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name)
    }

    #[must_use]
    pub fn origin(&self, name: &str) -> Option<&Origin> {
        self.values
            .contains(name)
            .then(|| self.origin_of(OsStr::new(name)))
    }

    /// All variables in a fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr, &Origin)> {
        self.values
            .iter()
            .map(|(name, value)| (name, value, self.origin_of(name)))
    }

    /// The names that were there and were taken away.
    pub fn unset(&self) -> impl Iterator<Item = &str> {
        self.unset.iter().map(String::as_str)
    }

    /// What variables held before they were set anew or taken away. Others may have been
    /// filled in from it meanwhile.
    pub fn covered(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.covered
            .iter()
            .map(|(name, value)| (OsStr::new(name), value.as_os_str()))
    }

    #[must_use]
    pub fn values(&self) -> &Environ {
        &self.values
    }

    #[must_use]
    pub fn into_values(self) -> Environ {
        self.values
    }

    pub fn set(&mut self, name: &str, value: impl Into<OsString>, origin: Origin) {
        self.unset.remove(name);
        if let Some(before) = self.values.set(name, value) {
            self.covered.push((name.to_owned(), before));
        }
        self.origins.insert(key(OsStr::new(name)), origin);
    }

    pub fn remove(&mut self, name: &str) {
        if let Some(before) = self.values.remove(name) {
            self.covered.push((name.to_owned(), before));
            self.origins.remove(&key(OsStr::new(name)));
            self.unset.insert(name.to_owned());
        }
    }

    /// Puts directories before those of a list such as PATH, each there once. Gives back
    /// those that cannot be in such a list.
    pub(super) fn prepend(
        &mut self,
        name: &str,
        entries: &[String],
        origin: &Origin,
    ) -> Vec<String> {
        let (fitting, refused): (Vec<_>, Vec<_>) = entries
            .iter()
            .cloned()
            .partition(|entry| std::env::join_paths([entry]).is_ok());
        if fitting.is_empty() {
            return refused;
        }
        let mut list: Vec<PathBuf> = fitting.iter().map(PathBuf::from).collect();
        for entry in self.list(name) {
            if !list.contains(&entry) {
                list.push(entry);
            }
        }
        if let Ok(joined) = std::env::join_paths(&list) {
            self.set(name, joined, origin.clone());
        }
        refused
    }

    /// Takes directories out of a list such as PATH.
    pub(super) fn remove_entries(&mut self, name: &str, entries: &[String], origin: &Origin) {
        let list = self.list(name);
        let kept: Vec<_> = list
            .iter()
            .filter(|entry| !entries.iter().any(|gone| Path::new(gone) == *entry))
            .collect();
        if kept.len() < list.len()
            && let Ok(joined) = std::env::join_paths(kept)
        {
            self.set(name, joined, origin.clone());
        }
    }

    pub(super) fn list(&self, name: &str) -> Vec<PathBuf> {
        match self.get_os(name) {
            Some(value) if !value.is_empty() => std::env::split_paths(value).collect(),
            _ => Vec::new(),
        }
    }

    fn origin_of(&self, name: &OsStr) -> &Origin {
        self.origins.get(&key(name)).unwrap_or(&Origin::Process)
    }
}

fn key(name: &OsStr) -> OsString {
    if cfg!(windows) {
        name.to_ascii_uppercase()
    } else {
        name.to_os_string()
    }
}

/// As `{NAME: {value, origin}}`.
impl Serialize for LayeredEnv {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Shown<'e> {
            value: std::borrow::Cow<'e, str>,
            origin: &'e Origin,
        }
        let mut map = serializer.serialize_map(None)?;
        for (name, value, origin) in self.iter() {
            let value = value.to_string_lossy();
            map.serialize_entry(&name.to_string_lossy(), &Shown { value, origin })?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_prepended_directory_is_there_once_and_first() {
        let mut env = LayeredEnv::of_process([("PATH", "/a:/b:/c")].into_iter().collect());
        let origin = Origin::Interpreter("X".to_owned());
        let refused = env.prepend("PATH", &["/c".to_owned(), "/bad:dir".to_owned()], &origin);
        assert_eq!(env.get("PATH"), Some("/c:/a:/b"));
        assert_eq!(refused, ["/bad:dir"]);
        assert_eq!(env.origin("PATH"), Some(&origin));
        env.remove_entries("PATH", &["/a".to_owned()], &origin);
        assert_eq!(env.get("PATH"), Some("/c:/b"));
        env.prepend("NEW", &["/x".to_owned()], &origin);
        assert_eq!(env.get("NEW"), Some("/x"));
    }

    #[test]
    fn what_is_taken_away_is_known_unless_it_comes_back() {
        let mut env = LayeredEnv::of_process([("A", "1"), ("B", "2")].into_iter().collect());
        env.remove("A");
        env.remove("B");
        env.remove("NEVER");
        env.set("B", "3", Origin::Caller);
        assert_eq!(env.unset().collect::<Vec<_>>(), ["A"]);
        let covered = [("A", "1"), ("B", "2")].map(|(name, value)| (name.as_ref(), value.as_ref()));
        assert_eq!(env.covered().collect::<Vec<_>>(), covered);
        assert_eq!(env.origin("A"), None);
        assert_eq!(env.origin("B").unwrap().to_string(), "caller");
    }
}

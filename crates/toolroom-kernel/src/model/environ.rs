//! A set of environment variables as the operating system understands them.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Variables in a fixed order. On Windows names compare without case, as they do there;
/// the spelling that was set first is kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environ {
    variables: BTreeMap<OsString, OsString>,
}

impl Environ {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives back the value that was there before.
    pub fn set(
        &mut self,
        name: impl Into<OsString>,
        value: impl Into<OsString>,
    ) -> Option<OsString> {
        let name = name.into();
        let key = self.spelling(&name).unwrap_or(name);
        self.variables.insert(key, value.into())
    }

    pub fn remove(&mut self, name: impl AsRef<OsStr>) -> Option<OsString> {
        let key = self.spelling(name.as_ref())?;
        self.variables.remove(&key)
    }

    #[must_use]
    pub fn get_os(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        let name = name.as_ref();
        if let Some(value) = self.variables.get(name) {
            return Some(value);
        }
        let key = self.spelling(name)?;
        self.variables.get(&key).map(OsString::as_os_str)
    }

    /// The value as text; a value that is not UTF-8 has none.
    #[must_use]
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&str> {
        self.get_os(name)?.to_str()
    }

    #[must_use]
    pub fn contains(&self, name: impl AsRef<OsStr>) -> bool {
        self.get_os(name).is_some()
    }

    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.variables.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// The stored spelling of a name, where names ignore case.
    fn spelling(&self, name: &OsStr) -> Option<OsString> {
        if self.variables.contains_key(name) {
            return Some(name.to_os_string());
        }
        if !cfg!(windows) {
            return None;
        }
        self.variables
            .keys()
            .find(|key| key.eq_ignore_ascii_case(name))
            .cloned()
    }
}

impl<N: Into<OsString>, V: Into<OsString>> FromIterator<(N, V)> for Environ {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(pairs: I) -> Self {
        let mut map = Self::new();
        for (name, value) in pairs {
            map.set(name, value);
        }
        map
    }
}

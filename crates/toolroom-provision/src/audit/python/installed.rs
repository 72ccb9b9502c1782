//! Everything installed in an environment, by name, with what hides what.

use std::collections::HashMap;
use std::path::Path;

use super::distribution::Distribution;
use super::environment::Environment;
use crate::audit::AuditError;
use crate::requirement::SourceUrl;

const MAX_ENTRIES: usize = 200_000;

/// The distributions an environment sees.
#[derive(Debug, Default)]
pub struct Installed {
    all: Vec<Distribution>,
    by_name: HashMap<String, Vec<usize>>,
}

impl Installed {
    /// Lists the package directories. Metadata is read later, as far as it is needed.
    ///
    /// # Errors
    ///
    /// If a directory cannot be listed.
    pub fn read(environment: &Environment) -> Result<Self, AuditError> {
        let mut installed = Self::default();
        for directory in environment.site_directories() {
            installed.list(directory, false)?;
        }
        for directory in environment.inherited_directories() {
            installed.list(directory, true)?;
        }
        Ok(installed)
    }

    fn list(&mut self, directory: &Path, inherited: bool) -> Result<(), AuditError> {
        let unreadable = |source| AuditError::Unreadable {
            path: directory.to_path_buf(),
            source,
        };
        let first = self.all.len();
        let entries = fs_err::read_dir(directory).map_err(unreadable)?;
        for (count, entry) in entries.enumerate() {
            if count >= MAX_ENTRIES {
                return Err(AuditError::TooLarge {
                    path: directory.to_path_buf(),
                    limit: MAX_ENTRIES,
                });
            }
            let file_name = entry.map_err(unreadable)?.file_name();
            if let Some(name) = file_name.to_str()
                && let Some(found) = Distribution::of_entry(directory, name, inherited)
            {
                self.all.push(found);
            }
        }
        // The order of a directory is chance; that of the answer must not be.
        if let Some(new) = self.all.get_mut(first..) {
            new.sort_by(|a, b| a.place().cmp(b.place()));
        }
        for (index, found) in self.all.iter().enumerate().skip(first) {
            match self.by_name.get_mut(found.name()) {
                None => {
                    self.by_name.insert(found.name().to_owned(), vec![index]);
                }
                // What the environment has itself hides what it inherits.
                Some(copies) => {
                    let hidden = copies
                        .first()
                        .and_then(|first| self.all.get(*first))
                        .is_some_and(|first| first.is_inherited() != found.is_inherited());
                    if !hidden {
                        copies.push(index);
                    }
                }
            }
        }
        Ok(())
    }

    /// The distributions in effect, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Distribution> {
        let mut firsts: Vec<usize> = self
            .by_name
            .values()
            .filter_map(|c| c.first().copied())
            .collect();
        firsts.sort_unstable();
        firsts.into_iter().filter_map(|index| self.all.get(index))
    }

    /// The distribution of that normalised name that is in effect.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Distribution> {
        self.find(name).and_then(|index| self.all.get(index))
    }

    /// How many distributions are in effect.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_name.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.by_name
            .get(name)
            .and_then(|copies| copies.first().copied())
    }

    pub(super) fn at(&self, index: usize) -> Option<&Distribution> {
        self.all.get(index)
    }

    /// Every copy of a package in effect, the first one included.
    pub(super) fn copies(&self, name: &str) -> impl Iterator<Item = &Distribution> {
        let copies = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        copies.iter().filter_map(|index| self.all.get(*index))
    }

    /// Names that are there more than once, in order.
    pub(super) fn repeated(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self
            .by_name
            .iter()
            .filter(|(_, copies)| copies.len() > 1)
            .map(|(name, _)| name.as_str())
            .collect();
        names.sort_unstable();
        names
    }

    /// The distribution that was installed from a source, whatever its name.
    pub(super) fn find_source(&self, source: &SourceUrl, editable: bool) -> Option<usize> {
        let fits = |found: &Distribution| {
            found
                .origin()
                .is_some_and(|origin| origin.meets(source, editable).is_ok())
        };
        self.all.iter().position(fits)
    }
}

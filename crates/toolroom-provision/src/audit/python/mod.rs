//! Python environments: what is installed is read from its metadata, without an interpreter.
//!
//! [`Environment`] is the place, [`Installed`] what lies in it, [`audit`] the comparison.

mod config;
mod direct_url;
mod distribution;
mod egg;
mod environment;
mod installed;
mod judge;
mod layout;
mod markers;
mod metadata;
mod reverse;
mod walk;

use std::path::Path;

pub use distribution::Distribution;
pub use environment::{Environment, Fault, Kind};
pub use installed::Installed;
pub use markers::Platform;

use super::{Audit, AuditError, Auditor, SeverityRules};
use crate::journal::Packages;
use crate::requirement::Requirements;

/// Compares an environment with requirements.
///
/// # Errors
///
/// If the directories of the environment cannot be listed.
pub fn audit(
    environment: &Environment,
    requirements: &Requirements,
    rules: &SeverityRules,
) -> Result<Audit, AuditError> {
    let installed = Installed::read(environment)?;
    Ok(walk::Walk::new(environment, &installed, rules).run(requirements))
}

/// The auditor `site_packages`.
#[derive(Debug)]
pub struct SitePackages;

impl Auditor for SitePackages {
    fn name(&self) -> &'static str {
        "site_packages"
    }

    fn audit(
        &self,
        place: &Path,
        requirements: &Requirements,
        rules: &SeverityRules,
    ) -> Result<Audit, AuditError> {
        let environment = Environment::read(place, &Platform::current())?;
        audit(&environment, requirements, rules)
    }

    fn audit_new(
        &self,
        base: &Path,
        requirements: &Requirements,
        rules: &SeverityRules,
    ) -> Option<Audit> {
        let environment = Environment::read(base, &Platform::current()).ok()?;
        let nothing = Installed::default();
        Some(walk::Walk::new(&environment, &nothing, rules).run(requirements))
    }

    fn installed(&self, place: &Path) -> Packages {
        let read = Environment::read(place, &Platform::current())
            .and_then(|environment| Installed::read(&environment));
        let Ok(installed) = read else {
            return Packages::new();
        };
        let own = installed.iter().filter(|found| !found.is_inherited());
        own.map(|found| (found.name().to_owned(), found.version()))
            .filter(|(_, version)| !version.is_empty())
            .collect()
    }
}

#[cfg(test)]
mod tests;

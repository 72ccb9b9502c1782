//! The auditors by the names that data files use for them.

use std::path::Path;

use super::error::AuditError;
use super::report::Audit;
use super::severity::SeverityRules;
use super::{node, python};
use crate::journal::Packages;
use crate::requirement::Requirements;

/// Judges one kind of environment.
pub trait Auditor: Sync {
    /// The name a manager's data uses.
    fn name(&self) -> &'static str;

    /// Compares what is installed at `place` with what is required.
    ///
    /// # Errors
    ///
    /// Only if there is nothing there that could be judged.
    fn audit(
        &self,
        place: &Path,
        requirements: &Requirements,
        rules: &SeverityRules,
    ) -> Result<Audit, AuditError>;

    /// The same for an environment that was just made from the interpreter `base`, where
    /// that can be told: nothing is installed in it.
    fn audit_new(
        &self,
        _base: &Path,
        _requirements: &Requirements,
        _rules: &SeverityRules,
    ) -> Option<Audit> {
        None
    }

    /// What is installed at `place` of its own, with its version, where a change to it can
    /// hold that. What it inherits is not its own to hold.
    fn installed(&self, _place: &Path) -> Packages {
        Packages::new()
    }
}

/// The auditor of that name.
#[must_use]
pub fn auditor(name: &str) -> Option<&'static dyn Auditor> {
    const ALL: [&dyn Auditor; 2] = [&python::SitePackages, &node::NodeModules];
    ALL.into_iter().find(|auditor| auditor.name() == name)
}

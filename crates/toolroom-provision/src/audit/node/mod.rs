//! Node packages: a tree of `node_modules` against what `package.json` asks for.
//!
//! Looks packages up as Node does, from folder to folder upwards and through links, so the
//! layouts of npm, pnpm, Yarn and Bun need no code of their own.

mod layout;
mod package;
mod walk;

use std::path::Path;

pub use layout::Layout;

use super::{Audit, AuditError, Auditor, SeverityRules};
use crate::requirement::Requirements;

/// Compares the packages of the project at `project` with requirements.
///
/// # Errors
///
/// If the packages are not in a folder at all (Plug'n'Play).
pub fn audit(
    project: &Path,
    requirements: &Requirements,
    rules: &SeverityRules,
) -> Result<Audit, AuditError> {
    if Layout::of(project) == Layout::PlugAndPlay {
        return Err(AuditError::Managed {
            path: project.to_path_buf(),
            by: "Yarn Plug'n'Play",
        });
    }
    Ok(walk::Walk::new(project, rules).run(requirements))
}

/// The auditor `node_modules`.
#[derive(Debug)]
pub struct NodeModules;

impl Auditor for NodeModules {
    fn name(&self) -> &'static str {
        "node_modules"
    }

    fn audit(
        &self,
        place: &Path,
        requirements: &Requirements,
        rules: &SeverityRules,
    ) -> Result<Audit, AuditError> {
        let is_folder = place.file_name().is_some_and(|name| name == "node_modules");
        let project = if is_folder { place.parent() } else { None };
        audit(project.unwrap_or(place), requirements, rules)
    }
}

#[cfg(test)]
mod tests;

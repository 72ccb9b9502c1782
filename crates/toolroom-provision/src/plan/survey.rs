//! The seam to the auditors: what is installed in an environment, and what it lacks.

use std::path::Path;

use super::machine::Interpreter;
use super::needs::Needs;
use crate::decision::Findings;
use crate::journal::Packages;

/// What an audit came to.
#[derive(Debug, Clone, Default)]
pub struct Audited {
    pub findings: Findings,
    pub installed: Packages,
}

/// Audits an environment with the auditor of this name.
///
/// # Errors
/// Says why the environment cannot be judged.
pub fn audit(auditor: &str, environment: &Path, inner: Option<&Interpreter>, needs: &Needs) -> Result<Audited, String> {
    let _ = inner;
    match auditor {
        "site_packages" => provisional(environment, needs),
        other => Err(format!("there is no auditor {other:?}")),
    }
}

fn provisional(environment: &Path, needs: &Needs) -> Result<Audited, String> {
    let mut installed = Packages::new();
    let lib = environment.join("lib");
    for python in fs_err::read_dir(&lib).map_err(|error| error.to_string())?.flatten() {
        let Ok(entries) = fs_err::read_dir(python.path().join("site-packages")) else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if let Some((name, version)) = name.strip_suffix(".dist-info").and_then(|stem| stem.split_once('-')) {
                installed.insert(name.to_lowercase().replace('_', "-"), version.to_owned());
            }
        }
    }
    let missing = needs.requirements.items.iter().filter(|item| !installed.contains_key(&item.name));
    Ok(Audited {
        findings: Findings { missing: missing.map(|item| item.text.clone()).collect(), conflicts: Vec::new() },
        installed,
    })
}

//! The seam to the auditors: their answer in the words of a decision.

use std::path::Path;

use crate::audit::python::{Environment, Installed, Platform};
use crate::audit::{self, Audit, Demand, SeverityRules};
use crate::decision::{Conflict, Findings, Severity};
use crate::journal::Packages;
use crate::redaction::redacted;
use crate::requirement::Requirements;

/// Audits a place with the auditor of this name.
///
/// # Errors
/// Says why the place cannot be judged.
pub fn audit(
    auditor: &str,
    place: &Path,
    requirements: &Requirements,
    rules: &SeverityRules,
) -> Result<Findings, String> {
    let found =
        audit::auditor(auditor).ok_or_else(|| format!("there is no auditor {auditor:?}"))?;
    let audit = found
        .audit(place, requirements, rules)
        .map_err(|error| error.to_string())?;
    let findings = findings(&audit);
    match audit.unjudged.first() {
        Some(unjudged) if findings.satisfied() => Err(format!(
            "{}: {}",
            redacted(&unjudged.subject),
            unjudged.reason
        )),
        _ => Ok(findings),
    }
}

/// What is installed in an environment of its own, with its version. What it inherits is
/// not its own to hold.
#[must_use]
pub fn installed(environment: &Path) -> Packages {
    let read = Environment::read(environment, &Platform::current())
        .and_then(|environment| Installed::read(&environment));
    let Ok(installed) = read else {
        return Packages::new();
    };
    let own = installed
        .iter()
        .filter(|distribution| !distribution.is_inherited());
    own.map(|distribution| (distribution.name().to_owned(), distribution.version()))
        .filter(|(_, version)| !version.is_empty())
        .collect()
}

fn findings(audit: &Audit) -> Findings {
    let mut findings = Findings::default();
    for missing in &audit.missing {
        if missing.breaks.is_empty() {
            findings
                .missing
                .push(wanted(&missing.package, &missing.demands));
        } else {
            findings.conflicts.push(Conflict {
                package: missing.package.clone(),
                installed: "nothing".to_owned(),
                required: wanted(&missing.package, &missing.demands),
                severity: Severity::Major,
                breaks: missing.breaks.iter().map(ToString::to_string).collect(),
            });
        }
    }
    findings
        .conflicts
        .extend(audit.conflicts.iter().map(|conflict| Conflict {
            package: conflict.package.clone(),
            installed: conflict.installed.clone(),
            required: format!("{}{}", conflict.package, redacted(&conflict.required)),
            severity: match conflict.severity {
                audit::Severity::Minor => Severity::Minor,
                audit::Severity::Major => Severity::Major,
            },
            breaks: conflict.breaks.iter().map(ToString::to_string).collect(),
        }));
    let major = |package: &str, installed: String, required: String| Conflict {
        package: package.to_owned(),
        installed,
        required,
        severity: Severity::Major,
        breaks: Vec::new(),
    };
    findings
        .conflicts
        .extend(audit.interpreter.iter().map(|conflict| {
            major(
                "interpreter",
                conflict.running.clone(),
                format!("{} (for {})", conflict.required, conflict.wanted),
            )
        }));
    findings
        .conflicts
        .extend(audit.contradictions.iter().map(|contradiction| {
            major(
                &contradiction.package,
                "no version".to_owned(),
                wanted(&contradiction.package, &contradiction.demands),
            )
        }));
    let duplicates = audit
        .duplicates
        .iter()
        .filter(|duplicate| duplicate.required);
    findings.conflicts.extend(duplicates.map(|duplicate| {
        let versions: Vec<&str> = duplicate
            .copies
            .iter()
            .map(|(version, _)| version.as_str())
            .collect();
        major(
            &duplicate.package,
            versions.join(" and "),
            "one copy".to_owned(),
        )
    }));
    findings
}

/// A package and what is asked of it, fit to be shown.
fn wanted(package: &str, demands: &[Demand]) -> String {
    let mut specs: Vec<String> = demands
        .iter()
        .map(|demand| redacted(&demand.spec))
        .filter(|spec| !spec.is_empty())
        .collect();
    specs.sort();
    specs.dedup();
    match specs.first().and_then(|first| first.chars().next()) {
        None => package.to_owned(),
        Some('<' | '>' | '=' | '!' | '~') => format!("{package}{}", specs.join(",")),
        Some(_) => format!("{package} {}", specs.join(", ")),
    }
}

//! The seam to the auditors: their answer in the words of a decision.

use std::path::Path;

use crate::audit::report::asked;
use crate::audit::{self, Audit, Conflict, Demand, SeverityRules};
use crate::decision::Findings;
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
    let unjudged = audit
        .unjudged
        .first()
        .map(|unjudged| format!("{}: {}", redacted(&unjudged.subject), unjudged.reason));
    let findings = findings(audit);
    match unjudged {
        Some(reason) if findings.satisfied() => Err(reason),
        _ => Ok(findings),
    }
}

/// What an environment would lack that was just made from an interpreter; nothing if the
/// auditor cannot tell.
#[must_use]
pub fn lacking_when_new(
    auditor: &str,
    base: &Path,
    requirements: &Requirements,
    rules: &SeverityRules,
) -> Option<Vec<String>> {
    let audit = audit::auditor(auditor)?.audit_new(base, requirements, rules)?;
    let missing = audit.missing.iter();
    Some(
        missing
            .map(|missing| wanted(&missing.package, &missing.demands))
            .collect(),
    )
}

/// What is installed at a place and can be held, with its version.
#[must_use]
pub fn installed(auditor: &str, place: &Path) -> Packages {
    audit::auditor(auditor).map_or_else(Packages::new, |found| found.installed(place))
}

fn findings(audit: Audit) -> Findings {
    let mut findings = Findings::default();
    for missing in audit.missing {
        let required = wanted(&missing.package, &missing.demands);
        if missing.breaks.is_empty() {
            findings.missing.push(required);
        } else {
            findings.conflicts.push(Conflict {
                breaks: missing.breaks,
                ..Conflict::major(missing.package, "nothing", required)
            });
        }
    }
    let conflicts = &mut findings.conflicts;
    conflicts.extend(audit.conflicts);
    conflicts.extend(audit.interpreter.into_iter().map(|found| {
        let required = format!("{} (for {})", found.required, found.wanted);
        Conflict::major("interpreter", found.running, required)
    }));
    conflicts.extend(audit.contradictions.into_iter().map(|found| {
        let required = wanted(&found.package, &found.demands);
        Conflict::major(found.package, "no version", required)
    }));
    let duplicates = audit.duplicates.into_iter().filter(|found| found.required);
    conflicts.extend(duplicates.map(|found| {
        let copies = found.copies.into_iter();
        let versions: Vec<String> = copies.map(|(version, _)| version).collect();
        Conflict::major(found.package, versions.join(" and "), "one copy")
    }));
    findings
}

fn wanted(package: &str, demands: &[Demand]) -> String {
    asked(package, demands.iter().map(|demand| demand.spec.as_str()))
}

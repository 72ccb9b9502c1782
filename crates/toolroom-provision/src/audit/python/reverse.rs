//! The end of a walk: what is missing, what conflicts, and who among the installed would
//! be broken by putting that right.

use std::collections::BTreeMap;
use std::path::Path;

use pep440_rs::Version;
use pep508_rs::ExtraName;
use version_ranges::Ranges;

use super::distribution::Distribution;
use super::judge;
use super::walk::{Ask, By, Package, Verdict, Walk, gated, specifier};
use crate::audit::report::{
    Audit, Break, Conflict, Contradiction, Demand, Missing, Severity, Wanted, asked,
};
use crate::requirement::pep508::{Applies, leading_name, normalize};
use crate::requirement::{PythonRequirement, Role};

/// What installed packages that the walk did not reach ask of packages that must change.
type Elsewhere = BTreeMap<String, Vec<(Wanted, PythonRequirement)>>;

impl Walk<'_> {
    /// Turns what was asked into the answer.
    pub(super) fn finish(mut self) -> Audit {
        let packages = std::mem::take(&mut self.packages);
        let changing: Vec<&str> = packages
            .iter()
            .filter(|(_, package)| package.installed.is_none() || package.is_unmet())
            .map(|(name, _)| name.as_str())
            .collect();
        let elsewhere = self.elsewhere(&changing);
        for (name, package) in &packages {
            self.unknowns(name, package);
            let others = elsewhere.get(name).map_or(&[][..], Vec::as_slice);
            match package.installed {
                None => self.missing(name, package, others, &changing),
                Some(index) if package.is_unmet() => {
                    self.conflict(name, package, index, others, &changing);
                }
                Some(index) => self.met(name, package, index),
            }
        }
        self.audit.examined = self.opened.len();
        self.audit
    }

    fn unknowns(&mut self, name: &str, package: &Package<'_>) {
        let unknown = package.asks.iter().find_map(|ask| match &ask.verdict {
            Verdict::Unknown(reason) => Some((reason, ask.by)),
            _ => None,
        });
        if let Some((reason, by)) = unknown {
            self.unjudged(name, reason, by);
        }
    }

    fn met(&mut self, name: &str, package: &Package<'_>, index: usize) {
        let version = self
            .installed
            .at(index)
            .map(Distribution::version)
            .unwrap_or_default();
        for ask in &package.asks {
            let is_item = matches!(ask.by, By::Item(item) if item.role != Role::Constraint);
            if is_item && ask.verdict == Verdict::Met {
                let demand = self.demand(ask.by, &ask.requirement);
                self.satisfied(name, &version, demand);
            }
        }
    }

    fn missing(
        &mut self,
        name: &str,
        package: &Package<'_>,
        others: &[(Wanted, PythonRequirement)],
        changing: &[&str],
    ) {
        let range = self.wanted_range(name, package);
        let (breaks, holds) = self.standing(&range, package, others, changing);
        let demands = self.demands(package);
        self.audit.missing.push(Missing {
            package: name.to_owned(),
            demands,
            breaks,
            holds,
        });
    }

    fn conflict(
        &mut self,
        name: &str,
        package: &Package<'_>,
        index: usize,
        others: &[(Wanted, PythonRequirement)],
        changing: &[&str],
    ) {
        let range = self.wanted_range(name, package);
        let (breaks, _) = self.standing(&range, package, others, changing);
        let unmet: Vec<(&Ask<'_>, &str)> = package
            .asks
            .iter()
            .filter_map(|ask| match &ask.verdict {
                Verdict::Unmet(instead) => Some((ask, instead.as_str())),
                _ => None,
            })
            .collect();
        let Some((_, installed)) = unmet.first() else {
            return;
        };
        let required: Vec<String> = unmet
            .iter()
            .map(|(ask, _)| ask.requirement.spec())
            .collect();
        let other_source = unmet
            .iter()
            .any(|(ask, _)| ask.requirement.source().is_some());
        let version = self
            .installed
            .at(index)
            .and_then(|found| found.details().ok());
        let severity = match version {
            Some(details) if !other_source && breaks.is_empty() => {
                let nearest = judge::nearest(&range, &details.version);
                self.rules
                    .judge(name, judge::head(&details.version), nearest)
            }
            _ => Severity::Major,
        };
        self.audit.conflicts.push(Conflict {
            package: name.to_owned(),
            installed: (*installed).to_owned(),
            required: asked(name, required.iter().map(String::as_str)),
            severity,
            breaks,
        });
    }

    fn demands(&self, package: &Package<'_>) -> Vec<Demand> {
        let demand = |ask: &Ask<'_>| self.demand(ask.by, &ask.requirement);
        package.asks.iter().map(demand).collect()
    }

    /// The versions that would put things right: all that files ask for, and whatever else
    /// is not met now. Demands that contradict each other are reported on the way.
    fn wanted_range(&mut self, name: &str, package: &Package<'_>) -> Ranges<Version> {
        let counts = |ask: &&Ask<'_>| {
            let open = package.installed.is_none() || ask.verdict != Verdict::Met;
            open || matches!(ask.by, By::Item(_))
        };
        let range = judge::range(
            package
                .asks
                .iter()
                .filter(counts)
                .map(|ask| &*ask.requirement),
        );
        if range.is_empty() {
            let demands = package.asks.iter().filter(counts);
            let demands = demands
                .map(|ask| self.demand(ask.by, &ask.requirement))
                .collect();
            self.audit.contradictions.push(Contradiction {
                package: name.to_owned(),
                demands,
            });
        }
        range
    }

    /// Sorts what installed packages ask into what would be broken and what must be held.
    fn standing(
        &self,
        range: &Ranges<Version>,
        package: &Package<'_>,
        others: &[(Wanted, PythonRequirement)],
        changing: &[&str],
    ) -> (Vec<Break>, Vec<Demand>) {
        let (mut breaks, mut holds) = (Vec::new(), Vec::new());
        let reached = package.asks.iter().filter_map(|ask| match ask.by {
            By::Package(_) if package.installed.is_some() && ask.verdict == Verdict::Met => {
                Some((self.wanted(ask.by), &*ask.requirement))
            }
            _ => None,
        });
        let others = others
            .iter()
            .map(|(wanted, requirement)| (wanted.clone(), requirement));
        for (wanted, requirement) in reached.chain(others) {
            let Wanted::ByPackage { name, version } = &wanted else {
                continue;
            };
            if changing.contains(&name.as_str()) {
                continue;
            }
            if !range.is_empty() && judge::excludes(range, requirement) {
                breaks.push(Break {
                    package: name.clone(),
                    version: version.clone(),
                    requires: specifier(requirement),
                });
            } else if !requirement.spec().is_empty() {
                holds.push(Demand {
                    spec: requirement.spec(),
                    install: specifier(requirement),
                    role: Role::Constraint,
                    wanted,
                });
            }
        }
        (breaks, holds)
    }

    /// Reads the metadata of everything that was not reached: only when something must
    /// change does it matter who else leans on it.
    fn elsewhere(&self, changing: &[&str]) -> Elsewhere {
        let mut found = Elsewhere::new();
        if changing.is_empty() {
            return found;
        }
        for other in self.installed.iter() {
            let index = self.installed.find(other.name());
            let was_opened = index.is_some_and(|index| self.opened.contains_key(&index));
            let Ok(details) = other.details() else {
                continue;
            };
            if was_opened || changing.contains(&other.name()) {
                continue;
            }
            for text in &details.requires {
                let name = normalize(leading_name(text));
                if changing.contains(&name.as_str())
                    && let Some(requirement) = self.counts(text, &[])
                {
                    let wanted = Wanted::ByPackage {
                        name: other.name().to_owned(),
                        version: other.version(),
                    };
                    found.entry(name).or_default().push((wanted, requirement));
                }
            }
        }
        found
    }

    fn counts(&self, text: &str, extras: &[ExtraName]) -> Option<PythonRequirement> {
        if gated(text, extras) {
            return None;
        }
        let requirement = PythonRequirement::parse(text, Path::new("/")).ok()?;
        let applies = requirement.applies(self.environment.markers(), extras);
        (applies != Applies::No).then_some(requirement)
    }
}

//! The walk from the requirements through everything installed that they lead to.
//!
//! Direct requirements are all judged before any package is opened, so that what must be
//! replaced is not asked what it needs.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::path::Path;
use std::str::FromStr;

use pep440_rs::Version;
use pep508_rs::ExtraName;

use super::environment::Environment;
use super::installed::Installed;
use crate::audit::report::{
    Audit, Demand, Duplicate, InterpreterConflict, Satisfied, Unjudged, Wanted,
};
use crate::audit::severity::SeverityRules;
use crate::redaction::redacted;
use crate::requirement::pep508::{Applies, Want, gate, normalize};
use crate::requirement::{Parsed, PythonRequirement, Requirement, Requirements, Role};

/// Who asks.
#[derive(Debug, Clone, Copy)]
pub(super) enum By<'a> {
    Item(&'a Requirement),
    Package(usize),
}

/// One demand on a package, and what became of it.
#[derive(Debug)]
pub(super) struct Ask<'a> {
    pub by: By<'a>,
    pub requirement: Cow<'a, PythonRequirement>,
    pub verdict: Verdict,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    Met,
    /// Not met; says what is there instead.
    Unmet(String),
    /// Says why it cannot be told.
    Unknown(String),
}

/// All that is asked of one package.
#[derive(Debug, Default)]
pub(super) struct Package<'a> {
    pub installed: Option<usize>,
    pub asks: Vec<Ask<'a>>,
}

impl Package<'_> {
    pub fn is_unmet(&self) -> bool {
        self.asks
            .iter()
            .any(|ask| matches!(ask.verdict, Verdict::Unmet(_)))
    }
}

type Constraints<'a> = HashMap<&'a str, Vec<(&'a Requirement, &'a PythonRequirement)>>;

pub(super) struct Walk<'a> {
    pub environment: &'a Environment,
    pub installed: &'a Installed,
    pub rules: &'a SeverityRules,
    pub audit: Audit,
    /// By name, or by source where the name is unknown.
    pub packages: BTreeMap<String, Package<'a>>,
    /// The extras asked of each package that was opened.
    pub opened: HashMap<usize, HashSet<ExtraName>>,
    constraints: Constraints<'a>,
    queue: VecDeque<(usize, Vec<ExtraName>)>,
    lines_asked: HashSet<(usize, usize)>,
}

impl<'a> Walk<'a> {
    pub fn new(
        environment: &'a Environment,
        installed: &'a Installed,
        rules: &'a SeverityRules,
    ) -> Self {
        Self {
            environment,
            installed,
            rules,
            audit: Audit::default(),
            packages: BTreeMap::new(),
            opened: HashMap::new(),
            constraints: HashMap::new(),
            queue: VecDeque::new(),
            lines_asked: HashSet::new(),
        }
    }

    pub fn run(mut self, requirements: &'a Requirements) -> Audit {
        for problem in &requirements.problems {
            self.audit.unjudged.push(Unjudged {
                subject: problem.kind.to_string(),
                reason: "it could not be read".to_owned(),
                wanted: Some(Wanted::By(problem.origin.clone())),
            });
        }
        for limit in &requirements.interpreter {
            self.interpreter(&limit.spec, || Wanted::By(limit.origin.clone()));
        }
        self.constraints = constraints(requirements);
        for item in &requirements.items {
            let counts = match item.role {
                Role::Constraint => false,
                Role::Optional => self.installed.find(&item.name).is_some(),
                _ => true,
            };
            if counts {
                self.item(item);
            }
        }
        while let Some((index, extras)) = self.queue.pop_front() {
            self.open(index, &extras);
        }
        self.duplicates();
        self.finish()
    }

    fn item(&mut self, item: &'a Requirement) {
        let Parsed::Python(requirement) = &item.parsed else {
            return self.unjudged(&item.text, "it is not a Python requirement", By::Item(item));
        };
        match requirement.applies(self.environment.markers(), &[]) {
            Applies::Yes => self.ask(By::Item(item), Cow::Borrowed(requirement.as_ref())),
            Applies::No => {
                let demand = self.demand(By::Item(item), requirement);
                self.audit.skipped.push(demand);
            }
            Applies::Unknown => {
                let reason = "its marker compares kernel releases, which have no agreed order";
                self.unjudged(&item.text, reason, By::Item(item));
            }
        }
    }

    fn ask(&mut self, by: By<'a>, requirement: Cow<'a, PythonRequirement>) {
        let found = self.locate(&requirement);
        let name = found
            .and_then(|index| self.installed.at(index))
            .map_or_else(|| requirement.name(), |found| found.name());
        let key = if name.is_empty() {
            requirement.spec()
        } else {
            name.to_owned()
        };
        let is_new = !self.packages.contains_key(&key);
        if is_new {
            self.constrain(&key, found);
        }
        let extras = requirement.extra_names().to_vec();
        let verdict = self.judge(&requirement, found);
        let package = self.packages.entry(key).or_default();
        package.installed = found;
        package.asks.push(Ask {
            by,
            requirement,
            verdict,
        });
        if let Some(index) = found {
            self.queue.push_back((index, extras));
        }
    }

    /// Constraints speak only once something asks for their package.
    fn constrain(&mut self, key: &str, found: Option<usize>) {
        let Some(list) = self.constraints.remove(key) else {
            return;
        };
        for (item, requirement) in list {
            let verdict = self.judge(requirement, found);
            let package = self.packages.entry(key.to_owned()).or_default();
            package.asks.push(Ask {
                by: By::Item(item),
                requirement: Cow::Borrowed(requirement),
                verdict,
            });
        }
    }

    fn locate(&self, requirement: &PythonRequirement) -> Option<usize> {
        match (requirement.name(), requirement.source()) {
            ("", Some(source)) => self
                .installed
                .find_source(source, requirement.is_editable()),
            (name, _) => self.installed.find(name),
        }
    }

    fn judge(&self, requirement: &PythonRequirement, found: Option<usize>) -> Verdict {
        let Some(found) = found.and_then(|index| self.installed.at(index)) else {
            return Verdict::Met;
        };
        for copy in self.installed.copies(found.name()) {
            let details = match copy.details() {
                Ok(details) => details,
                Err(reason) => return Verdict::Unknown(reason.to_owned()),
            };
            let fits = match requirement.want() {
                Want::Versions(_) if requirement.allows(&details.version) => Ok(()),
                Want::Versions(_) => Err(details.version.to_string()),
                Want::Source(source) => match copy.origin() {
                    Some(origin) => origin.meets(source, requirement.is_editable()),
                    None => Err(format!("{} (from an index)", details.version)),
                },
            };
            if let Err(instead) = fits {
                return Verdict::Unmet(instead);
            }
        }
        Verdict::Met
    }

    /// Follows what an installed package needs itself, for extras not followed before.
    fn open(&mut self, index: usize, extras: &[ExtraName]) {
        let installed = self.installed;
        let Some(found) = installed.at(index) else {
            return;
        };
        let replaced = self
            .packages
            .get(found.name())
            .is_some_and(Package::is_unmet);
        let is_first = !self.opened.contains_key(&index);
        let seen = self.opened.entry(index).or_default();
        let before = seen.len();
        seen.extend(extras.iter().cloned());
        if replaced || (!is_first && seen.len() == before) {
            return;
        }
        let active: Vec<ExtraName> = seen.iter().cloned().collect();
        let Ok(details) = found.details() else {
            return;
        };
        if let (true, Some(spec)) = (is_first, &details.requires_python) {
            self.interpreter(spec, || self_wanted(installed, index));
        }
        for (line, text) in details.requires.iter().enumerate() {
            if !gated(text, &active) && !self.lines_asked.contains(&(index, line)) {
                self.line(index, line, text, &active);
            }
        }
    }

    fn line(&mut self, index: usize, line: usize, text: &'a str, active: &[ExtraName]) {
        let by = By::Package(index);
        let requirement = match PythonRequirement::parse(text, Path::new("/")) {
            Ok(requirement) => requirement,
            Err(reason) => {
                self.lines_asked.insert((index, line));
                return self.unjudged(text, &reason, by);
            }
        };
        match requirement.applies(self.environment.markers(), active) {
            Applies::No => {}
            Applies::Yes => {
                self.lines_asked.insert((index, line));
                self.ask(by, Cow::Owned(requirement));
            }
            Applies::Unknown => {
                self.lines_asked.insert((index, line));
                self.unjudged(text, "its marker compares kernel releases", by);
            }
        }
    }

    /// Checks a limit on the interpreter against its release numbers, as pip does: a
    /// release candidate counts as the release.
    fn interpreter(&mut self, spec: &str, wanted: impl FnOnce() -> Wanted) {
        let running = self.environment.version();
        // The parser's guard stands before requirements only, so this is read as one.
        let limit = PythonRequirement::parse(&format!("python {spec}"), Path::new("/"));
        let verdict = match (limit, Version::from_str(running)) {
            (Ok(limit), Ok(version)) if !spec.contains(['[', '@', ';']) => {
                limit.allows(&version.only_release())
            }
            _ => {
                return self.audit.unjudged.push(Unjudged {
                    subject: format!("Python {spec}"),
                    reason: "it is not a version specifier".to_owned(),
                    wanted: Some(wanted()),
                });
            }
        };
        if !verdict {
            self.audit.interpreter.push(InterpreterConflict {
                running: running.to_owned(),
                required: spec.to_owned(),
                wanted: wanted(),
            });
        }
    }

    fn duplicates(&mut self) {
        for name in self.installed.repeated() {
            let copies = self.installed.copies(name);
            self.audit.duplicates.push(Duplicate {
                package: name.to_owned(),
                copies: copies
                    .map(|c| (c.version(), c.place().to_path_buf()))
                    .collect(),
                required: self.packages.contains_key(name),
            });
        }
    }

    pub fn unjudged(&mut self, subject: &str, reason: &str, by: By<'_>) {
        let wanted = self.wanted(by);
        self.audit.unjudged.push(Unjudged {
            subject: redacted(subject),
            reason: reason.to_owned(),
            wanted: Some(wanted),
        });
    }

    pub fn wanted(&self, by: By<'_>) -> Wanted {
        match by {
            By::Item(item) => Wanted::By(item.origin.clone()),
            By::Package(index) => self_wanted(self.installed, index),
        }
    }

    pub fn demand(&self, by: By<'_>, requirement: &PythonRequirement) -> Demand {
        let (install, role) = match by {
            By::Item(item) => (item.text.clone(), item.role),
            By::Package(_) => (specifier(requirement), Role::Required),
        };
        Demand {
            spec: requirement.spec(),
            install,
            role,
            wanted: self.wanted(by),
        }
    }

    pub fn satisfied(&mut self, package: &str, version: &str, demand: Demand) {
        self.audit.satisfied.push(Satisfied {
            package: package.to_owned(),
            version: version.to_owned(),
            demand,
        });
    }
}

/// Whether a line belongs to an extra that nobody asked for, seen without parsing it.
pub(super) fn gated(text: &str, active: &[ExtraName]) -> bool {
    gate(text).is_some_and(|extra| {
        let extra = normalize(extra);
        !active
            .iter()
            .any(|name| AsRef::<str>::as_ref(name) == extra)
    })
}

fn self_wanted(installed: &Installed, index: usize) -> Wanted {
    let (name, version) = installed
        .at(index)
        .map(|found| (found.name().to_owned(), found.version()))
        .unwrap_or_default();
    Wanted::ByPackage { name, version }
}

/// A requirement without its marker, which has been judged already.
pub(super) fn specifier(requirement: &PythonRequirement) -> String {
    let extras: Vec<&str> = requirement.extras().collect();
    let extras = match extras.as_slice() {
        [] => String::new(),
        some => format!("[{}]", some.join(",")),
    };
    let at = if requirement.source().is_some() {
        " @ "
    } else {
        ""
    };
    format!("{}{extras}{at}{}", requirement.name(), requirement.spec())
}

fn constraints(requirements: &Requirements) -> Constraints<'_> {
    let mut found = Constraints::new();
    for item in &requirements.items {
        if let (Role::Constraint, Parsed::Python(requirement)) = (item.role, &item.parsed) {
            let list = found.entry(requirement.name()).or_default();
            list.push((item, requirement));
        }
    }
    found
}

//! The walk from a project's requirements through the packages they lead to.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};

use super::layout::workspace_root;
use super::package::Manifest;
use crate::audit::report::{
    Audit, Conflict, Demand, Missing, Satisfied, Severity, Unjudged, Wanted, asked,
};
use crate::audit::severity::SeverityRules;
use crate::requirement::node_spec::parse_version;
use crate::requirement::package_json::bad_name;
use crate::requirement::{NodeSpec, Parsed, Requirement, Requirements, Role};

const MAX_PACKAGES: usize = 50_000;
const MAX_LEVELS: usize = 64;

pub(super) struct Walk<'a> {
    project: &'a Path,
    /// Where the way upwards ends for what lies below it.
    top: PathBuf,
    rules: &'a SeverityRules,
    audit: Audit,
    missing: BTreeMap<String, Vec<Demand>>,
    overridden: HashSet<String>,
    opened: HashSet<PathBuf>,
    queue: VecDeque<Found>,
}

/// A package on disk.
struct Found {
    /// Its real place, from which its own packages are looked up.
    place: PathBuf,
    is_link: bool,
    manifest: Manifest,
}

impl Found {
    fn version(&self) -> &str {
        self.manifest.version.as_str().unwrap_or_default()
    }

    fn name(&self) -> &str {
        self.manifest.name.as_str().unwrap_or_default()
    }
}

enum Lookup {
    Absent,
    Damaged(String),
    Found(Box<Found>),
}

impl<'a> Walk<'a> {
    pub fn new(project: &'a Path, rules: &'a SeverityRules) -> Self {
        let top = workspace_root(project).unwrap_or_else(|| project.to_path_buf());
        let overridden = [project, &top]
            .into_iter()
            .filter_map(|directory| Manifest::read(directory).ok())
            .flat_map(|manifest| manifest.overridden())
            .collect();
        Self {
            project,
            top,
            rules,
            audit: Audit::default(),
            missing: BTreeMap::new(),
            overridden,
            opened: HashSet::new(),
            queue: VecDeque::new(),
        }
    }

    pub fn run(mut self, requirements: &Requirements) -> Audit {
        for problem in &requirements.problems {
            self.audit.unjudged.push(Unjudged {
                subject: problem.kind.to_string(),
                reason: "it could not be read".to_owned(),
                wanted: Some(Wanted::By(problem.origin.clone())),
            });
        }
        for item in &requirements.items {
            self.item(item);
        }
        while let Some(found) = self.queue.pop_front() {
            if self.opened.len() >= MAX_PACKAGES {
                self.unjudged(
                    "the rest of the tree",
                    format!("there are more than {MAX_PACKAGES} packages"),
                    None,
                );
                break;
            }
            self.open(&found);
        }
        let missing = std::mem::take(&mut self.missing);
        self.audit.missing = missing
            .into_iter()
            .map(|(package, demands)| Missing {
                package,
                demands,
                breaks: Vec::new(),
                holds: Vec::new(),
            })
            .collect();
        self.audit.examined = self.opened.len();
        self.audit
    }

    fn item(&mut self, item: &Requirement) {
        let demand = Demand {
            spec: item.spec.clone(),
            install: item.text.clone(),
            role: item.role,
            wanted: Wanted::By(item.origin.clone()),
        };
        match &item.parsed {
            Parsed::Node(spec) => self.ask(self.project, &item.name, spec, demand),
            _ => self.unjudged(
                &item.text,
                "it is not a Node requirement".to_owned(),
                Some(demand.wanted),
            ),
        }
    }

    fn ask(&mut self, from: &Path, name: &str, spec: &NodeSpec, demand: Demand) {
        match self.look_up(from, name) {
            Lookup::Absent => match demand.role {
                Role::Optional | Role::OptionalPeer => self.audit.skipped.push(demand),
                _ => self
                    .missing
                    .entry(name.to_owned())
                    .or_default()
                    .push(demand),
            },
            Lookup::Damaged(reason) => self.unjudged(name, reason, Some(demand.wanted)),
            Lookup::Found(found) => self.judge(name, spec, demand, *found),
        }
    }

    fn judge(&mut self, name: &str, spec: &NodeSpec, demand: Demand, found: Found) {
        let other = spec.alias().filter(|alias| *alias != found.name());
        let free = self.overridden.contains(name) || (found.is_link && found.version().is_empty());
        let verdict = if free {
            Some(true)
        } else {
            spec.allows(found.version())
        };
        match (other, verdict) {
            (None, Some(true)) => {
                if matches!(demand.wanted, Wanted::By(_)) {
                    self.audit.satisfied.push(Satisfied {
                        package: name.to_owned(),
                        version: found.version().to_owned(),
                        demand,
                    });
                }
                if !self.opened.contains(&found.place) {
                    self.opened.insert(found.place.clone());
                    self.queue.push_back(found);
                }
            }
            (None, None) => {
                let reason = format!("its version `{}` is not a version", found.version());
                self.unjudged(name, reason, Some(demand.wanted));
            }
            (other, _) => self.conflict(name, spec, &demand, &found, other.is_some()),
        }
    }

    fn conflict(
        &mut self,
        name: &str,
        spec: &NodeSpec,
        demand: &Demand,
        found: &Found,
        is_other: bool,
    ) {
        let installed = if is_other {
            format!("{}@{}", found.name(), found.version())
        } else {
            found.version().to_owned()
        };
        let severity = match (parse_version(found.version()), is_other) {
            (Some(version), false) => {
                let nearest = spec.lowest().map(|(major, minor)| (0, major, minor));
                self.rules
                    .judge(name, (0, version.major(), version.minor()), nearest)
            }
            _ => Severity::Major,
        };
        self.audit.conflicts.push(Conflict {
            package: name.to_owned(),
            installed,
            required: asked(name, std::iter::once(demand.spec.as_str())),
            severity,
            breaks: Vec::new(),
        });
    }

    /// Follows what an installed package needs itself.
    fn open(&mut self, found: &Found) {
        let demand = |name: &str, range: &str, role| Demand {
            spec: range.to_owned(),
            install: format!("{name}@{range}"),
            role,
            wanted: Wanted::ByPackage {
                name: found.name().to_owned(),
                version: found.version().to_owned(),
            },
        };
        let required = found.manifest.required().map(|pair| (pair, Role::Required));
        let optional = found.manifest.optional().map(|pair| (pair, Role::Optional));
        for ((name, range), role) in required.chain(optional) {
            if bad_name(name).is_none() {
                self.ask(
                    &found.place,
                    name,
                    &NodeSpec::parse(range),
                    demand(name, range, role),
                );
            }
        }
        // An unmet peer is a warning to every package manager, so it is a note here.
        for (name, range) in found.manifest.peers() {
            if bad_name(name).is_some() {
                continue;
            }
            let peer = self.look_up(&found.place, name);
            let fits = match &peer {
                Lookup::Found(peer) => NodeSpec::parse(range).allows(peer.version()) != Some(false),
                _ => false,
            };
            if !fits && !self.overridden.contains(name) {
                let note = format!("{} expects a peer {name}@{range}", found.name());
                self.audit.notes.push(note);
            }
        }
    }

    /// Looks for a package as Node does: in `node_modules` of the folder and of every
    /// folder above it.
    fn look_up(&self, from: &Path, name: &str) -> Lookup {
        let inside = from.starts_with(&self.top);
        for folder in from.ancestors().take(MAX_LEVELS) {
            if inside && !folder.starts_with(&self.top) {
                break;
            }
            if folder
                .file_name()
                .is_some_and(|name| name == "node_modules")
            {
                continue;
            }
            let candidate = folder.join("node_modules").join(name);
            let Ok(metadata) = fs_err::symlink_metadata(&candidate) else {
                continue;
            };
            let is_link = metadata.file_type().is_symlink();
            let place = if is_link {
                fs_err::canonicalize(&candidate)
            } else {
                Ok(candidate.clone())
            };
            // Node goes on past a link to nothing, and so do we. A folder without a manifest
            // is what an interrupted install leaves.
            let Ok(place) = place else {
                continue;
            };
            if !place.join("package.json").is_file() {
                continue;
            }
            return match Manifest::read(&place) {
                Ok(manifest) => Lookup::Found(Box::new(Found {
                    place,
                    is_link,
                    manifest,
                })),
                Err(reason) => Lookup::Damaged(reason),
            };
        }
        Lookup::Absent
    }

    fn unjudged(&mut self, subject: &str, reason: String, wanted: Option<Wanted>) {
        self.audit.unjudged.push(Unjudged {
            subject: subject.to_owned(),
            reason,
            wanted,
        });
    }
}

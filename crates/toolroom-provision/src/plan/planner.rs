//! From targets to plans: look, audit, decide, and write the commands down.

use std::path::{Path, PathBuf};

use toolroom_catalog::Catalog;
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;

use super::commands::Making;
use super::machine::{Interpreter, Look, Machine};
use super::needs::Needs;
use super::target::{EnvSetup, Subject, Target, env_setup};
use super::{Plan, Step, parents, survey};
use crate::apply::mark;
use crate::audit::SeverityRules;
use crate::decision::{
    Action, Base, Candidate, Decision, Findings, FolderSituation, Origin, Place, Policy, Situation, State, decide_environment,
    decide_folder,
};
use crate::error::ProvisionError;
use crate::journal::{Packages, Pending, Record, key};
use crate::manager::{self, Choice, EnvironmentSpec, Facts, Manager, choose, fill_text};
use crate::store;

/// What the user asked for besides the targets.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'o> {
    pub policy: Policy,
    /// Packages whose every conflict is major.
    pub major_packages: &'o [String],
    pub repair: bool,
}

/// Plans for one world.
#[derive(Debug, Clone, Copy)]
pub struct Planner<'p> {
    pub world: &'p World,
    pub catalog: &'p Catalog,
    pub options: Options<'p>,
}

impl<'p> Planner<'p> {
    const fn machine(&self) -> Machine<'p> {
        Machine {
            world: self.world,
            catalog: self.catalog,
        }
    }

    fn rules(&self) -> SeverityRules {
        SeverityRules {
            major: self.options.major_packages.to_vec(),
            ..SeverityRules::default()
        }
    }

    /// The project's own manifests, one target for each manager that knows one.
    ///
    /// # Errors
    /// Fails if a manager cannot be understood.
    pub fn project(&self) -> Result<Vec<Target>, ProvisionError> {
        let Some(root) = &self.world.project else {
            return Ok(Vec::new());
        };
        let managers = manager::load_all(self.catalog)?;
        Ok(managers.into_iter().filter_map(|manager| of_manifests(manager, root, None)).collect())
    }

    /// What a tool needs: an environment of its own, or what its manifest asks for.
    ///
    /// # Errors
    /// Fails if its `env_setup` names no manager.
    pub fn tool(&self, chain: &Chain) -> Result<Option<Target>, ProvisionError> {
        let Some(setup) = env_setup(chain) else {
            return Ok(None);
        };
        let tool = chain.tool();
        let manager = manager::load(self.catalog, &setup.kind, Some(tool.id.as_str()))?;
        let own = Target {
            subject: Subject::Tool(Box::new(tool.clone())),
            root: self.world.root().to_path_buf(),
            manifests: Vec::new(),
            manager,
        };
        let declares = ["requires", "script"].iter().any(|field| tool.metadata.contains_key(*field));
        if declares && !Needs::of(&own, self.world).requirements.is_empty() {
            return Ok(Some(own));
        }
        let root = self.world.root();
        let named = named_manifest(&own.manager, &setup, root);
        Ok(of_manifests(own.manager, root, named))
    }

    /// Plans for one target.
    ///
    /// # Errors
    /// Fails if the manager or the manifest cannot be used at all.
    pub fn plan(&self, target: &Target) -> Result<Plan, ProvisionError> {
        let needs = Needs::of(target, self.world);
        let (faults, oddities) = needs.problems();
        let mut plan = match (&target.subject, &target.manager.environment) {
            _ if !faults.is_empty() => self.refused(target, needs, faults),
            (Subject::Project, Some(spec)) => self.environment(target, spec, needs)?,
            (Subject::Tool(_), Some(spec)) => self.shared(target, spec, needs)?,
            (Subject::Project, None) => self.folder(target, needs)?,
            (Subject::Tool(_), None) => self.beside(target, needs),
        };
        plan.decision.warnings.extend(oddities);
        Ok(plan)
    }

    fn bare(&self, target: &Target, needs: Needs, decision: Decision) -> Plan {
        Plan {
            inputs: needs.inputs(&[]),
            target: target.clone(),
            decision,
            choice: None,
            steps: Vec::new(),
            needs,
            installed: Packages::new(),
            base: None,
            applied: false,
            needs_consent: false,
        }
    }

    fn refused(&self, target: &Target, needs: Needs, faults: Vec<String>) -> Plan {
        let mut decision = Decision::refuse("what is required cannot be read");
        decision.reasons.extend(faults);
        self.bare(target, needs, decision)
    }

    /// The project's environment: seed 003.
    fn environment(&self, target: &Target, spec: &EnvironmentSpec, needs: Needs) -> Result<Plan, ProvisionError> {
        let survey = self.candidates(target, spec, &needs);
        let base = self.machine().base(&spec.resolver, needs.interpreter().as_deref());
        let situation = Situation {
            what: spec.language.clone(),
            required: needs.count(),
            own: self.own_places(target, spec),
            base: base.as_ref().map(|base| self.base_of(base, spec, target, &needs)),
            policy: self.options.policy,
            repair: self.options.repair,
            candidates: survey.iter().map(|seen| seen.candidate.clone()).collect(),
        };
        let decision = decide_environment(&situation);
        let chosen = survey.into_iter().find(|seen| decision.environment.as_ref() == Some(&seen.candidate.path));
        self.finish(target, needs, decision, base, chosen)
    }

    /// A tool's own environment: what it would run in anyway if that has all, else one
    /// that is shared by all tools that require the same.
    fn shared(&self, target: &Target, spec: &EnvironmentSpec, needs: Needs) -> Result<Plan, ProvisionError> {
        let base = self.machine().base(&spec.resolver, needs.interpreter().as_deref());
        let own = base.as_ref().and_then(|base| store::place(self.world, &target.manager.name, &needs, &target.root, base));
        let mut candidates: Vec<Seen> = Vec::new();
        if let Some(own) = own.as_deref().filter(|own| own.exists()) {
            candidates.push(self.seen(target, spec, own, Origin::Recorded, &needs));
        } else if !self.options.policy.force_isolation {
            let satisfied = |seen: &Seen| matches!(&seen.candidate.state, State::Sound { findings: Ok(found), .. } if found.satisfied());
            let project = self.world.project.as_ref().map(|_| self.candidates(target, spec, &needs));
            candidates.extend(project.unwrap_or_default().into_iter().find(satisfied));
        }
        let situation = Situation {
            what: spec.language.clone(),
            required: needs.count() + needs.requirements.interpreter.len(),
            own: own.iter().map(|path| Place { path: path.clone(), free: !path.exists() }).collect(),
            base: base.as_ref().map(|base| Base {
                findings: None,
                guarded: false,
                path: base.path.clone(),
                version: base.version.clone(),
            }),
            policy: Policy { allow_global: false, ..self.options.policy },
            repair: true,
            candidates: candidates.iter().map(|seen| seen.candidate.clone()).collect(),
        };
        let mut decision = decide_environment(&situation);
        let is_shared = decision.environment.is_some() && decision.environment == own;
        match decision.action {
            Action::Create => decision.reasons = vec!["its own packages go to an environment that all tools share that require the same".to_owned()],
            Action::Reuse if is_shared => decision.reasons = vec!["the shared environment for what it requires is there".to_owned()],
            _ => {}
        }
        let chosen = candidates.into_iter().find(|seen| decision.environment.as_ref() == Some(&seen.candidate.path));
        self.finish(target, needs, decision, base, chosen)
    }

    fn finish(
        &self,
        target: &Target,
        needs: Needs,
        mut decision: Decision,
        base: Option<Interpreter>,
        chosen: Option<Seen>,
    ) -> Result<Plan, ProvisionError> {
        let machine = self.machine();
        let manifest = target.manifests.first();
        let is_there = |tool: &manager::ManagerTool| tool.program.0.is_empty() || machine.program(tool, &target.root).is_some();
        let choice = choose(&target.manager, &target.root, manifest.unwrap_or(&target.root), &is_there)?;
        let program = machine.program(&choice.commands, &target.root);
        let fetch = match (&base, needs.interpreter()) {
            (None, range) if choice.commands.interpreter.is_some() && program.is_some() => Some(range.unwrap_or_else(|| "3".to_owned())),
            _ => None,
        };
        if fetch.is_some() && decision.action == Action::Refuse && decision.environment.is_none() {
            decision = self.fetching(target, &needs, decision);
        }
        if decision.action.changes() && program.is_none() && !choice.commands.program.0.is_empty() {
            let programs = choice.commands.program.0.first().cloned().into_iter().collect();
            return Err(ProvisionError::NoProgram { manager: target.manager.name.clone(), programs });
        }
        decision.warnings.extend(choice.notes.iter().cloned());
        let installed = chosen.as_ref().map(|seen| seen.installed.clone()).unwrap_or_default();
        let remakes = matches!(decision.action, Action::Create | Action::Repair);
        let holds = matches!(decision.action, Action::InstallMissing | Action::Upgrade) && target.manager.environment.is_some();
        let making = Making {
            world: self.world,
            manager: &target.manager,
            choice: &choice,
            program,
            root: &target.root,
            manifest,
            base: base.as_ref(),
            inner: chosen.as_ref().filter(|_| !remakes).and_then(|seen| seen.inner.as_ref()),
            fetch: fetch.as_deref(),
            arguments: &needs.arguments,
            constraints: decision.environment.as_deref().filter(|_| holds).and_then(|place| constraints_file(self.world, place)),
        };
        let steps = making.steps(&decision)?;
        let lockfile: Vec<PathBuf> = choice.lockfile.iter().cloned().collect();
        Ok(Plan {
            inputs: needs.inputs(&lockfile),
            target: target.clone(),
            needs_consent: fetch.is_some() && decision.action.changes(),
            decision,
            choice: Some(choice),
            steps,
            needs,
            installed,
            base,
            applied: false,
        })
    }

    /// No interpreter will do, but one can be fetched.
    fn fetching(&self, target: &Target, needs: &Needs, refused: Decision) -> Decision {
        let Some(spec) = &target.manager.environment else {
            return refused;
        };
        let Some(place) = self.own_places(target, spec).into_iter().find(|place| place.free) else {
            return refused;
        };
        let range = needs.interpreter().unwrap_or_else(|| "any".to_owned());
        let mut decision = Decision::create(place.path);
        decision.reasons = refused.reasons;
        decision.reasons.push(format!("a {} {range} is fetched", spec.language));
        decision.warnings = refused.warnings;
        decision
    }

    /// A name for what the target's manifest and lockfile say now.
    ///
    /// # Errors
    /// Fails if it cannot be told which lockfile counts.
    pub(crate) fn inputs(&self, target: &Target) -> Result<String, ProvisionError> {
        let needs = Needs::of(target, self.world);
        let manifest = target.manifests.first().unwrap_or(&target.root);
        let machine = self.machine();
        let is_there = |tool: &manager::ManagerTool| tool.program.0.is_empty() || machine.program(tool, &target.root).is_some();
        let choice = choose(&target.manager, &target.root, manifest, &is_there)?;
        let lockfile: Vec<PathBuf> = choice.lockfile.into_iter().collect();
        Ok(needs.inputs(&lockfile))
    }

    /// What the auditor says of a place now.
    ///
    /// # Errors
    /// Says why it cannot be judged.
    pub(crate) fn verify(&self, plan: &Plan, auditor: &str, place: &Path) -> Result<Findings, String> {
        survey::audit(auditor, place, &plan.needs, &self.rules())
    }

    /// The commands that take back what was added and bring back what was replaced.
    pub(crate) fn undo_steps(&self, plan: &Plan, choice: &Choice, place: &Path, added: &[String], replaced: &[String]) -> Vec<Step> {
        let making = Making {
            world: self.world,
            manager: &plan.target.manager,
            program: self.machine().program(&choice.commands, &plan.target.root),
            choice,
            root: &plan.target.root,
            manifest: plan.target.manifests.first(),
            base: plan.base.as_ref(),
            inner: None,
            fetch: None,
            arguments: replaced,
            constraints: None,
        };
        let mut steps = Vec::new();
        if !added.is_empty() {
            steps.extend(making.removal(place, added.to_vec()).unwrap_or_default());
        }
        if !replaced.is_empty() {
            let upgrade = Decision { action: Action::Upgrade, ..Decision::create(place.to_path_buf()) };
            steps.extend(making.steps(&upgrade).unwrap_or_default());
        }
        steps
    }

    /// Packages beside their manifest.
    fn folder(&self, target: &Target, needs: Needs) -> Result<Plan, ProvisionError> {
        let mut plan = self.finish(target, needs, Decision::refuse(""), None, None)?;
        let choice = plan.choice.as_ref().ok_or(ProvisionError::NoState)?;
        let root = &target.root;
        let folder = target.manager.folder.as_ref().map(|folder| root.join(folder));
        let place = folder.as_deref().unwrap_or(root);
        let audited = target.manager.audit.as_deref().filter(|_| !uses_plug(choice, root)).map(|auditor| survey::audit(auditor, place, &plan.needs, &self.rules()));
        let record = Record::of(self.world, self.world.root()).decisions.remove(&target.key(self.world.root()));
        let situation = FolderSituation {
            marked: choice.commands.marks.iter().any(|mark| root.join(mark).exists()),
            folder_exists: place.exists() || choice.commands.marks.iter().any(|mark| root.join(mark).exists()),
            findings: audited,
            checked: None,
            unchanged: record.and_then(|record| record.inputs).as_ref() == Some(&plan.inputs),
            unfinished: self.world.directories.as_ref().is_some_and(|directories| Pending::of(&directories.state, place).is_some()),
            manifest: target.manifests.first().and_then(|file| file.file_name()).unwrap_or_default().display().to_string(),
            folder,
        };
        let decision = if plan.needs.count() == 0 && target.manager.notation.is_some() {
            Decision::none()
        } else {
            decide_folder(&situation)
        };
        let mut done = self.finish(target, std::mem::take(&mut plan.needs), decision, None, None)?;
        done.decision.warnings.dedup();
        Ok(done)
    }

    /// A tool's packages where there are no environments of their own: the project's will
    /// do, or it is said what to add.
    fn beside(&self, target: &Target, needs: Needs) -> Plan {
        let folder = target.root.join(target.manager.folder.as_deref().unwrap_or_default());
        let audited = target.manager.audit.as_deref().map(|auditor| survey::audit(auditor, &folder, &needs, &self.rules()));
        let decision = match audited {
            Some(Ok(found)) if found.satisfied() => Decision::reuse(folder, "the project has what the tool requires"),
            Some(Ok(found)) => {
                let mut decision = Decision::refuse("the project lacks what the tool requires");
                decision.fix = Some(format!("add to the project: {}", needs.arguments.join(" ")));
                decision.missing = found.missing;
                decision.conflicts = found.conflicts;
                decision
            }
            Some(Err(reason)) => Decision::refuse(&reason),
            None => Decision::none(),
        };
        self.bare(target, needs, decision)
    }

    /// The environments that are there, in order of preference.
    fn candidates(&self, target: &Target, spec: &EnvironmentSpec, needs: &Needs) -> Vec<Seen> {
        let root = &target.root;
        let mut places: Vec<(PathBuf, Origin)> = Vec::new();
        let record = Record::of(self.world, root);
        if let Some(recorded) = record.decisions.get(&target.manager.name).and_then(|decision| decision.environment.clone()) {
            places.push((recorded, Origin::Recorded));
        }
        for text in spec.existing.iter().chain(&spec.own) {
            places.extend(self.filled(text, root, None).map(|place| (place, Origin::Project)));
        }
        let mut seen = self.look_at(target, spec, places, needs);
        if seen.is_empty() {
            for parent in parents::above(root, self.world.home.as_deref()) {
                let texts = spec.parent.iter();
                let places = texts.filter_map(|text| self.filled(text, root, Some(&parent)));
                let places = places.map(|place| (place, Origin::Parent(parent.clone()))).collect();
                seen.extend(self.look_at(target, spec, places, needs));
                if !seen.is_empty() {
                    break;
                }
            }
        }
        seen
    }

    fn look_at(&self, target: &Target, spec: &EnvironmentSpec, places: Vec<(PathBuf, Origin)>, needs: &Needs) -> Vec<Seen> {
        let mut seen: Vec<Seen> = Vec::new();
        for (place, origin) in places {
            let known = seen.iter().any(|seen| seen.candidate.path == place);
            if !known && fs_err::symlink_metadata(&place).is_ok() {
                seen.push(self.seen(target, spec, &place, origin, needs));
            }
        }
        seen
    }

    fn seen(&self, target: &Target, spec: &EnvironmentSpec, place: &Path, origin: Origin, needs: &Needs) -> Seen {
        let mut inner = None;
        let mut installed = Packages::new();
        let state = if mark::is_unfinished(place) {
            State::Unfinished
        } else {
            match self.machine().look(&spec.resolver, place) {
                Look::Absent => State::Broken("it is gone".to_owned()),
                Look::Broken(reason) => State::Broken(reason),
                Look::Sound(found) => {
                    let directory = found.environment.as_deref().unwrap_or(place);
                    let auditor = target.manager.audit.as_deref().unwrap_or_default();
                    let findings = survey::audit(auditor, directory, needs, &self.rules());
                    if findings.as_ref().is_ok_and(|found| !found.satisfied()) {
                        installed = survey::installed(directory);
                    }
                    let version = found.version.clone();
                    inner = Some(found);
                    State::Sound { version, findings }
                }
            }
        };
        Seen {
            candidate: Candidate {
                ours: mark::is_ours(place),
                path: place.to_path_buf(),
                origin,
                state,
            },
            inner,
            installed,
        }
    }

    fn own_places(&self, target: &Target, spec: &EnvironmentSpec) -> Vec<Place> {
        let places = spec.own.iter().filter_map(|text| self.filled(text, &target.root, None));
        places
            .map(|path| Place {
                free: fs_err::symlink_metadata(&path).is_err(),
                path,
            })
            .collect()
    }

    fn base_of(&self, base: &Interpreter, spec: &EnvironmentSpec, target: &Target, needs: &Needs) -> Base {
        let prefix = base.path.parent().and_then(Path::parent);
        let findings = || {
            Some(survey::audit(target.manager.audit.as_deref()?, prefix?, needs, &self.rules()))
        };
        Base {
            guarded: spec.global_guard.as_deref().is_some_and(|guard| is_guarded(prefix, base, guard)),
            findings: if self.options.policy.allow_global { findings() } else { None },
            path: base.path.clone(),
            version: base.version.clone(),
        }
    }

    fn filled(&self, text: &str, root: &Path, parent: Option<&Path>) -> Option<PathBuf> {
        let mut facts = Facts::new(self.world, root);
        if let Some(parent) = parent {
            facts.path("parent", parent);
        }
        fill_text(text, &facts).ok().map(PathBuf::from)
    }
}

/// An environment that was looked at.
#[derive(Debug)]
struct Seen {
    candidate: Candidate,
    inner: Option<Interpreter>,
    installed: Packages,
}

fn of_manifests(manager: Manager, root: &Path, named: Option<PathBuf>) -> Option<Target> {
    let manifests: Vec<PathBuf> = match named {
        Some(named) => vec![named],
        None => manager.manifests.iter().map(|name| root.join(name)).filter(|file| file.is_file()).collect(),
    };
    let first = manifests.first()?;
    Some(Target {
        subject: Subject::Project,
        root: first.parent().unwrap_or(root).to_path_buf(),
        manifests,
        manager,
    })
}

/// The manifest that `env_setup` names, if it is another than the usual.
fn named_manifest(manager: &Manager, setup: &EnvSetup, root: &Path) -> Option<PathBuf> {
    let name = setup.options.get(manager.manifest_option.as_ref()?)?.as_str()?;
    let path = root.join(name);
    path.is_file().then_some(path)
}

/// Whether a version directory of the interpreter's library has the guard.
fn is_guarded(prefix: Option<&Path>, base: &Interpreter, guard: &str) -> bool {
    let libraries = prefix.map(|prefix| prefix.join("lib"));
    let version = base.version.as_deref().unwrap_or_default();
    let minor: Vec<&str> = version.split('.').take(2).collect();
    let Some(Ok(entries)) = libraries.map(fs_err::read_dir) else {
        return false;
    };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let is_meant = minor.is_empty() || name.to_string_lossy().ends_with(&minor.join("."));
        is_meant && entry.path().join(guard).is_file()
    })
}

fn uses_plug(choice: &Choice, root: &Path) -> bool {
    choice.commands.plug.as_ref().is_some_and(|plug| root.join(&plug.when).is_file())
}

/// Where the versions to hold are written when the plan is applied.
pub(crate) fn constraints_file(world: &World, environment: &Path) -> Option<PathBuf> {
    let state = &world.directories.as_ref()?.state;
    Some(state.join("constraints").join(format!("{}.txt", key(environment))))
}

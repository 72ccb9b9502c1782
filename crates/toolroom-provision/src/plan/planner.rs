//! From targets to plans: look, audit, decide, and write the commands down. The kinds of
//! targets have files of their own beside this one.

use std::path::{Path, PathBuf};

use toolroom_catalog::Catalog;
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;

use super::machine::Machine;
use super::needs::Needs;
use super::target::{EnvSetup, Subject, Target, declares_packages, env_setup};
use super::workspace::Membership;
use super::{Plan, survey};
use crate::audit::SeverityRules;
use crate::decision::{Checked, Decision, Findings, Policy};
use crate::error::ProvisionError;
use crate::journal::Packages;
use crate::manager::{self, Manager};
use crate::redaction::Redaction;
use crate::requirement::Selection;

/// What the user asked for besides the targets.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options<'o> {
    pub policy: Policy,
    /// Packages whose every conflict is major.
    pub major_packages: &'o [String],
    pub repair: bool,
    /// Parts of the project's manifest that are asked for by name.
    pub selection: Selection<'o>,
    /// Whether the environment that is active where the command is given may be chosen.
    /// That is for a person to decide, by `setup`: what makes environments on its own
    /// would decide otherwise in every shell.
    pub active: bool,
    /// A program that failed, and is not to be chosen again.
    pub passed_over: Option<&'o str>,
}

/// Plans for one world.
#[derive(Debug, Clone, Copy)]
pub struct Planner<'p> {
    pub world: &'p World,
    pub catalog: &'p Catalog,
    pub options: Options<'p>,
}

impl<'p> Planner<'p> {
    pub(super) const fn machine(&self) -> Machine<'p> {
        Machine {
            world: self.world,
            catalog: self.catalog,
        }
    }

    pub(super) fn needs(&self, target: &Target) -> Needs {
        Needs::of(target, self.world, self.options.selection)
    }

    pub(super) fn state(&self) -> Option<&'p Path> {
        self.world
            .directories
            .as_ref()
            .map(|directories| directories.state.as_path())
    }

    pub(super) fn rules(&self) -> SeverityRules {
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
        Ok(managers
            .into_iter()
            .filter_map(|manager| self.of_manifests(manager, root, None))
            .collect())
    }

    fn of_manifests(
        &self,
        manager: Manager,
        root: &Path,
        named: Option<PathBuf>,
    ) -> Option<Target> {
        let manifests: Vec<PathBuf> = match named {
            Some(named) => vec![named],
            None => manager
                .manifests
                .iter()
                .map(|name| root.join(name))
                .filter(|file| file.is_file())
                .collect(),
        };
        let root = manifests.first()?.parent().unwrap_or(root).to_path_buf();
        Some(Target {
            subject: Subject::Project,
            membership: Membership::of(&manager, &root, self.world.home.as_deref()),
            root,
            manifests,
            manager,
            interpreter: None,
        })
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
            membership: Membership::Alone,
            manager,
            interpreter: None,
        };
        if declares_packages(tool) && !self.needs(&own).requirements.is_empty() {
            let is_shared = own.manager.shared.is_some();
            let interpreter = is_shared.then(|| self.machine().of_chain(chain)).flatten();
            return Ok(Some(Target { interpreter, ..own }));
        }
        let root = self.world.root();
        let named = named_manifest(&own.manager, &setup, root);
        Ok(self.of_manifests(own.manager, root, named))
    }

    /// Plans for one target. Starts nothing, so that no file of the project is run.
    ///
    /// # Errors
    /// Fails if the manager or the manifest cannot be used at all.
    pub fn plan(&self, target: &Target) -> Result<Plan, ProvisionError> {
        self.plan_with(target, None)
    }

    /// As [`Self::plan`], once the program's own check was asked.
    ///
    /// # Errors
    /// Fails if the manager or the manifest cannot be used at all.
    pub(crate) fn plan_with(
        &self,
        target: &Target,
        checked: Option<Checked>,
    ) -> Result<Plan, ProvisionError> {
        let needs = self.needs(target);
        let (faults, oddities) = needs.problems();
        let mut plan = match (&target.subject, &target.manager.environment) {
            _ if !faults.is_empty() => self.refused(target, needs, faults),
            (Subject::Project, Some(spec)) => self.environment(target, spec, needs)?,
            (Subject::Tool(_), Some(spec)) => self.shared(target, spec, needs)?,
            (Subject::Project, None) => self.folder(target, needs, checked)?,
            (Subject::Tool(_), None) => self.beside(target, needs)?,
        };
        self.name_given(&mut plan);
        plan.decision.warnings.extend(oddities);
        plan.decision.redact(&Redaction::of(self.world));
        Ok(plan)
    }

    pub(super) fn bare(&self, target: &Target, needs: Needs, decision: Decision) -> Plan {
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
            constraints: None,
            needs_consent: None,
        }
    }

    pub(super) fn refused(&self, target: &Target, needs: Needs, faults: Vec<String>) -> Plan {
        let mut decision = Decision::refuse("what is required cannot be read");
        decision.reasons.extend(faults);
        self.bare(target, needs, decision)
    }

    /// A name for what the target's manifest and lockfile say now.
    ///
    /// # Errors
    /// Fails if it cannot be told which lockfile counts.
    pub(crate) fn inputs(&self, target: &Target) -> Result<String, ProvisionError> {
        let needs = self.needs(target);
        let choice = self.choice(target)?;
        let lockfile: Vec<PathBuf> = choice.lockfile.into_iter().collect();
        Ok(needs.inputs(&lockfile))
    }

    /// What the auditor says of a place now.
    ///
    /// # Errors
    /// Says why it cannot be judged.
    pub(crate) fn verify(
        &self,
        plan: &Plan,
        auditor: &str,
        place: &Path,
    ) -> Result<Findings, String> {
        let bound = plan.needs.locked(&plan.target, self.world);
        let requirements = bound.as_ref().unwrap_or(&plan.needs.requirements);
        survey::audit(auditor, place, requirements, &self.rules())
    }
}

/// The manifest that an `env_setup` is about, if it is there.
pub(crate) fn manifest(manager: &Manager, setup: &EnvSetup, root: &Path) -> Option<PathBuf> {
    let mut usual = manager.manifests.iter().map(|name| root.join(name));
    named_manifest(manager, setup, root).or_else(|| usual.find(|file| file.is_file()))
}

/// The manifest that `env_setup` names, if it is another than the usual.
fn named_manifest(manager: &Manager, setup: &EnvSetup, root: &Path) -> Option<PathBuf> {
    let name = setup
        .options
        .get(manager.manifest_option.as_ref()?)?
        .as_str()?;
    let path = root.join(name);
    path.is_file().then_some(path)
}

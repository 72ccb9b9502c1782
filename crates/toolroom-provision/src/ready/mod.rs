//! What a call is to run in: recorded decisions, shared environments, library paths.
//!
//! For a tool that declares nothing this costs one small file. A tool whose packages are
//! missing is never started: its environment is made first where the runtime says
//! `create: true`, and else the caller is told the command that makes it.

mod unresolved;
mod variables;

use std::path::{Path, PathBuf};

use toolroom_catalog::Catalog;
use toolroom_catalog::environment::{self, Brought};
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::resolve::{Implied, Preferred, Resolution, Setup};

use crate::apply::{Applying, Kept, apply, is_broken_off, is_unsettled};
use crate::decision::Action;
use crate::error::ProvisionError;
use crate::journal::{Pending, Record};
use crate::manager::{self, EnvironmentSpec, Facts, Manager, fill_text};
use crate::plan::{
    EnvSetup, Machine, Needs, Options, Plan, Planner, Subject, Target, declares_packages,
    env_setup, manifest,
};
use crate::requirement::Selection;
use crate::store;

pub use unresolved::Unresolved;

/// What resolution and the call are to be given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ready {
    pub preferred: Vec<Preferred>,
    /// What the chain's `env_setup` adds.
    pub setup: Option<Setup>,
}

impl Ready {
    /// What is known without a look at packages.
    fn of(world: &World, managed: Option<&(EnvSetup, Manager)>) -> Result<Self, ProvisionError> {
        Ok(Self {
            preferred: Record::preferred(world)?,
            setup: managed.map(|(setup, manager)| added(world, setup, manager)),
        })
    }

    /// Gives a call an environment that it shares with others: by the resolver that knows
    /// such, or by the variables that lead to its packages.
    fn share(&mut self, world: &World, target: &Target, environment: &Path) {
        match (&target.manager.environment, &target.manager.shared) {
            (Some(spec), _) => {
                let preferred = store::preferred(&spec.resolver, environment);
                self.preferred.insert(0, preferred);
            }
            (None, Some(shared)) => {
                let library = target.manager.library_path.as_deref();
                let own = &mut self.setup.get_or_insert_default().set;
                for (name, value) in variables::of_shared(world, shared, environment) {
                    let known = own.iter_mut().find(|(known, _)| *known == name);
                    match known {
                        // A tool's own paths come before what all share.
                        Some((_, own)) if Some(name.as_str()) == library => {
                            *own = variables::joined(own, &value);
                        }
                        Some((_, own)) => *own = value,
                        None => own.push((name, value)),
                    }
                }
            }
            (None, None) => {}
        }
    }
}

/// What resolution is to be given for a chain, as things are: nothing is judged or made.
///
/// # Errors
/// Fails if `env_setup` names no manager that can be used.
pub fn known(world: &World, catalog: &Catalog, chain: &Chain) -> Result<Ready, ProvisionError> {
    let managed = managed(catalog, chain)?;
    let mut ready = Ready::of(world, managed.as_ref())?;
    if managed.is_some() {
        if !declares_packages(chain.tool()) {
            return Ok(ready);
        }
        let planner = Planner {
            world,
            catalog,
            options: Options::default(),
        };
        if let Some(target) = planner.tool(chain)?
            && let Some(environment) = shared_place(planner, &target)
            && store::is_ready(&environment)
        {
            ready.share(world, &target, &environment);
        }
    }
    Ok(ready)
}

/// The environment of a chain as a call would get it now: with what setup decided on, and
/// nothing made; what the caller brings besides is its own. A manager that cannot be used is told of where it is needed, by setup and
/// by a call.
///
/// # Errors
/// Fails if the environment cannot be resolved, or what setup decided is not known.
pub fn resolved(
    world: &World,
    catalog: &Catalog,
    chain: &Chain,
    brought: Brought<'_>,
) -> Result<Resolution, Unresolved> {
    let known = match known(world, catalog, chain) {
        Err(error @ ProvisionError::BadState { .. }) => return Err(error.into()),
        known => known.unwrap_or_default(),
    };
    let brought = Brought {
        preferred: &known.preferred,
        setup: known.setup.as_ref(),
        ..brought
    };
    Ok(environment::of_chain(world, catalog, chain, &brought)?)
}

/// Sees to it that a call can run, and gives what it is to run in.
///
/// # Errors
/// Fails if packages are missing and may not be installed, or cannot be.
pub fn ensure(how: &Applying<'_>, chain: &Chain, frozen: bool) -> Result<Ready, ProvisionError> {
    Way {
        planner: how.planner,
        how: (!frozen).then_some(how),
    }
    .ready(chain)
}

/// As [`ensure`], for callers that may start nothing: what is not prepared is an error.
///
/// # Errors
/// Fails if packages are missing.
pub fn checked(planner: Planner<'_>, chain: &Chain) -> Result<Ready, ProvisionError> {
    Way { planner, how: None }.ready(chain)
}

/// Whether [`ensure`] may have to look at packages for a chain, which takes its time.
#[must_use]
pub fn has_to_look(chain: &Chain) -> bool {
    env_setup(chain).is_some_and(|setup| setup.create || declares_packages(chain.tool()))
}

fn managed(
    catalog: &Catalog,
    chain: &Chain,
) -> Result<Option<(EnvSetup, Manager)>, ProvisionError> {
    let Some(setup) = env_setup(chain) else {
        return Ok(None);
    };
    let manager = manager::load(catalog, &setup.kind, Some(chain.tool().id.as_str()))?;
    Ok(Some((setup, manager)))
}

/// What the `env_setup` of a chain adds, wherever its packages are.
fn added(world: &World, setup: &EnvSetup, manager: &Manager) -> Setup {
    let implied = |spec: &EnvironmentSpec| Implied {
        resolver: spec.resolver.clone(),
        variables: spec.variables.clone(),
    };
    Setup {
        owner: setup.owner.clone(),
        environment: manager.environment.as_ref().map(implied),
        ..variables::of(world, setup, manager)
    }
}

/// How a call is made ready: by looking, or also by making what is missing.
struct Way<'w> {
    planner: Planner<'w>,
    how: Option<&'w Applying<'w>>,
}

impl Way<'_> {
    fn ready(&self, chain: &Chain) -> Result<Ready, ProvisionError> {
        let Planner { world, catalog, .. } = self.planner;
        let managed = managed(catalog, chain)?;
        let mut ready = Ready::of(world, managed.as_ref())?;
        let Some((setup, manager)) = &managed else {
            return Ok(ready);
        };
        let how = self.how.filter(|_| setup.create);
        if how.is_none() {
            whole(world, setup, manager)?;
        }
        if !setup.create && !declares_packages(chain.tool()) {
            return Ok(ready);
        }
        let Some(target) = self.planner.tool(chain)? else {
            return Ok(ready);
        };
        match &target.subject {
            Subject::Tool(_) => self.own(&target, chain, how, &mut ready)?,
            Subject::Project if setup.create => {
                if self.project(&target, chain, how)? {
                    ready = Ready::of(world, managed.as_ref())?;
                }
            }
            // What the project as a whole requires is not this tool's business.
            Subject::Project => {}
        }
        Ok(ready)
    }

    /// A tool with packages of its own.
    fn own(
        &self,
        target: &Target,
        chain: &Chain,
        how: Option<&Applying<'_>>,
        ready: &mut Ready,
    ) -> Result<(), ProvisionError> {
        let world = self.planner.world;
        let shared = shared_place(self.planner, target);
        if let Some(environment) = shared.as_deref().filter(|place| store::is_ready(place)) {
            store::touch(environment, world.now);
            ready.share(world, target, environment);
            return Ok(());
        }
        let plan = made(self.planner.plan(target)?, chain, how)?;
        let Some(environment) = &plan.decision.environment else {
            return Ok(());
        };
        // A folder of the project is found where it is.
        if target.manager.environment.is_some() || shared.as_ref() == Some(environment) {
            ready.share(world, target, environment);
        }
        Ok(())
    }

    /// A tool that lives from what the project requires. Says whether what is there may be
    /// another than before.
    fn project(
        &self,
        target: &Target,
        chain: &Chain,
        how: Option<&Applying<'_>>,
    ) -> Result<bool, ProvisionError> {
        let world = self.planner.world;
        let mut record = Record::of(world, world.root())?;
        let recorded = record.decisions.remove(&target.key(world.root()));
        let is_there = |place: &PathBuf| place.exists();
        if let Some(recorded) = recorded
            && recorded.environment.as_ref().is_none_or(is_there)
            && recorded.inputs.is_some()
            && recorded.inputs == self.planner.inputs(target).ok()
        {
            return Ok(false);
        }
        made(self.planner.plan(target)?, chain, how)?;
        Ok(true)
    }
}

/// What was there before us carries no mark that resolution would heed, so a change to it
/// that was broken off is looked for here; to a folder of packages also one under way.
fn whole(world: &World, setup: &EnvSetup, manager: &Manager) -> Result<(), ProvisionError> {
    let Some(state) = world.directories.as_ref().map(|found| &found.state) else {
        return Ok(());
    };
    if let Some(folder) = &manager.folder {
        let manifest = manifest(manager, setup, world.root());
        let beside = manifest.as_deref().and_then(Path::parent);
        let environment = beside.unwrap_or(world.root()).join(folder);
        if is_unsettled(state, &environment)? || is_changed_from_above(state, &environment)? {
            return Err(ProvisionError::Unfinished { environment });
        }
    }
    let Some(spec) = &manager.environment else {
        return Ok(());
    };
    for Pending { environment, .. } in Pending::within(state, world.root()) {
        let facts = Facts::new(world, world.root());
        let places = spec.existing.iter().chain(&spec.own);
        let is_its_own = places
            .filter_map(|text| fill_text(text, &facts).ok())
            .any(|place| environment == Path::new(&place));
        if is_its_own && is_broken_off(state, &environment)? {
            return Err(ProvisionError::Unfinished { environment });
        }
    }
    Ok(())
}

/// Whether an install in a project above changes a folder, too. The note of it is about that
/// project's folder; in this one only what was kept tells.
fn is_changed_from_above(state: &Path, environment: &Path) -> Result<bool, ProvisionError> {
    let kept = Kept::of(environment);
    match kept.above().filter(|_| kept.before().is_some()) {
        None => Ok(false),
        Some(above) => Ok(Pending::of(state, &above).is_none() || is_unsettled(state, &above)?),
    }
}

/// Carries a plan out where that is allowed; a plan that must be and may not is an error.
fn made(plan: Plan, chain: &Chain, how: Option<&Applying<'_>>) -> Result<Plan, ProvisionError> {
    let id = chain.tool().id.as_str();
    match (plan.decision.action, how) {
        (Action::Refuse, _) => Err(ProvisionError::Refused {
            target: id.to_owned(),
            reason: plan.decision.reasons.join("; "),
            fix: plan.decision.fix,
        }),
        (Action::None | Action::Reuse, None) => Ok(plan),
        (_, Some(how)) if plan.needs_consent.is_none() => apply(plan, how),
        _ => Err(ProvisionError::NotPrepared {
            tool: id.to_owned(),
            missing: lacking(&plan),
        }),
    }
}

fn lacking(plan: &Plan) -> Vec<String> {
    if plan.decision.missing.is_empty() {
        plan.needs
            .requirements
            .items
            .iter()
            .map(|item| item.name.clone())
            .collect()
    } else {
        plan.decision.missing.clone()
    }
}

/// Where a tool's shared environment is or would be.
fn shared_place(planner: Planner<'_>, target: &Target) -> Option<PathBuf> {
    let Subject::Tool(_) = target.subject else {
        return None;
    };
    let Planner { world, catalog, .. } = planner;
    let needs = Needs::of(target, world, Selection::default());
    let base = match &target.manager.environment {
        Some(spec) => Machine { world, catalog }
            .base(&spec.resolver, needs.interpreter().as_deref())
            .ok()?,
        None => target.interpreter.clone()?,
    };
    store::place(world, &target.manager.name, &needs, &target.root, &base)
}

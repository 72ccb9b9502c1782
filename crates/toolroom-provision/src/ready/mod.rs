//! What a call is to run in: recorded decisions, shared environments, library paths.
//!
//! For a tool that declares nothing this costs one small file. A tool whose packages are
//! missing is never started: its environment is made first where the runtime says
//! `create: true`, and else the caller is told the command that makes it.

mod variables;

use std::path::PathBuf;

use toolroom_catalog::Catalog;
use toolroom_catalog::environment::{self, Brought};
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::resolve::{Preferred, Resolution, ResolveError};

use crate::apply::{Applying, apply};
use crate::decision::Action;
use crate::error::ProvisionError;
use crate::journal::Record;
use crate::manager::{self, Manager};
use crate::plan::{
    EnvSetup, Machine, Needs, Options, Plan, Planner, Subject, Target, declares_packages, env_setup,
};
use crate::store;

/// What resolution and the call are to be given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ready {
    pub preferred: Vec<Preferred>,
    /// Variables the environment adds; those a caller passes come after.
    pub env: Vec<(String, String)>,
}

/// What resolution is to be given for a chain, as things are: nothing is judged or made.
///
/// # Errors
/// Fails if `env_setup` names no manager that can be used.
pub fn known(world: &World, catalog: &Catalog, chain: &Chain) -> Result<Ready, ProvisionError> {
    let mut ready = Ready {
        preferred: Record::preferred(world),
        env: Vec::new(),
    };
    if let Some((setup, manager)) = managed(catalog, chain)? {
        ready.env = variables::of(world, chain, &setup, &manager);
        if !declares_packages(chain.tool()) {
            return Ok(ready);
        }
        let planner = Planner {
            world,
            catalog,
            options: Options::default(),
        };
        if let Some(target) = planner.tool(chain)?
            && let Some((resolver, environment)) = shared_place(world, catalog, &target)
            && store::is_ready(&environment)
        {
            ready
                .preferred
                .insert(0, store::preferred(&resolver, &environment));
        }
    }
    Ok(ready)
}

/// The environment of a chain as a call would get it now: with what setup decided on, and
/// nothing made. A manager that cannot be used is told of where it is needed, by setup and
/// by a call.
///
/// # Errors
/// Fails if the environment cannot be resolved.
pub fn resolved(
    world: &World,
    catalog: &Catalog,
    chain: &Chain,
    dotenv_allow: &[String],
) -> Result<Resolution, ResolveError> {
    let known = known(world, catalog, chain).unwrap_or_default();
    let brought = Brought {
        env: &known.env,
        dotenv_allow,
        preferred: &known.preferred,
        facts: None,
    };
    environment::of_chain(world, catalog, chain, &brought)
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

/// How a call is made ready: by looking, or also by making what is missing.
struct Way<'w> {
    planner: Planner<'w>,
    how: Option<&'w Applying<'w>>,
}

impl Way<'_> {
    fn ready(&self, chain: &Chain) -> Result<Ready, ProvisionError> {
        let Planner { world, catalog, .. } = self.planner;
        let mut ready = Ready {
            preferred: Record::preferred(world),
            env: Vec::new(),
        };
        let Some((setup, manager)) = managed(catalog, chain)? else {
            return Ok(ready);
        };
        ready.env = variables::of(world, chain, &setup, &manager);
        if !setup.create && !declares_packages(chain.tool()) {
            return Ok(ready);
        }
        let Some(target) = self.planner.tool(chain)? else {
            return Ok(ready);
        };
        let how = self.how.filter(|_| setup.create);
        match &target.subject {
            Subject::Tool(_) => self.own(&target, chain, how, &mut ready)?,
            Subject::Project if setup.create => self.project(&target, chain, how, &mut ready)?,
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
        let Planner { world, catalog, .. } = self.planner;
        if let Some((resolver, environment)) = shared_place(world, catalog, target)
            && store::is_ready(&environment)
        {
            store::touch(&environment, world.now);
            let shared = store::preferred(&resolver, &environment);
            ready.preferred.insert(0, shared);
            return Ok(());
        }
        let plan = made(self.planner.plan(target)?, chain, how)?;
        let spec = plan.target.manager.environment.as_ref();
        if let (Some(spec), Some(environment)) = (spec, &plan.decision.environment) {
            let own = store::preferred(&spec.resolver, environment);
            ready.preferred.insert(0, own);
        }
        Ok(())
    }

    /// A tool that lives from what the project requires.
    fn project(
        &self,
        target: &Target,
        chain: &Chain,
        how: Option<&Applying<'_>>,
        ready: &mut Ready,
    ) -> Result<(), ProvisionError> {
        let world = self.planner.world;
        let mut record = Record::of(world, world.root());
        let recorded = record.decisions.remove(&target.key(world.root()));
        let is_there = |place: &PathBuf| place.exists();
        if let Some(recorded) = recorded
            && recorded.environment.as_ref().is_none_or(is_there)
            && recorded.inputs.is_some()
            && recorded.inputs == self.planner.inputs(target).ok()
        {
            return Ok(());
        }
        made(self.planner.plan(target)?, chain, how)?;
        ready.preferred = Record::preferred(world);
        Ok(())
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
        (_, Some(how)) if !plan.needs_consent => apply(plan, how),
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

/// Where a tool's shared environment is or would be, and the resolver that finds it.
fn shared_place(world: &World, catalog: &Catalog, target: &Target) -> Option<(String, PathBuf)> {
    let Subject::Tool(_) = target.subject else {
        return None;
    };
    let spec = target.manager.environment.as_ref()?;
    let needs = Needs::of(target, world);
    let base = Machine { world, catalog }
        .base(&spec.resolver, needs.interpreter().as_deref())
        .ok()?;
    let place = store::place(world, &target.manager.name, &needs, &target.root, &base)?;
    Some((spec.resolver.clone(), place))
}

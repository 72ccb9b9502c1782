//! What a call is to run in: recorded decisions, shared environments, library paths.
//!
//! For a tool that declares nothing this costs one small file. A tool whose packages are
//! missing is never started: its environment is made first where the runtime says
//! `create: true`, and else the caller is told the command that makes it.

mod variables;

use std::path::PathBuf;

use toolroom_catalog::Catalog;
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::resolve::Preferred;

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

/// Sees to it that a call can run, and gives what it is to run in.
///
/// # Errors
/// Fails if packages are missing and may not be installed, or cannot be.
pub fn ensure(how: &Applying<'_>, chain: &Chain, frozen: bool) -> Result<Ready, ProvisionError> {
    let Planner { world, catalog, .. } = how.planner;
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
    let Some(target) = how.planner.tool(chain)? else {
        return Ok(ready);
    };
    let may_make = setup.create && !frozen;
    match &target.subject {
        Subject::Tool(_) => own(how, &target, chain, may_make, &mut ready)?,
        Subject::Project if setup.create => project(how, &target, chain, may_make, &mut ready)?,
        // What the project as a whole requires is not this tool's business.
        Subject::Project => {}
    }
    Ok(ready)
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

/// A tool with packages of its own.
fn own(
    how: &Applying<'_>,
    target: &Target,
    chain: &Chain,
    may_make: bool,
    ready: &mut Ready,
) -> Result<(), ProvisionError> {
    let Planner { world, catalog, .. } = how.planner;
    let shared = shared_place(world, catalog, target);
    if let Some((resolver, environment)) = shared
        .as_ref()
        .filter(|(_, environment)| store::is_ready(environment))
    {
        store::touch(environment, world.now);
        ready
            .preferred
            .insert(0, store::preferred(resolver, environment));
        return Ok(());
    }
    let plan = made(how, how.planner.plan(target)?, chain, may_make)?;
    let resolver = plan
        .target
        .manager
        .environment
        .as_ref()
        .map(|spec| spec.resolver.clone());
    if let (Some(resolver), Some(environment)) = (resolver, &plan.decision.environment) {
        ready
            .preferred
            .insert(0, store::preferred(&resolver, environment));
    }
    Ok(())
}

/// A tool that lives from what the project requires.
fn project(
    how: &Applying<'_>,
    target: &Target,
    chain: &Chain,
    may_make: bool,
    ready: &mut Ready,
) -> Result<(), ProvisionError> {
    let world = how.planner.world;
    let recorded = Record::of(world, world.root())
        .decisions
        .remove(&target.key(world.root()));
    if let Some(recorded) = recorded
        && recorded
            .environment
            .as_ref()
            .is_none_or(|environment| environment.exists())
        && recorded
            .inputs
            .is_some_and(|inputs| how.planner.inputs(target).is_ok_and(|now| now == inputs))
    {
        return Ok(());
    }
    made(how, how.planner.plan(target)?, chain, may_make)?;
    ready.preferred = Record::preferred(world);
    Ok(())
}

fn made(
    how: &Applying<'_>,
    plan: Plan,
    chain: &Chain,
    may_make: bool,
) -> Result<Plan, ProvisionError> {
    let id = chain.tool().id.as_str();
    match plan.decision.action {
        Action::None | Action::Reuse => apply(plan, how),
        Action::Refuse => Err(ProvisionError::Refused {
            target: id.to_owned(),
            reason: plan.decision.reasons.join("; "),
            fix: plan.decision.fix,
        }),
        _ if may_make && !plan.needs_consent => apply(plan, how),
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

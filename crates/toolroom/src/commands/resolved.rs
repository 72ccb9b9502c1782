//! The resolution of a runtime or a tool, as `env`, `exec` and `doctor` need it.

use toolroom_catalog::Catalog;
use toolroom_catalog::resolvers::environment_rules;
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::resolve::{Call, Link, Resolution, ResolveError, resolve};
use toolroom_provision::ready;

use crate::failure::Failure;
use crate::settings::Settings;

/// Resolves the environment of a chain.
///
/// # Errors
/// Fails as [`resolve`] does.
pub fn environment(
    world: &World,
    catalog: &Catalog,
    chain: &Chain,
    settings: &Settings,
) -> Result<Resolution, ResolveError> {
    // A manager that cannot be used is told of where it is needed, by setup and run.
    let known = ready::known(world, catalog, chain).unwrap_or_default();
    let links: Vec<Link<'_>> = chain
        .links()
        .iter()
        .rev()
        .map(|link| Link::of(link))
        .collect();
    let rules = environment_rules();
    let mut call = Call::new(world, catalog, &rules, &links);
    call.dotenv_allow = &settings.dotenv.allow;
    call.preferred = &known.preferred;
    call.caller = &known.env;
    resolve(&call)
}

/// A failure that also carries everything that was tried.
pub fn failure(error: ResolveError) -> Failure {
    let tried = serde_json::to_value(error.tried()).unwrap_or_default();
    let mut failure = Failure::from(error);
    failure.details.insert("tried".into(), tried);
    failure
}

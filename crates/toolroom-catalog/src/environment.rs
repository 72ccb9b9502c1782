//! The one way from a linked chain to its environment: core's rules, the chain's own
//! `env_config`, and what a caller brings. What is found and why is the kernel's.

use std::fmt;

use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::resolve::{
    Call, Link, Preferred, Resolution, ResolveError, Setup, Story, resolve,
};
use toolroom_kernel::template::Scope;

use crate::catalog::Catalog;
use crate::resolvers::environment_rules;

/// What a caller brings to a resolution; by default nothing.
#[derive(Clone, Copy, Default)]
pub struct Brought<'b> {
    /// Variables that win over all others.
    pub env: &'b [(String, String)],
    /// Loader variables the project lets its dotenv files set.
    pub dotenv_allow: &'b [String],
    /// Environments that were decided on.
    pub preferred: &'b [Preferred],
    /// What the chain's `env_setup` adds.
    pub setup: Option<&'b Setup>,
    /// Further placeholders for the values of `env`, such as parameters.
    pub facts: Option<&'b dyn Scope>,
    pub story: Story,
}

impl fmt::Debug for Brought<'_> {
    /// Values may be secrets; only names are shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Brought")
            .field("env", &names)
            .field("dotenv_allow", &self.dotenv_allow)
            .field("preferred", &self.preferred)
            .finish_non_exhaustive()
    }
}

/// Resolves the environment of a chain.
///
/// # Errors
/// Fails as [`resolve`] does.
pub fn of_chain(
    world: &World,
    catalog: &Catalog,
    chain: &Chain,
    brought: &Brought<'_>,
) -> Result<Resolution, ResolveError> {
    let links: Vec<Link<'_>> = chain
        .links()
        .iter()
        .rev()
        .map(|tool| Link::of(tool))
        .collect();
    let rules = environment_rules();
    resolve(&Call {
        caller: brought.env,
        dotenv_allow: brought.dotenv_allow,
        preferred: brought.preferred,
        setup: brought.setup,
        facts: brought.facts,
        story: brought.story,
        ..Call::new(world, catalog, rules, &links)
    })
}

//! The resolution of a runtime or a tool, as `env`, `exec` and `doctor` need it.

use toolroom_catalog::Catalog;
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::resolve::{Resolution, ResolveError};
use toolroom_provision::ready;

use crate::failure::Failure;
use crate::settings::Settings;

/// Resolves the environment of a chain.
///
/// # Errors
/// Fails as [`ready::resolved`] does.
pub fn environment(
    world: &World,
    catalog: &Catalog,
    chain: &Chain,
    settings: &Settings,
) -> Result<Resolution, ResolveError> {
    ready::resolved(world, catalog, chain, &settings.dotenv.allow)
}

/// A failure that also carries everything that was tried.
pub fn failure(error: ResolveError) -> Failure {
    let tried = serde_json::to_value(error.tried()).unwrap_or_default();
    let mut failure = Failure::from(error);
    failure.details.insert("tried".into(), tried);
    failure
}

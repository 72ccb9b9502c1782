//! The resolution of a runtime or a tool, as `env`, `exec` and `doctor` need it.

use toolroom_catalog::Catalog;
use toolroom_catalog::environment::Brought;
use toolroom_catalog::secrets::{Secrets, declared};
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::resolve::{Resolution, ResolveError};
use toolroom_provision::ready::{self, Unresolved};

use crate::failure::Failure;
use crate::settings::Settings;

/// Resolves the environment of a chain, with all that was tried.
///
/// # Errors
/// Fails as [`ready::resolved`] does.
pub fn environment(
    world: &World,
    catalog: &Catalog,
    chain: &Chain,
    settings: &Settings,
) -> Result<Resolution, Unresolved> {
    let brought = Brought {
        dotenv_allow: &settings.dotenv.allow,
        ..Brought::default()
    };
    ready::resolved(world, catalog, chain, brought)
}

/// What a call's own variables hold of secrets, found anew: only a call that failed asks, and
/// it may not have come so far as to know them.
pub fn secrets(world: &World, catalog: &Catalog, chain: &Chain, brought: Brought<'_>) -> Secrets {
    let declared = chain.links().iter();
    let declared = declared.flat_map(|link| declared::values(&link.metadata));
    let known = match ready::resolved(world, catalog, chain, brought) {
        Ok(resolution) => Secrets::of_resolution(world, &resolution),
        Err(_) => Secrets::of(world.env.iter()),
    };
    known.and(declared)
}

/// What people are told of a resolution besides its answer.
pub fn remarks(resolution: &Resolution) -> impl Iterator<Item = String> {
    let notes = resolution.notes.iter().map(|note| format!("note: {note}"));
    let refused = resolution.refused.iter();
    notes.chain(refused.map(|refused| format!("refused: {refused}")))
}

/// A failure that says how to see what was tried.
pub fn failure(error: Unresolved, name: &str) -> Failure {
    let is_nowhere = matches!(
        error,
        Unresolved::Resolve(ResolveError::InterpreterNotFound { .. })
    );
    let mut failure = told(error);
    if let Some(help) = &mut failure.help
        && is_nowhere
    {
        help.push_str(&format!(
            "; {} shows where it was looked for",
            explain(name)
        ));
    }
    failure
}

/// A failure that also carries everything that was tried.
pub fn told(error: Unresolved) -> Failure {
    let tried = serde_json::to_value(error.tried()).unwrap_or_default();
    let mut failure = Failure::from(error);
    failure.details.insert("tried".into(), tried);
    failure
}

/// The command that tells the whole search for a runtime.
pub fn explain(name: &str) -> String {
    format!("`toolroom env {name} --explain`")
}

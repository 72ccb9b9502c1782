//! What a shell may complete besides flags: the names of tools and runtimes.

use clap_complete::CompletionCandidate;
use toolroom_catalog::Catalog;
use toolroom_catalog::listing::Row;
use toolroom_kernel::model::Role;

use crate::output::table::single_line;
use crate::world;

pub fn tools() -> Vec<CompletionCandidate> {
    candidates(|row| row.role() == Role::Tool)
}

pub fn all() -> Vec<CompletionCandidate> {
    candidates(|row| matches!(row.role(), Role::Tool | Role::Runtime))
}

pub fn runtimes() -> Vec<CompletionCandidate> {
    candidates(|row| row.role() == Role::Runtime)
}

pub fn clients() -> Vec<CompletionCandidate> {
    let clients = world::of_process(None)
        .ok()
        .and_then(|world| toolroom_mcp::config::all(&world).ok());
    let candidate = |client: toolroom_mcp::config::Client| {
        CompletionCandidate::new(client.name).help(Some(single_line(&client.description).into()))
    };
    clients
        .unwrap_or_default()
        .into_iter()
        .map(candidate)
        .collect()
}

fn candidates(wanted: impl Fn(&Row) -> bool) -> Vec<CompletionCandidate> {
    let Ok(world) = world::of_process(None) else {
        return Vec::new();
    };
    let listing = Catalog::open(&world).list();
    listing
        .rows
        .iter()
        .filter(|row| wanted(row))
        .map(|row| {
            let help = row.summary.description().map(single_line);
            CompletionCandidate::new(row.shown_id()).help(help.map(Into::into))
        })
        .collect()
}

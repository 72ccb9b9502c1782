//! `toolroom mcp remove CLIENT`: our entry out of a client's configuration.

use serde_json::json;
use toolroom_kernel::World;
use toolroom_mcp::config::{self, Action, Scope};

use super::install::{data, line};
use super::target;
use crate::answer::Answer;
use crate::args::McpRemove;
use crate::failure::Failure;
use crate::output::paths;

pub fn run(args: &McpRemove, world: &World) -> Result<Answer, Failure> {
    let client = config::find(world, &args.client)?;
    let is_wanted = |scope: &Scope| match args.scope {
        Some(asked) => target::scope(asked) == *scope,
        None => client.has(*scope) && (*scope == Scope::User || world.project.is_some()),
    };
    // All are decided before any is done, so that a file that cannot be read stops both.
    let scopes = Scope::ALL.into_iter().filter(is_wanted);
    let planned = scopes.map(|scope| {
        Ok((
            scope,
            config::plan_remove(&client, world, scope, &args.name)?,
        ))
    });
    let planned: Vec<_> = planned.collect::<Result<_, Failure>>()?;
    let mut answer = Answer::new(String::new(), json!(null));
    let mut changes = Vec::new();
    for (scope, planned) in planned {
        let change = planned.apply()?;
        if change.action == Action::Absent {
            continue;
        }
        answer.text.push_str(&line(world, &change));
        if let Some(backup) = &change.backup {
            answer.notes.push(format!(
                "the file as it was: {}",
                paths::shown(world, backup)
            ));
        }
        changes.push(data(&client, scope, &args.name, &change));
    }
    if changes.is_empty() {
        answer.notes.push(format!(
            "{} has no server called {} of ours",
            client.title, args.name
        ));
    }
    answer.data = json!({ "changes": changes });
    Ok(answer)
}

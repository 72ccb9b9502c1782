//! `toolroom mcp install CLIENT|--all`: this project's server in a client's configuration.

use serde_json::{Value, json};
use toolroom_kernel::World;
use toolroom_mcp::config::{self, Action, Change, Client, Scope, Server};

use super::target;
use crate::answer::Answer;
use crate::args::McpInstall;
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{paths, style};

pub fn run(args: &McpInstall, world: &World) -> Result<Answer, Failure> {
    let server = target::server(&args.target, world)?;
    let asked = args.target.scope.map(target::scope);
    let Some(name) = args.client.as_deref() else {
        return all(args, world, &server, asked);
    };
    let client = config::find(world, name)?;
    let done = one(args, world, &client, &server, asked)?;
    let answer = Answer::new(
        done.text,
        json!({ "written": !args.print, "changes": [done.data] }),
    );
    Ok(Answer {
        notes: done.notes,
        ..answer
    })
}

struct Done {
    text: String,
    data: Value,
    notes: Vec<String>,
}

/// Every client that is here. One that cannot be done does not keep the others from it.
fn all(
    args: &McpInstall,
    world: &World,
    server: &Server,
    asked: Option<Scope>,
) -> Result<Answer, Failure> {
    let mut clients = config::all(world)?;
    clients.retain(|client| {
        client.is_detected(world) && Scope::ALL.iter().any(|scope| client.has(*scope))
    });
    let mut answer = Answer::new(String::new(), Value::Null);
    let (mut changes, mut failed) = (Vec::new(), Vec::new());
    for client in &clients {
        match one(
            args,
            world,
            client,
            server,
            asked.filter(|scope| client.has(*scope)),
        ) {
            Ok(done) => {
                answer.text.push_str(&done.text);
                answer.notes.extend(
                    done.notes
                        .into_iter()
                        .map(|note| format!("{}: {note}", client.title)),
                );
                changes.push(done.data);
            }
            Err(failure) => {
                answer
                    .notes
                    .push(format!("{}: {}", client.title, failure.message));
                failed.push(json!({ "client": client.name, "error": failure.to_json() }));
                answer.status = Status::CannotDo;
            }
        }
    }
    if clients.is_empty() {
        answer = answer.note(
            "no client was found on this machine; toolroom mcp config lists those that are known",
        );
    }
    answer.data = json!({ "written": !args.print, "changes": changes, "failed": failed });
    Ok(answer)
}

fn one(
    args: &McpInstall,
    world: &World,
    client: &Client,
    server: &Server,
    asked: Option<Scope>,
) -> Result<Done, Failure> {
    let scope = asked.unwrap_or_else(|| client.default_scope());
    let planned = config::plan_install(client, world, scope, server)?;
    if args.print {
        return print(world, client, server, scope, &planned);
    }
    let change = planned.apply()?;
    let mut notes = Vec::new();
    if let Some(backup) = &change.backup {
        notes.push(format!(
            "the file as it was: {}",
            paths::shown(world, backup)
        ));
    }
    if change.action != Action::Unchanged {
        notes.extend(client.notes.iter().cloned());
    }
    Ok(Done {
        text: line(world, &change),
        data: data(client, scope, &server.name, &change),
        notes,
    })
}

/// The entry alone: what else is in the file may be secret.
fn print(
    world: &World,
    client: &Client,
    server: &Server,
    scope: Scope,
    planned: &config::Planned,
) -> Result<Done, Failure> {
    let change = Change {
        path: planned.path.clone(),
        action: planned.action,
        backup: None,
    };
    let text = client.snippet(server)?;
    let mut data = data(client, scope, &server.name, &change);
    data["entry"] = Value::Object(client.entry(server)?);
    data["text"] = text.as_str().into();
    Ok(Done {
        text,
        data,
        notes: vec![format!(
            "would be {} in {}",
            planned.action.name(),
            paths::shown(world, &planned.path)
        )],
    })
}

/// A change as one line.
pub fn line(world: &World, change: &Change) -> String {
    let action = match change.action {
        Action::Unchanged | Action::Absent => style::faint(change.action.name()),
        _ => style::good(change.action.name()),
    };
    format!("{action} {}\n", paths::shown(world, &change.path))
}

/// A change for programs.
pub fn data(client: &Client, scope: Scope, name: &str, change: &Change) -> Value {
    json!({
        "client": client.name,
        "scope": scope.name(),
        "name": name,
        "path": change.path.to_string_lossy(),
        "action": change.action.name(),
        "backup": change.backup.as_ref().map(|path| path.to_string_lossy()),
    })
}

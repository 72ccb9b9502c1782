//! `toolroom mcp config [CLIENT]`: what a client gets, or which clients there are.

use serde_json::{Value, json};
use toolroom_kernel::World;
use toolroom_mcp::config::{self, Client, DEFAULT_NAME, Scope};

use super::target;
use crate::answer::Answer;
use crate::args::McpConfig;
use crate::failure::Failure;
use crate::output::table::{self, Cell};
use crate::output::{paths, style};
use crate::printer::Printer;

pub fn run(args: &McpConfig, world: &World, printer: &Printer) -> Result<Answer, Failure> {
    let Some(name) = &args.client else {
        return list(world, printer);
    };
    let client = config::find(world, name)?;
    let server = target::server(&args.target, world)?;
    let scope = args
        .target
        .scope
        .map_or_else(|| client.default_scope(), target::scope);
    let path = client.file(world, scope, &server.name);
    let has_file = Scope::ALL.iter().any(|scope| client.has(*scope));
    let path = if has_file { Some(path?) } else { path.ok() };
    let text = client.snippet(&server)?;
    let data = json!({
        "client": client.name,
        "title": client.title,
        "detected": client.is_detected(world),
        "scope": path.as_ref().map(|_| scope.name()),
        "path": path.as_ref().map(|path| path.to_string_lossy()),
        "format": client.format.name(),
        "key": client.servers,
        "name": server.name,
        "entry": client.entry(&server)?,
        "text": text,
        "notes": client.notes,
    });
    let mut answer = Answer::new(text, data);
    if let Some(path) = path {
        answer = answer.note(format!("goes to {}", paths::shown(world, &path)));
    }
    answer.notes.extend(client.notes);
    Ok(answer)
}

/// A client as the list shows it.
struct Row {
    client: Client,
    is_detected: bool,
    places: Vec<Place>,
}

struct Place {
    scope: Scope,
    path: String,
    exists: bool,
    servers: Vec<String>,
    problem: Option<Failure>,
}

fn list(world: &World, printer: &Printer) -> Result<Answer, Failure> {
    let rows: Vec<Row> = config::all(world)?
        .into_iter()
        .map(|client| row(client, world))
        .collect();
    let cells: Vec<Vec<Cell>> = rows.iter().map(cells).collect();
    let data = json!({ "clients": rows.iter().map(data).collect::<Vec<_>>() });
    let mut answer = Answer::new(table::render(&cells, printer.width()), data);
    for place in rows.iter().flat_map(|row| &row.places) {
        if let Some(problem) = &place.problem {
            answer.notes.push(format!("note: {}", problem.message));
        }
    }
    Ok(answer)
}

fn row(client: Client, world: &World) -> Row {
    let scopes = Scope::ALL.into_iter().filter(|scope| client.has(*scope));
    let places = scopes
        .filter_map(|scope| place(&client, world, scope))
        .collect();
    Row {
        is_detected: client.is_detected(world),
        places,
        client,
    }
}

fn place(client: &Client, world: &World, scope: Scope) -> Option<Place> {
    let path = client.file(world, scope, DEFAULT_NAME).ok()?;
    let (exists, servers, problem) = match config::state(client, world, scope, DEFAULT_NAME) {
        Ok(state) => (state.exists, state.servers, None),
        Err(error) => (true, Vec::new(), Some(Failure::from(error))),
    };
    Some(Place {
        scope,
        path: path.to_string_lossy().into_owned(),
        exists,
        servers,
        problem,
    })
}

fn cells(row: &Row) -> Vec<Cell> {
    let detected = if row.is_detected { "found" } else { "-" };
    let installed: Vec<&str> = row
        .places
        .iter()
        .filter(|place| !place.servers.is_empty())
        .map(|place| place.scope.name())
        .collect();
    let installed = if installed.is_empty() {
        "-".to_owned()
    } else {
        installed.join(", ")
    };
    vec![
        Cell::dressed(row.client.name.as_str(), style::name),
        Cell::plain(detected),
        Cell::dressed(installed, style::good),
        Cell::plain(row.client.description.as_str()),
    ]
}

fn data(row: &Row) -> Value {
    let place = |place: &Place| {
        json!({
            "scope": place.scope.name(),
            "path": place.path,
            "exists": place.exists,
            "installed": !place.servers.is_empty(),
            "servers": place.servers,
            "error": place.problem.as_ref().map(Failure::to_json),
        })
    };
    json!({
        "client": row.client.name,
        "title": row.client.title,
        "description": row.client.description,
        "detected": row.is_detected,
        "installed": row.places.iter().any(|place| !place.servers.is_empty()),
        "files": row.places.iter().map(place).collect::<Vec<_>>(),
    })
}

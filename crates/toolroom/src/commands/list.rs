//! `toolroom list`: every tool, and every file that failed to be one.

use serde_json::{Value, json};
use toolroom_catalog::Catalog;
use toolroom_catalog::listing::{Listing, Row, Shadowed};
use toolroom_catalog::problem::Problem;
use toolroom_kernel::World;
use toolroom_kernel::model::Role;

use crate::answer::Answer;
use crate::args::List;
use crate::output::table::{self, Cell};
use crate::output::{paths, style};
use crate::printer::Printer;

/// More problems than this are counted, not drawn.
const MOST_PROBLEMS: usize = 10;

pub fn run(args: &List, world: &World, printer: &Printer) -> Answer {
    let mut listing = Catalog::open(world).list();
    listing.rows.retain(|row| is_wanted(args, row));
    let data = data(&listing);
    let mut answer = Answer::new(text(&listing, printer.width()), data);
    for shadowed in &listing.shadowed {
        answer.notes.push(shadowed_note(world, shadowed));
    }
    answer.notes.extend(problem_notes(&listing.problems));
    answer.problems = listing.problems;
    answer.problems.truncate(MOST_PROBLEMS);
    if listing.rows.is_empty() && answer.problems.is_empty() {
        answer.notes.push(empty_note(world));
    }
    answer
}

fn is_wanted(args: &List, row: &Row) -> bool {
    if args.all {
        return true;
    }
    let role = if args.runtimes { Role::Runtime } else { Role::Tool };
    row.role() == role
}

fn text(listing: &Listing, width: Option<usize>) -> String {
    let rows: Vec<Vec<Cell>> = listing.rows.iter().map(|row| cells(row)).collect();
    table::render(&rows, width)
}

/// A tool's line in a table: id, space, runtime, description.
pub fn cells(row: &Row) -> Vec<Cell> {
    let runtime = row.runtime.as_deref().unwrap_or("-");
    let description = row.summary.description.as_deref().unwrap_or_default();
    vec![
        Cell::dressed(row.shown_id(), style::name),
        Cell::dressed(row.space.to_string(), style::faint),
        Cell::plain(runtime),
        Cell::plain(description),
    ]
}

/// A tool's line for programs.
pub fn row_data(row: &Row) -> Value {
    json!({
        "id": row.id,
        "space": row.space,
        "type": row.summary.tool_type,
        "runtime": row.runtime,
        "description": row.summary.description,
        "version": row.summary.version,
        "category": row.summary.category,
        "path": row.path.to_string_lossy(),
    })
}

fn data(listing: &Listing) -> Value {
    let shadowed = |tool: &Shadowed| {
        json!({
            "id": tool.id,
            "space": tool.space,
            "path": tool.path.to_string_lossy(),
            "by": tool.by.to_string_lossy(),
        })
    };
    json!({
        "tools": listing.rows.iter().map(row_data).collect::<Vec<_>>(),
        "shadowed": listing.shadowed.iter().map(shadowed).collect::<Vec<_>>(),
        "problems": listing.problems.iter().map(problem_data).collect::<Vec<_>>(),
    })
}

/// A problem for programs.
pub fn problem_data(problem: &Problem) -> Value {
    json!({
        "path": problem.path.to_string_lossy(),
        "code": problem.kind.code(),
        "message": problem.message,
        "line": problem.position.map(|position| position.line),
        "column": problem.position.map(|position| position.column),
        "help": problem.help,
    })
}

fn shadowed_note(world: &World, shadowed: &Shadowed) -> String {
    format!(
        "note: {} in the {} space is hidden by {}",
        shadowed.id,
        shadowed.space,
        paths::shown(world, &shadowed.by)
    )
}

fn problem_notes(problems: &[Problem]) -> Option<String> {
    match problems.len() {
        0 => None,
        1 => Some("1 file cannot be used; the others are not affected".into()),
        many if many > MOST_PROBLEMS => Some(format!(
            "{many} files cannot be used, the first {MOST_PROBLEMS} are shown; toolroom list --json has all"
        )),
        many => Some(format!("{many} files cannot be used; the others are not affected")),
    }
}

fn empty_note(world: &World) -> String {
    match &world.project {
        None => "there is no project here and no tool in the user space: toolroom init makes one".into(),
        Some(_) => "there are no tools yet: toolroom new NAME makes one".into(),
    }
}


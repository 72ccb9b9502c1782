//! `toolroom list`: every tool, and every file that failed to be one.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::Value;
use toolroom_catalog::Catalog;
use toolroom_catalog::listing::{Listing, Outranked, Row, Shadowed};
use toolroom_catalog::problem::Problem;
use toolroom_kernel::model::{Role, Space, ToolId};
use toolroom_kernel::{Explain, World};

use crate::answer::Answer;
use crate::args::List;
use crate::failure::Failure;
use crate::output::table::{self, Cell};
use crate::output::{paths, style};
use crate::printer::Printer;
use crate::settings;

/// More problems than this are counted, not drawn.
pub const MOST_PROBLEMS: usize = 10;

pub fn run(args: &List, world: &World, printer: &Printer) -> Answer {
    let mut listing = Catalog::open(world).list();
    listing.rows.retain(|row| is_wanted(args, row));
    // Tools are there whatever the settings say, and this is where people look first.
    let bad_settings = settings::load(world).err();
    if printer.json {
        return Answer::streamed(move |out| {
            serde_json::to_writer(out, &data(&listing, bad_settings.as_ref()))
        });
    }
    let mut answer = Answer::new(text(&listing, printer.width()), Value::Null);
    for shadowed in &listing.shadowed {
        answer.notes.push(shadowed_note(world, shadowed));
    }
    for outranked in &listing.outranked {
        answer.notes.push(outranked_note(world, outranked));
    }
    answer.notes.extend(problems_note(listing.problems.len()));
    answer.problems = listing.problems;
    answer.problems.truncate(MOST_PROBLEMS);
    answer.failures.extend(bad_settings);
    if listing.rows.is_empty() && answer.problems.is_empty() {
        answer.notes.push(empty_note(world));
    }
    answer
}

fn is_wanted(args: &List, row: &Row) -> bool {
    if args.all {
        return true;
    }
    let role = if args.runtimes {
        Role::Runtime
    } else {
        Role::Tool
    };
    row.role() == role
}

fn text(listing: &Listing, width: Option<usize>) -> String {
    let rows: Vec<Vec<Cell>> = listing.rows.iter().map(cells).collect();
    table::render(&rows, width)
}

/// A tool's line in a table: id, space, runtime, description.
pub fn cells(row: &Row) -> Vec<Cell> {
    let runtime = row.runtime.as_deref().unwrap_or("-");
    let description = row.summary.description().unwrap_or_default();
    vec![
        Cell::dressed(row.shown_id(), style::name),
        Cell::dressed(row.space.to_string(), style::faint),
        Cell::plain(runtime),
        Cell::plain(description),
    ]
}

/// A listing for programs. Written without a value in between: there may be many rows.
#[derive(Serialize)]
struct Data<'a> {
    #[serde(serialize_with = "row_by_row")]
    tools: &'a [Row],
    shadowed: Vec<ShadowedData<'a>>,
    outranked: Vec<OutrankedData<'a>>,
    problems: Vec<ProblemData<'a>>,
}

fn row_by_row<S: Serializer>(rows: &[Row], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(rows.iter().map(RowData::of))
}

/// A tool's line for programs.
#[derive(Serialize)]
pub struct RowData<'a> {
    id: &'a ToolId,
    space: Space,
    #[serde(rename = "type")]
    tool_type: &'a str,
    runtime: Option<&'a str>,
    description: Option<&'a str>,
    version: Option<&'a str>,
    category: Option<&'a str>,
    path: Cow<'a, str>,
}

impl<'a> RowData<'a> {
    pub fn of(row: &'a Row) -> Self {
        Self {
            id: &row.id,
            space: row.space,
            tool_type: row.summary.tool_type(),
            runtime: row.runtime.as_deref(),
            description: row.summary.description(),
            version: row.summary.version(),
            category: row.summary.category(),
            path: row.path.to_string_lossy(),
        }
    }
}

#[derive(Serialize)]
struct ShadowedData<'a> {
    id: &'a ToolId,
    space: Space,
    path: Cow<'a, str>,
    by: Cow<'a, str>,
}

#[derive(Serialize)]
struct OutrankedData<'a> {
    id: &'a ToolId,
    path: Cow<'a, str>,
    by: &'a ToolId,
}

#[derive(Serialize)]
struct ProblemData<'a> {
    /// None of a variable.
    path: Option<Cow<'a, str>>,
    code: &'a str,
    message: &'a str,
    line: Option<u32>,
    column: Option<u32>,
    help: Option<String>,
}

impl<'a> ProblemData<'a> {
    fn of_file(problem: &'a Problem) -> Self {
        Self {
            path: Some(problem.path.to_string_lossy()),
            code: problem.kind.code(),
            message: &problem.message,
            line: problem.position.map(|position| position.line),
            column: problem.position.map(|position| position.column),
            help: Explain::help(problem),
        }
    }

    fn of_settings(failure: &'a Failure) -> Self {
        let place = failure.place.as_ref();
        let position = place.and_then(|place| place.position);
        Self {
            path: place.map(|place| place.path.to_string_lossy()),
            code: &failure.code,
            message: &failure.message,
            line: position.map(|position| position.line),
            column: position.map(|position| position.column),
            help: failure.help.clone(),
        }
    }
}

fn data<'a>(listing: &'a Listing, bad_settings: Option<&'a Failure>) -> Data<'a> {
    let shadowed = listing.shadowed.iter().map(|tool| ShadowedData {
        id: &tool.id,
        space: tool.space,
        path: tool.path.to_string_lossy(),
        by: tool.by.to_string_lossy(),
    });
    let outranked = listing.outranked.iter().map(|tool| OutrankedData {
        id: &tool.id,
        path: tool.path.to_string_lossy(),
        by: &tool.by,
    });
    let problems = listing.problems.iter().map(ProblemData::of_file);
    let bad_settings = bad_settings.map(ProblemData::of_settings);
    Data {
        tools: &listing.rows,
        shadowed: shadowed.collect(),
        outranked: outranked.collect(),
        problems: problems.chain(bad_settings).collect(),
    }
}

fn shadowed_note(world: &World, shadowed: &Shadowed) -> String {
    format!(
        "note: {} in the {} space is hidden by {}",
        shadowed.id,
        shadowed.space,
        paths::shown(world, &shadowed.by)
    )
}

fn outranked_note(world: &World, outranked: &Outranked) -> String {
    format!(
        "note: {}; its own id is {}",
        outranked_text(world, outranked),
        outranked.id
    )
}

/// What a runtime's last name means in its stead.
pub fn outranked_text(world: &World, outranked: &Outranked) -> String {
    let Outranked { id, path, by } = outranked;
    format!(
        "{} means {by} of core, and not {}",
        id.name(),
        paths::shown(world, path)
    )
}

/// How many files cannot be used, where there are any.
pub fn problems_note(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 file cannot be used; the others are not affected".into()),
        many if many > MOST_PROBLEMS => Some(format!(
            "{many} files cannot be used, the first {MOST_PROBLEMS} are shown; toolroom list --json has all"
        )),
        many => Some(format!(
            "{many} files cannot be used; the others are not affected"
        )),
    }
}

fn empty_note(world: &World) -> String {
    match &world.project {
        None => {
            "there is no project here and no tool in the user space: toolroom init makes one".into()
        }
        Some(_) => "there are no tools yet: toolroom new NAME makes one".into(),
    }
}

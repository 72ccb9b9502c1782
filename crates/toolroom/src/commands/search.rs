//! `toolroom search WORDS…`: tools ranked by how well they fit.

use serde_json::json;
use toolroom_catalog::Catalog;
use toolroom_catalog::search::{Entry, rank};
use toolroom_kernel::World;
use toolroom_kernel::model::Role;

use super::list::{RowData, cells};
use crate::answer::Answer;
use crate::args::Search;
use crate::output::table;
use crate::printer::Printer;

pub fn run(args: &Search, world: &World, printer: &Printer) -> Answer {
    let catalog = Catalog::open(world);
    let mut rows = catalog.list().rows;
    rows.retain(|row| row.role() == Role::Tool || row.role() == Role::Runtime);
    let words = catalog.words(&rows);
    let entries: Vec<Entry<'_>> = rows
        .iter()
        .zip(&words)
        .map(|(row, content)| Entry {
            id: row.id.as_str(),
            name: row.id.name(),
            category: row.summary.category(),
            description: row.summary.description(),
            content,
        })
        .collect();
    let query = args.words.join(" ");
    let hits = rank(&entries, &query, args.limit);
    let table: Vec<_> = hits.iter().map(|hit| cells(&rows[hit.index])).collect();
    let tools: Vec<_> = hits
        .iter()
        .map(|hit| {
            let mut data = json!(RowData::of(&rows[hit.index]));
            data["score"] = json!((hit.score * 1000.0).round() / 1000.0);
            data["matched"] = json!(hit.matched);
            data
        })
        .collect();
    let answer = Answer::new(
        table::render(&table, printer.width()),
        json!({"query": query, "tools": tools}),
    );
    if hits.is_empty() {
        return answer.note(format!(
            "nothing fits {query:?}; toolroom list shows everything"
        ));
    }
    answer
}

//! `toolroom runs`: what ran here lately, and how it ended.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;
use toolroom_exec::runs::{self, Caller, Run};
use toolroom_kernel::World;

use crate::answer::Answer;
use crate::args::Runs;
use crate::output::style;
use crate::output::table::{self, Cell};
use crate::printer::Printer;

pub fn run(args: &Runs, world: &World, printer: &Printer) -> Answer {
    let runs = world
        .directories
        .as_ref()
        .map(|directories| runs::last(&directories.state, args.limit))
        .unwrap_or_default();
    let rows: Vec<Vec<Cell>> = runs.iter().map(|run| row(run, world.now)).collect();
    let answer = Answer::new(table::render(&rows, printer.width()), json!({"runs": runs}));
    if runs.is_empty() {
        return answer.note("nothing has run yet");
    }
    answer
}

fn row(run: &Run, now: SystemTime) -> Vec<Cell> {
    let started = UNIX_EPOCH + Duration::from_millis(run.started_ms);
    let ago = now.duration_since(started).unwrap_or_default();
    let ended = match (run.signal, run.exit_code) {
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) if code != 0 => format!("status {code}"),
        _ => String::new(),
    };
    let caller = match run.caller {
        Caller::Cli => "",
        Caller::Mcp => "by mcp",
    };
    let status = if run.status == "success" {
        Cell::dressed(&run.status, style::good)
    } else {
        Cell::dressed(&run.status, style::bad)
    };
    vec![
        Cell::dressed(format!("{} ago", span(ago)), style::faint),
        status,
        Cell::dressed(&run.tool, style::name),
        Cell::plain(span(Duration::from_millis(run.duration_ms))),
        Cell::plain(ended),
        Cell::dressed(caller, style::faint),
    ]
}

/// A duration in its largest unit.
fn span(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        0 => format!("{} ms", duration.as_millis()),
        1..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86400),
    }
}

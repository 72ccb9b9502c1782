//! `toolroom doctor`: what is wrong here, and how to fix it.

mod packages;
mod place;
mod runtimes;

use serde::Serialize;
use serde_json::json;
use toolroom_catalog::Catalog;
use toolroom_catalog::listing::Listing;
use toolroom_kernel::World;
use unicode_width::UnicodeWidthStr as _;

use super::list;
use crate::answer::Answer;
use crate::exit::Status;
use crate::failure::Failure;
use crate::output::{lines, paths, style};
use crate::printer::Printer;
use crate::settings::{self, Settings};

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Health {
    Ok,
    Warn,
    Fail,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    pub name: String,
    pub status: Health,
    pub detail: String,
    pub fix: Option<String>,
}

impl Check {
    pub fn ok(name: impl Into<String>, detail: impl Into<String>) -> Self {
        Self::new(name, Health::Ok, detail, None)
    }

    pub fn warn(
        name: impl Into<String>,
        detail: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self::new(name, Health::Warn, detail, Some(fix.into()))
    }

    pub fn fail(
        name: impl Into<String>,
        detail: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self::new(name, Health::Fail, detail, Some(fix.into()))
    }

    fn new(
        name: impl Into<String>,
        status: Health,
        detail: impl Into<String>,
        fix: Option<String>,
    ) -> Self {
        Self {
            name: name.into(),
            status,
            detail: detail.into(),
            fix,
        }
    }
}

pub fn run(world: &World, printer: &Printer) -> Result<Answer, Failure> {
    let mut checks = place::checks(world);
    let settings = match settings::load(world) {
        Ok(settings) => settings,
        Err(failure) => {
            checks.push(broken_settings(&failure));
            Settings::default()
        }
    };
    let catalog = Catalog::open(world);
    let listing = catalog.list();
    checks.extend(tools(world, &listing));
    checks.extend(runtimes::checks(world, &catalog, &listing, &settings));
    checks.extend(packages::checks(world, &catalog, &listing, &settings));
    let worst = checks
        .iter()
        .map(|check| check.status)
        .max()
        .unwrap_or(Health::Ok);
    let mut answer = Answer::new(text(&checks, printer.width()), json!({"checks": checks}));
    if worst == Health::Fail {
        answer.status = Status::ToolFailed;
    }
    Ok(answer)
}

fn broken_settings(failure: &Failure) -> Check {
    let Some(place) = &failure.place else {
        let fix = failure.help.clone().unwrap_or_default();
        return Check::fail("settings", &failure.message, fix);
    };
    let file = place.path.display().to_string();
    let line = place
        .position
        .map(|at| format!(":{}", at.line))
        .unwrap_or_default();
    Check::fail(
        "settings",
        format!("{file}{line}: {}", failure.message),
        format!("correct {file}"),
    )
}

fn tools(world: &World, listing: &Listing) -> Vec<Check> {
    let mut checks = Vec::new();
    for problem in &listing.problems {
        let line = problem
            .position
            .map(|at| format!(":{}", at.line))
            .unwrap_or_default();
        let place = paths::shown(world, &problem.path);
        let detail = format!(
            "{place}{line}: {} [{}]",
            problem.message,
            problem.kind.code()
        );
        let fix = problem
            .help
            .clone()
            .unwrap_or_else(|| format!("correct {place}, or move it out of tools/"));
        checks.push(Check::fail("tools", detail, fix));
    }
    for hidden in &listing.shadowed {
        let detail = format!(
            "{} of the {} space is hidden by {}",
            hidden.id,
            hidden.space,
            paths::shown(world, &hidden.by)
        );
        checks.push(Check::warn(
            "tools",
            detail,
            "rename one of them if both are meant",
        ));
    }
    for outranked in &listing.outranked {
        let detail = list::outranked_text(world, outranked);
        let fix = format!("say executor_id: {} where that file is meant", outranked.id);
        checks.push(Check::warn("tools", detail, fix));
    }
    if checks.is_empty() {
        let count = listing
            .rows
            .iter()
            .filter(|row| row.role() == toolroom_kernel::model::Role::Tool)
            .count();
        let tools = if count == 1 {
            "1 tool".to_owned()
        } else {
            format!("{count} tools")
        };
        checks.push(Check::ok(
            "tools",
            format!("{tools}, nothing wrong with them"),
        ));
    }
    checks
}

/// A line for each check, its fix below it.
fn text(checks: &[Check], width: Option<usize>) -> String {
    let names = checks.iter().map(|check| check.name.width());
    let column = names.max().unwrap_or(0);
    let indent = column + 4;
    let mut text = String::new();
    for check in checks {
        let mark = match check.status {
            Health::Ok => style::good("✓"),
            Health::Warn => style::warn("!"),
            Health::Fail => style::bad("✗"),
        };
        let padding = " ".repeat(column - check.name.width());
        let head = format!("{mark} {}{padding}  ", check.name);
        text.push_str(&lines::after(&head, indent, &check.detail, width));
        if let Some(fix) = &check.fix {
            let head = format!("{}{} ", " ".repeat(indent), style::faint("fix:"));
            text.push_str(&lines::after(&head, indent + 5, fix, width));
        }
    }
    text
}

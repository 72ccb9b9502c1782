//! "Why this one?" at a glance: what was chosen, what was tried, what was set by whom.

use std::fmt::Write as _;
use std::path::Path;

use toolroom_catalog::listing::short_name;
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::resolve::{Candidate, Interpreter, Origin, Resolution, Verdict};

use super::secrets::Secrets;
use crate::output::{paths, style};

/// The whole story as a tree.
pub fn tree(world: &World, chain: &Chain, resolution: &Resolution, secrets: &Secrets) -> String {
    let names: Vec<String> = chain.links().iter().map(|link| short_name(link)).collect();
    let mut text = format!("{}\n", style::name(names.join(" → ")));
    for interpreter in &resolution.interpreters {
        text.push_str(&chosen(world, interpreter));
    }
    if !resolution.tried.is_empty() {
        let _ = writeln!(text, "\n{}", style::heading("Tried, in order"));
        text.push_str(&tried(world, &resolution.tried));
    }
    let _ = writeln!(text, "\n{}", style::heading("Environment"));
    text.push_str(&variables(world, resolution, secrets));
    if !resolution.refused.is_empty() {
        let _ = writeln!(text, "\n{}", style::heading("Refused"));
        for refused in &resolution.refused {
            let origin = origin(world, &refused.origin);
            let _ = writeln!(
                text,
                "  {} from {origin}: {}",
                style::warn(&refused.name),
                refused.reason
            );
        }
    }
    for note in &resolution.notes {
        let _ = writeln!(text, "\n{} {note}", style::warn("note:"));
    }
    text
}

fn chosen(world: &World, interpreter: &Interpreter) -> String {
    let path = paths::shown(world, &interpreter.path);
    let version = interpreter
        .version
        .as_deref()
        .map(|version| format!(" {version}"))
        .unwrap_or_default();
    let mut text = format!("  {} = {}{version}\n", interpreter.var, style::good(path));
    let _ = writeln!(
        text,
        "    {} found by {} in {}",
        style::faint("│"),
        interpreter.resolver,
        interpreter.place
    );
    if let Some(environment) = &interpreter.environment {
        let _ = writeln!(
            text,
            "    {} environment {}",
            style::faint("│"),
            paths::shown(world, environment)
        );
    }
    text
}

/// What was looked at, place by place.
pub fn tried(world: &World, candidates: &[Candidate]) -> String {
    let mut text = String::new();
    let mut place = "";
    for candidate in candidates {
        if candidate.place != place {
            place = &candidate.place;
            let _ = writeln!(text, "  {place}");
        }
        let mark = match candidate.verdict {
            Verdict::Chosen => style::good("✓"),
            Verdict::Broken => style::bad("✗"),
            Verdict::Rejected => style::warn("✗"),
            Verdict::Absent => style::faint("·"),
            Verdict::NotReached => style::faint(" "),
        };
        let path = paths::shown(world, Path::new(&candidate.path));
        let path = match candidate.verdict {
            Verdict::Chosen => style::name(path),
            _ => path,
        };
        let reason = style::faint(&candidate.reason);
        let _ = writeln!(text, "    {mark} {path}  {reason}");
    }
    text
}

fn variables(world: &World, resolution: &Resolution, secrets: &Secrets) -> String {
    let mut text = String::new();
    let mut inherited = 0;
    for (name, value, from) in resolution.env.iter() {
        if *from == Origin::Process {
            inherited += 1;
            continue;
        }
        let origin = style::faint(format!("({})", origin(world, from)));
        let _ = writeln!(
            text,
            "  {}={}  {origin}",
            name.display(),
            secrets.shown(name, value)
        );
    }
    for name in resolution.env.unset() {
        let _ = writeln!(text, "  {name} {}", style::faint("(unset)"));
    }
    let _ = writeln!(
        text,
        "  {}",
        style::faint(format!("and {inherited} of the process, unchanged"))
    );
    text
}

fn origin(world: &World, origin: &Origin) -> String {
    match origin {
        Origin::Dotenv { file, line } => format!("{}:{line}", paths::shown(world, file)),
        other => other.to_string(),
    }
}

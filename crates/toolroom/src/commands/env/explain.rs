//! "Why this one?" at a glance: what was chosen, what was tried, what was set by whom.

use std::fmt::Write as _;
use std::path::Path;

use toolroom_catalog::listing::short_name;
use toolroom_catalog::secrets::Secrets;
use toolroom_kernel::World;
use toolroom_kernel::chain::Chain;
use toolroom_kernel::resolve::{Candidate, Interpreter, Origin, Refusal, Resolution, Verdict};
use unicode_width::UnicodeWidthStr as _;

use crate::output::{lines, paths, style, table};

/// A value is never cut shorter than this.
const SHORTEST_VALUE: usize = 16;

/// What a story is written on: where the reader is, and how wide the terminal is.
#[derive(Debug, Clone, Copy)]
pub struct Page<'p> {
    pub world: &'p World,
    pub width: Option<usize>,
}

impl Page<'_> {
    /// The whole story as a tree.
    pub fn tree(&self, chain: &Chain, resolution: &Resolution) -> String {
        let names: Vec<String> = chain.links().iter().map(|link| short_name(link)).collect();
        let mut text = format!("{}\n", style::name(names.join(" → ")));
        for interpreter in &resolution.interpreters {
            text.push_str(&self.chosen(interpreter, &resolution.tried));
        }
        if !resolution.tried.is_empty() {
            let _ = writeln!(text, "\n{}", style::heading("Tried, in order"));
            text.push_str(&self.tried(&resolution.tried));
        }
        let _ = writeln!(text, "\n{}", style::heading("Environment"));
        text.push_str(&self.variables(resolution));
        if !resolution.refused.is_empty() {
            let _ = writeln!(text, "\n{}", style::heading("Refused"));
            for refused in &resolution.refused {
                text.push_str(&self.refused(refused));
            }
        }
        for note in &resolution.notes {
            let head = format!("\n{} ", style::warn("note:"));
            let note = paths::shown_in(self.world, &note.to_string());
            text.push_str(&lines::after(&head, 6, &note, self.width));
        }
        text
    }

    /// The answer itself: what runs, why, and where it was found.
    fn chosen(&self, interpreter: &Interpreter, tried: &[Candidate]) -> String {
        let path = paths::shown(self.world, &interpreter.path);
        let version = interpreter.version.as_deref();
        let version = version.map(|version| format!(" {version}"));
        let mut text = format!(
            "  {} = {}{}\n",
            interpreter.var,
            style::good(path),
            version.unwrap_or_default()
        );
        let bar = format!("    {} ", style::faint("│"));
        let reason = tried.iter().find(|candidate| {
            candidate.verdict == Verdict::Chosen && Path::new(&candidate.path) == interpreter.path
        });
        if let Some(candidate) = reason {
            // The version stands in the line above.
            let reason = paths::shown_in(self.world, &candidate.reason);
            let reason = format!("why: {reason}");
            for line in lines::broken(&reason, self.width.map(|width| width.saturating_sub(6))) {
                let _ = writeln!(text, "{bar}{line}");
            }
        }
        let _ = writeln!(
            text,
            "{bar}found by {} in {}",
            interpreter.resolver, interpreter.place
        );
        if let Some(environment) = &interpreter.environment {
            let environment = paths::shown(self.world, environment);
            let _ = writeln!(text, "{bar}environment {environment}");
        }
        text
    }

    /// What was looked at, place by place, and what no longer had to be.
    pub fn tried(&self, candidates: &[Candidate]) -> String {
        let mut text = String::new();
        let mut place = "";
        let is_reached = |candidate: &&Candidate| candidate.verdict != Verdict::NotReached;
        for candidate in candidates.iter().filter(is_reached) {
            if candidate.place != place {
                place = &candidate.place;
                let _ = writeln!(text, "  {place}");
            }
            text.push_str(&self.candidate(candidate));
        }
        let rest: Vec<String> = candidates
            .iter()
            .filter(|candidate| !is_reached(candidate))
            .map(|candidate| paths::shown_in(self.world, &candidate.path))
            .collect();
        if !rest.is_empty() {
            let _ = writeln!(text, "  not reached");
            let list = lines::after("      ", 6, &rest.join("; "), self.width);
            text.push_str(&style::faint(list.trim_end()));
            text.push('\n');
        }
        text
    }

    fn candidate(&self, candidate: &Candidate) -> String {
        let mark = match candidate.verdict {
            Verdict::Chosen => style::good("✓"),
            Verdict::Broken => style::bad("✗"),
            Verdict::Rejected => style::warn("✗"),
            Verdict::Absent | Verdict::NotReached => style::faint("·"),
        };
        let path = paths::shown_in(self.world, &candidate.path);
        let reason = paths::shown_in(self.world, &candidate.told());
        let fits = |width| path.width() + reason.width() + 8 <= width;
        let dressed = match candidate.verdict {
            Verdict::Chosen => style::name(&path),
            _ => path.clone(),
        };
        if self.width.is_none_or(fits) {
            return format!("    {mark} {dressed}  {}\n", style::faint(reason));
        }
        let below = lines::after("        ", 8, &reason, self.width);
        format!("    {mark} {dressed}\n{}\n", style::faint(below.trim_end()))
    }

    fn variables(&self, resolution: &Resolution) -> String {
        let mut text = String::new();
        let mut inherited = 0;
        let secrets = Secrets::of_resolution(self.world, resolution);
        for (name, value, from) in resolution.env.iter() {
            if *from == Origin::Process {
                inherited += 1;
                continue;
            }
            let name = name.display().to_string();
            let origin = format!("({})", self.origin(from));
            let value = secrets.shown(name.as_ref(), value);
            let room = self
                .width
                .map(|width| width.saturating_sub(name.width() + origin.width() + 5));
            let value = match room {
                Some(room) => table::shorten(&value, room.max(SHORTEST_VALUE)),
                None => value.into_owned(),
            };
            let _ = writeln!(text, "  {name}={value}  {}", style::faint(origin));
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

    fn refused(&self, refused: &Refusal) -> String {
        let origin = self.origin(&refused.origin);
        let name = style::warn(&refused.name);
        let told = format!("from {origin}: {}", refused.reason);
        let head = format!("  {name} ");
        // The name stands at the head; what follows it is broken below.
        let room = self
            .width
            .map(|width| width.saturating_sub(refused.name.width() + 3));
        let lines = lines::broken(&told, room);
        format!("{head}{}\n", lines.join("\n    "))
    }

    fn origin(&self, origin: &Origin) -> String {
        match origin {
            Origin::Dotenv { file, line } => {
                format!("{}:{line}", paths::shown(self.world, file))
            }
            other => other.to_string(),
        }
    }
}

//! `requirements.txt`: the format of pip and uv, with includes and constraints.
//!
//! Follows `-r` and `-c` from file to file, bounded in depth and number; a cycle, a missing
//! file and a bad line are problems with their place, and the rest is still read.

use std::path::{Path, PathBuf};

use super::local_project;
use super::logical_line::{self, LogicalLine};
use super::model::{Context, InstallerOption, Origin, Parsed, Requirement, Requirements, Role};
use super::pep508::{self, PythonRequirement};
use super::problem::{Problem, ProblemKind};
use super::source::{SourceUrl, fragment_value};
use super::text;
use crate::redaction::redacted;

const MAX_DEPTH: usize = 16;
const MAX_FILES: usize = 256;
const MAX_REQUIREMENTS: usize = 20_000;

/// Options that speak to the installer and take a value.
const WITH_VALUE: [&str; 12] = [
    "-i",
    "--index-url",
    "--pypi-url",
    "--extra-index-url",
    "-f",
    "--find-links",
    "--no-binary",
    "--only-binary",
    "--trusted-host",
    "--use-feature",
    "--config-settings",
    "--process-dependency-links",
];
const WITHOUT_VALUE: [&str; 5] = [
    "--no-index",
    "--prefer-binary",
    "--require-hashes",
    "--pre",
    "--all-releases",
];

/// Reads a requirements file and everything it includes.
#[must_use]
pub fn read(path: &Path, context: &Context<'_>) -> Requirements {
    let mut reader = Reader {
        context,
        found: Requirements::default(),
        stack: Vec::new(),
    };
    match text::read(path) {
        Ok(content) => reader.file(path, &content, Role::Required),
        Err(reason) => reader.problem(Origin::file(path), ProblemKind::Unreadable { reason }),
    }
    reader.found
}

/// Reads one requirement as a requirements file would, from wherever it was written.
pub(super) fn line(text: &str, origin: &Origin, role: Role, context: &Context<'_>) -> Requirements {
    let mut reader = Reader {
        context,
        found: Requirements::default(),
        stack: Vec::new(),
    };
    reader.requirement(text, origin, role, Editable::No);
    reader.found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Editable {
    Yes,
    No,
}

struct Reader<'a> {
    context: &'a Context<'a>,
    found: Requirements,
    /// The files being read, outermost first.
    stack: Vec<PathBuf>,
}

impl Reader<'_> {
    fn problem(&mut self, origin: Origin, kind: ProblemKind) {
        self.found.problems.push(Problem::new(origin, kind));
    }

    fn file(&mut self, path: &Path, content: &str, role: Role) {
        self.stack.push(path.to_path_buf());
        self.found.files.push(path.to_path_buf());
        for line in logical_line::split(content) {
            if self.found.items.len() >= MAX_REQUIREMENTS {
                let kind = ProblemKind::TooMany {
                    limit: MAX_REQUIREMENTS,
                    what: "requirements",
                };
                self.problem(Origin::at(path, line.number), kind);
                break;
            }
            self.line(path, &line, role);
        }
        self.stack.pop();
    }

    fn line(&mut self, path: &Path, line: &LogicalLine, role: Role) {
        let origin = Origin::at(path, line.number);
        if !line.text.starts_with('-') {
            let (text, options) = per_requirement_options(&line.text);
            for option in options {
                self.option(option, &origin);
            }
            self.requirement(text, &origin, role, Editable::No);
            return;
        }
        let (name, value) = option_parts(&line.text);
        match name {
            "-r" | "--requirement" | "-c" | "--constraint" | "-e" | "--editable"
                if value.is_empty() =>
            {
                let option = name.to_owned();
                self.problem(origin, ProblemKind::OptionWithoutValue { option });
            }
            "-r" | "--requirement" => self.include(path, value, &origin, role),
            "-c" | "--constraint" => self.include(path, value, &origin, Role::Constraint),
            "-e" | "--editable" => {
                let (text, _) = per_requirement_options(value);
                self.requirement(text, &origin, role, Editable::Yes);
            }
            _ => self.option(&line.text, &origin),
        }
    }

    fn option(&mut self, text: &str, origin: &Origin) {
        let (name, _) = option_parts(text);
        let known = WITH_VALUE.contains(&name)
            || WITHOUT_VALUE.contains(&name)
            || matches!(name, "--hash" | "--global-option" | "--install-option");
        if known {
            self.found.options.push(InstallerOption {
                text: text.to_owned(),
                origin: origin.clone(),
            });
        } else {
            let option = name.to_owned();
            self.problem(origin.clone(), ProblemKind::UnknownOption { option });
        }
    }

    fn include(&mut self, from: &Path, value: &str, origin: &Origin, role: Role) {
        let value = logical_line::expand(unquoted(value), self.context.env);
        if value.contains("://") && !value.starts_with("file:") {
            let url = redacted(&value);
            return self.problem(origin.clone(), ProblemKind::RemoteInclude { url });
        }
        let base = from.parent().unwrap_or(Path::new(""));
        let SourceUrl::Local { path } = SourceUrl::parse(&value, base) else {
            return;
        };
        if let Some(at) = self.stack.iter().position(|open| *open == path) {
            let through = self.stack.get(at + 1..).unwrap_or_default().to_vec();
            let through = if through.is_empty() {
                vec![path.clone()]
            } else {
                through
            };
            return self.problem(origin.clone(), ProblemKind::IncludeCycle { path, through });
        }
        if self.stack.len() >= MAX_DEPTH {
            let kind = ProblemKind::IncludeDepth { limit: MAX_DEPTH };
            return self.problem(origin.clone(), kind);
        }
        if self.found.files.len() >= MAX_FILES {
            let (limit, what) = (MAX_FILES, "files");
            return self.problem(origin.clone(), ProblemKind::TooMany { limit, what });
        }
        match text::read(&path) {
            Ok(content) => self.file(&path, &content, role),
            Err(reason) => self.problem(origin.clone(), ProblemKind::Include { path, reason }),
        }
    }

    fn requirement(&mut self, text: &str, origin: &Origin, role: Role, editable: Editable) {
        let expanded = logical_line::expand(text, self.context.env);
        let parsed = self.parse(&expanded, editable);
        match parsed {
            Ok(parsed) => self.found.items.push(Requirement {
                name: parsed.name().to_owned(),
                spec: parsed.spec(),
                text: match editable {
                    Editable::Yes => format!("-e {text}"),
                    Editable::No => text.to_owned(),
                },
                origin: origin.clone(),
                role,
                parsed: Parsed::Python(Box::new(parsed)),
            }),
            Err(reason) => {
                let text = redacted(text);
                self.problem(origin.clone(), ProblemKind::Requirement { text, reason });
            }
        }
    }

    fn parse(&self, text: &str, editable: Editable) -> Result<PythonRequirement, String> {
        let base = self.context.working_directory;
        let requirement =
            if pep508::is_location(text) || editable == Editable::Yes && is_directory(text, base) {
                location(text, base)?
            } else {
                PythonRequirement::parse(text, base)?
            };
        Ok(match editable {
            Editable::Yes => requirement.editable(),
            Editable::No => requirement,
        })
    }
}

fn is_directory(text: &str, base: &Path) -> bool {
    let (place, _, _) = place_parts(text);
    base.join(place).is_dir()
}

/// A requirement that names a place only; its package's name is looked for there.
fn location(text: &str, base: &Path) -> Result<PythonRequirement, String> {
    let (place, extras, marker) = place_parts(text);
    let fragment = place.split_once('#').map_or("", |(_, fragment)| fragment);
    let egg = fragment_value(fragment, "egg").unwrap_or_default();
    let (egg_name, egg_extras) = match egg.find('[') {
        Some(at) => egg.split_at(at),
        None => (egg.as_str(), ""),
    };
    let source = SourceUrl::parse(place, base);
    let body = place.split('#').next().unwrap_or_default();
    let name = Some(egg_name.to_owned())
        .filter(|name| !name.is_empty())
        .or_else(|| pep508::archive_name(body))
        .or_else(|| source.path().and_then(local_project::name))
        .unwrap_or_default();
    let extras = if extras.is_empty() {
        egg_extras
    } else {
        extras
    };
    PythonRequirement::from_source(&name, source, extras, marker)
}

/// Splits `place[extras] ; marker`.
fn place_parts(text: &str) -> (&str, &str, &str) {
    let (place, marker) = match text.find(" ;").or_else(|| text.find("; ")) {
        Some(at) => (&text[..at], text[at..].trim_start().trim_start_matches(';')),
        None => (text, ""),
    };
    let place = unquoted(place.trim());
    match place.rfind('[') {
        Some(at) if place.ends_with(']') && !place[..at].contains("#egg=") => {
            (&place[..at], &place[at..], marker)
        }
        _ => (place, "", marker),
    }
}

/// Splits what follows a requirement: the first blank before a `-` begins its options.
fn per_requirement_options(text: &str) -> (&str, Vec<&str>) {
    let Some((at, _)) = text
        .match_indices([' ', '\t'])
        .find(|(at, _)| text[at + 1..].starts_with("--"))
    else {
        return (text, Vec::new());
    };
    let (requirement, options) = text.split_at(at);
    let options = options
        .split_whitespace()
        .filter(|word| word.starts_with('-'));
    (requirement.trim_end(), options.collect())
}

/// Splits `--name value`, `--name=value`, `-n value` and `-nvalue`.
fn option_parts(text: &str) -> (&str, &str) {
    let end = text
        .find(|c: char| c == '=' || c.is_whitespace())
        .unwrap_or(text.len());
    let (name, value) = text.split_at(end);
    if !name.starts_with("--")
        && let Some((short, attached)) = name.split_at_checked(2)
        && !attached.is_empty()
    {
        return (short, text[2..].trim());
    }
    let value = value.strip_prefix('=').unwrap_or(value);
    (name, value.trim())
}

fn unquoted(text: &str) -> &str {
    let inside = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(text)
}

#[cfg(test)]
mod tests;

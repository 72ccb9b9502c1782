//! Asks an interpreter what is wrong with a tool's text, where it can read a file without
//! running any of it: `config.call.check` is what it is told before the path.
//!
//! What was read for a listing is only what the catalog can parse. For who serves a file
//! while it is edited, that is not enough to tell a good version from a broken one.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value};
use toolroom_kernel::model::Tool;

use super::convention::{self, Convention};
use super::prepare::{Build, Request, facts, resolved};
use super::scope::CallFacts;
use super::stand_in::needs_file;
use crate::subprocess::{self, Cancel, Command, Guard, Outcome, Supervision};

/// An interpreter that takes longer says nothing.
const PATIENCE: Duration = Duration::from_secs(2);
const LONGEST: usize = 500;

/// What an interpreter says of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It can be read, as far as anybody can say.
    Good,
    /// What is wrong with it, in a line.
    Bad(String),
    /// The interpreter could not be asked, or did not answer.
    Unknown,
}

/// Asks about a file with the text of a chain's tool: the tool's own, or one of its kind.
pub async fn check(request: &Request<'_>, file: &Path, guard: &Guard) -> Verdict {
    let Convention { config, lender, .. } =
        convention::of(request.catalog, request.chain, request.source);
    let args = arguments(&config, request.chain.tool());
    let Some(args) = args.filter(|_| !needs_file(request.chain, &config, lender.as_ref())) else {
        return Verdict::Good;
    };
    let Some(mut command) = command(request, &config) else {
        return Verdict::Unknown;
    };
    command.args = args
        .iter()
        .filter_map(Value::as_str)
        .map(Into::into)
        .collect();
    command.args.push(file.as_os_str().to_owned());
    let mut how = Supervision::new();
    how.timeout = Some(PATIENCE);
    match subprocess::run(&command, &how, guard, &Cancel::new()).await {
        Ok(outcome) => verdict(&outcome, file),
        Err(_) => Verdict::Unknown,
    }
}

/// One list for every kind of file, or one for each.
fn arguments<'c>(config: &'c Map<String, Value>, tool: &Tool) -> Option<&'c Vec<Value>> {
    let check = config.get("call")?.get("check")?;
    let extension = format!(".{}", tool.path.extension()?.to_str()?);
    check.get(extension).unwrap_or(check).as_array()
}

/// The interpreter in its environment, told nothing yet.
fn command(request: &Request<'_>, config: &Map<String, Value>) -> Option<Command> {
    let params = Value::Object(Map::new());
    let facts = CallFacts {
        facts: facts(request),
        params: &params,
        schema: None,
    };
    let resolution = resolved(request, &facts).ok()?;
    let build = Build {
        request,
        params: request.params,
        tool: request.chain.tool(),
        facts: &facts,
        resolution: &resolution,
        lender: None,
    };
    let mut command = Command::new(build.program(config).ok()?, build.cwd(config).ok()?);
    command.env = resolution.env.values().clone();
    Some(command)
}

/// Only who names the file speaks of it: an interpreter may fail for reasons of its own.
fn verdict(outcome: &Outcome, file: &Path) -> Verdict {
    let Some(code) = outcome.exit_code() else {
        return Verdict::Unknown;
    };
    if code == 0 {
        return Verdict::Good;
    }
    let file = file.display().to_string();
    let said = [&outcome.stderr, &outcome.stdout].map(|said| said.text().text);
    let of_file = |said: &str| said.lines().any(|line| line.contains(&file));
    let Some(said) = said.iter().find(|said| of_file(said)) else {
        return Verdict::Unknown;
    };
    let mut lines = said.lines().skip_while(|line| !line.contains(&file));
    let place = lines.next().unwrap_or_default();
    let is_bare = place.trim_end_matches(|end: char| end.is_ascii_digit() || end == ':') == file;
    let mut said = match reason(lines).filter(|_| is_bare) {
        Some(reason) => format!("{place}: {reason}"),
        None => place.trim().to_owned(),
    };
    said.truncate(said.floor_char_boundary(LONGEST));
    Verdict::Bad(said)
}

/// What is wrong, where the place stands alone on its line: below the text and its marks,
/// and what led there is indented.
fn reason<'l>(below: impl Iterator<Item = &'l str>) -> Option<&'l str> {
    let is_reason = |line: &&str| line.contains(": ") && !line.starts_with(char::is_whitespace);
    below.filter(is_reason).last()
}

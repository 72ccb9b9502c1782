//! What interpreters say of files that were edited, for faults that no listing can see. Each
//! text is asked about once, and nothing is started for a tool that nobody has called.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Map;
use tempfile::NamedTempFile;
use toolroom_catalog::Catalog;
use toolroom_catalog::problem::{Problem, ProblemKind};
use toolroom_exec::executor::{self, Request, Verdict};
use toolroom_kernel::Position;
use toolroom_kernel::model::{Tool, ToolId};
use toolroom_provision::ready;

use crate::server::House;

/// More answers than this are not remembered.
const MOST: usize = 10_000;

/// Answers, and about whom questions may be asked.
#[derive(Debug, Default)]
pub struct Checks {
    /// By digest.
    known: Mutex<HashMap<String, Option<Problem>>>,
    called: Mutex<HashSet<ToolId>>,
}

impl House {
    /// What a tool's interpreter says is wrong with its file, and was not with the text of
    /// the tool before it. What it says of both tells nothing of the edit.
    pub async fn worse(
        &self,
        catalog: &Catalog,
        tool: &Tool,
        old: &Tool,
        text: &str,
    ) -> Option<Problem> {
        let problem = self.problem_of(catalog, tool, None).await?;
        let before = self.problem_of(catalog, old, Some(text)).await;
        before.is_none().then_some(problem)
    }

    /// One whose environment is yet to be decided on is not asked: it may be another one.
    async fn problem_of(
        &self,
        catalog: &Catalog,
        tool: &Tool,
        text: Option<&str>,
    ) -> Option<Problem> {
        if catalog.is_data(&tool.path) || !held(&self.checks.called).contains(&tool.id) {
            return None;
        }
        if let Some(known) = self.checks.known(&tool.digest) {
            return known;
        }
        let chain = catalog.link(tool.clone()).ok()?;
        if ready::has_to_look(&chain) {
            return None;
        }
        let ready = ready::known(&self.world, catalog, &chain).ok()?;
        let request = Request {
            world: &self.world,
            catalog,
            chain: &chain,
            source: text,
            params: &Map::new(),
            env: &[],
            timeout: None,
            dotenv_allow: &self.options.dotenv_allow,
            preferred: &ready.preferred,
            setup: ready.setup.as_ref(),
        };
        let copy = text.map(|text| copied(&tool.path, text)).transpose().ok()?;
        let file = copy
            .as_ref()
            .map_or(tool.path.as_path(), |copy| copy.path());
        let problem = match executor::check(&request, file, &self.options.guard).await {
            Verdict::Good => None,
            Verdict::Bad(said) => Some(problem(&tool.path, file, &said)),
            Verdict::Unknown => return None,
        };
        self.checks.learn(&tool.digest, problem.clone());
        problem
    }
}

/// A text in a file of its own, of the same kind as the tool's.
fn copied(path: &Path, text: &str) -> std::io::Result<NamedTempFile> {
    let name = path.file_name().unwrap_or_default();
    let mut copy = tempfile::Builder::new().suffix(name).tempfile()?;
    copy.write_all(text.as_bytes())?;
    Ok(copy)
}

/// Interpreters name the file, and most of them the line after it.
fn problem(path: &Path, file: &Path, said: &str) -> Problem {
    let mut message = said;
    let mut position = None;
    if let Some(rest) = said.strip_prefix(&format!("{}:", file.display())) {
        message = rest.trim_start();
        let numbered = message.split_once(':');
        let numbered = numbered.and_then(|(line, rest)| Some((line.parse().ok()?, rest)));
        if let Some((line, rest)) = numbered {
            position = Some(Position { line, column: 1 });
            message = rest.trim_start();
        }
    }
    Problem::new(ProblemKind::Syntax, path, message).at(position)
}

impl Checks {
    /// A tool is called: its interpreter may be started from now on.
    pub fn call(&self, id: &ToolId) {
        let mut called = held(&self.called);
        if !called.contains(id) {
            called.insert(id.clone());
        }
    }

    fn known(&self, digest: &str) -> Option<Option<Problem>> {
        held(&self.known).get(digest).cloned()
    }

    fn learn(&self, digest: &str, problem: Option<Problem>) {
        let mut known = held(&self.known);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(digest.to_owned(), problem);
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_taken_from_what_an_interpreter_says() {
        let path = Path::new("/p/a.rb");
        let cases = [
            ("/p/a.rb:3: syntax error", Some(3), "syntax error"),
            ("/p/a.rb: line 3: oh", None, "line 3: oh"),
            (
                "Parse error: oh in /p/a.rb",
                None,
                "Parse error: oh in /p/a.rb",
            ),
        ];
        for (said, line, message) in cases {
            let problem = problem(path, path, said);
            let found = problem.position.map(|position| position.line);
            assert_eq!((found, problem.message.as_str()), (line, message), "{said}");
        }
    }
}

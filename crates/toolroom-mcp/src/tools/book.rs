//! Every tool that is served, as one value that is replaced whole when files change.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};
use toolroom_catalog::Catalog;
use toolroom_catalog::problem::Problem;
use toolroom_kernel::World;
use toolroom_kernel::model::{Role, Space, Tool, ToolId};

use super::entry::Entry;
use super::name::{self, Collision};

/// Which tools are served.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Patterns over ids; a `!` before one leaves out what it matches.
    pub patterns: Vec<String>,
}

impl Choice {
    /// Whether a tool is served. The last pattern that matches decides.
    #[must_use]
    pub fn takes(&self, id: &str) -> bool {
        let only_leaves_out = self.patterns.iter().all(|pattern| pattern.starts_with('!'));
        self.patterns
            .iter()
            .fold(only_leaves_out, |taken, pattern| {
                match pattern.strip_prefix('!') {
                    Some(pattern) if matches(pattern.as_bytes(), id.as_bytes()) => false,
                    None if matches(pattern.as_bytes(), id.as_bytes()) => true,
                    _ => taken,
                }
            })
    }
}

/// `*` stands for any characters, `?` for one; folders are no border.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(b'?') => (p, t) = (p + 1, t + 1),
            Some(byte) if *byte == text[t] => (p, t) = (p + 1, t + 1),
            _ => match &mut star {
                None => return false,
                Some((at, from)) => {
                    *from += 1;
                    (p, t) = (*at + 1, *from);
                }
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// What the files of a world say, before anything is chosen of it.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Sources {
    pub tools: Vec<Tool>,
    /// What is wrong, a line each.
    pub remarks: Vec<String>,
    /// Files that could not be read as tools.
    pub broken: Vec<Broken>,
}

/// Who knows what is wrong with a tool that was read, and was not with what it was before.
pub type Check<'c> = &'c dyn Fn(&Tool, &Tool) -> Option<Problem>;

/// A file that is no tool as it is now.
#[derive(Debug, Serialize, Deserialize)]
pub struct Broken {
    path: PathBuf,
    /// The path, and the line where that is known.
    place: String,
}

impl Sources {
    /// Reads every tool there is.
    #[must_use]
    pub fn read(world: &World) -> Self {
        let catalog = Catalog::open(world);
        let listing = catalog.list();
        let mut sources = Self::default();
        for row in listing
            .rows
            .iter()
            .filter(|row| row.role() == Role::Tool && row.space != Space::Core)
        {
            match catalog.find(row.id.as_str()) {
                Ok(tool) => sources.tools.push(tool),
                Err(error) => {
                    let place = row.path.display().to_string();
                    sources.remarks.push(format!("{place}: {error}"));
                    sources.broken.push(Broken {
                        path: row.path.clone(),
                        place,
                    });
                }
            }
        }
        for problem in listing.problems {
            sources.tell(problem);
        }
        sources
    }

    /// Takes out what was edited since `before` and of which `check` knows a problem.
    pub fn check_edited(&mut self, before: &Book, check: Check<'_>) {
        let entries = before.entries.iter().map(|entry| &entry.source);
        let known: HashMap<&Path, &Tool> =
            entries.map(|tool| (tool.path.as_path(), tool)).collect();
        let mut problems = Vec::new();
        self.tools.retain(|tool| {
            let old = known.get(tool.path.as_path());
            let edited = old.filter(|old| old.digest != tool.digest);
            let problem = edited.and_then(|old| check(tool, old));
            let is_good = problem.is_none();
            problems.extend(problem);
            is_good
        });
        for problem in problems {
            self.tell(problem);
        }
    }

    fn tell(&mut self, problem: Problem) {
        let line = problem
            .position
            .map(|position| format!(":{}", position.line))
            .unwrap_or_default();
        let place = format!("{}{line}", problem.path.display());
        self.remarks.push(format!("{place}: {}", problem.message));
        let path = problem.path;
        self.broken.push(Broken { path, place });
    }
}

/// The tools at one moment.
#[derive(Debug)]
pub struct Book {
    /// Opened by the first call.
    catalog: OnceLock<Catalog>,
    /// By public name, ordered.
    pub entries: Vec<Arc<Entry>>,
    by_name: HashMap<String, usize>,
    /// Names that several tools would have; none of those is served.
    collisions: Vec<Collision>,
    /// Files that are no tools as they are now.
    broken: HashSet<PathBuf>,
    /// What is wrong, a line each.
    pub remarks: Vec<String>,
}

impl Book {
    /// Makes entries of the tools that are chosen. One whose file broke since `before` is
    /// listed as it was, and `can_answer` says whether it can be called so.
    #[must_use]
    pub fn of(
        sources: Sources,
        choice: &Choice,
        before: Option<&Self>,
        can_answer: &dyn Fn(&Entry) -> bool,
    ) -> Self {
        let Sources {
            mut tools,
            mut remarks,
            broken,
        } = sources;
        tools.retain(|tool| choice.takes(tool.id.as_str()));
        tools.extend(kept(&tools, &broken, before, can_answer, &mut remarks));
        let mut broken: HashSet<PathBuf> = broken.into_iter().map(|broken| broken.path).collect();
        let ids: Vec<ToolId> = tools.iter().map(|tool| tool.id.clone()).collect();
        let collisions = name::collisions(&ids);
        tools.retain(|tool| !is_contested(&tool.id, &collisions, before));
        remarks.extend(collisions.iter().map(|collision| told(collision, &tools)));
        let mut entries = Vec::with_capacity(tools.len());
        for source in tools {
            let (id, path) = (source.id.clone(), source.path.clone());
            let reason = match Entry::new(name::public(&id), source, &mut remarks) {
                Ok(entry) => {
                    entries.push(Arc::new(entry));
                    continue;
                }
                Err(reason) => reason,
            };
            remarks.push(format!("{id} is not served: {reason}"));
            let held = before.and_then(|before| before.by_id(id.as_str()));
            let Some(held) = held.filter(|held| held.source.path == path) else {
                continue;
            };
            let place = path.display().to_string();
            remarks.push(served(held, &place, can_answer));
            entries.push(held.clone());
            broken.insert(path);
        }
        entries.sort_by(|a, b| a.name().cmp(b.name()));
        let by_name = entries
            .iter()
            .enumerate()
            .map(|(at, entry)| (entry.name().to_owned(), at))
            .collect();
        Self {
            catalog: OnceLock::new(),
            entries,
            by_name,
            collisions,
            broken,
            remarks,
        }
    }

    /// Whether a file was no tool when this was read.
    #[must_use]
    pub fn is_broken(&self, path: &Path) -> bool {
        self.broken.contains(path)
    }

    /// Why there is no tool of a name that more than one could have.
    #[must_use]
    pub fn collision(&self, name: &str) -> Option<&Collision> {
        let mut collisions = self.collisions.iter();
        collisions.find(|collision| collision.name == name)
    }

    /// The catalog the entries came from.
    pub fn catalog(&self, world: &World) -> &Catalog {
        self.catalog.get_or_init(|| Catalog::open(world))
    }

    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<Entry>> {
        self.by_name.get(name).map(|at| &self.entries[*at])
    }

    /// By id, for those who know it.
    #[must_use]
    pub fn by_id(&self, id: &str) -> Option<&Arc<Entry>> {
        self.entries.iter().find(|entry| entry.id.as_str() == id)
    }

    /// Whether a client would see the same tools.
    #[must_use]
    pub fn looks_like(&self, other: &Self) -> bool {
        let pairs = self.entries.iter().zip(&other.entries);
        self.entries.len() == other.entries.len() && pairs.into_iter().all(|(a, b)| a.looks_like(b))
    }
}

/// Whether a tool may not have its name, since others would have it, too. One that had it
/// before the others came keeps it, so that none can take its place.
fn is_contested(id: &ToolId, collisions: &[Collision], before: Option<&Book>) -> bool {
    collisions
        .iter()
        .filter(|collision| collision.ids.contains(id))
        .any(|collision| {
            let held = before.and_then(|before| before.get(&collision.name));
            held.is_none_or(|held| held.id != *id)
        })
}

fn told(collision: &Collision, served: &[Tool]) -> String {
    let keeps = served.iter().find(|tool| collision.ids.contains(&tool.id));
    match keeps {
        Some(tool) => format!("{collision}; only {} is served, as before", tool.id),
        None => format!("{collision}; none of them is served until one is renamed"),
    }
}

/// Tools that were served and whose files are broken now.
fn kept(
    read: &[Tool],
    broken: &[Broken],
    before: Option<&Book>,
    can_answer: &dyn Fn(&Entry) -> bool,
    remarks: &mut Vec<String>,
) -> Vec<Tool> {
    let read: HashSet<&ToolId> = read.iter().map(|tool| &tool.id).collect();
    let broken: HashMap<&Path, &Broken> = broken
        .iter()
        .map(|broken| (broken.path.as_path(), broken))
        .collect();
    let mut kept = Vec::new();
    for entry in before.iter().flat_map(|before| &before.entries) {
        let path = entry.source.path.as_path();
        let broken = broken.get(path).filter(|_| path.exists());
        let Some(broken) = broken.filter(|_| !read.contains(&entry.id)) else {
            continue;
        };
        remarks.push(served(entry, &broken.place, can_answer));
        kept.push(entry.source.clone());
    }
    kept
}

/// How a tool is served whose file is broken now.
fn served(entry: &Entry, place: &str, can_answer: &dyn Fn(&Entry) -> bool) -> String {
    let id = &entry.id;
    if can_answer(entry) {
        format!("{id} is served as it was before, until {place} is put right")
    } else {
        format!("{id} is listed as it was before; calls of it fail until {place} is put right")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_choose_tools_and_the_last_word_counts() {
        let choice = |patterns: &[&str]| Choice {
            patterns: patterns.iter().map(|p| (*p).to_owned()).collect(),
        };
        let cases: &[(&[&str], &str, bool)] = &[
            (&["*"], "a/b", true),
            (&["web/*"], "web/fetch", true),
            (&["web/*"], "db/query", false),
            (&["*", "!web/*"], "web/fetch", false),
            (&["!web/*"], "db/query", true),
            (&["!web/*", "web/fetch"], "web/fetch", true),
            (&["*fetch"], "web/fetch", true),
            (&["f?tch"], "fetch", true),
            (&["a*b*c"], "aXXbYYc", true),
            (&["a*b*c"], "aXXbYY", false),
            (&[], "a", true),
        ];
        for (patterns, id, wanted) in cases {
            assert_eq!(choice(patterns).takes(id), *wanted, "{patterns:?} {id}");
        }
    }
}

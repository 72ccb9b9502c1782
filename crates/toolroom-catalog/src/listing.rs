//! Every tool there is, and everything that keeps a file from being one.
//!
//! Files that have not changed come from the index; the rest is read on all cores. Bad
//! files become problems and never hide the others.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolroom_kernel::chain::{ChainError, link};
use toolroom_kernel::model::{Role, Space, Tool, ToolId, field};
use toolroom_kernel::{Explain, Position};

use crate::bystander::is_bystander;
use crate::catalog::{Catalog, duplicate};
use crate::core_data;
use crate::index::Index;
use crate::parallel;
use crate::problem::{Problem, ProblemKind};
use crate::read::{self, Buffer, Metadata};
use crate::search;
use crate::space::SpaceRoot;
use crate::summary::{Parts, Summary};
use crate::walk::{self, ToolFile, Walk};

/// Longest description kept for listings; the file has the rest.
const MAX_DESCRIPTION: usize = 1000;

/// One line of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub id: ToolId,
    pub space: Space,
    pub path: PathBuf,
    pub summary: Summary,
    /// What runs it, by its shortest name.
    pub runtime: Option<Arc<str>>,
}

impl Row {
    #[must_use]
    pub fn role(&self) -> Role {
        Role::of_type(self.summary.tool_type())
    }

    /// The shortest name it can be asked for by.
    #[must_use]
    pub fn shown_id(&self) -> &str {
        match (self.space, self.role()) {
            (Space::Core, Role::Runtime | Role::Primitive) => self.id.name(),
            _ => self.id.as_str(),
        }
    }
}

/// A tool hidden by one of the same id in a nearer space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shadowed {
    pub id: ToolId,
    pub space: Space,
    pub path: PathBuf,
    pub by: PathBuf,
}

/// A runtime whose last name alone means one of core, which nothing hides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outranked {
    pub id: ToolId,
    pub path: PathBuf,
    /// What its last name means.
    pub by: ToolId,
}

/// Everything in the spaces of a world.
#[derive(Debug, Default)]
pub struct Listing {
    pub rows: Vec<Row>,
    pub shadowed: Vec<Shadowed>,
    pub outranked: Vec<Outranked>,
    pub problems: Vec<Problem>,
}

/// The files of nearer spaces that hide one of a farther space, by the id they share.
type Hidden = BTreeMap<ToolId, PathBuf>;

/// What the index remembers of a file.
#[derive(Debug, Serialize, Deserialize)]
enum Known {
    Tool(Summary),
    NotATool,
    Broken(Vec<Problem>),
}

impl Catalog {
    /// Lists every tool of every space, ordered by id.
    #[must_use]
    pub fn list(&self) -> Listing {
        let mut listing = self.list_own();
        listing.rows.extend(core_data::files().iter().map(core_row));
        listing
            .rows
            .sort_by(|a, b| a.id.cmp(&b.id).then(a.space.cmp(&b.space)));
        listing
    }

    /// As [`Self::list`], without what is in the binary: that need not be read to know what
    /// a project or its user has.
    #[must_use]
    pub fn list_own(&self) -> Listing {
        let mut listing = Listing {
            problems: self.extractor_problems.clone(),
            ..Listing::default()
        };
        let mut walks: Vec<Walk<'_>> = self
            .roots
            .iter()
            .map(|root| walk::walk(&root.tools, &self.extractors))
            .collect();
        let mut hidden = Hidden::default();
        for (at, root) in self.roots.iter().enumerate() {
            let walk = std::mem::take(&mut walks[at]);
            self.list_root(root, walk, &walks[at + 1..], &mut hidden, &mut listing);
        }
        self.check_chains(&mut listing);
        let outranked = listing.rows.iter().filter_map(|row| self.outranked(row));
        listing.outranked = outranked.collect();
        listing
            .rows
            .sort_by(|a, b| a.id.cmp(&b.id).then(a.space.cmp(&b.space)));
        listing
            .problems
            .sort_by(|a, b| a.path.cmp(&b.path).then(a.position.cmp(&b.position)));
        listing
    }

    fn list_root(
        &self,
        root: &SpaceRoot,
        walk: Walk<'_>,
        farther: &[Walk<'_>],
        hidden: &mut Hidden,
        listing: &mut Listing,
    ) {
        listing.problems.extend(walk.problems);
        let names_of_core = names_of_core();
        let known = self.known(root, &walk.files);
        listing.rows.reserve(known.len());
        let files = walk.files.into_iter().zip(known);
        let mut files = files
            .filter(|(_, known)| !matches!(known, Known::NotATool))
            .peekable();
        while let Some((file, known)) = files.next() {
            let mut last = None;
            while let Some((other, _)) = files.next_if(|(other, _)| other.id == file.id) {
                let before: &ToolFile<'_> = last.as_ref().unwrap_or(&file);
                let problem = duplicate(&file.id, &before.path, &other.path);
                listing.problems.push(problem);
                last = Some(other);
            }
            // Which of several is meant is not ours to guess.
            if last.is_some() {
                continue;
            }
            if let Some(core) = names_of_core.get(file.id.as_str()) {
                listing.problems.push(protected(&file, core));
                continue;
            }
            if let Some(by) = hidden.get(&file.id) {
                listing.shadowed.push(Shadowed {
                    id: file.id,
                    space: root.space,
                    path: file.path,
                    by: by.clone(),
                });
                continue;
            }
            if farther.iter().any(|walk| walk.has(&file.id)) {
                hidden.insert(file.id.clone(), file.path.clone());
            }
            match known {
                Known::Tool(summary) => listing.rows.push(Row {
                    id: file.id,
                    space: root.space,
                    path: file.path,
                    summary,
                    runtime: None,
                }),
                Known::Broken(problems) => listing.problems.extend(problems),
                Known::NotATool => {}
            }
        }
    }

    /// What each file says: from the index where it is unchanged, else from the file.
    fn known(&self, root: &SpaceRoot, files: &[ToolFile<'_>]) -> Vec<Known> {
        self.remembered("list", root, files, |file, source| {
            let source = match source {
                Ok(source) => source,
                Err(_) if is_bystander(&file.path, &self.extractors) => return Known::NotATool,
                Err(problem) => return Known::Broken(vec![problem]),
            };
            match read::metadata(
                &file.id,
                &file.path,
                file.extension,
                source,
                &self.extractors,
            ) {
                Metadata::Tool(found) => Known::Tool(summary(&found.metadata, &found.positions)),
                Metadata::NotATool => Known::NotATool,
                Metadata::Broken(problems) => Known::Broken(problems),
            }
        })
    }

    /// The words of each tool's text, for searching, in the order of `rows`. Core has none:
    /// its files are data, and their templates speak of what no runtime is about.
    #[must_use]
    pub fn words(&self, rows: &[Row]) -> Vec<Vec<(String, u32)>> {
        let mut by_path: HashMap<PathBuf, Vec<(String, u32)>> = HashMap::new();
        for root in &self.roots {
            let files = walk::walk(&root.tools, &self.extractors).files;
            let words = self.remembered("words", root, &files, |_, source| {
                source.map_or_else(|_| Vec::new(), search::content_tokens)
            });
            by_path.extend(files.into_iter().map(|file| file.path).zip(words));
        }
        rows.iter()
            .map(|row| by_path.remove(&row.path).unwrap_or_default())
            .collect()
    }

    /// What `understand` makes of each file, by way of the index of this kind.
    fn remembered<T, F>(
        &self,
        kind: &str,
        root: &SpaceRoot,
        files: &[ToolFile<'_>],
        understand: F,
    ) -> Vec<T>
    where
        T: Serialize + serde::de::DeserializeOwned + Send,
        F: Fn(&ToolFile<'_>, Result<&str, Problem>) -> T + Sync,
    {
        let identity = self.extractors.identity();
        let mut index: Index<T> = Index::open(self.cache.as_deref(), kind, &root.tools, &identity);
        let mut known: Vec<Option<T>> = files.iter().map(|file| index.take(file)).collect();
        let missing: Vec<usize> = (0..files.len()).filter(|at| known[*at].is_none()).collect();
        let is_stale = !missing.is_empty() || index.has_leftovers();
        let fresh = parallel::map(&missing, |buffer: &mut Buffer, at| {
            let file = &files[*at];
            understand(file, buffer.text(file))
        });
        for (at, value) in missing.into_iter().zip(fresh) {
            known[at] = Some(value);
        }
        let values: Vec<T> = known.into_iter().flatten().collect();
        if is_stale {
            index.store(self.now, files.iter().zip(&values));
        }
        values
    }

    /// Finds what runs each tool; a tool that nothing can run becomes a problem. One look
    /// per executor: if an executor's own chain ends well, so does that of whoever names it.
    fn check_chains(&self, listing: &mut Listing) {
        let mut runtimes: FxHashMap<String, Result<Arc<str>, Problem>> = FxHashMap::default();
        let mut problems = Vec::new();
        listing.rows.retain_mut(|row| {
            if !needs_executor(row.role()) {
                return true;
            }
            let executor = row.summary.executor().unwrap_or_default();
            let runtime = match runtimes.get(executor) {
                Some(runtime) => runtime,
                None => runtimes
                    .entry(executor.to_owned())
                    .or_insert_with_key(|executor| self.runtime_of(executor, row)),
            };
            match runtime {
                Ok(name) => {
                    row.runtime = Some(name.clone());
                    true
                }
                Err(problem) => {
                    let mut problem = problem.clone();
                    problem.message = problem.message.replace(PLACEHOLDER, row.id.as_str());
                    problem.path.clone_from(&row.path);
                    problem.position = row.summary.executor_at;
                    problems.push(problem);
                    false
                }
            }
        });
        listing.problems.extend(problems);
    }

    fn outranked(&self, row: &Row) -> Option<Outranked> {
        let can_execute = matches!(row.role(), Role::Runtime | Role::Primitive);
        let meant = can_execute.then(|| self.find_runtime(row.id.name()).ok())??;
        (meant.space == Space::Core).then(|| Outranked {
            id: row.id.clone(),
            path: row.path.clone(),
            by: meant.id,
        })
    }

    fn runtime_of(&self, executor: &str, row: &Row) -> Result<Arc<str>, Problem> {
        let mut metadata = serde_json::Map::new();
        metadata.insert(field::TOOL_TYPE.into(), row.summary.tool_type().into());
        if !executor.is_empty() {
            metadata.insert(field::EXECUTOR_ID.into(), executor.into());
        }
        let stand_in = Tool {
            id: ToolId::parse(PLACEHOLDER).expect("a plain word is an id"),
            space: row.space,
            path: row.path.clone(),
            metadata,
            positions: BTreeMap::new(),
            digest: String::new(),
        };
        match link(Arc::new(stand_in), self) {
            Ok(chain) => Ok(chain
                .links()
                .get(1)
                .map_or_else(String::new, |runtime| short_name(runtime))
                .into()),
            Err(error) => {
                let kind = match &error {
                    ChainError::UnknownExecutor { .. } => ProblemKind::UnknownExecutor,
                    ChainError::AmbiguousExecutor { .. } => ProblemKind::AmbiguousExecutor,
                    ChainError::BrokenExecutor { .. } => ProblemKind::BrokenExecutor,
                    ChainError::Cycle { .. } => ProblemKind::ChainCycle,
                    ChainError::TooDeep { .. } => ProblemKind::ChainTooDeep,
                    ChainError::NoExecutor { .. } => ProblemKind::MissingExecutor,
                };
                let help = error.help().unwrap_or_default();
                Err(Problem::new(kind, &row.path, error.to_string()).help(help))
            }
        }
    }
}

/// Stands for the tool's own id while a chain is checked once for many tools.
const PLACEHOLDER: &str = "this tool";

/// The shortest name a runtime can be asked for by.
#[must_use]
pub fn short_name(tool: &Tool) -> String {
    match tool.space {
        Space::Core => tool.id.name().to_owned(),
        Space::Project | Space::User => tool.id.to_string(),
    }
}

const fn needs_executor(role: Role) -> bool {
    matches!(role, Role::Tool | Role::Runtime)
}

/// Every name that is core's, with the core id it means.
fn names_of_core() -> FxHashMap<&'static str, &'static str> {
    let ids = core_data::files().iter().map(|file| (file.id, file.id));
    ids.chain(core_data::aliases().iter().copied()).collect()
}

fn protected(file: &ToolFile<'_>, core: &str) -> Problem {
    let id = &file.id;
    let message = format!("the id {id} belongs to core ({core}); this file is ignored");
    Problem::new(ProblemKind::CoreProtected, &file.path, message)
        .help("core tools cannot be replaced: give the file another name")
}

fn summary(metadata: &Map<String, Value>, positions: &BTreeMap<String, Position>) -> Summary {
    let written = |name: &str| metadata.get(name).and_then(Value::as_str);
    Summary::new(&Parts {
        tool_type: written(field::TOOL_TYPE).unwrap_or("tool"),
        executor: written(field::EXECUTOR_ID),
        description: written(field::DESCRIPTION).map(shortened),
        version: written(field::VERSION),
        category: written(field::CATEGORY),
        executor_at: positions.get(field::EXECUTOR_ID).copied(),
    })
}

fn shortened(description: &str) -> &str {
    let end = description.char_indices().nth(MAX_DESCRIPTION);
    end.map_or(description, |(end, _)| &description[..end])
}

/// What core's files are listed by. Read apart from all else they say, which is a lot.
#[derive(Deserialize)]
struct CoreParts<'c> {
    #[serde(borrow)]
    tool_type: Option<Cow<'c, str>>,
    #[serde(borrow)]
    executor_id: Option<Cow<'c, str>>,
    #[serde(borrow)]
    description: Option<Cow<'c, str>>,
    #[serde(borrow)]
    version: Option<Cow<'c, str>>,
    #[serde(borrow)]
    category: Option<Cow<'c, str>>,
}

fn core_row(file: &core_data::CoreFile) -> Row {
    let id = read::core_id(file);
    let parts: CoreParts<'_> = file.read_as().expect("core files are checked by a test");
    let summary = Summary::new(&Parts {
        tool_type: parts.tool_type.as_deref().unwrap_or("tool"),
        executor: parts.executor_id.as_deref(),
        description: parts.description.as_deref().map(shortened),
        version: parts.version.as_deref(),
        category: parts.category.as_deref().or(id.category()),
        executor_at: None,
    });
    Row {
        runtime: summary.executor().map(Arc::from),
        id,
        space: Space::Core,
        path: read::core_path(file),
        summary,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn core_is_listed_as_it_is_shown() {
        for file in core_data::files() {
            let (row, tool) = (core_row(file), read::core(file));
            assert_eq!((&row.id, &row.path), (&tool.id, &tool.path));
            assert_eq!(row.summary, summary(&tool.metadata, &tool.positions));
        }
    }
}

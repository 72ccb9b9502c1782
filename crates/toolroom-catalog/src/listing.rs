//! Every tool there is, and everything that keeps a file from being one.
//!
//! Files that have not changed come from the index; the rest is read on all cores. Bad
//! files become problems and never hide the others.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolroom_kernel::chain::link;
use toolroom_kernel::model::{Role, Space, Tool, ToolId, field};
use toolroom_kernel::{Explain, Position};

use crate::catalog::{Catalog, duplicate};
use crate::core_data;
use crate::index::Index;
use crate::parallel;
use crate::problem::{Problem, ProblemKind};
use crate::read::{self, Metadata};
use crate::search;
use crate::space::SpaceRoot;
use crate::walk::{self, ToolFile};

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
    pub runtime: Option<String>,
}

/// What a listing says of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub tool_type: String,
    pub executor: Option<String>,
    pub description: Option<String>,
    pub version: Option<String>,
    pub category: Option<String>,
    executor_at: Option<Position>,
}

impl Row {
    #[must_use]
    pub fn role(&self) -> Role {
        Role::of_type(&self.summary.tool_type)
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

/// Everything in the spaces of a world.
#[derive(Debug, Default)]
pub struct Listing {
    pub rows: Vec<Row>,
    pub shadowed: Vec<Shadowed>,
    pub problems: Vec<Problem>,
}

/// What the index remembers of a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Known {
    Tool(Summary),
    NotATool,
    Broken(Vec<Problem>),
}

impl Catalog {
    /// Lists every tool of every space, ordered by id.
    #[must_use]
    pub fn list(&self) -> Listing {
        let mut listing = Listing {
            problems: self.extractor_problems.clone(),
            ..Listing::default()
        };
        let mut taken: BTreeMap<ToolId, PathBuf> = BTreeMap::new();
        for root in &self.roots {
            self.list_root(root, &mut taken, &mut listing);
        }
        self.check_chains(&mut listing);
        for file in core_data::files() {
            listing.rows.push(core_row(file));
        }
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
        taken: &mut BTreeMap<ToolId, PathBuf>,
        listing: &mut Listing,
    ) {
        let walked = walk::walk(&root.tools, &self.extractors);
        listing.problems.extend(walked.problems);
        let known = self.known(root, &walked.files);
        let mut files: Vec<(ToolFile, Known)> = walked
            .files
            .into_iter()
            .zip(known)
            .filter(|(_, known)| !matches!(known, Known::NotATool))
            .collect();
        report_duplicates(&mut files, &mut listing.problems);
        for (file, known) in files {
            if let Some(problem) = protected(&file) {
                listing.problems.push(problem);
                continue;
            }
            if let Some(by) = taken.get(&file.id) {
                listing.shadowed.push(Shadowed {
                    id: file.id,
                    space: root.space,
                    path: file.path,
                    by: by.clone(),
                });
                continue;
            }
            taken.insert(file.id.clone(), file.path.clone());
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
    fn known(&self, root: &SpaceRoot, files: &[ToolFile]) -> Vec<Known> {
        self.remembered("list", root, files, |file| {
            let source = match read::text(&file.path) {
                Ok(source) => source,
                Err(problem) => return Known::Broken(vec![problem]),
            };
            match read::metadata(
                &file.id,
                &file.path,
                &file.extension,
                &source,
                &self.extractors,
            ) {
                Metadata::Tool(found) => Known::Tool(summary(&found.metadata, &found.positions)),
                Metadata::NotATool => Known::NotATool,
                Metadata::Broken(problems) => Known::Broken(problems),
            }
        })
    }

    /// The words of each tool's text, for searching, in the order of `rows`.
    #[must_use]
    pub fn words(&self, rows: &[Row]) -> Vec<Vec<(String, u32)>> {
        let mut by_path: HashMap<PathBuf, Vec<(String, u32)>> = HashMap::new();
        for root in &self.roots {
            let files = walk::walk(&root.tools, &self.extractors).files;
            let words = self.remembered("words", root, &files, |file| {
                read::text(&file.path)
                    .map_or_else(|_| Vec::new(), |text| search::content_tokens(&text))
            });
            by_path.extend(files.into_iter().map(|file| file.path).zip(words));
        }
        rows.iter()
            .map(|row| match core_data::file(row.id.as_str()) {
                Some(file) if row.space == Space::Core => search::content_tokens(file.source),
                _ => by_path.remove(&row.path).unwrap_or_default(),
            })
            .collect()
    }

    fn remembered<T, F>(&self, kind: &str, root: &SpaceRoot, files: &[ToolFile], read: F) -> Vec<T>
    where
        T: Serialize + serde::de::DeserializeOwned + Clone + Send,
        F: Fn(&ToolFile) -> T + Sync,
    {
        let identity = self.extractors.identity();
        let mut index: Index<T> = Index::open(self.cache.as_deref(), kind, &root.tools, &identity);
        let key = |file: &ToolFile| format!("{}{}", file.id, file.extension);
        let mut values: Vec<Option<T>> = files
            .iter()
            .map(|file| index.take(&key(file), file.fingerprint))
            .collect();
        let missing: Vec<usize> = (0..files.len())
            .filter(|at| values[*at].is_none())
            .collect();
        let is_stale = !missing.is_empty() || index.has_leftovers();
        let fresh = parallel::map(&missing, |at| read(&files[*at]));
        for (at, value) in missing.into_iter().zip(fresh) {
            values[at] = Some(value);
        }
        let values: Vec<T> = values.into_iter().flatten().collect();
        if is_stale {
            let keys: Vec<String> = files.iter().map(key).collect();
            let entries = keys
                .iter()
                .zip(files)
                .zip(&values)
                .map(|((key, file), value)| (key.as_str(), file.fingerprint, value.clone()));
            index.store(self.now, entries);
        }
        values
    }

    /// Finds what runs each tool; a tool that nothing can run becomes a problem. One look
    /// per executor: if an executor's own chain ends well, so does that of whoever names it.
    fn check_chains(&self, listing: &mut Listing) {
        let mut runtimes: HashMap<String, Result<String, Problem>> = HashMap::new();
        let mut problems = Vec::new();
        listing.rows.retain_mut(|row| {
            if !needs_executor(row.role()) {
                return true;
            }
            let executor = row.summary.executor.clone().unwrap_or_default();
            let runtime = runtimes
                .entry(executor)
                .or_insert_with_key(|executor| self.runtime_of(executor, row));
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

    fn runtime_of(&self, executor: &str, row: &Row) -> Result<String, Problem> {
        let mut metadata = serde_json::Map::new();
        metadata.insert(
            field::TOOL_TYPE.into(),
            row.summary.tool_type.as_str().into(),
        );
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
                .map_or_else(String::new, |runtime| short_name(runtime))),
            Err(error) => {
                let kind = match error.code() {
                    "catalog::chain_cycle" => ProblemKind::ChainCycle,
                    "catalog::chain_too_deep" => ProblemKind::ChainTooDeep,
                    "catalog::missing_executor" => ProblemKind::MissingExecutor,
                    _ => ProblemKind::UnknownExecutor,
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

fn protected(file: &ToolFile) -> Option<Problem> {
    let id = file.id.as_str();
    let core = core_data::alias(id).or_else(|| core_data::file(id).map(|core| core.id))?;
    let message = format!("the id {id} belongs to core ({core}); this file is ignored");
    Some(
        Problem::new(ProblemKind::CoreProtected, &file.path, message)
            .help("core tools cannot be replaced: give the file another name"),
    )
}

/// Two files of one id are both left out: which of them is meant is not ours to guess.
fn report_duplicates(files: &mut Vec<(ToolFile, Known)>, problems: &mut Vec<Problem>) {
    let doubled: Vec<ToolId> = files
        .windows(2)
        .filter(|pair| pair[0].0.id == pair[1].0.id)
        .map(|pair| {
            problems.push(duplicate(&pair[0].0.id, &pair[0].0.path, &pair[1].0.path));
            pair[0].0.id.clone()
        })
        .collect();
    if !doubled.is_empty() {
        files.retain(|(file, _)| !doubled.contains(&file.id));
    }
}

fn summary(metadata: &Map<String, Value>, positions: &BTreeMap<String, Position>) -> Summary {
    let written = |name: &str| metadata.get(name).and_then(Value::as_str);
    let text = |name: &str| written(name).map(str::to_owned);
    Summary {
        tool_type: text(field::TOOL_TYPE).unwrap_or_else(|| "tool".to_owned()),
        executor: text(field::EXECUTOR_ID),
        description: written(field::DESCRIPTION)
            .map(|text| text.chars().take(MAX_DESCRIPTION).collect()),
        version: text(field::VERSION),
        category: text(field::CATEGORY),
        executor_at: positions.get(field::EXECUTOR_ID).copied(),
    }
}

fn core_row(file: &core_data::CoreFile) -> Row {
    let tool = read::core(file);
    let summary = summary(&tool.metadata, &tool.positions);
    Row {
        runtime: summary.executor.clone(),
        id: tool.id,
        space: Space::Core,
        path: tool.path,
        summary,
    }
}

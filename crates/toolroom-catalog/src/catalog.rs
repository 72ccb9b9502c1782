//! Finds one tool by name without looking at the others.
//!
//! Core first (nothing hides it), then the exact id in the project and user spaces, then
//! a bare last name where it is unique. What is found is read from its file, never from
//! a cache.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;
use toolroom_kernel::chain::{Chain, ChainError, Library, Missing, link};
use toolroom_kernel::model::{InvalidId, Role, Tool, ToolId, field};
use toolroom_kernel::{Explain, Place, World};

use crate::bystander::is_bystander;
use crate::core_data;
use crate::extract::registry::Extractors;
use crate::extract::spec::Reader;
use crate::near;
use crate::problem::{Problem, ProblemKind};
use crate::read::{self, Read};
use crate::space::{SpaceRoot, roots};
use crate::walk;

/// Folders in which an executor is looked for by its bare name, in this order.
const EXECUTOR_FOLDERS: &[&str] = &["runtimes", "primitives"];
/// The folder whose files teach the catalog new kinds of files.
const EXTRACTORS: &str = "extractors";

/// Why there is no such tool.
#[derive(Debug, Error)]
pub enum CatalogError {
    #[error(transparent)]
    InvalidId(#[from] InvalidId),
    #[error("there is no {kind} called {name}")]
    NotFound {
        name: String,
        /// What was looked for: a tool, or a runtime.
        kind: &'static str,
        suggestions: Vec<String>,
    },
    #[error("{name} could be any of {}", list(ids))]
    Ambiguous { name: String, ids: Vec<ToolId> },
    #[error("{0}")]
    Broken(Problem),
}

fn list(ids: &[ToolId]) -> String {
    let ids: Vec<&str> = ids.iter().map(ToolId::as_str).collect();
    ids.join(", ")
}

impl Explain for CatalogError {
    fn code(&self) -> &'static str {
        match self {
            Self::InvalidId(error) => error.code(),
            Self::NotFound { .. } => "catalog::tool_not_found",
            Self::Ambiguous { .. } => "catalog::ambiguous_name",
            Self::Broken(problem) => problem.code(),
        }
    }

    fn help(&self) -> Option<String> {
        match self {
            Self::InvalidId(error) => error.help(),
            Self::NotFound { suggestions, .. } => Some(match suggestions.as_slice() {
                [] => "toolroom list shows what there is".into(),
                near => format!("did you mean {}?", near.join(" or ")),
            }),
            Self::Ambiguous { .. } => Some("write the whole id".into()),
            Self::Broken(problem) => Explain::help(problem),
        }
    }

    fn place(&self) -> Option<Place> {
        match self {
            Self::Broken(problem) => problem.place(),
            _ => None,
        }
    }
}

/// The tools of a world.
#[derive(Debug)]
pub struct Catalog {
    pub(crate) roots: Vec<SpaceRoot>,
    pub(crate) extractors: Extractors,
    /// What is wrong with the spaces' own extractors.
    pub(crate) extractor_problems: Vec<Problem>,
    pub(crate) cache: Option<PathBuf>,
    pub(crate) now: std::time::SystemTime,
}

impl Catalog {
    /// Opens the spaces of a world. Reads only what teaches it how to read the rest.
    #[must_use]
    pub fn open(world: &World) -> Self {
        let mut catalog = Self {
            roots: roots(world),
            extractors: Extractors::core(),
            extractor_problems: Vec::new(),
            cache: world
                .directories
                .as_ref()
                .map(|directories| directories.cache.join("index")),
            now: world.now,
        };
        catalog.learn_extractors();
        catalog
    }

    fn learn_extractors(&mut self) {
        let mut learnt = Vec::new();
        for root in &self.roots {
            let folder = root.tools.join(EXTRACTORS);
            if !folder.is_dir() {
                continue;
            }
            for file in walk::walk(&folder, &self.extractors).files {
                let Ok(id) = ToolId::parse(&format!("{EXTRACTORS}/{}", file.id)) else {
                    continue;
                };
                match read::file(
                    root.space,
                    &id,
                    &file.path,
                    file.extension,
                    &self.extractors,
                ) {
                    Read::Tool(tool) if tool.role() == Role::Extractor => learnt.push(tool),
                    _ => {}
                }
            }
        }
        for tool in learnt {
            if core_data::file(tool.id.as_str()).is_some() {
                continue;
            }
            if let Err(fault) = self.extractors.add(tool.id.as_str(), &tool.metadata) {
                let field = fault.split([':', '.']).next().unwrap_or_default();
                let position = tool.positions.get(field).copied();
                self.extractor_problems
                    .push(Problem::new(ProblemKind::BadExtractor, tool.path, fault).at(position));
            }
        }
    }

    /// The tool of this id, alias or unique last name.
    ///
    /// # Errors
    /// Says that there is none (with what is close), several, or what is wrong with it.
    pub fn find(&self, name: &str) -> Result<Tool, CatalogError> {
        let id = ToolId::parse(name)?;
        if let Some(tool) = core_tool(name) {
            return Ok(tool);
        }
        if let Some(tool) = self.exact(&id)? {
            return Ok(tool);
        }
        if let Some(tool) = self.in_executor_folders(name)? {
            return Ok(tool);
        }
        self.by_last_name(name)
    }

    /// As [`Catalog::find`], for who means to run it: of what is close to a name that does
    /// not exist, only what can be run is suggested.
    ///
    /// # Errors
    /// As [`Catalog::find`].
    pub fn find_to_run(&self, name: &str) -> Result<Tool, CatalogError> {
        // Nothing of core is a tool.
        let can_run = |name: &str| core_tool(name).is_none();
        self.find(name)
            .map_err(|error| suggesting(error, "tool", can_run))
    }

    /// A runtime by name, or else any tool: what `env python` means where a tool is
    /// called `python` too.
    ///
    /// # Errors
    /// As [`Catalog::find`].
    pub fn find_runtime(&self, name: &str) -> Result<Tool, CatalogError> {
        let id = ToolId::parse(name)?;
        if let Some(tool) = core_tool(name) {
            return Ok(tool);
        }
        match self.exact(&id) {
            Ok(Some(tool)) if tool.role() == Role::Runtime => return Ok(tool),
            // A tool of that name, whatever is wrong with it, is not what is meant.
            _ => {}
        }
        match self.in_executor_folders(name)? {
            Some(tool) => Ok(tool),
            None => self
                .find(name)
                .map_err(|error| suggesting(error, "runtime or tool", can_execute)),
        }
    }

    /// Whether a file is data: what was read of it is all there is to it, and nothing else
    /// is ever asked of the file itself.
    #[must_use]
    pub fn is_data(&self, path: &Path) -> bool {
        let extension = path.extension().and_then(|extension| extension.to_str());
        let extension = extension.map(|extension| format!(".{extension}"));
        let prepared = extension.and_then(|extension| self.extractors.prepared(&extension));
        let reader = prepared.and_then(|prepared| Some(prepared.ok()?.extractor.reader));
        matches!(reader, Some(Reader::Yaml | Reader::Toml | Reader::Json))
    }

    /// Links a tool to what runs it.
    ///
    /// # Errors
    /// Names the link that is missing, or the whole cycle.
    pub fn link(&self, tool: Tool) -> Result<Chain, ChainError> {
        link(Arc::new(tool), self)
    }

    /// What runs a file of this tool's kind where the file says nothing, if it can be found.
    #[must_use]
    pub fn usual_executor(&self, tool: &Tool) -> Option<Tool> {
        let name = tool.path.file_name()?.to_str()?;
        let (_, extension) = walk::split_extension(name)?;
        let prepared = self.extractors.prepared(extension)?.ok()?;
        let usual = prepared.extractor.defaults.get(field::EXECUTOR_ID)?;
        self.find(usual.as_str()?).ok()
    }

    /// The tool with exactly this id, in the project or user space.
    fn exact(&self, id: &ToolId) -> Result<Option<Tool>, CatalogError> {
        for root in &self.roots {
            if let Some(tool) = self.in_root(root, id)? {
                return Ok(Some(tool));
            }
        }
        Ok(None)
    }

    fn in_root(&self, root: &SpaceRoot, id: &ToolId) -> Result<Option<Tool>, CatalogError> {
        let mut found: Option<(&Path, Read)> = None;
        let files = root.files(id, &self.extractors);
        for path in &files {
            if let Some(target) = root.leaves(path) {
                if is_bystander(path, &self.extractors) {
                    continue;
                }
                let problem = walk::leaves_space(path, &target);
                return Err(CatalogError::Broken(problem));
            }
            let name = path.file_name().and_then(|name| name.to_str());
            let Some((_, extension)) = name.and_then(walk::split_extension) else {
                continue;
            };
            match read::file(root.space, id, path, extension, &self.extractors) {
                Read::NotATool => {}
                read => match &found {
                    Some((first, _)) => {
                        return Err(CatalogError::Broken(duplicate(id, first, path)));
                    }
                    None => found = Some((path, read)),
                },
            }
        }
        match found {
            None => Ok(None),
            Some((_, Read::Tool(tool))) => Ok(Some(tool)),
            Some((_, Read::Broken(problems))) => match problems.into_iter().next() {
                Some(problem) => Err(CatalogError::Broken(problem)),
                None => Ok(None),
            },
            Some((_, Read::NotATool)) => Ok(None),
        }
    }

    /// A bare name in the folders where executors live, the spaces' own first.
    fn in_executor_folders(&self, name: &str) -> Result<Option<Tool>, CatalogError> {
        if name.contains('/') {
            return Ok(None);
        }
        for folder in EXECUTOR_FOLDERS {
            let id = format!("{folder}/{name}");
            if let Some(file) = core_data::file(&id) {
                return Ok(Some(read::core(file)));
            }
            if let Some(tool) = self.exact(&ToolId::parse(&id)?)? {
                return Ok(Some(tool));
            }
        }
        Ok(None)
    }

    /// The only tool whose id ends in this name.
    fn by_last_name(&self, name: &str) -> Result<Tool, CatalogError> {
        let ids = self.ids();
        let mut matches: Vec<&ToolId> = ids.iter().filter(|id| id.name() == name).collect();
        // Some files only bear the name of a tool, which shows when they are read.
        if matches.len() > 1 {
            matches.retain(|id| self.is_tool(id));
        }
        match matches.as_slice() {
            [id] if !name.contains('/') => match core_tool(id.as_str()) {
                Some(tool) => Ok(tool),
                None => self.exact(id)?.ok_or_else(|| self.not_found(name, &ids)),
            },
            [_, _, ..] if !name.contains('/') => Err(CatalogError::Ambiguous {
                name: name.to_owned(),
                ids: matches.into_iter().cloned().collect(),
            }),
            _ => Err(self.not_found(name, &ids)),
        }
    }

    /// Whether an id is that of a tool, be it broken.
    fn is_tool(&self, id: &ToolId) -> bool {
        core_data::file(id.as_str()).is_some() || !matches!(self.exact(id), Ok(None))
    }

    fn not_found(&self, name: &str, ids: &[ToolId]) -> CatalogError {
        // Of the longer aliases, which are there for older trees, nothing is suggested.
        let aliases = core_data::aliases().iter().map(|(alias, _)| *alias);
        let aliases = aliases.filter(|alias| !alias.contains('/'));
        let names = ids.iter().map(ToolId::as_str).chain(aliases);
        let mut suggestions = near::to(name, names);
        suggestions.retain(|near| {
            let is_tool = |id: ToolId| self.is_tool(&id);
            core_data::alias(near).is_some() || ToolId::parse(near).is_ok_and(is_tool)
        });
        CatalogError::NotFound {
            name: name.to_owned(),
            kind: "tool",
            suggestions,
        }
    }

    /// Every id there is, ordered, without reading any file.
    fn ids(&self) -> Vec<ToolId> {
        let mut ids: Vec<ToolId> = core_data::files()
            .iter()
            .filter_map(|file| ToolId::parse(file.id).ok())
            .collect();
        for root in &self.roots {
            let files = walk::walk(&root.tools, &self.extractors).files;
            ids.extend(files.into_iter().map(|file| file.id));
        }
        ids.sort();
        ids.dedup();
        ids
    }
}

impl Library for Catalog {
    fn executor(&self, name: &str) -> Result<Arc<Tool>, Missing> {
        match self.find_runtime(name) {
            Ok(tool) => Ok(Arc::new(tool)),
            Err(CatalogError::NotFound { suggestions, .. }) => {
                Err(Missing::Unknown { suggestions })
            }
            Err(CatalogError::Ambiguous { ids, .. }) => Err(Missing::Ambiguous { ids }),
            Err(other) => Err(Missing::Broken {
                reason: other.to_string(),
            }),
        }
    }
}

/// Of what was close to a name, only what could be meant.
fn suggesting(
    error: CatalogError,
    kind: &'static str,
    can_be_meant: impl Fn(&str) -> bool,
) -> CatalogError {
    match error {
        CatalogError::NotFound {
            name,
            mut suggestions,
            ..
        } => {
            suggestions.retain(|name| can_be_meant(name));
            CatalogError::NotFound {
                name,
                kind,
                suggestions,
            }
        }
        other => other,
    }
}

/// Whether a name could be an executor's: of core, only what is in an executor's folder.
fn can_execute(name: &str) -> bool {
    let is_core = core_data::file(name).is_some();
    !is_core
        || EXECUTOR_FOLDERS.iter().any(|folder| {
            name.strip_prefix(folder)
                .is_some_and(|rest| rest.starts_with('/'))
        })
}

/// A core tool by its id or one of its aliases.
fn core_tool(name: &str) -> Option<Tool> {
    let id = core_data::alias(name).unwrap_or(name);
    core_data::file(id).map(read::core)
}

pub(crate) fn duplicate(id: &ToolId, first: &Path, second: &Path) -> Problem {
    let message = format!(
        "two files have the id {id}: {} and {}",
        first.display(),
        second.display()
    );
    Problem::new(ProblemKind::DuplicateId, first, message)
        .help("rename one of them: an id is the path without the extension")
}

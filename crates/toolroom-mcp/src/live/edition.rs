//! Tools, prompts and resources at one moment, with a count of how often each changed.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use toolroom_catalog::seen::{Seen, seen};
use toolroom_catalog::space::{PROJECT_SPACE, TOOLS};
use toolroom_exec::executor::can_stand_in;
use toolroom_kernel::World;
use toolroom_kernel::chain::link;

use super::kept::{Kept, Remembering};
use super::memory::Memory;
use crate::prompts::Prompts;
use crate::resources::Resources;
use crate::server::Options;
use crate::tools::book::{Book, Check, Sources};
use crate::tools::entry::Entry;

/// The folders of a space that are served.
const FOLDERS: &[&str] = &[TOOLS, "prompts", "resources"];

/// Everything that is served.
#[derive(Debug)]
pub struct Edition {
    pub book: Arc<Book>,
    pub prompts: Arc<Prompts>,
    pub resources: Arc<Resources>,
    pub revision: Revision,
    /// Read once there is time for it.
    kept: OnceLock<Kept>,
    /// Ordered by path.
    files: Vec<Seen>,
    /// When they were looked at.
    looked: SystemTime,
}

/// How often each list has changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Revision {
    pub tools: u64,
    pub prompts: u64,
    pub resources: u64,
    /// Also counts changes of what resources hold.
    pub contents: u64,
}

impl Edition {
    /// Reads everything as it is at the start.
    #[must_use]
    pub fn read(world: &World, options: &Options) -> Self {
        Self::made(world, options, world.now, None, &|_, _| None)
    }

    /// Reads everything as it is `now`. What has broken since stays as it was; `check` says
    /// of a tool that was edited what no reader can see.
    #[must_use]
    pub fn renewed(
        &self,
        world: &World,
        options: &Options,
        now: SystemTime,
        check: Check<'_>,
    ) -> Self {
        Self::made(world, options, now, Some(self), check)
    }

    fn made(
        world: &World,
        options: &Options,
        now: SystemTime,
        before: Option<&Self>,
        check: Check<'_>,
    ) -> Self {
        // Looked at first: a change while we read is then seen as one.
        let files = seen(&folders(world));
        let mut sources = sources(world, options, &files);
        if let Some(before) = before {
            sources.check_edited(&before.book, check);
        }
        let book = Book::of(
            sources,
            &options.choice,
            before.map(|before| before.book.as_ref()),
            &|entry| before.is_some_and(|before| before.can_answer(world, entry)),
        );
        let kept = OnceLock::new();
        if let Some(before) = before {
            kept.get_or_init(|| Kept::of(&book, book.catalog(world), before.kept.get()));
        }
        let prompts = Prompts::read(world, before.map(|before| before.prompts.as_ref()));
        let resources = Resources::read(world, before.map(|before| before.resources.as_ref()));
        let mut revision = before.map(|before| before.revision).unwrap_or_default();
        if let Some(before) = before {
            revision.tools += u64::from(!book.looks_like(&before.book));
            revision.prompts += u64::from(prompts != *before.prompts);
            revision.resources += u64::from(!resources.looks_like(&before.resources));
            revision.contents += 1;
        }
        Self {
            book: Arc::new(book),
            prompts: Arc::new(prompts),
            resources: Arc::new(resources),
            revision,
            kept,
            files,
            looked: now,
        }
    }

    /// Keeps the tools as they are, for when an edit breaks one. Reads their files.
    pub fn keep(&self, world: &World) {
        let catalog = self.book.catalog(world);
        self.kept
            .get_or_init(|| Kept::of(&self.book, catalog, None));
    }

    /// What is kept of the tools, if that has been read yet.
    #[must_use]
    pub fn kept(&self) -> Option<&Kept> {
        self.kept.get()
    }

    /// Whether a tool can be called as it was, whatever is in its file now.
    fn can_answer(&self, world: &World, entry: &Entry) -> bool {
        let catalog = self.book.catalog(world);
        let Some(kept) = self.kept.get() else {
            return catalog.is_data(&entry.source.path);
        };
        let library = Remembering { catalog, kept };
        let Ok(chain) = link(Arc::new(entry.source.clone()), &library) else {
            return false;
        };
        catalog.is_data(&entry.source.path)
            || kept
                .text(&entry.source)
                .is_some_and(|text| can_stand_in(catalog, &chain, text))
    }

    /// Whether a file is for certain what it was when this was read. One that had just
    /// been written then may have been written again without its times telling.
    #[must_use]
    pub fn is_as_read(&self, path: &Path) -> bool {
        let found = self
            .files
            .binary_search_by(|seen| seen.path.as_path().cmp(path));
        found.is_ok_and(|at| {
            let seen = &self.files[at];
            seen.fingerprint.was_at_rest(self.looked) && Seen::now(path).as_ref() == Some(seen)
        })
    }

    /// Whether the files are as they were when this was read.
    #[must_use]
    pub fn is_current(&self, world: &World) -> bool {
        self.files == seen(&folders(world))
    }

    /// What is wrong, a line each.
    pub fn remarks(&self) -> impl Iterator<Item = &str> {
        let all = [
            &self.book.remarks,
            &self.prompts.remarks,
            &self.resources.remarks,
        ];
        all.into_iter().flatten().map(String::as_str)
    }
}

fn sources(world: &World, options: &Options, files: &[Seen]) -> Sources {
    let memory = Memory::of(world, options.guard.program(), files);
    if let Some(sources) = memory.as_ref().and_then(Memory::recall) {
        return sources;
    }
    let sources = Sources::read(world);
    if let Some(memory) = &memory {
        memory.keep(&sources);
    }
    sources
}

/// The roots of the spaces of a world.
pub fn spaces(world: &World) -> Vec<PathBuf> {
    let project = world
        .project
        .as_ref()
        .map(|project| project.join(PROJECT_SPACE));
    let mut spaces: Vec<PathBuf> = project
        .into_iter()
        .chain(world.user_space.clone())
        .collect();
    spaces.dedup();
    spaces
}

/// The folders that are served, whether or not they exist.
pub fn folders(world: &World) -> Vec<PathBuf> {
    spaces(world)
        .iter()
        .flat_map(|space| FOLDERS.iter().map(|folder| space.join(folder)))
        .collect()
}

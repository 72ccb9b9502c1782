//! What is kept of the tools so that one which an edit breaks can be called as it was: the
//! texts of programs, and the executors of the spaces. In memory alone, and bounded.

use std::collections::HashMap;
use std::sync::Arc;

use toolroom_catalog::{Catalog, read};
use toolroom_kernel::chain::{Library, Missing};
use toolroom_kernel::model::{Space, Tool};

use crate::tools::book::Book;

/// A larger file is not kept.
const LARGEST: u64 = 1 << 20;
/// Of all texts together.
const MOST: usize = 16 << 20;

/// The last good versions.
#[derive(Debug, Default)]
pub struct Kept {
    /// By digest.
    texts: HashMap<String, Arc<str>>,
    /// By the names they are asked for.
    executors: HashMap<String, Arc<Tool>>,
}

impl Kept {
    /// Keeps what the tools of a book are made of; what is not as it was read, from `before`.
    #[must_use]
    pub fn of(book: &Book, catalog: &Catalog, before: Option<&Self>) -> Self {
        let mut kept = Self::default();
        let mut room = MOST;
        for source in book.entries.iter().map(|entry| &entry.source) {
            kept.keep_executors(source, catalog, before);
            if catalog.is_data(&source.path) {
                continue;
            }
            let known = before.and_then(|before| before.text(source)).cloned();
            let text = known.or_else(|| read::text_of(source, LARGEST).map(Arc::from));
            // Fields of a request end in NUL.
            let text = text.filter(|text| text.len() <= room && !text.contains('\0'));
            if let Some(text) = text {
                room -= text.len();
                kept.texts.insert(source.digest.clone(), text);
            }
        }
        kept
    }

    fn keep_executors(&mut self, tool: &Tool, catalog: &Catalog, before: Option<&Self>) {
        let mut name = tool.executor().map(str::to_owned);
        while let Some(asked) = name.take() {
            if self.executors.contains_key(&asked) {
                return;
            }
            let found = catalog.executor(&asked);
            let known = || before?.executors.get(&asked).cloned();
            let Some(executor) = found.ok().or_else(known) else {
                return;
            };
            if executor.space != Space::Core {
                name = executor.executor().map(str::to_owned);
            }
            self.executors.insert(asked, executor);
        }
    }

    /// What the file of a program said when it was read.
    #[must_use]
    pub fn text(&self, tool: &Tool) -> Option<&Arc<str>> {
        self.texts.get(&tool.digest)
    }
}

/// Executors as they are, and those that are broken as they were.
#[derive(Debug)]
pub struct Remembering<'k> {
    pub catalog: &'k Catalog,
    pub kept: &'k Kept,
}

impl Library for Remembering<'_> {
    fn executor(&self, name: &str) -> Result<Arc<Tool>, Missing> {
        match self.catalog.executor(name) {
            Err(Missing::Broken { reason }) => {
                let kept = self.kept.executors.get(name).cloned();
                kept.ok_or(Missing::Broken { reason })
            }
            found => found,
        }
    }
}

//! Which version of a tool a call runs: its file as it is now, or the last good one if an
//! edit broke that. Who asked is told which.

use std::path::Path;
use std::sync::Arc;

use rmcp::model::MetaObject;
use toolroom_catalog::{Catalog, CatalogError};
use toolroom_exec::executor::{Report, ToolFailure};
use toolroom_exec::subprocess::{Event, Happening, Listener};
use toolroom_kernel::chain::link;
use toolroom_kernel::model::{Space, Tool};

use super::call::Unprepared;
use super::house::House;
use super::talk::Talk;
use crate::live::{Edition, Kept, Remembering};
use crate::tools::entry::{Entry, Linked};
use crate::tools::result::Finished;

/// Where an answer says that it is the last good version's, and why.
const KEPT: &str = "toolroom/kept";

/// The last good version of a tool, in place of its file.
#[derive(Debug)]
pub(super) struct LastGood {
    /// What the file said, where that has to be known.
    pub text: Option<Arc<str>>,
    /// What is wrong with the file as it is now.
    pub fault: Unprepared,
    note: String,
}

impl LastGood {
    /// Says so to whom the server talks, and to who waits for the answer.
    pub fn tell(&self, talk: &Talk, live: Option<&Listener>) {
        talk.once(self.note.clone());
        if let Some(live) = live {
            let (level, message) = ("warning".to_owned(), self.note.clone());
            live.hear(Happening::Event(&Event::Log { level, message }));
        }
    }

    /// Says so in the answer itself.
    pub fn mark(&self, finished: &mut Finished) {
        let (Finished::Done(result) | Finished::Broke(result)) = finished else {
            return;
        };
        let meta = result
            .meta
            .get_or_insert_with(|| MetaObject(serde_json::Map::new()));
        meta.0.insert(KEPT.to_owned(), self.note.as_str().into());
    }

    /// Whether it turned out that the interpreter takes nothing but the file.
    pub fn was_refused(&self, report: &Report) -> bool {
        self.text.is_some() && matches!(report.failure, Some(ToolFailure::Unfit(_)))
    }
}

impl House {
    /// The tool as its file is now, with all that runs it; if that is broken, as it was.
    /// Files that are as they were when they were read are not read again.
    pub(super) async fn linked(
        &self,
        edition: &Edition,
        entry: &Entry,
    ) -> Result<(Linked, Option<LastGood>), Unprepared> {
        self.checks.call(&entry.id);
        let is_whole = |path: &Path| !edition.book.is_broken(path) && edition.is_as_read(path);
        let is_as_read = |link: &Tool| link.space == Space::Core || is_whole(&link.path);
        let all_are = |linked: &&Linked| linked.chain.links().iter().all(|link| is_as_read(link));
        if let Some(linked) = entry.linked.get().filter(all_are) {
            return Ok((linked.clone(), None));
        }
        let catalog = edition.book.catalog(&self.world);
        let mut is_same = false;
        let now = if is_as_read(&entry.source) {
            is_same = true;
            let linked = made(catalog, entry.source.clone());
            linked.map(|linked| entry.linked.get_or_init(|| linked).clone())
        } else {
            match catalog.find(entry.id.as_str()) {
                Ok(tool) => {
                    is_same = tool.digest == entry.source.digest;
                    let text = edition.kept().and_then(|kept| kept.text(&entry.source));
                    let text = text.filter(|_| !is_same);
                    self.edited(catalog, entry, tool, text).await
                }
                Err(error) => Err(error.into()),
            }
        };
        match now {
            Ok(linked) => Ok((linked, None)),
            // What is gone is not kept.
            Err(fault @ Unprepared::Catalog(CatalogError::NotFound { .. })) => Err(fault),
            Err(fault) => last_good(catalog, edition.kept(), entry, is_same, fault),
        }
    }

    /// A tool whose file is not for certain what it was, if it is as good.
    async fn edited(
        &self,
        catalog: &Catalog,
        entry: &Entry,
        tool: Tool,
        before: Option<&Arc<str>>,
    ) -> Result<Linked, Unprepared> {
        servable(entry, &tool)?;
        if let Some(text) = before
            && let Some(problem) = self.worse(catalog, &tool, &entry.source, text).await
        {
            return Err(CatalogError::Broken(problem).into());
        }
        made(catalog, tool)
    }
}

fn made(catalog: &Catalog, tool: Tool) -> Result<Linked, Unprepared> {
    Ok(Linked::of(catalog.link(tool)?)?)
}

/// Whether a file that was edited just now can be served as the tool it was.
fn servable(entry: &Entry, tool: &Tool) -> Result<(), Unprepared> {
    let made = Entry::new(entry.name().to_owned(), tool.clone(), &mut Vec::new());
    let refused = |reason| Unprepared::NotServed(format!("{} is not served: {reason}", entry.id));
    made.map(drop).map_err(refused)
}

/// The tool as it was listed, unless nothing is left of what its file said then.
fn last_good(
    catalog: &Catalog,
    kept: Option<&Kept>,
    entry: &Entry,
    is_same: bool,
    fault: Unprepared,
) -> Result<(Linked, Option<LastGood>), Unprepared> {
    let nothing = Kept::default();
    let kept = kept.unwrap_or(&nothing);
    let needs_text = !is_same && !catalog.is_data(&entry.source.path);
    let text = kept.text(&entry.source).filter(|_| needs_text).cloned();
    if needs_text && text.is_none() {
        return Err(fault);
    }
    let library = Remembering { catalog, kept };
    let chain = link(Arc::new(entry.source.clone()), &library);
    let Some(linked) = chain.ok().and_then(|chain| Linked::of(chain).ok()) else {
        return Err(fault);
    };
    let why = fault.told();
    let note = format!("{} is answered by its last good version: {why}", entry.id);
    Ok((linked, Some(LastGood { text, fault, note })))
}

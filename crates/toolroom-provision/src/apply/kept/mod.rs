//! What an environment was before it was changed, kept beside it until that is over.
//!
//! The kept trees are made of hard links, so they cost neither space nor the reading of
//! files, and installers replace files rather than write to them. What they do write to is
//! copied: their notes at the top, and what a manager's data names. A room that is full is
//! the mark of an install that did not come to its end.
//!
//! An install in a project may change the folders of its members, too. Each of them has a
//! room of its own beside it, as links are made on one disk only and what is beside a folder
//! moves with it. That they are several must not show: after a kill either all are old or all
//! are new. So one room alone decides, the project's own, which becomes full, and not full
//! again, in one step each:
//!
//! 1. It is made, and the list of the others written into it. From here on the list finds
//!    every room there may be, whatever the manifests say by the next run.
//! 2. Every other room is filled, with the mark of whose it is, and last the project's own.
//!    A kill until then has changed nothing: it is not full, and what is listed is removed.
//! 3. The installer works. After a failure or a kill the project's room is full, so lockfiles
//!    and then every listed folder are put back, one after the other, and the project's own
//!    last. A kill in between leaves the project's room full, and those that are back without
//!    a room.
//! 4. After success the project's room is emptied first. In that moment all is new: a kill
//!    thereafter leaves a room that is not full, and what is listed is removed. The list
//!    itself goes last.
//!
//! A full room of a member whose list is gone cannot come from a kill. It is put back when
//! the project is kept again, for an install that then goes over all of it.

mod beside;
mod room;
mod tree;

use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use beside::File;
pub use room::Before;
use room::Room;
pub(super) use tree::delete;

/// The note of which other folders are kept along with a project's.
const LIST: &str = "members.json";
const LIST_VERSION: u32 = 1;
const MAX_LIST: u64 = 16 << 20;

/// The note, in a member's room, of how many folders up the project is.
const LEVELS: &str = "levels-up";

#[derive(Serialize, Deserialize)]
struct List {
    version: u32,
    /// From the project's folder on.
    folders: Vec<PathBuf>,
}

/// What is kept besides a project's folder, and how.
#[derive(Debug, Clone, Copy, Default)]
pub struct Along<'k> {
    /// The folders of members.
    pub members: &'k [PathBuf],
    /// What is written to in place, by its names at the top of a folder.
    pub rewritten: &'k [String],
    /// Files that are no packages.
    pub files: &'k [File],
}

/// A project's folder, and those of its members, as they were.
#[derive(Debug, Clone)]
pub struct Kept {
    place: PathBuf,
    own: Room,
}

impl Kept {
    #[must_use]
    pub fn of(place: &Path) -> Self {
        Self {
            place: place.to_path_buf(),
            own: Room::behind_links(place),
        }
    }

    /// What the folder was, where an install did not come to its end.
    #[must_use]
    pub fn before(&self) -> Option<Before> {
        self.own.before()
    }

    /// Whether there is any trace of an install.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.own.is_there()
    }

    /// The folder above that an install was in that changed this one, too.
    #[must_use]
    pub fn above(&self) -> Option<PathBuf> {
        project_of(&self.own, &self.place)
    }

    /// Whether a member's room is left of an install here, and nothing else.
    #[must_use]
    pub fn is_begun_in(&self, members: &[PathBuf]) -> bool {
        let is_left = |member: &PathBuf| {
            let room = Room::beside(member);
            room.before().is_some() && project_of(&room, member).as_ref() == Some(&self.place)
        };
        !self.own.note(LIST).exists() && members.iter().any(is_left)
    }

    /// Keeps the folder and what goes along with it as they are now. `alone` waits until nobody
    /// else is at a member's folder, for as long as what it gives is held.
    ///
    /// # Errors
    /// Fails if one cannot be kept; then nothing may be installed.
    pub fn keep<L>(
        &self,
        along: Along<'_>,
        alone: impl Fn(&Path) -> io::Result<L>,
    ) -> io::Result<()> {
        self.put_back()?;
        if along.members.is_empty() && !self.own.has_folder() {
            return Ok(());
        }
        let made = self.own.make();
        made.and_then(|()| self.fill(along, alone))
            .inspect_err(|_| drop(self.put_back()))
    }

    fn fill<L>(&self, along: Along<'_>, alone: impl Fn(&Path) -> io::Result<L>) -> io::Result<()> {
        let Along {
            members,
            rewritten,
            files,
        } = along;
        self.write_list(members)?;
        beside::keep(&self.own, self.base(), files)?;
        for member in members {
            let room = Room::beside(member);
            let _alone = alone(member)?;
            room.put_back()?;
            room.make()?;
            room.write(LEVELS, self.levels_to(member).to_string().as_bytes())?;
            room.fill(rewritten)?;
        }
        self.own.fill(rewritten)
    }

    fn write_list(&self, members: &[PathBuf]) -> io::Result<()> {
        if members.is_empty() {
            return Ok(());
        }
        let inner = |member: &PathBuf| member.strip_prefix(self.base()).map(Path::to_path_buf);
        let folders: Result<_, _> = members.iter().map(inner).collect();
        let list = List {
            version: LIST_VERSION,
            folders: folders.map_err(io::Error::other)?,
        };
        self.own.write(LIST, &serde_json::to_vec_pretty(&list)?)
    }

    /// What members are below.
    fn base(&self) -> &Path {
        self.place.parent().unwrap_or(Path::new(""))
    }

    fn levels_to(&self, member: &Path) -> usize {
        let inner = member.strip_prefix(self.base()).unwrap_or(member);
        inner.components().count().saturating_sub(1)
    }

    /// Makes all folders what they were; says whether an install had begun.
    ///
    /// # Errors
    /// Fails if something cannot be moved; then it can be tried again.
    pub fn put_back(&self) -> io::Result<bool> {
        if self.above().is_some() {
            return Ok(false);
        }
        let members = self.listed()?;
        let is_begun = self.before().is_some();
        for member in members {
            if is_begun {
                member.put_back()?;
            } else {
                member.let_go()?;
            }
        }
        self.own.put_back()
    }

    /// Makes the files that were kept what they were, where an install did not come to its end;
    /// not those that are others' by now.
    ///
    /// # Errors
    /// Fails if one cannot be written; then it can be tried again.
    pub fn put_files_back(&self, is_others: &dyn Fn(&Path) -> bool) -> io::Result<()> {
        match self.before() {
            Some(_) if self.above().is_none() => {
                beside::put_back(&self.own, self.base(), is_others)
            }
            _ => Ok(()),
        }
    }

    /// Makes a folder what it was that was kept for an install above, which knows nothing of
    /// it any more.
    ///
    /// # Errors
    /// Fails if something cannot be moved.
    pub fn put_back_alone(&self) -> io::Result<bool> {
        self.own.put_back()
    }

    /// The install is over: what was kept is not needed any more.
    ///
    /// # Errors
    /// Fails if a folder would still be taken for one that an install is to be undone in.
    pub fn let_go(&self) -> io::Result<()> {
        let members = self.listed()?;
        self.own.empty()?;
        for member in members {
            member.let_go()?;
        }
        self.own.let_go()
    }

    /// The folders of members that have one now and had none.
    ///
    /// # Errors
    /// Fails if what was kept is not known.
    pub fn new_members(&self) -> io::Result<Vec<PathBuf>> {
        let is_folder = |path| fs_err::symlink_metadata(path).is_ok_and(|found| found.is_dir());
        let is_new = |room: &Room| {
            room.before() == Some(Before::Absent) && is_folder(room.folder().to_path_buf())
        };
        let rooms = self.listed()?.into_iter().filter(is_new);
        Ok(rooms.map(|room| room.folder().to_path_buf()).collect())
    }

    /// The rooms that were made along with the own one and are still there.
    fn listed(&self) -> io::Result<Vec<Room>> {
        let note = self.own.note(LIST);
        let bytes = match fs_err::metadata(&note) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
            Ok(found) if found.len() > MAX_LIST => return Err(damaged(&note)),
            Ok(_) => fs_err::read(&note)?,
        };
        let list: List = serde_json::from_slice(&bytes).map_err(|_| damaged(&note))?;
        let is_inner = |folder: &PathBuf| {
            let is_plain = |part| matches!(part, Component::Normal(_));
            folder.components().all(is_plain) && folder.file_name() == self.place.file_name()
        };
        if list.version != LIST_VERSION || !list.folders.iter().all(is_inner) {
            return Err(damaged(&note));
        }
        let base = fs_err::canonicalize(self.base())?;
        let places = list.folders.iter().map(|folder| self.base().join(folder));
        Ok(places
            .filter(|place| is_below(place, &base))
            .map(|place| (Room::beside(&place), place))
            .filter(|(room, place)| self.is_own(room, place))
            .map(|(room, _)| room)
            .collect())
    }

    /// Whether a room is of an install here, or was never finished.
    fn is_own(&self, room: &Room, place: &Path) -> bool {
        match project_of(room, place) {
            Some(project) => project == self.place,
            None => room.before().is_none(),
        }
    }
}

fn damaged(note: &Path) -> io::Error {
    let reason = format!(
        "{} is damaged, which says what was changed along with it",
        note.display()
    );
    io::Error::new(io::ErrorKind::InvalidData, reason)
}

/// Whether a folder is still there, and no link leads from the project to it.
fn is_below(place: &Path, base: &Path) -> bool {
    let parent = place.parent().map(fs_err::canonicalize);
    parent.is_some_and(|parent| parent.is_ok_and(|parent| parent.starts_with(base)))
}

/// The folder of the project that a member's room was made for.
fn project_of(room: &Room, member: &Path) -> Option<PathBuf> {
    let text = fs_err::read_to_string(room.note(LEVELS)).ok()?;
    let levels: usize = text.trim().parse().ok()?;
    let base = member.parent()?.ancestors().nth(levels)?;
    Some(base.join(member.file_name()?)).filter(|project| project != member)
}

#[cfg(test)]
mod tests;

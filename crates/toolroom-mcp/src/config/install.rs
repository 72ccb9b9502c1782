//! Putting an entry into a client's file and taking it out: decided first, then done.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use toolroom_kernel::World;

use super::client::Client;
use super::document::{Document, Fault, FaultKind, Slot};
use super::entry::{Server, is_ours, project_of};
use super::error::ConfigError;
use super::place::Scope;
use super::store::{Backup, Stored};

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Created,
    Added,
    Updated,
    /// The entry is there as it should be.
    Unchanged,
    Removed,
    /// The file held nothing but our entry, and we had made it.
    Deleted,
    /// There is no entry to take out.
    Absent,
}

impl Action {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Unchanged => "unchanged",
            Self::Removed => "removed",
            Self::Deleted => "deleted",
            Self::Absent => "absent",
        }
    }
}

/// A change that is decided and not yet made.
#[derive(Debug)]
pub struct Planned {
    pub path: PathBuf,
    pub action: Action,
    stored: Stored,
    text: String,
    backup: Backup,
}

/// A change that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    pub action: Action,
    /// The file with what was there before.
    pub backup: Option<PathBuf>,
}

impl Planned {
    /// Makes the change.
    ///
    /// # Errors
    /// Fails if the file cannot be written or is no longer what it was; it is whole then.
    pub fn apply(self) -> Result<Change, ConfigError> {
        let backup = match self.action {
            Action::Unchanged | Action::Absent => None,
            Action::Deleted => {
                self.stored.delete()?;
                None
            }
            _ => self.stored.write(&self.text, self.backup)?,
        };
        Ok(Change {
            path: self.path,
            action: self.action,
            backup,
        })
    }
}

impl Client {
    /// The text of a file with this server alone, as it is written where there is none.
    ///
    /// # Errors
    /// Fails if the client cannot use such a server.
    pub fn snippet(&self, server: &Server) -> Result<String, ConfigError> {
        let entry = self.entry(server)?;
        Ok(Document::fresh(
            self.format,
            &self.new_file,
            self.slot(&server.name),
            &entry,
        ))
    }

    fn slot<'s>(&'s self, name: &'s str) -> Slot<'s> {
        Slot {
            servers: &self.servers,
            list: self.list.as_deref(),
            name,
        }
    }

    fn parse(&self, path: &Path, text: &str) -> Result<Document, ConfigError> {
        Document::parse(self.format, text).map_err(|fault| explain(path, text, fault))
    }
}

/// Decides how a server gets into a client's file.
///
/// # Errors
/// Fails if the file cannot be understood, or its entry of that name is somebody else's.
pub fn plan_install(
    client: &Client,
    world: &World,
    scope: Scope,
    server: &Server,
) -> Result<Planned, ConfigError> {
    let entry = client.entry(server)?;
    let path = client.file(world, scope, &server.name)?;
    let stored = Stored::read(&path)?;
    let slot = client.slot(&server.name);
    let Some(text) = stored.text.clone() else {
        return Ok(Planned {
            text: client.snippet(server)?,
            action: Action::Created,
            backup: Backup::Leave,
            path,
            stored,
        });
    };
    let document = client.parse(&path, &text)?;
    let (action, wanted, backup) = match document.entry(slot) {
        None => (Action::Added, entry, Backup::Make),
        Some(old) => {
            let mut wanted = entry;
            wanted.extend(client.foreign_keys(old));
            if old.as_object() == Some(&wanted) {
                (Action::Unchanged, wanted, Backup::Leave)
            } else {
                may_update(&path, scope, server, old)?;
                (
                    Action::Updated,
                    wanted,
                    backup_of_update(client, &stored, slot),
                )
            }
        }
    };
    let text = match action {
        Action::Unchanged => text,
        _ => {
            let put = document.put(slot, &wanted, &client.new_file);
            put.map_err(|fault| explain(&path, &text, fault))?
        }
    };
    Ok(Planned {
        path,
        action,
        stored,
        text,
        backup,
    })
}

/// Decides how an entry of ours gets out of a client's file.
///
/// # Errors
/// Fails if the file cannot be understood, or the entry of that name is somebody else's.
pub fn plan_remove(
    client: &Client,
    world: &World,
    scope: Scope,
    name: &str,
) -> Result<Planned, ConfigError> {
    Server::check_name(name)?;
    let path = client.file(world, scope, name)?;
    let stored = Stored::read(&path)?;
    let slot = client.slot(name);
    let text = stored.text.clone().unwrap_or_default();
    let document = client.parse(&path, &text)?;
    let Some(entry) = document.entry(slot) else {
        return Ok(Planned {
            path,
            action: Action::Absent,
            stored,
            text,
            backup: Backup::Leave,
        });
    };
    if !is_ours(name, entry) {
        return Err(ConfigError::Foreign {
            path,
            name: name.to_owned(),
        });
    }
    let (action, text, backup) = without(client, &document, entry, &stored, slot)
        .map_err(|fault| explain(&path, &text, fault))?;
    Ok(Planned {
        path,
        action,
        stored,
        text,
        backup,
    })
}

/// The text without the entry. Where the backup plus our entry is what the file is now,
/// the backup is the file as it was, byte for byte.
fn without(
    client: &Client,
    document: &Document,
    entry: &Value,
    stored: &Stored,
    slot: Slot<'_>,
) -> Result<(Action, String, Backup), Fault> {
    let Some((text, backup)) = clean_backup(client, stored, slot) else {
        let bare = Document::parse(client.format, &document.take(slot, 0)?)?;
        let is_made_by_us = stored.backup().is_none() && bare.says_no_more_than(&client.new_file);
        let action = if is_made_by_us {
            Action::Deleted
        } else {
            Action::Removed
        };
        return Ok((
            action,
            document.take(slot, slot.servers.len())?,
            Backup::Make,
        ));
    };
    let entry = entry.as_object().cloned().unwrap_or_else(Map::new);
    let replayed = backup.put(slot, &entry, &client.new_file);
    if replayed.is_ok() && replayed.ok() == stored.text {
        return Ok((Action::Removed, text, Backup::Drop));
    }
    let keep = backup.depth(slot.servers);
    Ok((Action::Removed, document.take(slot, keep)?, Backup::Make))
}

/// A backup from before our entry.
fn clean_backup(client: &Client, stored: &Stored, slot: Slot<'_>) -> Option<(String, Document)> {
    let text = stored.backup()?;
    let document = Document::parse(client.format, &text).ok()?;
    document.entry(slot).is_none().then_some((text, document))
}

fn backup_of_update(client: &Client, stored: &Stored, slot: Slot<'_>) -> Backup {
    match clean_backup(client, stored, slot) {
        Some(_) => Backup::Leave,
        None => Backup::Make,
    }
}

/// An entry may be replaced if it is ours and not another project's that is still there.
fn may_update(path: &Path, scope: Scope, server: &Server, old: &Value) -> Result<(), ConfigError> {
    if !is_ours(&server.name, old) {
        return Err(ConfigError::Foreign {
            path: path.to_path_buf(),
            name: server.name.clone(),
        });
    }
    match project_of(old) {
        Some(project)
            if scope == Scope::User
                && Path::new(&project) != server.project
                && Path::new(&project).is_dir() =>
        {
            Err(ConfigError::OtherProject {
                path: path.to_path_buf(),
                name: server.name.clone(),
                project,
            })
        }
        _ => Ok(()),
    }
}

fn explain(path: &Path, text: &str, fault: Fault) -> ConfigError {
    let path = path.to_path_buf();
    let position = Document::position(text, fault.offset);
    match fault.kind {
        FaultKind::Syntax(message) => ConfigError::Syntax {
            path,
            position,
            message,
        },
        FaultKind::Twice(key) => ConfigError::Twice {
            path,
            position,
            key,
        },
        FaultKind::Unsafe => ConfigError::Unsafe { path },
        FaultKind::WrongType {
            key,
            found,
            expected,
        } => ConfigError::WrongType {
            path,
            position,
            key,
            found,
            expected,
        },
    }
}

/// What a client's file has of ours.
#[derive(Debug)]
pub struct State {
    pub path: PathBuf,
    pub exists: bool,
    /// The names of our entries.
    pub servers: Vec<String>,
}

/// Looks into a client's file.
///
/// # Errors
/// Fails if there is none for this scope, or it cannot be understood.
pub fn state(
    client: &Client,
    world: &World,
    scope: Scope,
    name: &str,
) -> Result<State, ConfigError> {
    let path = client.file(world, scope, name)?;
    let stored = Stored::read(&path)?;
    let document = client.parse(&path, stored.text.as_deref().unwrap_or_default())?;
    let entries = document.entries(client.slot(name)).into_iter();
    Ok(State {
        exists: stored.text.is_some(),
        servers: entries
            .filter(|(name, entry)| is_ours(name, entry))
            .map(|(name, _)| name.to_owned())
            .collect(),
        path,
    })
}

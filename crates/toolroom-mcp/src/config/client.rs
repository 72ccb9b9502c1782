//! A client as its description says it is. Descriptions are core's, or the user's own in
//! `~/.ai/tools/clients/`; a project may not say which files of the user are written.

use std::path::PathBuf;

use serde::Deserialize;
use serde_json::{Map, Value};
use toolroom_catalog::{Catalog, core_data};
use toolroom_kernel::model::{Role, Space};
use toolroom_kernel::{World, near};

use super::document::Format;
use super::error::ConfigError;
use super::place::{Paths, Scope, has_command};

const FOLDER: &str = "clients";

/// An MCP client, and how a server is made known to it.
#[derive(Debug, Clone)]
pub struct Client {
    pub name: String,
    pub title: String,
    pub description: String,
    pub format: Format,
    /// The keys that lead to the servers.
    pub servers: Vec<String>,
    /// Servers are a list, told apart by this key.
    pub list: Option<String>,
    /// What a new file begins with.
    pub new_file: Map<String, Value>,
    /// What the user has to know or do besides.
    pub notes: Vec<String>,
    pub(super) stdio: Option<Value>,
    pub(super) http: Option<Value>,
    files: Files,
    detect: Detect,
    names: Vec<String>,
}

/// How a client talks to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Stdio,
    Http,
}

#[derive(Debug, Deserialize)]
struct Description {
    title: String,
    description: String,
    format: Format,
    servers: Vec<String>,
    entry: Entry,
    #[serde(default)]
    list: Option<String>,
    #[serde(default)]
    new_file: Map<String, Value>,
    #[serde(default)]
    notes: Vec<String>,
    #[serde(default)]
    files: Files,
    #[serde(default)]
    detect: Detect,
    #[serde(default)]
    names: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    stdio: Option<Value>,
    http: Option<Value>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Files {
    project: Paths,
    user: Paths,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Detect {
    paths: Paths,
    commands: Vec<String>,
}

impl Client {
    fn read(name: &str, document: Value) -> Result<Self, ConfigError> {
        let wrong = |reason: String| ConfigError::Description {
            client: name.to_owned(),
            reason,
        };
        let read: Description =
            serde_json::from_value(document).map_err(|error| wrong(error.to_string()))?;
        let is_object = |shape: &Option<Value>| shape.as_ref().is_none_or(Value::is_object);
        if !is_object(&read.entry.stdio) || !is_object(&read.entry.http) {
            return Err(wrong("an entry is a mapping".into()));
        }
        if read.servers.is_empty() {
            return Err(wrong("servers names at least one key".into()));
        }
        if read.list.is_some() && read.format != Format::Yaml {
            return Err(wrong("list is for YAML only".into()));
        }
        Ok(Self {
            name: name.to_owned(),
            title: read.title,
            description: read.description,
            format: read.format,
            servers: read.servers,
            list: read.list,
            new_file: read.new_file,
            notes: read.notes,
            stdio: read.entry.stdio,
            http: read.entry.http,
            files: read.files,
            detect: read.detect,
            names: read.names,
        })
    }

    /// The file of a scope: the first that exists, or else the first.
    ///
    /// # Errors
    /// Fails if the client has none, or the world lacks what its path is made of.
    pub fn file(&self, world: &World, scope: Scope, server: &str) -> Result<PathBuf, ConfigError> {
        let templates = match scope {
            Scope::Project => &self.files.project,
            Scope::User => &self.files.user,
        };
        if scope == Scope::Project && self.has(scope) && world.project.is_none() {
            return Err(ConfigError::NoProject);
        }
        let paths = templates
            .on(world, server)
            .map_err(|source| self.template(source))?;
        let existing = paths
            .iter()
            .find(|path| path.exists())
            .or_else(|| paths.first());
        existing.cloned().ok_or_else(|| ConfigError::NoFile {
            title: self.title.clone(),
            scope,
            help: self.other_scope(scope),
        })
    }

    /// Whether the client reads servers from a file of this scope at all.
    #[must_use]
    pub fn has(&self, scope: Scope) -> bool {
        let paths = match scope {
            Scope::Project => &self.files.project,
            Scope::User => &self.files.user,
        };
        !matches!(paths, Paths::None)
    }

    /// The scope that is meant where none is named: the project's, where there is one.
    #[must_use]
    pub fn default_scope(&self) -> Scope {
        if self.has(Scope::Project) {
            Scope::Project
        } else {
            Scope::User
        }
    }

    #[must_use]
    pub fn can(&self, transport: Transport) -> bool {
        match transport {
            Transport::Stdio => self.stdio.is_some(),
            Transport::Http => self.http.is_some(),
        }
    }

    /// Whether this machine seems to have the client.
    #[must_use]
    pub fn is_detected(&self, world: &World) -> bool {
        let paths = self.detect.paths.on(world, "").unwrap_or_default();
        paths.iter().any(|path| path.exists()) || has_command(world, &self.detect.commands)
    }

    fn other_scope(&self, scope: Scope) -> Option<String> {
        let other = Scope::ALL
            .into_iter()
            .find(|other| *other != scope && self.has(*other));
        match other {
            Some(other) => Some(format!("it has one for --scope {other}")),
            None => self.notes.first().cloned(),
        }
    }

    pub(super) fn template(&self, source: toolroom_kernel::template::TemplateError) -> ConfigError {
        ConfigError::Template {
            client: self.name.clone(),
            source,
        }
    }
}

/// Every client that is known, ordered by name.
///
/// # Errors
/// Fails if a description is wrong.
pub fn all(world: &World) -> Result<Vec<Client>, ConfigError> {
    let mut clients = core()?;
    if let Some(space) = &world.user_space
        && let Ok(entries) = fs_err::read_dir(space.join("tools").join(FOLDER))
    {
        let stems = entries
            .flatten()
            .filter_map(|entry| Some(entry.path().file_stem()?.to_str()?.to_owned()));
        for name in stems {
            let is_new = clients.iter().all(|client| client.name != name);
            clients.extend(
                is_new
                    .then(|| of_user(world, &name))
                    .flatten()
                    .transpose()?,
            );
        }
    }
    clients.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(clients)
}

/// A client by its name or another name of it.
///
/// # Errors
/// Fails with the names that could have been meant.
pub fn find(world: &World, name: &str) -> Result<Client, ConfigError> {
    let clients = all(world)?;
    let wanted = name.to_lowercase().replace([' ', '_'], "-");
    let is_meant = |client: &&Client| client.name == wanted || client.names.contains(&wanted);
    if let Some(client) = clients.iter().find(is_meant) {
        return Ok(client.clone());
    }
    Err(ConfigError::UnknownClient {
        name: name.to_owned(),
        near: near(&wanted, &clients),
    })
}

fn core() -> Result<Vec<Client>, ConfigError> {
    let names = core_data::files().iter().filter_map(|file| {
        let name = file.id.strip_prefix(FOLDER)?.strip_prefix('/')?;
        Some((name, file))
    });
    names
        .map(|(name, file)| Client::read(name, file.read()))
        .collect()
}

fn of_user(world: &World, name: &str) -> Option<Result<Client, ConfigError>> {
    let tool = Catalog::open(world)
        .find(&format!("{FOLDER}/{name}"))
        .ok()?;
    let is_client = tool.role() == Role::Client && tool.space == Space::User;
    is_client.then(|| Client::read(name, Value::Object(tool.metadata)))
}

fn near(wanted: &str, clients: &[Client]) -> Vec<String> {
    let names = clients
        .iter()
        .flat_map(|client| std::iter::once(&client.name).chain(&client.names));
    let mut near: Vec<String> = Vec::new();
    for alike in near::to(wanted, names.map(String::as_str)) {
        let is_meant = |client: &&Client| client.name == alike || client.names.contains(&alike);
        if let Some(client) = clients.iter().find(is_meant)
            && !near.contains(&client.name)
        {
            near.push(client.name.clone());
        }
    }
    near
}

//! The entry itself: what a client is told of our server, and how we know it again.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use toolroom_kernel::template::{self, Placeholder, Unset, expand_json};

use super::client::{Client, Transport};
use super::error::ConfigError;

/// The name an entry has where the user gives none.
pub const DEFAULT_NAME: &str = "toolroom";
const MOST_NAME: usize = 64;
const OWN: &str = "toolroom";
const SERVE: [&str; 3] = ["mcp", "serve", "--project"];

/// The server that a client is to know.
#[derive(Debug, Clone)]
pub struct Server {
    pub name: String,
    /// The project whose tools it serves.
    pub project: PathBuf,
    pub endpoint: Endpoint,
}

/// Where a client finds the server.
#[derive(Debug, Clone)]
pub enum Endpoint {
    /// The client starts our binary.
    Stdio {
        command: PathBuf,
        /// What follows `mcp serve --project DIR`.
        options: Vec<String>,
        env: Vec<(String, String)>,
    },
    /// The server runs already.
    Http {
        url: String,
        headers: Vec<(String, String)>,
    },
}

impl Endpoint {
    #[must_use]
    pub const fn transport(&self) -> Transport {
        match self {
            Self::Stdio { .. } => Transport::Stdio,
            Self::Http { .. } => Transport::Http,
        }
    }
}

impl Server {
    /// Checks a name; it becomes a key, a prefix of tool names and, for some, a file name.
    ///
    /// # Errors
    /// Fails for anything but letters, digits, `-` and `_`.
    pub fn check_name(name: &str) -> Result<(), ConfigError> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        if (1..=MOST_NAME).contains(&name.len()) && name.bytes().all(is_plain) {
            return Ok(());
        }
        Err(ConfigError::Name {
            name: name.to_owned(),
        })
    }
}

impl Client {
    /// The entry that this client gets for a server.
    ///
    /// # Errors
    /// Fails if the client cannot use such a server.
    pub fn entry(&self, server: &Server) -> Result<Map<String, Value>, ConfigError> {
        Server::check_name(&server.name)?;
        let (shape, transport) = match server.endpoint.transport() {
            Transport::Stdio => (&self.stdio, "stdio"),
            Transport::Http => (&self.http, "HTTP"),
        };
        let Some(shape) = shape else {
            return Err(ConfigError::NoTransport {
                title: self.title.clone(),
                transport,
                help: self.notes.last().cloned(),
            });
        };
        let facts = Facts {
            values: facts(server)?,
        };
        match expand_json(shape, &facts, Unset::Error).map_err(|source| self.template(source))? {
            Value::Object(entry) => Ok(entry),
            _ => Ok(Map::new()),
        }
    }

    /// A user's own keys of an entry: what no shape of ours has.
    pub(super) fn foreign_keys(&self, entry: &Value) -> Map<String, Value> {
        let is_ours = |key: &str| {
            [&self.stdio, &self.http]
                .into_iter()
                .flatten()
                .any(|shape| shape.get(key).is_some())
        };
        let fields = entry.as_object().into_iter().flatten();
        fields
            .filter(|(key, _)| !is_ours(key))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }
}

/// Whether an entry starts, or speaks to, a Toolroom.
pub(super) fn is_ours(name: &str, entry: &Value) -> bool {
    let mut texts = Vec::new();
    collect(entry, &mut texts, 0);
    let serves_project = texts.windows(3).any(|words| words == SERVE);
    let serves = texts.windows(2).any(|words| words == &SERVE[..2]);
    if serves_project || serves && texts.iter().any(|text| is_own_binary(text)) {
        return true;
    }
    let is_remote = texts
        .iter()
        .any(|text| text.starts_with("http://") || text.starts_with("https://"));
    is_remote && (name == DEFAULT_NAME || name.starts_with("toolroom-"))
}

/// The project an entry of ours serves, if it says so.
pub(super) fn project_of(entry: &Value) -> Option<String> {
    let mut texts = Vec::new();
    collect(entry, &mut texts, 0);
    let pair = texts.windows(2).find(|pair| pair[0] == "--project")?;
    Some(pair[1].to_owned())
}

fn is_own_binary(text: &str) -> bool {
    let name = text.rsplit(['/', '\\']).next().unwrap_or(text);
    name.strip_suffix(".exe").unwrap_or(name) == OWN
}

fn collect<'v>(value: &'v Value, texts: &mut Vec<&'v str>, depth: usize) {
    const DEEPEST: usize = 4;
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) if depth < DEEPEST => {
            for item in items {
                collect(item, texts, depth + 1);
            }
        }
        Value::Object(fields) if depth < DEEPEST => {
            for field in fields.values() {
                collect(field, texts, depth + 1);
            }
        }
        _ => {}
    }
}

/// What an entry's template may name. A known name without a value drops its key.
struct Facts {
    values: Map<String, Value>,
}

impl template::Scope for Facts {
    fn variable(&self, _name: &str) -> Option<Cow<'_, str>> {
        None
    }

    fn placeholder(&self, path: &str) -> Placeholder<'_> {
        match self.values.get(path) {
            Some(Value::Null) => Placeholder::Absent,
            Some(value) => Placeholder::Value(Cow::Borrowed(value)),
            None => Placeholder::Unknown,
        }
    }
}

fn facts(server: &Server) -> Result<Map<String, Value>, ConfigError> {
    let project = text(&server.project)?;
    let mut values = Map::new();
    let mut set = |key: &str, value: Value| values.insert(key.to_owned(), value);
    set("name", server.name.as_str().into());
    set("cwd", project.into());
    for key in ["command", "args", "argv", "env", "url", "headers"] {
        set(key, Value::Null);
    }
    match &server.endpoint {
        Endpoint::Stdio {
            command,
            options,
            env,
        } => {
            let command = text(command)?;
            let mut args = vec!["mcp", "serve", "--project", project];
            args.extend(options.iter().map(String::as_str));
            set("command", command.into());
            set(
                "argv",
                std::iter::once(command)
                    .chain(args.iter().copied())
                    .collect(),
            );
            set("args", json!(args));
            set("env", mapping(env));
        }
        Endpoint::Http { url, headers } => {
            set("url", url.as_str().into());
            set("headers", mapping(headers));
        }
    }
    Ok(values)
}

fn mapping(pairs: &[(String, String)]) -> Value {
    if pairs.is_empty() {
        return Value::Null;
    }
    pairs
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
        .collect::<Map<_, _>>()
        .into()
}

fn text(path: &Path) -> Result<&str, ConfigError> {
    path.to_str().ok_or_else(|| ConfigError::NotUtf8Path {
        path: path.to_path_buf(),
    })
}

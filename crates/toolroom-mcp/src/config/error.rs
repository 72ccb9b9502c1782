//! What can keep a client's configuration from being written.

use std::path::PathBuf;

use thiserror::Error;
use toolroom_kernel::template::TemplateError;
use toolroom_kernel::{Explain, Place, Position};

use super::place::Scope;

/// Why a client's file was left as it is.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    #[error("there is no client called {name}")]
    UnknownClient { name: String, near: Vec<String> },
    #[error("the description of the client {client} is wrong: {reason}")]
    Description { client: String, reason: String },
    #[error("the description of the client {client} cannot be filled in")]
    Template {
        client: String,
        #[source]
        source: TemplateError,
    },
    #[error("{title} has no {scope} file for servers")]
    NoFile {
        title: String,
        scope: Scope,
        help: Option<String>,
    },
    #[error("{title} cannot use a server over {transport}")]
    NoTransport {
        title: String,
        transport: &'static str,
        help: Option<String>,
    },
    #[error("there is no project here whose tools could be served")]
    NoProject,
    #[error("the path {} is not UTF-8 and cannot be written to a configuration file", path.display())]
    NotUtf8Path { path: PathBuf },
    #[error("{name:?} cannot be the name of a server")]
    Name { name: String },
    #[error("{} cannot be {verb}", path.display())]
    Io {
        path: PathBuf,
        verb: &'static str,
        #[source]
        source: std::io::Error,
    },
    #[error("{} is larger than {limit} bytes", path.display())]
    TooLarge { path: PathBuf, limit: u64 },
    #[error("{} is not UTF-8 text", path.display())]
    NotText { path: PathBuf, position: Position },
    #[error("{}:{} cannot be parsed: {message}", path.display(), position.line)]
    Syntax {
        path: PathBuf,
        position: Position,
        message: String,
    },
    #[error("{}:{}: {key} is {found}, not {expected}", path.display(), position.line)]
    WrongType {
        path: PathBuf,
        position: Position,
        key: String,
        found: &'static str,
        expected: &'static str,
    },
    #[error("{}:{}: {key} is written twice", path.display(), position.line)]
    Twice {
        path: PathBuf,
        position: Position,
        key: String,
    },
    #[error("{} has a server called {name} that is not Toolroom's", path.display())]
    Foreign { path: PathBuf, name: String },
    #[error("{} has a server called {name} for another project, {project}", path.display())]
    OtherProject {
        path: PathBuf,
        name: String,
        project: String,
    },
    #[error("{} cannot be changed without touching what is not Toolroom's", path.display())]
    Unsafe { path: PathBuf },
    #[error("{} was changed by somebody else in this moment", path.display())]
    Changed { path: PathBuf },
}

impl Explain for ConfigError {
    fn code(&self) -> &'static str {
        match self {
            Self::UnknownClient { .. } => "mcp::unknown_client",
            Self::Description { .. } | Self::Template { .. } => "mcp::client_description",
            Self::NoFile { .. } => "mcp::no_client_file",
            Self::NoTransport { .. } => "mcp::no_transport",
            Self::NoProject => "mcp::no_project",
            Self::NotUtf8Path { .. } => "mcp::path_not_utf8",
            Self::Name { .. } => "usage::server_name",
            Self::Io { .. } => "mcp::config_io",
            Self::TooLarge { .. } => "mcp::config_too_large",
            Self::NotText { .. } => "mcp::config_not_text",
            Self::Syntax { .. } => "mcp::config_syntax",
            Self::WrongType { .. } => "mcp::config_type",
            Self::Twice { .. } => "mcp::config_duplicate",
            Self::Foreign { .. } => "mcp::name_taken",
            Self::OtherProject { .. } => "mcp::other_project",
            Self::Unsafe { .. } => "mcp::config_unsafe",
            Self::Changed { .. } => "mcp::config_changed",
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::UnknownClient { near, .. } if near.is_empty() => {
                "toolroom mcp config lists the clients that are known".to_owned()
            }
            Self::UnknownClient { near, .. } => format!("did you mean {}?", near.join(" or ")),
            Self::Description { .. } | Self::Template { .. } => return None,
            Self::NoFile { help, .. } | Self::NoTransport { help, .. } => return help.clone(),
            Self::NoProject => "toolroom init makes one; --project DIR names one".to_owned(),
            Self::NotUtf8Path { .. } => "move it to a path that is".to_owned(),
            Self::Name { .. } => "use 1 to 64 letters, digits, - and _".to_owned(),
            Self::Io { .. } => {
                "nothing was changed; check the permissions of the file and its folder".to_owned()
            }
            Self::TooLarge { .. } | Self::NotText { .. } => {
                "nothing was changed; is this the client's configuration file?".to_owned()
            }
            Self::Syntax { .. } | Self::WrongType { .. } | Self::Twice { .. } => {
                "nothing was changed; correct the file and try again".to_owned()
            }
            Self::Foreign { .. } => "choose another name with --name".to_owned(),
            Self::OtherProject { name, .. } => {
                format!(
                    "choose another name with --name, or take that one out: toolroom mcp remove CLIENT --scope user --name {name}"
                )
            }
            Self::Unsafe { .. } => {
                "nothing was changed; add the entry by hand: toolroom mcp config prints it"
                    .to_owned()
            }
            Self::Changed { .. } => "nothing was changed; try again".to_owned(),
        })
    }

    fn place(&self) -> Option<Place> {
        match self {
            Self::NotText { path, position }
            | Self::Syntax { path, position, .. }
            | Self::WrongType { path, position, .. }
            | Self::Twice { path, position, .. } => Some(Place {
                path: path.clone(),
                position: Some(*position),
            }),
            Self::Io { path, .. }
            | Self::TooLarge { path, .. }
            | Self::Foreign { path, .. }
            | Self::OtherProject { path, .. }
            | Self::Unsafe { path }
            | Self::Changed { path } => Some(Place::file(path)),
            _ => None,
        }
    }
}

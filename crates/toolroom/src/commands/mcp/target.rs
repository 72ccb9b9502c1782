//! The server a client is told of, from what the command line says.

use std::path::PathBuf;

use toolroom_kernel::World;
use toolroom_mcp::config::{ConfigError, Endpoint, Scope, Server};

use crate::args::{McpScope, McpTarget};
use crate::failure::Failure;

pub fn server(args: &McpTarget, world: &World) -> Result<Server, Failure> {
    Server::check_name(&args.name)?;
    let project = world.project.clone().ok_or(ConfigError::NoProject)?;
    let endpoint = match &args.http {
        Some(url) => Endpoint::Http {
            url: url_of(url)?,
            headers: headers(&args.header)?,
        },
        None => Endpoint::Stdio {
            command: own_binary(world)?,
            options: options(args),
            env: pairs(&args.env, '=', "--env takes NAME=VALUE")?,
        },
    };
    Ok(Server {
        name: args.name.clone(),
        project,
        endpoint,
    })
}

pub fn scope(scope: McpScope) -> Scope {
    match scope {
        McpScope::Project => Scope::Project,
        McpScope::User => Scope::User,
    }
}

fn options(args: &McpTarget) -> Vec<String> {
    let tools = args
        .tools
        .iter()
        .flat_map(|glob| ["--tools".to_owned(), glob.clone()]);
    tools
        .chain(args.meta.then(|| "--meta".to_owned()))
        .collect()
}

fn url_of(url: &str) -> Result<String, Failure> {
    let is_http = url.starts_with("http://") || url.starts_with("https://");
    let is_plain = !url.contains(|letter: char| letter.is_whitespace() || letter.is_control());
    if is_http && is_plain {
        return Ok(url.to_owned());
    }
    Err(Failure::new(
        "usage::bad_url",
        "--http takes an address that begins with http:// or https://",
    )
    .help("such as --http http://127.0.0.1:8000/mcp"))
}

/// What `--header` gives.
pub fn headers(given: &[String]) -> Result<Vec<(String, String)>, Failure> {
    pairs(given, ':', "--header takes 'NAME: VALUE'")
}

fn pairs(given: &[String], sign: char, usage: &str) -> Result<Vec<(String, String)>, Failure> {
    let pair = |text: &String| {
        let (name, value) = text.split_once(sign)?;
        let is_clean = !name.trim().is_empty() && !text.contains(char::is_control);
        // Blanks around a header's value mean nothing; a variable's are its own.
        let value = if sign == ':' { value.trim() } else { value };
        is_clean.then(|| (name.trim().to_owned(), value.to_owned()))
    };
    // The text itself may be a secret, so the error does not repeat it.
    let wrong = || Failure::new("usage::bad_pair", usage);
    given
        .iter()
        .map(|text| pair(text).ok_or_else(wrong))
        .collect()
}

/// Our own binary by the path it was called by, so that an entry outlives an update that
/// replaces what a link on the search path leads to.
fn own_binary(world: &World) -> Result<PathBuf, Failure> {
    let running = std::env::current_exe().map_err(|error| Failure::io(&error))?;
    let real = running.canonicalize().unwrap_or_else(|_| running.clone());
    let is_us = |path: &PathBuf| path.canonicalize().is_ok_and(|path| path == real);
    let called = std::env::args_os()
        .next()
        .map(PathBuf::from)
        .unwrap_or_default();
    let called_by = if called.components().count() > 1 {
        std::path::absolute(world.cwd.join(&called)).ok()
    } else {
        world.which(&called)
    };
    Ok(called_by.filter(is_us).unwrap_or(running))
}

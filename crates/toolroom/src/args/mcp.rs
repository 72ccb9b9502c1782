//! The grammar of `toolroom mcp`.

use clap::{Args, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCandidates;

use crate::completion;

#[derive(Debug, Args)]
pub struct Mcp {
    #[command(subcommand)]
    pub command: McpCommand,
}

#[derive(Debug, Subcommand)]
pub enum McpCommand {
    /// Serve every tool over standard input and output, or over HTTP
    Serve(McpServe),
    /// Print the entry a client gets and the file it goes to; without a client, list them
    Config(McpConfig),
    /// Put this project's server into a client's configuration
    Install(McpInstall),
    /// Take this server out of a client's configuration
    Remove(McpRemove),
}

#[derive(Debug, Args)]
pub struct McpConfig {
    /// The client, such as cursor
    #[arg(add = ArgValueCandidates::new(completion::clients))]
    pub client: Option<String>,
    #[command(flatten)]
    pub target: McpTarget,
}

#[derive(Debug, Args)]
pub struct McpInstall {
    /// The client, such as cursor
    #[arg(required_unless_present = "all", add = ArgValueCandidates::new(completion::clients))]
    pub client: Option<String>,
    /// Every client that is found on this machine
    #[arg(long, conflicts_with = "client")]
    pub all: bool,
    /// Print what would be written, and write nothing
    #[arg(long)]
    pub print: bool,
    #[command(flatten)]
    pub target: McpTarget,
}

#[derive(Debug, Args)]
pub struct McpRemove {
    /// The client, such as cursor
    #[arg(add = ArgValueCandidates::new(completion::clients))]
    pub client: String,
    /// Which file [default: both]
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<McpScope>,
    /// The server's name there
    #[arg(long, value_name = "NAME", default_value = toolroom_mcp::config::DEFAULT_NAME)]
    pub name: String,
}

#[derive(Debug, Args)]
pub struct McpTarget {
    /// For whom [default: the project, if the client has a file for it]
    #[arg(long, value_name = "SCOPE")]
    pub scope: Option<McpScope>,
    /// The server's name there
    #[arg(long, value_name = "NAME", default_value = toolroom_mcp::config::DEFAULT_NAME)]
    pub name: String,
    /// Serve only tools whose ids match
    #[arg(long, value_name = "GLOB")]
    pub tools: Vec<String>,
    /// Serve four tools to find and run all others, in their place
    #[arg(long)]
    pub meta: bool,
    /// A variable the client passes on
    #[arg(long, value_name = "NAME=VALUE")]
    pub env: Vec<String>,
    /// Use a server that runs already, such as http://127.0.0.1:8000/mcp
    #[arg(long, value_name = "URL", conflicts_with_all = ["tools", "meta", "env"])]
    pub http: Option<String>,
    /// A header for that server, such as 'Authorization: Bearer TOKEN'
    #[arg(long, value_name = "NAME: VALUE", requires = "http")]
    pub header: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum McpScope {
    Project,
    User,
}

#[derive(Debug, Args)]
pub struct McpServe {
    /// Listen here instead, such as 127.0.0.1:8000; clients need a bearer token
    #[arg(long, value_name = "ADDR")]
    pub http: Option<String>,
    /// Let every program of this machine in
    #[arg(long, requires = "http")]
    pub no_auth: bool,
    /// Serve clients that call this machine by another name, too; may be repeated
    #[arg(long, value_name = "NAME", requires = "http")]
    pub allow_host: Vec<String>,
    /// Serve only tools whose ids match; a ! before a pattern leaves out
    #[arg(long, value_name = "GLOB", num_args = 1..)]
    pub tools: Vec<String>,
    /// Serve four tools to find and run all others, in their place
    #[arg(long)]
    pub meta: bool,
}

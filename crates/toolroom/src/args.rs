//! The command line's grammar. Help texts live here; behaviour does not.

mod mcp;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCandidates;

pub use mcp::{Mcp, McpCommand, McpConfig, McpInstall, McpRemove, McpScope, McpServe, McpTarget};

use crate::completion;

/// Runs any tool in the right environment, and says why.
#[derive(Debug, Parser)]
#[command(
    name = "toolroom",
    version,
    max_term_width = 100,
    disable_help_subcommand = true
)]
pub struct Cli {
    #[command(flatten)]
    pub global: Global,
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads our own command line.
    ///
    /// clap copies every global option into every command it knows of, which is the larger
    /// part of what parsing costs. So the command that is called is tried alone; the whole
    /// grammar is for those who called none, erred, or asked for help. The two commands that
    /// stand before every call of a program need no grammar as they are mostly written.
    ///
    /// # Errors
    /// Gives what is to be told to who wrote it, help and version included.
    pub fn of_process() -> Result<Self, clap::Error> {
        let words = with_help_last(std::env::args_os().collect());
        if let Some(command) = plain(&words) {
            let global = Global::default();
            return Ok(Self { global, command });
        }
        let alone = words.get(1).and_then(|name| {
            let all = Command::augment_subcommands(clap::Command::new("toolroom"));
            let called = all.find_subcommand(name)?.clone();
            let grammar = Global::augment_args(clap::Command::new("toolroom"))
                .disable_help_subcommand(true)
                .subcommand(called);
            let mut matches = grammar.try_get_matches_from(&words).ok()?;
            Self::from_arg_matches_mut(&mut matches).ok()
        });
        alone.map_or_else(|| Self::try_parse_from(&words), Ok)
    }
}

/// `help run` as `run --help`, which alone has to be answered. A command of the parser's
/// own would hold a copy of all others, and know nothing of tools.
fn with_help_last(mut words: Vec<OsString>) -> Vec<OsString> {
    let first = first_word(&words);
    if words.get(first).is_some_and(|word| word == "help") {
        words.remove(first);
        words.push("--help".into());
    }
    words
}

/// Where the first word stands that is no option, if there is one.
fn first_word(words: &[OsString]) -> usize {
    let mut at = 1;
    while let Some(word) = words.get(at).and_then(|word| word.to_str()) {
        at += match word {
            "--project" | "--color" => 2,
            option if option.starts_with('-') => 1,
            _ => break,
        };
    }
    at
}

/// `run …`, whose words are sorted where they are understood, and `exec NAME -- …`.
fn plain(words: &[OsString]) -> Option<Command> {
    let (name, rest) = words.get(1..)?.split_first()?;
    match (name.to_str()?, rest) {
        ("run", rest) if rest.iter().all(|word| word.to_str().is_some()) => {
            let rest = rest.to_vec();
            Some(Command::Run(Run { id: None, rest }))
        }
        ("exec", [name, end, argv @ ..]) if end == "--" => {
            let name = name.to_str().filter(|name| !name.starts_with('-'))?;
            Some(Command::Exec(Exec {
                name: name.to_owned(),
                argv: argv.to_vec(),
            }))
        }
        _ => None,
    }
}

#[derive(Debug, Clone, Default, Args)]
pub struct Global {
    /// The project to work in [default: the nearest ancestor with .ai/ or toolroom.toml]
    #[arg(long, global = true, value_name = "DIR")]
    pub project: Option<PathBuf>,
    /// Answer with one JSON document
    #[arg(long, global = true)]
    pub json: bool,
    /// Say nothing but the answer
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// When to use colour
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = false
    )]
    pub color: When,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum When {
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Make a project here, with a first tool
    Init(Init),
    /// Make a new tool from a runtime's template
    New(New),
    /// List tools, with their space, runtime and description
    List(List),
    /// Search tools by name, description, category and content
    Search(Search),
    /// Show a tool: its metadata, parameters, chain and file
    Show(Show),
    /// Run a tool
    #[command(disable_help_flag = true)]
    Run(Run),
    /// List the last runs
    Runs(Runs),
    /// Run a command inside a runtime's or a tool's environment
    Exec(Exec),
    /// Show the environment of a runtime or a tool, and why it is so
    Env(Env),
    /// Prepare the environments of the project and its tools
    Setup(Setup),
    /// Check and apply parts of the project's setup
    Preset(Preset),
    /// Say what is wrong here, and how to fix it
    Doctor,
    /// Serve tools to agents over MCP, and tell agents' programs of it
    Mcp(Mcp),
    /// Print a script that completes commands and tool names
    Completions(Completions),
}

#[derive(Debug, Args)]
pub struct Init {
    /// Where [default: the current directory]
    pub directory: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct New {
    /// The new tool's id, such as web/fetch; with --from-mcp a folder
    pub id: String,
    /// What will run it
    #[arg(long, value_name = "NAME", default_value = "python", add = ArgValueCandidates::new(completion::runtimes))]
    pub runtime: String,
    /// Make a tool of each one that an MCP server has; the last option
    #[arg(long, value_name = "URL|COMMAND", num_args = 1.., allow_hyphen_values = true, conflicts_with = "runtime")]
    pub from_mcp: Vec<String>,
    /// A header for asking that server, such as 'Authorization: Bearer TOKEN'; no file gets it
    #[arg(long, value_name = "NAME: VALUE", requires = "from_mcp")]
    pub header: Vec<String>,
    /// How long that server may take, in seconds; 30 unless told
    #[arg(long, value_name = "S", requires = "from_mcp")]
    pub timeout: Option<String>,
}

#[derive(Debug, Args)]
pub struct List {
    /// List runtimes instead
    #[arg(long, conflicts_with = "all")]
    pub runtimes: bool,
    /// List everything, core included
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Args)]
pub struct Search {
    /// What to look for
    #[arg(required = true, num_args = 1..)]
    pub words: Vec<String>,
    /// How many to show at most
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = above_zero)]
    pub limit: usize,
}

/// None at all is no wish anybody has, and would read as if there were nothing.
fn above_zero(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "it is not a whole number above zero".to_owned())
}

#[derive(Debug, Args)]
pub struct Show {
    /// The tool's id, alias or unique last name
    #[arg(add = ArgValueCandidates::new(completion::tools))]
    pub id: String,
}

#[derive(Debug, Args)]
pub struct Run {
    /// The tool's id, alias or unique last name; options of run itself may come first
    #[arg(allow_hyphen_values = true, add = ArgValueCandidates::new(completion::tools))]
    pub id: Option<OsString>,
    /// The tool's parameters, and options of run itself: see toolroom run --help
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "--NAME VALUE"
    )]
    pub rest: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct Runs {
    /// How many to show at most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = above_zero)]
    pub limit: usize,
}

#[derive(Debug, Args)]
pub struct Exec {
    /// A runtime, such as python, or a tool
    #[arg(value_name = "RUNTIME|ID", add = ArgValueCandidates::new(completion::all))]
    pub name: String,
    /// The command; words that begin with -, and paths of files that are not executable, go to the
    /// interpreter
    #[arg(last = true, value_name = "ARGV")]
    pub argv: Vec<OsString>,
}

#[derive(Debug, Args)]
pub struct Env {
    /// A runtime, such as python, or a tool
    #[arg(value_name = "RUNTIME|ID", add = ArgValueCandidates::new(completion::all))]
    pub name: String,
    /// Say what was tried, and why each won or lost
    #[arg(long)]
    pub explain: bool,
    /// Print what a shell can evaluate
    #[arg(long, value_name = "SHELL", conflicts_with = "explain")]
    pub shell: Option<EvalShell>,
}

#[derive(Debug, Args)]
pub struct Setup {
    /// The tools to prepare for [default: the project and all its tools]
    #[arg(add = ArgValueCandidates::new(completion::tools))]
    pub ids: Vec<String>,
    /// The project and all tools, the user's too
    #[arg(long, conflicts_with = "ids")]
    pub all: bool,
    /// Say what would be done, and why; change nothing
    #[arg(long)]
    pub plan: bool,
    /// Ask nothing
    #[arg(short, long)]
    pub yes: bool,
    /// Use only what is on this machine
    #[arg(long)]
    pub offline: bool,
    /// Replace a broken environment; one that is not Toolroom's is moved aside
    #[arg(long)]
    pub repair: bool,
    /// Remove what setup made for this project, and nothing else
    #[arg(long, conflicts_with_all = ["ids", "all", "plan", "repair"])]
    pub undo: bool,
    /// Remove shared environments that were not used for a month
    #[arg(long, conflicts_with_all = ["ids", "all", "plan", "repair", "undo"])]
    pub prune: bool,
}

#[derive(Debug, Args)]
pub struct Preset {
    #[command(subcommand)]
    pub action: PresetAction,
}

#[derive(Debug, Subcommand)]
pub enum PresetAction {
    /// List presets, with what they require
    List,
    /// Say how presets stand; change nothing
    Check(PresetNames),
    /// Bring presets into order
    Apply(PresetNames),
}

#[derive(Debug, Args)]
pub struct PresetNames {
    /// The presets [default: those under [presets] use in toolroom.toml]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EvalShell {
    Bash,
    Zsh,
    Fish,
    #[value(alias = "powershell")]
    Pwsh,
}

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: Shell,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    #[value(alias = "pwsh")]
    Powershell,
    Elvish,
}

impl Shell {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Zsh => "zsh",
            Self::Fish => "fish",
            Self::Powershell => "powershell",
            Self::Elvish => "elvish",
        }
    }
}

impl Command {
    /// The name under which answers are given.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Init(_) => "init",
            Self::New(_) => "new",
            Self::List(_) => "list",
            Self::Search(_) => "search",
            Self::Show(_) => "show",
            Self::Run(_) => "run",
            Self::Runs(_) => "runs",
            Self::Exec(_) => "exec",
            Self::Env(_) => "env",
            Self::Setup(_) => "setup",
            Self::Preset(_) => "preset",
            Self::Doctor => "doctor",
            Self::Mcp(_) => "mcp",
            Self::Completions(_) => "completions",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn a_plain_exec_is_what_the_grammar_makes_of_it() {
        for line in [
            "toolroom exec python -- -c pass",
            "toolroom exec python --",
            "toolroom exec web/fetch -- pip -- --json -q",
            "toolroom exec python -- --project x",
        ] {
            let words = words(line);
            let plain = plain(&words).expect(line);
            let parsed = Cli::try_parse_from(&words).expect(line);
            assert_eq!(format!("{plain:?}"), format!("{:?}", parsed.command));
            let global = format!("{:?}", Global::default());
            assert_eq!(global, format!("{:?}", parsed.global));
        }
    }

    #[test]
    fn help_may_come_after_options() {
        for (line, wanted) in [
            ("toolroom help", "toolroom --help"),
            ("toolroom help run", "toolroom run --help"),
            ("toolroom --json help", "toolroom --json --help"),
            (
                "toolroom --color never -q help env",
                "toolroom --color never -q env --help",
            ),
            (
                "toolroom --project help list",
                "toolroom --project help list",
            ),
            ("toolroom search help", "toolroom search help"),
            ("toolroom --json", "toolroom --json"),
        ] {
            assert_eq!(with_help_last(words(line)), words(wanted), "{line}");
        }
    }

    #[test]
    fn what_says_more_than_a_command_is_left_to_the_grammar() {
        for line in [
            "toolroom",
            "toolroom exec",
            "toolroom exec python",
            "toolroom exec python --json -- -c pass",
            "toolroom exec --json -- x",
            "toolroom --json exec python -- -c pass",
            "toolroom --json run hello",
            "toolroom list",
        ] {
            assert!(plain(&words(line)).is_none(), "{line}");
        }
    }
}

//! What is wrong with a command line, as programs are told it. People get the parser's own
//! words; where it shows its help in place of any, a program is told what is missing.

use clap::CommandFactory as _;
use clap::error::ErrorKind;

use crate::args::Cli;
use crate::failure::Failure;

/// The command that was called, as far as there was one, and what is wrong.
pub fn told(error: &clap::Error) -> (String, Failure) {
    let mut known = Cli::command();
    // Commands below a command are known once it is built.
    known.build();
    let called = std::env::args_os()
        .skip(1)
        .find_map(|word| known.find_subcommand(word));
    let name = called.map_or("", clap::Command::get_name).to_owned();
    let failure = match error.kind() {
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            missing(called.unwrap_or(&known))
        }
        ErrorKind::InvalidSubcommand => wrong(error).help(choice(called.unwrap_or(&known))),
        _ => wrong(error).help("toolroom --help says what there is"),
    };
    (name, failure)
}

fn missing(command: &clap::Command) -> Failure {
    let message = format!("{} needs a subcommand", command.get_name());
    Failure::new("usage::bad_arguments", message).help(choice(command))
}

/// What may follow a command.
fn choice(command: &clap::Command) -> String {
    let names: Vec<&str> = command
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    let line = match command.get_bin_name() {
        Some(line) => line,
        None => command.get_name(),
    };
    format!("it is one of {}; {line} --help says more", names.join(", "))
}

/// The first words of the parser, without its drawing.
fn wrong(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty())
        .collect();
    let message = lines.join(" ");
    Failure::new(
        "usage::bad_arguments",
        message.trim_start_matches("error: "),
    )
}

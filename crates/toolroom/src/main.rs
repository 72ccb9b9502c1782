//! `toolroom`: parses the command line, calls the rooms below, prints what they say.

mod answer;
mod args;
mod commands;
mod completion;
mod exit;
mod failure;
mod output;
mod printer;
mod world;

use std::process::ExitCode;

use anstream::ColorChoice;
use clap::{CommandFactory as _, Parser as _};

use crate::answer::Answer;
use crate::args::{Cli, Command, Global, When};
use crate::exit::Status;
use crate::failure::Failure;
use crate::printer::{Printer, Volume};

fn main() -> ExitCode {
    clap_complete::CompleteEnv::with_factory(Cli::command).complete();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let printer = printer(&cli.global);
    let name = cli.command.name();
    let outcome = commands::run(cli.command, &cli.global, &printer);
    report(printer, name, outcome).into()
}

fn report(printer: Printer, command: &str, outcome: Result<Answer, Failure>) -> Status {
    match outcome {
        Ok(answer) => {
            if printer.json {
                printer.document(command, &Ok(answer.data));
            } else {
                printer.answer(&answer.text);
                for problem in &answer.problems {
                    printer.problem(problem);
                }
                for note in &answer.notes {
                    printer.note(note);
                }
            }
            answer.status
        }
        Err(failure) => {
            if printer.json {
                printer.document(command, &Err(&failure));
            } else {
                printer.failure(&failure);
            }
            failure.status
        }
    }
}

/// A wrong command line. Programs that asked for JSON get it here, too.
fn usage(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    if !error.use_stderr() || !wants_json {
        let _ = error.print();
        return if error.use_stderr() {
            Status::Usage.into()
        } else {
            Status::Done.into()
        };
    }
    let text = error.render().to_string();
    let mut lines = text.lines();
    let message = lines.next().unwrap_or_default().trim_start_matches("error: ");
    let failure = Failure::new("usage::bad_arguments", message).help("toolroom --help says what there is");
    let known = Cli::command();
    let command = std::env::args()
        .skip(1)
        .find(|argument| known.find_subcommand(argument).is_some())
        .unwrap_or_default();
    let printer = Printer {
        json: true,
        volume: Volume::Normal,
        color: ColorChoice::Never,
        columns: None,
    };
    printer.document(&command, &Err(&failure));
    Status::Usage.into()
}

fn printer(global: &Global) -> Printer {
    Printer {
        json: global.json,
        volume: match (global.quiet, global.verbose) {
            (true, _) => Volume::Quiet,
            (_, true) => Volume::Verbose,
            _ => Volume::Normal,
        },
        color: match global.color {
            When::Auto => ColorChoice::Auto,
            When::Always => ColorChoice::Always,
            When::Never => ColorChoice::Never,
        },
        columns: std::env::var("COLUMNS")
            .ok()
            .and_then(|columns| columns.parse().ok()),
    }
}

//! `toolroom`: parses the command line, calls the rooms below, prints what they say.

mod answer;
mod args;
mod commands;
mod completion;
mod exit;
mod failure;
mod guard;
mod input;
mod output;
mod printer;
mod settings;
mod usage;
mod world;

use std::io::Write as _;
use std::process::ExitCode;

use anstream::ColorChoice;
use clap::CommandFactory as _;

use crate::answer::Answer;
use crate::args::Cli;
use crate::exit::Status;
use crate::failure::Failure;
use crate::printer::{Printer, Volume};

fn main() -> ExitCode {
    let words: Vec<_> = std::env::args_os().skip(1).collect();
    let first = words.first().cloned().unwrap_or_default();
    #[cfg(unix)]
    if first == guard::WORD {
        return toolroom_exec::subprocess::guard::main();
    }
    if first == toolroom_exec::executor::CLIENT {
        return toolroom_mcp::client::main();
    }
    guard::make_ahead(&words);
    toolroom_exec::outlive_file_limit();
    clap_complete::CompleteEnv::with_factory(Cli::command).complete();
    let cli = match Cli::of_process() {
        Ok(cli) => cli,
        Err(error) => return wrong(&error),
    };
    let mut printer = Printer::of(&cli.global);
    let name = cli.command.name();
    let outcome = commands::run(cli.command, &cli.global, &mut printer);
    report(printer, name, outcome).into()
}

fn report(printer: Printer, command: &str, outcome: Result<Answer, Failure>) -> Status {
    let (written, status) = match outcome {
        Ok(answer) => (say(printer, command, &answer), answer.status),
        Err(failure) => {
            let written = if printer.json {
                printer.document(command, Err(&failure))
            } else {
                printer.failure(&failure);
                Ok(())
            };
            (written, failure.status)
        }
    };
    self::written(printer, written, status)
}

/// How a command ends whose answer was written, or was not.
fn written(printer: Printer, outcome: std::io::Result<()>, status: Status) -> Status {
    let Err(error) = outcome else { return status };
    let message = format!("the answer could not be written: {error}");
    printer.failure(&Failure::new("io::not_written", message));
    Status::CannotDo
}

/// For what is said before anybody has said how.
const PLAIN: Printer = Printer {
    json: true,
    volume: Volume::Normal,
    color: ColorChoice::Never,
    columns: None,
};

fn say(printer: Printer, command: &str, answer: &Answer) -> std::io::Result<()> {
    if printer.json {
        return match &answer.stream {
            Some(data) => printer.streamed(command, data),
            None => printer.document(command, Ok(&answer.data.to_string())),
        };
    }
    let written = if answer.is_verbatim {
        printer.verbatim(&answer.text)
    } else {
        printer.answer(&answer.text)
    };
    for problem in &answer.problems {
        printer.problem(problem);
    }
    for failure in &answer.failures {
        printer.failure(failure);
    }
    for complaint in &answer.complaints {
        printer.complaint(complaint);
    }
    for note in &answer.notes {
        printer.note(note);
    }
    written
}

/// A wrong command line. Programs that asked for JSON get it here, too.
fn wrong(error: &clap::Error) -> ExitCode {
    let wants_json = std::env::args_os().any(|argument| argument == "--json");
    if !error.use_stderr() {
        let printed = error.print().and_then(|()| std::io::stdout().flush());
        return written(PLAIN, printer::unless_gone(printed), Status::Done).into();
    }
    if !wants_json {
        let _ = error.print();
        return Status::Usage.into();
    }
    let (command, failure) = usage::told(error);
    let document = PLAIN.document(&command, Err(&failure));
    written(PLAIN, document, Status::Usage).into()
}

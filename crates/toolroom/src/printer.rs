//! The one place that decides what is written where: answers to standard output, talk to
//! standard error, colour only where it is wanted.

use std::io::{self, IsTerminal as _, Write as _};

use anstream::{AutoStream, ColorChoice};
use serde_json::{Value, json};

use crate::answer::Stream;
use crate::args::{Global, When};
use crate::failure::Failure;
use crate::output::snippet;

/// The width of a terminal that does not tell its own.
const USUAL_WIDTH: usize = 80;

/// How much is said besides the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Volume {
    Quiet,
    Normal,
    Verbose,
}

/// A reader that has gone away, such as `head`, is no error.
pub fn unless_gone(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// What stands before the data of a document.
fn head(command: &str) -> String {
    let command = Value::from(command);
    format!(r#"{{"schema":1,"command":{command},"ok":true,"data":"#)
}

/// What is gathered of a long answer before it is written.
const PORTION: usize = 64 * 1024;

/// Writes a command's answer and what goes with it.
#[derive(Debug, Clone, Copy)]
pub struct Printer {
    pub json: bool,
    pub volume: Volume,
    pub color: ColorChoice,
    /// `COLUMNS`, where the environment says it.
    pub columns: Option<usize>,
}

impl Printer {
    /// The one that was asked for.
    #[must_use]
    pub fn of(global: &Global) -> Self {
        let columns = std::env::var("COLUMNS").ok();
        Self {
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
            columns: columns.and_then(|columns| columns.parse().ok()),
        }
    }

    /// The width answers may fill: the terminal's, or none where there is none.
    #[must_use]
    pub fn width(&self) -> Option<usize> {
        if let Some(columns) = self.columns {
            return Some(columns);
        }
        if !std::io::stdout().is_terminal() {
            return None;
        }
        let width = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
        Some(width.unwrap_or(USUAL_WIDTH))
    }

    /// The answer of a command, for people.
    ///
    /// # Errors
    /// Fails if it could not be written.
    pub fn answer(&self, text: &str) -> io::Result<()> {
        let mut out = AutoStream::new(io::stdout(), self.color).lock();
        unless_gone(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// An answer that is data, to the byte: a tool's result, a script for a shell.
    ///
    /// # Errors
    /// Fails if it could not be written.
    pub fn verbatim(&self, text: &str) -> io::Result<()> {
        let mut out = io::stdout().lock();
        unless_gone(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// The answer of a command, for programs.
    ///
    /// # Errors
    /// Fails if it could not be written.
    pub fn document(&self, command: &str, outcome: Result<&str, &Failure>) -> io::Result<()> {
        let document = match outcome {
            Ok(data) => format!("{}{data}}}\n", head(command)),
            Err(failure) => {
                let error = failure.to_json();
                format!(
                    "{}\n",
                    json!({"schema": 1, "command": command, "ok": false, "error": error})
                )
            }
        };
        self.verbatim(&document)
    }

    /// The same for data of which there may be much.
    ///
    /// # Errors
    /// Fails if it could not be written.
    pub fn streamed(&self, command: &str, data: &Stream) -> io::Result<()> {
        let mut out = io::BufWriter::with_capacity(PORTION, io::stdout().lock());
        let written = out
            .write_all(head(command).as_bytes())
            .and_then(|()| data.write(&mut out))
            .and_then(|()| out.write_all(b"}\n"))
            .and_then(|()| out.flush());
        unless_gone(written)
    }

    /// A remark that is not part of the answer.
    pub fn note(&self, text: &str) {
        if self.volume > Volume::Quiet {
            self.talk(text);
        }
    }

    /// Why a tool failed, in words of its own; also said when quiet.
    pub fn complaint(&self, text: &str) {
        self.talk(text);
    }

    /// Why a command failed; also said when quiet.
    pub fn failure(&self, failure: &Failure) {
        let styled = self.stderr_is_styled();
        self.talk(&snippet::failure(failure, self.talk_width(), styled));
    }

    /// What is wrong with a file, with the line it is on.
    pub fn problem(&self, problem: &toolroom_catalog::problem::Problem) {
        if self.volume > Volume::Quiet {
            let failure = Failure::from(problem.clone());
            let styled = self.stderr_is_styled();
            self.talk(&snippet::failure(&failure, self.talk_width(), styled));
        }
    }

    fn talk(&self, text: &str) {
        let mut out = AutoStream::new(std::io::stderr(), self.color).lock();
        let _ = writeln!(out, "{}", text.trim_end());
    }

    fn stderr_is_styled(&self) -> bool {
        match self.color {
            ColorChoice::Never => false,
            ColorChoice::Always | ColorChoice::AlwaysAnsi => true,
            ColorChoice::Auto => AutoStream::choice(&std::io::stderr()) != ColorChoice::Never,
        }
    }

    /// The width remarks and failures may fill, if a terminal shows them.
    #[must_use]
    pub fn talk_width(&self) -> Option<usize> {
        self.columns.or_else(|| {
            terminal_size::terminal_size_of(std::io::stderr())
                .map(|(width, _)| usize::from(width.0))
        })
    }
}

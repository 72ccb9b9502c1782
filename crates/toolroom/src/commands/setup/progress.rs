//! What a person sees while environments are prepared: a line for each that is at work,
//! rewritten in place on a terminal, plain lines elsewhere.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::Instant;

use toolroom_provision::apply::{News, Progress};
use toolroom_provision::plan::Plan;

use crate::printer::{Printer, Volume};

/// Draws progress on standard error.
pub struct Bars {
    printer: Printer,
    live: bool,
    drawn: Mutex<Drawn>,
}

#[derive(Default)]
struct Drawn {
    rows: Vec<Row>,
    /// How many lines of the terminal are ours.
    height: usize,
}

struct Row {
    target: String,
    begun: Instant,
    doing: String,
    line: String,
}

impl Bars {
    pub fn new(printer: &Printer) -> Self {
        Self {
            printer: *printer,
            live: std::io::stderr().is_terminal()
                && !printer.json
                && printer.volume > Volume::Quiet,
            drawn: Mutex::new(Drawn::default()),
        }
    }

    fn draw(&self, drawn: &mut Drawn) {
        let width = self.printer.width().unwrap_or(80).max(20);
        let mut text = clear(drawn.height);
        for row in &drawn.rows {
            let seconds = row.begun.elapsed().as_secs();
            let line: String = format!("{} · {} {seconds}s  {}", row.target, row.doing, row.line)
                .chars()
                .take(width - 1)
                .collect();
            text.push_str(&line);
            text.push('\n');
        }
        drawn.height = drawn.rows.len();
        let _ = std::io::stderr().lock().write_all(text.as_bytes());
    }
}

/// Goes up to our first line and empties all below.
fn clear(height: usize) -> String {
    if height == 0 {
        String::new()
    } else {
        format!("\x1b[{height}A\x1b[J")
    }
}

impl Progress for Bars {
    fn hear(&self, plan: &Plan, news: News<'_>) {
        let target = format!("{} ({})", plan.target.name(), plan.target.manager.name);
        let mut drawn = self
            .drawn
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        if !self.live {
            match news {
                News::Waiting { holder } => self.printer.note(&format!(
                    "{target}: waiting for {holder}, which is preparing it"
                )),
                News::Begin { what } => self.printer.note(&format!("{target}: {what}")),
                News::Line(line) if self.printer.volume > Volume::Normal => {
                    self.printer.note(&format!("  {line}"));
                }
                News::Line(_) | News::End { .. } => {}
            }
            return;
        }
        match news {
            News::End { .. } => drawn.rows.retain(|row| row.target != target),
            other => {
                let index = drawn.rows.iter().position(|row| row.target == target);
                let index = index.unwrap_or_else(|| {
                    drawn.rows.push(Row {
                        target,
                        begun: Instant::now(),
                        doing: String::new(),
                        line: String::new(),
                    });
                    drawn.rows.len() - 1
                });
                let row = &mut drawn.rows[index];
                match other {
                    News::Waiting { holder } => row.doing = format!("waiting for {holder}"),
                    News::Begin { what } => what.clone_into(&mut row.doing),
                    News::Line(line) => line.trim().clone_into(&mut row.line),
                    News::End { .. } => {}
                }
            }
        }
        self.draw(&mut drawn);
    }
}

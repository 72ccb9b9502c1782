//! What a person sees while environments are prepared: a line for each that is at work,
//! rewritten in place on a terminal, plain lines elsewhere.

use std::io::{IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::Instant;

use toolroom_provision::apply::{News, Progress};
use toolroom_provision::manager::Amount;
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
    amount: Amount,
    line: String,
}

impl Row {
    fn new(target: String) -> Self {
        Self {
            target,
            begun: Instant::now(),
            doing: String::new(),
            amount: Amount::default(),
            line: String::new(),
        }
    }

    fn hear(&mut self, news: News<'_>) {
        match news {
            News::Waiting { holder } => self.doing = format!("waiting for {holder}"),
            News::Begin { what } => {
                what.clone_into(&mut self.doing);
                self.amount = Amount::default();
            }
            News::Amount(amount) => self.amount = amount,
            News::Line(line) => line.trim().clone_into(&mut self.line),
            _ => {}
        }
    }

    fn shown(&self) -> String {
        let seconds = self.begun.elapsed().as_secs();
        let mut parts = vec![format!("{} · {}", self.target, self.doing)];
        parts.extend(bar(&self.amount));
        parts.extend(amount(&self.amount));
        parts.push(format!("{seconds}s"));
        parts.push(self.line.clone());
        parts.join(" ")
    }
}

/// How wide a bar is.
const CELLS: u64 = 12;

/// How much of what is to be installed is there.
fn bar(amount: &Amount) -> Option<String> {
    let total = amount.total.filter(|total| *total > 0)?;
    let full = (amount.done.min(total) * CELLS / total).min(CELLS);
    let cells = (0..CELLS).map(|cell| if cell < full { '█' } else { '░' });
    Some(cells.collect())
}

/// `3 of 12 packages, 16.1 MiB`, as far as it is known.
fn amount(amount: &Amount) -> Option<String> {
    let packages = match (amount.done, amount.total) {
        (0, None) => None,
        (done, None) => Some(format!("{done} {}", packages(done))),
        (done, Some(total)) => Some(format!("{done} of {total} {}", packages(total))),
    };
    let size = (amount.bytes > 0).then(|| size(amount.bytes));
    let known: Vec<String> = packages.into_iter().chain(size).collect();
    (!known.is_empty()).then(|| known.join(", "))
}

const fn packages(number: u64) -> &'static str {
    if number == 1 { "package" } else { "packages" }
}

fn size(bytes: u64) -> String {
    let units = ["B", "KiB", "MiB", "GiB"];
    let mut power = 0;
    while power < 3 && bytes >> (10 * (power + 1)) > 0 {
        power += 1;
    }
    let unit = 1_u64 << (10 * power);
    let (whole, tenth) = (bytes / unit, bytes % unit * 10 / unit);
    match power {
        0 => format!("{bytes} B"),
        _ => format!("{whole}.{tenth} {}", units[power]),
    }
}

impl Drawn {
    fn row(&mut self, target: String) -> &mut Row {
        let known = self.rows.iter().position(|row| row.target == target);
        let index = known.unwrap_or_else(|| {
            self.rows.push(Row::new(target));
            self.rows.len() - 1
        });
        &mut self.rows[index]
    }
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

    /// One line when something begins, and one with what came of it at its end.
    fn plain(&self, drawn: &mut Drawn, target: String, news: News<'_>) {
        match news {
            News::Waiting { holder } => self.printer.note(&format!(
                "{target}: waiting for {holder}, which is preparing it"
            )),
            News::Begin { what } => self.printer.note(&format!("{target}: {what}")),
            News::Line(line) if self.printer.volume > Volume::Normal => {
                self.printer.note(&format!("  {line}"));
            }
            News::End { failed: false } => {
                let row = drawn.rows.iter().find(|row| row.target == target);
                if let Some(amount) = row.and_then(|row| amount(&row.amount)) {
                    self.printer.note(&format!("{target}: {amount}"));
                }
            }
            _ => {}
        }
        drawn.row(target).hear(news);
    }

    fn draw(&self, drawn: &mut Drawn) {
        let width = self.printer.width().unwrap_or(80).max(20);
        let mut text = clear(drawn.height);
        for row in &drawn.rows {
            let line: String = row.shown().chars().take(width - 1).collect();
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
            return self.plain(&mut drawn, target, news);
        }
        match news {
            News::End { .. } => drawn.rows.retain(|row| row.target != target),
            other => drawn.row(target).hear(other),
        }
        self.draw(&mut drawn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_sizes_are_shown_as_far_as_they_are_known() {
        let of = |done, total, bytes| Amount { done, total, bytes };
        let table = [
            (of(0, None, 0), None),
            (of(1, None, 0), Some("1 package")),
            (
                of(3, Some(12), 16_882_074),
                Some("3 of 12 packages, 16.1 MiB"),
            ),
            (of(0, None, 900), Some("900 B")),
            (of(0, None, 2048), Some("2.0 KiB")),
        ];
        for (known, wanted) in table {
            assert_eq!(amount(&known).as_deref(), wanted);
        }
    }

    #[test]
    fn a_bar_is_never_longer_than_it_is() {
        let of = |done, total| {
            bar(&Amount {
                done,
                total,
                bytes: 0,
            })
        };
        assert_eq!(of(3, None), None);
        assert_eq!(of(1, Some(0)), None);
        assert_eq!(of(6, Some(12)).unwrap(), "██████░░░░░░");
        assert_eq!(of(99, Some(12)).unwrap(), "████████████");
    }
}

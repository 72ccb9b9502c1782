//! How far an installer is, from the lines it prints. What a line means is data: a text
//! with places for numbers, such as `Downloading {_} ({size})`.

use serde::Deserialize;

/// How far a command has come, as far as it says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Amount {
    /// Packages that are done, and how many there are to be.
    pub done: u64,
    pub total: Option<u64>,
    /// What was fetched, in bytes.
    pub bytes: u64,
}

/// A line that tells something, and where it tells it.
///
/// `{done}` and `{total}` are numbers of packages, `{size}` adds to what was fetched,
/// `{one}` is a word that stands for one package done, `{_}` any word.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Report {
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Place(Place),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Done,
    Total,
    Size,
    One,
    Any,
}

impl Place {
    /// Where a value ends: at the text that follows, or where it can go no further.
    fn end(self, rest: &str, next: Option<&str>) -> Option<usize> {
        match (self, next) {
            (Self::Done | Self::Total, _) => rest.find(|c: char| !c.is_ascii_digit()),
            (_, Some(next)) => rest.find(next),
            (_, None) => rest.find(char::is_whitespace),
        }
    }
}

impl TryFrom<String> for Report {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after
                .split_once('}')
                .ok_or_else(|| format!("{text:?} has a brace that is not closed"))?;
            let place = match name {
                "done" => Place::Done,
                "total" => Place::Total,
                "size" => Place::Size,
                "one" => Place::One,
                "_" => Place::Any,
                _ => return Err(format!("{text:?} speaks of {{{name}}}, which nobody knows")),
            };
            parts.push(Part::Text(before.to_owned()));
            parts.push(Part::Place(place));
            rest = after;
        }
        parts.push(Part::Text(rest.to_owned()));
        Ok(Self { parts })
    }
}

impl Report {
    /// Adds what a line tells to an amount; says whether it told anything.
    pub fn read(&self, line: &str, amount: &mut Amount) -> bool {
        let mut told = *amount;
        let mut rest = line.trim_start();
        let mut parts = self.parts.iter().peekable();
        while let Some(part) = parts.next() {
            let after = match part {
                Part::Text(text) => rest.strip_prefix(text.as_str()),
                Part::Place(place) => {
                    let next = parts.peek().and_then(|part| match part {
                        Part::Text(next) if !next.is_empty() => Some(next.as_str()),
                        _ => None,
                    });
                    let end = place.end(rest, next).unwrap_or(rest.len());
                    let (word, after) = rest.split_at(end);
                    note(*place, word, &mut told).map(|()| after)
                }
            };
            let Some(after) = after else { return false };
            rest = after;
        }
        *amount = told;
        true
    }
}

fn note(place: Place, word: &str, amount: &mut Amount) -> Option<()> {
    match place {
        Place::Done => amount.done = word.parse().ok()?,
        Place::Total => amount.total = Some(word.parse().ok()?),
        Place::Size => amount.bytes = amount.bytes.saturating_add(bytes(word)?),
        Place::One => amount.done = amount.done.saturating_add(1),
        Place::Any => {}
    }
    Some(())
}

/// `16.1MiB`, `11 kB`, `3.4 MB`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes for people; a float that is too large becomes the largest number"
)]
fn bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let unit = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let number: f64 = text[..unit].parse().ok()?;
    let unit = text[unit..].trim().to_ascii_lowercase();
    let base: f64 = if unit.contains('i') { 1024.0 } else { 1000.0 };
    let power = match unit.chars().next()? {
        'b' => 0,
        'k' => 1,
        'm' => 2,
        'g' => 3,
        _ => return None,
    };
    Some((number * base.powi(power)) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(report: &str, lines: &[&str]) -> Amount {
        let report = Report::try_from(report.to_owned()).unwrap();
        let mut amount = Amount::default();
        for line in lines {
            report.read(line, &mut amount);
        }
        amount
    }

    #[test]
    fn lines_of_real_installers_tell_counts_and_sizes() {
        let amount = |done, total, bytes| Amount { done, total, bytes };
        let table: [(&str, &[&str], Amount); 7] = [
            (
                "Resolved {total} package",
                &["Resolved 12 packages in 317ms"],
                amount(0, Some(12), 0),
            ),
            (
                "Downloading {_} ({size})",
                &["Downloading numpy (16.0MiB)", "Downloading six (1.0KiB)"],
                amount(0, None, 16 * 1024 * 1024 + 1024),
            ),
            (
                "Downloading {_} ({size})",
                &["  Downloading six-1.16.0-py2.py3-none-any.whl (11 kB)"],
                amount(0, None, 11_000),
            ),
            (
                "Progress: resolved {total}, reused {_}, downloaded {_}, added {done}",
                &[
                    "Progress: resolved 71, reused 0, downloaded 59, added 7",
                    "Progress: resolved 71, reused 0, downloaded 71, added 71, done",
                ],
                amount(71, Some(71), 0),
            ),
            (
                "added {done} package",
                &["added 1 package in 2s"],
                amount(1, None, 0),
            ),
            (
                "- Installing {one}",
                &[
                    "  - Installing a/b (1.0): Extracting archive",
                    "  - Installing c/d (dev-main)",
                ],
                amount(2, None, 0),
            ),
            (
                "{done} package",
                &["3 packages installed [120ms]"],
                amount(3, None, 0),
            ),
        ];
        for (report, lines, wanted) in table {
            assert_eq!(told(report, lines), wanted, "{report}");
        }
    }

    #[test]
    fn other_lines_and_odd_numbers_tell_nothing() {
        for line in [
            "Resolved many packages",
            "Unresolved 3",
            "Resolved",
            "",
            "Resolved 99999999999999999999 packages",
        ] {
            assert_eq!(
                told("Resolved {total} package", &[line]),
                Amount::default(),
                "{line}"
            );
        }
        assert_eq!(
            told("({size})", &["(12)", "(x MB)", "(9e999 MB)"]),
            Amount::default()
        );
        assert!(Report::try_from("{what}".to_owned()).is_err());
        assert!(Report::try_from("{done".to_owned()).is_err());
    }
}

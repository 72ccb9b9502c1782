//! Columns that fit the terminal. The last column gives way first.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

const GAP: usize = 2;
/// A last column narrower than this is not worth showing.
const NARROWEST: usize = 12;

/// A cell: what it says, and how it is dressed once its width is settled.
#[derive(Debug, Clone)]
pub struct Cell {
    text: String,
    width: usize,
    dress: Option<fn(String) -> String>,
}

impl Cell {
    #[must_use]
    pub fn plain(text: impl AsRef<str>) -> Self {
        Self::new(text.as_ref(), None)
    }

    #[must_use]
    pub fn dressed(text: impl AsRef<str>, dress: fn(String) -> String) -> Self {
        Self::new(text.as_ref(), Some(dress))
    }

    fn new(text: &str, dress: Option<fn(String) -> String>) -> Self {
        let text = single_line(text);
        Self {
            width: width(&text),
            text,
            dress,
        }
    }

    /// As much of it as a width holds, and how wide that is.
    fn within(&self, available: usize) -> (Cow<'_, str>, usize) {
        if self.width <= available {
            return (Cow::Borrowed(&self.text), self.width);
        }
        let shown = shorten(&self.text, available);
        let used = width(&shown);
        (Cow::Owned(shown), used)
    }
}

/// Lays rows out in columns. Without a width nothing is cut.
#[must_use]
pub fn render(rows: &[Vec<Cell>], width: Option<usize>) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.width).max().unwrap_or(0)
        })
        .collect();
    if let Some(width) = width {
        fit(&mut widths, width);
    }
    let mut text = String::new();
    for row in rows {
        let line = text.len();
        for (column, cell) in row.iter().enumerate() {
            let is_last = column + 1 == row.len();
            let (shown, used) = cell.within(widths[column]);
            // Nothing is left bare, so that the blanks before it are seen as the line's end.
            match cell.dress.filter(|_| !shown.is_empty()) {
                Some(dress) => text.push_str(&dress(shown.into_owned())),
                None => text.push_str(&shown),
            }
            if !is_last {
                let padding = widths[column].saturating_sub(used) + GAP;
                text.extend(std::iter::repeat_n(' ', padding));
            }
        }
        text.truncate(line + text[line..].trim_end().len());
        text.push('\n');
    }
    text
}

/// Makes columns narrower until a line fits: the last first, then the widest.
fn fit(widths: &mut [usize], width: usize) {
    let gaps = GAP * widths.len().saturating_sub(1);
    let available = width.saturating_sub(gaps);
    loop {
        let total: usize = widths.iter().sum();
        let Some(excess) = total.checked_sub(available).filter(|excess| *excess > 0) else {
            return;
        };
        let last = widths.len() - 1;
        if widths[last] > NARROWEST {
            widths[last] -= excess.min(widths[last] - NARROWEST);
            continue;
        }
        let Some(widest) = (0..widths.len()).max_by_key(|column| widths[*column]) else {
            return;
        };
        if widths[widest] <= 4 {
            return;
        }
        widths[widest] -= 1;
    }
}

/// Cuts a text to a width, marking the cut.
#[must_use]
pub fn shorten(text: &str, width: usize) -> String {
    if self::width(text) <= width {
        return text.to_owned();
    }
    let mut short = String::new();
    let mut used = 1;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used > width {
            break;
        }
        short.push(character);
    }
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

/// The first line, without control characters a terminal would act on.
#[must_use]
pub fn single_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    if is_plain(line) {
        return line.to_owned();
    }
    line.chars()
        .filter(|character| !character.is_control())
        .collect()
}

fn width(text: &str) -> usize {
    if is_plain(text) {
        return text.len();
    }
    text.width()
}

/// Whether each byte is one character that takes one place.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[&[&str]]) -> Vec<Vec<Cell>> {
        rows.iter()
            .map(|row| row.iter().map(|text| Cell::plain(*text)).collect())
            .collect()
    }

    #[test]
    fn columns_line_up_and_nothing_trails() {
        let table = render(&rows(&[&["a", "bb"], &["ccc", "d"]]), None);
        assert_eq!(table, "a    bb\nccc  d\n");
    }

    #[test]
    fn the_last_column_is_cut_to_fit_the_width() {
        let table = render(
            &rows(&[&["name", "a long description that goes on"]]),
            Some(24),
        );
        assert_eq!(table, "name  a long descriptio…\n");
    }

    #[test]
    fn wide_characters_count_as_two() {
        let table = render(&rows(&[&["測試", "x"], &["abcd", "y"]]), None);
        assert_eq!(table, "測試  x\nabcd  y\n");
    }

    #[test]
    fn control_characters_never_reach_the_terminal() {
        assert_eq!(single_line("a\u{1b}[31mb\u{7}\nsecond"), "a[31mb");
    }
}

//! Columns that fit the terminal. The last column gives way first.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

const GAP: usize = 2;
/// A last column narrower than this is not worth showing.
const NARROWEST: usize = 12;

/// A cell: what it says, and how it is dressed once its width is settled.
#[derive(Debug, Clone)]
pub struct Cell {
    text: String,
    dress: fn(String) -> String,
}

impl Cell {
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self::dressed(text, |text| text)
    }

    #[must_use]
    pub fn dressed(text: impl Into<String>, dress: fn(String) -> String) -> Self {
        Self {
            text: single_line(&text.into()),
            dress,
        }
    }
}

/// Lays rows out in columns. Without a width nothing is cut.
#[must_use]
pub fn render(rows: &[Vec<Cell>], width: Option<usize>) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths: Vec<usize> = (0..columns)
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.text.width()).max().unwrap_or(0)
        })
        .collect();
    if let Some(width) = width {
        fit(&mut widths, width);
    }
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, cell) in row.iter().enumerate() {
            let is_last = column + 1 == row.len();
            let shown = shorten(&cell.text, widths[column]);
            let padding = widths[column].saturating_sub(shown.width()) + GAP;
            // Nothing is left bare, so that the blanks before it are seen as the line's end.
            if !shown.is_empty() {
                line.push_str(&(cell.dress)(shown));
            }
            if !is_last {
                line.push_str(&" ".repeat(padding));
            }
        }
        text.push_str(line.trim_end());
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
    if text.width() <= width {
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
    line.chars()
        .filter(|character| !character.is_control())
        .collect()
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

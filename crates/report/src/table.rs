//! Columns of text that line up, and fit a terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text columns are not made narrower than this; a date still fits.
const LEAST_WIDTH: usize = 10;

/// What stands between two columns.
const BETWEEN: &str = " │ ";
const BETWEEN_WIDTH: usize = 3;

/// What stands where something was left out.
const CUT: &str = "…";

/// Which side the cells of a column are flush with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers. They are never cut: half a number is a wrong number.
    Right,
}

/// A table while it is filled.
pub struct TextTable {
    columns: Vec<Column>,
}

struct Column {
    align: Align,
    /// The title, then a cell a row.
    cells: Vec<String>,
}

/// A table as text.
pub struct Drawn {
    /// Lines, each with its line break.
    pub text: String,
    /// Columns for which there was no room.
    pub hidden_columns: usize,
}

impl TextTable {
    /// A table with these titles and no rows.
    pub fn new(columns: impl IntoIterator<Item = (String, Align)>) -> Self {
        let column = |(title, align): (String, Align)| Column { align, cells: vec![printable(&title)] };
        TextTable { columns: columns.into_iter().map(column).collect() }
    }

    /// Appends a row, with a cell a column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.cells.push(printable(cell.as_ref()));
        }
    }

    /// Draws it, at most `width` characters wide if there is a width to keep: words are cut first,
    /// then columns are left out from the middle.
    pub fn draw(&self, width: Option<usize>) -> Drawn {
        let natural: Vec<usize> = self.columns.iter().map(Column::width).collect();
        let (shown, widths) = match width {
            None => ((0..natural.len()).map(Some).collect(), natural),
            Some(width) => self.fit(natural, width),
        };
        let mut text = String::new();
        let rows = self.columns.first().map_or(0, |column| column.cells.len());
        for row in 0..rows {
            let cells = shown.iter().map(|&index| match index {
                Some(index) => self.columns[index].cell(row, widths[index]),
                None => CUT.to_owned(),
            });
            push_line(&mut text, &cells.collect::<Vec<_>>().join(BETWEEN));
            if row == 0 {
                let rules = shown.iter().map(|&index| "─".repeat(index.map_or(1, |index| widths[index])));
                push_line(&mut text, &rules.collect::<Vec<_>>().join("─┼─"));
            }
        }
        Drawn { text, hidden_columns: self.columns.len() - shown.iter().flatten().count() }
    }

    /// Which columns to show, None standing for those left out, and how wide each is.
    fn fit(&self, natural: Vec<usize>, room: usize) -> (Vec<Option<usize>>, Vec<usize>) {
        let all: Vec<Option<usize>> = (0..natural.len()).map(Some).collect();
        let widest = natural.iter().copied().max().unwrap_or(0);
        let capped = |cap: usize| -> Vec<usize> {
            let columns = self.columns.iter().zip(&natural);
            columns.map(|(c, &width)| if c.align == Align::Left { width.min(cap) } else { width }).collect()
        };
        // The widest cap that fits; widths only grow with it.
        let fits = (LEAST_WIDTH..=widest.max(LEAST_WIDTH)).rev().map(capped).find(|w| total(&all, w) <= room);
        if let Some(widths) = fits {
            return (all, widths);
        }
        let widths = capped(LEAST_WIDTH);
        (middle_left_out(&widths, room), widths)
    }
}

impl Column {
    fn width(&self) -> usize {
        self.cells.iter().map(|cell| cell.width()).max().unwrap_or(0)
    }

    /// A cell, cut or padded to a width.
    fn cell(&self, row: usize, width: usize) -> String {
        let cell = cut(&self.cells[row], width);
        let padding = " ".repeat(width.saturating_sub(cell.width()));
        match self.align {
            Align::Left => cell + &padding,
            Align::Right => padding + &cell,
        }
    }
}

/// The width of a line.
fn total(shown: &[Option<usize>], widths: &[usize]) -> usize {
    let cells: usize = shown.iter().map(|index| index.map_or(1, |index| widths[index])).sum();
    cells + BETWEEN_WIDTH * shown.len().saturating_sub(1)
}

/// As many columns as fit, from both ends in turn; one is always shown.
fn middle_left_out(widths: &[usize], room: usize) -> Vec<Option<usize>> {
    let line = |left: usize, right: usize| -> Vec<Option<usize>> {
        let gap = (left + right < widths.len()).then_some(None);
        (0..left).map(Some).chain(gap).chain((widths.len() - right..widths.len()).map(Some)).collect()
    };
    let (mut left, mut right) = (1, 0);
    loop {
        let wider = if left <= right { (left + 1, right) } else { (left, right + 1) };
        if wider.0 + wider.1 > widths.len() || total(&line(wider.0, wider.1), widths) > room {
            return line(left, right);
        }
        (left, right) = wider;
    }
}

fn push_line(text: &mut String, line: &str) {
    text.push_str(line.trim_end());
    text.push('\n');
}

/// At most `width` characters' widths of a cell, with a mark if that is not all.
fn cut(cell: &str, width: usize) -> String {
    if cell.width() <= width {
        return cell.to_owned();
    }
    let mut used = 0;
    let kept = cell.chars().take_while(|c| {
        used += c.width().unwrap_or(0);
        used < width
    });
    kept.chain(CUT.chars()).collect()
}

/// The cell without what would move the cursor or change the terminal's colours.
fn printable(cell: &str) -> String {
    if !cell.contains(char::is_control) {
        return cell.to_owned();
    }
    let mut text = String::with_capacity(cell.len() + 8);
    for c in cell.chars() {
        if c.is_control() { text.extend(c.escape_default()) } else { text.push(c) }
    }
    text
}

#[cfg(test)]
mod tests;

//! Text tables: fitted to a terminal, printed row by row, or as Markdown.

use std::fmt::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Minimum width of a text column: that of a date.
const MIN_WIDTH: usize = 10;

/// Separator of two columns.
const BETWEEN: &str = " │ ";
const BETWEEN_WIDTH: usize = 3;

/// Width of a frame's sides and the blanks inside of them.
const FRAME_WIDTH: usize = 4;

/// Mark of an omission.
const CUT: &str = "…";

/// The side that the cells of a column are flush with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers, which are never cut: half a number is a wrong number.
    Right,
}

/// A table with titles and rows.
pub struct TextTable {
    columns: Vec<Column>,
}

struct Column {
    align: Align,
    /// The title, then a cell for each row.
    cells: Vec<String>,
}

/// A table as text.
pub struct Drawn {
    /// Lines, each with its line break.
    pub text: String,
    /// Number of columns that did not fit.
    pub hidden_columns: usize,
}

impl TextTable {
    /// Makes a table with these titles and no rows.
    pub fn new(columns: impl IntoIterator<Item = (String, Align)>) -> Self {
        let column = |(title, align): (String, Align)| Column { align, cells: vec![printable(&title)] };
        TextTable { columns: columns.into_iter().map(column).collect() }
    }

    /// Makes a table with words in the first column and numbers in the others.
    pub fn of_numbers(titles: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let align = |column| if column == 0 { Align::Left } else { Align::Right };
        Self::new(titles.into_iter().enumerate().map(|(column, title)| (title.into(), align(column))))
    }

    /// Appends a row. Missing cells are empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        let mut cells = cells.into_iter();
        for column in &mut self.columns {
            column.cells.push(cells.next().map(|cell| printable(cell.as_ref())).unwrap_or_default());
        }
    }

    /// Draws the table with rules, at most `width` characters wide if a width is given: words are
    /// cut first, then columns are omitted from the middle.
    pub fn draw(&self, width: Option<usize>) -> Drawn {
        let natural: Vec<usize> = self.columns.iter().map(Column::width).collect();
        let (shown, widths) = match width {
            None => ((0..natural.len()).map(Some).collect(), natural),
            Some(width) => self.fit(natural, width),
        };
        let mut text = String::new();
        for row in 0..self.lines() {
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

    /// Draws the table with a frame around it, as [`TextTable::draw`] does without one.
    pub fn boxed(&self, width: Option<usize>) -> Drawn {
        let inner = self.draw(width.map(|width| width.saturating_sub(FRAME_WIDTH)));
        let mut lines = inner.text.lines();
        let (titles, rule) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
        // the rule is as wide as the widest line
        let columns = rule.width();
        let edge = |left, cross: &str, right| format!("{left}─{}─{right}\n", rule.replace('┼', cross));
        let row = |line: &str| format!("│ {line}{} │\n", " ".repeat(columns.saturating_sub(line.width())));
        let mut text = edge('┌', "┬", '┐') + &row(titles) + &edge('├', "┼", '┤');
        lines.for_each(|line| text += &row(line));
        text += &edge('└', "┴", '┘');
        Drawn { text, hidden_columns: inner.hidden_columns }
    }

    /// Draws the table without rules, as wide as its cells.
    pub fn plain(&self) -> String {
        let mut text = String::new();
        for row in 0..self.lines() {
            let cells = self.columns.iter().map(|column| column.cell(row, column.width()));
            push_line(&mut text, &cells.collect::<Vec<_>>().join("  "));
        }
        text
    }

    /// Returns the table as Markdown.
    pub fn markdown(&self) -> String {
        let rule = |column: &Column| if column.align == Align::Left { "---" } else { "---:" };
        let mut text = String::new();
        for row in 0..self.lines() {
            let cells: Vec<&str> = self.columns.iter().map(|column| column.cells[row].as_str()).collect();
            push_line(&mut text, &format!("| {} |", cells.join(" | ")));
            if row == 0 {
                let rules: Vec<&str> = self.columns.iter().map(rule).collect();
                push_line(&mut text, &format!("| {} |", rules.join(" | ")));
            }
        }
        text
    }

    /// Returns the number of lines of text: the titles and the rows.
    fn lines(&self) -> usize {
        self.columns.first().map_or(0, |column| column.cells.len())
    }

    /// Chooses the columns to show, with `None` for an omission, and the width of each.
    fn fit(&self, natural: Vec<usize>, room: usize) -> (Vec<Option<usize>>, Vec<usize>) {
        let all: Vec<Option<usize>> = (0..natural.len()).map(Some).collect();
        let widest = natural.iter().copied().max().unwrap_or(0);
        let capped = |cap: usize| -> Vec<usize> {
            let columns = self.columns.iter().zip(&natural);
            columns.map(|(c, &width)| if c.align == Align::Left { width.min(cap) } else { width }).collect()
        };
        // The widest cap that fits; widths only grow with it.
        let fits = (MIN_WIDTH..=widest.max(MIN_WIDTH)).rev().map(capped).find(|w| total(&all, w) <= room);
        if let Some(widths) = fits {
            return (all, widths);
        }
        let widths = capped(MIN_WIDTH);
        (without_middle(&widths, room), widths)
    }
}

impl Column {
    fn width(&self) -> usize {
        self.cells.iter().map(|cell| cell.width()).max().unwrap_or(0)
    }

    /// Returns a cell, cut or padded to a width.
    fn cell(&self, row: usize, width: usize) -> String {
        let cell = cut(&self.cells[row], width);
        let padding = " ".repeat(width.saturating_sub(cell.width()));
        match self.align {
            Align::Left => cell + &padding,
            Align::Right => padding + &cell,
        }
    }
}

/// Returns the width of a line.
fn total(shown: &[Option<usize>], widths: &[usize]) -> usize {
    let cells: usize = shown.iter().map(|index| index.map_or(1, |index| widths[index])).sum();
    cells + BETWEEN_WIDTH * shown.len().saturating_sub(1)
}

/// Chooses the columns that fit, from both ends in turn; the first is always shown.
fn without_middle(widths: &[usize], room: usize) -> Vec<Option<usize>> {
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

/// Cuts a cell to a width, with a mark if it was longer.
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

/// Escapes control characters, which could move the cursor or change the terminal's colours.
pub fn printable(cell: &str) -> String {
    if !cell.contains(char::is_control) {
        return cell.to_owned();
    }
    let mut text = String::with_capacity(cell.len() + 8);
    for c in cell.chars() {
        if c.is_control() { text.extend(c.escape_default()) } else { text.push(c) }
    }
    text
}

/// Columns of a table in a terminal that is printed line by line as results arrive, so that widths
/// are fixed beforehand.
pub struct Columns {
    titles: Vec<String>,
    widths: Vec<usize>,
}

impl Columns {
    /// Makes columns with the given titles, each at least as wide as its title and `min_width`. The
    /// last is not padded: it holds words, the others numbers.
    pub fn new(titles: impl IntoIterator<Item = impl Into<String>>, min_width: usize) -> Self {
        let titles: Vec<String> = titles.into_iter().map(Into::into).collect();
        let widths = titles.iter().map(|title| title.chars().count().max(min_width)).collect();
        Columns { titles, widths }
    }

    /// Returns the line with the titles.
    pub fn header(&self) -> String {
        self.line(&self.titles)
    }

    /// Returns a line of cells: numbers flush right, words in the last column flush left.
    pub fn line(&self, cells: &[String]) -> String {
        let mut line = String::new();
        for (index, (cell, width)) in cells.iter().zip(&self.widths).enumerate() {
            let separator = if index == 0 { "" } else { "  " };
            // Writing to a String cannot fail.
            let _ = if index + 1 == self.widths.len() {
                write!(line, "{separator}{cell}")
            } else {
                write!(line, "{separator}{cell:>width$}")
            };
        }
        line
    }
}

/// Returns a Markdown table: numbers flush right, words in the first and the last column flush
/// left.
pub fn markdown(titles: &[String], rows: &[Vec<String>]) -> String {
    let is_words = |column| column == 0 || column + 1 == titles.len();
    let align = |column| if is_words(column) { Align::Left } else { Align::Right };
    let columns = titles.iter().enumerate().map(|(column, title)| (title.clone(), align(column)));
    let mut table = TextTable::new(columns);
    rows.iter().for_each(|row| table.row(row));
    table.markdown()
}

#[cfg(test)]
mod tests;

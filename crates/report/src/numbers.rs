//! Tables for a terminal and for Markdown.

use std::fmt::Write;

/// The columns of a table in a terminal, whose lines are printed one by one as results come.
pub struct Columns {
    titles: Vec<String>,
    widths: Vec<usize>,
}

impl Columns {
    /// Columns with the given titles, each at least as wide as its title and `least` characters.
    /// The last is not padded: it holds words, the others numbers.
    pub fn new(titles: impl IntoIterator<Item = impl Into<String>>, least: usize) -> Self {
        let titles: Vec<String> = titles.into_iter().map(Into::into).collect();
        let widths = titles.iter().map(|title| title.chars().count().max(least)).collect();
        Columns { titles, widths }
    }

    /// The line with the titles.
    pub fn header(&self) -> String {
        self.line(&self.titles)
    }

    /// A line of cells: numbers flush right, words in the last column flush left.
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

/// A Markdown table: every column flush right but the first and the last.
pub fn markdown(titles: &[String], rows: &[Vec<String>]) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let last = titles.len().saturating_sub(1);
    let rule: Vec<String> = (0..titles.len())
        .map(|column| if column == 0 || column == last { "---".into() } else { "---:".into() })
        .collect();
    let body: String = rows.iter().map(|row| line(row)).collect();
    format!("{}{}{body}", line(titles), line(&rule))
}

/// Milliseconds with a digit after the point while that matters.
pub fn ms(value: f64) -> String {
    if value < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// Bytes in MB: millions.
pub fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

/// The median of some values; not a number if there are none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match (sorted.get(middle), sorted.len() % 2) {
        (Some(&high), 0) => (sorted[middle - 1] + high) / 2.0,
        (Some(&value), _) => value,
        (None, _) => f64::NAN,
    }
}

#[cfg(test)]
mod tests;

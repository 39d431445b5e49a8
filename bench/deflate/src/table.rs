//! Tables for a terminal and for Markdown: words in the first column, numbers in the others.

/// A table.
#[derive(Default)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with titles and no rows.
    pub fn new(titles: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Table { rows: vec![titles.into_iter().map(Into::into).collect()] }
    }

    /// Adds a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }

    /// For a terminal: columns as wide as they have to be.
    pub fn plain(&self) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell: &String| cell.chars().count()).max()
        };
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate();
            let cells = cells.map(|(column, (cell, &width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("  {cell:>width$}"),
            });
            cells.collect::<String>().trim_end().to_owned() + "\n"
        };
        self.rows.iter().map(line).collect()
    }

    /// For Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            text += &format!("| {} |\n", row.join(" | "));
            if index == 0 {
                text += &format!("| --- |{}\n", " ---: |".repeat(row.len().saturating_sub(1)));
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn the_same_table_for_both() {
        let mut table = Table::new(["name", "MB/s"]);
        table.push(["zlib-ng1", "5"]);
        assert_eq!(table.plain(), "name      MB/s\nzlib-ng1     5\n");
        assert_eq!(table.markdown(), "| name | MB/s |\n| --- | ---: |\n| zlib-ng1 | 5 |\n");
    }
}

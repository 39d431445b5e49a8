//! The figures as text.

use super::paper::beside;
use super::{Row, TableFigures};
use pelton_report::numbers::megabytes;
use pelton_report::table::{Columns, markdown as table};

/// Note on measured and modelled figures.
pub const NOTE: &str = "\
Speeds are in GB/s of uncompressed bytes. Those of CPU codecs are measured here with one thread; those marked * are \
modelled: the paper's own for 4 devices, so that they can't differ from it. Ratios are all of real output; the IAA's is \
what its model writes with 4 KB of history and dynamic Huffman codes.";

const TITLES: [&str; 8] =
    ["ratio", "by page", "in GB/s", "out GB/s", "paper: ratio", "in GB/s", "out GB/s", "codec"];

fn cells(figures: &TableFigures, row: &Row) -> Vec<String> {
    let mark = if row.large.is_modelled { "*" } else { "" };
    let mut cells = vec![
        format!("{:.2}", row.large.ratio),
        format!("{:.2}", row.page_ratio),
        format!("{:.2}{mark}", row.large.compress),
        format!("{:.2}{mark}", row.large.decompress),
    ];
    cells.extend(match beside(figures.table, &row.codec) {
        Some(paper) => [paper.ratio, paper.compress, paper.decompress].map(|figure| format!("{figure:.2}")),
        None => [const { String::new() }; 3],
    });
    cells.push(row.codec.clone());
    cells
}

fn title(figures: &TableFigures) -> String {
    let [large, pages] = figures.bytes.map(megabytes);
    format!("{}: {large} MB in large blocks, {pages} MB of pages", figures.table)
}

/// For a terminal.
pub fn plain(figures: &TableFigures) -> String {
    const WIDTH: usize = 8;
    let columns = Columns::new(TITLES, WIDTH);
    let lines = figures.rows.iter().map(|row| columns.line(&cells(figures, row)));
    let lines: Vec<String> = [title(figures), columns.header()].into_iter().chain(lines).collect();
    lines.join("\n")
}

/// For a record.
pub fn markdown(figures: &TableFigures) -> String {
    let rows: Vec<Vec<String>> = figures.rows.iter().map(|row| cells(figures, row)).collect();
    format!("## {}\n\n{}\n", title(figures), table(&TITLES.map(String::from), &rows))
}

//! Smaller tables: fewer rows and columns, plainer files.

use crate::tables::{Encoding, Layout, Table};

/// Smaller tables, made one by one.
pub type Smaller<'a> = Box<dyn Iterator<Item = Vec<Table>> + 'a>;

/// Tables without the columns that a text does not name.
pub fn named(tables: &[Table], sql: &str) -> Vec<Table> {
    let is_named = |name: &str| {
        let after = |at: usize| sql[at + name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric());
        sql.match_indices(name).any(|(at, _)| sql[..at].ends_with('.') && !after(at))
    };
    let mut tables = tables.to_vec();
    for table in &mut tables {
        let first = table.columns[0].clone();
        table.columns.retain(|column| is_named(&column.name));
        if table.columns.is_empty() {
            table.columns.push(first);
        }
    }
    tables
}

/// Tables without one of them, or without a half, quarter or eighth of the rows of one.
pub fn coarsely_smaller(tables: &[Table]) -> Smaller<'_> {
    let fewer = tables.iter().enumerate().flat_map(move |(index, table)| {
        fewer_rows(table).take(15).map(move |smaller| with(tables, index, smaller))
    });
    Box::new(without_one(tables).chain(fewer))
}

fn without_one(tables: &[Table]) -> impl Iterator<Item = Vec<Table>> {
    let without = |index: usize| {
        let mut rest = tables.to_vec();
        rest.remove(index);
        rest
    };
    (0..tables.len()).map(without)
}

fn with(tables: &[Table], index: usize, smaller: Table) -> Vec<Table> {
    let mut all = tables.to_vec();
    all[index] = smaller;
    all
}

/// Tables with one thing less each, the largest first.
pub fn smaller(tables: &[Table]) -> Smaller<'_> {
    let smaller = tables.iter().enumerate().flat_map(move |(index, table)| {
        let one = fewer_rows(table).chain(fewer_columns(table)).chain(plainer(table));
        one.map(move |smaller| with(tables, index, smaller))
    });
    Box::new(without_one(tables).chain(smaller))
}

/// Without halves of the rows, quarters, and so on to single ones.
fn fewer_rows(table: &Table) -> impl Iterator<Item = Table> {
    let rows = table.rows();
    let sizes = std::iter::successors(Some(rows), |size| Some(size / 2)).take_while(|size| *size > 0);
    let ranges =
        sizes.flat_map(move |size| (0..rows).step_by(size).map(move |start| start..(start + size).min(rows)));
    // singles of a table of many rows would take too long
    ranges.take(200).map(|range| {
        let mut smaller = table.clone();
        for column in &mut smaller.columns {
            column.values.drain(range.clone());
        }
        smaller
    })
}

fn fewer_columns(table: &Table) -> impl Iterator<Item = Table> {
    let count = table.columns.len();
    (0..count).filter(move |_| count > 1).map(|column| {
        let mut smaller = table.clone();
        smaller.columns.remove(column);
        smaller
    })
}

/// With a file that says less, as a whole or in one property.
fn plainer(table: &Table) -> Vec<Table> {
    let (layout, plain) = (&table.layout, Layout::simplest());
    let of = |layout: Layout| Table { layout, ..table.clone() };
    let mut out = vec![
        of(plain.clone()),
        of(Layout { codec: plain.codec, ..layout.clone() }),
        of(Layout { page_rows: plain.page_rows, ..layout.clone() }),
        of(Layout { group_rows: plain.group_rows, ..layout.clone() }),
        of(Layout { version_2: false, ..layout.clone() }),
        of(Layout { statistics: false, ..layout.clone() }),
        of(Layout { page_index: false, ..layout.clone() }),
        of(Layout { bloom: false, ..layout.clone() }),
        of(Layout { dictionary_bytes: plain.dictionary_bytes, ..layout.clone() }),
        of(Layout { empty_pages: 0, ..layout.clone() }),
        of(Layout { checksums: false, ..layout.clone() }),
        of(Layout { int96: false, ..layout.clone() }),
        of(Layout { files: 1, ..layout.clone() }),
    ];
    for column in 0..table.columns.len() {
        let mut plain = table.clone();
        (plain.columns[column].dictionary, plain.columns[column].encoding) = (false, Encoding::Plain);
        out.push(plain);
    }
    out.retain(|plain| plain != table);
    out
}

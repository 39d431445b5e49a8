//! Tables of what was measured.

use crate::contest::Times;
use crate::data::Place;
use crate::operations::{ARROW, BYTES, Operation};
use crate::table::Table;

/// What was measured at a width.
pub struct Cell {
    /// Bits of a value.
    pub width: u32,
    /// Bytes of packed values in a vector.
    pub read: usize,
    /// Bytes of values that are written for it.
    pub written: usize,
    /// What everybody took for a vector.
    pub times: Times,
}

impl Cell {
    /// The implementations.
    fn ours(&self) -> impl Iterator<Item = &String> {
        self.times.names().iter().filter(|name| ![BYTES, ARROW].contains(&name.as_str()))
    }

    /// Gigabytes of packed bytes, and written ones, that memory alone moves in a second.
    fn speed(&self) -> f64 {
        self.times
            .seconds(BYTES)
            .map_or(f64::NAN, |seconds| (self.read + self.written) as f64 / seconds / 1e9)
    }

    /// In a line, while it runs.
    pub fn line(&self) -> String {
        let ratios = self.ours().map(|name| {
            let ratio = |to| self.times.ratio(name, to).map_or("-".to_owned(), |ratio| format!("{ratio:.2}"));
            format!("{name} {} of bytes, {} of arrow-rs", ratio(BYTES), ratio(ARROW))
        });
        format!("{} bits: {:.1} GB/s; {}", self.width, self.speed(), ratios.collect::<Vec<_>>().join("; "))
    }
}

/// What a table is of.
pub fn title(operation: Operation, place: Place) -> String {
    let operation = match operation {
        Operation::Scan => "Scan",
        Operation::Select => "Select",
        Operation::Expand => "Expand",
    };
    match place {
        Place::Memory => format!("{operation}, from memory"),
        Place::Cache => format!("{operation}, from the cache"),
    }
}

/// A row for each width.
pub fn table(cells: &[Cell]) -> Table {
    let names: Vec<&String> = cells.first().map(|cell| cell.ours().collect()).unwrap_or_default();
    let arrow = cells.first().is_some_and(|cell| cell.times.seconds(ARROW).is_some());
    let mut titles = vec!["bits".to_owned(), "KB".to_owned(), "bytes, GB/s".to_owned()];
    titles.extend(names.iter().map(|name| format!("{name}, times bytes")));
    titles.extend(names.iter().map(|name| format!("{name}, ns/1000")));
    if arrow {
        titles.extend(names.iter().map(|name| format!("{name}, faster than arrow-rs")));
    }
    let mut table = Table::new(titles);
    for cell in cells {
        let number = |number: Option<f64>| number.map_or("-".to_owned(), |number| format!("{number:.2}"));
        let values = cell.read as f64 * 8.0 / f64::from(cell.width);
        let mut row =
            vec![cell.width.to_string(), (cell.read >> 10).to_string(), format!("{:.1}", cell.speed())];
        row.extend(names.iter().map(|name| number(cell.times.ratio(name, BYTES))));
        row.extend(names.iter().map(|name| {
            let seconds = cell.times.seconds(name).unwrap_or(f64::NAN);
            format!("{:.0}", seconds * 1e12 / values)
        }));
        if arrow {
            row.extend(names.iter().map(|name| number(cell.times.ratio(ARROW, name))));
        }
        table.push(row);
    }
    table
}

/// A table with what its columns mean.
pub fn section(operation: Operation, cells: &[Cell], table: &Table) -> String {
    let bytes = match operation {
        Operation::Scan => "reads the packed bytes and adds them up",
        Operation::Select | Operation::Expand => {
            "reads the packed bytes, adds them up, and fills the output, which is used again and again"
        }
    };
    let rival = match operation {
        Operation::Scan => "arrow-rs is `arrow_ord::cmp::lt` on an unpacked UInt32Array.",
        Operation::Select => {
            "arrow-rs is `arrow_select::filter::filter` on an unpacked UInt32Array; it allocates its output."
        }
        Operation::Expand => "arrow-rs has no such kernel.",
    };
    let values = cells.first().map_or(0.0, |cell| cell.read as f64 * 8.0 / f64::from(cell.width));
    format!(
        "{values:.0} packed values in a vector, of so many KB. \"Bytes\" {bytes}: its speed counts what it reads and writes. An \
         implementation's time is given as a multiple of that, and in nanoseconds for 1000 packed values. {rival}\n\n{}",
        table.markdown()
    )
}

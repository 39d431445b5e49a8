//! Tables of the measurements.

use crate::data::Place;
use crate::operations::{ARROW, BYTES, Cell, Operation};
use pelton_report::table::TextTable;

/// Returns the title of a table.
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

/// Returns a table with a row for each width.
pub fn table(cells: &[Cell]) -> TextTable {
    let names: Vec<&String> = cells.first().map(|cell| cell.ours().collect()).unwrap_or_default();
    let arrow = cells.first().is_some_and(|cell| cell.times.seconds(ARROW).is_some());
    let mut titles = vec!["bits".to_owned(), "KB".to_owned(), "bytes, GB/s".to_owned()];
    titles.extend(names.iter().map(|name| format!("{name}, times bytes")));
    titles.extend(names.iter().map(|name| format!("{name}, ns/1000")));
    if arrow {
        titles.extend(names.iter().map(|name| format!("{name}, faster than arrow-rs")));
    }
    let mut table = TextTable::of_numbers(titles);
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
        table.row(row);
    }
    table
}

/// Returns a table with an explanation of its columns.
pub fn section(operation: Operation, cells: &[Cell], table: &TextTable) -> String {
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

//! Tables of the statistics as text.

use std::fmt::Write;
use std::sync::atomic::Ordering;

use super::{Calls, Counters, Operation, Path, Reason};
use crate::settings::Settings;

const TITLES: [&str; 7] = ["operation", "path", "calls", "bytes in", "bytes out", "ms", "MB/s"];
/// Index of the first column with numbers; those before it hold words.
const FIRST_NUMBER: usize = 2;

/// Returns the tables under a line that names `process`; empty if all counters are zero.
pub fn text(counters: &Counters, settings: &Settings, process: &str) -> String {
    let mut rows = Vec::new();
    for (operation, paths) in Operation::ALL.into_iter().zip(&counters.calls) {
        for (path, calls) in Path::ALL.into_iter().zip(paths) {
            rows.extend(row(operation, path, calls));
        }
    }
    let count = |reason: Reason| counters.reasons[reason as usize].load(Ordering::Relaxed);
    let reasons = Reason::ALL.into_iter().filter(|&reason| count(reason) > 0);
    let reasons: Vec<_> =
        reasons.map(|reason| [reason.name().to_owned(), count(reason).to_string()]).collect();
    let mut text = String::new();
    if rows.is_empty() && reasons.is_empty() {
        return text;
    }
    let Settings { threads, reproducible, accelerate, instructions, .. } = settings;
    let instructions = instructions.or_lower().name();
    let switches = format!("reproducible {}, accelerate {}", u8::from(*reproducible), u8::from(*accelerate));
    // Writing to a string can't fail.
    let _ =
        writeln!(text, "pelton zlib: {process}; instructions {instructions}, threads {threads}, {switches}");
    if !rows.is_empty() {
        table(&mut text, TITLES, &rows, FIRST_NUMBER);
    }
    if !reasons.is_empty() {
        table(&mut text, ["streams given to plain zlib-rs", "times"], &reasons, 1);
    }
    text
}

/// Returns the cells of one operation by one path; `None` if there was no call. The speed is that
/// of the uncompressed data.
fn row(operation: Operation, path: Path, calls: &Calls) -> Option<[String; TITLES.len()]> {
    let [count, read, written, nanoseconds] =
        [&calls.calls, &calls.bytes_in, &calls.bytes_out, &calls.nanoseconds]
            .map(|counter| counter.load(Ordering::Relaxed));
    let data = match operation {
        Operation::DeflateStream | Operation::DeflateOneShot => read,
        Operation::InflateStream | Operation::InflateOneShot => written,
    };
    (count > 0).then(|| {
        [
            operation.name().to_owned(),
            path.name().to_owned(),
            count.to_string(),
            read.to_string(),
            written.to_string(),
            format!("{:.3}", nanoseconds as f64 / 1e6),
            format!("{:.0}", data as f64 * 1e3 / nanoseconds.max(1) as f64),
        ]
    })
}

/// Appends aligned lines: words to the left, numbers, from column `numbers` on, to the right.
fn table<const N: usize>(text: &mut String, titles: [&str; N], rows: &[[String; N]], numbers: usize) {
    let widths: [usize; N] = std::array::from_fn(|column| {
        rows.iter().map(|row| row[column].len()).fold(titles[column].len(), usize::max)
    });
    let titles = titles.map(str::to_owned);
    for row in std::iter::once(&titles).chain(rows) {
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let _ = match column < numbers {
                true => write!(text, "  {cell:<width$}"),
                false => write!(text, "  {cell:>width$}"),
            };
        }
        text.push('\n');
    }
}

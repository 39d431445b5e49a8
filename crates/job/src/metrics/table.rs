//! Counters as a text table.

use std::fmt;

use super::counters::{Counters, Counts};

const HEADER: [&str; 13] = [
    "device",
    "operation",
    "format",
    "tried",
    "done",
    "side by side",
    "refused",
    "failed",
    "fell back",
    "cancelled",
    "MB in",
    "MB out",
    "ms",
];

/// Number of columns with words, which come first and are aligned left. Numbers are aligned right.
const WORDS: usize = 3;

fn cells(device: &str, row: &Counts) -> [String; HEADER.len()] {
    let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6);
    [
        device.to_string(),
        row.operation.to_string(),
        row.format.to_string(),
        row.tried.to_string(),
        row.done.to_string(),
        row.interleaved.to_string(),
        row.refused_total().to_string(),
        row.failed.to_string(),
        row.fell_back_total().to_string(),
        row.cancelled.to_string(),
        megabytes(row.bytes_in),
        megabytes(row.bytes_out),
        format!("{:.1}", row.time.as_secs_f64() * 1e3),
    ]
}

/// Writes a table of the counts, then a line for each reason of a refused job or a fall-back, and
/// for each device with openings of its circuit breaker.
impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = || self.devices.iter().flat_map(|d| d.rows.iter().map(move |row| (&*d.device, row)));
        let mut lines = vec![HEADER.map(String::from)];
        lines.extend(rows().map(|(device, row)| cells(device, row)));
        let widths: [usize; HEADER.len()] =
            std::array::from_fn(|column| lines.iter().map(|line| line[column].len()).max().unwrap_or(0));
        for line in &lines {
            for (column, (cell, width)) in line.iter().zip(widths).enumerate() {
                match column {
                    0 => write!(f, "{cell:<width$}")?,
                    c if c < WORDS => write!(f, "  {cell:<width$}")?,
                    _ => write!(f, "  {cell:>width$}")?,
                }
            }
            writeln!(f)?;
        }
        for (device, row) in rows() {
            for (what, reasons) in [("refused", &row.refused), ("fell back", &row.fell_back)] {
                for (reason, count) in reasons {
                    writeln!(f, "{device} {what} {} {}: {reason}: {count}", row.operation, row.format)?;
                }
            }
        }
        for device in self.devices.iter().filter(|device| device.breaker_opened > 0) {
            writeln!(
                f,
                "{} was set aside after failing three times in a row: {}",
                device.device, device.breaker_opened
            )?;
        }
        Ok(())
    }
}

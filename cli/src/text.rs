//! Words for counts, bytes and times.

use std::time::Duration;

/// A count with its thousands apart: `6,001,215`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count and what is counted: `1 row`, `2,000 rows`.
pub fn counted(count: u64, one: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {one}{plural}", grouped(count))
}

/// Bytes with three or so digits that matter, in units of a thousand: `12.3 MB`.
pub fn bytes(count: u64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.iter().find(|(_, factor)| count as f64 >= *factor) {
        Some((unit, factor)) => format!("{:.1} {unit}", count as f64 / factor),
        None => format!("{count} B"),
    }
}

/// A time: `1.234 s`, or `12.3 ms` below a tenth of a second.
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 0.1 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.3} s") }
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;

//! Numbers as text: counts, bytes, times and medians.

use std::time::Duration;

/// Returns milliseconds with a digit after the point below 100.
pub fn ms(value: f64) -> String {
    if value < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") }
}

/// Returns bytes in millions, without the unit.
pub fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

/// Returns the median of `values`; not a number if there are none.
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

/// Returns a count with separated thousands: `6,001,215`.
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

/// Returns a count and the noun, in its plural form where needed: `1 row`, `2,000 rows`.
pub fn counted(count: u64, one: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {one}{plural}", grouped(count))
}

/// Returns bytes in decimal units with one digit after the point: `12.3 MB`.
pub fn bytes(count: u64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    match units.iter().find(|(_, factor)| count as f64 >= *factor) {
        Some((unit, factor)) => format!("{:.1} {unit}", count as f64 / factor),
        None => format!("{count} B"),
    }
}

/// Returns a time: `1.234 s`, or `12.3 ms` below a tenth of a second.
pub fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 0.1 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.3} s") }
}

#[cfg(test)]
mod tests;

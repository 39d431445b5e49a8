//! Range check of INT96 timestamps. They count days and nanoseconds of the day, in more bits than
//! Arrow's timestamps have.

use arrow::datatypes::TimeUnit;

/// Bytes of a value: nanoseconds of the day, then the Julian day, little-endian (parquet-format
/// issue PARQUET-323).
pub(crate) const WIDTH: usize = 12;

/// The Julian day of 1970-01-01.
const EPOCH: i128 = 2_440_588;
const NANOSECONDS_A_DAY: i128 = 86_400 * 1_000_000_000;

/// Checks that the first `count` plain values fit 64 bits in a unit.
pub(crate) fn check(values: &[u8], count: usize, unit: TimeUnit) -> Result<(), String> {
    let divisor = match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    };
    for (number, value) in values.as_chunks::<WIDTH>().0.iter().take(count).enumerate() {
        let nanoseconds = nanoseconds(value);
        if i64::try_from(nanoseconds / divisor).is_err() {
            let year = year(nanoseconds.div_euclid(NANOSECONDS_A_DAY));
            let (what, range) = match unit {
                TimeUnit::Nanosecond => ("nanoseconds", "the years 1677 to 2262"),
                TimeUnit::Microsecond => ("microseconds", "290,000 years either way"),
                _ => ("its unit", "what 64 bits do"),
            };
            return Err(format!(
                "INT96 value {number} is a timestamp of the year {year}, and {what} hold {range}; leave the \
                 column out, or have the file written with timestamps of microseconds"
            ));
        }
    }
    Ok(())
}

/// Returns a value's nanoseconds since 1970.
fn nanoseconds(value: &[u8; WIDTH]) -> i128 {
    let (of_day, day) = value.split_at(8);
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |sum, &byte| sum << 8 | u64::from(byte));
    let (of_day, day) = (number(of_day) as i64, number(day) as i32);
    (i128::from(day) - EPOCH) * NANOSECONDS_A_DAY + i128::from(of_day)
}

/// Returns the Gregorian year of a day since 1970 (Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms").
fn year(day: i128) -> i128 {
    // years begin in March; an era has 400 years
    let day = day + 719_468;
    let (era, of_era) = (day.div_euclid(146_097), day.rem_euclid(146_097));
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    era * 400 + year + i128::from((5 * of_year + 2) / 153 >= 10)
}

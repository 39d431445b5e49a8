//! How DuckDB counts the time of a day.

/// What DuckDB subtracts a time zone's offset in seconds from, in the lower 24 bits of a TIME WITH
/// TIME ZONE: its `dtime_tz_t::MAX_OFFSET`, a second less than 16 hours.
pub const MAX_OFFSET: i64 = 16 * 60 * 60 - 1;

/// Microseconds of a day.
pub const DAY_MICROS: i64 = 24 * 60 * 60 * 1_000_000;

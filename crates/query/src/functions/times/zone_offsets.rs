//! UTC offsets of time zones, also beyond their tables.

use arrow::array::timezone::Tz;
use chrono::{
    Datelike, Days, Duration, FixedOffset, LocalResult, NaiveDate, NaiveDateTime, Offset, TimeZone,
};

/// Last year in the tables of zones. Its rules of summer time are assumed for later years.
const LAST_YEAR: i32 = 2099;

/// Years after which weekdays and leap days repeat, except for centuries without a leap day.
const CYCLE: i32 = 28;

/// Returns the offset of a zone at an instant.
pub(in crate::functions) fn at_instant(zone: Tz, utc: NaiveDateTime) -> FixedOffset {
    let known = utc - beyond(zone, utc);
    zone.offset_from_utc_datetime(&known).fix()
}

/// Returns the offset of a zone at a local time. If the local time occurs twice, the later one
/// counts; a skipped one counts as if the clocks had not changed.
pub(in crate::functions) fn when_shown(zone: Tz, shown: NaiveDateTime) -> FixedOffset {
    let shown = shown - beyond(zone, shown);
    let offset = match zone.offset_from_local_datetime(&shown) {
        LocalResult::Single(offset) | LocalResult::Ambiguous(_, offset) => offset,
        LocalResult::None => zone.offset_from_utc_datetime(&(shown - Duration::hours(24))),
    };
    offset.fix()
}

/// Returns the distance from a time beyond the zone's table to the same day of a year with the same
/// calendar in the table; zero for a time in the table, and in a zone without summer time.
pub(in crate::functions) fn beyond(zone: Tz, at: NaiveDateTime) -> Duration {
    if at.year() <= LAST_YEAR || !has_summer_time(zone) {
        return Duration::zero();
    }
    let first = |year| NaiveDate::from_yo_opt(year, 1);
    let Some(start) = first(at.year()) else { return Duration::zero() };
    let known = (LAST_YEAR - CYCLE + 1..=LAST_YEAR).filter_map(first);
    let mut alike =
        known.filter(|day| day.weekday() == start.weekday() && day.leap_year() == start.leap_year());
    alike.next().map_or_else(Duration::zero, |known| start - known)
}

/// Returns whether the clocks of a zone change in the last year of its table.
fn has_summer_time(zone: Tz) -> bool {
    let Some(winter) = NaiveDate::from_yo_opt(LAST_YEAR, 1) else { return false };
    let offset = |day: Option<NaiveDate>| day.map(|day| zone.offset_from_utc_date(&day).fix());
    offset(Some(winter)) != offset(winter.checked_add_days(Days::new(182)))
}

#[cfg(test)]
mod tests;

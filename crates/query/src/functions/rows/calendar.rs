//! The fields of a timestamp, in the proleptic Gregorian calendar.

/// Microseconds of a second, a minute, an hour and a day.
pub(super) const SECOND: i64 = 1_000_000;
pub(super) const MINUTE: i64 = 60 * SECOND;
pub(super) const HOUR: i64 = 60 * MINUTE;
pub(super) const DAY: i64 = 24 * HOUR;

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The days of the week, Sunday first.
pub(super) const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// A date and a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fields {
    pub year: i64,
    /// From 1.
    pub month: i64,
    pub day: i64,
    /// Days since 1970.
    pub days: i64,
    /// Microseconds since midnight.
    pub micros: i64,
}

impl Fields {
    /// Returns the fields of microseconds since 1970.
    pub fn of(time: i64) -> Self {
        let (days, micros) = (time.div_euclid(DAY), time.rem_euclid(DAY));
        let (year, month, day) = civil(days);
        Self { year, month, day, days, micros }
    }

    pub fn hour(&self) -> i64 {
        self.micros / HOUR
    }

    pub fn minute(&self) -> i64 {
        self.micros / MINUTE % 60
    }

    pub fn second(&self) -> i64 {
        self.micros / SECOND % 60
    }

    /// Returns the microseconds of the second.
    pub fn fraction(&self) -> i64 {
        self.micros % SECOND
    }

    /// Returns the day of the week, 0 for Sunday.
    pub fn weekday(&self) -> i64 {
        (self.days + 4).rem_euclid(7)
    }

    /// Returns the day of the year, from 1.
    pub fn day_of_year(&self) -> i64 {
        self.days - days_of(self.year, 1, 1) + 1
    }

    /// Returns the year and the week of ISO 8601.
    pub fn iso_week(&self) -> (i64, i64) {
        let thursday = self.days - (self.days + 3).rem_euclid(7) + 3;
        let (year, _, _) = civil(thursday);
        (year, (thursday - days_of(year, 1, 1)) / 7 + 1)
    }

    /// Returns the week of the year, counted from the first day of that weekday.
    pub fn week_from(&self, first: i64) -> i64 {
        (self.day_of_year() + 6 - (self.weekday() - first).rem_euclid(7)) / 7
    }

    /// Returns the months since the year 0.
    pub fn months(&self) -> i64 {
        self.year * 12 + self.month - 1
    }
}

/// Returns the year, the month and the day of days since 1970. Years are counted in eras of 400,
/// and begin in March.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month, day)
}

/// Returns the days since 1970 of a date, which has to exist.
pub(super) fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Returns the number of days of a month.
pub(super) fn month_days(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

//! Functions of dates and timestamps: texts, parts, differences and buckets.

use super::calendar::{DAY, Fields, HOUR, MINUTE, MONTHS, SECOND, WEEKDAYS, days_of, month_days};
use super::{Cell, Entry, Kind, Outcome, Value, form};

const T: Kind = Kind::Time;

pub(super) const TABLE: &[Entry] = &[
    (&["strftime"], &[form(&[T, Kind::Text], Kind::Text, strftime)]),
    (
        &["date_diff", "datediff"],
        &[form(&[Kind::Text, T, T], Kind::Int, |cells| {
            differing(cells, |part, from, to| part.crossed(from, to))
        })],
    ),
    (
        &["date_sub", "datesub"],
        &[form(&[Kind::Text, T, T], Kind::Int, |cells| {
            differing(cells, |part, from, to| part.completed(from, to))
        })],
    ),
    (&["age"], &[form(&[T, T], Kind::Interval, age)]),
    (&["epoch_ms"], &[form(&[T], Kind::Int, millis), form(&[Kind::Int], T, of_millis)]),
    (&["epoch_us"], &[form(&[T], Kind::Int, |cells| scaled(cells, 1, 1))]),
    (&["epoch_ns"], &[form(&[T], Kind::Int, |cells| scaled(cells, 1000, 1))]),
    (
        &["make_timestamp"],
        &[
            form(&[Kind::Int], T, of_micros),
            form(&[Kind::Int, Kind::Int, Kind::Int, Kind::Int, Kind::Int, Kind::Double], T, of_fields),
        ],
    ),
    (&["make_timestamp_ms"], &[form(&[Kind::Int], T, of_millis)]),
    (&["to_millennia"], &[form(&[Kind::Int], Kind::Interval, |cells| months(cells, 12_000))]),
    (&["to_centuries"], &[form(&[Kind::Int], Kind::Interval, |cells| months(cells, 1200))]),
    (&["to_decades"], &[form(&[Kind::Int], Kind::Interval, |cells| months(cells, 120))]),
    (&["to_years"], &[form(&[Kind::Int], Kind::Interval, |cells| months(cells, 12))]),
    (&["to_quarters"], &[form(&[Kind::Int], Kind::Interval, |cells| months(cells, 3))]),
    (&["to_months"], &[form(&[Kind::Int], Kind::Interval, |cells| months(cells, 1))]),
    (&["to_weeks"], &[form(&[Kind::Int], Kind::Interval, |cells| days(cells, 7))]),
    (&["to_days"], &[form(&[Kind::Int], Kind::Interval, |cells| days(cells, 1))]),
    (&["to_hours"], &[form(&[Kind::Int], Kind::Interval, |cells| micros(cells, HOUR))]),
    (&["to_minutes"], &[form(&[Kind::Int], Kind::Interval, |cells| micros(cells, MINUTE))]),
    (&["to_seconds"], &[form(&[Kind::Double], Kind::Interval, |cells| micros(cells, SECOND))]),
    (&["to_milliseconds"], &[form(&[Kind::Double], Kind::Interval, |cells| micros(cells, 1000))]),
    (&["to_microseconds"], &[form(&[Kind::Int], Kind::Interval, |cells| micros(cells, 1))]),
    (&["decade"], &[form(&[T], Kind::Int, |cells| part(cells, |at| at.year / 10))]),
    (&["century"], &[form(&[T], Kind::Int, |cells| part(cells, |at| age_of(at.year, 100)))]),
    (&["millennium"], &[form(&[T], Kind::Int, |cells| part(cells, |at| age_of(at.year, 1000)))]),
    (&["era"], &[form(&[T], Kind::Int, |cells| part(cells, |at| i64::from(at.year > 0)))]),
    (&["isodow"], &[form(&[T], Kind::Int, |cells| part(cells, |at| (at.weekday() + 6) % 7 + 1))]),
    (&["isoyear"], &[form(&[T], Kind::Int, |cells| part(cells, |at| at.iso_week().0))]),
    (
        &["yearweek"],
        &[form(&[T], Kind::Int, |cells| {
            part(cells, |at| {
                let (year, week) = at.iso_week();
                year * 100 + if year > 0 { week } else { -week }
            })
        })],
    ),
    (&["days_in_month"], &[form(&[T], Kind::Int, |cells| part(cells, |at| month_days(at.year, at.month)))]),
    (
        &["time_bucket"],
        &[
            form(&[Kind::Interval, T], T, |cells| bucket(cells, None)),
            form(&[Kind::Interval, T, Kind::Interval], T, shifted_bucket),
            form(&[Kind::Interval, T, T], T, |cells| match cells.get(2) {
                Some(Cell::Time(origin)) => bucket(cells, Some(*origin)),
                _ => Ok(Value::Null),
            }),
        ],
    ),
];

fn part(cells: &[Cell<'_>], of: fn(&Fields) -> i64) -> Outcome {
    let [Cell::Time(time)] = cells else { return Ok(Value::Null) };
    Ok(Value::Int(of(&Fields::of(*time))))
}

/// Returns the century or the millennium of a year.
fn age_of(year: i64, length: i64) -> i64 {
    if year > 0 { (year - 1) / length + 1 } else { year / length - 1 }
}

fn scaled(cells: &[Cell<'_>], by: i64, over: i64) -> Outcome {
    let [Cell::Time(time)] = cells else { return Ok(Value::Null) };
    let scaled = time.checked_mul(by).ok_or("the time is outside of the years 1677 to 2262")?;
    Ok(Value::Int(scaled.div_euclid(over)))
}

/// Returns the milliseconds since 1970, rounded to the nearest.
fn millis(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Time(time)] = cells else { return Ok(Value::Null) };
    let rounded = (time.abs_diff(0) + 500) / 1000;
    Ok(i64::try_from(rounded).map_or(Value::Null, |millis| Value::Int(millis * time.signum())))
}

fn of_millis(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Int(millis)] = cells else { return Ok(Value::Null) };
    millis.checked_mul(1000).map(Value::Time).ok_or_else(|| format!("{millis} milliseconds are no timestamp"))
}

fn of_micros(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Int(micros)] = cells else { return Ok(Value::Null) };
    Ok(Value::Time(*micros))
}

/// Returns the timestamp of a year, a month, a day, an hour, a minute and a second.
fn of_fields(cells: &[Cell<'_>]) -> Outcome {
    let [
        Cell::Int(year),
        Cell::Int(month),
        Cell::Int(day),
        Cell::Int(hour),
        Cell::Int(minute),
        Cell::Double(second),
    ] = cells
    else {
        return Ok(Value::Null);
    };
    let is_valid = (-290_000..=290_000).contains(year)
        && (1..=12).contains(month)
        && (1..=month_days(*year, *month)).contains(day)
        && (0..24).contains(hour)
        && (0..60).contains(minute)
        && (0.0..60.0).contains(second);
    if !is_valid {
        return Err(format!("{year}-{month}-{day} {hour}:{minute}:{second} is no timestamp"));
    }
    let micros = (second * SECOND as f64).round() as i64;
    Ok(Value::Time(days_of(*year, *month, *day) * DAY + hour * HOUR + minute * MINUTE + micros))
}

fn too_long() -> String {
    "the interval is too long".to_owned()
}

/// Returns the interval of a number of units of so many months.
fn months(cells: &[Cell<'_>], unit: i64) -> Outcome {
    let [Cell::Int(count)] = cells else { return Ok(Value::Null) };
    let months = count.checked_mul(unit).and_then(|months| i32::try_from(months).ok());
    months.map(|months| Value::Interval(months, 0, 0)).ok_or_else(too_long)
}

/// Returns the interval of a number of units of so many days.
fn days(cells: &[Cell<'_>], unit: i64) -> Outcome {
    let [Cell::Int(count)] = cells else { return Ok(Value::Null) };
    let days = count.checked_mul(unit).and_then(|days| i32::try_from(days).ok());
    days.map(|days| Value::Interval(0, days, 0)).ok_or_else(too_long)
}

/// Returns the interval of a number of units of so many microseconds.
fn micros(cells: &[Cell<'_>], unit: i64) -> Outcome {
    let nanos = match cells {
        [Cell::Int(count)] => count.checked_mul(unit).and_then(|micros| micros.checked_mul(1000)),
        [Cell::Double(count)] => {
            let micros = (count * unit as f64).round();
            (micros.abs() < 9e15).then_some(micros as i64 * 1000)
        }
        _ => return Ok(Value::Null),
    };
    nanos.map(|nanos| Value::Interval(0, 0, nanos)).ok_or_else(too_long)
}

/// Writes a timestamp by a format.
fn strftime(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Time(time), Cell::Text(format)] = cells else { return Ok(Value::Null) };
    let at = Fields::of(*time);
    let mut text = String::new();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        let mut specifier = letters.next();
        let is_short = specifier == Some('-');
        if is_short {
            specifier = letters.next();
        }
        let specifier = specifier.ok_or("the format ends with %: write %% for the sign")?;
        write_part(&mut text, &at, specifier, is_short).ok_or_else(|| {
            format!("%{}{specifier} is no part of a format", if is_short { "-" } else { "" })
        })?;
    }
    Ok(Value::Text(text))
}

/// Writes one part of a format; `None` if there is no such part.
fn write_part(text: &mut String, at: &Fields, specifier: char, is_short: bool) -> Option<()> {
    let hour = at.hour();
    let half = if hour % 12 == 0 { 12 } else { hour % 12 };
    let name = |names: &[&'static str], index: i64| names.get(usize::try_from(index).ok()?).copied();
    // the value of a number, and its digits
    let (value, digits) = match specifier {
        'd' => (at.day, 2),
        'm' => (at.month, 2),
        'y' => (at.year.rem_euclid(100), 2),
        'H' => (hour, 2),
        'I' => (half, 2),
        'M' => (at.minute(), 2),
        'S' => (at.second(), 2),
        'j' => (at.day_of_year(), 3),
        _ if is_short => return None,
        'U' => (at.week_from(0), 2),
        'W' => (at.week_from(1), 2),
        'V' => (at.iso_week().1, 2),
        'u' => ((at.weekday() + 6) % 7 + 1, 1),
        'w' => (at.weekday(), 1),
        'G' => (at.iso_week().0, 4),
        'f' => (at.fraction(), 6),
        'g' => (at.fraction() / 1000, 3),
        'n' => (at.fraction() * 1000, 9),
        other => {
            let written = match other {
                'a' => name(&WEEKDAYS, at.weekday())?.get(..3)?.to_owned(),
                'A' => name(&WEEKDAYS, at.weekday())?.to_owned(),
                'b' | 'h' => name(&MONTHS, at.month - 1)?.get(..3)?.to_owned(),
                'B' => name(&MONTHS, at.month - 1)?.to_owned(),
                'p' => (if hour < 12 { "AM" } else { "PM" }).to_owned(),
                'Y' if (0..=9999).contains(&at.year) => format!("{:04}", at.year),
                'Y' => at.year.to_string(),
                'z' => "+00".to_owned(),
                'Z' => String::new(),
                'x' => date(at),
                'X' => clock(at),
                'c' => format!("{} {}", date(at), clock(at)),
                '%' => "%".to_owned(),
                _ => return None,
            };
            text.push_str(&written);
            return Some(());
        }
    };
    match is_short {
        true => text.push_str(&value.to_string()),
        false => text.push_str(&format!("{value:0digits$}")),
    }
    Some(())
}

fn date(at: &Fields) -> String {
    format!("{:04}-{:02}-{:02}", at.year, at.month, at.day)
}

fn clock(at: &Fields) -> String {
    format!("{:02}:{:02}:{:02}", at.hour(), at.minute(), at.second())
}

/// A unit in which the distance of two timestamps is counted.
#[derive(Clone, Copy)]
enum Unit {
    Months(i64),
    Micros(i64),
    Weeks,
    IsoYears,
}

impl Unit {
    fn of(name: &str) -> Result<Self, String> {
        Ok(match name.to_lowercase().as_str() {
            "year" | "years" | "yr" | "yrs" | "y" => Unit::Months(12),
            "month" | "months" | "mon" | "mons" => Unit::Months(1),
            "quarter" | "quarters" => Unit::Months(3),
            "decade" | "decades" | "dec" | "decs" => Unit::Months(120),
            "century" | "centuries" | "cent" | "c" => Unit::Months(1200),
            "millennium" | "millennia" | "millenium" | "mil" | "mils" => Unit::Months(12_000),
            "day" | "days" | "d" | "dayofmonth" | "doy" | "dayofyear" | "dow" | "dayofweek" | "weekday"
            | "isodow" => Unit::Micros(DAY),
            "week" | "weeks" | "w" | "weekofyear" | "yearweek" => Unit::Weeks,
            "isoyear" => Unit::IsoYears,
            "hour" | "hours" | "hr" | "hrs" | "h" => Unit::Micros(HOUR),
            "minute" | "minutes" | "min" | "mins" | "m" => Unit::Micros(MINUTE),
            "second" | "seconds" | "sec" | "secs" | "s" | "epoch" => Unit::Micros(SECOND),
            "millisecond" | "milliseconds" | "ms" | "msec" | "msecs" => Unit::Micros(1000),
            "microsecond" | "microseconds" | "us" | "usec" | "usecs" => Unit::Micros(1),
            other => return Err(format!("'{other}' is no unit of time: write 'day', 'month' and the like")),
        })
    }

    /// Returns how many beginnings of a unit lie between two timestamps.
    fn crossed(self, from: i64, to: i64) -> Option<i64> {
        let (first, last) = (Fields::of(from), Fields::of(to));
        Some(match self {
            Unit::Months(length) => last.months().div_euclid(length) - first.months().div_euclid(length),
            Unit::Micros(length) => to.div_euclid(length).checked_sub(from.div_euclid(length))?,
            // seven days make a week, wherever it begins
            Unit::Weeks => (last.days - first.days) / 7,
            Unit::IsoYears => last.iso_week().0 - first.iso_week().0,
        })
    }

    /// Returns how many whole units lie between two timestamps.
    fn completed(self, from: i64, to: i64) -> Option<i64> {
        if from > to {
            return self.completed(to, from).map(|count| -count);
        }
        Some(match self {
            Unit::Months(length) => whole_months(from, to) / length,
            Unit::Micros(length) => to.checked_sub(from)? / length,
            Unit::Weeks => to.checked_sub(from)? / (7 * DAY),
            Unit::IsoYears => whole_months(from, to) / 12,
        })
    }
}

/// Returns the whole months between two timestamps. The last day of a month completes the month
/// that began on a later day.
fn whole_months(from: i64, to: i64) -> i64 {
    let (first, last) = (Fields::of(from), Fields::of(to));
    let mut day = first.day;
    let end = month_days(last.year, last.month);
    if last.day == end && day > end {
        day = end;
    }
    let is_short = (last.day, last.micros) < (day, first.micros);
    last.months() - first.months() - i64::from(is_short)
}

fn differing(cells: &[Cell<'_>], count: fn(Unit, i64, i64) -> Option<i64>) -> Outcome {
    let [Cell::Text(part), Cell::Time(from), Cell::Time(to)] = cells else { return Ok(Value::Null) };
    let counted = count(Unit::of(part)?, *from, *to);
    counted.map(Value::Int).ok_or_else(|| "the distance of the timestamps is no BIGINT".to_owned())
}

/// Returns the distance of two timestamps in years, months, days and a time.
fn age(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Time(later), Cell::Time(earlier)] = cells else { return Ok(Value::Null) };
    let is_negative = later < earlier;
    let (high, low) = if is_negative { (earlier, later) } else { (later, earlier) };
    let (high, low) = (Fields::of(*high), Fields::of(*low));
    let mut micros = high.micros - low.micros;
    let mut days = high.day - low.day;
    let mut months = high.months() - low.months();
    if micros < 0 {
        micros += DAY;
        days -= 1;
    }
    // the days of the earlier month, as PostgreSQL counts them
    while days < 0 {
        days += month_days(low.year, low.month);
        months -= 1;
    }
    let sign = if is_negative { -1 } else { 1 };
    let months = i32::try_from(sign * months).map_err(|_| "the age has too many years".to_owned())?;
    let days = i32::try_from(sign * days).map_err(|_| "the age has too many days".to_owned())?;
    Ok(Value::Interval(months, days, sign * micros * 1000))
}

/// Returns the start of the bucket that a timestamp is in.
fn bucket(cells: &[Cell<'_>], origin: Option<i64>) -> Outcome {
    let [Cell::Interval(months, days, nanos), Cell::Time(time), ..] = cells else { return Ok(Value::Null) };
    let width = i64::from(*days) * DAY + nanos / 1000;
    match (*months, width) {
        (0, width) if width > 0 => {
            // a Monday
            let origin = origin.unwrap_or(days_of(2000, 1, 3) * DAY);
            let distance = time.checked_sub(origin).ok_or("the timestamp is too far from the origin")?;
            Ok(Value::Time(origin + distance.div_euclid(width) * width))
        }
        (months, 0) if months > 0 => {
            let origin = Fields::of(origin.unwrap_or(days_of(2000, 1, 1) * DAY));
            let at = Fields::of(*time);
            let mut distance = at.months() - origin.months();
            if (at.day, at.micros) < (origin.day, origin.micros) {
                distance -= 1;
            }
            let start = origin.months() + distance.div_euclid(i64::from(months)) * i64::from(months);
            let (year, month) = (start.div_euclid(12), start.rem_euclid(12) + 1);
            let day = origin.day.min(month_days(year, month));
            let start =
                days_of(year, month, day).checked_mul(DAY).and_then(|start| start.checked_add(origin.micros));
            start.map(Value::Time).ok_or_else(|| "the bucket begins before all timestamps".to_owned())
        }
        _ => {
            Err("the width of a bucket is positive, and either of months or of days and smaller units"
                .to_owned())
        }
    }
}

/// Returns the bucket of a timestamp, with all buckets shifted by an interval.
fn shifted_bucket(cells: &[Cell<'_>]) -> Outcome {
    let [width, Cell::Time(time), Cell::Interval(months, days, nanos)] = cells else {
        return Ok(Value::Null);
    };
    if *months != 0 {
        return Err("buckets are shifted by days and smaller units: give the first bucket's start".to_owned());
    }
    let shift = i64::from(*days) * DAY + nanos / 1000;
    let shifted = time.checked_sub(shift).ok_or("the timestamp is too early")?;
    match bucket(&[*width, Cell::Time(shifted)], None)? {
        Value::Time(start) => {
            start.checked_add(shift).map(Value::Time).ok_or_else(|| "the timestamp is too late".to_owned())
        }
        other => Ok(other),
    }
}

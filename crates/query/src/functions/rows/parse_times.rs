//! Timestamps from text by a format: `strptime` and `try_strptime`.

use super::calendar::{DAY, HOUR, MINUTE, MONTHS, SECOND, WEEKDAYS, days_of, month_days};
use super::{Cell, Entry, Kind, Outcome, Value, form};

pub(super) const TABLE: &[Entry] = &[
    (
        &["strptime"],
        &[
            form(&[Kind::Text, Kind::Text], Kind::Time, strptime),
            form(&[Kind::Text, Kind::Texts], Kind::Time, strptime),
        ],
    ),
    (
        &["try_strptime"],
        &[
            form(&[Kind::Text, Kind::Text], Kind::Time, try_strptime),
            form(&[Kind::Text, Kind::Texts], Kind::Time, try_strptime),
        ],
    ),
];

fn strptime(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Text(text), format] = cells else { return Ok(Value::Null) };
    match format {
        Cell::Text(format) => parse(text, format).map(Value::Time).map_err(|at| {
            format!("'{text}' does not match the format '{format}' at {at}: write try_strptime for NULL in its place")
        }),
        _ => match first_match(text, format) {
            Some(time) => Ok(Value::Time(time)),
            None => Err(format!("'{text}' matches none of the formats: write try_strptime for NULL in its place")),
        },
    }
}

fn try_strptime(cells: &[Cell<'_>]) -> Outcome {
    let [Cell::Text(text), format] = cells else { return Ok(Value::Null) };
    let parsed = match format {
        Cell::Text(format) => parse(text, format).ok(),
        _ => first_match(text, format),
    };
    Ok(parsed.map_or(Value::Null, Value::Time))
}

fn first_match(text: &str, formats: &Cell<'_>) -> Option<i64> {
    let Cell::Texts(formats) = formats else { return None };
    formats.iter().flatten().find_map(|format| parse(text, format).ok())
}

/// The fields that were read.
struct Read {
    year: i64,
    month: i64,
    day: i64,
    day_of_year: Option<i64>,
    hour: i64,
    is_afternoon: Option<bool>,
    minute: i64,
    second: i64,
    micros: i64,
    /// Microseconds east of Greenwich.
    offset: i64,
}

/// Returns the microseconds since 1970 of a text, or what does not match.
fn parse(text: &str, format: &str) -> Result<i64, String> {
    let mut read = Read {
        year: 1900,
        month: 1,
        day: 1,
        day_of_year: None,
        hour: 0,
        is_afternoon: None,
        minute: 0,
        second: 0,
        micros: 0,
        offset: 0,
    };
    let mut rest = text.trim_start();
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            rest = match letter.is_whitespace() {
                true => rest.trim_start(),
                false => rest.strip_prefix(letter).ok_or_else(|| at(rest))?,
            };
            continue;
        }
        let mut specifier = letters.next();
        if specifier == Some('-') {
            specifier = letters.next();
        }
        rest = read.part(rest, specifier.unwrap_or('%'))?;
    }
    match rest.trim_end() {
        "" => read.time(),
        rest => Err(at(rest)),
    }
}

fn at(rest: &str) -> String {
    if rest.is_empty() { "its end".to_owned() } else { format!("'{rest}'") }
}

/// Reads at most so many digits.
fn number(rest: &str, digits: usize) -> Result<(i64, &str), String> {
    let end = rest.bytes().take(digits).take_while(u8::is_ascii_digit).count();
    let value = rest[..end].parse().map_err(|_| at(rest))?;
    Ok((value, &rest[end..]))
}

/// Reads one of some names, in any case, whole or by its first three letters.
fn name<'a>(rest: &'a str, names: &[&str], is_short: bool) -> Result<(i64, &'a str), String> {
    for (index, name) in (0..).zip(names) {
        let name = if is_short { &name[..3] } else { name };
        if rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            return Ok((index, &rest[name.len()..]));
        }
    }
    Err(at(rest))
}

impl Read {
    fn part<'a>(&mut self, rest: &'a str, specifier: char) -> Result<&'a str, String> {
        let checked =
            |(value, after): (i64, &'a str), low: i64, high: i64| match (low..=high).contains(&value) {
                true => Ok((value, after)),
                false => Err(at(rest)),
            };
        let after = match specifier {
            'a' => name(rest, &WEEKDAYS, true)?.1,
            'A' => name(rest, &WEEKDAYS, false)?.1,
            'b' | 'h' => {
                let (month, after) = name(rest, &MONTHS, true)?;
                self.month = month + 1;
                after
            }
            'B' => {
                let (month, after) = name(rest, &MONTHS, false)?;
                self.month = month + 1;
                after
            }
            'd' => self.set(checked(number(rest, 2)?, 1, 31)?, |read| &mut read.day),
            'm' => self.set(checked(number(rest, 2)?, 1, 12)?, |read| &mut read.month),
            'H' => self.set(checked(number(rest, 2)?, 0, 23)?, |read| &mut read.hour),
            'I' => self.set(checked(number(rest, 2)?, 1, 12)?, |read| &mut read.hour),
            'M' => self.set(checked(number(rest, 2)?, 0, 59)?, |read| &mut read.minute),
            'S' => self.set(checked(number(rest, 2)?, 0, 59)?, |read| &mut read.second),
            'j' => {
                let (day, after) = checked(number(rest, 3)?, 1, 366)?;
                self.day_of_year = Some(day);
                after
            }
            'Y' => {
                let (sign, digits) = match rest.strip_prefix('-') {
                    Some(digits) => (-1, digits),
                    None => (1, rest.strip_prefix('+').unwrap_or(rest)),
                };
                let (year, after) = number(digits, 6)?;
                self.year = sign * year;
                after
            }
            'y' => {
                let (year, after) = number(rest, 2)?;
                self.year = if year < 69 { 2000 + year } else { 1900 + year };
                after
            }
            'p' => {
                let (half, after) = name(rest, &["AM ", "PM "].map(|half| half.trim_end()), false)?;
                self.is_afternoon = Some(half == 1);
                after
            }
            'f' => self.fraction(rest, 6)?,
            'g' => self.fraction(rest, 3)?,
            'n' => self.fraction(rest, 9)?,
            'z' => self.zone(rest)?,
            '%' => rest.strip_prefix('%').ok_or_else(|| at(rest))?,
            other => return Err(format!("%{other}, which strptime does not read")),
        };
        Ok(after)
    }

    fn set<'a>(&mut self, (value, after): (i64, &'a str), field: fn(&mut Self) -> &mut i64) -> &'a str {
        *field(self) = value;
        after
    }

    /// Reads the digits behind the point of a second.
    fn fraction<'a>(&mut self, rest: &'a str, digits: usize) -> Result<&'a str, String> {
        let (value, after) = number(rest, digits)?;
        let read = rest.len() - after.len();
        let nanos = (read..9).fold(value, |value, _| value * 10);
        self.micros = nanos / 1000;
        Ok(after)
    }

    /// Reads an offset of hours, or of hours and minutes, or a `Z`.
    fn zone<'a>(&mut self, rest: &'a str) -> Result<&'a str, String> {
        if let Some(after) = rest.strip_prefix('Z') {
            return Ok(after);
        }
        let (sign, digits) = match (rest.strip_prefix('+'), rest.strip_prefix('-')) {
            (Some(digits), _) => (1, digits),
            (None, Some(digits)) => (-1, digits),
            (None, None) => return Err(at(rest)),
        };
        let (hours, after) = number(digits, 2)?;
        let after = after.strip_prefix(':').unwrap_or(after);
        let (minutes, after) = number(after, 2).unwrap_or((0, after));
        self.offset = sign * (hours * HOUR + minutes * MINUTE);
        Ok(after)
    }

    fn time(mut self) -> Result<i64, String> {
        match self.is_afternoon {
            Some(_) if self.hour > 12 => return Err("the hour, which is beyond 12".to_owned()),
            Some(is_afternoon) => self.hour = self.hour % 12 + if is_afternoon { 12 } else { 0 },
            None => {}
        }
        let days = match self.day_of_year {
            Some(day) if day > 337 + month_days(self.year, 2) => return Err("the day of the year".to_owned()),
            Some(day) => days_of(self.year, 1, 1) + day - 1,
            None if self.day > month_days(self.year, self.month) => return Err("the day".to_owned()),
            None => days_of(self.year, self.month, self.day),
        };
        let clock =
            self.hour * HOUR + self.minute * MINUTE + self.second * SECOND + self.micros - self.offset;
        let time = days.checked_mul(DAY).and_then(|start| start.checked_add(clock));
        time.ok_or_else(|| "the year".to_owned())
    }
}

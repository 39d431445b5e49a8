//! Times of day in the texts of intervals: `'1 month 2 days 03:04:05'`.

/// Returns the text of an interval with its time of day in units, as DataFusion takes it; `None` if
/// it has none. A sign in front of the time is that of all its parts.
///
/// PostgreSQL and DuckDB write intervals so.
pub(super) fn in_units(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_number = |word: &&str| word.parse::<f64>().is_ok();
    let mut is_changed = false;
    let mut written = Vec::with_capacity(words.len());
    for (index, word) in words.iter().enumerate() {
        // behind a number without a unit it is another form, that of SQL's DAY TO SECOND
        let follows_number = index.checked_sub(1).is_some_and(|before| is_number(&words[before]));
        match clock(word).filter(|_| !follows_number) {
            Some(units) if !is_changed => {
                written.push(units);
                is_changed = true;
            }
            _ => written.push((*word).to_owned()),
        }
    }
    is_changed.then(|| written.join(" "))
}

/// A time of day in units: hours and minutes, or these and seconds.
fn clock(word: &str) -> Option<String> {
    let (sign, parts) = match word.strip_prefix('-') {
        Some(parts) => ("-", parts),
        None => ("", word.strip_prefix('+').unwrap_or(word)),
    };
    let (hours, rest) = parts.split_once(':')?;
    let (minutes, seconds) = rest.split_once(':').unwrap_or((rest, "0"));
    let (whole, fraction) = seconds.split_once('.').unwrap_or((seconds, "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_sixtieth = |part: &str| is_digits(part) && part.len() <= 2 && part < "60";
    let is_clock = is_digits(hours) && is_sixtieth(minutes) && is_sixtieth(whole) && is_digits(fraction);
    is_clock.then(|| format!("{sign}{hours} hours {sign}{minutes} minutes {sign}{whole}.{fraction} seconds"))
}

#[cfg(test)]
mod tests {
    use super::in_units;

    #[test]
    fn times_of_day_get_units() {
        for (text, expected) in [
            ("03:04:05", Some("03 hours 04 minutes 05.0 seconds")),
            ("1 month  2 days 3:04", Some("1 month 2 days 3 hours 04 minutes 0.0 seconds")),
            ("-1 day +100:00:00.25", Some("-1 day 100 hours 00 minutes 00.25 seconds")),
            ("1 day -02:30:05", Some("1 day -02 hours -30 minutes -05.0 seconds")),
            ("1 day", None),
            ("1 02:00:00", None),
            ("02:60:00", None),
            ("02:00:00:00", None),
        ] {
            assert_eq!(in_units(text).as_deref(), expected, "{text}");
        }
    }
}

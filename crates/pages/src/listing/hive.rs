//! Hive columns: partition columns with values from directory names, as in
//! `year=2024/month=3/part-0.parquet`.

/// Directory value that stands for null.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

/// Rules for reading directory names. The engine keeps a value as text if an integer would print
/// differently; DuckDB's rules are those of its own Parquet reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiveRules {
    /// Integers in canonical spelling, and text. A column of nulls is of integers.
    Engine,
    /// Integers of any spelling, dates, and text. A column of nulls is of text. Percent-encoding in
    /// names is undone too.
    DuckDb,
}

/// Type of a Hive column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HiveType {
    /// 64-bit integers.
    Integer,
    /// Days since 1970.
    Date,
    /// UTF-8.
    Text,
}

/// Value of a Hive column in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HiveValue {
    /// Null.
    Null,
    /// 64-bit integer.
    Integer(i64),
    /// Days since 1970.
    Date(i32),
    /// UTF-8.
    Text(String),
}

/// Hive columns, with their values for each file.
#[derive(Debug, Default)]
pub struct HiveColumns {
    /// Names and types.
    pub columns: Vec<(String, HiveType)>,
    /// Values by file, then by column.
    pub values: Vec<Vec<HiveValue>>,
}

/// `key=value` pairs of a path, outermost first.
pub type Partitions = Vec<(String, String)>;

/// Reads the `key=value` directories of a path; the others are left out.
pub fn partitions<'a>(directories: impl Iterator<Item = &'a str>, rules: HiveRules) -> Partitions {
    let pairs = directories.filter_map(|part| part.split_once('='));
    let key = |key: &str| match rules {
        HiveRules::Engine => key.to_owned(),
        HiveRules::DuckDb => unescape(key),
    };
    pairs.map(|(name, value)| (key(name), unescape(value))).collect()
}

impl HiveColumns {
    /// Makes columns of the paths of some files. A column has a type other than text if all of its
    /// values have it.
    ///
    /// # Errors
    /// The index of a file with other columns than the first.
    pub fn read(files: &[Partitions], rules: HiveRules) -> Result<Self, usize> {
        let same = |a: &Partitions, b: &Partitions| {
            a.iter().map(|(name, _)| name).eq(b.iter().map(|(name, _)| name))
        };
        let Some(first) = files.first() else { return Ok(Self::default()) };
        if let Some(other) = files.iter().position(|pairs| !same(pairs, first)) {
            return Err(other);
        }
        let mut hive = Self { columns: Vec::new(), values: vec![Vec::new(); files.len()] };
        for (index, (name, _)) in first.iter().enumerate() {
            let texts: Vec<_> = files.iter().map(|pairs| not_null(&pairs[index].1)).collect();
            let data_type = common_type(&texts, rules);
            for (values, text) in hive.values.iter_mut().zip(texts) {
                values.push(value(text, data_type));
            }
            hive.columns.push((name.clone(), data_type));
        }
        Ok(hive)
    }
}

fn not_null(value: &str) -> Option<&str> {
    (value != NULL).then_some(value)
}

fn common_type(texts: &[Option<&str>], rules: HiveRules) -> HiveType {
    let all = |is: fn(&str) -> bool| texts.iter().flatten().all(|text| is(text));
    let is_canonical = |text: &str| text.parse::<i64>().is_ok_and(|number| number.to_string() == text);
    match rules {
        HiveRules::Engine if all(is_canonical) => HiveType::Integer,
        HiveRules::Engine => HiveType::Text,
        HiveRules::DuckDb if texts.iter().all(Option::is_none) => HiveType::Text,
        HiveRules::DuckDb if all(|text| text.parse::<i64>().is_ok()) => HiveType::Integer,
        HiveRules::DuckDb if all(|text| date(text).is_some()) => HiveType::Date,
        HiveRules::DuckDb => HiveType::Text,
    }
}

fn value(text: Option<&str>, data_type: HiveType) -> HiveValue {
    let Some(text) = text else { return HiveValue::Null };
    match data_type {
        HiveType::Integer => text.parse().map_or(HiveValue::Null, HiveValue::Integer),
        HiveType::Date => date(text).map_or(HiveValue::Null, HiveValue::Date),
        HiveType::Text => HiveValue::Text(text.to_owned()),
    }
}

/// Returns the days from 1970 to a date such as `2024-03-01`.
fn date(text: &str) -> Option<i32> {
    let mut parts = text.splitn(3, '-');
    let mut part = |length| digits(parts.next()?, length);
    let (year, month, day) = (part(4)?, part(2)?, part(2)?);
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let february = if is_leap { 29 } else { 28 };
    let days = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let longest = *days.get(month.checked_sub(1)? as usize)?;
    if day == 0 || day > longest {
        return None;
    }
    // Years begin in March, so that the leap day is their last (Hinnant, "chrono-Compatible
    // Low-Level Date Algorithms").
    let (y, m) = (i64::from(year) - i64::from(month <= 2), i64::from((month + 9) % 12));
    let (era, of_era) = (y.div_euclid(400), y.rem_euclid(400));
    let of_year = (153 * m + 2) / 5 + i64::from(day) - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH;
    i32::try_from(days).ok()
}

/// Parses a number of exactly `length` digits. Rust's own parsing accepts a sign, too.
fn digits(text: &str, length: usize) -> Option<u32> {
    let is_number = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Undoes percent-encoding, which Hive and object stores use for characters that paths can't hold.
fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        match tail.first_chunk().and_then(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)) {
            Some(decoded) if byte == b'%' => {
                bytes.push(decoded);
                rest = &tail[2..];
            }
            _ => {
                bytes.push(byte);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns the value of a hexadecimal digit. Rust's own parsing of numbers accepts a sign, too.
fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).map(|value| value as u8)
}

#[cfg(test)]
mod tests;

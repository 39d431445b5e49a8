//! Columns that files' paths have: `year=2024/month=3/part-0.parquet`.

use std::path::{Component, Path};

use pelton_pages::unescape;

use crate::error::{Error, Result};
use crate::sys::{Column, Type};

/// What stands for null in a path.
const NULL: &str = "__HIVE_DEFAULT_PARTITION__";

/// Days from 0000-03-01 to 1970-01-01.
const EPOCH: i64 = 719_468;

/// A value of a path's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathValue {
    /// Null.
    Null,
    /// A BIGINT.
    Integer(i64),
    /// A DATE: days since 1970.
    Date(i32),
    /// A VARCHAR.
    Text(String),
}

/// Columns, and for each file their values.
#[derive(Debug, Default)]
pub struct PathColumns {
    /// The columns, by name.
    pub columns: Vec<Column>,
    /// For each file a value for each column.
    pub values: Vec<Vec<PathValue>>,
}

/// The columns that the paths have. A column is of integers or dates if all its values are.
///
/// # Errors
/// Paths have different columns, and `is_required` says that they must not.
pub fn path_columns(files: &[impl AsRef<Path>], is_required: bool) -> Result<PathColumns> {
    let pairs: Vec<Vec<(String, String)>> = files.iter().map(|file| pairs(file.as_ref())).collect();
    let names = |pairs: &[(String, String)]| pairs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let first = pairs.first().map(|pairs| names(pairs)).unwrap_or_default();
    if let Some(other) = pairs.iter().position(|pairs| names(pairs) != first) {
        if !is_required {
            return Ok(PathColumns { columns: Vec::new(), values: vec![Vec::new(); files.len()] });
        }
        let (a, b) = (files[0].as_ref().display(), files[other].as_ref().display());
        return Err(Error::Table(format!(
            "{b}: its path has other key=value directories than {a}; set hive_partitioning := false to leave them out"
        )));
    }
    let mut of = PathColumns { columns: Vec::new(), values: vec![Vec::new(); files.len()] };
    for (index, name) in first.into_iter().enumerate() {
        let texts: Vec<Option<&str>> = pairs.iter().map(|pairs| text(&pairs[index].1)).collect();
        let data_type = common(&texts);
        for (values, text) in of.values.iter_mut().zip(texts) {
            values.push(value(text, &data_type));
        }
        of.columns.push(Column { name, of: data_type });
    }
    Ok(of)
}

fn pairs(file: &Path) -> Vec<(String, String)> {
    let directories = file.parent().map(Path::components).into_iter().flatten();
    let parts = directories.filter_map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let pairs = parts.filter_map(|part| part.split_once('='));
    pairs.map(|(key, value)| (unescape(key), unescape(value))).collect()
}

fn text(value: &str) -> Option<&str> {
    (value != NULL).then_some(value)
}

fn common(texts: &[Option<&str>]) -> Type {
    let all = |is: fn(&str) -> bool| texts.iter().flatten().all(|text| is(text));
    match () {
        () if texts.iter().all(Option::is_none) => Type::Varchar,
        () if all(|text| text.parse::<i64>().is_ok()) => Type::BigInt,
        () if all(|text| date(text).is_some()) => Type::Date,
        () => Type::Varchar,
    }
}

fn value(text: Option<&str>, of: &Type) -> PathValue {
    let Some(text) = text else { return PathValue::Null };
    match of {
        Type::BigInt => text.parse().map_or(PathValue::Null, PathValue::Integer),
        Type::Date => date(text).map_or(PathValue::Null, PathValue::Date),
        _ => PathValue::Text(text.to_owned()),
    }
}

/// Days since 1970 of `2024-03-01`.
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
    // years from March on, so that the leap day is the last (Hinnant, "chrono-Compatible Low-Level
    // Date Algorithms")
    let (y, m) = (i64::from(year) - i64::from(month <= 2), i64::from((month + 9) % 12));
    let (era, of_era) = (y.div_euclid(400), y.rem_euclid(400));
    let of_year = (153 * m + 2) / 5 + i64::from(day) - 1;
    let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH;
    i32::try_from(days).ok()
}

/// The number of so many digits, and nothing but digits: Rust's own parsing takes a sign, too.
fn digits(text: &str, length: usize) -> Option<u32> {
    let is_number = text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(paths: &[&str]) -> (Type, Vec<PathValue>) {
        let found = path_columns(paths, true).expect("paths of the same columns");
        (found.columns[0].of.clone(), found.values.into_iter().flatten().collect())
    }

    #[test]
    fn types_that_all_values_have() {
        let text = |text: &str| PathValue::Text(text.to_owned());
        let integers = vec![PathValue::Integer(7), PathValue::Null];
        assert_eq!(column(&["t/a=07/x", "t/a=__HIVE_DEFAULT_PARTITION__/x"]), (Type::BigInt, integers));
        assert_eq!(column(&["a=7/x", "a=b%2Fc/x"]), (Type::Varchar, vec![text("7"), text("b/c")]));
        assert_eq!(column(&["a=2024-02-30/x"]), (Type::Varchar, vec![text("2024-02-30")]));
        assert_eq!(column(&["a=/x"]), (Type::Varchar, vec![text("")]));
    }

    /// Against days counted one by one.
    #[test]
    fn dates() {
        let mut expected = 0;
        for year in 1970..2110 {
            for (month, days) in [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].into_iter().enumerate() {
                let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
                let days = days + u32::from(month == 1 && is_leap);
                for day in 1..=days {
                    let text = format!("{year:04}-{:02}-{day:02}", month + 1);
                    assert_eq!(date(&text), Some(expected), "{text}");
                    expected += 1;
                }
            }
        }
        assert_eq!(date("0000-03-01"), Some(-719_468));
        let none = ["2024-13-01", "2024-00-01", "2024-01-00", "2024-1-1", "+024-01-01x", "2023-02-29", "-"];
        let of_other_digits = ["2024-+1-01", "+024-01-01", "2024-01-+1", "02024-1-01", "2024-01-01-"];
        for text in none.into_iter().chain(of_other_digits) {
            assert_eq!(date(text), None, "{text}");
        }
    }

    #[test]
    fn paths_of_unlike_columns() {
        let paths = ["a=1/x", "b=1/x"];
        assert!(path_columns(&paths, true).is_err());
        assert!(path_columns(&paths, false).expect("they are left out").columns.is_empty());
    }
}

//! Filter pushdown: conditions of a query as ranges. DuckDB's second interface offers the
//! conditions and checks them itself. A range may be wider than its condition, and must contain
//! every value that passes.

use std::cmp::Ordering;

use arrow::array::{ArrayRef, AsArray, BooleanArray, Datum};
use arrow::compute::kernels::cmp;
use arrow::datatypes::{DataType, Float32Type, Float64Type, TimeUnit};
use arrow::error::ArrowError;

use super::range::{Range, arrow_type, exact, in_total_order, values_of};
use super::table::{Source, Table};
use crate::sys::{Condition, Value, Wanted};

/// Longest list of values that are compared one by one. In a longer list only the smallest and the
/// largest count.
const MAX_VALUES: usize = 64;

/// Returns the ranges of conditions, at most one for each column.
pub fn ranges(table: &Table, conditions: &[Condition]) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    for condition in conditions {
        let Some(range) = range(table, condition) else { continue };
        match ranges.iter_mut().find(|other| other.column == range.column) {
            Some(other) => intersect(other, range),
            None => ranges.push(range),
        }
    }
    ranges
}

/// Returns the range of a condition; `None` if it excludes nothing that a file could tell.
fn range(table: &Table, condition: &Condition) -> Option<Range> {
    let column = condition.column;
    let (described, source) = table.columns.get(column)?;
    let of = arrow_type(&described.of)?;
    if let Source::File(index) = *source
        && !table.files.iter().all(|file| {
            let stored = file.file.schema().field(file.columns[index]).data_type();
            compares(values_of(stored), &of)
        })
    {
        return None;
    }
    let scalar =
        |value: &Value| exact(&value.as_text()?, &of, value.is_double()).filter(|value| !is_nan(value));
    let (low, high, values) = match &condition.wanted {
        Wanted::NotNull if mostly_present(table, *source) => return None,
        Wanted::NotNull => (None, None, None),
        // SQL's NaN is the largest number, and in no range with a bound.
        Wanted::AtLeast(_) if of.is_floating() => return None,
        Wanted::AtLeast(value) => (Some(scalar(value)?), None, None),
        Wanted::AtMost(value) => (None, Some(scalar(value)?), None),
        Wanted::OneOf(values) => {
            let mut values = values.iter().map(scalar).collect::<Option<Vec<_>>>()?;
            values.sort_by(compare);
            let (low, high) = (values.first()?.clone(), values.last()?.clone());
            // SQL has one zero, and floats two.
            let is_told = (2..=MAX_VALUES).contains(&values.len()) && !of.is_floating();
            (Some(low), Some(high), is_told.then_some(values))
        }
    };
    let (low, high) = in_total_order((low, high)).ok()?;
    Some(Range { column, low, high, values })
}

/// Returns whether less than a quarter of the values is NULL by the files' statistics, so that a
/// scan without them saves little.
fn mostly_present(table: &Table, source: Source) -> bool {
    let Source::File(index) = source else { return true };
    let nulls = table.files.iter().map(|file| {
        let metadata = file.file.metadata();
        let schema = metadata.file_metadata().schema_descr();
        let leaf =
            (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == file.columns[index]);
        let chunks = metadata.row_groups().iter().filter_map(|group| group.columns().get(leaf?));
        let counts = chunks.filter_map(|chunk| chunk.statistics()?.null_count_opt());
        counts.fold(0u64, u64::saturating_add)
    });
    nulls.fold(0u64, u64::saturating_add) < table.rows() / 4
}

/// Returns whether a file's values compare like DuckDB's values that are made of them. They do not
/// if the conversion loses digits, as from nanoseconds or from wide decimals.
fn compares(stored: &DataType, of: &DataType) -> bool {
    use TimeUnit::{Microsecond, Millisecond, Nanosecond, Second};
    match (stored, of) {
        (DataType::Utf8View | DataType::LargeUtf8, DataType::Utf8) => true,
        (DataType::Timestamp(unit, zone), DataType::Timestamp(other, other_zone)) => {
            let is_coarser = match other {
                Nanosecond => true,
                _ => matches!(unit, Second | Millisecond | Microsecond),
            };
            is_coarser && zone.is_some() == other_zone.is_some()
        }
        _ => stored == of,
    }
}

fn is_nan(value: &ArrayRef) -> bool {
    match value.data_type() {
        DataType::Float32 => value.as_primitive::<Float32Type>().value(0).is_nan(),
        DataType::Float64 => value.as_primitive::<Float64Type>().value(0).is_nan(),
        _ => false,
    }
}

/// Compares two values of one type, each an array of one.
fn compare(one: &ArrayRef, other: &ArrayRef) -> Ordering {
    let is = |how: fn(&dyn Datum, &dyn Datum) -> Result<BooleanArray, ArrowError>| {
        how(one, other).is_ok_and(|found| found.value(0))
    };
    match (is(cmp::lt), is(cmp::gt)) {
        (true, _) => Ordering::Less,
        (_, true) => Ordering::Greater,
        _ => Ordering::Equal,
    }
}

/// Narrows a range to its intersection with another.
fn intersect(range: &mut Range, other: Range) {
    let tighter = |own: Option<ArrayRef>, other: Option<ArrayRef>, wanted| match (own, other) {
        (Some(own), Some(other)) if compare(&other, &own) == wanted => Some(other),
        (own, other) => own.or(other),
    };
    range.low = tighter(range.low.take(), other.low, Ordering::Greater);
    range.high = tighter(range.high.take(), other.high, Ordering::Less);
    range.values = range.values.take().or(other.values);
}

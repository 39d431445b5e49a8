//! Statistics of a table for the planner, from the footers and the dictionaries of its files.

use std::collections::HashSet;

use arrow::array::{Array, ArrayRef, UInt64Array};
use arrow::datatypes::DataType;
use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, ScalarValue, Statistics};

use super::bounds;
use super::files::{TableFile, TableFiles};

impl TableFiles {
    /// Returns rows, bounds and null counts of the whole table. Bounds are marked exact only where
    /// every row group has them and says that they are; they may be absent.
    pub fn statistics(&self) -> Statistics {
        let rows: usize = self.files.iter().map(TableFile::rows).sum();
        let columns: Vec<_> = (0..self.schema.fields().len()).map(|column| self.column(column)).collect();
        Statistics {
            num_rows: Precision::Exact(rows),
            total_byte_size: Precision::Absent,
            column_statistics: columns,
        }
    }

    fn column(&self, column: usize) -> ColumnStatistics {
        let field = self.schema.field(column);
        if self.row_number == Some(column) || self.log.is_some() {
            return ColumnStatistics::new_unknown();
        }
        if column >= self.file_columns {
            // count(DISTINCT …) is answered from this: NULL is no value, and neither is that of a
            // file without rows
            let values = self.files.iter().filter(|file| rows(file) > 0);
            let values = values.map(|file| &file.partitions[column - self.file_columns]);
            let distinct = values.filter(|value| !value.is_null()).collect::<HashSet<_>>().len();
            return ColumnStatistics {
                distinct_count: Precision::Exact(distinct),
                ..ColumnStatistics::new_unknown()
            };
        }
        let mut bounds = Bounds::default();
        for file in &self.files {
            bounds.add(file, column, self.cast(file, column));
        }
        let Bounds { min, max, nulls, complete, hold, exact } = bounds;
        let precise = |value: Option<ScalarValue>, is_exact: bool| match value {
            // bounds of strings may be cut short by the writer
            Some(value) if complete && hold && is_exact && field.data_type().is_primitive() => {
                Precision::Exact(value)
            }
            Some(value) if complete => Precision::Inexact(value),
            _ => Precision::Absent,
        };
        ColumnStatistics {
            null_count: nulls.map_or(Precision::Absent, Precision::Exact),
            min_value: precise(min, exact.0),
            max_value: precise(max, exact.1),
            distinct_count: self.distinct(column).map_or(Precision::Absent, Precision::Inexact),
            ..ColumnStatistics::new_unknown()
        }
    }

    /// Returns about how many different texts a column has: the entries of the dictionary of the
    /// largest row group of the largest file, and in proportion to the rows if most of its rows
    /// have a text of their own. `None` for other types, without a dictionary in a local file, and
    /// for columns behind the first ones of a wide table.
    fn distinct(&self, column: usize) -> Option<usize> {
        /// Most columns with dictionaries that are looked up, each by a read of the file.
        const MOST_COLUMNS: usize = 64;
        let is_text = matches!(self.schema.field(column).data_type(), DataType::Utf8View | DataType::Utf8);
        if !is_text || column >= MOST_COLUMNS {
            return None;
        }
        let largest = self.files.iter().max_by_key(|file| rows(file))?;
        let file = &largest.file;
        let name = file.schema().field(largest.column(column)?).name();
        let leaf = bounds::converter(file, name)?.parquet_column_index()?;
        let groups = file.metadata().row_groups().iter().enumerate();
        let (number, group) = groups.max_by_key(|(_, group)| group.num_rows())?;
        let (entries, in_group) = (file.dictionary_len(number, leaf)?.max(1), group.num_rows().max(1));
        let all: usize = self.files.iter().map(TableFile::rows).sum();
        Some(match entries >= in_group as usize / 2 {
            true => (entries as f64 * all as f64 / in_group as f64) as usize,
            false => entries,
        })
    }
}

fn rows(file: &TableFile) -> usize {
    file.file.metadata().file_metadata().num_rows() as usize
}

struct Bounds {
    min: Option<ScalarValue>,
    max: Option<ScalarValue>,
    nulls: Option<usize>,
    /// True if every row group with rows has bounds.
    complete: bool,
    /// True if no value is outside of the bounds.
    hold: bool,
    /// True if a row has the least value, and true if one has the greatest.
    exact: (bool, bool),
}

impl Default for Bounds {
    fn default() -> Self {
        Self { min: None, max: None, nulls: Some(0), complete: true, hold: true, exact: (true, true) }
    }
}

impl Bounds {
    /// Adds a file, with the type of its bounds in the table if that differs.
    fn add(&mut self, file: &TableFile, column: usize, cast: Option<&DataType>) {
        let groups = file.file.metadata().row_groups();
        let Some(index) = file.column(column) else {
            self.nulls = self.nulls.and_then(|sum| sum.checked_add(rows(file)));
            return;
        };
        let name = file.file.schema().field(index).name();
        let converter = bounds::converter(&file.file, name);
        let rows = UInt64Array::from_iter_values(groups.iter().map(|group| group.num_rows() as u64));
        let read = converter.as_ref().and_then(|converter| {
            let (mins, maxes) =
                (converter.row_group_mins(groups).ok()?, converter.row_group_maxes(groups).ok()?);
            let nulls = converter.row_group_null_counts(groups).ok()?;
            Some((converter, mins, maxes, bounds::null_counts(&nulls, &rows)?))
        });
        let Some((converter, mins, maxes, nulls)) = read else {
            (self.complete, self.nulls) = (false, None);
            return;
        };
        for (index, group) in groups.iter().enumerate().filter(|(_, group)| group.num_rows() > 0) {
            self.nulls = match self.nulls {
                Some(sum) if nulls.is_valid(index) => sum.checked_add(nulls.value(index) as usize),
                _ => None,
            };
            let all_null = nulls.is_valid(index) && nulls.value(index) == group.num_rows() as u64;
            let united = |value: ScalarValue| match cast {
                Some(united) => value.cast_to(united).ok(),
                None => Some(value),
            };
            let (min, max) = (at(&mins, index).and_then(united), at(&maxes, index).and_then(united));
            let is_turned = min.as_ref().zip(max.as_ref()).is_some_and(|(min, max)| min > max);
            self.hold &= bounds::hold(&file.file, converter, index) && !is_turned;
            self.complete &= all_null || (min.is_some() && max.is_some());
            if !all_null {
                let exact = bounds::are_exact(&file.file, converter, index);
                self.exact = (self.exact.0 && exact.0, self.exact.1 && exact.1);
            }
            widen(&mut self.min, min, |new, old| new < old);
            widen(&mut self.max, max, |new, old| new > old);
        }
    }
}

/// Returns the bound of a row group; `None`: it has none.
fn at(values: &ArrayRef, index: usize) -> Option<ScalarValue> {
    values.is_valid(index).then(|| ScalarValue::try_from_array(values, index).ok()).flatten()
}

/// Replaces the bound so far if the new one is better.
fn widen(
    bound: &mut Option<ScalarValue>,
    new: Option<ScalarValue>,
    better: fn(&ScalarValue, &ScalarValue) -> bool,
) {
    if let Some(new) = new
        && bound.as_ref().is_none_or(|old| better(&new, old))
    {
        *bound = Some(new);
    }
}

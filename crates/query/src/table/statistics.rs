//! What the footers say about a table's rows, in the planner's terms.

use arrow::array::{Array, ArrayRef};
use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, ScalarValue, Statistics};

use super::bounds;
use super::files::{TableFile, TableFiles};

impl TableFiles {
    /// Rows, bounds and null counts of the whole table. Bounds are marked exact only where every row group has
    /// them; they may be absent.
    pub fn statistics(&self) -> Statistics {
        let rows: usize = self.files.iter().map(rows).sum();
        let columns: Vec<_> = (0..self.schema.fields().len()).map(|column| self.column(column)).collect();
        Statistics {
            num_rows: Precision::Exact(rows),
            total_byte_size: Precision::Absent,
            column_statistics: columns,
        }
    }

    fn column(&self, column: usize) -> ColumnStatistics {
        let field = self.schema.field(column);
        if column >= self.file_columns {
            let values = self.files.iter().map(|file| file.partitions[column - self.file_columns].clone());
            let distinct = values.collect::<std::collections::HashSet<_>>().len();
            return ColumnStatistics {
                distinct_count: Precision::Exact(distinct),
                ..ColumnStatistics::new_unknown()
            };
        }
        let mut bounds = Bounds::default();
        for file in &self.files {
            bounds.add(file, column);
        }
        let Bounds { min, max, nulls, complete, hold } = bounds;
        let precise = |value: Option<ScalarValue>| match value {
            // bounds of strings may be cut short by the writer
            Some(value) if complete && hold && field.data_type().is_primitive() => Precision::Exact(value),
            Some(value) if complete => Precision::Inexact(value),
            _ => Precision::Absent,
        };
        ColumnStatistics {
            null_count: nulls.map_or(Precision::Absent, Precision::Exact),
            min_value: precise(min),
            max_value: precise(max),
            ..ColumnStatistics::new_unknown()
        }
    }
}

fn rows(file: &TableFile) -> usize {
    file.file.metadata().file_metadata().num_rows() as usize
}

struct Bounds {
    min: Option<ScalarValue>,
    max: Option<ScalarValue>,
    nulls: Option<usize>,
    /// Every row group that has rows has bounds.
    complete: bool,
    /// No value is outside of them.
    hold: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { min: None, max: None, nulls: Some(0), complete: true, hold: true }
    }
}

impl Bounds {
    fn add(&mut self, file: &TableFile, column: usize) {
        let groups = file.file.metadata().row_groups();
        let name = file.file.schema().field(file.columns[column]).name();
        let converter = bounds::converter(&file.file, name);
        let read = converter.as_ref().and_then(|converter| {
            let (mins, maxes) =
                (converter.row_group_mins(groups).ok()?, converter.row_group_maxes(groups).ok()?);
            Some((converter, mins, maxes, converter.row_group_null_counts(groups).ok()?))
        });
        let Some((converter, mins, maxes, nulls)) = read else {
            (self.complete, self.nulls) = (false, None);
            return;
        };
        for (index, group) in groups.iter().enumerate().filter(|(_, group)| group.num_rows() > 0) {
            self.nulls = match self.nulls {
                Some(sum) if nulls.is_valid(index) => Some(sum + nulls.value(index) as usize),
                _ => None,
            };
            let all_null = nulls.is_valid(index) && nulls.value(index) == group.num_rows() as u64;
            self.hold &= bounds::hold(&file.file, converter, index);
            self.complete &= all_null || (mins.is_valid(index) && maxes.is_valid(index));
            widen(&mut self.min, &mins, index, |new, old| new < old);
            widen(&mut self.max, &maxes, index, |new, old| new > old);
        }
    }
}

fn widen(
    bound: &mut Option<ScalarValue>,
    values: &ArrayRef,
    index: usize,
    better: fn(&ScalarValue, &ScalarValue) -> bool,
) {
    if !values.is_valid(index) {
        return;
    }
    if let Ok(value) = ScalarValue::try_from_array(values, index)
        && bound.as_ref().is_none_or(|old| better(&value, old))
    {
        *bound = Some(value);
    }
}

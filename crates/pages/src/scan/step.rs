//! Filter step: evaluates conditions on decoded batches.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, BooleanBufferBuilder};
use arrow::compute::{self, FilterBuilder};
use arrow::datatypes::Schema;
use arrow::error::ArrowError;
use arrow::record_batch::{RecordBatch, RecordBatchOptions};

use crate::file::ParquetFile;
use crate::scan::bits::deposit;
use crate::scan::chunked_column::ChunkedColumn;
use crate::scan::condition::Condition;

/// Maximum share of passing rows at which the next condition is evaluated on a copy of them. Above
/// it the copy costs more than evaluating a simple condition on all rows.
const COMPACT_BELOW: f64 = 0.25;

/// Evaluation of some conditions on decoded rows.
pub(super) struct Step<'a> {
    pub file: &'a ParquetFile,
    pub conditions: &'a [&'a Condition],
    /// Columns that are decoded for this step, ascending.
    pub new: &'a [usize],
    /// Columns from previous steps, and the selected values of columns that are needed later.
    pub done: BTreeMap<usize, ChunkedColumn>,
    pub selected: BTreeMap<usize, ChunkedColumn>,
    /// For each row so far whether all conditions hold.
    pub passed: BooleanBufferBuilder,
}

pub(super) enum StepError {
    Filter(String),
    Arrow(ArrowError),
}

impl From<ArrowError> for StepError {
    fn from(error: ArrowError) -> Self {
        StepError::Arrow(error)
    }
}

impl Step<'_> {
    /// Filters the next `rows` rows. `new` has the columns that are decoded for this step.
    pub fn batch(&mut self, new: &[ArrayRef], rows: usize) -> Result<(), StepError> {
        let mut columns: BTreeMap<usize, ArrayRef> =
            self.new.iter().copied().zip(new.iter().cloned()).collect();
        for (column, pieces) in &mut self.done {
            columns.insert(*column, pieces.take(rows)?);
        }
        let mask = self.evaluate(&columns, rows)?;
        self.passed.append_buffer(mask.values());
        let passed = mask.true_count();
        if passed == 0 {
            return Ok(());
        }
        let filter = FilterBuilder::new(&mask);
        let filter = if self.selected.len() > 1 { filter.optimize() } else { filter }.build();
        for (column, selected) in &mut self.selected {
            let values = &columns[column];
            selected.push(if passed == rows { values.clone() } else { filter.filter(values)? });
        }
        Ok(())
    }

    /// Returns for each row whether all conditions hold.
    fn evaluate(&self, columns: &BTreeMap<usize, ArrayRef>, rows: usize) -> Result<BooleanArray, StepError> {
        let mut mask = BooleanArray::new(arrow::buffer::BooleanBuffer::new_set(rows), None);
        for condition in self.conditions {
            let passing = mask.true_count();
            if passing == 0 {
                break;
            }
            let batch = self.columns_of(condition, columns, rows)?;
            mask = if passing == rows {
                evaluate(condition, &batch)?
            } else if (passing as f64) < rows as f64 * COMPACT_BELOW {
                let few = compute::filter_record_batch(&batch, &mask)?;
                BooleanArray::new(deposit(mask.values(), evaluate(condition, &few)?.values()), None)
            } else {
                compute::and(&mask, &evaluate(condition, &batch)?)?
            };
        }
        Ok(mask)
    }

    fn columns_of(
        &self,
        condition: &Condition,
        columns: &BTreeMap<usize, ArrayRef>,
        rows: usize,
    ) -> Result<RecordBatch, ArrowError> {
        let fields = condition.columns.iter().map(|&column| self.file.schema().field(column).clone());
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        let values = condition.columns.iter().map(|column| columns[column].clone()).collect();
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema, values, &options)
    }
}

/// Returns a condition's value for each row, null as false.
fn evaluate(condition: &Condition, batch: &RecordBatch) -> Result<BooleanArray, StepError> {
    let mask = condition.filter.evaluate(batch).map_err(StepError::Filter)?;
    let mask = if mask.null_count() > 0 { compute::prep_null_mask_filter(&mask) } else { mask };
    condition.filter.note(mask.len(), mask.true_count());
    Ok(mask)
}

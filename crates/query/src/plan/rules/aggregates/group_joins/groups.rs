//! Groups of a partition of the probe side.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch, new_null_array};
use arrow::compute::filter_record_batch;
use arrow::datatypes::SchemaRef;
use datafusion::common::DataFusionError;
use datafusion::error::Result;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::metrics::Count;

use super::Expr;
use crate::plan::rules::aggregates::grouping::{Added, Groups, Results};
use crate::plan::rules::aggregates::output::Output;
use crate::plan::rules::joins::{BuiltKeys, SeenKeys};
use crate::scan::NO_KEY;

/// Rows without a match that are emitted at a time.
const UNMATCHED_ROWS: usize = 8192;

/// Groups of the keys that a partition has matched.
pub(super) struct GroupsByKey {
    built: Arc<BuiltKeys>,
    /// The aggregate that the groups are of.
    partial: Arc<AggregateExec>,
    /// Columns of the probe side, which may all have NULL.
    rows: SchemaRef,
    /// Key of the probe side.
    key: Expr,
    results: Results,
    /// Group of each key of the build side: its number, or [`NO_KEY`].
    groups: Vec<u32>,
    /// Keys of the groups.
    keys: Vec<u32>,
    /// Keys of the groups that were emitted, for a left join.
    seen: SeenKeys,
    /// Keys of the rows of a batch, and then their groups.
    found: Vec<u32>,
    matched: Count,
}

impl GroupsByKey {
    /// Returns groups of no rows, for the aggregates `values` over the probe side. `matched` counts
    /// the rows of the probe side that have a match.
    ///
    /// # Errors
    /// An aggregate has no partial results.
    pub fn new(
        built: Arc<BuiltKeys>,
        partial: Arc<AggregateExec>,
        values: &AggregateExec,
        key: Expr,
        matched: Count,
    ) -> Result<Self> {
        Ok(Self {
            groups: vec![NO_KEY; built.table.first_rows().len()],
            seen: built.no_keys(),
            built,
            partial,
            rows: values.input_schema(),
            key,
            results: Results::new(values)?,
            keys: Vec::new(),
            found: Vec::new(),
            matched,
        })
    }

    /// Emits the groups so far.
    fn emit_groups(&mut self, output: &mut Output) -> Result<()> {
        let keys = std::mem::take(&mut self.keys);
        if keys.is_empty() {
            return Ok(());
        }
        for &key in &keys {
            self.groups[key as usize] = NO_KEY;
        }
        if self.built.matches.is_some() {
            keys.iter().for_each(|&key| self.seen.insert(key));
        }
        let results = self.results.take(keys.len())?;
        self.push(self.built.with_results(&keys, results)?, output)
    }

    fn push(&self, columns: Vec<ArrayRef>, output: &mut Output) -> Result<()> {
        output.push(RecordBatch::try_new(self.partial.schema(), columns)?);
        Ok(())
    }
}

impl Groups for GroupsByKey {
    fn add(&mut self, batch: RecordBatch, _: &mut Output) -> Result<Added> {
        let rows = batch.num_rows();
        let keys = self.key.evaluate(&batch)?.into_array(rows)?;
        self.built.table.find(&keys, &mut self.found)?;
        let is_matched: Option<BooleanArray> =
            self.found.contains(&NO_KEY).then(|| self.found.iter().map(|&key| Some(key != NO_KEY)).collect());
        self.found.retain(|&key| key != NO_KEY);
        if self.found.is_empty() {
            return Ok(Added::All);
        }
        self.matched.add(self.found.len());
        for found in &mut self.found {
            let group = &mut self.groups[*found as usize];
            if *group == NO_KEY {
                *group = self.keys.len() as u32;
                self.keys.push(*found);
            }
            *found = *group;
        }
        match is_matched {
            None => self.results.add(&batch, &self.found, self.keys.len())?,
            Some(matched) => {
                self.results.add(&filter_record_batch(&batch, &matched)?, &self.found, self.keys.len())?;
            }
        }
        Ok(Added::Grown)
    }

    fn size(&self) -> usize {
        let numbers = self.groups.capacity() + self.keys.capacity() + self.found.capacity();
        self.results.size() + numbers * size_of::<u32>()
    }

    fn shrink(&mut self, output: &mut Output) -> Result<Added> {
        self.emit_groups(output)?;
        Ok(Added::All)
    }

    /// Emits the groups, and behind the last partition those of rows without a match: each has one
    /// row of the probe side, with NULL in all columns.
    fn emit(&mut self, output: &mut Output) -> Result<()> {
        self.emit_groups(output)?;
        let Some(matches) = &self.built.matches else { return Ok(()) };
        for rows in matches.end(&self.seen, false).chunks(UNMATCHED_ROWS) {
            let schema = self.rows.clone();
            let columns = schema.fields().iter();
            let columns = columns.map(|field| new_null_array(field.data_type(), rows.len())).collect();
            let numbers: Vec<u32> = (0..rows.len() as u32).collect();
            self.results.add(&RecordBatch::try_new(schema, columns)?, &numbers, rows.len())?;
            let mut columns = self.built.take(rows.to_vec())?;
            columns.extend(self.results.take(rows.len())?);
            self.push(columns, output)?;
        }
        Ok(())
    }

    fn pass_on(&self, _: SendableRecordBatchStream) -> Result<SendableRecordBatchStream> {
        Err(DataFusionError::Internal("a group-join passes no rows on".to_owned()))
    }
}
